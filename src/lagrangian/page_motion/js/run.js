// A run of a program from beginning to end: what Python's `motion.run.run` does around compiled code, with its constants.

const DONE = 0, BUSY = 1, EVENT = 2, TOO_SMALL = 3, NEAR_SINGULAR = 5;
const TOLD = 0, STOP = 1, HAPPENED = 2, JUST_NOW = 1, TO_COME = 2;
const STEPS = 2048, MAX_STEPS = 300000, CROWD = 300, MOMENT = 1e-6, INSTANT = 1e-12, EPSILON = 2 ** -52;
const ENDINGS = {
  [TOO_SMALL]: "the step became too small; the motion may be singular there",
  [NEAR_SINGULAR]: "it reaches a singular configuration; only Python can continue from there",
};

class Run {
  constructor(program) {
    this.program = program;
    this.start = new Start(program);
    this.supply = new Supply(program);
    this.modes = new Modes(program);
    const { s, c, y, u, work, grid, rows, steps, dense, foundEvents, kinds } = program;
    this.pointers = [s, c, y, u, work, grid, rows, steps, dense, foundEvents, kinds].map((array) => array.byteOffset);
  }

  /** Simulate with these values of the inputs. The result says where and why the motion ended early; it is null if it did not. */
  simulate(values) {
    const { program, modes } = this, { plan, s, c, y, u } = program;
    this.events = [];
    this.recent = [];
    this.inputs = [];
    c.fill(0n);
    u.fill(0);
    new DataView(u.buffer).setUint32(u.byteOffset + 8 * plan.u.numbers, program.numbers.byteOffset, true);
    const state = this.start.initialState(values);
    if (typeof state === "string") return { t: plan.t0, reason: state };
    y.set(state);
    s.fill(0);
    s[T] = plan.t0;
    this.supply.begin();
    this.until = this.supply.setInputsFrom(s[T]);
    c[ROWS] = BigInt(plan.rows);
    if (plan.holdable.length) modes.begin();
    this.restart(plan.step);
    return this.integrate();
  }

  /** Begin again from the present state, with this length of the next step. */
  restart(first) {
    const { program } = this, { plan, s, c, kinds } = program;
    s[H] = first;
    s[RTOL] = plan.rtol;
    s[ATOL] = plan.atol;
    s[LARGEST] = plan.largest;
    s[SINGULAR] = s[WATCHED] = plan.singular;
    s[RATIO] = 1;
    s.fill(0, LEAST + 1, WATCHED);
    c[ROOM] = BigInt(plan.max_events);
    c[FRESH] = 1n;
    c[AGAIN] = 0n;
    c[WHICH] = -1n;
    c[STEPS_ROOM] = c[KEEP] = 0n;  // rows are all that a page needs
    plan.events.forEach((event, k) => kinds.set([BigInt(event.direction), BigInt(event.kind), 0n], PER_EVENT * k));
  }

  integrate() {
    const { program } = this, { plan, s, c } = program;
    for (;;) {
      s[END] = Math.min(this.until, plan.end);
      s[LEAST] = 16 * EPSILON * Math.max(Math.abs(s[T]), Math.abs(s[END]), 1e-6);
      c[BUDGET] = BigInt(STEPS);
      this.inputs.push({ t: s[T], u: program.u.slice() });
      const status = Number(program.x.integrate(...this.pointers));
      this.collectEvents();
      if (status === DONE && s[T] >= plan.end) return null;
      if (status === DONE) this.updateInputs();
      else if (status === EVENT) {
        const ended = this.handleEvent();
        if (ended) return ended;
      } else if (status !== BUSY) return { t: s[T], reason: ENDINGS[status] || "the computation could not continue" };
      if (Number(c[ACCEPTED] + c[REJECTED]) > MAX_STEPS) return { t: s[T], reason: "it needs more steps than a page computes" };
    }
  }

  /** Set the inputs that hold from now on. */
  updateInputs() {
    const { program, modes } = this, { plan, s, c } = program;
    this.until = this.supply.setInputsFrom(s[T]);
    if (plan.holdable.length) modes.settle(s[T]);
    c[FRESH] = 1n;
    this.markEvents([]);
  }

  /** Collect the events that compiled code found. */
  collectEvents() {
    const { program } = this, { plan, c, foundEvents } = program, wide = program.n + 2;
    this.now = [];
    for (let k = 0; k < Number(c[FOUND]); k++) {
      const event = foundEvents[k * wide], t = foundEvents[k * wide + 1];
      this.now.push({ event, t });
      const name = plan.events[event].name || this.modes.limitMessage(plan.events[event]);
      if (name) this.events.push({ name, t });
    }
    c[FOUND] = c[STORED] = 0n;
  }

  /** Do what the event requires at which compiled code stopped; the result is that of the run if it ends here, else null. */
  handleEvent() {
    const { program, modes } = this, { plan, s, c } = program, t = s[T], step = s[H];
    const occurred = [Number(c[WHICH]), ...this.now.filter((x) => Math.abs(x.t - t) <= 1e-14 * Math.max(1, Math.abs(t))).map((x) => x.event)];
    const entries = [...new Set(occurred)].map((k) => plan.events[k]);
    const stop = entries.find((x) => x.stops);
    if (stop) return { t, reason: stop.name };
    const changes = entries.filter((x) => "joint" in x);
    if (changes.length) modes.handleEvents(changes, t);
    else if (plan.holdable.length) modes.settle(t);
    this.recent = [...this.recent.slice(1 - CROWD), t];
    if (this.recent.length === CROWD && t - this.recent[0] < MOMENT * (plan.end - plan.t0)) return { t, reason: "joints stick and slip, or meet their stops, without end" };
    this.restart(changes.length && plan.adaptive ? Math.min(step, 1e-3 * Math.max(step, 1e-3)) : step);
    this.markEvents(occurred);
    return null;
  }

  /** Mark the events of this instant, so that they are not found a second time, and those still to come, so that they are not lost. */
  markEvents(handled) {
    const { program } = this, { plan, s, kinds } = program, t = s[T], now = INSTANT * Math.max(1, Math.abs(t));
    const recentNames = new Set(this.events.filter((x) => t - x.t <= now).map((x) => x.name));
    plan.events.forEach((event, k) => {
      if ("joint" in event) return;
      if (handled.includes(k) || recentNames.has(event.name)) kinds[PER_EVENT * k + HAPPENED] = BigInt(JUST_NOW);
      else if (event.kind === TOLD || event.kind === STOP) kinds[PER_EVENT * k + HAPPENED] = BigInt(TO_COME);
    });
  }
}
