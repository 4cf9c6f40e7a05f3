// The base of all tabs: progress, a result that may be older than the text, and work that waits until the tab is open.

import { element } from "/player.js";
import { Runner } from "../runner.js";

const MAX_STALE_RUN = 1500;  // ms: a run on an older text is stopped when it takes longer

export class Tab {
  constructor(name, desk) {
    this.name = name;
    this.desk = desk;  // {doc, layout, mechanism (3D), ...}
    this.panel = document.getElementById(`panel-${name}`);
    this.progress = element("div");
    this.runner = new Runner(this.progress, desk.doc);
    this.text = null;  // that the result is of
    desk.layout.onShow(() => this.seen && this.look());
    desk.doc.addEventListener("checked", ({ detail }) => detail.ok && !detail.preparing && this.seen && this.look());
    desk.doc.addEventListener("opened", () => this.forget());
  }

  get seen() {
    return this.desk.layout.panel === this.name;
  }

  /** Whether the result is of an older text. */
  get old() {
    return this.text !== this.desk.doc.good?.text;
  }

  /** Called when the tab is opened, or the text has changed. */
  look() {}

  /** Whether a run may begin now: not during a drag, nor while a run that has just begun goes on. */
  get may() {
    if (this.desk.mechanism.view?.held) return false;
    if (!this.runner.busy || performance.now() - this.runner.since > MAX_STALE_RUN) return true;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.seen && this.look(), 300);
    return false;
  }

  forget() {
    this.runner.stop();
    this.text = null;
    this.progress.replaceChildren();
  }

  /** A button in a row of controls. */
  button(label, run, kind = "plain") {
    const button = element("button", { type: "button", class: kind }, label);
    button.addEventListener("click", run);
    return button;
  }

  field(label, input, more = {}) {
    return element("label", more, label, input);
  }
}

/** A number field; `read()` marks it if it holds no number within its bounds. */
export function number(value, { min = -Infinity, max = Infinity, step = "any", label } = {}) {
  const input = element("input", { type: "number", step, value, ...(label ? { "aria-label": label } : {}) });
  input.read = () => {
    const x = input.value.trim() === "" ? NaN : Number(input.value), good = Number.isFinite(x) && x >= min && x <= max;
    input.classList.toggle("invalid", !good);  // an empty one, too, where it is read
    input.setAttribute("aria-invalid", String(!good));
    return good ? x : null;
  };
  input.addEventListener("input", () => (input.value ? input.read() : input.classList.remove("invalid")));
  return input;
}

export function choose(select, names, value = select.value, labels = names) {
  select.replaceChildren(...names.map((name, k) => element("option", { value: name }, labels[k])));
  if (names.includes(value)) select.value = value;
}
