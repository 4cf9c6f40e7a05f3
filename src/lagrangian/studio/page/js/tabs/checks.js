// The checks of a mechanism: mobility, singularities, energy balance and proof.

import { element } from "/player.js";
import { Tab } from "./tab.js";

const MARKS = { true: ["good", "✓", "Passed"], false: ["bad", "✗", "Failed"], null: ["", "i", "Information"] };

/** 10^−8 with the figures of a power. */
const powers = (text) => text.replace(/10\^([-−]?\d+)/g, (_, n) => `10${[...n].map((c) => (/\d/.test(c) ? "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] : "⁻")).join("")}`);

export class ChecksTab extends Tab {
  constructor(desk) {
    super("checks", desk);
    this.run = this.button("Check again", () => this.start());
    this.run.disabled = true;
    this.list = element("ul", { class: "checks" });
    this.panel.append(element("div", { class: "row" }, this.run), this.progress, this.list);
  }

  forget() {
    super.forget();
    this.list.replaceChildren();
    this.run.disabled = true;
    this.asked = null;
  }

  look() {
    const { good } = this.desk.doc;
    this.run.disabled = !good;
    if (good && this.old && this.asked !== good.text && this.may) this.start();
  }

  async start() {
    const text = (this.asked = this.desk.doc.good.text);
    this.list.classList.add("old");
    const result = await this.runner.run("checks", {}, { partial: ({ item }) => item && this.add(item, text) });
    if (!result) return;
    this.text = text;
    this.show(result.items);
  }

  /** Show an item; the first one of a text replaces those before. */
  add(item, of) {
    if (this.itemsOf !== of) this.list.replaceChildren();
    this.itemsOf = of;
    this.list.classList.remove("old");
    this.list.append(this.item(item));
  }

  show(items) {
    this.list.classList.remove("old");
    this.list.replaceChildren(...items.map((item) => this.item(item)));
  }

  item({ title, good, text }) {
    const [kind, sign, words] = MARKS[good] || MARKS.null;
    return element("li", { class: kind }, element("span", { class: "mark", role: "img", "aria-label": words }, sign), element("div", {}, element("b", {}, title), element("p", {}, powers(text || ""))));
  }
}
