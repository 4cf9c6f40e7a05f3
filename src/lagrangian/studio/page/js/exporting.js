// Exports into the folder: a report, C code, and the mechanism in other formats.

import { element } from "/player.js";
import { get, job, post, RequestError, JobStopped } from "./api.js";
import { note, question, remarks } from "./dialog.js";
import { menu } from "./menu.js";
import { Bar } from "./runner.js";

export class Exporting {
  constructor(doc) {
    this.doc = doc;
    menu(document.getElementById("export"), () => this.targets());
  }

  async targets() {
    const targets = await get("/api/targets").catch(() => []);
    const toToml = this.doc.format === "toml" ? [] : [{ label: "Convert to TOML", detail: "Continue with the same mechanism as TOML in the editor", run: () => this.convert() }];
    return [
      { title: "Documents", items: [{ label: "Report", detail: "One page with the motion, plots and equations that works offline", run: () => this.report() }, ...toToml] },
      { title: "For other programs", items: targets.map((t) => ({ label: TITLES[t.name] || t.name, detail: asSentence(t.about), run: () => this.export(t) })) },
    ];
  }

  async convert() {
    const { doc } = this;
    try {
      const { text } = await post("/api/convert", { text: doc.editor.text, format: doc.format, to: "toml" });
      await doc.start(text, "toml", `${doc.good?.mechanism.name || "mechanism"}.toml`);
    } catch (error) {
      note(error.message, { kind: "bad", detail: error.remedy });
    }
  }

  async report() {
    const { mechanism } = this.doc.good || {};
    const answer = await question("Report", {
      text: `One page that works offline, written to ${this.doc.folder}.`,
      fields: [
        { name: "title", label: "Title", value: mechanism?.name || "" }, { name: "author", label: "Author" }, { name: "notes", label: "Notes", kind: "lines" },
        { name: "seconds", label: "Seconds of motion", kind: "number", value: mechanism?.seconds ?? "" },
      ],
      actions: [{ name: "write", label: "Write the report" }],
    });
    if (!answer) return;
    const { title, author, notes, seconds } = answer;
    this.run("report", { title, author, notes, ...(seconds ? { seconds: Number(seconds) } : {}) }, "the report");
  }

  async export(target) {
    const choosable = target.options.filter((o) => o.choices.length > 1);
    const options = {};
    if (choosable.length) {
      const answer = await question(TITLES[target.name] || target.name, {
        text: `${asSentence(target.about)}, written to ${this.doc.folder}.`,
        fields: choosable.map((o) => ({ name: o.name, label: asSentence(o.about), kind: "choice", choices: o.choices, labels: o.choices.map((one) => (one === o.default ? `${one} (default)` : one)), value: o.default })),
        actions: [{ name: "write", label: "Export" }],
      });
      if (!answer) return;
      for (const o of choosable) if (answer[o.name] !== o.default) options[o.name] = answer[o.name];
    }
    this.run("export", { target: target.name, options }, TITLES[target.name] || target.name);
  }

  /** Run an export in the background; a note shows its progress, and has a Stop button. */
  async run(kind, options, what) {
    const { doc } = this, bar = new Bar(() => work.stop()), busy = note("", { kind: "busy", stays: true });
    bar.words.textContent = `Writing ${what}.`;
    bar.node.style.margin = 0;
    busy.replaceChildren(bar.node);
    const work = job(kind, doc.editor.text, doc.format, options, { progress: (p) => bar.update(p) });
    try {
      const { path, files = [], warnings = [] } = await work.result;
      const confirmation = note(`Saved as ${path}.`, { stays: true });
      if (files.length) confirmation.firstChild.append(fileLinks(files));
      remarks(`The export has ${warnings.length} remarks.`, warnings);
    } catch (error) {
      if (error instanceof JobStopped) note("You stopped the export. No file was written.");
      else if (error instanceof RequestError) note(error.message, { kind: "bad", detail: error.remedy });
      else throw error;
    } finally {
      busy.remove();
    }
  }
}

/** Links to the files that were written, which open in another tab. */
function fileLinks(files) {
  const box = element("div", { class: "small" });
  for (const file of files.slice(0, 8)) {
    const href = `/made/${file.split("/").map(encodeURIComponent).join("/")}`;
    box.append(element("a", { href, target: "_blank", rel: "noopener" }, file), " ");
  }
  if (files.length > 8) box.append(`and ${files.length - 8} more`);
  return box;
}

const asSentence = (about) => `${about[0].toUpperCase()}${about.slice(1).replace(/\.$/, "")}`;
const TITLES = { c: "C code", numpy: "NumPy module", octave: "MATLAB and Octave", julia: "Julia", rust: "Rust", casadi: "CasADi", jax: "JAX", acados: "acados", fmu: "FMU", urdf: "URDF", mjcf: "MJCF", sdf: "SDF", toml: "TOML", latex: "Equations as LaTeX", markdown: "Equations as Markdown", animation: "Animation", motion: "Motion as numbers" };
