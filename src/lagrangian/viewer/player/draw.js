// One picture of one player: the scene at a time, drawn on the stage.

const SHADES = {
  light: { top: [0.985, 0.99, 0.995], bottom: [0.885, 0.905, 0.925], line: [0.42, 0.47, 0.53], tint: [1, 1, 1, 0.35], shade: 0.36, outline: [1, 1, 1, 1], lift: 0, ink: "#1b2530", halo: "rgba(255,255,255,0.85)" },
  dark: { top: [0.135, 0.16, 0.185], bottom: [0.075, 0.09, 0.105], line: [0.5, 0.57, 0.64], tint: [0.22, 0.26, 0.3, 0.35], shade: 0.6, outline: [0.07, 0.085, 0.1, 1], lift: 0.4, ink: "#e8eef4", halo: "rgba(10,14,18,0.8)" },
};
const AXES = [[0.835, 0.369, 0], [0, 0.62, 0.451], [0, 0.447, 0.698]];  // x, y, z: vermillion, green, blue
const GROUPS = { torques: [0.835, 0.369, 0], reactions: [0, 0.447, 0.698], constraints: [0.8, 0.475, 0.655], wrenches: [0, 0.62, 0.451] };
const WHOLE = [0, 0, 0, 1];  // of vertices that are metres
const GROUND_AXES = 0.14;  // sizes
const MIN_ARROW = 0.004, MAX_ARROW = 0.42;  // sizes: shorter arrows are not drawn, of longer ones a part may leave the picture
const OTHER = [0.35, 0.35, 0.35];
const PATHS = [[0.902, 0.624, 0], [0.337, 0.706, 0.914], [0.8, 0.475, 0.655], [0, 0.62, 0.451]];
const colorOf = (group) => GROUPS[group] || OTHER;
const css = (c) => `rgb(${c.map((x) => Math.round(255 * x)).join(",")})`;

/** The data of a player in the memory of the graphics card. */
function upload(stage, data, course) {
  const known = new Map();  // parts of one shape share it
  const meshes = data.parts.map((part) => {
    if (part.v instanceof Float32Array) return stage.mesh(part);  // of a shape that changes
    const key = `${part.v.byteOffset} ${part.d.byteOffset} ${part.f.byteOffset}`;
    if (!known.has(key)) known.set(key, stage.mesh(part));
    return known.get(key);
  });
  const fine = pointsPerRow(data);
  const lines = data.rows > 1 ? data.traces.map((k) => stage.line(course.path(data.frames[k], fine))) : [];
  return { stage, meshes, lines, fine };
}

/** The number of points of a path for each row. */
const pointsPerRow = (data) => (data.rows < 500 ? 4 : data.rows < 2000 ? 2 : 1);

function solidItems(player, meshes, shapes) {
  const { data, course } = player, out = [];
  data.parts.forEach((part, k) =>
    out.push({ mesh: meshes[k], model: course.poses[part.frame], box: part.v instanceof Uint16Array ? [...part.low, part.reach] : WHOLE, color: [...part.color, part.opacity] }));
  for (const s of data.struts) {
    const a = carry(course.poses[s.a], s.pa), way = sub(carry(course.poses[s.b], s.pb), a), length = norm(way);
    if (length < 1e-9 * data.size) continue;
    const color = [...s.color, 1];
    if (s.kind === "spring") {
      s.turns = s.turns || clamp(Math.round(length / (1.6 * s.radius)), 5, 16);
      out.push({ mesh: shapes.tube, model: along(a, way, 1, 1), coil: [length, s.radius, 0.22 * s.radius, s.turns], color });
    } else out.push({ mesh: shapes.cylinder, model: along(a, way, length, s.radius), color });
  }
  return out;
}

/** A straight arrow, with a head as long as there is room for. */
function arrow(out, shapes, point, way, size, color, heads = 1, thick = 1) {
  const length = norm(way), n = unit(way), head = Math.min(0.036 * size * thick, (0.6 / heads) * length), wide = 0.34 * head;
  const shaft = Math.min(0.0045 * size * thick, 0.42 * wide), common = { color: [...color, 1], glow: 0.35 };
  out.push({ mesh: shapes.cylinder, model: along(point, way, length - head * 0.9, shaft), ...common });
  for (let k = 0; k < heads; k++)
    out.push({ mesh: shapes.cone, model: along(add(point, scale(n, length - head * (1 + 0.75 * k))), way, head, wide), ...common });
}

/** The radius of a torque's bow. */
const bow = (length, size) => Math.min(0.36 * length, 0.07 * size);

