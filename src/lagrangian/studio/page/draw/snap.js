// Snapping of a point: to a pin, a bar or the grid, to the level of another pin, or to a round length.
import { pinOf } from "./edits.js";
import { hull } from "./shapes.js";

const PIN = 13, BAR = 9, GRID = 7, LEVEL = 6; // pixels

/** The pin nearest to a place on the screen. */
export function pinNear(drawing, view, px, py, { within = PIN, but = [] } = {}) {
  let best = null, least = within;
  for (const pin of drawing.pins) {
    if (but.includes(pin.name)) continue;
    const [x, y] = view.toScreen(pin.x, pin.y), far = Math.hypot(x - px, y - py);
    if (far <= least) [best, least] = [pin, far];
  }
  return best;
}

/** The bar or plate under a place on the screen. */
export function barNear(drawing, view, px, py, { but = [], within = BAR } = {}) {
  let best = null, least = Infinity;
  for (const bar of drawing.bars) {
    if (but.includes(bar.name)) continue;
    const corners = hull(bar.pins.map((name) => { const pin = pinOf(drawing, name); return view.toScreen(pin.x, pin.y); }));
    const far = distance(corners, px, py);
    if (far <= Math.max(within, bar.width / 2 * view.scale) && far < least) [best, least] = [bar, far];
  }
  return best;
}

/** The distance of a point from a polygon; 0 inside. */
function distance(corners, px, py) {
  let inside = corners.length > 2, least = Infinity;
  corners.forEach(([ax, ay], k) => {
    const [bx, by] = corners[(k + 1) % corners.length], dx = bx - ax, dy = by - ay;
    if (dx * (py - ay) - dy * (px - ax) < 0) inside = false;
    const share = Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(px - ax - share * dx, py - ay - share * dy));
  });
  return inside ? 0 : least;
}

/** The part at a position on the screen: a pin with its motor or slider, or a bar. */
export function partAt(drawing, view, px, py, touch = false) {
  const pin = pinNear(drawing, view, px, py, { within: touch ? 22 : 13 });
  if (pin) return { kind: "pin", name: pin.name };
  for (const motor of drawing.motors) {
    const own = pinOf(drawing, motor.pin), [x, y] = view.toScreen(own.x, own.y), far = Math.hypot(px - x, py - y);
    if (far > 10 && far < 24) return { kind: "motor", name: motor.pin };
  }
  for (const slider of drawing.sliders) {
    const own = pinOf(drawing, slider.pin), [x, y] = view.toScreen(own.x, own.y);
    if (Math.hypot(px - x, py - y) < 22) return { kind: "slider", name: slider.pin };
  }
  const bar = barNear(drawing, view, px, py, { within: touch ? 14 : 9 });
  return bar ? { kind: "bar", name: bar.name } : null;
}

/** A point on the line of a bar: its middle, one at a round distance from its first pin, or the nearest one. */
export function onBar(drawing, view, bar, x, y) {
  const a = pinOf(drawing, bar.pins[0]), b = pinOf(drawing, bar.pins[1]);
  const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy);
  const along = ((x - a.x) * dx + (y - a.y) * dy) / length, off = Math.abs((x - a.x) * dy - (y - a.y) * dx) / length;
  if (off * view.scale > Math.max(BAR, bar.width / 2 * view.scale)) return { x, y, label: "" };
  const middle = Math.abs(along - length / 2) * view.scale < 8;
  const rounded = Math.round(along / view.grid) * view.grid;
  const s = Math.min(length, Math.max(0, middle ? length / 2 : rounded));
  const place = { x: a.x + s * dx / length, y: a.y + s * dy / length };
  const there = bar.pins.map((name) => pinOf(drawing, name)).find((pin) => Math.hypot(pin.x - place.x, pin.y - place.y) < 1e-6);
  if (there) return { x: there.x, y: there.y, pin: there.name, label: `pin ${there.name}` };
  return { ...place, label: middle ? `middle of ${bar.name}` : `${formatLength(s)} m from ${bar.pins[0]}` };
}

/**
 * Snap a point. `from` is the start of a bar, for its length; pins in `but` are ignored.
 * The result has the position, what it snapped to in words, and lines to show.
 */
export function snap(drawing, view, px, py, { from = null, but = [], on = true, bars = true } = {}) {
  const [wx, wy] = view.toWorld(px, py);
  const pin = pinNear(drawing, view, px, py, { but });
  if (pin) return { x: pin.x, y: pin.y, pin: pin.name, label: `pin ${pin.name}`, lines: [] };
  const bar = bars ? barNear(drawing, view, px, py, { but: drawing.bars.filter((one) => one.pins.some((name) => but.includes(name))).map((one) => one.name) }) : null;
  if (bar) {
    const found = onBar(drawing, view, bar, wx, wy);
    return { ...found, bar: bar.name, label: found.pin ? found.label : `on ${bar.name}`, lines: [] };
  }
  if (!on) return { x: wx, y: wy, label: "", lines: [] };
  const g = view.grid, gx = Math.round(wx / g) * g, gy = Math.round(wy / g) * g;
  if (Math.hypot(gx - wx, gy - wy) * view.scale <= GRID) return { x: gx, y: gy, label: "grid", lines: [] };
  const level = nearest(drawing, but, (one) => Math.abs(one.y - wy) * view.scale), upright = nearest(drawing, but, (one) => Math.abs(one.x - wx) * view.scale);
  if (level || upright) {
    const x = upright ? upright.x : gx, y = level ? level.y : gy;
    const lines = [level && [level.x, level.y, x, y], upright && [upright.x, upright.y, x, y]].filter(Boolean);
    const label = [level && `level with ${level.name}`, upright && `${upright.y < y ? "above" : "below"} ${upright.name}`].filter(Boolean).join(", ");
    return { x, y, label, lines };
  }
  if (from) {
    const dx = wx - from.x, dy = wy - from.y, far = Math.hypot(dx, dy), length = Math.max(g, Math.round(far / g) * g);
    return { x: from.x + dx / far * length, y: from.y + dy / far * length, label: "", lines: [] };
  }
  return { x: gx, y: gy, label: "grid", lines: [] };
}

function nearest(drawing, but, distance) {
  let best = null, least = LEVEL;
  for (const pin of drawing.pins) {
    const far = but.includes(pin.name) ? Infinity : distance(pin);
    if (far < least) [best, least] = [pin, far];
  }
  return best;
}

/** A length or a coordinate as text with four digits. */
export const formatLength = (x) => String(Number(x.toPrecision(4)));
