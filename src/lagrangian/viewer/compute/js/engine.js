// The worker that computes motions. Only the newest values count: while one motion is computed, those that come are kept, the
// last of them, and asked for when it is there. A slider that is dragged fast never makes a queue.

class Engine {
  /** `on` has ready(), motion(message, inputs), failed(reason). */
  constructor(script, wasm, plan, on) {
    this.on = on;
    this.running = null;  // what the motion is computed from
    this.waiting = null;  // what came since
    this.id = 0;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.answer(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || "the script that computes cannot start here");
    };
    this.worker.onmessageerror = () => this.fail("an answer could not be read");
    this.worker.postMessage({ kind: "open", wasm, plan }, [wasm]);
    this.address = address;
  }

  answer(message) {
    if (message.kind === "ready") {
      URL.revokeObjectURL(this.address);
      this.ready = true;
      this.on.ready();
      this.next();
    } else if (message.kind === "failed") this.fail(message.reason);
    else if (message.kind === "motion" && message.id === this.id) {
      const { inputs, arrows } = this.running;
      this.running = null;
      this.next();  // the worker goes on while this motion is drawn
      this.on.motion({ ...message, arrows: arrows ? message.arrows : null }, inputs);
    }
  }

  /** Compute the motion of these inputs; with the forces as arrows, if they are seen. */
  run(inputs, arrows) {
    this.waiting = { inputs, arrows };
    this.next();
  }

  get busy() {
    return Boolean(this.running || this.waiting);
  }

  next() {
    if (!this.ready || this.running || !this.waiting) return;
    const { inputs, arrows } = (this.running = this.waiting);
    this.waiting = null;
    this.id += 1;
    this.worker.postMessage({ kind: "run", id: this.id, inputs: Float64Array.from(inputs), arrows });
  }

  fail(reason) {
    this.worker.terminate();
    this.on.failed(reason);
  }
}
