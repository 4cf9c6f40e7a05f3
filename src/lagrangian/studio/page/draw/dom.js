// Elements of the page. Text is always set as text: nothing from a file or a user is read as markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...inner) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...inner.filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

/** A field for a number. `put(value)` returns false if the value is not possible. */
export function numberField(label, unit, value, put, { step = "any", digits = 6, min = null } = {}) {
  const input = make("input", { type: "number", step, min, value: Number(value.toPrecision(digits)), "aria-label": unit ? `${label} in ${unit}` : label });
  input.addEventListener("change", () => {
    const entered = input.valueAsNumber;
    const fits = Number.isFinite(entered) && (min === null || entered >= min) && put(entered) !== false;
    if (!fits) input.value = Number(value.toPrecision(digits));
  });
  return make("label", { class: "field" }, make("span", {}, label), input, make("span", { class: "unit" }, unit));
}

export function textField(label, value, put, { maxLength = 60 } = {}) {
  const input = make("input", { type: "text", value, maxlength: maxLength, spellcheck: "false", autocomplete: "off", "aria-label": label });
  input.addEventListener("change", () => { if (put(input.value.trim()) === false) input.value = value; });
  return make("label", { class: "field" }, make("span", {}, label), input);
}

export function tick(label, on, put) {
  const input = make("input", { type: "checkbox" });
  input.checked = on;
  input.addEventListener("change", () => put(input.checked));
  return make("label", { class: "tick" }, input, make("span", {}, label));
}

export function choice(label, options, value, put) {
  const select = make("select", { "aria-label": label }, ...options.map(([key, title]) => make("option", { value: key, selected: key === value }, title)));
  select.addEventListener("change", () => put(select.value));
  return make("label", { class: "field" }, make("span", {}, label), select);
}
