// Where a motion begins: loops closed by Newton's method, in the assembly in which the recorded motion began, and speeds that
// keep them so. The same steps as in Python's `configuration.continuation` and `configuration.speeds`.

const CLOSED_TOLERANCE = 1e-12, RESIDUAL_TOLERANCE = 1e-14, STEP_TOLERANCE = 1e-8, EXACT_TOLERANCE = 1e-15;
const ROUNDED_TOLERANCE = 1e-6, WRAPPED_TOLERANCE = 1e-9, MAX_STEP = 1, MAX_CHANGE = 0.5, MAX_ITERATIONS = 6, MIN_PART = 0.01;

class Start {
  constructor(program) {
    this.program = program;
    const { plan } = program;
    this.fixed = plan.begin.fixed_coordinates;
  }

  /** The state that a motion begins with; or a text that says why there is none. */
  state(values) {
    const { program } = this, { plan } = program, { nq } = plan;
    program.put(values);
    let y = program.describedStart();
    let closed = y.slice(0, nq);
    if (plan.equations && plan.holonomic.some((x) => x)) {
      const described = y.slice(0, nq);
      const q = plan.begin.closes_by_itself ? this.polish(described) : this.follow(this.recordedStart(y), y, this.fixed, values) || this.closeAnew(described);
      if (!q) return this.openLoops();
      closed = q;
      y = [...q, ...y.slice(nq)];
    }
    const changed = program.changed(values, "q0");
    for (const x of changed) y[x.coordinate] = x.now;
    if (changed.length && plan.equations) {
      const q = this.follow(closed, y, changed.map((x) => [x.coordinate, x.speed]), values, false);
      if (!q) return this.openLoops();
      y = [...q, ...y.slice(nq)];
    }
    const speeds = program.changed(values, "qd0");
    for (const x of speeds) y[nq + x.speed] = x.now;
    return plan.equations ? this.withSpeeds(y, [...plan.begin.fixed_speeds, ...speeds.map((x) => x.speed)]) : y;
  }

  /** Where the recorded motion began; ball and free joints, of which nothing is fixed, have what the description gives. */
  recordedStart(y) {
    const { plan } = this.program, q = plan.y.slice(0, plan.nq);
    for (const place of plan.begin.described_coordinates) q[place] = y[place];
    return q;
  }

  openLoops() {
    return "the loops do not close with these values";
  }

  /** A start that follows the parameters as a whole: it must close the loops, but for rounding. */
  polish(q) {
    const violation = maxAbs(this.program.closure(q));
    if (violation <= EXACT_TOLERANCE) return q;
    if (!(violation <= ROUNDED_TOLERANCE)) return null;
    const solution = this.newton(q, [], 30, Infinity);
    return solution && solution.violation <= CLOSED_TOLERANCE ? solution.q : null;
  }

  /** The loops closed from where the description has them, if what it gives leaves no choice between assemblies: on the straight
   * path there from the recorded start, they may not close. */
  closeAnew(q) {
    const { nv, equations } = this.program.plan;
    if (this.fixed.length < nv - equations) return null;
    const solution = this.newton(q, this.fixed.map((x) => x[1]), 30, Infinity);
    return solution && solution.violation <= CLOSED_TOLERANCE ? solution.q : null;
  }

  /** From a closed configuration the one in which some coordinates have their values, and the parameters theirs.
   *
   * Whole turns are left out, unless an equation counts them, as that of a pair of gears does. */
  follow(start, y, leading, values, parameters = true) {
    const { program } = this, { periodic } = program.plan;
    const begin = leading.map(([place]) => start[place]), targets = leading.map(([place]) => y[place]);
    const turns = leading.map(([place], k) => (periodic.includes(place) ? Math.round((targets[k] - begin[k]) / (2 * Math.PI)) : 0));
    const q = this.followStraight(start, begin, targets.map((x, k) => x - 2 * Math.PI * turns[k]), leading, values, parameters);
    if (!q) return null;
    leading.forEach(([place], k) => (q[place] = targets[k]));
    return maxAbs(program.closure(q)) > WRAPPED_TOLERANCE ? this.followStraight(start, begin, targets, leading, values, parameters) : q;
  }

