// Positions of the pins of a linkage by Newton's method: from the lengths of bars, the lines of sliders and the angles of motors.
// Unknowns are the positions of all pins that are not fixed to the ground; of many solutions it takes the nearest.

export const EXACT_TOLERANCE = 1e-12; // m, the violation at which a length is met
const MAX_STEPS = 40;

const cross = (ax, ay, bx, by) => ax * by - ay * bx;

/** The equations of a drawing with the lengths as drawn, or with those in `lengths` by the names of bars. */
export function system(drawing, lengths = new Map()) {
  const index = new Map(drawing.pins.map((pin, k) => [pin.name, k]));
  const x = new Float64Array(2 * drawing.pins.length);
  drawing.pins.forEach((pin, k) => { x[2 * k] = pin.x; x[2 * k + 1] = pin.y; });
  const fixed = drawing.pins.map((pin) => Boolean(pin.ground));
  const equations = [];
  for (const bar of drawing.bars) equations.push(...barEquations(bar, index, x, lengths.get(bar.name)));
  for (const slider of drawing.sliders) equations.push(sliderEquation(slider, drawing, index, x));
  const motors = drawing.motors.filter((motor) => motor.kind === "speed").map((motor) => motorEquation(motor, drawing, index, x));
  return { index, x, fixed, equations, motors, names: drawing.pins.map((pin) => pin.name) };
}

/** A bar keeps the distance of its first two pins, and carries the others along with them. */
function barEquations(bar, index, x, length) {
  const [i, j, ...others] = bar.pins.map((name) => index.get(name));
  const dx = x[2 * j] - x[2 * i], dy = x[2 * j + 1] - x[2 * i + 1], square = dx * dx + dy * dy;
  const found = [{ kind: "length", i, j, length: length ?? Math.sqrt(square) }];
  const scale = length ? Math.sqrt(square) / length : 1;
  for (const k of others) {
    const px = x[2 * k] - x[2 * i], py = x[2 * k + 1] - x[2 * i + 1];
    const a = (dx * px + dy * py) / square, b = cross(dx, dy, px, py) / square;
    // on a bar that is made longer, what stands beside it keeps its distance from it, and its share along it
    for (const axis of [0, 1]) found.push({ kind: "rigid", i, j, k, a, b: b * scale, axis });
  }
  return found;
}

function sliderEquation(slider, drawing, index, x) {
  const k = index.get(slider.pin);
  if (slider.on === "ground") {
    const nx = -Math.sin(slider.angle), ny = Math.cos(slider.angle);
    return { kind: "line", k, nx, ny, c: nx * x[2 * k] + ny * x[2 * k + 1] };
  }
  const [i, j] = drawing.bars.find((bar) => bar.name === slider.on).pins.map((name) => index.get(name));
  const dx = x[2 * j] - x[2 * i], dy = x[2 * j + 1] - x[2 * i + 1];
  return { kind: "along", i, j, k, off: cross(dx, dy, x[2 * k] - x[2 * i], x[2 * k + 1] - x[2 * i + 1]) / Math.hypot(dx, dy) };
}

/** A direction that a link has: that of two of its pins, or a fixed one. */
function direction(link, drawing, index) {
  const bar = drawing.bars.find((one) => one.name === link);
  if (bar) return { i: index.get(bar.pins[0]), j: index.get(bar.pins[1]) };
  const slider = drawing.sliders.find((one) => `block ${one.pin}` === link);
  return slider && slider.on !== "ground" ? direction(slider.on, drawing, index) : { angle: 0 };
}

const angleOf = (way, x) => way.angle ?? Math.atan2(x[2 * way.j + 1] - x[2 * way.i + 1], x[2 * way.j] - x[2 * way.i]);

function motorEquation(motor, drawing, index, x) {
  const turned = direction(motor.drives, drawing, index), against = direction(motor.against, drawing, index);
  const start = angleOf(turned, x) - angleOf(against, x);
  return { kind: "turn", turned, against, start, angle: start, speed: motor.value };
}

// -- equations and derivatives -----------------------------------------------------------------------------------------