/** A torque: an arrow with two heads along its axis, and a bow that turns about it. */
function twist(out, shapes, point, way, size, color) {
  const length = norm(way), radius = bow(length, size), wire = Math.min(0.0045 * size, 0.12 * radius), turns = 0.72;
  const common = { color: [...color, 1], glow: 0.35 };
  arrow(out, shapes, point, way, size, color, 2);
  const z = unit(way), x = across(z), y = cross(z, x), a = 2 * Math.PI * turns;
  out.push({ mesh: shapes.tube, model: matrix(x, y, z, point), coil: [0, radius, wire, turns], ...common });
  const out_ = add(scale(x, Math.cos(a)), scale(y, Math.sin(a))), on = cross(z, out_);
  const head = Math.min(0.036 * size, 0.9 * radius);
  out.push({ mesh: shapes.cone, model: along(add(point, scale(out_, radius)), on, head, 0.34 * head), ...common });
}

function arrowsAndAxes(player, shapes, labels) {
  const { data, course, shown } = player, out = [], size = data.size;
  if (shown.frames)
    data.frames.forEach((frame, k) => {
      const m = course.poses[k], o = [m[12], m[13], m[14]], long = (k ? 0.1 : GROUND_AXES) * size;
      AXES.forEach((color, c) => arrow(out, shapes, o, scale([m[4 * c], m[4 * c + 1], m[4 * c + 2]], long), size, color, 1, 0.8));
      out.push({ mesh: shapes.ball, model: along(o, [0, 0, 1], 0.009 * size, 0.009 * size), color: [0.25, 0.28, 0.32, 1], glow: 0.3 });
      labels.push({ text: frame.name, at: o, rank: 1 });
    });
  for (const it of data.arrows) {
    if (!shown[it.group]) continue;
    const way = course.vector(it.v), point = course.vector(it.p, [0, 0, 0]), length = norm(way);
    if (length < MIN_ARROW * size) continue;
    (it.unit === "N m" ? twist : arrow)(out, shapes, point, way, size, colorOf(it.group));
    labels.push({ text: `${formatValue(length / it.scale)} ${it.unit}`, at: add(point, way), from: point, color: colorOf(it.group), rank: 0 });
  }
  return out;
}

/** A number with three figures, without an exponent if possible. */
function formatValue(x) {
  if (x >= 1e5 || x < 1e-3) return x.toExponential(1);
  return x >= 100 ? x.toFixed(0) : x.toPrecision(3);
}

function paint(player, stage, width, height, ratio) {
  const { data, camera, course, radius, middle, shown } = player, gl = stage.gl, look = SHADES[player.theme];
  const { up, x, y } = camera, gpu = player.gpu;
  stage.room(width, height);
  const things = solidItems(player, gpu.meshes, stage.shapes), labels = [];
  const light = lights(camera);
  const reach = Math.max(4.5 * radius, 1.2 * norm(sub(camera.target, middle)) + 4 * radius), view = camera.view(reach);
  const base = sub(middle, scale(up, dot(middle, up) - data.floor));
  const above = dot(camera.eye, up) > data.floor;

  const reachOfShadow = 1.9 * radius, reachOfFloor = 3.4 * radius;
  gl.disable(gl.DEPTH_TEST);
  if (above) castShadow(stage, things, { up, x, y, base, light: light.key, reach: reachOfShadow, data });

  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, width, height);
  gl.clear(gl.DEPTH_BUFFER_BIT);
  stage.use(stage.sky, { u_top: look.top, u_bottom: look.bottom });
  gl.bindVertexArray(stage.empty);
  gl.drawArrays(gl.TRIANGLES, 0, 3);

  gl.enable(gl.DEPTH_TEST);
  gl.depthRange(0.1, 1);
  const lit = { u_view: view, u_eye: camera.eye, u_up: up, u_key: light.key, u_fill: light.fill };
  stage.use(stage.solid, lit);
  const far = (item) => -dot(sub([item.model[12], item.model[13], item.model[14]], camera.eye), camera.axes().toEye);
  for (const item of things) if (item.color[3] >= 1) stage.draw(item);

  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  gl.bindTexture(gl.TEXTURE_2D, stage.shadow.texture);
  stage.use(stage.floor, {
    u_view: view, u_x: x, u_y: y, u_middle: base, u_radius: reachOfFloor, u_step: player.grid, u_line: look.line, u_tint: above ? look.tint : [0, 0, 0, 0],
    u_reach: reachOfShadow / reachOfFloor, u_shade: above ? look.shade : 0,
  });
  gl.bindVertexArray(stage.empty);
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);

  if (shown.path && gpu.lines.length) {
    stage.use(stage.path, { u_view: view, u_pixels: [width / 2, height / 2], u_width: 1.4 * ratio, u_now: course.row * gpu.fine, u_back: scale(add(look.top, look.bottom), 0.5) });
    gpu.lines.forEach((line, k) => {
      stage.set({ u_color: PATHS[k % PATHS.length] });
      gl.bindVertexArray(line.vao);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, line.count);
    });
  }

  gl.depthMask(true);
  stage.use(stage.solid, lit);
  for (const item of things.filter((i) => i.color[3] < 1).sort((a, b) => far(b) - far(a))) stage.draw(item);
  gl.disable(gl.BLEND);
  gl.depthRange(0, 0.1);  // arrows and axes are seen through the bodies
  drawSigns(stage, arrowsAndAxes(player, stage.shapes, labels), look, 0.0022 * data.size);
  gl.depthRange(0, 1);
  gl.bindVertexArray(null);
  return labels;
}

