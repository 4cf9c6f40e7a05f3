// Equations that the server typeset: only MathML and plain boxes are taken from its text.

const BOXES = new Set(["div", "span", "wbr", "p", "sub", "sup", "b", "i"]);
const ATTRIBUTES = new Set(["class", "display", "displaystyle", "mathvariant", "stretchy", "fence", "form", "accent", "accentunder", "separator", "lspace", "rspace", "width", "height", "depth", "minsize", "maxsize", "columnalign", "rowspacing", "columnspacing", "linethickness", "scriptlevel", "largeop", "movablelimits", "symmetric"]);
const MATH = "http://www.w3.org/1998/Math/MathML";

export function typeset(text) {
  const parsed = new DOMParser().parseFromString(text, "text/html"), out = document.createDocumentFragment();
  take(parsed.body, out);
  return out;
}

function take(from, to) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const name = node.localName, math = node.namespaceURI === MATH;
    if (math ? !/^m[a-z]+$/.test(name) || name === "maction" : !BOXES.has(name)) continue;
    const made = math ? document.createElementNS(MATH, name) : document.createElement(name);
    for (const { name: key, value } of node.attributes) if (ATTRIBUTES.has(key)) made.setAttribute(key, value);
    take(node, made);
    to.append(made);
  }
}
