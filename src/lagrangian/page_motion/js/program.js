// A module with the arrays of its arguments and results. The places in them have the names of `motion.solver.places`.

const T = 0, END = 1, H = 2, RTOL = 3, ATOL = 4, LARGEST = 5, SINGULAR = 6, RATIO = 7, LEAST = 8, WATCHED = 12, REALS = 14;
const BUDGET = 0, ACCEPTED = 1, REJECTED = 2, ROW = 3, ROWS = 4, STORED = 5, FOUND = 6, ROOM = 7, FRESH = 8, AGAIN = 9, WHICH = 10;
const STEPS_ROOM = 12, KEEP = 15, COUNTERS = 17, PER_EVENT = 3;

class Program {
  constructor(exports, plan) {
    this.x = exports;
    this.plan = plan;
    const { nq, nv, rows, equations } = plan, n = nq + nv;
    this.n = n;
    const reals = {
      s: REALS, y: n, u: plan.u.size, work: plan.work, grid: rows, rows: rows * n, steps: n + 2, dense: n * plan.degree,
      foundEvents: plan.max_events * (n + 2), p: plan.inputs.length, numbers: plan.numbers.size, time: 1, state: n, rates: n,
      matrices: 12 * (plan.frames - 1), forces: plan.outputs, energies: 4, residual: equations, psi: equations * nv,
      masses: nv * nv, response: plan.responses, projected: 2 * n + 2, arrows: 6 * plan.arrows.length,
    };
    const integers = { c: COUNTERS, kinds: PER_EVENT * plan.events.length };
    const memory = new Memory(exports, 64 + Memory.doublesNeeded([...Object.values(reals), ...Object.values(integers)]));
    for (const name in reals) this[name] = memory.reals(reals[name]);
    for (const name in integers) this[name] = memory.integers(integers[name]);
    const step = (plan.end - plan.t0) / (rows - 1);  // as numpy's linspace rounds
    for (let k = 0; k < rows; k++) this.grid[k] = k === rows - 1 ? plan.end : plan.t0 + k * step;
    this.nominal = plan.inputs.map((x) => x.value);
  }

  /** Set the inputs that the module reads: parameters first, then gains. */
  setInputs(values) {
    const { plan, p, numbers, x } = this;
    [...plan.parameters, ...plan.gains].forEach((k, i) => (p[i] = values[k]));
    x.numbers(p.byteOffset, numbers.byteOffset);
    x.prepare(numbers.byteOffset);
  }

  /** Inputs at a part of the path, from 0 to 1, from those of the recorded motion to others. */
  interpolateInputs(values, part) {
    return values.map((x, k) => (part === 1 ? x : this.nominal[k] + part * (x - this.nominal[k])));
  }

  /** The start values of a kind, "q0" or "qd0", that the reader has changed. */
  changedInputs(values, kind) {
    const inputs = this.plan.inputs.map((x, k) => ({ ...x, now: values[k] }));
    return inputs.filter((x) => x.kind === kind && x.now !== x.value);
  }

  /** The initial state as the description has it. */
  describedState() {
    this.x.start(this.p.byteOffset, this.state.byteOffset);
    return Array.from(this.state);
  }

  /** Call a function of time and state, which reads its numbers from `source`: the inputs of the page, or `u`. */
  call(name, t, state, output, source = this.p) {
    this.time[0] = t;
    this.state.set(state);
    this.x[name](this.time.byteOffset, this.state.byteOffset, source.byteOffset, output.byteOffset);
    return output;
  }

  closure(q) {
    const count = this.plan.holonomic.filter((x) => x).length;
    return Array.from(this.call("closure", this.plan.t0, q, this.residual).subarray(0, count));
  }

  rate(y) {
    return Array.from(this.call("rate", this.plan.t0, y, this.residual));
  }

  slopes(y) {
    return rowsOf(this.call("slopes", this.plan.t0, y, this.psi), this.plan.equations, this.plan.nv);
  }

  mass(y) {
    return rowsOf(this.call("mass", this.plan.t0, y, this.masses), this.plan.nv, this.plan.nv);
  }

  /** The configuration after a unit of time at speeds x. */
  integrateSpeeds(q, x) {
    const rates = this.call("along", this.plan.t0, [...q, ...x], this.rates, this.u), result = q.map((v, k) => v + rates[k]);
    for (const first of this.plan.quaternions) {  // a quaternion rotates about its axis by the length of its rate
      const half = Math.hypot(...rates.subarray(first, first + 4)), c = Math.cos(half), s = half > 1e-150 ? Math.sin(half) / half : 1;
      const rotated = [0, 1, 2, 3].map((k) => c * q[first + k] + s * rates[first + k]), size = Math.hypot(...rotated);
      rotated.forEach((v, k) => (result[first + k] = v / size));
    }
    return result;
  }

  /** Let the controller put its torques into u. */
  askController(t, y) {
    this.time[0] = t;
    this.state.set(y);
    this.x.ask(this.time.byteOffset, this.state.byteOffset, this.u.byteOffset);
  }

  /** Accelerations, multipliers, and what holds each speed. */
  respond(t, y) {
    if (this.plan.asks) this.askController(t, y);
    const { nv } = this.plan, response = this.call("respond", t, y, this.response, this.u);
    return { qdd: Array.from(response.subarray(0, nv)), holding: Array.from(response.subarray(this.plan.responses - nv)) };
  }
}
