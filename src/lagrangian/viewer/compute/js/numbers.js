// Numbers and units as the page shows them: angles in degrees or radians.

const DEGREES = 180 / Math.PI;

/** The unit in which a quantity is shown, and the factor from the computed values. */
function displayUnit({ unit, angle }, degrees) {
  if (!angle || !degrees) return { unit, factor: 1 };
  return { unit: unit.replace("rad", "deg"), factor: DEGREES };
}

/** A number as text with a few figures, and a true minus sign. */
function formatNumber(x, figures = 4) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x), text = size !== 0 && (size >= 1e6 || size < 1e-4) ? x.toExponential(figures - 2) : String(Number(x.toPrecision(figures)));
  return text.replace("-", "−");
}

/** The step of a slider: 1, 2 or 5 times a power of ten, about a thousandth of the range. */
function sliderStep(range) {
  const rough = range / 1000, power = 10 ** Math.floor(Math.log10(rough));
  return power * (rough / power >= 5 ? 5 : rough / power >= 2 ? 2 : 1);
}

/** A multiple of a step, without the digits that binary fractions add. */
const roundToStep = (x, step) => Number((Math.round(x / step) * step).toPrecision(12));

function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  made.append(...children);
  return made;
}
