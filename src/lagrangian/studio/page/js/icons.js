// Icons, 24 x 24, drawn with lines.

const PATHS = {
  new: "M12 5v14M5 12h14",
  open: "M3 7h6l2 2h10v10H3z",
  save: "M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6",
  undo: "M8.5 4.5L4 9l4.5 4.5M4 9h10a5.5 5.5 0 0 1 0 11H8",
  redo: "M15.5 4.5L20 9l-4.5 4.5M20 9H10a5.5 5.5 0 0 0 0 11h6",
  export: "M12 15V4M8 8l4-4 4 4M5 14v6h14v-6",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 1 1 0 16",
  stop: "M7 7h10v10H7z",
  play: "M8 5l11 7-11 7z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  hand: "M8 12V6a1.5 1.5 0 0 1 3 0v5M11 10V4.5a1.5 1.5 0 0 1 3 0V11M14 10V6a1.5 1.5 0 0 1 3 0v6M17 9a1.5 1.5 0 0 1 3 0v6a6 6 0 0 1-6 6h-2a6 6 0 0 1-5-3l-3-5a1.5 1.5 0 0 1 2.5-1.5L8 14",
  ruler: "M3 15L15 3l6 6L9 21zM7 11l2 2M10 8l3 3M13 5l2 2",
  pen: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  back: "M9 7L4 12l5 5M4 12h16",
  close: "M6 6l12 12M18 6L6 18",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS(svg.namespaceURI, "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", width: 17, height: 17, fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }))
    svg.setAttribute(key, value);
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** The icons of all elements that name one. */
export function adorn(root) {
  for (const node of root.querySelectorAll("[data-icon]:not([data-adorned])")) {
    node.dataset.adorned = "";
    node.prepend(icon(node.dataset.icon));
  }
}
