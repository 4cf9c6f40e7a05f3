// Where a motion begins: loops closed by Newton's method, in the assembly mode of the recorded motion, and speeds that keep them
// closed. The same steps as in Python's `configuration.continuation` and `configuration.speeds`.

const CLOSED_TOLERANCE = 1e-12, RESIDUAL_TOLERANCE = 1e-14, STEP_TOLERANCE = 1e-8, EXACT_TOLERANCE = 1e-15;
const ROUNDED_TOLERANCE = 1e-6, WRAPPED_TOLERANCE = 1e-9, MAX_STEP = 1, MAX_CHANGE = 0.5, MAX_ITERATIONS = 6, MIN_PART = 0.01;

const OPEN_LOOPS = "the loops do not close with these values";

class Start {
  constructor(program) {
    this.program = program;
    const { plan } = program;
    this.fixed = plan.begin.fixed_coordinates;  // each with its indices in q and qd
  }

  /** The state in which a motion begins, or a text that says why there is none. */
  initialState(values) {
    const { program } = this, { plan } = program, { nq } = plan;
    program.setInputs(values);
    let y = program.describedState();
    let closed = y.slice(0, nq);
    if (plan.equations && plan.holonomic.some((x) => x)) {
      const described = y.slice(0, nq);
      const q = plan.begin.closes_by_itself ? this.closeDescribed(described) : this.followTo(this.recordedStart(y), y, this.fixed, values) || this.closeWithFixed(described);
      if (!q) return OPEN_LOOPS;
      closed = q;
      y = [...q, ...y.slice(nq)];
    }
    const moved = program.changedInputs(values, "q0");
    for (const x of moved) y[x.coordinate] = x.now;
    if (moved.length && plan.equations) {
      const q = this.followTo(closed, y, moved.map((x) => [x.coordinate, x.speed]), values, false);
      if (!q) return OPEN_LOOPS;
      y = [...q, ...y.slice(nq)];
    }
    const speeds = program.changedInputs(values, "qd0");
    for (const x of speeds) y[nq + x.speed] = x.now;
    return plan.equations ? this.withConsistentSpeeds(y, [...plan.begin.fixed_speeds, ...speeds.map((x) => x.speed)]) : y;
  }

  /** The configuration in which the recorded motion began, with the given coordinates of ball and free joints, which cannot be fixed. */
  recordedStart(y) {
    const { plan } = this.program, q = plan.y.slice(0, plan.nq);
    for (const place of plan.begin.given_coordinates) q[place] = y[place];
    return q;
  }

  /** A described start whose coordinates all follow from the parameters: it must close the loops, up to rounding. */
  closeDescribed(q) {
    const violation = maxAbs(this.program.closure(q));
    if (violation <= EXACT_TOLERANCE) return q;
    if (!(violation <= ROUNDED_TOLERANCE)) return null;
    const solution = this.newton(q, [], 30, Infinity);
    return solution && solution.violation <= CLOSED_TOLERANCE ? solution.q : null;
  }

  /** The loops closed from the described start, if its fixed coordinates leave no freedom: on the straight path from the recorded
   * start, the loops may not close. */
  closeWithFixed(q) {
    const { nv, equations } = this.program.plan;
    if (this.fixed.length < nv - equations) return null;
    const solution = this.newton(q, this.fixed.map((x) => x[1]), 30, Infinity);
    return solution && solution.violation <= CLOSED_TOLERANCE ? solution.q : null;
  }

  /** Follow a closed configuration to that in which some coordinates, and the parameters, have their values.
   *
   * The path leaves whole turns out, unless an equation counts them, as that of a pair of gears does. */
  followTo(from, y, fixed, values, parameters = true) {
    const { program } = this, { periodic } = program.plan;
    const begin = fixed.map(([place]) => from[place]), targets = fixed.map(([place]) => y[place]);
    const turns = fixed.map(([place], k) => (periodic.includes(place) ? Math.round((targets[k] - begin[k]) / (2 * Math.PI)) : 0));
    const q = this.followStraight(from, begin, targets.map((x, k) => x - 2 * Math.PI * turns[k]), fixed, values, parameters);
    if (!q) return null;
    fixed.forEach(([place], k) => (q[place] = targets[k]));
    return maxAbs(program.closure(q)) > WRAPPED_TOLERANCE ? this.followStraight(from, begin, targets, fixed, values, parameters) : q;
  }

