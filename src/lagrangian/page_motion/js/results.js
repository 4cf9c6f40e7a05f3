// What a page shows of a run: where the frames are, and the curves of its plots.

class Results {
  constructor(program) {
    this.program = program;
    const { plan } = program;
    this.needs = (from) => plan.series.some((x) => x.from === from);
  }

  /** Of the rows that were reached, each with the u that holds from its time on, of `inputs`; with the forces as arrows if `withArrows` is true. */
  of(count, inputs, withArrows = false) {
    const { program } = this, { plan, grid, rows, n } = program;
    const poses = new Float32Array(count * plan.frames * 7), values = new Float64Array(plan.series.length * count);
    const drawn = withArrows && plan.arrows.length > 0, wide = 6 * plan.arrows.length, arrows = new Float32Array(drawn ? count * wide : 0);
    const forces = drawn || this.needs("outputs"), energies = this.needs("energies");
    let next = 0;
    for (let k = 0; k < count; k++) {
      while (next < inputs.length && inputs[next].t <= grid[k]) program.u.set(inputs[next++].u);
      const y = this.settled(grid[k], rows.subarray(k * n, (k + 1) * n));
      program.call("poses", grid[k], y, program.matrices);
      this.pose(poses, k);
      if (plan.asks && (forces || energies)) program.ask(grid[k], y);
      if (forces) this.forces(grid[k], y);
      if (energies) program.call("balance_terms", grid[k], y, program.energies, program.u);
      if (drawn) arrows.set(this.arrows(grid[k], y), k * wide);
      plan.series.forEach((x, i) => (values[i * count + k] = this.value(x, y)));
    }
    return { t: grid.slice(0, count), poses, values, arrows };
  }

  /** Torques, accelerations, friction and multipliers. Where equations follow from others, these are the least with the same
   * effect, as those of a motion are. */
  forces(t, y) {
    const { program } = this, { plan } = program, { nv, equations } = plan, first = 3 * nv;
    program.call("outputs", t, y, program.forces, program.u);
    if (!plan.redundant) return;
    const psi = program.slopes(y), multipliers = program.forces.subarray(first, first + equations);
    const columns = Array.from({ length: nv }, (_, k) => psi.map((row) => row[k]));
    minimumNorm(columns, columns.map((column) => dotProduct(column, multipliers))).forEach((x, k) => (multipliers[k] = x));
  }

  arrows(t, y) {
    const { program } = this, { time, state, p, forces, arrows } = program;
    time[0] = t;
    state.set(y);
    program.x.arrows(...[time, state, p, forces, arrows].map((array) => array.byteOffset));
    return arrows;
  }

  /** An interpolated state moved onto the constraints, as the rows of a motion are. */
  settled(t, y) {
    const { program } = this, { plan, n } = program;
    for (let k = 0; plan.projects && k < 2; k++) {
      program.call("project", t, y, program.projected, program.u);
      y.set(program.projected.subarray(0, n));
      if (program.projected[2 * n] < 1e-7) break;  // what is left is its square
    }
    return y;
  }

  value({ from, at }, y) {
    const { forces, energies } = this.program;
    if (from === "state") return y[at];
    if (from === "outputs") return forces[at];
    return at < 0 ? energies[1] + energies[2] : energies[at];
  }

  /** Place and quaternion of every frame in a row; the ground is the first. */
  pose(poses, row) {
    const { plan, matrices } = this.program, wide = 7 * plan.frames;
    let at = row * wide;
    poses[at + 3] = 1;
    for (let f = 0; f < plan.frames - 1; f++) {
      at += 7;
      const m = matrices.subarray(12 * f, 12 * f + 12), q = quaternion(m);
      const before = row ? at - wide + 3 : -1;
      let sign = 1;
      if (before >= 0) sign = q[0] * poses[before] + q[1] * poses[before + 1] + q[2] * poses[before + 2] + q[3] * poses[before + 3] < 0 ? -1 : 1;
      poses[at] = m[3];
      poses[at + 1] = m[7];
      poses[at + 2] = m[11];
      for (let k = 0; k < 4; k++) poses[at + 3 + k] = sign * q[k];
    }
  }
}

/** (w, x, y, z) of a rotation, whose largest entry is found first (Shepperd 1978). Rows have four entries. */
function quaternion(m) {
  const xx = m[0], yy = m[5], zz = m[10], trace = xx + yy + zz;
  let q;
  if (trace >= xx && trace >= yy && trace >= zz) q = [1 + trace, m[9] - m[6], m[2] - m[8], m[4] - m[1]];
  else if (xx >= yy && xx >= zz) q = [m[9] - m[6], 1 + xx - yy - zz, m[1] + m[4], m[2] + m[8]];
  else if (yy >= zz) q = [m[2] - m[8], m[1] + m[4], 1 + yy - xx - zz, m[6] + m[9]];
  else q = [m[4] - m[1], m[2] + m[8], m[6] + m[9], 1 + zz - xx - yy];
  const size = Math.hypot(...q);
  return q.map((x) => x / size);
}
