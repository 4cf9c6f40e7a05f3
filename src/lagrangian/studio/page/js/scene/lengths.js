// Handles of lengths: each is a point whose position on its body is a number of the text.

import { carry } from "/player.js";
import { latestOnly, post } from "../api.js";

export class Lengths extends EventTarget {
  constructor(doc, view, posture) {
    super();
    Object.assign(this, { doc, view, posture, handles: [], before: null });
    this.ask = latestOnly((body) => this.stretch(body));
    doc.addEventListener("checked", ({ detail }) => {
      if (detail.mechanism) this.take(detail.mechanism.handles);
      this.dispatchEvent(new Event("handles"));
    });
  }

  take(handles = []) {
    this.handles = handles.map((handle, id) => ({ ...handle, id }));
  }

  handle(id) {
    return this.handles.find((h) => String(h.id) === String(id));
  }

  world({ frame, point }) {
    return carry(this.view.course.poses[frame], point);
  }

  /** The handle nearest to a place of the screen, if one is near. */
  nearest(x, y) {
    const box = this.view.controls.canvas.getBoundingClientRect();
    let best = null, least = 80;
    for (const handle of this.handles) {
      const at = this.view.onScreen(this.world(handle));
      const far = at ? Math.hypot(at[0] - (x - box.left), at[1] - (y - box.top)) : Infinity;
      if (far < least) [best, least] = [handle, far];
    }
    return best;
  }

  /** Begin a drag, which will be one step of the history. */
  begin(handle) {
    this.before = { handle, text: this.doc.editor.text, q: this.posture.q };
    this.last = null;
  }

  drag(to) {
    if (this.before) this.ask({ before: this.before, to });
  }

  async stretch({ before, to }) {
    const { doc } = this, { editor } = doc;
    if (before !== this.before && !before.ending) return;
    try {
      const { edits, name, value } = await post("/api/stretch", { text: before.text, format: doc.format, q: before.q, frame: before.handle.body, point: before.handle.point, to });
      let text = before.text;
      for (const { from, to: end, insert } of [...edits].sort((a, b) => b.from - a.from)) text = text.slice(0, from) + insert + text.slice(end);
      before.after = text;
      this.dispatchEvent(new CustomEvent("stretched", { detail: { name, value } }));
      if (before.ending) return this.finish(before);
      editor.preview(text);
      await doc.look();
    } catch (error) {
      this.dispatchEvent(new CustomEvent("stretched", { detail: { message: error.message } }));
    }
  }

  end() {
    const { before } = this;
    this.before = null;
    if (!before) return;
    before.ending = true;
    if (before.after) this.finish(before);
    this.dispatchEvent(new CustomEvent("stretched", { detail: null }));
  }

  finish({ text, after }) {
    this.doc.editor.commit(text, after);
    this.doc.check(0);
  }

  /** Move a handle by the keyboard, a little to the right or up on the screen. */
  async nudge(handle, dx, dy) {
    const { right, above } = this.view.camera.axes(), step = 0.02 * this.view.data.size, at = this.world(handle);
    const to = at.map((x, k) => x + step * (dx * right[k] + dy * above[k]));
    this.begin(handle);
    const { before } = this;
    this.before = null;
    before.ending = true;
    await this.stretch({ before, to });
  }
}
