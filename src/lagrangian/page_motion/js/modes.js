// The modes of joints with dry friction or limits: stuck, sliding, at a stop. The steps are those of Python's `motion.run.modes`,
// `rest` and `impacts`, and so are most names, for mechanisms without loops. Between two events a mode is fixed, and the
// equations are smooth.

const HELD = 0, STUCK = 1, LOW = 2, HIGH = 3, SLIP = 4, WAY = 5, ALLOWED = 6, PER_JOINT = 7;
const TOUCH = 1e-12, AHEAD = 1e-9, AT_END = 1e-6, EDGE = 1e-10, ROUNDING = 1e-12, RANK = 1e-9;
const STILL = 1e-3, IMPACTS = 1000;

class Modes {
  constructor(program) {
    this.program = program;
    this.joints = program.plan.holdable;
    this.rest = program.plan.rest;
    this.hardest = 0;  // the fastest impact so far
  }

  begin() {
    this.hardest = 0;
    this.settle(this.program.s[T]);
  }

  // -- what u says -------------------------------------------------------------------------------------------------------

  place(j, what) {
    return this.program.plan.u.joints + PER_JOINT * j + what;
  }

  is(j, what) {
    return this.program.u[this.place(j, what)] > 0.5;
  }

  set(j, values = {}) {
    const { u } = this.program, at = this.place(j, 0);
    u.fill(0, at, at + PER_JOINT);
    for (const what in values) u[at + Number(what)] = values[what];
  }

  way(j) {
    return this.program.u[this.place(j, WAY)];
  }

  side(j) {
    return this.is(j, LOW) ? LOW : this.is(j, HIGH) ? HIGH : 0;
  }

  bound(j, side) {
    return side === LOW ? this.joints[j].lower : this.joints[j].upper;
  }

  speed(j) {
    return this.program.y[this.program.plan.nq + this.joints[j].speed];
  }

  /** The friction of a joint that slides. */
  sliding(j, way) {
    const [positive, negative] = this.joints[j].friction || [0, 0];
    return way > 0 ? positive : -negative;
  }

  slip(j, way, allowed = 0) {
    this.set(j, { [SLIP]: this.sliding(j, way), [WAY]: way, [ALLOWED]: allowed });
  }

  /** The limit at which a joint is: LOW, HIGH, or 0. */
  touches(j) {
    const at = this.program.y[this.joints[j].coordinate];
    for (const side of [LOW, HIGH]) {
      const bound = this.bound(j, side);
      if (bound !== null && Math.abs(at - bound) <= TOUCH * (1 + Math.abs(bound))) return side;
    }
    return this.side(j);
  }

  // -- what is at rest ---------------------------------------------------------------------------------------------------

  /** Decide which joints at rest stay, and how the others begin to move. What holds the joint `passed` has come to its end. */
  settle(t, passed = -1) {
    this.decide(t, passed);
    const ended = this.lowFlights(t);
    if (ended.length) {
      this.still(ended);
      this.decide(t, -1);
    }
  }

  decide(t, passed) {
    const resting = [], sides = [];
    this.joints.forEach((h, j) => {
      const pace = Math.abs(this.speed(j)), side = this.touches(j);
      if (pace <= this.rest && (side || h.friction)) {
        resting.push(j);
        sides.push(side);
      } else if (h.friction) this.slip(j, Math.sign(this.speed(j)));
      else this.set(j);
    });
    if (resting.length) new Rest(this, t, resting, sides, passed).decide();
  }

  /** Joints that leave their stops so slowly that they would not come clear of them. */
  lowFlights(t) {
    const leaving = this.joints.map((_, j) => j).filter((j) => this.touches(j) && Math.abs(this.speed(j)) > this.rest);
    if (!leaving.length) return [];
    const { qdd } = this.program.respond(t, this.program.y);
    return leaving.filter((j) => {
      const side = this.touches(j), outward = side === LOW ? 1 : -1, v = this.speed(j), back = qdd[this.joints[j].speed];
      return outward * v > 0 && outward * back < 0 && v * v < 2 * Math.abs(back) * TOUCH * (1 + Math.abs(this.bound(j, side)));
    });
  }

  /** Set the remaining speeds of joints that are held, and of others, to zero. */
  still(others = []) {
    const { program } = this, { nq, nv } = program.plan, { y } = program;
    const still = [...this.joints.map((_, j) => j).filter((j) => this.is(j, HELD)), ...others];
    if (!still.some((j) => this.speed(j))) return;
    const L = cholesky(program.mass(y));
    const half = still.map((j) => forwardSubstitute(L, unit(nv, this.joints[j].speed)));
    const x = backwardSubstitute(L, minimumNormSolution(half, still.map((j) => -this.speed(j))));
    x.forEach((v, k) => (y[nq + k] += v));
    for (const j of still) y[nq + this.joints[j].speed] = 0;
  }

