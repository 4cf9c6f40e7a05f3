// The commands New, Open and Save: templates, the library, files of the folder, and files that are dropped.

import { element } from "/player.js";
import { get, post, RequestError } from "./api.js";
import { difference } from "./diff.js";
import { note, question, remarks } from "./dialog.js";
import { menu } from "./menu.js";

const showError = (error) => {
  if (!(error instanceof RequestError)) throw error;
  note(error.message, { kind: "bad", detail: error.remedy });
};

export class Files {
  constructor(doc, editor) {
    Object.assign(this, { doc, editor });
    const button = (id) => document.getElementById(id), picker = button("picker");
    menu(button("new"), () => this.beginnings().catch((error) => (showError(error), [])), { filter: true });
    menu(button("open"), () => this.there(() => picker.click()).catch((error) => (showError(error), [])));
    picker.addEventListener("change", () => {
      if (picker.files[0]) this.read(picker.files[0]);
      picker.value = "";
    });
    button("save").addEventListener("click", () => this.save());
    button("undo").addEventListener("click", () => editor.undo());
    button("redo").addEventListener("click", () => editor.redo());
    addEventListener("keydown", (event) => this.key(event), true);
    doc.addEventListener("opened", ({ detail }) => detail.changed && note("The file on disk has changed since you began this draft.", { kind: "bad", detail: "The editor shows the draft. Save asks before it overwrites the file." }));
    doc.addEventListener("recovered", () => note("The editor shows again what you typed while the server was stopped.", { detail: "Undo removes it.", stays: true }));
    doc.addEventListener("elsewhere", ({ detail }) => this.elsewhere(detail));
    this.drops();
  }

