// Tools that drag parts: the linkage with its lengths fixed, or a pin to another position.
import { Drag } from "./drag.js";
import * as edits from "./edits.js";
import { pinNear, snap, partAt } from "./snap.js";
import { close, system } from "./solve.js";

export const CLICK = 5; // pixels: less is no drag

/** Drag the linkage; its lengths stay. */
export class Move {
  down(app, at) {
    this.hit = partAt(app.drawing, app.view, at.px, at.py, at.touch);
    this.start = at;
    this.before = app.drawing;
    this.dragged = false;
    const pin = this.hit?.kind === "pin" ? this.hit.name : this.hit?.kind === "bar" ? null : this.hit?.name;
    if (this.hit?.kind === "bar") this.grab = this.#grab(app, at); // a bar is pulled at the place where it was pressed
    else if (pin) this.grab = { drag: new Drag(app.drawing, pin), pin };
    else this.grab = null;
  }

  #grab(app, at) {
    const [x, y] = app.view.toWorld(at.px, at.py);
    const d = edits.copy(app.drawing), name = edits.addPin(d, x, y);
    edits.barOf(d, this.hit.name).pins.push(name);
    return { drag: new Drag(d, name), pin: name, held: true };
  }

  move(app, at) {
    if (Math.hypot(at.px - this.start.px, at.py - this.start.py) > CLICK) this.dragged = true;
    if (!this.dragged) return;
    if (!this.grab) return void app.view.pan(at.dx, at.dy);
    const [x, y] = app.view.toWorld(at.px, at.py);
    const places = this.grab.drag.to(x, y);
    const d = edits.copy(this.before);
    edits.place(d, places);
    const end = places.get(this.grab.pin), [ex, ey] = app.view.toScreen(...end);
    app.state.joining = this.grab.held ? null : this.#joins(app, d, at)?.name ?? null;
    app.state.target = Math.hypot(ex - at.px, ey - at.py) > 12 ? [...end, x, y] : null;
    app.history.show(d);
  }

  /** The pin on which a free end is dropped. */
  #joins(app, d, at) {
    const own = this.grab.pin;
    const found = pinNear(d, app.view, at.px, at.py, { but: [own] });
    const loose = found && (edits.linksAt(d, own).length < 2 || edits.linksAt(d, found.name).length < 2);
    return loose && !d.bars.some((bar) => bar.pins.includes(own) && bar.pins.includes(found.name)) ? found : null;
  }

  up(app, at) {
    app.state.target = app.state.joining = null;
    if (!this.dragged) return void app.choose(this.hit);
    if (!this.grab) return;
    const found = this.grab.held ? null : this.#joins(app, app.drawing, at);
    if (!found) return void app.history.settle(this.before);
    const joined = joinKeepingLengths(app.drawing, this.grab.pin, found.name);
    if (joined) app.history.show(joined);
    else {
      app.history.show(this.before);
      app.say(`${this.grab.pin} cannot reach ${found.name} with these bars. Make a bar longer, or use Reshape.`, "bad");
    }
    app.history.settle(this.before);
  }
}

/** Join two pins to one, with all lengths as they are; null if the bars cannot meet. */
export function joinKeepingLengths(drawing, pulled, other) {
  const [keep, gone] = edits.pinOf(drawing, pulled).ground ? [pulled, other] : [other, pulled];
  const before = system(drawing), d = edits.copy(drawing);
  if (!edits.join(d, keep, gone)) return null;
  // lengths, plates and lines are those from before the two were put together; only what the pins are called has changed
  const joined = system(d), now = (k) => joined.index.get(before.names[k] === gone ? keep : before.names[k]);
  const renamed = (e) => Object.fromEntries(Object.entries(e).map(([key, value]) => [key, "ijk".includes(key) ? now(value) : value]));
  joined.equations = before.equations.map(renamed);
  const x = Float64Array.from(joined.x);
  if (!close(joined, x)) return null;
  edits.place(d, new Map(joined.names.map((name, k) => [name, [x[2 * k], x[2 * k + 1]]])));
  return d;
}

/** Move pins; lengths change. */
export class Shape {
  down(app, at) {
    this.hit = partAt(app.drawing, app.view, at.px, at.py, at.touch);
    this.start = at;
    this.before = app.drawing;
    this.dragged = false;
  }

  move(app, at) {
    if (Math.hypot(at.px - this.start.px, at.py - this.start.py) > CLICK) this.dragged = true;
    if (!this.dragged) return;
    if (!this.hit) return void app.view.pan(at.dx, at.dy);
    const d = edits.copy(this.before);
    if (this.hit.kind === "bar") {
      const g = app.snapping ? app.view.grid : 1e-6, [x, y] = app.view.toWorld(at.px, at.py), [x0, y0] = app.view.toWorld(this.start.px, this.start.py);
      for (const name of edits.barOf(d, this.hit.name).pins) {
        const pin = edits.pinOf(d, name);
        pin.x = edits.tidy(pin.x + Math.round((x - x0) / g) * g);
        pin.y = edits.tidy(pin.y + Math.round((y - y0) / g) * g);
      }
    } else {
      const found = snap(this.before, app.view, at.px, at.py, { but: [this.hit.name], on: app.snapping, bars: false });
      app.state.snapped = found;
      const pin = edits.pinOf(d, this.hit.name);
      [pin.x, pin.y] = [edits.tidy(found.x), edits.tidy(found.y)];
      this.found = found;
    }
    app.history.show(d);
  }

  up(app) {
    app.state.snapped = null;
    if (!this.dragged) return void app.choose(this.hit);
    if (!this.hit) return;
    if (this.found?.pin && this.hit.kind === "pin") {
      const d = edits.copy(app.drawing);
      if (edits.join(d, this.found.pin, this.hit.name)) app.history.show(d);
      else {
        app.history.show(this.before);
        app.say("These two pins are on the same bar, or both have a slider. They cannot be joined.", "bad");
      }
    }
    this.found = null;
    app.history.settle(this.before);
  }
}
