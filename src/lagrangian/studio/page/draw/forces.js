// The forces of a motion that the server computed, as arrows in the picture and as plots over time.
import { Plots, SERIES } from "../js/plots.js";
import { onTheme } from "../js/theme.js";
import { make, numberField } from "./dom.js";

export const colorOf = (k) => {
  const colors = SERIES[document.documentElement.dataset.theme] ?? SERIES.light;
  return colors[k % colors.length];
};
const formatNumber = (x) => String(Number(x.toPrecision(3)));

const forceLabel = (force) => (force.kind === "guide" ? `guide at ${force.pin}` : `${force.pin}: ${force.by} on ${force.on}`);

/** The forces at a row of the motion, as the picture shows them. */
export function forcesAt(motion, row, hidden) {
  if (!motion) return null;
  const k = Math.round(row), sizes = motion.forces.filter((_, i) => !hidden.has(i)).flatMap((force) => force.size).sort((a, b) => a - b);
  const typical = motion.typical ??= Math.max(sizes[Math.floor(0.98 * (sizes.length - 1))] ?? 1, (sizes.at(-1) ?? 1) / 4, 1e-9);
  const list = motion.forces.flatMap((force, i) => (hidden.has(i) ? [] : [{ pin: force.pin, x: force.x[k], y: force.y[k], size: force.size[k], color: colorOf(i), label: `${formatNumber(force.size[k])} N` }]));
  return { typical, list };
}

/** The panel of forces: duration, results, which forces are shown, and plots. */
export class ForcesPanel {
  constructor(element, app) {
    Object.assign(this, { element, app, hidden: new Set(), motion: null });
    this.box = make("div");
    this.plots = new Plots(this.box, (t) => app.player.seek(t));
    onTheme(() => this.motion && this.show(this.motion));
  }

  clear(...words) {
    this.motion = null;
    this.element.replaceChildren(...words.map((one) => (typeof one === "string" ? make("p", { class: "quiet" }, one) : one)));
  }

  show(motion) {
    if (this.forces !== motion.forces.length) this.hidden = new Set();
    this.motion = motion;
    this.forces = motion.forces.length;
    const { app } = this;
    const notes = motion.warnings.map((one) => make("p", { class: "trouble" }, one));
    const seconds = app.round ? make("p", { class: "quiet" }, `One turn, which takes ${formatNumber(motion.t.at(-1))} s.`) : numberField("Seconds", "s", app.seconds, (value) => void app.setSeconds(value), { min: 0.1 });
    const titles = make("tr", {}, ...["", "force", "largest", "now"].map((title) => make("th", { scope: "col" }, title)));
    const table = make("table", { class: "forces" }, make("thead", {}, titles), make("tbody", {}, ...motion.forces.map((force, k) => this.#row(force, k))));
    const peak = (values) => formatNumber(Math.max(...values.map(Math.abs)));
    const motors = motion.motors.map((motor) => make("p", {}, `${motion.ended ? "The" : "Until then, the"} motor at ${motor.pin} needs up to ${peak(motor.torque)} N m and ${peak(motor.power)} W.`));
    this.element.replaceChildren(...notes, seconds, table, ...motors, this.box);
    this.now = [...this.element.querySelectorAll("td.current")];
    const together = motion.energy.kinetic.map((value, k) => value + motion.energy.potential[k]);
    this.plots.show([
      { title: "Forces at the pins", unit: "N", t: motion.t, series: motion.forces.map((force) => ({ name: forceLabel(force), values: force.size })) },
      { title: "Torques of the motors", unit: "N m", t: motion.t, series: motion.motors.map((motor) => ({ name: `at ${motor.pin}`, values: motor.torque })) },
      { title: "Energy", unit: "J", t: motion.t, series: [{ name: "kinetic", values: motion.energy.kinetic }, { name: "potential", values: motion.energy.potential }, { name: "together", values: together }] },
    ]);
    for (const k of this.hidden) this.plots.plots[0].setSeries(k + 1, { show: false });
    this.at(app.player.track?.row(app.player.time) ?? 0);
  }

  #row(force, k) {
    const box = make("input", { type: "checkbox", "aria-label": `Show ${forceLabel(force)}` });
    box.checked = !this.hidden.has(k);
    box.addEventListener("change", () => {
      this.hidden[box.checked ? "delete" : "add"](k);
      this.motion.typical = undefined;
      this.plots.plots[0]?.setSeries(k + 1, { show: box.checked });
      this.app.draw();
    });
    const mark = make("span", { class: "mark", style: `--color: ${colorOf(k)}` });
    return make("tr", {}, make("td", {}, make("label", { class: "tick" }, box, mark)), make("td", {}, forceLabel(force)), make("td", { class: "n" }, `${formatNumber(Math.max(...force.size))} N`), make("td", { class: "n current" }, ""));
  }

  /** Mark a row of the motion in the plots and in the table. */
  at(row) {
    if (!this.motion) return;
    const k = Math.min(this.motion.t.length - 1, Math.round(row));
    this.now?.forEach((cell, i) => { cell.textContent = `${formatNumber(this.motion.forces[i].size[k])} N`; });
    if (this.element.clientWidth) this.plots.time(this.motion.t[k]);
  }
}