/** The residual of an equation, and its derivatives as pairs of an unknown's index and a number. */
function evaluate(e, x, slopes) {
  switch (e.kind) {
    case "length": {
      const dx = x[2 * e.j] - x[2 * e.i], dy = x[2 * e.j + 1] - x[2 * e.i + 1], l = e.length;
      slopes.push(2 * e.j, dx / l, 2 * e.j + 1, dy / l, 2 * e.i, -dx / l, 2 * e.i + 1, -dy / l);
      return (dx * dx + dy * dy - l * l) / (2 * l);
    }
    case "rigid": {
      const { i, j, k, a, b, axis } = e;
      const dx = x[2 * j] - x[2 * i], dy = x[2 * j + 1] - x[2 * i + 1];
      if (axis === 0) {
        slopes.push(2 * k, 1, 2 * i, a - 1, 2 * j, -a, 2 * j + 1, b, 2 * i + 1, -b);
        return x[2 * k] - x[2 * i] - a * dx + b * dy;
      }
      slopes.push(2 * k + 1, 1, 2 * i + 1, a - 1, 2 * j + 1, -a, 2 * j, -b, 2 * i, b);
      return x[2 * k + 1] - x[2 * i + 1] - a * dy - b * dx;
    }
    case "line":
      slopes.push(2 * e.k, e.nx, 2 * e.k + 1, e.ny);
      return e.nx * x[2 * e.k] + e.ny * x[2 * e.k + 1] - e.c;
    case "along": {
      const { i, j, k } = e;
      const dx = x[2 * j] - x[2 * i], dy = x[2 * j + 1] - x[2 * i + 1], l = Math.hypot(dx, dy);
      const px = x[2 * k] - x[2 * i], py = x[2 * k + 1] - x[2 * i + 1], area = cross(dx, dy, px, py);
      const tx = dx / l, ty = dy / l, share = area / (l * l);
      // d(area / l): the area's own slopes, less those of the length
      const jx = (py - share * l * tx) / l, jy = (-px - share * l * ty) / l;
      slopes.push(2 * k, -ty, 2 * k + 1, tx, 2 * j, jx, 2 * j + 1, jy, 2 * i, ty - jx, 2 * i + 1, -tx - jy);
      return area / l - e.off;
    }
    case "turn":
      return evaluateTurn(e, x, slopes);
  }
  throw new Error(`no equation is called ${e.kind}`);
}

/** The part of the driven direction across the one that it should have; where both turn, both have slopes. */
function evaluateTurn(e, x, slopes) {
  const c = Math.cos(e.angle), s = Math.sin(e.angle);
  const { turned, against } = e;
  const dx = turned.j === undefined ? Math.cos(turned.angle) : x[2 * turned.j] - x[2 * turned.i];
  const dy = turned.j === undefined ? Math.sin(turned.angle) : x[2 * turned.j + 1] - x[2 * turned.i + 1];
  const ax = against.j === undefined ? Math.cos(against.angle) : x[2 * against.j] - x[2 * against.i];
  const ay = against.j === undefined ? Math.sin(against.angle) : x[2 * against.j + 1] - x[2 * against.i + 1];
  const long = e.long ?? (e.long = Math.hypot(ax, ay));
  const wx = (c * ax - s * ay) / long, wy = (s * ax + c * ay) / long; // the direction wanted
  if (turned.j !== undefined) slopes.push(2 * turned.j, -wy, 2 * turned.j + 1, wx, 2 * turned.i, wy, 2 * turned.i + 1, -wx);
  if (against.j !== undefined) {
    const sx = (c * dy - s * dx) / long, sy = (-s * dy - c * dx) / long;
    slopes.push(2 * against.j, sx, 2 * against.j + 1, sy, 2 * against.i, -sx, 2 * against.i + 1, -sy);
  }
  return cross(wx, wy, dx, dy);
}

// -- Newton's method ---------------------------------------------------------------------------------------------------

/**
 * Solve the equations from the positions `x`, which are changed; return whether that succeeded. The change is the smallest one, where
 * the `weight` of a pin says how unwillingly it moves.
 */
