// Poses between the rows of a track: cubic Hermite interpolation, with slopes of the parabola through three rows.
//
// Positions and rotation matrices are blended with the same weights for all frames, so that points which coincide at
// the rows, such as the two sides of a loop's joint, coincide between them too. (Quaternions blended would not do that.)

class Course {
  constructor(data) {
    this.data = data;
    this.t = data.t;
    this.rows = data.rows;
    this.start = data.start;
    this.duration = this.rows > 1 ? this.t[this.rows - 1] : 0;
    this.poses = data.frames.map(() => new Float32Array(16));
    this.row = 0;
  }

  /** The row before a time since the start. */
  find(time) {
    const t = this.t;
    let low = 0, high = this.rows - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Go to a time since the start: find the rows, their weights, and the pose of each frame. */
  seek(time) {
    const i = this.find(time), last = this.rows - 1;
    if (last === 0) this.weights = { i: 0, u: 0, first: 0, w: [1] };
    else this.weights = this.blend(i, clamp((time - this.t[i]) / (this.t[i + 1] - this.t[i] || 1), 0, 1));
    this.row = last ? i + this.weights.u : 0;
    this.data.frames.forEach((frame, k) => this.pose(frame, this.poses[k]));
  }

  blend(i, u) {
    const t = this.t, last = this.rows - 1;
    const h = t[i + 1] - t[i];
    const tiny = 1e-6 * this.duration;  // rows at one time are the two sides of an impact
    if (h <= tiny) return { i, u, first: i, w: [1 - u, u] };
    const before = i > 0 && t[i] - t[i - 1] > tiny, after = i + 1 < last && t[i + 2] - t[i + 1] > tiny;
    const first = before ? i - 1 : i, n = 2 + before + after, at = i - first;
    const w = new Array(n).fill(0);
    w[at] += 1 - u * u * (3 - 2 * u);
    w[at + 1] += u * u * (3 - 2 * u);
    // slopes times h, as weights of the rows
    const a = new Array(n).fill(0), b = new Array(n).fill(0);
    a[at] = b[at] = -1;
    a[at + 1] = b[at + 1] = 1;
    if (before) this.slope(a, at, h, t[i] - t[i - 1], -1);
    if (after) this.slope(b, at + 1, h, t[i + 2] - t[i + 1], 1);
    if (!before && after) for (let k = 0; k < n; k++) a[k] = 2 * a[k] - b[k];  // a parabola to the end
    if (!after && before) for (let k = 0; k < n; k++) b[k] = 2 * b[k] - a[k];
    const wa = u * (1 - u) * (1 - u), wb = -u * u * (1 - u);
    for (let k = 0; k < n; k++) w[k] += wa * a[k] + wb * b[k];
    return { i, u, first, w };
  }

  /** Mix the slope of this stretch, h long, with that of its neighbour, g long, on one side of the row `at`. */
  slope(weights, at, h, g, side) {
    const mine = g / (g + h), other = h / (g + h);
    for (let k = 0; k < weights.length; k++) weights[k] *= mine;
    weights[at + (side > 0 ? 1 : 0)] += (other * h) / g;
    weights[at - (side > 0 ? 0 : 1)] -= (other * h) / g;
  }

  vector(values, out = [0, 0, 0]) {
    const { first, w } = this.weights;
    out[0] = out[1] = out[2] = 0;
    for (let k = 0; k < w.length; k++) {
      const j = 3 * (first + k);
      out[0] += w[k] * values[j];
      out[1] += w[k] * values[j + 1];
      out[2] += w[k] * values[j + 2];
    }
    return out;
  }

  pose(frame, out) {
    const { first, w } = this.weights, r = frame.r;
    out.fill(0);
    for (let k = 0; k < w.length; k++) {
      const j = 4 * (first + k);
      addRotation(out, w[k], r[j], r[j + 1], r[j + 2], r[j + 3]);
    }
    if (determinant(out) < 0.9) this.turn(r, out);
    const p = this.vector(frame.p);
    out[12] = p[0];
    out[13] = p[1];
    out[14] = p[2];
    out[15] = 1;
  }

  /** Restore the size of a frame: where a body spins so fast that rows are far apart, a blend of matrices shrinks it. */
  turn(r, out) {
    const { i: row, u } = this.weights, i = 4 * row, j = Math.min(i + 4, r.length - 4);
    const sign = r[i] * r[j] + r[i + 1] * r[j + 1] + r[i + 2] * r[j + 2] + r[i + 3] * r[j + 3] < 0 ? -1 : 1;
    const q = [0, 1, 2, 3].map((k) => (1 - u) * r[i + k] + u * sign * r[j + k]);
    out.fill(0);
    addRotation(out, 1, q[0], q[1], q[2], q[3]);
  }

  /** The path of a frame, with `fine` points for each row. */
  path(frame, fine) {
    const n = (this.rows - 1) * fine + 1, out = new Float32Array(3 * n), savedWeights = this.weights;
    for (let k = 0; k < n; k++) {
      const i = Math.min(Math.floor(k / fine), this.rows - 2);
      this.weights = this.blend(i, k / fine - i);
      out.set(this.vector(frame.p), 3 * k);
    }
    this.weights = savedWeights;
    return out;
  }
}
