// The equations of motion, typeset anew while the text is typed.

import { element } from "/player.js";
import { note } from "../dialog.js";
import { typeset } from "../typeset.js";
import { Tab } from "./tab.js";

export class EquationsTab extends Tab {
  constructor(desk) {
    super("equations", desk);
    this.copyAll = this.button("Copy all as LaTeX", () => copy(this.latex));
    this.digest = element("span", { class: "quiet small" });
    this.bar = element("div", { class: "row" }, this.copyAll, this.digest);
    this.list = element("div");
    this.blank = element("p", { class: "quiet" }, "The equations appear here when the description is complete.");
    this.panel.append(this.progress, this.bar, this.list, this.blank);
    this.bar.hidden = true;
  }

  forget() {
    super.forget();
    this.list.replaceChildren();
    this.bar.hidden = true;
    this.blank.hidden = false;
  }

  async look() {
    const { good } = this.desk.doc;
    if (!good || !this.old || this.asked === good.text || !this.may) return;
    this.asked = good.text;
    this.list.classList.add("old");
    const result = await this.runner.run("equations", {}, { partial: ({ part }) => this.add(part, good.text), quiet: true });
    if (this.asked === good.text) this.asked = null;
    if (!result) return;
    this.text = good.text;
    this.show(result);
    if (this.seen) this.look();
  }

  /** Show a part as soon as it is typeset; the first one of a text replaces those before. */
  add(part, text) {
    if (!part) return;
    if (this.partsOf !== text) this.list.replaceChildren();
    this.partsOf = text;
    this.blank.hidden = true;
    this.list.classList.remove("old");
    this.list.append(this.part(part));
  }

  show({ parts, latex, digest = "" }) {
    this.latex = latex;
    this.list.classList.remove("old");
    this.bar.hidden = !parts.length;
    this.blank.hidden = parts.length > 0;
    this.digest.textContent = digest;
    this.list.replaceChildren(...parts.map((part) => this.part(part)));
  }

  part({ title, latex, mathml, text, words = [] }) {
    const head = element("header", {}, element("h3", {}, title));
    if (latex) {
      const button = this.button("Copy as LaTeX", () => copy(latex));
      button.setAttribute("aria-label", `Copy as LaTeX: ${title}`);
      head.append(button);
    }
    const box = element("div", { class: "typeset" });
    if (mathml) box.append(typeset(mathml));
    else box.append(element("pre", {}, text || ""));
    return element("section", { class: "part" }, head, box, ...words.map((x) => element("p", { class: "quiet small" }, x)));
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // where the browser does not let us: through a field
    const field = element("textarea", { style: "position: fixed; opacity: 0" }, text);
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  note("Copied as LaTeX.");
}
