// Drawings as files: examples, descriptions that are opened, and descriptions that are saved.
import { ask } from "../js/api.js";
import { question } from "../js/dialog.js";
import { withDefaults } from "./edits.js";
import { $ } from "./dom.js";
import { Drafts } from "./drafts.js";

export class Files {
  constructor(app) {
    Object.assign(this, { app, path: null, digest: null, taken: null, quiet: false });
    this.drafts = new Drafts({
      trouble: (error) => app.say([error.message, error.remedy].filter(Boolean).join("; "), "bad"),
      theirs: (path, drawing) => path === this.path && app.replace(drawing),
    });
    $("picker").addEventListener("change", async (event) => {
      const [file] = event.target.files;
      event.target.value = "";
      if (file) await this.read(await file.text(), file.name);
    });
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", async (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file) await this.read(await file.text(), file.name);
    });
  }

  /** The examples as entries of a menu. */
  async examples() {
    const { examples } = await ask("GET", "/api/drawing/examples");
    return [{ title: "Examples", items: examples.map(({ title, drawing }) => ({ label: title, run: () => this.begin(withDefaults(drawing)) })) }];
  }

  /** Show the drawing of a file, or one without a file. It is not written as a draft again. */
  take(drawing, path, digest, onDisk = false) {
    Object.assign(this, { path, digest, taken: null, quiet: onDisk });
    this.app.replace(drawing);
    this.quiet = false;
  }

  /** Begin a drawing without a file. A folder has one draft of that kind, so the page asks before it replaces another. */
  async begin(drawing) {
    const other = this.path === null ? null : (await this.drafts.read(null).catch(() => null))?.drawing;
    if (other) {
      const actions = [{ name: "replace", label: "Replace" }, { name: "show", label: "Show the drawing" }];
      const answer = await question("Replace the unsaved drawing?", { text: `The drawing ${other.name} was never saved. The new drawing replaces it.`, actions });
      if (!answer) return;
      if (answer.action === "show") return void this.take(other, null, null, true);
    }
    this.take(drawing, null, null);
  }

  /** Write the draft of the drawing, so that nothing is lost when the server or the page ends. */
  keep(drawing) {
    if (!this.quiet) this.drafts.put(this.path, drawing, this.digest);
  }

  /** The document that the server was started with, if it can be drawn, with its draft. */
  async started() {
    const found = await ask("GET", "/api/document");
    this.drafts.folder = found.folder;
    await this.#show(found);
  }

  /** Open a document of the server with its draft. */
  async #show(found) {
    const file = found.path !== null && found.format === "toml" && found.text.trim(), { app } = this;
    const draft = await this.drafts.read(file ? found.path : null);
    if (file && !(await this.read(found.text, found.path, found.path, found.digest))) return;
    // the text that the studio has not saved is the one that is drawn here, and goes into the file
    if (file && found.draft) this.taken = { path: found.path, format: found.format, revision: found.revision };
    if (!draft.drawing || isSameDrawing(draft.drawing, app.drawing)) return;
    const { saved } = app;
    this.quiet = !draft.unsent;
    app.replace(draft.drawing);
    this.quiet = false;
    if (!file) return;
    app.saved = saved;
    app.named();
    const since = draft.digest === found.digest ? "" : " The file has changed since then.";
    app.say(`This is ${found.path} with your unsaved changes.${since} Undo shows the saved file.`);
  }

  async read(text, name, path = null, digest = null) {
    try {
      const { drawing, left_out: left } = await ask("POST", "/api/drawing/read", { text });
      if (path === null) await this.begin(withDefaults(drawing));
      else this.take(withDefaults(drawing), path, digest, true);
      if (left.length) this.app.say(`A drawing cannot show everything in ${name}: ${left.join("; ")}. If you save the drawing, the file loses these.`);
      return true;
    } catch (error) {
      this.app.say(`${name}: ${[error.message, error.remedy].filter(Boolean).join("; ")}`, "bad");
      return false;
    }
  }

  async open() {
    const found = await ask("GET", "/api/document").catch((error) => (this.app.say(error.message, "bad"), null));
    if (!found) return;
    const names = (found.recent ?? []).filter((name) => name.endsWith(".toml"));
    const other = { name: "other", label: "Another file …" };
    const fields = names.length ? [{ name: "file", label: "In this folder", kind: "choice", choices: names, value: names[0] }] : [];
    const answer = await question("Open a description", { text: names.length ? "" : "This folder has no descriptions yet.", fields, actions: names.length ? [other, { name: "open", label: "Open" }] : [other] });
    if (answer?.action === "other") return void $("picker").click();
    if (!answer) return;
    const name = answer.file;
    try {
      await this.#show(await ask("POST", "/api/document", { path: name }));
    } catch (error) {
      this.app.say(error.message, "bad");
    }
  }

  /** Save the description; return whether it was saved. */
  async save() {
    const { app } = this;
    await app.describe(); // as it is drawn now
    const text = app.answer?.text;
    if (!text) {
      app.say(`The drawing cannot be saved yet: ${app.answer?.problem || app.answer?.words || "nothing is drawn"}`, "bad");
      return false;
    }
    const given = { name: "path", label: "File", value: this.path ?? `${slug(app.drawing.name)}.toml` };
    const answer = await question("Save as TOML", { fields: [given], actions: [{ name: "save", label: "Save" }] });
    const path = answer?.path.trim();
    if (!path) return false;
    return this.#write(path, text, path === this.path ? this.digest : null);
  }

  async #write(path, text, expected) {
    const { app } = this;
    try {
      const drafts = [await this.drafts.named(this.path), ...(this.taken ? [this.taken] : [])]; // of this drawing: the file now holds it
      const found = await ask("POST", "/api/save", { path, text, format: "toml", expected, drafts });
      this.drafts.forget(this.path);
      Object.assign(this, { path: found.path, digest: found.digest, taken: null });
      app.saved = JSON.stringify(app.drawing);
      app.say(`Saved as ${found.path}.`, "good");
      app.named();
      return true;
    } catch (error) {
      if (error.status !== 409) {
        app.say([error.message, error.remedy].filter(Boolean).join("; "), "bad");
        return false;
      }
      const answer = await question("The file exists already", { text: `${error.message}.`, actions: [{ name: "over", label: "Overwrite" }] });
      return answer ? this.#write(path, text, error.body.digest) : false;
    }
  }

  /** Open the description in the studio, after saving it. */
  async studio() {
    if (!(await this.save())) return;
    location.assign("/");
  }
}

/** Whether two drawings are equal apart from rounding. */
const isSameDrawing = (a, b) => {
  const rounded = (key, value) => (typeof value === "number" ? Number(value.toPrecision(9)) : value);
  const sorted = (d) => JSON.stringify({ ...d, pins: [...d.pins].sort((p, q) => (p.name < q.name ? -1 : 1)), bars: d.bars.map((bar) => ({ ...bar, pins: [...bar.pins].sort() })) }, rounded);
  return sorted(a) === sorted(b);
};

const slug = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40) || "linkage";
