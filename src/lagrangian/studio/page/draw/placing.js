// Tools that add or remove parts: by a drag, by two clicks, or by one click.
import { CLICK } from "./dragging.js";
import * as edits from "./edits.js";
import { barNear, onBar, formatLength, snap, partAt } from "./snap.js";

/** The pin at a snapped position: an existing one, or a new one, on a bar if there is a bar. */
function pinAt(d, at, more = {}) {
  if (at.pin) return at.pin;
  const name = edits.addPin(d, at.x, at.y, more);
  if (at.bar) edits.attach(d, at.bar, name);
  return name;
}

/** Tools that need two positions: by one drag or by two clicks. */
class FromTo {
  constructor(rules) { Object.assign(this, rules); }

  down(app, at) {
    if (this.from) return; // the second of two clicks ends it
    const from = this.begin(app, at);
    if (!from) return;
    Object.assign(this, { from, start: at, clicked: false });
    this.move(app, at);
  }

  hover(app, at) {
    if (this.from) this.move(app, at);
    else app.state.snapped = this.look ? this.look(app, at) : null;
  }

  move(app, at) {
    if (!this.from) return;
    this.to = this.end(app, at, this.from);
    app.state.snapped = this.to;
    const length = Math.hypot(this.to.x - this.from.x, this.to.y - this.from.y);
    app.state.pending = { ax: this.from.x, ay: this.from.y, bx: this.to.x, by: this.to.y, kind: this.kind, label: this.label ? this.label(this.from, this.to, length) : `${formatLength(length)} m` };
  }

  up(app, at) {
    if (!this.from) return;
    const still = Math.hypot(at.px - this.start.px, at.py - this.start.py) <= CLICK;
    if (still && !this.clicked && !this.single) { // a click: the next one ends it
      this.clicked = true;
      return;
    }
    this.move(app, at);
    const { from, to } = this;
    this.cancel(app);
    this.done(app, from, to, still);
  }

  cancel(app) {
    this.from = null;
    app.state.pending = app.state.snapped = null;
  }
}

export const bar = () => new FromTo({
  begin: (app, at) => snap(app.drawing, app.view, at.px, at.py, { on: app.snapping }),
  look: (app, at) => snap(app.drawing, app.view, at.px, at.py, { on: app.snapping }),
  end: (app, at, from) => snap(app.drawing, app.view, at.px, at.py, { from, but: from.pin ? [from.pin] : [], on: app.snapping }),
  done(app, from, to) {
    if (Math.hypot(to.x - from.x, to.y - from.y) * app.view.scale < 8) return;
    if (from.bar && !from.pin && from.bar === to.bar) return void app.say("A bar must join two points that can move relative to each other. These points are on the same bar.", "bad");
    let made = null;
    app.history.change((d) => {
      const a = pinAt(d, from), b = pinAt(d, to);
      made = edits.addBar(d, a, b);
      if (!made) return false;
    });
    if (made) app.choose({ kind: "bar", name: made });
    else app.say("A bar already joins these two pins.", "bad");
  },
});

export const point = () => new FromTo({
  kind: "faint",
  single: true,
  begin(app, at) {
    const hit = partAt(app.drawing, app.view, at.px, at.py, at.touch);
    if (hit?.kind === "pin") {
      app.history.change((d) => { const own = edits.pinOf(d, hit.name); own.trace = !own.trace; });
      app.choose(hit);
      return null;
    }
    if (hit?.kind !== "bar") {
      app.say("A point belongs to a bar. Press on a bar.", "bad");
      return null;
    }
    const [x, y] = app.view.toWorld(at.px, at.py);
    return { ...onBar(app.drawing, app.view, edits.barOf(app.drawing, hit.name), x, y), bar: hit.name };
  },
  end(app, at, from) {
    const own = edits.barOf(app.drawing, from.bar), [x, y] = app.view.toWorld(at.px, at.py);
    const found = onBar(app.drawing, app.view, own, x, y);
    return found.label ? found : snap(app.drawing, app.view, at.px, at.py, { on: app.snapping, bars: false });
  },
  label: (from, to) => (from.bar ? to.label : ""),
  done(app, from, to) {
    if (to.pin) return void app.say("There is already a pin here. Click it to draw its path.", "bad");
    let name = "";
    app.history.change((d) => {
      name = edits.addPin(d, to.x, to.y, { trace: true, name: "P" });
      edits.attach(d, from.bar, name);
    });
    app.choose({ kind: "pin", name });
  },
});

