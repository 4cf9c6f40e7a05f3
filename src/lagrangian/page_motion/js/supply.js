// What changes at certain times of a run: the side of what jumps, and torques from a table. As Python's `motion.run.supply`.

class Supply {
  constructor(program) {
    this.program = program;
    this.breaks = program.plan.breaks;
  }

  begin() {
    this.samples = [];
  }

  /** Set the inputs that hold from a time on; until when they do. */
  fromNow(t) {
    const { plan, u } = this.program, { nv } = plan;
    const next = this.breaks.find(([at]) => at > t);
    const jump = next ? next[0] : Infinity;
    u[plan.u.latest] = plan.asks || plan.sampled ? (next && plan.asks ? next[1] : Infinity) : 0;
    u[plan.u.decided] = 0.5 * (t + Math.min(jump, plan.end));
    if (plan.table) return Math.min(jump, this.fromTable(t, nv));
    return plan.sampled ? Math.min(jump, this.sample(t, nv)) : jump;
  }

  /** A controller that is asked every period; its torques are held, and act after a delay. */
  sample(t, nv) {
    const { program } = this, { plan, u, y } = program, { period, delay } = plan.sampled, late = 1e-9 * period;
    const k = Math.floor((t - plan.t0) / period + 1e-9);
    if (k >= this.samples.length) {
      program.ask(t, y);
      this.samples.push([t, Array.from(u.subarray(0, nv))]);
    }
    const recent = this.samples.slice(-2 - Math.floor(Math.min(delay / period, 1e9)));
    const acting = recent.filter(([at]) => at + delay <= t + late), due = recent.map(([at]) => at + delay).filter((at) => at > t + late);
    u.set(acting.length ? acting[acting.length - 1][1] : new Array(nv).fill(0), 0);
    return Math.min(plan.t0 + (k + 1) * period, ...due);
  }

  fromTable(t, nv) {
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
