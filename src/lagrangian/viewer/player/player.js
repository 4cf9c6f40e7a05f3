// A player: a track, a camera and a clock. `window.lagrangianPlayers[id]` is the player of an element.

const PAUSE = 0.7;  // s, at the end, before it begins again
const MAX_PIXELS = 6e6;  // pixels of a picture
const MAX_SHOWN_ARROWS = 4;  // arrows of a group that are shown from the start

class Player {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.course = new Course(data);
    const points = outline(data, this.course);
    this.middle = scale(points.reduce(add, [0, 0, 0]), 1 / points.length);
    this.radius = points.reduce((most, p) => Math.max(most, norm(sub(p, this.middle))), 0.3 * data.size);
    this.grid = niceBelow(data.size / 4);
    this.groups = [...new Set(data.arrows.map((a) => a.group))];
    this.shown = { frames: false, path: data.traces.length > 0 };
    for (const group of this.groups)
      this.shown[group] = ["torques", "wrenches"].includes(group) && data.arrows.filter((a) => a.group === group).length <= MAX_SHOWN_ARROWS;
    this.camera = new Camera(data, points, () => tips(data, this.shown));
    this.now = 0;  // s since the start
    this.speed = data.speed;
    this.loop = true;
    this.visible = false;
    this.rest = 0;
    this.watchers = [];  // functions that are called with every picture
    this.closing = [];  // functions that end what goes on outside of its element
    const still = data.rows < 2;
    this.playing = !still && data.autoplay && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls = new Controls(this);
    this.context = this.controls.canvas.getContext("2d");
    this.root.classList.toggle("lgp-dark", this.theme === "dark");
    this.course.seek(0);
    this.watch();
    this.controls.update();
  }

  watch() {
    const { canvas } = this.controls;
    listen(this, canvas);
    const resized = new ResizeObserver(() => this.refresh()), scrolled = new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      this.refresh();
    }, { rootMargin: "80px" }), ended = new AbortController(), { signal } = ended;
    resized.observe(canvas);
    scrolled.observe(this.root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh(), { signal });
    window.addEventListener("beforeprint", () => this.render(), { signal });
    if (!this.root.hasAttribute("tabindex")) this.root.tabIndex = 0;
    (this.data.full ? document : this.root).addEventListener("keydown", (event) => this.key(event), { signal });
    this.closing.push(() => resized.disconnect(), () => scrolled.disconnect(), () => ended.abort());
  }

  /** End all work when the element is removed from its page. */
  close() {
    this.playing = this.visible = false;
    for (const end of this.closing) end();
    delete players[this.root.id];
  }

  get theme() {
    const said = this.root.closest("[data-theme]")?.dataset.theme;
    if (said === "light" || said === "dark") return said;
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  get time() {
    return this.course.start + this.now;
  }

  /** Go to a time, s. */
  seek(t) {
    this.now = clamp(t - this.course.start, 0, this.course.duration);
    this.rest = 0;
    this.course.seek(this.now);
    this.refresh();
  }

  play() {
    if (this.data.rows < 2) return;
    if (this.now >= this.course.duration) this.seek(this.course.start);
    this.playing = true;
    this.refresh();
  }

  pause() {
    this.playing = false;
    this.refresh();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  show(what, on) {
    this.shown[what] = on;
    this.camera.settle();
    this.controls.pressed(what);
    this.refresh();
  }

  /** The pose of a frame: sixteen numbers, column after column. */
  matrix(frame) {
    return Array.from(this.course.poses[frame]);
  }

  key(event) {
    const own = event.target.closest?.("button, select, a, input, textarea");
    const inside = this.root.contains(event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || (own && !inside)) return;
    const { start, duration } = this.course, step = duration * (event.shiftKey ? 0.1 : 0.01);
    const does = {
      " ": () => this.toggle(),
      ArrowRight: () => (this.pause(), this.seek(this.time + step)),
      ArrowLeft: () => (this.pause(), this.seek(this.time - step)),
      Home: () => this.seek(start),
      End: () => (this.pause(), this.seek(start + duration)),
    }[event.key];
    if (!does || this.data.rows < 2 || own?.matches("select") || (own?.matches("button") && event.key === " ")) return;
    event.preventDefault();
    does();
  }

  /** Play another motion of the same scene: see replace.js. Time, camera, speed and whether it plays stay; null is the first motion. */
  replace(motion) {
    replaceMotion(this, motion);
  }

  /** Bring all of the motion into the picture, unless the user chose the view. */
  takeIn() {
    takeIn(this);
  }

  /** Draw again at the next frame of the screen. */
  refresh() {
    this.stale = true;
    awaken();
  }

  /** Advance the clock; at the end it rests, and then begins again. */
  advance(passed) {
    const { duration } = this.course;
    if (this.now >= duration) {
      this.rest += passed;
      if (!this.loop) this.playing = false;
      else if (this.rest > PAUSE) this.now = this.rest = 0;
    } else this.now = Math.min(this.now + passed * this.speed, duration);
    this.course.seek(this.now);
    this.stale = true;
  }

  render() {
    const { canvas } = this.controls, on = stage();
    this.stale = false;
    this.controls.update();
    this.root.classList.toggle("lgp-dark", this.theme === "dark");
    for (const watcher of this.watchers) watcher(this);
    if (!on) return this.fail();
    const ratio = Math.min(window.devicePixelRatio || 1, 2, Math.sqrt(MAX_PIXELS / (canvas.clientWidth * canvas.clientHeight || 1)));
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (!width || !height) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const { top, note } = this.controls;
    this.camera.resize(width, height, Math.round((top.offsetHeight + 8) * ratio), Math.round((note.offsetHeight + 8) * ratio));
    if (this.gpu?.stage !== on) this.gpu = upload(on, this.data, this.course);
    else if (this.other) reload(this.gpu, this.data, this.course);
    this.other = false;
    const labels = paint(this, on, width, height, ratio);
    this.context.drawImage(on.canvas, 0, on.canvas.height - height, width, height, 0, 0, width, height);
    writeLabels(this.context, labels, this.camera, this.theme, ratio);
    this.drawn = (this.drawn || 0) + 1;
  }

  fail() {
    this.playing = false;
    if (this.failed) return;
    this.failed = element("p", { class: "lgp-fail", role: "alert" }, "This browser cannot draw in 3D: WebGL 2 is missing or switched off.");
    this.controls.stage.replaceChildren(this.failed);
  }
}

const players = (window.lagrangianPlayers = {});
let asked = false, last = 0;

function awaken() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(tick);
}

function tick(clock) {
  asked = false;
  const passed = clamp((clock - last) / 1000, 0, 0.25);  // a window that was hidden does not jump
  last = clock;
  for (const player of Object.values(players)) {
    if (!player.visible) continue;
    if (player.playing) player.advance(player.ticked ? passed : 0);
    player.ticked = player.playing;
    if (player.stale) player.render();
    if (player.playing) awaken();
  }
}

/** Create players for all elements within one that have none yet. */
function mount(within = document) {
  for (const root of within.querySelectorAll(".lagrangian-player:not([data-ready])")) {
    root.dataset.ready = "";
    root.player = players[root.id] = new Player(root, decode(root.querySelector("script").textContent));
  }
}

window.lagrangianMount = mount;
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mount());
else mount();
