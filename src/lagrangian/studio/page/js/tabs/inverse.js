// Inverse dynamics: a path is drawn or chosen, and the forces and motors that follow it are computed.

import { add, cross, dot, element, norm, scale, sub, unit } from "/player.js";
import { Plots, table } from "../plots.js";
import { warningElements } from "../runner.js";
import { isClosedPath } from "../scene/hand.js";
import { choose, number, Tab } from "./tab.js";

const MAX_POINTS = 120;  // of a path, at most

export class InverseTab extends Tab {
  constructor(desk) {
    super("inverse", desk);
    this.frame = element("select");
    this.seconds = number(2, { min: 1e-3, max: 1e4 });
    this.motors = element("input", { type: "checkbox" });
    this.motors.checked = true;
    this.draw = this.button("Draw a path", () => this.drawing(!this.isDrawing));
    this.draw.setAttribute("aria-pressed", "false");
    const circle = this.button("Circle", () => this.round()), line = this.button("Line", () => this.straight());
    circle.title = "A circle through the frame, in the plane of the view";
    line.title = "A line from the frame across the picture and back";
    this.run = this.button("Find the forces", () => this.start(), "primary");
    this.run.disabled = true;
    this.hint = element("p", { class: "quiet" });
    this.more = element("div");
    this.tables = element("div");
    const figures = element("div");
    this.plots = new Plots(figures, (t) => desk.mechanism.at(t));
    desk.mechanism.addEventListener("time", ({ detail }) => desk.mechanism.plays("inverse") && this.plots.time(detail));
    this.panel.append(
      element("div", { class: "row" }, this.field("Frame", this.frame), this.draw, circle, line, this.field("Seconds", this.seconds),
        element("label", { class: "tick" }, this.motors, "Motors"), this.run),
      this.hint, this.progress, this.more, figures, this.tables,
    );
    this.frame.addEventListener("change", () => this.take(null));
    this.points = null;
    desk.layout.onShow((panel, tab) => {
      if (tab !== "inverse" && this.isDrawing) this.drawing(false);
      desk.mechanism.draw(tab === "inverse" ? this.points : null);
    });
    this.say();
  }

  begin(hand) {
    hand.start = () => this.at();
    hand.addEventListener("drawn", ({ detail }) => {
      this.drawing(false);
      this.take(isClosedPath(detail) ? [...detail, detail[0]] : detail);
      this.start();
    });
  }

  say(text = "Draw a path in the picture with the mouse, or choose a circle or a line. The frame follows it from rest to rest.") {
    this.hint.textContent = text;
  }

  forget() {
    super.forget();
    this.take(null);
    this.plots.show([]);
    this.tables.replaceChildren();
    this.more.replaceChildren();
  }

  look() {
    const { good } = this.desk.doc;
    if (!good) return;
    const frames = good.mechanism.frames.map((f) => f.name ?? f), bodies = good.mechanism.bodies.map((b) => b.name ?? b);
    const names = [...frames, ...bodies.filter((b) => !frames.includes(b))];
    if (names.join("\0") !== this.names) {
      this.names = names.join("\0");
      choose(this.frame, names);
    }
  }

  get isDrawing() {
    return this.draw.getAttribute("aria-pressed") === "true";
  }

  drawing(on) {
    const { mechanism } = this.desk;
    this.draw.setAttribute("aria-pressed", String(on));
    if (on) {
      mechanism.still();
      this.say("Press the mouse button in the picture, draw, and release the button. Escape stops drawing.");
    } else this.say();
    mechanism.mode(on ? "draw" : "move");
  }

  /** The position of the frame. */
  at() {
    return this.desk.mechanism.where(this.frame.value);
  }

  round() {
    const { view } = this.desk.mechanism;
    this.desk.mechanism.still();
    const at = this.at(), n = view.facing(), r = 0.08 * view.data.size;
    const inward = unit(sub(sub(view.data.center, at), scale(n, dot(sub(view.data.center, at), n))));
    const a = norm(inward) > 0.5 ? inward : view.camera.axes().right, b = cross(n, a), middle = add(at, scale(a, r));
    this.take(Array.from({ length: 49 }, (_, k) => {
      const angle = (2 * Math.PI * k) / 48;
      return add(middle, add(scale(a, -r * Math.cos(angle)), scale(b, r * Math.sin(angle))));
    }));
    this.start();
  }

  straight() {
    const { view } = this.desk.mechanism;
    this.desk.mechanism.still();
    const at = this.at(), inward = sub(view.data.center, at), n = view.facing(), flat = sub(inward, scale(n, dot(inward, n)));
    const way = scale(unit(norm(flat) > 1e-6 ? flat : view.camera.axes().right), 0.2 * view.data.size);
    this.take(Array.from({ length: 21 }, (_, k) => add(at, scale(way, k / 20))));
    this.start();
  }

  take(points) {
    this.points = points && evenPoints(points, MAX_POINTS);
    this.run.disabled = !points;
    this.desk.mechanism.draw(this.points);
  }

  async start() {
    const { doc, mechanism } = this.desk, seconds = this.seconds.read(), text = doc.editor.text;
    if (!this.points || seconds === null) return;
    const result = await this.runner.run("inverse", { frame: this.frame.value, points: this.points, seconds, motors: this.motors.checked, q0: this.desk.posture.q });
    if (!result) return;
    this.text = text;
    mechanism.play("inverse", result.track);
    this.more.replaceChildren(...warningElements(result.warnings));
    this.plots.show(result.plots);
    this.tables.replaceChildren();
    for (const [title, data] of [["Peaks", result.peaks], ["Motors", result.motors]]) {
      if (!data) continue;
      this.tables.append(element("h3", {}, title));
      for (const text of data.remarks || []) this.tables.append(element("p", { class: "quiet" }, text));
      if (data.rows?.length) this.tables.append(table(data));
    }
  }
}

/** At most so many points, at even distances along a path. */
function evenPoints(points, most) {
  const lengths = [0];
  for (let k = 1; k < points.length; k++) lengths.push(lengths[k - 1] + norm(sub(points[k], points[k - 1])));
  const total = lengths[lengths.length - 1], count = Math.min(most, points.length);
  let i = 0;
  return Array.from({ length: count }, (_, k) => {
    const s = (total * k) / (count - 1);
    while (i < points.length - 2 && lengths[i + 1] < s) i++;
    const part = (s - lengths[i]) / (lengths[i + 1] - lengths[i] || 1);
    return add(points[i], scale(sub(points[i + 1], points[i]), Math.min(Math.max(part, 0), 1)));
  });
}