  // -- events ------------------------------------------------------------------------------------------------------------

  /** The message for a joint that meets its limit; "" for any other event. */
  limitMessage(event) {
    if (!("joint" in event) || (event.what !== LOW && event.what !== HIGH) || this.side(event.joint)) return "";
    return `${this.joints[event.joint].name} meets its ${event.what === LOW ? "lower" : "upper"} limit`;
  }

  handleEvents(entries, t) {
    const atLimits = entries.filter((x) => this.limitMessage(x));
    if (!atLimits.length) return this.settle(t, entries[0].joint);
    const at = new Map(atLimits.map((x) => [x.joint, x.what]));
    this.joints.forEach((_, j) => {
      const side = at.has(j) ? 0 : this.touches(j);
      if (side && (side === LOW ? -1 : 1) * this.speed(j) > this.rest) at.set(j, side);
    });
    for (const [j, side] of at) this.program.y[this.joints[j].coordinate] = this.bound(j, side);
    this.impact();
    this.settle(t);
  }

  /** Apply the impulses of stops to the speeds, by Moreau's law. */
  impact() {
    const { program, rest } = this, { plan, y } = program, { nq, restitution } = plan, speeds = () => y.subarray(nq);
    const stops = this.joints.map((_, j) => j).filter((j) => this.touches(j));
    const L = cholesky(program.mass(y)), fast = massNorm(L, speeds());
    const { columns, size } = unitColumns(L, stops.map((j) => this.joints[j].speed));
    const sides = stops.map((j) => this.touches(j)), inwards = sides.map((side) => (side === LOW ? -1 : 1));
    const low = sides.map((side) => (side === LOW ? 0 : -Infinity)), high = sides.map((side) => (side === LOW ? Infinity : 0));
    const at = stops.map((j) => nq + this.joints[j].speed);
    let tiny = [];
    for (let turn = 0; turn < IMPACTS; turn++) {
      const before = at.map((k) => y[k]), hard = Math.max(...before.map((v, k) => inwards[k] * v));
      this.hardest = Math.max(this.hardest, hard);
      const bounces = restitution * hard > Math.max(rest, STILL * this.hardest) && turn < IMPACTS - 1, e = bounces ? restitution : 0;
      tiny = size.map(() => ROUNDING * Math.max(fast, massNorm(L, speeds())));
      const { s } = solveComplementarity(columns, before.map((v, k) => ((1 + e) * v) / size[k]), low, high, before.map(() => 0), tiny);
      backwardSubstitute(L, combineColumns(columns, s)).forEach((v, k) => (y[nq + k] += v));
      at.forEach((k, i) => s[i] && (y[k] = -e * before[i]));
      if (!bounces) break;
    }
    at.forEach((k, i) => {
      const left = inwards[i] * y[k];
      if (left > 0 && left <= tiny[i] * size[i]) y[k] = 0;
    });
  }
}

const unit = (n, k) => Array.from({ length: n }, (_, i) => (i === k ? 1 : 0));
const combineColumns = (columns, s) => columns[0].map((_, i) => columns.reduce((sum, column, k) => sum + column[i] * s[k], 0));

/** The length of speeds, or accelerations, as the mass matrix M = L L^T measures it. */
function massNorm(L, x) {
  return norm(L.map((_, i) => L.reduce((sum, row, k) => sum + row[i] * x[k], 0)));
}

/** How forces at some speeds move the mechanism: columns L^-1 e_k, divided by their lengths, and these lengths. */
function unitColumns(L, speeds) {
  const columns = speeds.map((k) => forwardSubstitute(L, unit(L.length, k))), size = columns.map(norm);
  return { columns: columns.map((x, k) => x.map((v) => v / size[k])), size };
}

/** The joints at rest, all together; lists go by their number among these. */
class Rest {
  constructor(modes, now, resting, sides, passed) {
    Object.assign(this, { modes, now, resting, sides });
    const { program } = modes, { y, u } = program;
    this.t = now + AHEAD * Math.max(Math.abs(now), 1e-3);  // a torque that jumps just now counts as after the jump
    this.joints = resting.map((j) => modes.joints[j]);
    const speeds = this.joints.map((h) => h.speed), held = program.respond(this.t, y).holding;
    this.last = resting.indexOf(passed);
    this.letGo = this.last >= 0 && modes.side(passed) !== 0;
    this.loose = new Set(resting.map((_, k) => k).filter((k) => modes.way(resting[k])));  // they have only just begun to slide
    this.before = resting.map((j, k) => held[speeds[k]] - (modes.is(j, STUCK) ? u[modes.place(j, SLIP)] : 0));
    for (const j of resting) modes.set(j);
    const { qdd } = program.respond(this.t, y), L = cholesky(program.mass(y));
    Object.assign(this, unitColumns(L, speeds));
    this.low = this.joints.map((h, k) => (sides[k] === HIGH ? -Infinity : -(h.static || [0, 0])[0]));
    this.high = this.joints.map((h, k) => (sides[k] === LOW ? Infinity : (h.static || [0, 0])[1]));
    const rounding = 2 * ROUNDING * massNorm(L, qdd);
    this.tiny = this.joints.map((h, k) => (0.25 * EDGE * this.size[k] * ((h.static || [0, 0])[0] + (h.static || [0, 0])[1])) / 2 + rounding);
    this.w = speeds.map((v, k) => qdd[v] / this.size[k]);
    this.noPush = this.tiny.map((x, k) => x / this.size[k]);
  }

