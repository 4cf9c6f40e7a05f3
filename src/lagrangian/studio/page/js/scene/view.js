// The player in the studio: it can show another mechanism, motion or pose without being created anew.

import {
  add, clamp, Course, cross, across, decode, dot, FIELD, niceBelow, norm, outline, Player, players, scale, sub, tips, unit,
} from "/player.js";

const decodeScene = (packed) => ({ ...decode(JSON.stringify(packed)), autoplay: true, speed: 1, full: true });

export class View extends Player {
  constructor(root, packed) {
    super(root, decodeScene(packed));
    this.after = new Set();  // called when a picture is drawn
    this.held = false;  // while something is dragged, the camera stays
    players[root.id] = root.player = this;
  }

  /** Show another scene. The camera stays where the user put it, unless `fresh`. */
  load(packed, { fresh = false } = {}) {
    const data = decodeScene(packed), { camera, controls } = this, kept = camera.touched || this.held;
    this.data = data;
    this.course = new Course(data);
    const points = outline(data, this.course);
    this.middle = scale(points.reduce(add, [0, 0, 0]), 1 / points.length);
    this.radius = points.reduce((most, p) => Math.max(most, norm(sub(p, this.middle))), 0.3 * data.size);
    this.grid = niceBelow(data.size / 4);
    this.groups = [...new Set(data.arrows.map((a) => a.group))];
    for (const group of this.groups) this.shown[group] ??= false;
    this.shown.path = data.traces.length > 0;
    this.gpu = null;
    const up = unit(data.up), turned = dot(up, camera.up) < 0.999;
    Object.assign(camera, { data, points, tips: () => tips(data, this.shown), up, x: across(up) });
    camera.y = cross(up, camera.x);
    if (fresh || turned) {
      camera.home = null;
      camera.reset();
    } else if (!kept) camera.fit();
    this.now = this.rest = 0;
    this.playing = data.rows > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.course.seek(0);
    controls.canvas.setAttribute("aria-label", `${data.name} in 3D. Drag a part to move it, drag beside it to turn the view, scroll to zoom, double-click for the default view.`);
    controls.name.textContent = controls.name.title = data.name;
    controls.note.firstChild.textContent = `grid ${Number(this.grid.toPrecision(2))} m`;
    controls.chips.replaceChildren();
    controls.toggles();
    this.root.querySelector(".lgp-bar")?.remove();
    controls.play = controls.was = undefined;
    if (data.rows > 1) controls.bar();
    controls.update();
    this.refresh();
  }

  get moves() {
    return this.data.rows > 1;
  }

  /** Move all frames of a still scene to positions and quaternions (w, x, y, z). */
  pose({ p, r }) {
    if (this.moves) return;
    this.data.frames.forEach((frame, k) => {
      if (!p[k]) return;
      frame.p = Float32Array.from(p[k]);
      frame.r = Float32Array.from(r[k]);
    });
    this.course.seek(0);
    this.refresh();
  }

  render() {
    super.render();
    this.after?.forEach((listener) => listener());
  }

  /** The player handles keys only while it has the focus. */
  key(event) {
    if (this.root.contains(event.target)) super.key(event);
  }

  /** Pixels of the picture for one of the page. */
  get ratio() {
    const { canvas } = this.controls;
    return this.camera.height / (canvas.clientHeight || 1);
  }

  /** The ray from the eye through a position on the screen. */
  ray(clientX, clientY) {
    const box = this.controls.canvas.getBoundingClientRect(), { camera } = this, { toEye, right, above } = camera.axes();
    const k = (2 * FIELD) / camera.height, x = (clientX - box.left) * this.ratio, y = (clientY - box.top) * this.ratio;
    const way = add(add(scale(right, (x - camera.width / 2) * k), scale(above, (camera.height / 2 - y) * k)), scale(toEye, -1));
    return { from: camera.eye, way: unit(way) };
  }

  /** The point where a ray meets a plane; null where it does not. */
  meet({ from, way }, point, normal) {
    const slope = dot(way, normal), far = dot(sub(point, from), normal) / slope;
    return Math.abs(slope) > 1e-6 && far > 0 && far < 1e4 * this.data.size ? add(from, scale(way, far)) : null;
  }

  /** A point of the world on the screen, in pixels from the corner of the stage. */
  onScreen(point) {
    const at = this.camera.project(point);
    return at && [at[0] / this.ratio, at[1] / this.ratio];
  }

  /** The world axis that is nearest to the direction of the view. */
  facing() {
    const { toEye } = this.camera.axes(), sizes = toEye.map(Math.abs), k = sizes.indexOf(Math.max(...sizes));
    return [0, 1, 2].map((i) => (i === k ? clamp(Math.sign(toEye[k]), -1, 1) || 1 : 0));
  }
}
