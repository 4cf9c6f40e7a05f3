// A module with its arrays: what its functions are given, and what they give. The places are those of `motion.solver.places`.

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
      found: plan.room * (n + 2), p: plan.inputs.length, numbers: plan.numbers.size, time: 1, state: n, rates: n,
      matrices: 12 * (plan.frames - 1), forces: plan.outputs, energies: 4, residual: equations, psi: equations * nv,
      masses: nv * nv, response: plan.responses, projected: 2 * n + 2, arrows: 6 * plan.arrows.length,
    };
    const whole = { c: COUNTERS, kinds: PER_EVENT * plan.events.length };
    const memory = new Memory(exports, 64 + Memory.room([...Object.values(reals), ...Object.values(whole)]));
    for (const name in reals) this[name] = memory.reals(reals[name]);
    for (const name in whole) this[name] = memory.whole(whole[name]);
    const step = (plan.end - plan.t0) / (rows - 1);  // as numpy's linspace rounds
    for (let k = 0; k < rows; k++) this.grid[k] = k === rows - 1 ? plan.end : plan.t0 + k * step;
    this.nominal = plan.inputs.map((x) => x.value);
  }

  /** Let the module read these inputs: parameters first, then gains, as it knows them. */
  put(values) {
    const { plan, p, numbers, x } = this;
    [...plan.parameters, ...plan.gains].forEach((k, i) => (p[i] = values[k]));
    x.numbers(p.byteOffset, numbers.byteOffset);
    x.prepare(numbers.byteOffset);
  }

  /** Inputs on the way from those of the recorded motion to others. */
  between(values, part) {
    return values.map((x, k) => (part === 1 ? x : this.nominal[k] + part * (x - this.nominal[k])));
  }

  /** What the reader has changed of where it begins: "q0" or "qd0". */
  changed(values, kind) {
    const inputs = this.plan.inputs.map((x, k) => ({ ...x, now: values[k] }));
    return inputs.filter((x) => x.kind === kind && x.now !== x.value);
  }

  /** The start of the description. */
  describedStart() {
    this.x.start(this.p.byteOffset, this.state.byteOffset);
    return Array.from(this.state);
  }

  /** A function of time and state, which reads the inputs of the page, or `u`. */
  call(name, t, state, output, inputs = this.p) {
    this.time[0] = t;
    this.state.set(state);
    this.x[name](this.time.byteOffset, this.state.byteOffset, inputs.byteOffset, output.byteOffset);
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
    return matrixRows(this.call("slopes", this.plan.t0, y, this.psi), this.plan.equations, this.plan.nv);
  }

  mass(y) {
    return matrixRows(this.call("mass", this.plan.t0, y, this.masses), this.plan.nv, this.plan.nv);
  }

  /** The configuration that is reached by speeds x in a unit of time. */
  integrated(q, x) {
    const rates = this.call("along", this.plan.t0, [...q, ...x], this.rates, this.u), result = q.map((v, k) => v + rates[k]);
    for (const first of this.plan.quaternions) {  // they turn about their axis by its length
      const half = Math.hypot(...rates.subarray(first, first + 4)), c = Math.cos(half), s = half > 1e-150 ? Math.sin(half) / half : 1;
      const turned = [0, 1, 2, 3].map((k) => c * q[first + k] + s * rates[first + k]), size = Math.hypot(...turned);
      turned.forEach((v, k) => (result[first + k] = v / size));
    }
    return result;
  }

  /** Let the controller put its torques into u. */
  ask(t, y) {
    this.time[0] = t;
    this.state.set(y);
    this.x.ask(this.time.byteOffset, this.state.byteOffset, this.u.byteOffset);
  }

  /** Accelerations, multipliers, and what holds each speed. */
  respond(t, y) {
    if (this.plan.asks) this.ask(t, y);
    const { nv } = this.plan, response = this.call("respond", t, y, this.response, this.u);
    return { qdd: Array.from(response.subarray(0, nv)), holding: Array.from(response.subarray(this.plan.responses - nv)) };
  }
}
