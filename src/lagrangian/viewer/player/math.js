// Vectors are arrays of three numbers, matrices of sixteen, column after column, as in WebGL.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(a, 1 / (norm(a) || 1));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** A direction normal to another: always the same for the same one, and along x if possible. */
function across(n) {
  const pick = Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  return unit(sub(pick, scale(n, dot(pick, n))));
}

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
  return out;
}

/** A point of a frame, in the world. */
const carry = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
];

/** Three axes and an origin as a matrix. */
const matrix = (x, y, z, o) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...o, 1]);

/** A matrix whose z axis, of this length, leads from a point in a direction, and whose other axes have the length `across`. */
function along(point, direction, length, width) {
  const z = unit(direction), x = across(z), y = cross(z, x);
  return matrix(scale(x, width), scale(y, width), scale(z, length), point);
}

/** The nine entries of the rotation of a quaternion (w, x, y, z), column after column, times `w` added to `out`. */
function addRotation(out, w, a, b, c, d) {
  const s = 2 / (a * a + b * b + c * c + d * d);
  out[0] += w * (1 - s * (c * c + d * d)); out[1] += w * s * (b * c + a * d); out[2] += w * s * (b * d - a * c);
  out[4] += w * s * (b * c - a * d); out[5] += w * (1 - s * (b * b + d * d)); out[6] += w * s * (c * d + a * b);
  out[8] += w * s * (b * d + a * c); out[9] += w * s * (c * d - a * b); out[10] += w * (1 - s * (b * b + c * c));
}

const determinant = (m) =>
  m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);

/** 1, 2 or 5 times a power of ten, near and not above x. */
function niceBelow(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}
