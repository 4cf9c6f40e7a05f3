// The bar below the picture, and the buttons over it.

const ICONS = {
  play: '<path d="M7 4.5v15l12.5-7.5z"/>',
  pause: '<path d="M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z"/>',
  loop: '<path d="M17 3l4 4-4 4V8H7a3 3 0 0 0-3 3v1H2v-1a5 5 0 0 1 5-5h10zM7 21l-4-4 4-4v3h10a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z"/>',
  home: '<path d="M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z"/>',
};
const icon = (name) => `<svg viewBox="0 0 24 24" width="18" height="18" fill="currentColor" aria-hidden="true">${ICONS[name]}</svg>`;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const name in attributes) {
    if (name === "html") node.innerHTML = attributes[name];  // icons of ours alone: names from files are always text
    else node.setAttribute(name, attributes[name]);
  }
  node.append(...children);
  return node;
}

class Controls {
  constructor(player) {
    this.player = player;
    const { data } = player;
    this.canvas = element("canvas", { class: "lgp-canvas", role: "img", "aria-label": `${data.name} in 3D. Drag to turn, shift-drag to move, scroll to zoom, double-click for the default view.` });
    this.name = element("div", { class: "lgp-name" }, data.name);
    this.name.title = data.name;
    this.chips = element("div", { class: "lgp-chips", role: "group", "aria-label": "Show" });
    this.hint = element("span", { class: "lgp-hint" }, ` · drag to turn, ${data.full ? "" : "click and "}scroll to zoom`);
    this.note = element("div", { class: "lgp-note", "aria-hidden": "true" }, `grid ${Number(player.grid.toPrecision(2))} m`, this.hint);
    this.top = element("div", { class: "lgp-top" }, this.name, this.chips);
    this.stage = element("div", { class: "lgp-stage" }, this.canvas, this.top, this.note);
    player.root.append(this.stage);
    this.toggles();
    if (data.rows > 1) this.bar();
  }

  toggles() {
    const { player } = this, { data } = player;
    this.chip("frames", "Frames", null);
    if (data.traces.length && data.rows > 1) this.chip("path", "Path", css(PATHS[0]));
    for (const group of player.groups) {
      const slides = group === "torques" && data.arrows.every((a) => a.group !== group || a.unit === "N");
      this.chip(group, slides ? "Joint forces" : group[0].toUpperCase() + group.slice(1), css(colorOf(group)));
    }
    const home = element("button", { type: "button", class: "lgp-icon", "aria-label": "Default view", title: "Default view (double-click)", html: icon("home") });
    home.addEventListener("click", () => {
      player.camera.reset();
      player.refresh();
    });
    this.chips.append(home);
  }

  chip(what, text, color) {
    const { player } = this;
    const dot_ = element("span", { class: "lgp-dot" });
    dot_.style.background = color || `conic-gradient(${AXES.map((c, k) => `${css(c)} ${120 * k}deg ${120 * k + 120}deg`).join(",")})`;
    const button = element("button", { type: "button", class: "lgp-chip", "data-show": what, "aria-pressed": String(player.shown[what]) }, dot_, text);
    button.addEventListener("click", () => player.show(what, !player.shown[what]));
    this.chips.append(button);
  }

  bar() {
    const { player } = this, { duration } = player.course;
    this.decimals = duration < 0.1 ? 4 : duration < 1 ? 3 : duration < 200 ? 2 : 1;
    this.play = element("button", { type: "button", class: "lgp-icon lgp-play" });
    this.slider = element("input", { type: "range", class: "lgp-slider", min: 0, max: 1000, step: "any", value: 0, "aria-label": "Time" });
    this.clock = element("output", { class: "lgp-clock" });
    this.end = element("span", { class: "lgp-end" });
    this.measure();
    this.speed = element("select", { class: "lgp-speed", "aria-label": "Speed", title: "Speed" });
    for (const x of [...new Set([...SPEEDS, player.speed])].sort((a, b) => a - b))
      this.speed.append(element("option", x === player.speed ? { value: x, selected: "" } : { value: x }, `${Number(x.toPrecision(3))}×`));
    this.loop = element("button", { type: "button", class: "lgp-icon lgp-loop", "aria-label": "Repeat", title: "Repeat", "aria-pressed": String(player.loop), html: icon("loop") });
    player.root.append(element("div", { class: "lgp-bar" }, this.play, this.slider, element("span", { class: "lgp-time" }, this.clock, this.end, " s"), this.speed, this.loop));

    this.play.addEventListener("click", () => player.toggle());
    this.slider.addEventListener("input", () => {
      player.pause();
      const { start, duration } = player.course;
      player.seek(start + (duration * this.slider.value) / 1000);
    });
    this.slider.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) event.preventDefault();  // the player's own steps
    });
    this.speed.addEventListener("change", () => (player.speed = Number(this.speed.value)));
    this.loop.addEventListener("click", () => {
      player.loop = !player.loop;
      this.loop.setAttribute("aria-pressed", String(player.loop));
    });
  }

  /** The time at which the motion ends. */
  measure() {
    const { start, duration } = this.player.course;
    if (this.end) this.end.textContent = ` / ${(start + duration).toFixed(this.decimals)}`;
  }

  /** Update the buttons and labels. */
  update() {
    const { player } = this, { course } = player;
    if (!this.play) return;
    const part = course.duration ? player.now / course.duration : 0;
    this.slider.value = 1000 * part;
    this.slider.style.setProperty("--part", `${100 * part}%`);
    this.clock.textContent = player.time.toFixed(this.decimals);
    this.slider.setAttribute("aria-valuetext", `${player.time.toFixed(this.decimals)} s`);
    if (this.was !== player.playing) {
      this.was = player.playing;
      this.play.innerHTML = icon(player.playing ? "pause" : "play");
      this.play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
      this.play.title = player.playing ? "Pause (space)" : "Play (space)";
    }
  }

  /** Enable the buttons of these groups of arrows; `why` says why the others are disabled. */
  offer(groups, why) {
    for (const chip of this.chips.querySelectorAll("[data-show]")) {
      if (!this.player.groups.includes(chip.dataset.show)) continue;
      chip.disabled = !groups.includes(chip.dataset.show);
      chip.title = chip.disabled ? why : "";
    }
  }

  pressed(what) {
    for (const chip of this.chips.querySelectorAll("[data-show]"))
      if (chip.dataset.show === what) chip.setAttribute("aria-pressed", String(this.player.shown[what]));
  }
}
