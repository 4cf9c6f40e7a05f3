// The configuration on the page: sliders and drags move it, and the server keeps its loops closed.

import { latestOnly, post } from "../api.js";

export class Posture extends EventTarget {
  constructor(doc) {
    super();
    this.doc = doc;
    this.q = null;  // as the server counts it
    this.coordinates = [];
    this.values = [];
    this.ask = latestOnly((body) => this.move(body));
    doc.addEventListener("opened", () => this.forget());
    doc.addEventListener("checked", ({ detail }) => detail.mechanism && this.take(detail.mechanism, detail.posed));
  }

  forget() {
    this.q = this.doc.q = null;
  }

  /** Take over the configuration of a check, and the values of the sliders. */
  take({ coordinates, q }, posed) {
    Object.assign(this, { coordinates, q, values: coordinates.map((c) => c.value) });
    if (posed) Object.assign(this, { q: posed.q, values: posed.values });  // where it was put is kept
    if (this.doc.q?.length !== q.length) this.doc.q = null;
    this.dispatchEvent(new Event("taken"));
  }

  set(name, value) {
    this.ask({ set: { [name]: value } });
  }

  drag(frame, point, to) {
    this.ask({ drag: { frame, point, to } });
  }

  home() {
    this.forget();
    this.doc.check(0);
  }

  async move(change) {
    const { doc } = this, text = doc.good?.text;
    if (text === undefined || !this.q) return;
    try {
      const answer = await post("/api/pose", { text, format: doc.format, q: this.q, ...change });
      if (text !== doc.good?.text) return;
      this.q = doc.q = answer.q;
      this.values = answer.values;
      this.dispatchEvent(new CustomEvent("posed", { detail: { ...answer, near: "drag" in change } }));
    } catch (error) {
      this.dispatchEvent(new CustomEvent("posed", { detail: { message: error.message } }));
    }
  }
}
