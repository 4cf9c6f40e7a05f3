// The values of sliders as text to reproduce the motion: a fragment of the description, a command, or lines of Python.

class Reproduction {
  /** `about` comes from reproduce.py; `motion()` is the computed motion, whose first row is its start, and `values()` are its inputs. */
  constructor(plan, about, values, motion) {
    Object.assign(this, { plan, about, values, motion });
  }

  /** The inputs of a kind that have changed, or all. */
  of(kind, all = false) {
    const values = this.values();
    return this.plan.inputs.map((it, k) => ({ ...it, now: values[k] })).filter((it) => it.kind === kind && (all || it.now !== it.value));
  }

  get changed() {
    return ["parameter", "q0", "qd0", "gain"].some((kind) => this.of(kind).length);
  }

  /** Parameters whose values differ from the description, by name: those of the run, and those that sliders changed, or all. */
  parameters(all = false) {
    return Object.entries({ ...this.about.set, ...Object.fromEntries(this.of("parameter", all).map((it) => [it.name, it.now])) });
  }

  /** Whether a parameter has a name in the description; else it is the path of a number there. */
  named(name) {
    return this.about.named.includes(name);
  }

  /** Why a form cannot be written; "" if it can. */
  why(form) {
    const path = this.parameters().find(([name]) => !this.named(name))?.[0];
    const nameless = form === "command" && path ? `A command can only set parameters that have a name in the description; ${path} has none.` : "";
    return this.about.unwritten[form] || nameless;
  }

  /** All coordinates, or all speeds, at the start of the motion, in their order. */
  start(group) {
    const motion = this.motion(), { nq, y } = this.plan;
    if (!motion) return group === "coordinates" ? y.slice(0, nq) : y.slice(nq);  // nothing was computed yet
    const { t, values } = motion;
    return this.plan.series.map((it, k) => [it, values[k * t.length]]).filter(([it]) => it.group === group).map(([, x]) => x);
  }

  get toml() {
    const lines = [], { begin } = this.plan, some = this.parameters(!this.changed), array = (row) => `[${row.map(tomlFloat).join(", ")}]`;
    const named = some.filter(([name]) => this.named(name)), paths = some.filter(([name]) => !this.named(name));
    if (named.length) lines.push("[parameters]", ...named.map(([name, x]) => `${tomlKey(name)} = ${tomlFloat(x)}`), "");
    for (const [name, x] of paths) lines.push(`# ${name} = ${tomlFloat(x)}`);
    const start = [], moved = this.parameters().length && !this.about.follows;
    if (!begin.described || this.of("q0").length || moved) start.push(`q = ${array(this.start("coordinates"))}`);
    if (!begin.described || this.of("qd0").length) start.push(`qd = ${array(this.start("speeds"))}`);
    if (start.length) lines.push("[initial]", ...start, "");
    for (const it of this.of("gain")) lines.push(`# ${it.name} of the controller = ${tomlFloat(it.now)}`);
    return lines.join("\n").trim() + "\n";
  }

  get command() {
    const { library, file } = this.about, { t0, end } = this.plan;
    const words = ["lagrangian", "simulate", library || file];
    for (const [name, x] of this.parameters()) words.push("--set", `${quoteName(name)}=${x}`);
    for (const [name, given] of this.starts()) {
      const valueText = Array.isArray(given) ? given.join(",") : Object.entries(given).map(([of, x]) => `${quoteName(of)}=${x}`).join(",");
      words.push(valueText.startsWith("-") ? `--${name}=${valueText}` : `--${name}`, ...(valueText.startsWith("-") ? [] : [valueText]));
    }
    words.push(...this.about.words, "-t", t0 === 0 ? String(end) : `${t0}:${end}`);
    return words.map(quoteWord).join(" ") + "\n";
  }

  get python() {
    const { library, file, missing } = this.about, { t0, end } = this.plan, text = JSON.stringify;
    const lines = ["import lagrangian as lg", "", `mechanism = ${library ? `lg.library(${text(library)})` : `lg.load(${text(file)})`}`];
    const table = (given) => `{${given.map(([name, x]) => `${text(name)}: ${x}`).join(", ")}}`;
    const parameters = this.parameters(), gains = this.of("gain", true);
    if (parameters.length) lines.push(`mechanism = mechanism.with_parameters(${table(parameters)})`);
    const given = this.starts().map(([name, some]) => `${name}=${Array.isArray(some) ? text(some) : table(Object.entries(some))}`);
    if (gains.length) lines.push(`controller = ...  # as it was, with ${gains.map((it) => `${it.name}=${it.now}`).join(", ")}`);
    else if (missing) lines.push(`# ${missing}: add them here.`);
    if (gains.length) given.push("torque=controller");
    lines.push(`motion = lg.simulate(${["mechanism", `(${t0}, ${end})`, ...given, ...this.about.arguments].join(", ")})`);
    return lines.join("\n") + "\n";
  }

  /** The start: by name what sliders changed, or all of it in order if the run did not start as the description says. */
  starts() {
    const found = [];
    for (const [kind, group] of [["q0", "coordinates"], ["qd0", "speeds"]]) {
      const changed = this.of(kind).map((it) => [it.name, it.now]);
      if (!this.plan.begin.described) found.push([kind, this.start(group)]);
      else if (changed.length) found.push([kind, Object.fromEntries(changed)]);
    }
    return found;
  }
}

const tomlKey = (name) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name));

/** A float of TOML, which has whole numbers apart. */
const tomlFloat = (x) => (Number.isInteger(x) && Math.abs(x) < 1e15 ? `${x}.0` : String(x));

/** A name as the command line reads it: between backquotes, unless it is plain. */
const quoteName = (name) => (/^[\w.]+$/.test(name) ? name : `\`${name}\``);

/** One word of a command, in quotes where it needs them. */
const quoteWord = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