/** Arrows and axes, each with a thin outline that sets it off from what is behind it. */
function drawSigns(stage, items, look, width) {
  const gl = stage.gl;
  gl.enable(gl.CULL_FACE);
  gl.cullFace(gl.FRONT);
  stage.set({ u_grow: width });
  for (const item of items) stage.draw({ ...item, color: look.outline, glow: 1 });
  gl.disable(gl.CULL_FACE);
  stage.set({ u_grow: 0 });
  for (const item of items) stage.draw(item);
}

/** The main light over the left shoulder of the first view, and a weaker one from the other side; they stay with the world. */
function lights(camera) {
  const from = camera.home || (camera.home = camera.axes());
  const mix = (a, b, c) => unit(add(add(scale(from.right, a), scale(camera.up, b)), scale(from.toEye, c)));
  return { key: mix(-0.45, 0.9, 0.55), fill: mix(0.8, 0.1, 0.35) };
}

/** The shadow of the bodies on the floor, paler where they are higher above it. */
function castShadow(stage, things, { up, x, y, base, light, reach, data }) {
  const gl = stage.gl, { frame, size, texture } = stage.shadow;
  const steep = unit(add(light, scale(up, 1.2)));
  const row = (e) => {
    const k = dot(steep, e) / dot(steep, up);
    return [...scale(sub(e, scale(up, k)), 1 / reach), (k * data.floor - dot(base, e)) / reach];
  };
  const a = row(x), b = row(y);
  const view = new Float32Array([a[0], b[0], 0, 0, a[1], b[1], 0, 0, a[2], b[2], 0, 0, a[3], b[3], 0, 1]);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.viewport(0, 0, size, size);
  gl.clearColor(0, 0, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.enable(gl.BLEND);
  gl.blendEquation(gl.MAX);
  stage.use(stage.shade, { u_view: view, u_up: up, u_floor: data.floor, u_size: data.size });
  for (const item of things) stage.draw(item);
  gl.blendEquation(gl.FUNC_ADD);
  gl.disable(gl.BLEND);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.generateMipmap(gl.TEXTURE_2D);
}

/** Labels with names and values over the picture, without those that would cover others. */
function writeLabels(context, labels, camera, theme, ratio) {
  const look = SHADES[theme], taken = [];
  context.font = `500 ${Math.round(11.5 * ratio)}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const label of labels.sort((a, b) => a.rank - b.rank)) {
    const at = camera.project(label.at);
    if (!at) continue;
    const wide = context.measureText(label.text).width, start = (label.from && camera.project(label.from)) || at;
    const dx = at[0] - start[0], dy = at[1] - start[1], far = Math.hypot(dx, dy) || 1;  // beyond the arrow's end
    const free = dx < -0.5 * far ? at[0] - wide - 7 * ratio : at[0] + 7 * ratio;
    const left = clamp(free, 4 * ratio, camera.width - wide - 4 * ratio), middle = at[1] + (label.from ? (9 * ratio * dy) / far : 0);
    const right = left + wide, top = middle - 7 * ratio, bottom = middle + 7 * ratio;
    if (taken.some((t) => left < t[2] && right > t[0] && top < t[3] && bottom > t[1])) continue;
    taken.push([left, top, right, bottom]);
    context.strokeStyle = look.halo;
    context.lineWidth = 3.5 * ratio;
    context.strokeText(label.text, left, middle);
    context.fillStyle = label.color ? css(label.color.map((c) => c + look.lift * (1 - c))) : look.ink;
    context.fillText(label.text, left, middle);
  }
}
