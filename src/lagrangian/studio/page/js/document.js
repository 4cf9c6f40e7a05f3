// The document: its text, its file, whether it is saved, and the server's checks of the text while it is typed.

import { ask, get, latestOnly, onContact, post, RequestError } from "./api.js";
import { unsentText } from "./unsent.js";

const DRAFT_DELAY = 150, CHECK_DELAY = 200, RECHECK_DELAY = 300;  // ms after the last key; ms until something is compiled
const PULSE_PERIOD = 3000;  // ms between questions whether the server is there

const UNSENT = "lagrangian-unsent";

export class Document extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { path: null, called: "", format: "toml", saved: null, revision: 0, digest: null, folder: "", server: true, refused: "" });
    this.good = null;  // the last answer of a check without errors: {ok, problems, mechanism, scene, text}
    this.draft = latestOnly((options) => this.keep(options));
    this.waits = false;  // whether what is typed still has to be kept
    onContact((there, why) => this.contact(there, why));
    addEventListener("pagehide", () => this.waits && this.keep({ keepalive: true }));
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Whether the text has changes that are not in a file. */
  get dirty() {
    return this.editor.written !== this.saved && !this.empty;
  }

  get empty() {
    return this.path === null && !this.editor.text.trim();
  }

  async begin(editor) {
    this.editor = editor;
    this.take(await get("/api/document"));
    this.recover();
    setInterval(() => document.hidden || get("/api/alive").catch(() => {}), PULSE_PERIOD);
  }

  /** Take over the document that is open on the server. */
  take({ text, format, path, called = "", saved, draft, revision, folder, digest = null, changed = false, recent = [] }) {
    Object.assign(this, { path, called, format, revision, folder, digest, recent, good: null, wish: null, fromDraft: draft, refused: "" });
    this.editor.load(text, format);
    this.saved = saved ? this.editor.written : null;
    this.waits = false;
    this.tell("opened", { changed });
    this.check(0);
    this.status();
  }

  /** Recover text that was typed while there was no server, as an edit that can be undone. */
  recover() {
    const { text, path, folder } = unsentText(UNSENT) || {};
    if (folder !== this.folder || path !== this.path || text === this.editor.written) return;
    this.editor.replace(text.replaceAll("\r\n", "\n"));
    this.tell("recovered");
  }

  /** Open another file of the folder, or with "" the text without a name. */
  async open(path) {
    await this.settle();
    const found = await post("/api/document", { path });
    await this.settle();  // what was typed while the server answered
    this.take(found);
  }

  /** Wait until all that was typed is in the draft. */
  async settle() {
    while (this.waits) {
      await this.draft();
      if (this.waits && (this.refused || !this.server)) throw new RequestError(this.refused || this.why);
    }
  }

  /** Begin with a text that is not on disk yet. */
  async start(text, format, name) {
    await this.open("");
    Object.assign(this, { format, saved: null, wish: name });
    this.editor.load(text, format);
    this.tell("opened", {});
    this.changed();
    this.check(0);
  }

  changed() {
    this.waits = true;
    clearTimeout(this.drafting);
    this.drafting = setTimeout(() => this.draft(), DRAFT_DELAY);
    this.check();
    this.status();
  }

  /** Write the draft of the text. */
  async keep(options = {}) {
    clearTimeout(this.drafting);
    if (this.saving) await this.saving.catch(() => {});  // the text may have another name then
    const text = this.editor.written, { format, revision, digest, path, called } = this;
    try {
      const answer = await ask("PUT", "/api/draft", { text, format, revision, digest, path, called }, options);
      this.revision = answer.revision;
      this.waits = this.editor.written !== text;
      this.refused = "";
      const left = unsentText(UNSENT);
      if (left?.path === path && left.folder === this.folder) unsentText(UNSENT, null);
    } catch (error) {
      if (error.status === 409) this.tell("elsewhere", error.body);
      if (!this.server) unsentText(UNSENT, { text, path, folder: this.folder });
      this.refused = this.server ? error.message : "";
    }
    this.status();
  }

  check(wait = CHECK_DELAY) {
    clearTimeout(this.checking);
    this.checking = setTimeout(() => this.look(), wait);
  }

  async look() {
    const { text } = this.editor, { format } = this, turn = (this.turn = (this.turn || 0) + 1);
    if (!text.trim()) {  // nothing is no mistake yet
      this.good = null;
      this.editor.mark([]);
      return this.tell("checked", { ok: false, problems: [], mechanism: null, scene: null, text });
    }
    let answer;
    try {
      answer = await post("/api/check", { text, format, ...(this.q ? { q: this.q } : {}) });
    } catch (error) {
      if (!(error instanceof RequestError) || error.status === 0 || error.status === 403) return;
      answer = { ok: false, problems: [{ line: 1, column: 1, message: error.message, remedy: error.remedy, severity: "error" }], mechanism: null, scene: null };
    }
    if (turn !== this.turn || text !== this.editor.text) return;
    const checked = { ...answer, text };
    if (answer.ok && answer.mechanism) this.good = checked;
    this.problems = answer.problems || [];
    this.editor.mark(this.problems);
    this.tell("checked", checked);
    if (answer.preparing) this.check(RECHECK_DELAY);
  }

  /** Save the file. `digest` is that of the text that may be overwritten. */
  async save(path = this.path, digest = this.digest) {
    await this.settle().catch(() => {});  // where no draft can be kept, the file perhaps can
    this.saving = this.write(path, digest);
    try {
      return await this.saving;
    } finally {
      this.saving = null;
    }
  }

  async write(path, expected) {
    const text = this.editor.written, { format, revision, called } = this;
    const drafts = [{ path: this.path, called, format, revision }];  // of this document, which the file now holds
    const answer = await post("/api/save", { path, text, format, expected, drafts });
    if (answer.path !== this.path) this.revision = 0;  // a draft that the other file may have is not ours
    Object.assign(this, { path: answer.path, called: "", saved: text, digest: answer.digest, fromDraft: false });
    this.status();
    return answer;
  }

  contact(there, why = "") {
    if (there === this.server && why === this.why) return;
    Object.assign(this, { server: there, why });
    this.status();
    if (there && this.editor) this.changed();
  }

  status() {
    this.tell("status");
  }
}