export function close(linkage, x, { motors = false, weight = null } = {}) {
  const equations = motors ? [...linkage.equations, ...linkage.motors] : linkage.equations;
  const n = x.length, m = equations.length, J = new Float64Array(m * n), c = new Float64Array(m), slopes = [];
  const ease = new Float64Array(n);
  for (let k = 0; k < n; k++) ease[k] = linkage.fixed[k >> 1] ? 0 : 1 / (weight?.[k >> 1] ?? 1);
  let polished = false; // one step more, to the last bit: lengths are measured again after every change
  for (let step = 0; step < MAX_STEPS; step++) {
    if (!evaluateAll(equations, x, J, c, slopes, n)) return false;
    let worst = 0;
    for (let i = 0; i < m; i++) worst = Math.max(worst, Math.abs(c[i]));
    if (worst < EXACT_TOLERANCE && (polished || worst === 0)) return true;
    polished = worst < EXACT_TOLERANCE;
    const dual = leastSquares(J, ease, c, m, n);
    if (!dual) return worst < 1e-9;
    for (let k = 0; k < n; k++) {
      let change = 0;
      for (let i = 0; i < m; i++) change += J[i * n + k] * dual[i];
      x[k] -= ease[k] * change;
    }
  }
  evaluateAll(equations, x, J, c, slopes, n);
  return c.every((value) => Math.abs(value) < 1e-9);
}

function evaluateAll(equations, x, J, c, slopes, n) {
  J.fill(0);
  for (let i = 0; i < equations.length; i++) {
    slopes.length = 0;
    c[i] = evaluate(equations[i], x, slopes);
    if (!Number.isFinite(c[i])) return false;
    for (let k = 0; k < slopes.length; k += 2) J[i * n + slopes[k]] += slopes[k + 1];
  }
  return true;
}

/** The solution of (J E J^T) y = c by Cholesky; equations that follow from others share it. */
function leastSquares(J, ease, c, m, n) {
  const A = new Float64Array(m * m);
  let trace = 0;
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += J[i * n + k] * ease[k] * J[j * n + k];
      A[i * m + j] = sum;
    }
    trace += A[i * m + i];
  }
  const little = 1e-13 * trace / Math.max(1, m) + 1e-300;
  for (let i = 0; i < m; i++) A[i * m + i] += little;
  const y = Float64Array.from(c);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i * m + j];
      for (let k = 0; k < j; k++) sum -= A[i * m + k] * A[j * m + k];
      if (i === j) {
        if (!(sum > 0)) return null;
        A[i * m + i] = Math.sqrt(sum);
      } else A[i * m + j] = sum / A[j * m + j];
    }
  }
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < i; k++) y[i] -= A[i * m + k] * y[k];
    y[i] /= A[i * m + i];
  }
  for (let i = m - 1; i >= 0; i--) {
    for (let k = i + 1; k < m; k++) y[i] -= A[k * m + i] * y[k];
    y[i] /= A[i * m + i];
  }
  return y;
}

/** The degrees of freedom of the pins, with or without the motors: unknowns less the rank of the derivatives. */
export function degreesOfFreedom(linkage, motors = false, x = linkage.x) {
  const equations = motors ? [...linkage.equations, ...linkage.motors] : linkage.equations;
  const n = x.length, m = equations.length, J = new Float64Array(m * n), c = new Float64Array(m);
  evaluateAll(equations, x, J, c, [], n);
  const free = [...x.keys()].filter((k) => !linkage.fixed[k >> 1]);
  const rows = Array.from({ length: m }, (_, i) => free.map((k) => J[i * n + k]));
  let rank = 0;
  for (let column = 0; column < free.length && rank < m; column++) {
    let best = rank;
    for (let i = rank; i < m; i++) if (Math.abs(rows[i][column]) > Math.abs(rows[best][column])) best = i;
    if (Math.abs(rows[best][column]) < 1e-9) continue;
    [rows[rank], rows[best]] = [rows[best], rows[rank]];
    for (let i = rank + 1; i < m; i++) {
      const factor = rows[i][column] / rows[rank][column];
      if (factor) for (let k = column; k < free.length; k++) rows[i][k] -= factor * rows[rank][k];
    }
    rank++;
  }
  return free.length - rank;
}
