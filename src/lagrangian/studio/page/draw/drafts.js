// Drafts of drawings that are not saved yet: the server keeps them on disk; while there is no server, the browser keeps them.
import { ask, latestOnly } from "../js/api.js";
import { question } from "../js/dialog.js";
import { unsentText } from "../js/unsent.js";
import { withDefaults } from "./edits.js";

const UNSENT = "lagrangian-unsent-drawing", RETRY_DELAY = 3000; // ms until the next attempt when the server did not answer

/** Read a drawing from JSON; null if it is none, or is empty. */
function parseDrawing(text) {
  try {
    const found = JSON.parse(text);
    return found?.pins?.length ? withDefaults(found) : null;
  } catch {
    return null;
  }
}

/** Drafts by the path of their file; null stands for the drawing without a file. `on.trouble` is called when a draft cannot be kept. */
export class Drafts {
  constructor(on) {
    this.on = on;
    this.waiting = new Map(); // drawings that no server has yet, with the digest of the file that they began from
    this.revisions = new Map();
    this.send = latestOnly(() => this.#send());
    addEventListener("pagehide", () => {
      for (const path of this.waiting.keys()) this.#put(path, { keepalive: true }).catch(() => {});
    });
  }

  put(path, drawing, digest) {
    this.waiting.set(path, { drawing, digest });
    this.#show();
    this.send();
  }

  /** Read a draft: the drawing or null, whether only the browser has it, and the digest of the file that it began from. */
  async read(path) {
    const { text, revision, digest } = await this.#ask(path);
    this.revisions.set(path, revision);
    const left = unsentText(UNSENT), own = left?.folder === this.folder && left.path === path ? parseDrawing(left.text) : null;
    return { drawing: own ?? parseDrawing(text), digest, unsent: Boolean(own) };
  }

  #ask(path) {
    return ask("GET", `/api/draft?${new URLSearchParams({ format: "drawing", ...(path === null ? {} : { path }) })}`);
  }

  /** The name and revision of a draft on the server, which deletes it when its drawing is saved. */
  async named(path) {
    await this.send();
    return { path, format: "drawing", revision: this.revisions.get(path) ?? 0 };
  }

  /** Forget a draft whose drawing is saved. */
  forget(path) {
    this.waiting.delete(path);
    this.#show();
  }

  async #put(path, options) {
    const { drawing, digest } = this.waiting.get(path), text = JSON.stringify(drawing);
    return ask("PUT", "/api/draft", { text, format: "drawing", path, called: "", digest, revision: this.revisions.get(path) ?? 0 }, options);
  }

  async #send() {
    clearTimeout(this.again);
    for (const [path, asked] of this.waiting) {
      try {
        if (!this.revisions.has(path)) this.revisions.set(path, (await this.#ask(path)).revision);
        this.revisions.set(path, (await this.#put(path)).revision);
        if (this.waiting.get(path) === asked) this.waiting.delete(path);
        const left = unsentText(UNSENT);
        if (left?.folder === this.folder && left.path === path) unsentText(UNSENT, null);
        this.failed = false;
      } catch (error) {
        if (error.status === 409) await this.#elsewhere(path, error);
        else return this.#keep(path, error);
      }
    }
    this.#show();
  }

  /** Keep a draft in the browser until a server takes it. */
  #keep(path, error) {
    unsentText(UNSENT, { text: JSON.stringify(this.waiting.get(path).drawing), path, folder: this.folder });
    if (!this.failed) this.on.trouble(error);
    this.failed = true;
    this.again = setTimeout(() => this.send(), RETRY_DELAY);
    this.#show();
  }

  /** Another tab has kept a newer drawing. */
  async #elsewhere(path, { message, body }) {
    const actions = [{ name: "theirs", label: "Use the other drawing" }, { name: "mine", label: "Keep this drawing" }];
    const answer = await question("Open in another tab", { text: `${message}.`, actions });
    this.revisions.set(path, body.revision);
    const theirs = answer?.action === "theirs" && parseDrawing(body.text);
    if (theirs) {
      this.waiting.delete(path);
      this.on.theirs(path, theirs);
    } else this.send();
  }

  #show() {
    document.documentElement.dataset.kept = this.waiting.size ? (this.failed ? "unsent" : "waiting") : "draft";
  }
}
