// Where a motion begins: loops closed by Newton's method, in the assembly in which the recorded motion began, and speeds that
// keep them so. The same steps as in Python's `configuration.continuation` and `configuration.speeds`.

const CLOSED_TOLERANCE = 1e-12, RESIDUAL_TOLERANCE = 1e-14, STEP_TOLERANCE = 1e-8, EXACT_TOLERANCE = 1e-15;
const ROUNDED_TOLERANCE = 1e-6, WRAPPED_TOLERANCE = 1e-9, MAX_STEP = 1, MAX_CHANGE = 0.5, MAX_ITERATIONS = 6, MIN_PART = 0.01;

class Start {
  constructor(program) {
    this.program = program;
    const { plan } = program;
    this.held = plan.begin.held;
  }

  /** The state that a motion begins with; or a text that says why there is none. */
  state(values) {
    const { program } = this, { plan } = program, { nq } = plan;
    program.put(values);
    let y = program.described();
    let closed = y.slice(0, nq);
    if (plan.equations && plan.holonomic.some((x) => x)) {
      const own = y.slice(0, nq);
      const q = plan.begin.complete ? this.complete(own) : this.reached(this.from(y), y, this.held, values) || this.anew(own);
      if (!q) return this.told();
      closed = q;
      y = [...q, ...y.slice(nq)];
    }
    const moved = program.changed(values, "q0");
    for (const x of moved) y[x.coordinate] = x.now;
    if (moved.length && plan.equations) {
      const q = this.reached(closed, y, moved.map((x) => [x.coordinate, x.speed]), values, false);
      if (!q) return this.told();
      y = [...q, ...y.slice(nq)];
    }
    const speeds = program.changed(values, "qd0");
    for (const x of speeds) y[nq + x.speed] = x.now;
    return plan.equations ? this.withSpeeds(y, [...plan.begin.fixed, ...speeds.map((x) => x.speed)]) : y;
  }

  /** Where the recorded motion began; of ball and free joints, of which nothing is held, with what is given. */
  from(y) {
    const { plan } = this.program, q = plan.y.slice(0, plan.nq);
    for (const place of plan.begin.said) q[place] = y[place];
    return q;
  }

  told() {
    return "the loops do not close with these values";
  }

  /** A start that follows the parameters as a whole: it must close the loops, but for rounding. */
  complete(q) {
    const miss = largest(this.program.closure(q));
    if (miss <= EXACT_TOLERANCE) return q;
    if (!(miss <= ROUNDED_TOLERANCE)) return null;
    const found = this.newton(q, [], 30, Infinity);
    return found && found.miss <= CLOSED_TOLERANCE ? found.q : null;
  }

  /** The loops closed from where the description has them, if what it gives leaves no choice between assemblies: on the straight
   * way there from the recorded start, they may not close. */
  anew(q) {
    const { nv, equations } = this.program.plan;
    if (this.held.length < nv - equations) return null;
    const found = this.newton(q, this.held.map((x) => x[1]), 30, Infinity);
    return found && found.miss <= CLOSED_TOLERANCE ? found.q : null;
  }

  /** From a closed configuration the one in which some coordinates have their values, and the parameters theirs.
   *
   * Whole turns are not gone, unless an equation counts them, as that of a pair of gears does. */
  reached(from, y, held, values, parameters = true) {
    const { program } = this, { periodic } = program.plan;
    const begin = held.map(([place]) => from[place]), targets = held.map(([place]) => y[place]);
    const turns = held.map(([place], k) => (periodic.includes(place) ? Math.round((targets[k] - begin[k]) / (2 * Math.PI)) : 0));
    const q = this.gone(from, begin, targets.map((x, k) => x - 2 * Math.PI * turns[k]), held, values, parameters);
    if (!q) return null;
    held.forEach(([place], k) => (q[place] = targets[k]));
    return largest(program.closure(q)) > WRAPPED_TOLERANCE ? this.gone(from, begin, targets, held, values, parameters) : q;
  }

  /** The same along the straight way of the coordinates that are held. */
  gone(from, begin, goals, held, values, parameters) {
    const { program } = this;
    const way = goals.map((x, k) => x - begin[k]), longest = largest(way);
    const least = MIN_PART / Math.max(longest, 1);
    let q = from.slice(), done = 0, size = Math.min(1, MAX_CHANGE / Math.max(longest, 1e-300));
    while (done < 1 && size >= least) {
      const part = done + 1.01 * size >= 1 ? 1 : done + size;
      const trial = q.slice();
      held.forEach(([place], k) => (trial[place] = part === 1 ? goals[k] : begin[k] + part * way[k]));
      if (parameters) program.put(program.between(values, part));
      const found = this.newton(trial, held.map((x) => x[1]), MAX_ITERATIONS, MAX_CHANGE);
      const taken = found && found.miss <= CLOSED_TOLERANCE && found.way <= MAX_CHANGE;
      if (taken) {
        q = found.q;
        done = part;
      }
      size *= taken ? 2 : 0.5;
    }
    program.put(values);
    return done === 1 ? q : null;
  }

  /** Newton's method without damping; `fixed` are speeds that may not change. */
  newton(q, fixed, iterations, reach) {
    const { program } = this, { plan } = program;
    let at = q.slice(), r = program.closure(at), size = 1, way = 0;
    for (let k = 0; k < iterations && largest(r) > RESIDUAL_TOLERANCE * size; k++) {
      const A = program.slopes(at).filter((_, i) => plan.holonomic[i]);
      size = Math.max(1, ...A.map(largest));
      for (const row of A) for (const j of fixed) row[j] = 0;
      let x = smallest(A, r.map((v) => -v));
      const long = largest(x);
      if (long > MAX_STEP) x = x.map((v) => (v * MAX_STEP) / long);
      at = program.moved(at, x);
      r = program.closure(at);
      way += Math.min(long, MAX_STEP);
      if (!r.every(Number.isFinite)) return null;
      if (long < STEP_TOLERANCE || way > reach) break;
    }
    return { q: at, miss: largest(r) / size, way };
  }

  /** The speeds that keep all constraints and are nearest to those given, as the mass matrix measures it. */
  withSpeeds(y, fixed) {
    const { program } = this, { nq, nv } = program.plan;
    const rate = program.rate(y), off = largest(rate);
    if (off <= EXACT_TOLERANCE) return y;
    const size = 1 + Math.max(...program.slopes(y).map(largest)) * largest(y.slice(nq));
    if (!fixed.length && !program.plan.begin.finds && off > ROUNDED_TOLERANCE * size) fixed = program.plan.begin.driven;  // other lengths: those of the motors stay
    const free = Array.from({ length: nv }, (_, k) => k).filter((k) => !fixed.includes(k));
    const M = program.mass(y), psi = program.slopes(y);
    const L = cholesky(free.map((i) => free.map((j) => M[i][j])));
    const half = psi.map((row) => forward(L, free.map((k) => row[k])));
    const x = backward(L, smallest(half, rate.map((v) => -v)));
    const found = y.slice();
    free.forEach((k, i) => (found[nq + k] += x[i]));
    const left = largest(program.rate(found)), allowed = 1e-9 * (1 + Math.max(...psi.map(largest)) * largest(found.slice(nq)));
    return left <= allowed ? found : "no speeds keep the constraints with these values";
  }
}
