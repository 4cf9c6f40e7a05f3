// A row for each input: its name, a slider, a field, and a button that resets it.

const KINDS = { parameter: "Parameters", q0: "Start", qd0: "Speeds at the start", gain: "Control" };

class Sliders {
  /** `changed(values)` is called while a slider moves, `settled()` when it is released. */
  constructor(inputs, changed, settled) {
    Object.assign(this, { inputs, changed, settled, degrees: true });
    this.values = inputs.map((it) => it.value);
    this.rows = [];
    this.root = node("div", { class: "lgc-sliders" });
    const longest = Math.max(...inputs.map((it) => it.name.length));
    this.root.style.setProperty("--names", `${Math.min(12, Math.max(4, longest)) * 0.7 + 0.6}em`);
    for (const kind in KINDS) {
      const some = inputs.map((it, k) => k).filter((k) => inputs[k].kind === kind);
      if (some.length) this.root.append(node("fieldset", {}, node("legend", {}, KINDS[kind]), ...some.map((k) => this.row(k))));
    }
    this.write();
  }

  row(k) {
    const it = this.inputs[k], { name } = it;
    const label = node("span", { class: "lgc-name", title: it.label }, name);
    const slider = node("input", { type: "range", class: "lgc-slider", step: "any", "aria-label": name });
    const field = node("input", { type: "text", class: "lgc-value", inputmode: "decimal", "aria-label": `${name}, its value`, spellcheck: "false", autocomplete: "off" });
    const unit = node("span", { class: "lgc-unit" });
    const back = node("button", { type: "button", class: "lgc-back", "aria-label": `Restore the first value of ${name}`, title: "Restore the first value" }, "↺");
    const message = node("span", { class: "lgc-told", role: "status", hidden: "" });
    this.rows[k] = { slider, field, unit, back, message };
    slider.addEventListener("input", () => this.tell(k, "") || this.set(k, roundToStep(Number(slider.value), sliderStep(Number(slider.max) - Number(slider.min))), true));
    slider.addEventListener("change", () => this.settled());
    field.addEventListener("change", () => this.typed(k));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.write();
      const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      const { factor } = this.scale(k), step = 10 * sliderStep(factor * (it.max - it.min));
      this.set(k, roundToStep(factor * this.values[k] + way * step, step), true);
    });
    back.addEventListener("click", () => {
      this.put(k, it.value);
      this.settled();
      slider.focus();  // the button goes away
    });
    return node("div", { class: "lgc-row" }, label, slider, node("span", { class: "lgc-number" }, field, unit), back, message);
  }

  scale(k) {
    const it = this.inputs[k];
    return displayUnit(it, this.degrees && it.kind !== "gain");  // a natural frequency is no speed of a joint
  }

  typed(k) {
    const text = this.rows[k].field.value.trim().replace("−", "-").replace(",", "."), x = Number(text);
    const { min, max } = this.inputs[k], { factor, unit } = this.scale(k), range = `from ${formatNumber(factor * min)} to ${formatNumber(factor * max)} ${unit}`;
    if (text === "" || !Number.isFinite(x)) {
      this.write();
      return this.tell(k, `A number is needed, ${range}.`);
    }
    this.set(k, x);
    this.settled();
    const beyond = x < factor * min - 1e-9 * Math.abs(factor * min) || x > factor * max + 1e-9 * Math.abs(factor * max);
    this.tell(k, beyond ? `The range is ${range}.` : "");
  }

  /** The problem with a typed value. */
  tell(k, text) {
    this.rows[k].message.textContent = text.replace(" .", ".");
    this.rows[k].message.hidden = !text;
  }

  /** A value as its row shows it, within its range. */
  set(k, shown) {
    const { min, max, value } = this.inputs[k], { factor } = this.scale(k), x = shown / factor;
    const exact = Math.abs(x - value) < 1e-9 * (max - min) ? value : x;
    this.put(k, Math.min(max, Math.max(min, exact)));
  }

  put(k, value) {
    if (value === this.values[k]) return this.write();
    this.values = this.values.with ? this.values.with(k, value) : this.values.map((x, j) => (j === k ? value : x));
    this.write();
    this.changed(this.values);
  }

  /** Set all values at once, and return whether any has changed. */
  assign(values) {
    if (values.every((x, k) => x === this.values[k])) return false;
    this.values = values;
    this.write();
    this.changed(values);
    return true;
  }

  reset() {
    this.assign(this.inputs.map((it) => it.value));
    this.settled();
  }

  inDegrees(degrees) {
    this.degrees = degrees;
    this.write();
  }

  get touched() {
    return this.values.some((x, k) => x !== this.inputs[k].value);
  }

  /** Show the values in the rows. */
  write() {
    this.rows.forEach(({ slider, field, unit, back }, k) => {
      const it = this.inputs[k], value = this.values[k], { factor, unit: unitText } = this.scale(k);
      slider.min = factor * it.min;
      slider.max = factor * it.max;
      slider.value = factor * value;
      slider.style.setProperty("--part", `${(100 * (value - it.min)) / (it.max - it.min)}%`);
      slider.setAttribute("aria-valuetext", `${formatNumber(factor * value)} ${unitText}`);
      field.value = [5, 4, 3].map((figures) => formatNumber(factor * value, figures)).find((text) => text.length < 8) || formatNumber(factor * value, 3);
      field.title = `from ${formatNumber(factor * it.min)} to ${formatNumber(factor * it.max)} ${unitText}`;
      unit.textContent = unitText;
      back.hidden = value === it.value;
    });
  }

  enable(on) {
    for (const { slider, field } of this.rows) slider.disabled = field.disabled = !on;
  }
}
