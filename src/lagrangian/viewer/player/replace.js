// Replacing the motion of a player by another one of the same scene, as when a slider is moved.

/**
 * Play `motion` from now on, at the time at which the player is. It has
 *   t: times, s;  poses: for every row and frame x y z and a quaternion (w x y z), of a sign that does not jump;
 *   arrows: as data.js gives them;  groups: of arrows that there are or could be, and why: why there are no others;
 *   parts: [{ part, v }] vertices in metres of shapes that change;  struts: [{ strut, pa, pb }] their ends.
 * null is the motion that the page was written with.
 */
function replaceMotion(player, motion) {
  const { data } = player;
  if (player.first?.data !== data) player.first = recordedData(data);
  const { t, start, rows, frames, arrows } = motion ? motionData(data, motion) : player.first;
  Object.assign(data, { t, start, rows, arrows });
  data.frames.forEach((frame, k) => Object.assign(frame, frames[k]));
  if (!motion) {
    data.parts.forEach((part, k) => Object.assign(part, player.first.parts[k]));
    data.struts.forEach((strut, k) => Object.assign(strut, player.first.struts[k]));
  }
  for (const { part, v } of motion?.parts || []) {
    const [low, high] = vertexBounds(v);
    Object.assign(data.parts[part], { v, low, high });
  }
  for (const { strut, pa, pb } of motion?.struts || []) Object.assign(data.struts[strut], { pa, pb });
  const course = new Course(data);
  player.course = course;
  player.now = Math.min(player.now, course.duration);
  course.seek(player.now);
  player.other = true;
  player.controls.measure();
  player.controls.offer(motion?.groups || player.groups, motion?.why || "");
  refitLater(player);
  player.refresh();
}

/** The data of the first motion, to return to it. */
function recordedData(data) {
  const { t, start, rows, frames, arrows, parts, struts } = data;
  return {
    data, t, start, rows, arrows, frames: frames.map(({ p, r, moves }) => ({ p, r, moves })),
    parts: parts.map(({ v, low, high }) => ({ v, low, high })), struts: struts.map(({ pa, pb }) => ({ pa, pb })),
  };
}

/** The times from the start, and the numbers of each frame apart. */
function motionData(data, { t, poses, arrows }) {
  const rows = t.length, many = data.frames.length;
  const frames = data.frames.map((_, k) => {
    const p = new Float32Array(3 * rows), r = new Float32Array(4 * rows);
    for (let row = 0, at = 7 * k; row < rows; row++, at += 7 * many) {
      for (let c = 0; c < 3; c++) p[3 * row + c] = poses[at + c];
      for (let c = 0; c < 4; c++) r[4 * row + c] = poses[at + 3 + c];
    }
    return { p, r, moves: k > 0 };
  });
  return { t: Float32Array.from(t, (x) => x - t[0]), start: t[0], rows, frames, arrows: arrows || [] };
}

function vertexBounds(v) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < v.length; k++) {
    if (v[k] < low[k % 3]) low[k % 3] = v[k];
    if (v[k] > high[k % 3]) high[k % 3] = v[k];
  }
  return [low, high];
}

/** Tell the camera the new extent, which it uses at the next fit, not while a slider moves. */
function refitLater(player) {
  const { camera } = player;
  Object.defineProperty(camera, "points", {
    configurable: true,
    get() {
      const value = outline(player.data, player.course);
      player.course.seek(player.now);
      Object.defineProperty(camera, "points", { configurable: true, writable: true, value });
      return value;
    },
  });
}

/** Look from farther away if something of the motion is not in the picture, unless someone chose the view; what hangs lower than
 * before has the floor lower. */
function takeIn(player) {
  const { camera, data } = player, { points } = camera;
  const lowest = points.reduce((least, p) => Math.min(least, dot(p, camera.up)), Infinity);
  if (lowest < data.floor) data.floor = lowest;
  player.radius = points.reduce((most, p) => Math.max(most, norm(sub(p, player.middle))), player.radius);
  const out = points.some((p) => {
    const at = camera.project(p);
    return !at || at[0] < 0 || at[0] > camera.width || at[1] < camera.top || at[1] > camera.height - camera.bottom;
  });
  if (out) camera.settle();
  player.refresh();
}

/** Update what the graphics card holds: shapes that changed, and paths. */
function reload(gpu, data, course) {
  const { stage } = gpu;
  data.parts.forEach((part, k) => {
    const wide = part.v instanceof Float32Array;
    if (wide && gpu.meshes[k].wide) stage.refill(gpu.meshes[k].vertices, part.v);
    else if (wide || gpu.meshes[k].wide) gpu.meshes[k] = stage.mesh(part);
  });
  gpu.fine = pointsPerRow(data);
  if (data.rows < 2) return void (gpu.lines = []);
  data.traces.forEach((frame, k) => {
    const points = course.path(data.frames[frame], gpu.fine), line = gpu.lines[k];
    if (!line) return void (gpu.lines[k] = stage.line(points));
    stage.refill(line.buffer, points);
    line.count = points.length / 3 - 1;
  });
}
