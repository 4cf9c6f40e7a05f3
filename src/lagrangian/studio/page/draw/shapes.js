// Shapes in SVG: bars and plates, pins, ground, blocks, motors, arrows. All in pixels.

const SVG = "http://www.w3.org/2000/svg";

export function shape(tag, attributes = {}, ...inner) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined && value !== false) element.setAttribute(key, typeof value === "number" ? round(value) : value);
  for (const one of inner) element.append(one);
  return element;
}

const round = (x) => Math.round(x * 100) / 100;

/** The corners of the convex hull of points, in one sense (Andrew's monotone chain). */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const half = (order) => {
    const corners = [];
    for (const p of order) {
      while (corners.length > 1 && (corners.at(-1)[0] - corners.at(-2)[0]) * (p[1] - corners.at(-2)[1]) - (corners.at(-1)[1] - corners.at(-2)[1]) * (p[0] - corners.at(-2)[0]) <= 0) corners.pop();
      corners.push(p);
    }
    return corners.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

const path = (points, closed) => `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}${closed ? "Z" : ""}`;

/** A bar of its width, or a plate: the polygon of its pins with a rim. */
export function link(points, width, kind) {
  const corners = hull(points), d = path(corners, corners.length > 2);
  return shape("g", { class: kind }, shape("path", { d, class: "rim", "stroke-width": width + 2 }), shape("path", { d, class: "face", "stroke-width": width }));
}

export function pin(x, y, radius, kind) {
  return shape("circle", { cx: x, cy: y, r: radius, class: kind });
}

/** The sign of a fixed pin: a foot on a hatched line. */
export function foot(x, y) {
  const hatch = [-13, -7, -1, 5, 11].map((k) => `M${x + k} ${y + 17}l-5 6`).join("");
  return shape("g", { class: "foot" },
    shape("path", { d: `M${x} ${y}L${x - 11} ${y + 17}H${x + 11}Z`, class: "face" }),
    shape("path", { d: `M${x - 17} ${y + 17}H${x + 17}${hatch}`, class: "hatch" }));
}

/** A block, and the line that it slides along; on the ground the line is hatched. */
export function block(x, y, angle, size, ground, long) {
  const hatch = [];
  for (let k = -long + 6; k < long; k += 9) hatch.push(`M${k} ${size * 0.5 + 3}l-5 6`);
  const turned = `translate(${round(x)} ${round(y)}) rotate(${round(-angle * 180 / Math.PI)})`;
  return shape("g", { transform: turned, class: "slider" },
    ground ? shape("path", { d: `M${-long} ${size * 0.5 + 3}H${long}${hatch.join("")}`, class: "hatch" }) : "",
    shape("rect", { x: -size * 0.8, y: -size * 0.5, width: size * 1.6, height: size, rx: 3, class: "face" }));
}

/** An arc with an arrow around a pin: the sense in which a motor turns. */
export function motor(x, y, forward) {
  const r = 17, sweep = forward ? 0 : 1, side = forward ? 1 : -1;
  const at = (degrees) => [x + r * Math.cos(degrees * Math.PI / 180) * side, y - r * Math.sin(degrees * Math.PI / 180)];
  const [ax, ay] = at(-50), [bx, by] = at(130), tip = at(152), out = [x + (r + 6) * Math.cos(122 * Math.PI / 180) * side, y - (r + 6) * Math.sin(122 * Math.PI / 180)], inner = [x + (r - 6) * Math.cos(122 * Math.PI / 180) * side, y - (r - 6) * Math.sin(122 * Math.PI / 180)];
  return shape("g", { class: "motor" },
    shape("path", { d: `M${round(ax)} ${round(ay)}A${r} ${r} 0 0 ${sweep} ${round(bx)} ${round(by)}`, class: "arc" }),
    shape("path", { d: path([tip, out, inner], true), class: "tip" }));
}

export function arrow(x, y, dx, dy, color) {
  const long = Math.hypot(dx, dy);
  if (long < 3) return "";
  const ux = dx / long, uy = dy / long, head = Math.min(10, long * 0.45), tx = x + dx, ty = y + dy;
  const corners = [[tx, ty], [tx - ux * head - uy * head * 0.42, ty - uy * head + ux * head * 0.42], [tx - ux * head + uy * head * 0.42, ty - uy * head - ux * head * 0.42]];
  return shape("g", { class: "force", style: `--color: ${color}` },
    shape("path", { d: path([[x, y], [tx - ux * head * 0.9, ty - uy * head * 0.9]]), class: "shaft" }), shape("path", { d: path(corners, true), class: "tip" }));
}

export function text(x, y, words, kind, anchor = "start") {
  const element = shape("text", { x, y, class: kind, "text-anchor": anchor });
  element.textContent = words;
  return element;
}
