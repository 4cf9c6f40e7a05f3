// Picking: the part that a ray meets first.

import { carry, cross, dot, norm, scale, sub, add } from "/player.js";

/** A point of the world in a frame, whose axes have the length one. */
export function inside(m, p) {
  const d = [p[0] - m[12], p[1] - m[13], p[2] - m[14]];
  return [0, 4, 8].map((k) => m[k] * d[0] + m[k + 1] * d[1] + m[k + 2] * d[2]);
}

const rotateInto = (m, v) => [0, 4, 8].map((k) => m[k] * v[0] + m[k + 1] * v[1] + m[k + 2] * v[2]);

/** The nearest part of a moving body: `{frame, point (in the frame), world, far}`, or null. */
export function pick(view, ray) {
  const { data, course } = view;
  let best = null;
  for (const part of data.parts) {
    if (part.frame === 0) continue;
    const m = course.poses[part.frame], from = inside(m, ray.from), way = rotateInto(m, ray.way);
    if (!meetsBox(from, way, part.low, part.high)) continue;
    const far = nearest(part, from, way, best?.far ?? Infinity);
    if (far === null) continue;
    const point = add(from, scale(way, far));
    best = { frame: part.frame, point, world: carry(m, point), far };
  }
  return best;
}

/** As `pick`; if the ray misses all parts, try rays a few pixels around it, because links are thinner than fingers. */
export function pickNear(view, x, y, reach) {
  const straight = pick(view, view.ray(x, y));
  if (straight) return straight;
  for (const r of [reach / 2, reach])
    for (let k = 0; k < 8; k++) {
      const found = pick(view, view.ray(x + r * Math.cos((k * Math.PI) / 4), y + r * Math.sin((k * Math.PI) / 4)));
      if (found) return found;
    }
  return null;
}

function meetsBox(from, way, low, high) {
  let near = -Infinity, far = Infinity;
  for (let k = 0; k < 3; k++) {
    const a = (low[k] - from[k]) / way[k], b = (high[k] - from[k]) / way[k];
    if (Number.isNaN(a) || Number.isNaN(b)) continue;  // along the side
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return far >= Math.max(near, 0);
}

/** The distance along the ray of the part's nearest triangle. */
function nearest(part, from, way, most) {
  const { f, n } = part, v = (part.corners ??= partCorners(part));
  let best = null;
  for (let k = 0; k < f.length; k += 3) {
    if (f[k] >= n) continue;
    const a = v.subarray(3 * f[k], 3 * f[k] + 3), b = v.subarray(3 * f[k + 1], 3 * f[k + 1] + 3), c = v.subarray(3 * f[k + 2], 3 * f[k + 2] + 3);
    const ab = sub(b, a), ac = sub(c, a), p = cross(way, ac), det = dot(ab, p);
    if (Math.abs(det) < 1e-14 * norm(ab) * norm(ac)) continue;
    const s = sub(from, a), u = dot(s, p) / det;
    if (u < 0 || u > 1) continue;
    const q = cross(s, ab), w = dot(way, q) / det;
    if (w < 0 || u + w > 1) continue;
    const far = dot(ac, q) / det;
    if (far > 0 && far < most) best = most = far;
  }
  return best;
}

const partCorners = (part) => Float32Array.from(part.v, (s, k) => part.low[k % 3] + (s / 65535) * part.reach);
