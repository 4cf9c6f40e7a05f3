// A slider and a number field for each coordinate.

import { element } from "/player.js";

const DEGREES = 180 / Math.PI;
const MAX_UNFOLDED = 8;  // coordinates of which all are shown at once

export class Sliders {
  constructor(place, posture, sizeOf, onUse) {
    Object.assign(this, { place, posture, sizeOf, onUse, rows: new Map(), degrees: true });
    this.unit = element("button", { type: "button", title: "Angles in degrees or radians" }, "deg");
    this.reset = element("button", { type: "button", title: "Return to the start in the text" }, "Reset");
    const head = element("div", { class: "head" }, element("h2", {}, "Coordinates"), element("span", { class: "both" }, this.unit, this.reset));
    this.list = element("div");
    place.append(head, this.list);
    this.unit.addEventListener("click", () => {
      this.degrees = !this.degrees;
      this.unit.textContent = this.degrees ? "deg" : "rad";
      this.build();
    });
    this.reset.addEventListener("click", () => {
      onUse();
      posture.home();
    });
    posture.addEventListener("taken", () => this.take());
    posture.addEventListener("posed", () => this.values());
  }

  take() {
    const names = JSON.stringify(this.posture.coordinates.map(({ name, unit, lower, upper }) => [name, unit, lower, upper]));
    if (names !== this.names) {
      this.names = names;
      this.build();
    } else this.values();
  }

  factor(c) {
    return c.angle && this.degrees ? DEGREES : 1;
  }

  build() {
    this.rows.clear();
    this.list.replaceChildren();
    const size = this.sizeOf() || 1;
    const { coordinates } = this.posture, driven = coordinates.filter((c) => c.actuated), passive = coordinates.filter((c) => !c.actuated);
    const fold = driven.length && passive.length ? element("details", {}, element("summary", {}, "Passive")) : this.list;
    if (coordinates.length <= MAX_UNFOLDED) fold.open = true;
    [...driven, ...passive].forEach((c) => {
      const k = this.factor(c), half = c.angle ? Math.PI : Math.max(c.unit === "m" ? size : 1, 2 * Math.abs(c.value));
      const low = (c.lower ?? -half) * k, high = (c.upper ?? half) * k, id = `coordinate-${this.rows.size}`;
      const range = element("input", { type: "range", min: low, max: high, step: "any", "aria-labelledby": id });
      const number = element("input", { type: "number", step: c.angle && this.degrees ? 1 : 0.01, "aria-labelledby": id });
      const name = element("span", { class: "called", id, title: c.name }, ...c.name.split(/(?<=[_.])/).flatMap((part) => [part, element("wbr")]));
      const unit = c.angle ? (this.degrees ? "°" : "rad") : c.unit || "";
      const row = element("div", { class: "coordinate" }, name, element("span", { class: "value" }, number, element("span", { class: "unit" }, unit)), range);
      const use = (value) => {
        if (!Number.isFinite(value)) return;
        this.onUse();
        this.posture.set(c.name, value / k);
      };
      range.addEventListener("input", () => {
        number.value = round(Number(range.value));
        use(Number(range.value));
      });
      number.addEventListener("change", () => use(Number(number.value)));
      this.rows.set(c.name, { range, number, k, unit });
      (c.actuated ? this.list : fold).append(row);
    });
    if (fold !== this.list) this.list.append(fold);
    if (!coordinates.length) this.list.append(element("p", { class: "quiet small" }, "There are none yet."));
    this.values();
  }

  values() {
    this.posture.coordinates.forEach((c, i) => {
      const row = this.rows.get(c.name), value = (this.posture.values[i] ?? c.value) * row.k;
      if (document.activeElement !== row.number) row.number.value = round(value);
      if (document.activeElement !== row.range || !row.range.matches(":active")) row.range.value = value;
      row.range.setAttribute("aria-valuetext", `${round(value)} ${row.unit}`);
    });
  }
}

const round = (x) => (Math.abs(x) < 5e-4 ? "0" : String(Number(x.toFixed(Math.abs(x) >= 100 ? 1 : 3))));
