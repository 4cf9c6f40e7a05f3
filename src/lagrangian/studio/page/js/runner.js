// A job of a tab: its progress, a Stop button, and its error if it fails.

import { element } from "/player.js";
import { job, JobStopped } from "./api.js";

const QUIET_TIME = 350;  // ms: what is done sooner shows nothing

export class Runner {
  /** `place` is the element for progress and errors; `document` holds the text. */
  constructor(place, document) {
    this.place = place;
    this.document = document;
    this.current = null;
  }

  get busy() {
    return this.current !== null;
  }

  /** Run a job on the present text, and stop the one before. Return the result, or undefined if it failed or was stopped. */
  async run(kind, options, { partial, quiet = false } = {}) {
    this.stop();
    const { document: doc } = this, started = (this.since = performance.now()), bar = new Bar(() => this.stop(true));
    const timer = setTimeout(() => this.place.replaceChildren(bar.node), QUIET_TIME);
    if (!quiet) this.place.replaceChildren();
    const mine = (this.current = job(kind, doc.editor.text, doc.format, options, { progress: (p) => bar.update(p), partial }));
    try {
      const result = await mine.result;
      this.took = performance.now() - started;
      if (this.current === mine) this.place.replaceChildren();
      return result;
    } catch (error) {
      if (this.current !== mine) return undefined;  // another took its place
      this.place.replaceChildren(error instanceof JobStopped ? element("p", { class: "quiet small" }, "Stopped.") : errorElement(error, doc.editor));
      return undefined;
    } finally {
      clearTimeout(timer);
      if (this.current === mine) this.current = null;
    }
  }

  stop(said = false) {
    if (!this.current) return;
    const { current } = this;
    if (!said) this.current = null;
    current.stop();
  }
}

export class Bar {
  constructor(stop) {
    this.meter = element("progress", { "aria-label": "Progress" });
    this.words = element("span", {}, "Working.");
    this.button = element("button", { type: "button", class: "plain stop" }, "Stop");
    this.button.addEventListener("click", stop);
    this.node = element("div", { class: "job", role: "status" }, this.meter, this.words, this.button);
  }

  update({ done, total, text }) {
    if (total) Object.assign(this.meter, { max: total, value: done });
    else this.meter.removeAttribute("value");
    this.words.textContent = text || (total ? `${done} of ${total}` : "Working.");
  }
}

/** An element with an error, and with a button to its line if it has one. */
export function errorElement(error, editor) {
  const box = element("div", { class: "trouble", role: "alert" }, error.message);
  if (error.remedy) box.append(element("span", { class: "remedy" }, error.remedy));
  if (error.line && editor) {
    const button = element("button", { type: "button", class: "plain" }, `Go to line ${error.line}`);
    button.addEventListener("click", () => editor.goTo(error.line));
    box.append(" ", button);
  }
  return box;
}

/** Elements with the warnings of a result. */
export const warningElements = (list) => (list || []).map((text) => element("div", { class: "trouble mild" }, typeof text === "string" ? text : text.message));
