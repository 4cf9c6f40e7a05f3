// Dragging a linkage at a pin: it follows as near as its bars allow, and its lengths stay.
import { close, system } from "./solve.js";

const MAX_STEP_SHARE = 0.04; // of the linkage's size: the longest step of a dragged pin
const DRAGGED_WEIGHT = 1e4; // the weight of the dragged pin, which the others yield to

/** A drag of a pin, from the drawn pose. `to(x, y)` returns the positions of all pins, by name. */
export class Drag {
  constructor(drawing, name) {
    this.linkage = system(drawing);
    this.x = Float64Array.from(this.linkage.x);
    this.k = this.linkage.index.get(name);
    this.ground = this.linkage.fixed[this.k];
    const xs = drawing.pins.map((pin) => pin.x), ys = drawing.pins.map((pin) => pin.y);
    this.size = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), 0.05);
  }

  to(px, py) {
    const { k } = this;
    for (let go = 0; go < 60; go++) {
      const dx = px - this.x[2 * k], dy = py - this.x[2 * k + 1], far = Math.hypot(dx, dy);
      if (far < 1e-12) break;
      const share = Math.min(1, MAX_STEP_SHARE * this.size / far);
      const x = Float64Array.from(this.x);
      x[2 * k] += share * dx;
      x[2 * k + 1] += share * dy;
      const weight = this.linkage.names.map((_, one) => (one === k ? DRAGGED_WEIGHT : 1));
      if (!close(this.linkage, x, { weight })) break; // at a stop: stay
      const moved = Math.hypot(x[2 * k] - this.x[2 * k], x[2 * k + 1] - this.x[2 * k + 1]);
      const nearer = Math.hypot(px - x[2 * k], py - x[2 * k + 1]);
      if (nearer > far - 1e-3 * share * far) break; // it turns away: this is as near as it comes
      this.x = x;
      if (moved < 1e-9 * this.size) break;
    }
    return this.places();
  }

  places() {
    return new Map(this.linkage.names.map((name, k) => [name, [this.x[2 * k], this.x[2 * k + 1]]]));
  }
}

/** The positions of all pins with other lengths of bars; null if the bars cannot meet. */
export const withLengths = (drawing, lengths) => withEquations(drawing, system(drawing, lengths).equations);

/** The positions of all pins by these equations in place of the drawing's own; null if there are none. */
export function withEquations(drawing, equations) {
  const linkage = { ...system(drawing), equations }, x = Float64Array.from(linkage.x);
  return close(linkage, x) ? new Map(linkage.names.map((name, k) => [name, [x[2 * k], x[2 * k + 1]]])) : null;
}

/** The positions of all pins near others, such as those of a motion, with all lengths as drawn. */
export function nearestClosed(drawing, places) {
  const linkage = system(drawing), x = Float64Array.from(linkage.x);
  linkage.names.forEach((name, k) => { if (places.has(name)) [x[2 * k], x[2 * k + 1]] = places.get(name); });
  return close(linkage, x) ? new Map(linkage.names.map((name, k) => [name, [x[2 * k], x[2 * k + 1]]])) : null;
}
