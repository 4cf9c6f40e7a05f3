// The inputs of a run that change at certain times: the side of what jumps, and torques from a table or a sampled controller. The
// same steps as in Python's `motion.run.supply`.

class Supply {
  constructor(program) {
    this.program = program;
    this.discontinuities = program.plan.discontinuities;
  }

  begin() {
    this.samples = [];
  }

  /** Set the inputs that hold from a time on, and return the time until which they do. */
  setInputsFrom(t) {
    const { plan, u } = this.program, { nv } = plan;
    const next = this.discontinuities.find(([at]) => at > t);
    const jump = next ? next[0] : Infinity;
    u[plan.u.latest] = plan.asks || plan.sampled ? (next && plan.asks ? next[1] : Infinity) : 0;
    u[plan.u.decision_time] = 0.5 * (t + Math.min(jump, plan.end));
    if (plan.table) return Math.min(jump, this.interpolateTable(t, nv));
    return plan.sampled ? Math.min(jump, this.sampleController(t, nv)) : jump;
  }

  /** Ask a controller every period: its torques act after a delay, and stay the same until the next ones. */
  sampleController(t, nv) {
    const { program } = this, { plan, u, y } = program, { period, delay } = plan.sampled, late = 1e-9 * period;
    const k = Math.floor((t - plan.t0) / period + 1e-9);
    if (k >= this.samples.length) {
      program.askController(t, y);
      this.samples.push([t, Array.from(u.subarray(0, nv))]);
    }
    const recent = this.samples.slice(-2 - Math.floor(Math.min(delay / period, 1e9)));
    const acting = recent.filter(([at]) => at + delay <= t + late), due = recent.map(([at]) => at + delay).filter((at) => at > t + late);
    u.set(acting.length ? acting[acting.length - 1][1] : new Array(nv).fill(0), 0);
    return Math.min(plan.t0 + (k + 1) * period, ...due);
  }

  interpolateTable(t, nv) {
    const { plan, u } = this.program, { times, values } = plan.table, last = times.length - 1;
    let k = last;
    while (k >= 0 && times[k] > t) k--;
    const row = (i) => values.slice(i * nv, (i + 1) * nv);
    if (k < 0 || k >= last) {
      u.set(row(k < 0 ? 0 : last), 0);
      u.fill(0, nv, 2 * nv);
      return k < 0 ? times[0] : Infinity;
    }
    const a = row(k), b = row(k + 1);
    u.set(a, 0);
    u.set(a.map((x, i) => (b[i] - x) / (times[k + 1] - times[k])), nv);
    u[plan.u.since] = times[k];
    return times[k + 1];
  }
}