export const slider = () => new FromTo({
  kind: "faint",
  single: true,
  begin(app, at) {
    const found = snap(app.drawing, app.view, at.px, at.py, { on: app.snapping });
    return { ...found, over: found.pin ? barNear(app.drawing, app.view, at.px, at.py, { but: edits.barsAt(app.drawing, found.pin).map((one) => one.name) })?.name : null };
  },
  look: (app, at) => snap(app.drawing, app.view, at.px, at.py, { on: app.snapping }),
  end(app, at, from) {
    const own = from.pin ? edits.barsAt(app.drawing, from.pin).map((one) => one.name) : [];
    const on = barNear(app.drawing, app.view, at.px, at.py, { but: [...own, ...(from.bar ? [from.bar] : [])] });
    const [x, y] = app.view.toWorld(at.px, at.py), dx = x - from.x, dy = y - from.y, far = Math.hypot(dx, dy);
    const step = app.snapping ? Math.PI / 12 : 1e-6;
    const angle = far * app.view.scale < 8 ? 0 : Math.round(Math.atan2(dy, dx) / step) * step;
    return { x: from.x + far * Math.cos(angle), y: from.y + far * Math.sin(angle), angle, on: on?.name ?? null, label: on ? `slides along ${on.name}` : "" };
  },
  label: (from, to) => (to.on ? "" : `${Math.round(to.angle * 180 / Math.PI)}°`),
  done(app, from, to, still) {
    const on = still ? from.over : to.on;
    let name = "";
    app.history.change((d) => {
      name = pinAt(d, from);
      if (on) {
        const own = edits.barOf(d, on), [a, b] = own.pins.map((one) => edits.pinOf(d, one)), pin = edits.pinOf(d, name);
        const free = edits.barsAt(d, name).length < 2 && !pin.ground; // it is put onto the bar, where that changes no loop
        if (free) {
          const dx = b.x - a.x, dy = b.y - a.y, share = ((pin.x - a.x) * dx + (pin.y - a.y) * dy) / (dx * dx + dy * dy);
          [pin.x, pin.y] = [a.x + share * dx, a.y + share * dy];
        }
      }
      let angle = to.angle;
      if (angle > Math.PI / 2 + 1e-9) angle -= Math.PI;
      if (angle < -Math.PI / 2 + 1e-9) angle += Math.PI;
      edits.addSlider(d, name, on ?? "ground", on ? 0 : angle);
    });
    app.choose({ kind: "slider", name });
  },
});

/** Tools that need one click. */
class Click {
  constructor(rules) { Object.assign(this, rules); }
  down(app, at) { this.hit = partAt(app.drawing, app.view, at.px, at.py, at.touch); }
  move() {}
  hover(app, at) { app.state.snapped = this.look ? this.look(app, at) : null; }
  up(app, at) { this.done(app, this.hit, at); }
}

export const ground = () => new Click({
  look: (app, at) => snap(app.drawing, app.view, at.px, at.py, { on: app.snapping }),
  done(app, hit, at) {
    const place = snap(app.drawing, app.view, at.px, at.py, { on: app.snapping });
    let name = "";
    app.history.change((d) => {
      if (place.pin) {
        const pin = edits.pinOf(d, name = place.pin);
        pin.ground = !pin.ground;
        if (pin.ground && edits.sliderAt(d, name)?.on === "ground") edits.removeSlider(d, name);
        edits.tidyUp(d);
      } else name = pinAt(d, place, { ground: true });
    });
    app.choose(edits.pinOf(app.drawing, name) ? { kind: "pin", name } : null);
  },
});

export const motor = () => new Click({
  done(app, hit) {
    if (!hit || hit.kind === "bar") return void app.say("A motor acts at a pin. Click a pin.", "bad");
    const before = edits.motorsAt(app.drawing, hit.name);
    if (before.length) return void app.choose({ kind: "motor", name: hit.name });
    if (edits.linksAt(app.drawing, hit.name).length < 2) return void app.say("A motor turns one link relative to another, but this pin has only one link. Fix it to the ground, or join another bar to it.", "bad");
    app.history.change((d) => (edits.addMotor(d, hit.name) ? undefined : false));
    app.choose({ kind: "motor", name: hit.name });
  },
});

export const erase = () => new Click({ done: (app, hit) => { if (hit) app.erase(hit); } });