  /** The same along a straight path of the fixed coordinates, whole turns included. */
  followStraight(from, begin, targets, fixed, values, parameters) {
    const { program } = this;
    const displacement = targets.map((x, k) => x - begin[k]), longest = maxAbs(displacement);
    const minSize = MIN_PART / Math.max(longest, 1);
    let q = from.slice(), progress = 0, size = Math.min(1, MAX_CHANGE / Math.max(longest, 1e-300));
    while (progress < 1 && size >= minSize) {
      const part = progress + 1.01 * size >= 1 ? 1 : progress + size;
      const trial = q.slice();
      fixed.forEach(([place], k) => (trial[place] = part === 1 ? targets[k] : begin[k] + part * displacement[k]));
      if (parameters) program.setInputs(program.interpolateInputs(values, part));
      const solution = this.newton(trial, fixed.map((x) => x[1]), MAX_ITERATIONS, MAX_CHANGE);
      const accepted = solution && solution.violation <= CLOSED_TOLERANCE && solution.distance <= MAX_CHANGE;
      if (accepted) {
        q = solution.q;
        progress = part;
      }
      size *= accepted ? 2 : 0.5;
    }
    program.setInputs(values);
    return progress === 1 ? q : null;
  }

  /** Newton's method without damping; `fixed` are speeds that may not change. */
  newton(q, fixed, iterations, maxDistance) {
    const { program } = this, { plan } = program;
    let at = q.slice(), r = program.closure(at), size = 1, distance = 0;
    for (let k = 0; k < iterations && maxAbs(r) > RESIDUAL_TOLERANCE * size; k++) {
      const A = program.slopes(at).filter((_, i) => plan.holonomic[i]);
      size = Math.max(1, ...A.map(maxAbs));
      for (const row of A) for (const j of fixed) row[j] = 0;
      let x = minimumNormSolution(A, r.map((v) => -v));
      const length = maxAbs(x);
      if (length > MAX_STEP) x = x.map((v) => (v * MAX_STEP) / length);
      at = program.integrateSpeeds(at, x);
      r = program.closure(at);
      distance += Math.min(length, MAX_STEP);
      if (!r.every(Number.isFinite)) return null;
      if (length < STEP_TOLERANCE || distance > maxDistance) break;
    }
    return { q: at, violation: maxAbs(r) / size, distance };
  }

  /** The speeds that keep all constraints and are nearest to those given, as the mass matrix measures it. */
  withConsistentSpeeds(y, fixed) {
    const { program } = this, { nq, nv } = program.plan;
    const rate = program.rate(y), violation = maxAbs(rate);
    if (violation <= EXACT_TOLERANCE) return y;
    const size = 1 + Math.max(...program.slopes(y).map(maxAbs)) * maxAbs(y.slice(nq));
    if (!fixed.length && !program.plan.begin.finds_speeds && violation > ROUNDED_TOLERANCE * size) fixed = program.plan.begin.actuated_speeds;  // with other lengths, the speeds of motors stay
    const free = Array.from({ length: nv }, (_, k) => k).filter((k) => !fixed.includes(k));
    const M = program.mass(y), psi = program.slopes(y);
    const L = cholesky(free.map((i) => free.map((j) => M[i][j])));
    const half = psi.map((row) => forwardSubstitute(L, free.map((k) => row[k])));
    const x = backwardSubstitute(L, minimumNormSolution(half, rate.map((v) => -v)));
    const state = y.slice();
    free.forEach((k, i) => (state[nq + k] += x[i]));
    const remaining = maxAbs(program.rate(state)), allowed = 1e-9 * (1 + Math.max(...psi.map(maxAbs)) * maxAbs(state.slice(nq)));
    return remaining <= allowed ? state : "no speeds keep the constraints with these values";
  }
}
