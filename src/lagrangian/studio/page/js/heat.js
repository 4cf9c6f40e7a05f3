// A heat map of a quantity over two parameters, in the colours of viridis.

import { element } from "/player.js";
import { colour } from "./theme.js";

const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function rampColour(part) {
  const x = Math.min(Math.max(part, 0), 1) * (STOPS.length - 1), k = Math.min(Math.floor(x), STOPS.length - 2);
  return `rgb(${STOPS[k].map((c, i) => Math.round(c + (x - k) * (STOPS[k + 1][i] - c))).join(",")})`;
}

const formatNumber = (x) => Number(x.toPrecision(3)).toString();
const axisLabel = ({ name, unit }) => (unit ? `${name} (${unit})` : name);

export function heatMap(grid) {
  const { x, y, z } = grid, flat = z.flat().filter((v) => v !== null && Number.isFinite(v));
  const low = Math.min(...flat), high = Math.max(...flat), canvas = element("canvas", { class: "heat", role: "img", "aria-label": `${grid.name} over ${x.name} and ${y.name}: from ${formatNumber(low)} to ${formatNumber(high)}` });
  const box = element("figure", { class: "figure", style: "margin: 0; max-width: 640px" }, element("h3", {}, grid.name, element("small", {}, grid.unit ? ` (${grid.unit})` : "")), canvas);
  new ResizeObserver(() => paint(canvas, grid, low, high)).observe(canvas);
  canvas.addEventListener("mousemove", (event) => {
    const { left, top, w, h } = plotArea(canvas), i = Math.floor(((event.offsetX - left) / w) * x.values.length), j = Math.floor((1 - (event.offsetY - top) / h) * y.values.length);
    const value = z[j]?.[i];
    canvas.title = value === undefined ? "" : `${x.name} ${formatNumber(x.values[i])}, ${y.name} ${formatNumber(y.values[j])}: ${value === null ? "no value" : formatNumber(value)}`;
  });
  return box;
}

const plotArea = (canvas) => ({ left: 56, top: 8, w: canvas.clientWidth - 56 - 74, h: canvas.clientHeight - 8 - 40 });

function paint(canvas, { x, y, z }, low, high) {
  const ratio = devicePixelRatio || 1, { left, top, w, h } = plotArea(canvas), c = canvas.getContext("2d");
  if (w <= 0) return;
  Object.assign(canvas, { width: canvas.clientWidth * ratio, height: canvas.clientHeight * ratio });
  c.scale(ratio, ratio);
  c.font = "11px system-ui, sans-serif";
  const nx = x.values.length, ny = y.values.length, span = high - low || 1;
  z.forEach((row, j) => row.forEach((v, i) => {
    c.fillStyle = v === null || !Number.isFinite(v) ? colour("--line") : rampColour((v - low) / span);
    c.fillRect(left + (w * i) / nx, top + h - (h * (j + 1)) / ny, w / nx + 0.6, h / ny + 0.6);
  }));
  c.fillStyle = colour("--soft");
  c.textAlign = "center";
  const every = Math.max(1, Math.ceil((nx * 46) / w));
  x.values.forEach((v, i) => i % every === 0 && c.fillText(formatNumber(v), left + (w * (i + 0.5)) / nx, top + h + 14));
  c.fillText(axisLabel(x), left + w / 2, top + h + 32);
  c.textAlign = "right";
  c.textBaseline = "middle";
  const rows = Math.max(1, Math.ceil((ny * 18) / h));
  y.values.forEach((v, j) => j % rows === 0 && c.fillText(formatNumber(v), left - 6, top + h - (h * (j + 0.5)) / ny));
  c.save();
  c.translate(10, top + h / 2);
  c.rotate(-Math.PI / 2);
  c.textAlign = "center";
  c.fillText(axisLabel(y), 0, 0);
  c.restore();
  for (let k = 0; k < 60; k++) {
    c.fillStyle = rampColour(k / 59);
    c.fillRect(left + w + 14, top + h - (h * (k + 1)) / 60, 12, h / 60 + 0.6);
  }
  c.fillStyle = colour("--soft");
  c.textAlign = "left";
  c.fillText(formatNumber(high), left + w + 30, top + 6);
  c.fillText(formatNumber(low), left + w + 30, top + h - 6);
}
