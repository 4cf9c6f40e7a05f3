// Icons, drawn with lines: each a path in a square of 24.

const PATHS = {
  move: "M8 13V5.5a1.5 1.5 0 0 1 3 0V11m0-1V4.5a1.5 1.5 0 0 1 3 0V11m0-4.5a1.5 1.5 0 0 1 3 0V14c0 4-2 6.500-5.500 6.500C8.500 20.500 7 18.500 5 15.500c-.8-1.300-1-2.500.2-3 1-.4 1.800.300 2.800 1.500",
  shape: "M5 3l14 8-6.200 1.600L9.500 19z",
  bar: "M6 18L18 6M6 18m-2.500 0a2.500 2.500 0 1 0 5 0 2.500 2.500 0 1 0-5 0M18 6m-2.500 0a2.500 2.500 0 1 0 5 0 2.500 2.500 0 1 0-5 0",
  ground: "M12 6m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M11 7.800L7 15h10l-4-7.200M4 15h16M6 19l2-4M11 19l2-4M16 19l2-4",
  slider: "M7 7h10v7H7zM3 17h18M5 21l2-4M10 21l2-4M15 21l2-4M12 10.500h.01",
  point: "M4 19c1-9 5-14 9-13s6 5 7 8M13 6m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
  motor: "M12 12m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M17 17.500A7.500 7.500 0 1 1 19.400 11M19.700 5.500v5.700h-5.500",
  erase: "M6 7h12M10 7V4.500h4V7M7.500 7l.8 12.500h7.400L16.500 7M10.500 10.500l.2 6M13.500 10.500l-.2 6",
  undo: "M8.500 5L4.500 9l4 4M4.500 9H14a5.500 5.500 0 0 1 0 11h-4",
  redo: "M15.500 5l4 4-4 4M19.500 9H10a5.500 5.500 0 0 0 0 11h4",
  play: "M7 4.500l12 7.500-12 7.500z",
  pause: "M8 5v14M16 5v14",
  home: "M5 12V6a1 1 0 0 1 1-1h6M5 12l4-4M19 12v6a1 1 0 0 1-1 1h-6",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  rewind: "M6 5v14M19 5.500L8.500 12 19 18.500z",
  forces: "M4 20L19 5M12 5h7v7",
  magnet: "M6 4v8a6 6 0 0 0 12 0V4h-4v8a2 2 0 0 1-4 0V4zM6 8h4M14 8h4",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" })) svg.setAttribute(key, value);
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