  key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase(), typing = event.target.closest?.(".cm-editor, input, textarea, dialog");
    if (key === "s") this.save(event.shiftKey);
    else if (!typing && key === "z") event.shiftKey ? this.editor.redo() : this.editor.undo();
    else if (!typing && key === "y") this.editor.redo();
    else return;
    event.preventDefault();
  }

  /** The menu of New. */
  async beginnings() {
    const [templates, library] = await Promise.all([get("/api/templates"), get("/api/library")]);
    return [
      { title: "Examples", items: templates.map((t) => ({ label: t.title || t.name, detail: t.description, run: () => this.begin(t.text, "toml", `${t.name}.toml`) })) },
      { title: "Drawing", items: [{ label: "Draw a linkage", detail: "Draw bars, pins, sliders and motors in a plane", run: () => location.assign("/draw") }] },
      { title: "Library", items: library.map((m) => ({ label: m.name, detail: m.description, run: () => get(`/api/library/${encodeURIComponent(m.name)}`).then(({ text, format }) => this.begin(text, format, `${m.name}.toml`)).catch(showError) })) },
    ];
  }

  /** The menu of Open: the files of the folder, the last ones first, and any other file. */
  async there(choose) {
    const { recent } = await get("/api/document"), items = recent.map((name) => ({ label: name, run: () => this.doc.open(name).catch(showError) }));
    return [{ title: "In this folder", items }, { title: "Other files", items: [{ label: "Choose a file…", detail: "The studio opens a copy. You can also drop a file on the page.", run: choose }] }];
  }

  /** The page's content while there is no mechanism to show. */
  async blank(place, nothing) {
    if (!nothing) return place.replaceChildren(element("p", {}, "The mechanism appears here when the description is complete."));
    if (place.querySelector("button")) return;
    const templates = await get("/api/templates").catch(() => []), list = element("div", { class: "begin" });
    for (const t of templates.slice(0, 5)) {
      const button = element("button", { type: "button", class: "plain" }, t.title || t.name);
      button.title = t.description;
      button.addEventListener("click", () => this.begin(t.text, "toml", `${t.name}.toml`));
      list.append(button);
    }
    place.replaceChildren(element("p", {}, "Start with one of these, choose a mechanism of the library under New, or drop a TOML, URDF, MJCF or SDF file here."), list);
  }

  /** Begin another document. A folder has one draft without a file, so the page asks before it replaces it. */
  async begin(text, format, name) {
    const { doc } = this;
    try {
      if (doc.path !== null) await doc.open("");
      if (this.editor.text.trim() && !(await this.mayGo())) return;
      await doc.start(text, format, name);
      this.editor.view.focus();
    } catch (error) {
      showError(error);
    }
  }

  async mayGo() {
    const answer = await question("Save the description?", { text: "This description is not in a file yet. If you do not save it first, the new one replaces it.", actions: [{ name: "replace", label: "Replace" }, { name: "save", label: "Save first" }] });
    return answer?.action === "replace" || (answer?.action === "save" && (await this.save()));
  }

  /** Save the document; return whether it is saved. */
  async save(as = false) {
    const { doc } = this;
    let { path } = doc, { digest } = doc;
    if (path === null || as) {
      const name = doc.good?.mechanism.name?.replace(/\W+/g, "_") || "mechanism", ending = doc.format === "toml" ? "toml" : doc.format === "mjcf" ? "xml" : doc.format;
      const answer = await question("Save as", { fields: [{ name: "path", label: `File in ${doc.folder}`, value: path || doc.wish || `${name}.${ending}` }], actions: [{ name: "save", label: "Save" }] });
      if (!answer?.path.trim()) return false;
      if (answer.path.trim() !== path) digest = null;
      path = answer.path.trim();
    }
    try {
      await doc.save(path, digest);
    } catch (error) {
      if (error.status === 409) return this.overwrite(path, error);
      showError(error);
      return false;
    }
    note(`Saved as ${doc.path}.`);
    return true;
  }

  /** Ask what to do when the file on disk has changed. */
  async overwrite(path, { message, body: { text: theirs, digest } }) {
    const body = difference(["on disk", theirs], ["this text", this.editor.text]);
    const answer = await question("The file on disk has changed", { text: `${message}. The two texts differ in these lines.`, body, careful: true, actions: [{ name: "theirs", label: "Use the file on disk" }, { name: "mine", label: "Overwrite with this text" }] });
    if (answer?.action === "mine") return this.doc.save(path, digest).then(() => true, (error) => (showError(error), false));
    if (answer?.action === "theirs") {
      this.editor.replace(theirs);
      return this.doc.save(path, digest).then(() => true, (error) => (showError(error), false));
    }
    return false;
  }

  /** Ask what to do when another tab has written a newer draft of this document. */
  async elsewhere({ error, text, revision }) {
    if (this.asking) return;
    this.asking = true;
    const body = difference(["the other tab", text], ["this text", this.editor.text]);
    const answer = await question("Open in another tab", { text: `${error[0].toUpperCase()}${error.slice(1)}. The two texts differ in these lines.`, body, careful: true, actions: [{ name: "theirs", label: "Use the other text" }, { name: "mine", label: "Keep this text" }] });
    this.asking = false;
    if (!answer) return;  // both texts stay as they are, and the next key asks again
    this.doc.revision = revision;
    if (answer?.action === "theirs") this.editor.replace(text);
    this.doc.changed();
  }

  async read(file) {
    try {
      const { text, format, name, warnings = [] } = await post("/api/open", { name: file.name, content: await file.text() });
      await this.begin(text, format, name || file.name);
      const what = format.toUpperCase(), unused = warnings.every((one) => one.includes(": ignored"));
      remarks(unused ? `${warnings.length} parts of the ${what} are not used.` : `The ${what} has ${warnings.length} remarks.`, warnings);
    } catch (error) {
      showError(error);
    }
  }

  drops() {
    let veil = null, depth = 0;
    const carries = (event) => [...(event.dataTransfer?.types || [])].includes("Files");
    const away = () => {
      depth = 0;
      veil?.remove();
      veil = null;
    };
    addEventListener("dragenter", (event) => {
      if (!carries(event) || depth++) return;
      veil = element("div", { class: "drop-here" }, "Drop a TOML, URDF, MJCF or SDF file to open it.");
      document.body.append(veil);
    });
    addEventListener("dragleave", (event) => carries(event) && --depth <= 0 && away());
    addEventListener("dragover", (event) => carries(event) && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      event.stopPropagation();
      away();
      if (event.dataTransfer.files[0]) this.read(event.dataTransfer.files[0]);
    }, true);
  }
}
