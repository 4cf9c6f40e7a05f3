// Plots: one uPlot for each, drawn again when the colours or the width change.

import { element } from "/player.js";
import { colour, onTheme } from "./theme.js";

const { uPlot } = window;  // a classic script of index.html
export const SERIES = { light: ["#0072b2", "#d55e00", "#00795a", "#a4508b", "#946200", "#2a8fbd", "#59636e"], dark: ["#56b4e9", "#f0883e", "#4fd1a5", "#d68fc0", "#e6b84a", "#9ad1f5", "#9aa5b1"] };
const HEIGHT = 200;

/** A place for plots. `onTime(t)` is called with the time under the mouse, for plots over time. */
export class Plots {
  constructor(place, onTime = null) {
    this.place = place;
    this.onTime = onTime;
    this.plots = [];
    this.shown = [];
    place.classList.add("figures");
    onTheme(() => this.draw());
    new ResizeObserver(() => this.fit()).observe(place);
  }

  show(plots) {
    this.shown = plots.filter((plot) => plot.series.length);
    this.draw();
  }

  draw() {
    this.plots.forEach((plot) => plot.destroy());
    this.place.replaceChildren();
    this.plots = this.shown.map((plot) => this.one(plot));
    this.fit();
  }

  one(plot) {
    const title = element("h3", {}, plot.title);
    if (plot.unit && !plot.title.includes(`(${plot.unit})`)) title.append(element("small", {}, ` (${plot.unit})`));
    const box = element("figure", { class: "figure", style: "margin: 0" }, title);
    this.place.append(box);
    const x = plot.t ?? plot.series[0].t, label = plot.x ? `${plot.x.name}${plot.x.unit ? ` (${plot.x.unit})` : ""}` : "t (s)";
    const colours = SERIES[document.documentElement.dataset.theme], grid = { stroke: colour("--line"), width: 1 };
    const axis = { stroke: colour("--soft"), font: "11px system-ui, sans-serif", grid, ticks: { ...grid, size: 4 } };
    const many = plot.series.length > 8, few = plot.x && x.length <= 60;
    const value = (_, v) => (v === null || v === undefined ? "–" : Number(v.toPrecision(5)).toString());
    const drawn = new uPlot({
      width: Math.max(box.clientWidth, 200), height: HEIGHT, legend: { show: !many, live: true }, cursor: { points: { size: 6 }, sync: plot.x ? undefined : { key: "time" }, y: false },
      scales: { x: { time: false }, y: { distr: plot.scale === "log" ? 3 : plot.scale === "symlog" ? 4 : 1, range: plot.scale && plot.scale !== "linear" ? undefined : (_, low, high) => axisRange(low, high, plot.limits) } },
      series: [{ label, value }, ...plot.series.map((s, k) => ({ label: s.name, stroke: colours[k % colours.length], width: 1.6, points: { show: few, size: 5 }, value }))],
      axes: [{ ...axis, size: 26, gap: 2 }, { ...axis, size: 48, gap: 3, values: (_, ticks) => ticks.map((v) => (v === null ? "" : formatTick(v))) }],
      hooks: { draw: [(u) => drawLimits(u, plot.limits || [])], setCursor: [(u) => this.point(u, plot)] },
    }, [x, ...plot.series.map((s) => s.values)], box);
    if (!plot.x) drawn.over.append((drawn.mark = element("div", { class: "now", hidden: "" })));
    drawn.root.setAttribute("role", "img");
    drawn.root.setAttribute("aria-label", `${plot.title}: ${plot.series.map((s) => s.name).join(", ")} over ${label}`);
    return drawn;
  }

  point(u, plot) {
    if (this.onTime && !plot.x && u.cursor.event && u.cursor.left >= 0) this.onTime(u.posToVal(u.cursor.left, "x"));
  }

  /** Mark a time in all plots. */
  time(t) {
    for (const plot of this.plots) {
      if (!plot.mark) continue;
      plot.mark.hidden = false;
      plot.mark.style.left = `${plot.valToPos(t, "x")}px`;
    }
  }

  fit() {
    for (const plot of this.plots) {
      const width = plot.root.parentElement.clientWidth;
      if (width && Math.abs(width - plot.width) > 1) plot.setSize({ width, height: HEIGHT });
    }
  }
}

/** The range of an axis with some room; it includes limits that are not far away. */
function axisRange(low, high, limits = []) {
  if (low === null || high === null) return [-1, 1];
  const span = Math.max(high - low, 1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-30);
  for (const { value } of limits || []) if (value > low - span && value < high + span) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const room = 0.07 * (high - low || Math.abs(high) || 1);
  return [low - room, high + room];
}

function drawLimits(u, list) {
  const { ctx, bbox } = u;
  for (const { value, passed } of list) {
    const y = u.valToPos(value, "y", true);
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.save();
    ctx.strokeStyle = colour(passed ? "--bad" : "--warn");
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.lineWidth = 1.3 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}

function formatTick(v) {
  const size = Math.abs(v);
  if (v === 0) return "0";
  return size >= 1e5 || size < 1e-3 ? v.toExponential(0).replace("e+", "e") : Number(v.toPrecision(4)).toString();
}

/** A table of a job's result. */
export function table({ head: columns, rows }) {
  const number = (x) => typeof x === "number" || (typeof x === "string" && /^[-−+]?[\d.][\d.e+−-]*( \S{1,5})?$/.test(x));
  const right = columns.map((_, k) => rows.length > 0 && rows.every((row) => row[k] === null || number(row[k])));
  const cell = (tag, x, k) => element(tag, right[k] ? { class: "n" } : String(x ?? "").length > 40 ? { class: "words" } : {}, x === null || x === undefined ? "–" : typeof x === "number" ? Number(x.toPrecision(5)).toString() : String(x));
  const head = element("tr");
  columns.forEach((name, k) => head.append(element("th", { scope: "col", class: right[k] ? "n" : "" }, String(name))));
  const body = element("tbody");
  for (const row of rows) {
    const line = element("tr");
    row.forEach((x, k) => line.append(cell("td", x, k)));
    body.append(line);
  }
  return element("div", { class: "wide" }, element("table", {}, element("thead", {}, head), body));
}