  /** The same along the straight path of the leading coordinates. */
  followStraight(start, begin, goals, leading, values, parameters) {
    const { program } = this;
    const path = goals.map((x, k) => x - begin[k]), longest = maxAbs(path);
    const minStep = MIN_PART / Math.max(longest, 1);
    let q = start.slice(), done = 0, step = Math.min(1, MAX_CHANGE / Math.max(longest, 1e-300));
    while (done < 1 && step >= minStep) {
      const part = done + 1.01 * step >= 1 ? 1 : done + step;
      const trial = q.slice();
      leading.forEach(([place], k) => (trial[place] = part === 1 ? goals[k] : begin[k] + part * path[k]));
      if (parameters) program.put(program.between(values, part));
      const solution = this.newton(trial, leading.map((x) => x[1]), MAX_ITERATIONS, MAX_CHANGE);
      const accepted = solution && solution.violation <= CLOSED_TOLERANCE && solution.distance <= MAX_CHANGE;
      if (accepted) {
        q = solution.q;
        done = part;
      }
      step *= accepted ? 2 : 0.5;
    }
    program.put(values);
    return done === 1 ? q : null;
  }

  /** Newton's method without damping; `fixed` are speeds that may not change. */
  newton(start, fixed, iterations, maxDistance) {
    const { program } = this, { plan } = program;
    let q = start.slice(), r = program.closure(q), size = 1, distance = 0;
    for (let k = 0; k < iterations && maxAbs(r) > RESIDUAL_TOLERANCE * size; k++) {
      const A = program.slopes(q).filter((_, i) => plan.holonomic[i]);
      size = Math.max(1, ...A.map(maxAbs));
      for (const row of A) for (const j of fixed) row[j] = 0;
      let x = minimumNorm(A, r.map((v) => -v));
      const length = maxAbs(x);
      if (length > MAX_STEP) x = x.map((v) => (v * MAX_STEP) / length);
      q = program.integrated(q, x);
      r = program.closure(q);
      distance += Math.min(length, MAX_STEP);
      if (!r.every(Number.isFinite)) return null;
      if (length < STEP_TOLERANCE || distance > maxDistance) break;
    }
    return { q, violation: maxAbs(r) / size, distance };
  }

  /** The speeds that keep all constraints and are nearest to those given, as the mass matrix measures it. */
  withSpeeds(y, fixed) {
    const { program } = this, { nq, nv } = program.plan;
    const rate = program.rate(y), violation = maxAbs(rate);
    if (violation <= EXACT_TOLERANCE) return y;
    const size = 1 + Math.max(...program.slopes(y).map(maxAbs)) * maxAbs(y.slice(nq));
    if (!fixed.length && !program.plan.begin.finds_speeds && violation > ROUNDED_TOLERANCE * size) fixed = program.plan.begin.actuated_speeds;  // other lengths: those of the motors stay
    const free = Array.from({ length: nv }, (_, k) => k).filter((k) => !fixed.includes(k));
    const M = program.mass(y), psi = program.slopes(y);
    const L = cholesky(free.map((i) => free.map((j) => M[i][j])));
    const half = psi.map((row) => solveLower(L, free.map((k) => row[k])));
    const x = solveUpper(L, minimumNorm(half, rate.map((v) => -v)));
    const result = y.slice();
    free.forEach((k, i) => (result[nq + k] += x[i]));
    const remaining = maxAbs(program.rate(result)), allowed = 1e-9 * (1 + Math.max(...psi.map(maxAbs)) * maxAbs(result.slice(nq)));
    return remaining <= allowed ? result : "no speeds keep the constraints with these values";
  }
}