  decide() {
    const { modes, resting, joints } = this, all = resting.map((_, k) => k), ways = new Map();
    let s, a, staying, ending;
    for (;;) {
      ({ s, a, staying } = this.forces(ways));
      if (this.letGo && this.canHold(this.last, s[this.last])) this.sides[this.last] = 0;  // from its stop to its friction
      ending = staying.filter((k) => this.ends(k, s));
      const more = all.filter((k) => this.unequal(k) && !ways.has(k) && (!staying.includes(k) || ending.includes(k)));
      if (!more.length) break;
      for (const k of more) ways.set(k, this.way(k, s, a, staying));
    }
    for (const k of all) {
      if (staying.includes(k) && !ending.includes(k)) this.stay(k, s[k]);
      else if (joints[k].friction) {
        const way = ways.has(k) ? ways.get(k) : this.way(k, s, a, staying);
        modes.slip(resting[k], way, Math.max(0, -2 * way * modes.speed(resting[k])));
      }
    }
    modes.still();
    this.allow();
  }

  /** Whether a joint's friction at rest is another than that of sliding. */
  unequal(k) {
    const { friction, static: still } = this.joints[k];
    return friction !== null && (friction[0] !== still[0] || friction[1] !== still[1]);
  }

  /** Forces, accelerations, and who stays at rest; of joints that slide the way is known. */
  forces(ways) {
    const { size, tiny } = this, low = this.low.map((x, k) => x * size[k]), high = this.high.map((x, k) => x * size[k]);
    for (const [k, way] of ways) low[k] = high[k] = -this.modes.sliding(this.resting[k], way) * size[k];
    const solution = solveComplementarity(this.columns, this.w, low, high, clip(this.before.map((x, k) => x * size[k]), low, high), tiny);
    const staying = size.map((_, k) => k).filter((k) => !ways.has(k) && Math.abs(solution.a[k]) <= tiny[k]);
    return { s: solution.s.map((x, k) => x / size[k]), a: solution.a, staying };
  }

  room(k, s) {
    return Math.min(s[k] - this.low[k], this.high[k] - s[k]);
  }

  /** Whether what holds a joint has come to its end: all of its friction is used, or its stop does not push. */
  ends(k, s) {
    const { sides } = this, { static: still } = this.joints[k];
    if (this.letGo && sides[k] && !still && Math.abs(s[k]) <= this.noPush[k] && this.movesWithLast(k)) return true;
    if (k !== this.last && !this.loose.has(k)) return false;
    return still ? this.room(k, s) <= AT_END * (still[0] + still[1]) : sides[k] !== 0;
  }

  movesWithLast(k) {
    return Math.abs(dot(this.columns[k], this.columns[this.last])) >= 1 - RANK;
  }

  canHold(k, force) {
    const { static: still } = this.joints[k];
    return still !== null && -still[0] <= force && force <= still[1];
  }

  way(k, s, a, staying) {
    const up = staying.includes(k) ? s[k] - this.low[k] < this.high[k] - s[k] : a[k] > 0;
    return up ? 1 : -1;
  }

  /** A joint stays at rest: at its stop if that pushes, by friction otherwise. */
  stay(k, force) {
    const { modes, sides, joints } = this, j = this.resting[k], side = sides[k];
    const pushes = joints[k].friction ? (side === LOW && force > 0) || (side === HIGH && force < 0) : side !== 0;
    if (pushes) modes.set(j, { [HELD]: 1, [side]: 1, [ALLOWED]: this.noPush[k] });
    else modes.set(j, { [HELD]: 1, [STUCK]: 1 });
  }

  /** Until a torque jumps that was taken into account ahead of time, a joint may move the wrong way without an event. */
  allow() {
    const { modes } = this, { program } = modes, slipping = this.resting.filter((j) => modes.way(j));
    if (!slipping.length) return;
    const { qdd } = program.respond(this.now, program.y);
    for (const j of slipping)
      program.u[modes.place(j, ALLOWED)] += Math.max(0, -2 * modes.way(j) * qdd[modes.joints[j].speed] * (this.t - this.now));
  }
}
