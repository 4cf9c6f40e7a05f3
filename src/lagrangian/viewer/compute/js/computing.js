// A player whose motion follows sliders: at every change, a worker computes the motion for the picture, plots and values.

class Computing {
  constructor(root) {
    this.root = root;
    this.player = root.querySelector(".lagrangian-player").player;
    this.panel = root.querySelector(".lgc-panel");
    this.data = JSON.parse(root.querySelector(".lgc-data").textContent);
    this.plan = this.data.plan;
    this.recorded = this.player.data.arrows;
    this.groups = [...new Set(this.plan.arrows.map((it) => it.group))];
    this.start().catch((error) => this.refuse(error.message));
  }

  async start() {
    const why = missingFeature();
    if (why) return this.refuse(why);
    this.build();
    const [script, wasm, block] = await Promise.all([WORKER, this.data.wasm, this.data.block].map(inflate));
    this.shapes = new Shapes(this.data.shapes, block, this.plan.inputs, this.player.data);
    if (this.closed) return;
    this.engine = new Engine(script, wasm, this.plan, {
      ready: () => this.sliders.enable(true),
      motion: (message, inputs) => this.take(message, inputs),
      failed: (reason) => this.refuse(reason),
    });
    this.run();
    this.player.watchers.push(() => this.replaced && this.arrows && !this.motion.arrows && !this.engine.waiting && this.run());
  }

  run() {
    this.engine?.run(this.sliders.values, this.arrows);
  }

  /** Whether forces are shown that the page computes. */
  get arrows() {
    return this.recorded.some((it) => this.groups.includes(it.group) && this.player.shown[it.group]);
  }

  build() {
    const { plan } = this;
    this.sliders = new Sliders(plan.inputs, () => this.change(), () => this.settle());
    this.sliders.enable(false);
    this.plots = new Plots(plan, this.player);
    this.reproduction = new Reproduction(plan, this.data.reproduction, () => this.drawn || this.sliders.values, () => this.motion);
    this.copying = new Copying(this.reproduction);
    this.status = node("p", { class: "lgc-status", role: "status" }, "The page is preparing to compute.");
    this.back = node("button", { type: "button", class: "lgc-button" }, "Reset");
    this.back.disabled = true;
    this.back.addEventListener("click", () => this.sliders.reset());
    const head = node("div", { class: "lgc-head" }, node("span", { class: "lgc-title" }, "Change the motion"));
    if ([...plan.inputs, ...plan.series].some((it) => it.angle)) head.append(this.angles());
    head.append(this.back);
    this.panel.append(node("div", { class: "lgc-controls" }, head, this.sliders.root, this.status, this.copying.root), this.plots.root);
    if (this.root.closest(".stage")) this.panel.append(node("p", { class: "lgc-foot" }, "The rest of this page describes the recorded motion."));
    this.player.watchers.push(() => this.root.classList.toggle("lgc-dark", this.player.theme === "dark"));
    this.root.classList.toggle("lgc-dark", this.player.theme === "dark");
  }

  angles() {
    const choose = node("select", { class: "lgc-button", "aria-label": "Unit of angles" });
    choose.append(node("option", { value: "degrees" }, "degrees"), node("option", { value: "radians" }, "radians"));
    choose.addEventListener("change", () => {
      this.sliders.inDegrees(choose.value === "degrees");
      this.plots.inDegrees(choose.value === "degrees");
    });
    return choose;
  }

  change() {
    this.asked = performance.now();
    this.back.disabled = !this.sliders.touched;
    this.run();
    this.root.dispatchEvent(new CustomEvent("lagrangian-changed", { bubbles: true, detail: { values: this.sliders.values } }));
  }

  /** Set values from outside, in the order of the inputs. */
  set(values) {
    if (this.sliders?.assign(values)) this.settle();
  }

  /** End all work when the element is removed from its page. */
  close() {
    this.closed = true;
    this.engine?.worker.terminate();
    this.plots?.close();
    this.player.close();
  }

  /** After a slider is released, show all of its motion once it is computed. */
  settle() {
    this.settling = true;
    if (this.engine && !this.engine.busy) this.settled();
  }

  settled() {
    this.settling = false;
    if (this.player.course.duration) this.player.takeIn();
  }

  /** Take over a motion from the worker. */
  take(message, inputs) {
    if (message.t.length) this.draw(message, inputs);
    else this.miss(asSentence(message.ended?.reason || "This motion is not possible"));
    if (this.settling && !this.engine.busy) this.settled();
    const detail = { rows: message.t.length, spent: message.spent, took: performance.now() - this.asked };
    this.root.dispatchEvent(new CustomEvent("lagrangian-computed", { bubbles: true, detail }));
  }

  /** Show why these values have no motion. */
  miss(why) {
    this.say(`${why} The picture shows the previous values.`, true);
    this.copying.renew(`${why} Therefore there is no motion to copy.`);
  }

  /** Show a motion: first in the picture, then in plots and values. */
  draw(message, inputs) {
    this.motion = message;
    this.drawn = inputs;  // what is copied are the values of this motion
    const first = inputs.every((x, k) => x === this.plan.inputs[k].value);
    if (first) {
      if (this.replaced) this.player.replace(null);  // the recorded motion, with all its arrows
      this.shapes.forget();
    } else {
      const { t, poses } = message, arrows = computedArrows(message, this.plan, this.recorded);
      const why = "The page does not compute these. Reset all values to see them again.";
      this.player.replace({ t, poses, arrows, groups: this.groups, why, ...this.shapes.at(inputs) });
    }
    this.replaced = !first;
    if (this.player.visible) this.player.render();
    this.root.dispatchEvent(new CustomEvent("lagrangian-drawn", { bubbles: true }));
    this.plots.show(message);
    this.copying.renew();
    this.report(message);
  }

  report({ t, ended, events, spent }) {
    const met = (events || []).slice(0, 4).map((e) => `${e.name} at ${formatNumber(e.t)} s`).join(", ");
    const more = events?.length > 4 ? ` and ${events.length - 4} more event${events.length > 5 ? "s" : ""}` : "";
    const happened = met ? ` ${met}${more}.` : "";
    if (ended) return this.say(`The motion ended at ${formatNumber(ended.t)} s: ${ended.reason.replace(/\.+$/, "")}.${happened}`, true);
    this.say(`${formatNumber(t[t.length - 1] - t[0])} s of motion, computed in ${formatNumber(spent, 2)} ms.${happened}`, false);
  }

  say(text, bad) {
    this.status.textContent = text;
    this.status.classList.toggle("lgc-bad", bad);
  }

  /** Return to the recorded motion, with a sentence that says why. */
  refuse(reason) {
    this.panel.remove();
    this.root.classList.add("lgc-off");
    this.root.append(node("p", { class: "lgc-note" }, `This page plays the recorded motion, because ${reason.replace(/\.+$/, "")}.`));
    if (this.replaced) this.player.replace(null);
    this.player.refresh();
  }
}

function asSentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1).replace(/\.+$/, "")}.`;
}

const mountPlayers = window.lagrangianMount;

/** Add sliders to all players in an element that have a page program and no sliders yet. */
function mountComputing(within = document) {
  mountPlayers(within);
  for (const root of within.querySelectorAll(".lagrangian-computing:not([data-ready])")) {
    root.dataset.ready = "";
    if (root.querySelector(".lgc-data")) root.computing = new Computing(root);
  }
}

window.lagrangianCompute = mountComputing;
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mountComputing());
else mountComputing();
