// A study: a quantity over one parameter or two.

import { element } from "/player.js";
import { heatMap } from "../heat.js";
import { Plots, table } from "../plots.js";
import { onTheme } from "../theme.js";
import { warningElements } from "../runner.js";
import { choose, number, Tab } from "./tab.js";

export class StudyTab extends Tab {
  constructor(desk) {
    super("study", desk);
    this.known = element("datalist", { id: "quantities" });
    this.keep = element("input", { type: "text", list: "quantities", size: 22, title: "A quantity of the list, or another, such as max(tip.y)" });
    this.first = this.sweep("Parameter", 11);
    this.second = this.sweep("Second parameter", 9, true);
    this.seconds = number("", { min: 1e-6, max: 1e5 });
    Object.assign(this.seconds, { placeholder: "as given", title: "Leave this empty to use the duration in the text" });
    this.run = this.button("Run the study", () => this.start(), "primary");
    this.why = element("p", { class: "quiet small", hidden: "" }, "The description has nothing to vary yet. A study varies numbers with a name under [parameters], such as l1 = 0.5, that the description uses by this name.");
    this.more = element("div");
    const figures = element("div");
    this.plots = new Plots(figures);
    this.map = element("div");
    this.rows = element("details", { hidden: "" }, element("summary", {}, "Table"));
    this.blank = element("p", { class: "quiet" }, "A study simulates the mechanism for every value of a parameter and plots one quantity over it.");
    const form = element("div", { class: "form" },
      element("div", { class: "row" }, ...this.first.nodes), element("div", { class: "row" }, ...this.second.nodes),
      element("div", { class: "row" }, this.field("Quantity", this.keep), this.known, this.field("Seconds", this.seconds)),
      element("div", { class: "row" }, this.run), this.why);
    this.panel.append(element("div", { class: "columns" }, form, element("div", {}, this.progress, this.more, this.blank, figures, this.map, this.rows)));
    form.addEventListener("input", () => this.runner.busy || this.progress.replaceChildren());  // what was wrong may be mended
    this.grids = [];
    onTheme(() => this.paint());
  }

  /** Fields for a parameter and its range. */
  sweep(label, count, optional = false) {
    const select = element("select"), from = number("", {}), to = number("", {}), steps = number(count, { min: 2, max: 1000, step: 1 });
    const it = { select, from, to, steps, optional, nodes: [this.field(label, select), this.field("From", from), this.field("To", to), this.field("Values", steps)] };
    select.addEventListener("change", () => this.ranges(it));
    return it;
  }

  /** The default range of a parameter: from half to twice its value. */
  ranges(it) {
    const off = !it.select.value, parameter = this.parameters?.find((p) => p.name === it.select.value);
    for (const input of [it.from, it.to, it.steps]) input.disabled = off;
    if (off) return;
    const x = parameter?.value ?? 1;
    it.from.value = Number((x ? 0.5 * x : -1).toPrecision(4));
    it.to.value = Number((x ? 1.5 * x : 1).toPrecision(4));
    it.from.read();
    it.to.read();
  }

  forget() {
    super.forget();
    this.plots.show([]);
    this.grids = [];
    this.paint();
    this.more.replaceChildren();
    this.rows.hidden = true;
    this.blank.hidden = false;
    this.names = null;
    this.seconds.value = "";
  }

  look() {
    const { good } = this.desk.doc;
    if (!good) return;
    if (!this.seconds.value && good.mechanism.seconds) this.seconds.value = good.mechanism.seconds;
    const { parameters, quantities = [] } = good.mechanism;
    this.parameters = parameters.filter((p) => p.formula === undefined || p.formula === null);
    const names = this.parameters.map((p) => p.name), key = JSON.stringify([names, quantities]);
    if (key === this.names) return;
    this.names = key;
    choose(this.first.select, names);
    choose(this.second.select, ["", ...names], "", ["none", ...names]);
    this.known.replaceChildren(...quantities.map((value) => element("option", { value })));
    if (!this.keep.value || !quantities.includes(this.keep.value)) this.keep.value = quantities.find((q) => q.startsWith("peak(qd_")) || quantities[0] || "";  // something that no motion leaves at zero
    this.ranges(this.first);
    this.ranges(this.second);
    this.run.disabled = !names.length;
    this.why.hidden = names.length > 0;
  }

  show({ data, table: given, failed, warnings: messages }) {
    const { x, y, series, grids } = data, { count, reasons } = failed;
    this.more.replaceChildren(...warningElements([...messages, ...(count ? [`${count} of the simulations failed: ${reasons.join(" ")}`] : [])]));
    this.plots.show((series || []).map(({ name, values }) => ({ title: name, x, t: x.values, series: [{ name, values }] })));
    this.grids = (grids || []).map(({ name, values }) => ({ name, x, y, z: values }));
    this.paint();
    this.rows.hidden = false;
    this.rows.replaceChildren(this.rows.firstChild, table(given));
    if (given.left_out) this.rows.append(element("p", { class: "quiet small" }, `and ${given.left_out} more rows`));
  }

  /** Heat maps over two parameters. */
  paint() {
    this.map.replaceChildren(...this.grids.map(heatMap));
  }

  async start() {
    const over = {};
    for (const it of [this.first, this.second]) {
      if (!it.select.value || it.select.value in over) continue;
      const from = it.from.read(), to = it.to.read(), count = it.steps.read();
      if (from === null || to === null || count === null) return;
      over[it.select.value] = { from, to, count: Math.round(count) };
    }
    const options = { over, keep: this.keep.value.trim() || null };
    if (this.seconds.value.trim()) options.seconds = this.seconds.read();
    if (options.seconds === null) return;
    const { text } = this.desk.doc.editor, result = await this.runner.run("study", options);
    if (!result) return;
    this.text = text;
    this.blank.hidden = true;
    this.show(result);
  }
}
