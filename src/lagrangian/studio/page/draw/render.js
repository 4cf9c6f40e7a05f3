// The picture as SVG: grid, paths, links, pins and the part that is being drawn. It is drawn anew after every change.
import { barsAt, pinOf } from "./edits.js";
import { arrow, block, foot, link, motor, pin, shape, text } from "./shapes.js";
import { formatLength } from "./snap.js";

export const COLORS = 6; // of links, in draw.css
const MAX_ARROW_LENGTH = 92; // pixels, of a force's arrow

export class Picture {
  constructor(svg, view) {
    this.svg = svg;
    this.view = view;
    this.layers = Object.fromEntries(["grid", "links", "curves", "pins", "forces", "marks"].map((name) => [name, shape("g", { class: name })]));
    svg.append(...Object.values(this.layers));
    this.gridKey = "";
  }

  /** Draw all that `state` has: drawing, selection, curves, forces, the hovered part and the part that is being drawn. */
  draw(state) {
    this.#grid();
    this.#curves(state);
    this.layers.links.replaceChildren(...this.#sliders(state), ...this.#links(state));
    this.layers.pins.replaceChildren(...this.#pins(state));
    this.layers.forces.replaceChildren(...this.#forces(state));
    this.layers.marks.replaceChildren(...this.#marks(state));
  }

  #at(p) { return this.view.toScreen(p.x, p.y); }

  #grid() {
    const { view } = this, { width, height } = view, g = view.grid;
    const key = [view.x, view.y, view.scale, width, height].join();
    if (key === this.gridKey) return;
    this.gridKey = key;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const lines = { fine: "", strong: "", axis: "" }, labels = [];
    const [left, top] = view.toWorld(0, 0), [right, bottom] = view.toWorld(width, height);
    const kind = (k) => (k === 0 ? "axis" : k % view.strong ? "fine" : "strong");
    for (let k = Math.ceil(left / g); k <= right / g; k++) {
      const [x] = view.toScreen(k * g, 0);
      lines[kind(k)] += `M${x.toFixed(1)} 0V${height}`;
      if (k % view.strong === 0 && x > 30 && x < width - 80) labels.push(text(x + 4, height - 6, formatLength(k * g), "scale"));
    }
    for (let k = Math.ceil(bottom / g); k <= top / g; k++) {
      const [, y] = view.toScreen(0, k * g);
      lines[kind(k)] += `M0 ${y.toFixed(1)}H${width}`;
      if (k % view.strong === 0 && y > 20 && y < height - 24) labels.push(text(5, y - 4, formatLength(k * g), "scale"));
    }
    const unit = text(width - 8, height - 6, "metres", "scale", "end");
    this.layers.grid.replaceChildren(...["fine", "strong", "axis"].map((name) => shape("path", { d: lines[name], class: name })), ...labels, unit);
  }

  /** The paths of traced pins, in metres: the picture's own coordinates are the plane's there. */
  #curves({ curves }) {
    const { view } = this;
    const [ox, oy] = view.toScreen(0, 0);
    this.layers.curves.setAttribute("transform", `translate(${ox.toFixed(2)} ${oy.toFixed(2)}) scale(${view.scale} ${-view.scale})`);
    if (this.curvesDrawn === curves) return;
    this.curvesDrawn = curves;
    this.layers.curves.replaceChildren(...Object.entries(curves ?? {}).map(([name, points]) => {
      const d = `M${points.map(([x, y]) => `${x.toFixed(9)} ${y.toFixed(9)}`).join("L")}`;
      return shape("path", { d, class: "curve", "data-pin": name });
    }));
  }

  #links({ drawing, chosen, hovered }) {
    return drawing.bars.map((bar, k) => {
      const points = bar.pins.map((name) => this.#at(pinOf(drawing, name)));
      const kind = ["link", `color-${k % COLORS}`, isPart(chosen, "bar", bar.name) && "chosen", isPart(hovered, "bar", bar.name) && "hovered"];
      return link(points, Math.max(7, Math.min(60, bar.width * this.view.scale)), kind.filter(Boolean).join(" "));
    });
  }

  #sliders({ drawing, chosen, hovered, guides }) {
    return drawing.sliders.flatMap((slider) => {
      const own = pinOf(drawing, slider.pin), [x, y] = this.#at(own);
      const bar = drawing.bars.find((one) => one.name === slider.on);
      const [a, b] = bar ? bar.pins.map((name) => pinOf(drawing, name)) : [];
      const angle = bar ? Math.atan2(b.y - a.y, b.x - a.x) : slider.angle;
      const size = Math.max(20, 2 * Math.min(...[...barsAt(drawing, slider.pin), ...(bar ? [bar] : [])].map((one) => one.width), 0.04) * this.view.scale);
      const parts = [];
      if (!bar) { // the rail stays where it is while the block moves along it
        const [low, high] = guides?.get(slider.pin) ?? [0, 0], pad = 24 + size;
        const [rx, ry] = this.view.toScreen(own.x - guideAt(own, slider) * Math.cos(angle), own.y - guideAt(own, slider) * Math.sin(angle));
        const from = low * this.view.scale - pad, to = high * this.view.scale + pad;
        let hatch = "";
        for (let k = from + 6; k < to; k += 9) hatch += `M${k.toFixed(1)} ${size * 0.5 + 3}l-5 6`;
        parts.push(shape("g", { class: "slider", transform: `translate(${rx.toFixed(2)} ${ry.toFixed(2)}) rotate(${(-angle * 180 / Math.PI).toFixed(3)})` },
          shape("path", { d: `M${from} ${size * 0.5 + 3}H${to}${hatch}`, class: "hatch" })));
      }
      const made = block(x, y, angle, size, false, 0);
      if (isPart(chosen, "slider", slider.pin)) made.classList.add("chosen");
      if (isPart(hovered, "slider", slider.pin)) made.classList.add("hovered");
      return [...parts, made];
    });
  }

  #pins({ drawing, chosen, hovered, joining, labels }) {
    const shapes = [];
    for (const one of drawing.pins.filter((p) => p.ground)) shapes.push(foot(...this.#at(one)));
    for (const one of drawing.motors) {
      const made = motor(...this.#at(pinOf(drawing, one.pin)), one.value >= 0);
      if (isPart(chosen, "motor", one.pin)) made.classList.add("chosen");
      shapes.push(made);
    }
    for (const one of drawing.pins) {
      const [x, y] = this.#at(one), point = !one.ground && barsAt(drawing, one.name).length < 2 && one.trace;
      const kind = ["pin", point && "point", isPart(chosen, "pin", one.name) && "chosen", isPart(hovered, "pin", one.name) && "hovered", joining === one.name && "joining"];
      shapes.push(pin(x, y, point ? 4.5 : 6, kind.filter(Boolean).join(" ")));
      const aside = drawing.motors.some((other) => other.pin === one.name) ? 20 : 10; // of a motor's arc
      if (labels) shapes.push(text(x + aside, y - 10, one.name, "label"));
    }
    return shapes;
  }

  #forces({ drawing, forces }) {
    if (!forces) return [];
    return forces.list.flatMap(({ pin: name, x, y, size, color, label }) => {
      const own = pinOf(drawing, name);
      if (!own) return [];
      const [px, py] = this.#at(own), share = MAX_ARROW_LENGTH / forces.typical, long = Math.min(size * share, 1.6 * MAX_ARROW_LENGTH), scale = size > 0 ? long / size : 0;
      const dx = x * scale, dy = -y * scale;
      if (long < 3) return [];
      const side = dx >= 0 ? "start" : "end";
      return [arrow(px, py, dx, dy, color), text(px + dx + (dx >= 0 ? 6 : -6), py + dy + 4, label, "newtons", side)];
    });
  }

  #marks({ pending, snapped, target }) {
    const shapes = [];
    for (const [ax, ay, bx, by] of snapped?.lines ?? []) {
      const [x1, y1] = this.view.toScreen(ax, ay), [x2, y2] = this.view.toScreen(bx, by);
      shapes.push(shape("line", { x1, y1, x2, y2, class: "aligned" }));
    }
    if (pending) {
      const [x1, y1] = this.view.toScreen(pending.ax, pending.ay), [x2, y2] = this.view.toScreen(pending.bx, pending.by);
      shapes.push(shape("line", { x1, y1, x2, y2, class: `pending ${pending.kind ?? ""}` }));
      if (pending.label) shapes.push(text((x1 + x2) / 2 + 8, (y1 + y2) / 2 - 8, pending.label, "measure"));
    }
    if (snapped) {
      const [x, y] = this.view.toScreen(snapped.x, snapped.y);
      shapes.push(shape("circle", { cx: x, cy: y, r: snapped.pin ? 11 : 5, class: "snapped" }));
      if (snapped.label && snapped.label !== "grid") shapes.push(text(x + 14, y + 20, snapped.label, "measure"));
    }
    if (target) {
      const [x1, y1] = this.view.toScreen(target[0], target[1]), [x2, y2] = this.view.toScreen(target[2], target[3]);
      shapes.push(shape("line", { x1, y1, x2, y2, class: "pulled" }));
    }
    return shapes;
  }
}

const isPart = (chosen, kind, name) => chosen?.kind === kind && chosen.name === name;

/** Where a pin is along its slider's line, from the point of the line that is nearest to the origin. */
export const guideAt = (own, slider) => own.x * Math.cos(slider.angle) + own.y * Math.sin(slider.angle);
