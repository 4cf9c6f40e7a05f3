// The equations of motion of the drawing, typeset by the server, and copied as LaTeX.
import { job, JobStopped } from "../js/api.js";
import { typeset } from "../js/typeset.js";
import { make } from "./dom.js";

export class EquationsPanel {
  constructor(element) {
    Object.assign(this, { element, text: null, running: null });
  }

  clear(words) {
    this.running?.stop();
    Object.assign(this, { running: null, text: null });
    this.element.replaceChildren(make("p", { class: "quiet" }, words));
  }

  /** Show the equations of a description; those before stay until they are there. */
  async show(text) {
    if (text === this.text) return;
    this.running?.stop();
    this.text = text;
    const label = make("p", { class: "quiet" }, "Deriving the equations …");
    const stop = make("button", { type: "button", class: "plain", onclick: () => this.running?.stop() }, "Stop");
    label.append(" ", stop);
    if (!this.element.querySelector(".eqs")) this.element.replaceChildren(label);
    else this.element.prepend(label);
    const running = this.running = job("equations", text, "toml", {}, { progress: ({ text: what }) => { if (what) label.firstChild.data = `Deriving the equations: ${what} …`; } });
    try {
      const found = await running.result;
      if (running === this.running) this.#write(found);
    } catch (error) {
      if (error instanceof JobStopped) {
        if (running !== this.running) return;
        this.text = null;
        return void label.replaceChildren("You stopped the derivation. Choose Equations again to derive them.");
      }
      if (running === this.running) this.element.replaceChildren(make("p", { class: "trouble" }, [error.message, error.remedy].filter(Boolean).join("; ")));
      this.text = null;
    }
  }

  #write(found) {
    const copy = make("button", { type: "button", class: "plain" }, "Copy as LaTeX");
    copy.addEventListener("click", async () => {
      const done = await navigator.clipboard.writeText(found.latex ?? "").then(() => true, () => false);
      copy.textContent = done ? "Copied" : "The browser did not allow copying";
      setTimeout(() => { copy.textContent = "Copy as LaTeX"; }, 1500);
    });
    const parts = found.parts.flatMap(({ title, mathml, text, words }) => [
      make("h3", {}, title),
      mathml ? typeset(mathml) : make("pre", {}, text ?? ""),
      ...(words ?? []).map((one) => make("p", { class: "quiet" }, one)),
    ]);
    this.element.replaceChildren(make("div", { class: "actions" }, copy), ...parts, make("p", { class: "quiet" }, found.digest ?? ""));
  }
}
