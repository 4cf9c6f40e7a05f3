// The difference of two texts, line by line.

import { element } from "/player.js";

const MAX_LINES = 1500;  // lines of which the common ones are looked for; of more, all are taken to differ
const CONTEXT_LINES = 1;  // lines that are shown before and after what differs

/** `[[sign, line]]` from one text to another: "-" is in the first alone, "+" in the second alone, " " in both. */
export function compare(first, second) {
  const a = first.split(/\r?\n/), b = second.split(/\r?\n/);
  let head = 0, tail = 0;
  const least = Math.min(a.length, b.length);
  while (head < least && a[head] === b[head]) head++;
  while (tail < least - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (lines) => lines.map((line) => [" ", line]);
  return [...same(a.slice(0, head)), ...differingLines(a.slice(head, a.length - tail), b.slice(head, b.length - tail)), ...same(a.slice(a.length - tail))];
}

/** The difference between two lists of lines, by their longest common subsequence. */
function differingLines(a, b) {
  if (a.length > MAX_LINES || b.length > MAX_LINES) return [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  const width = b.length + 1, common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
  const lines = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) lines.push([" ", a[i++]]), j++;
    else if (j >= b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) lines.push(["-", a[i++]]);
    else lines.push(["+", b[j++]]);
  }
  return lines;
}

/** An element with the lines that differ; `theirs` and `mine` say which text is which. */
export function difference([theirs, first], [mine, second]) {
  const all = compare(first, second), near = new Set();
  all.forEach(([sign], k) => {
    if (sign !== " ") for (let i = k - CONTEXT_LINES; i <= k + CONTEXT_LINES; i++) near.add(i);
  });
  const lines = element("div", { class: "lines", tabindex: 0, role: "group", "aria-label": "The lines that differ" });
  let last = -1;
  all.forEach(([sign, line], k) => {
    if (!near.has(k)) return;
    if (k > last + 1) lines.append(element("div", { class: "gap" }, "⋯"));
    const kind = { "-": "theirs", "+": "mine", " ": "" }[sign];
    lines.append(element("div", { class: kind }, `${sign.replace("-", "−")} ${line}`));
    last = k;
  });
  if (!near.size) lines.append(element("div", {}, "Only the ends of lines differ."));
  const key = element("p", { class: "key small" }, element("span", { class: "theirs" }, `− ${theirs}`), element("span", { class: "mine" }, `+ ${mine}`));
  return element("div", { class: "difference" }, key, lines);
}
