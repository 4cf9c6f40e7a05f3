// The overlay of the picture: grips of lengths, the name under the mouse, a drawn path.

import { element } from "/player.js";

export class Overlay {
  constructor(view) {
    this.view = view;
    this.tag = element("div", { class: "tag", hidden: "" });
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("aria-hidden", "true");
    this.line = this.svg.appendChild(document.createElementNS(this.svg.namespaceURI, "path"));
    this.line.setAttribute("class", "drawn");
    this.layer = element("div", { class: "over-layer" });
    this.layer.append(this.svg, this.tag);
    view.controls.stage.append(this.layer);
    this.points = null;
    this.grips = [];
    view.after.add(() => this.update());
  }

  name(text, x, y) {
    this.tag.hidden = !text;
    if (!text) return;
    const box = this.layer.getBoundingClientRect();
    this.tag.textContent = text;
    Object.assign(this.tag.style, { left: `${x - box.left}px`, top: `${y - box.top}px` });
  }

  /** A path in the world. */
  path(points) {
    this.points = points;
    this.update();
  }

  /** Grips for these handles, or none. `nudge(handle, dx, dy)` is for the keyboard. */
  grip(lengths, shown) {
    const focused = this.layer.contains(document.activeElement) ? document.activeElement.dataset.handle : null;
    const wanted = shown ? lengths.handles : [];
    this.lengths = lengths;
    if (wanted.length !== this.grips.length || wanted.some((h, k) => String(h.id) !== this.grips[k].dataset.handle)) {
      this.grips.forEach((grip) => grip.remove());
      this.grips = wanted.map((handle) => this.make(handle));
      this.layer.append(...this.grips);
      this.grips.find((grip) => grip.dataset.handle === focused)?.focus();
    }
    this.update();
  }

  make(handle) {
    const grip = element("button", { type: "button", class: "grip", "data-handle": handle.id, "aria-label": `Length: ${handle.label}. Drag it, or use the arrow keys.`, title: handle.label });
    grip.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      this.lengths.nudge(this.lengths.handle(handle.id), ...way);
    });
    return grip;
  }

  update() {
    for (const grip of this.grips) {
      const handle = this.lengths.handle(grip.dataset.handle), at = handle && this.view.onScreen(this.lengths.world(handle));
      grip.hidden = !at;
      if (at) Object.assign(grip.style, { left: `${at[0]}px`, top: `${at[1]}px` });
    }
    const seen = (this.points || []).map((p) => this.view.onScreen(p)).filter(Boolean);
    this.line.setAttribute("d", seen.length > 1 ? `M${seen.map((p) => p.map((x) => x.toFixed(1)).join(" ")).join("L")}` : "");
  }
}
