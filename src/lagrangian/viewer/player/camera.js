// A camera that turns about a point: yaw about the up direction, pitch above the floor.

const MAX_CORNERS = 20000;  // that are looked at to find the view
const FIELD = Math.tan((15 * Math.PI) / 180);  // of half the angle of sight, vertically

class Camera {
  constructor(data, points, tips) {
    this.data = data;
    this.points = points;
    this.tips = tips;  // of the arrows that are shown
    this.up = unit(data.up);
    this.x = across(this.up);
    this.y = cross(this.up, this.x);
    this.width = this.height = 1;
    this.top = this.bottom = 0;
    this.touched = false;
    this.reset();
  }

  /** Return to the view that shows all of the motion. */
  reset() {
    const look = unit(this.data.look), rise = dot(look, this.up);
    this.pitch = Math.asin(clamp(rise, -1, 1));
    this.yaw = Math.abs(rise) > 0.9999 ? -Math.PI / 2 : Math.atan2(dot(look, this.y), dot(look, this.x));
    this.touched = false;
    this.fit();
  }

  /** Look at the middle of all points, as near as all are in the picture. */
  fit() {
    const points = this.points.concat(this.tips());
    const { toEye, right, above } = this.axes(), depth = dot(this.data.center, toEye);
    const seen = points.map((p) => [dot(p, right), dot(p, above), dot(p, toEye) - depth]);
    // of half the picture's height: how much is free above and below its middle, and how much higher the middle of that is
    const top = Math.min(this.top / this.height, 0.25), bottom = Math.min(this.bottom / this.height, 0.25), margin = 0.95;
    const over = FIELD * (1 - 2 * top) * margin, under = FIELD * (1 - 2 * bottom) * margin, lift = FIELD * (top - bottom);
    const wide = FIELD * (this.width / this.height) * margin;
    const middle = [0, 1].map((k) => (minimumOf(seen, (p) => p[k]) - minimumOf(seen, (p) => -p[k])) / 2);
    let distance = 1;
    for (let turn = 0; turn < 6; turn++) {  // what is near looks larger, and moves the middle
      distance = 1e-3 * this.data.size;
      for (const [x, y, near] of seen) {
        const up = y - middle[1];
        distance = Math.max(distance, near + Math.abs(x - middle[0]) / wide, (up + over * near) / (over + lift), (under * near - up) / (under - lift));
      }
      for (const k of [0, 1]) {
        const at = (p) => (p[k] - middle[k]) / (distance - p[2]);
        middle[k] += (distance * (minimumOf(seen, at) - minimumOf(seen, (p) => -at(p)))) / 2;
      }
    }
    this.distance = distance;
    this.target = add(add(scale(right, middle[0]), scale(above, middle[1] + distance * lift)), scale(toEye, depth));
  }

  /** The picture's size in pixels, and how many of them at the top are under buttons, and at the bottom under the note. */
  resize(width, height, top, bottom) {
    if (width === this.width && height === this.height && top === this.top && bottom === this.bottom) return;
    Object.assign(this, { width, height, top, bottom });
    this.settle();
  }

  /** Show all of the motion, unless the user chose the view. */
  settle() {
    if (!this.touched) this.fit();
  }

  axes() {
    const cp = Math.cos(this.pitch), sp = Math.sin(this.pitch);
    const flat = add(scale(this.x, Math.cos(this.yaw)), scale(this.y, Math.sin(this.yaw)));
    const toEye = add(scale(flat, cp), scale(this.up, sp));
    const above = add(scale(flat, -sp), scale(this.up, cp));
    return { toEye, above, right: cross(above, toEye) };
  }

  get eye() {
    return add(this.target, scale(this.axes().toEye, this.distance));
  }

  /** The projection from the world to the picture's cube; all within `reach` of the target is between near and far. */
  view(reach) {
    const { toEye, right, above } = this.axes(), eye = this.eye;
    const near = Math.max(this.distance - reach, 0.01 * this.distance), far = this.distance + reach;
    const f = 1 / FIELD, a = (far + near) / (near - far), b = (2 * far * near) / (near - far);
    const projection = new Float32Array([(f * this.height) / this.width, 0, 0, 0, 0, f, 0, 0, 0, 0, a, -1, 0, 0, b, 0]);
    const look = new Float32Array([
      right[0], above[0], toEye[0], 0, right[1], above[1], toEye[1], 0, right[2], above[2], toEye[2], 0,
      -dot(right, eye), -dot(above, eye), -dot(toEye, eye), 1,
    ]);
    return multiply(projection, look);
  }

