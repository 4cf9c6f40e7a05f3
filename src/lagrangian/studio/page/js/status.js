// The status line at the bottom, the file name at the top, and the list of problems.

import { element } from "/player.js";

export class Status {
  constructor(doc, editor) {
    Object.assign(this, { doc, editor });
    this.kept = document.getElementById("kept");
    this.problems = document.getElementById("problems");
    doc.addEventListener("status", () => this.update());
    doc.addEventListener("opened", () => this.update());
    doc.addEventListener("checked", ({ detail }) => this.checked(detail));
  }

  update() {
    const { doc } = this, name = doc.path || doc.wish || "untitled", dirty = doc.dirty, file = document.getElementById("file");
    file.textContent = name;
    file.title = doc.path ? `${doc.path} in ${doc.folder}` : `This file is not saved yet. The folder is ${doc.folder}.`;
    file.classList.toggle("dirty", dirty);
    document.title = `${dirty ? "• " : ""}${name} · lagrangian studio`;
    document.getElementById("save").disabled = !dirty && doc.path !== null;
    const { undo, redo } = this.editor.depth;
    document.getElementById("undo").disabled = !undo;
    document.getElementById("redo").disabled = !redo;
    const [state, words] = !doc.server ? ["stopped", doc.why] : doc.refused ? ["stopped", doc.refused] : doc.empty ? ["saved", "Nothing to save yet"] : !dirty ? ["saved", "Saved"]
      : doc.waits ? ["typing", "Not saved"] : ["draft", doc.path ? "Draft, not saved to the file" : "Draft without a file"];
    if (this.kept.dataset.state === state && this.kept.firstChild?.data === words) return;
    this.kept.dataset.state = state;
    this.kept.replaceChildren(words);
    if (!doc.server) this.kept.append(this.download());
  }

  /** A button that downloads the text, also without a server. */
  download() {
    const button = element("button", { type: "button" }, "Download the text");
    button.addEventListener("click", () => {
      const link = element("a", { download: this.doc.path || "mechanism.toml", href: URL.createObjectURL(new Blob([this.editor.written])) });
      link.click();
      URL.revokeObjectURL(link.href);
    });
    return button;
  }

  checked({ problems = [], mechanism }) {
    if (mechanism) document.getElementById("counts").textContent = [mechanism.counts, mechanism.mobility].filter((x) => x !== null && x !== undefined && x !== "").join(" · ");
    const seen = this.editor.sees;
    this.problems.hidden = !problems.length;
    this.problems.classList.toggle("mild", problems.every((p) => p.severity === "warning"));
    this.problems.replaceChildren(...problems.map((p) => {
      const button = element("button", { type: "button", class: `problem ${p.severity === "warning" ? "warning" : "error"}` }, element("b", {}, p.line ? `Line ${p.line}` : "Remark"), element("span", { class: "what" }, p.message));
      if (p.remedy) button.append(element("span", { class: "remedy" }, p.remedy));
      button.addEventListener("click", () => p.line && this.editor.goTo(p.line, p.column));
      return button;
    }));
    if (seen && problems.length) this.editor.reveal();  // the list may lie where one types
  }

  place(line, column) {
    document.getElementById("place").textContent = `Line ${line}, column ${column}`;
  }
}
