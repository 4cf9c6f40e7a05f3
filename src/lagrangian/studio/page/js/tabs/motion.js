// A simulation from a start: it plays in the picture, with plots.

import { element } from "/player.js";
import { Plots } from "../plots.js";
import { warningElements } from "../runner.js";
import { number, Tab } from "./tab.js";

const MAX_RERUN_TIME = 1500;  // ms: a run that took no longer is made again by itself when the text changes

export class MotionTab extends Tab {
  constructor(desk) {
    super("motion", desk);
    this.seconds = number("", { min: 1e-6, max: 1e5 });
    Object.assign(this.seconds, { placeholder: "as given", title: "Leave this empty to use the duration in the text" });
    this.run = this.button("Play", () => this.start(), "primary");
    this.run.title = "Simulate and play the motion";
    this.from = element("select", {}, element("option", { value: "text" }, "the start in the text"), element("option", { value: "pose" }, "the pose in the picture"), element("option", { value: "values" }, "the values below"));
    this.stale = element("span", { class: "quiet small", hidden: "" }, "The text has changed. Play again to update the motion.");
    this.starts = element("div", { class: "wide", hidden: "" });
    this.more = element("div");
    this.facts = element("div");
    const figures = element("div");
    this.plots = new Plots(figures, (t) => desk.mechanism.at(t));
    desk.mechanism.addEventListener("time", ({ detail }) => desk.mechanism.plays("motion") && this.plots.time(detail));
    this.blank = element("p", { class: "quiet" }, "Play simulates the motion, plays it in the picture, and plots it here.");
    this.panel.append(
      element("div", { class: "row" }, this.run, this.field("Seconds", this.seconds), this.field("From", this.from), this.stale),
      this.starts, this.progress, this.more, this.blank, figures, this.facts,
    );
    this.from.addEventListener("change", () => this.build());
    this.seconds.addEventListener("keydown", (event) => event.key === "Enter" && this.start());
  }

  forget() {
    super.forget();
    this.plots.show([]);
    this.more.replaceChildren();
    this.facts.replaceChildren();
    this.stale.hidden = true;
    this.blank.hidden = false;
    this.seconds.value = "";
    this.from.value = "text";
    this.build();
  }

  look() {
    const { good } = this.desk.doc;
    if (!good) return;
    if (!this.seconds.value && good.mechanism.seconds) this.seconds.value = good.mechanism.seconds;
    this.build();
    this.stale.hidden = this.text === null || !this.old;
    if (this.text !== null && this.old && !this.runner.busy && this.runner.took < MAX_RERUN_TIME && this.desk.mechanism.plays("motion")) this.start(true);
  }

  /** Fields for the start, one row for each coordinate. */
  build() {
    const given = this.from.value === "values";
    this.starts.hidden = !given;
    const { coordinates } = this.desk.posture, speeds = this.desk.doc.good?.mechanism.speeds || [], names = speeds.join("\0");
    if (!given || names === this.names) return;
    this.names = names;
    const body = element("tbody");
    this.fields = speeds.map((name) => {  // a ball joint's speeds are no rates of coordinates: it has no field for a value
      const c = coordinates.find((x) => x.name === name), unit = c?.unit;
      const q = c && number("", { label: `${name} at the start` }), qd = number("", { label: `Speed of ${name} at the start` });
      const units = (x) => (unit ? ` ${unit}${x}` : "");
      body.append(element("tr", {}, element("td", {}, name), element("td", {}, ...(q ? [q, units("")] : [])), element("td", {}, qd, units("/s"))));
      return { name, q, qd };
    });
    const head = element("tr", {}, ...["Coordinate", "Value", "Speed"].map((x) => element("th", { scope: "col" }, x)));
    this.starts.replaceChildren(
      element("p", { class: "quiet small" }, "Empty fields take the values in the text, or follow from the others where loops must close."),
      element("table", { class: "starts" }, element("thead", {}, head), body),
    );
  }

  /** The options of the job; null if a field is invalid. */
  options() {
    const out = {};
    if (this.seconds.value.trim() || this.seconds.validity.badInput) {
      out.seconds = this.seconds.read();
      if (out.seconds === null) return null;
    }
    if (this.from.value === "pose") out.q0 = this.desk.posture.q;
    if (this.from.value === "values") {
      for (const [key, pick] of [["q0", "q"], ["qd0", "qd"]]) {
        const filled = this.fields.filter((f) => f[pick]?.value.trim() || f[pick]?.validity.badInput);
        if (!filled.length) continue;
        out[key] = Object.fromEntries(filled.map((f) => [f.name, f[pick].read()]));
        if (Object.values(out[key]).includes(null)) return null;
      }
    }
    return out;
  }

  async start(again = false) {
    const { doc, mechanism } = this.desk, options = this.options(), text = doc.editor.text;
    if (!options) return;
    const result = await this.runner.run("motion", options, { quiet: again });
    if (!result) return;
    this.text = text;
    this.stale.hidden = true;
    this.blank.hidden = true;
    mechanism.play("motion", result.track);
    this.more.replaceChildren(...warningElements(result.warnings));
    this.plots.show(result.plots);
    const list = element("dl", { class: "summary" });
    for (const [name, value] of result.summary || []) list.append(element("dt", {}, name), element("dd", {}, String(value)));
    this.facts.replaceChildren(list);
  }
}