  /** A point of the world in the picture, in pixels from the top left; null behind the eye. */
  project(point) {
    const { toEye, right, above } = this.axes(), from = sub(point, this.eye), depth = -dot(from, toEye);
    if (depth <= 0) return null;
    const k = this.height / (2 * FIELD * depth);
    return [this.width / 2 + k * dot(from, right), this.height / 2 - k * dot(from, above)];
  }

  orbit(dx, dy) {
    this.touched = true;
    this.yaw -= dx * 0.008;
    this.pitch = clamp(this.pitch + dy * 0.008, -Math.PI / 2, Math.PI / 2);
  }

  pan(dx, dy) {
    const { right, above } = this.axes(), k = (2 * FIELD * this.distance) / this.height;
    this.touched = true;
    this.target = add(this.target, add(scale(right, -dx * k), scale(above, dy * k)));
  }

  zoom(factor) {
    this.touched = true;
    this.distance = clamp(this.distance * factor, 0.02 * this.data.size, 200 * this.data.size);
  }
}

function minimumOf(points, of) {
  let smallest = Infinity;
  for (const p of points) smallest = Math.min(smallest, of(p));
  return smallest;
}

/** The outermost points of a part, in its frame: tighter than the corners of its box. */
function outermost({ v, low, reach }) {
  const best = new Map(), stride = 3 * Math.ceil(v.length / 30000);
  for (const x of [-1, 0, 1]) for (const y of [-1, 0, 1]) for (const z of [-1, 0, 1]) {
    let far = -Infinity, at = 0;
    for (let k = 0; k < v.length; k += stride) {
      const along = x * v[k] + y * v[k + 1] + z * v[k + 2];
      if (along > far) [far, at] = [along, k];
    }
    best.set(at, [0, 1, 2].map((k) => low[k] + (v[at + k] / 65535) * reach));
  }
  return [...best.values()];
}

/** Points of all parts over the motion, which the camera has to show. */
function outline(data, course) {
  const ends = data.parts.map(outermost), count = ends.reduce((n, e) => n + e.length, 0);
  const points = [], rows = Math.min(data.rows, clamp(Math.round(MAX_CORNERS / (count + 1)), 6, 48));
  for (let k = 0; k < rows; k++) {
    course.seek(rows > 1 ? (course.duration * k) / (rows - 1) : 0);
    data.parts.forEach((part, n) => {
      const { low, high } = part;
      if (part.opacity < 1 || part.name.endsWith("(wide)") || norm(sub(high, low)) > 4 * data.size) return;  // not what is looked at
      if (k && !data.frames[part.frame].moves) return;
      for (const end of ends[n]) points.push(carry(course.poses[part.frame], end));
    });
    for (const s of data.struts) points.push(carry(course.poses[s.a], s.pa), carry(course.poses[s.b], s.pb));
    for (const f of data.traces) points.push([...course.poses[f].slice(12, 15)]);
  }
  if (!points.length) for (const sign of [-0.5, 0.5]) points.push(add(data.center, [sign * data.size, sign * data.size, sign * data.size]));
  return points;
}

/** Ends of the ground's axes and of the arrows that are shown, with their bows, over the motion; of a short peak, a part, so that it
 * does not make all else small. */
function tips(data, shown) {
  const points = [], axis = GROUND_AXES * data.size, [x, y, z] = data.frames[0].p, seen = data.arrows.filter((a) => shown[a.group]);
  const stride = Math.max(1, Math.floor((data.rows * Math.max(1, seen.length / 100)) / 60));
  if (shown.frames) points.push([x + axis, y, z], [x, y + axis, z], [x, y, z + axis]);
  for (const { unit: measure, p, v } of seen)
    for (let k = 0; k < 3 * data.rows; k += 3 * stride) {
      const at = [p[k], p[k + 1], p[k + 2]], way = [v[k], v[k + 1], v[k + 2]], length = norm(way);
      if (length < MIN_ARROW * data.size) continue;
      points.push(add(at, scale(way, Math.min(1, (MAX_ARROW * data.size) / length))));
      if (measure !== "N m") continue;
      const n = unit(way), e = across(n), f = cross(n, e), r = 1.15 * bow(length, data.size);
      for (const s of [-r, r]) points.push(add(at, scale(e, s)), add(at, scale(f, s)));
    }
  return points;
}
