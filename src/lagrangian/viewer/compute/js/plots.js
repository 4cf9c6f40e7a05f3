// Plots of the computed motion over time: one for each kind of quantity and unit, which uPlot draws while it is visible.

// Okabe and Ito's colours; on dark paper, those that are dark are lighter
const COLORS = {
  light: ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"],
  dark: ["#4a9fe0", "#e69f00", "#1fbf92", "#f0793a", "#dd97be", "#8fd0f5"],
};
const SEVERAL = COLORS.light.length;
const DASHES = [[], [7, 3], [2, 2]];  // of the first six curves, of the next six, and of all others
const NAMED = 10;  // curves whose values are listed; of more, so many
const TITLES = { coordinates: "Coordinates", speeds: "Speeds", torques: "Torques", energy: "Energy", forces: "Forces" };
const TINY = 1e-12;

class Plots {
  constructor(plan, player) {
    this.player = player;
    this.plan = plan;
    this.degrees = true;
    this.root = node("div", { class: "lgc-plots" });
    const groups = new Map();
    plan.series.forEach((it, k) => {
      const key = `${it.group} ${it.unit}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(k);
    });
    this.plots = [...groups.values()].map((some) => new Plot(this, some));
    this.root.append(...this.plots.map((plot) => plot.root));
    player.watchers.push(() => this.mark());
  }

  /** Take over other rows: times, and the values of all series one after another. */
  show({ t, values }) {
    this.t = t;
    this.values = values;
    for (const plot of this.plots) plot.renew();
  }

  inDegrees(degrees) {
    this.degrees = degrees;
    if (this.t) this.show(this);
  }

  close() {
    for (const plot of this.plots) plot.close();
  }

  /** The line at the player's time, and the values there. */
  mark() {
    const theme = this.player.theme;
    if (theme !== this.theme) {
      this.theme = theme;
      for (const plot of this.plots) plot.tint();
    }
    if (this.t?.length) for (const plot of this.plots) plot.mark(this.player.time);
  }
}

class Plot {
  constructor(all, series) {
    this.all = all;
    this.series = series;
    this.title = node("span", { class: "lgc-plot-title" });
    this.names = node("div", { class: "lgc-names" });
    this.stage = node("div", { class: "lgc-chart", role: "img" });
    this.root = node("div", { class: "lgc-plot" }, this.title, this.names, this.stage);
    this.now = node("div", { class: "lgc-now" });
    this.entries = series.slice(0, NAMED).map((k, j) => {
      const line = node("span", { class: "lgc-line" }), value = node("output", {});
      line.style.borderTopStyle = dashPattern(j).length ? "dashed" : "solid";
      const entry = node("span", { class: "lgc-entry" }, line, node("span", {}, curveLabel(all.plan.series[k])), value);
      this.names.append(entry);
      return { entry, value, line };
    });
    this.tint();
    if (series.length > NAMED) this.names.append(node("span", { class: "lgc-more" }, `and ${series.length - NAMED} more`));
    const scrolled = new IntersectionObserver((seen) => {
      this.seen = seen[seen.length - 1].isIntersecting;
      if (this.seen && this.old) this.draw();
    }, { rootMargin: "100px" }), resized = new ResizeObserver(() => this.chart?.setSize(this.size()));
    scrolled.observe(this.root);
    resized.observe(this.stage);
    this.close = () => {
      scrolled.disconnect();
      resized.disconnect();
      this.chart?.destroy();
    };
  }

  /** Potential energy from its lowest value in the motion, and the total energy with it: its zero has no meaning. */
  lowest(values) {
    const at = this.kind.group === "energy" && this.series.find((k) => this.all.plan.series[k].name === "potential");
    return at ? values(at).reduce((least, x) => Math.min(least, x), Infinity) : 0;
  }

  color(j) {
    return COLORS[this.all.player.theme][j % SEVERAL];
  }

  /** Draw in the colours of the page's theme. */
  tint() {
    this.entries.forEach(({ line }, j) => (line.style.borderTopColor = this.color(j)));
    this.chart?.redraw(false);
  }

  get kind() {
    return this.all.plan.series[this.series[0]];
  }

  size() {
    return { width: Math.max(160, this.stage.clientWidth), height: 130 };
  }

  /** Draw changed values when the plot is visible. */
  renew() {
    const { t, values, degrees, plan } = this.all, rows = t.length, { factor, unit } = displayUnit(this.kind, degrees);
    const own = (k) => values.subarray(k * rows, (k + 1) * rows), lowest = this.lowest(own);
    this.data = [t, ...this.series.map((k) => {
      const less = lowest && plan.series[k].name !== "kinetic" ? lowest : 0;
      return factor === 1 && !less ? own(k) : own(k).map((x) => factor * (x - less));
    })];
    const unitText = unit && unit !== "1" ? ` [${unit}]` : "";
    this.title.textContent = `${plan.titles?.[this.kind.group] || TITLES[this.kind.group] || this.kind.group}${unitText}`;
    this.stage.setAttribute("aria-label", `${this.title.textContent} over time`);
    this.sizes = this.data.slice(1).map((own) => own.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
    this.root.hidden = Math.max(...this.sizes) < TINY && this.kind.group !== "coordinates";
    this.old = true;
    if (this.seen && !this.root.hidden) this.draw();
  }

  draw() {
    if (!this.data || this.root.hidden) return;
    this.old = false;
    if (!this.chart) this.make();
    // of torques, those of joints without a motor need no curve
    const bare = this.kind.group === "torques" || this.kind.group === "forces";
    this.sizes.forEach((size, j) => {
      const show = !bare || size >= TINY;
      if (this.chart.series[j + 1].show !== show) this.chart.setSeries(j + 1, { show }, false);
      if (this.entries[j]) this.entries[j].entry.hidden = !show;
    });
    this.chart.setData(this.data);
    this.mark(this.all.player.time);
  }

  make() {
    const style = (name) => () => getComputedStyle(this.root).getPropertyValue(name).trim();
    const grid = { stroke: style("--grid"), width: 1 }, ticks = { stroke: style("--grid"), width: 1, size: 4 };
    const axis = { stroke: style("--soft"), font: "11px system-ui, sans-serif", grid, ticks };
    this.chart = new uPlot({
      ...this.size(),
      legend: { show: false },
      cursor: { show: false },
      padding: [6, 18, 0, 0],
      scales: { x: { time: false, range: () => [this.all.plan.t0, this.all.plan.end] }, y: { range: (_, low, high) => axisRange(low, high) } },
      axes: [
        { ...axis, size: 24, gap: 3, values: (_, at) => at.map((x, k) => (k === at.length - 1 ? `${x} s` : String(x))) },
        { ...axis, size: 48, gap: 4, space: 26, values: (_, at) => at.map((x) => formatNumber(x, 4)) },
      ],
      series: [{}, ...this.series.map((_, j) => ({ stroke: () => this.color(j), width: 1.5, dash: dashPattern(j), pxAlign: 0, points: { show: false } }))],
    }, this.data, this.stage);
    this.chart.over.append(this.now);
    this.scrub(this.chart.over);
  }

  /** Go to the time at which the plot is pressed. */
  scrub(over) {
    const { player } = this.all;
    const go = (event) => {
      player.pause();
      player.seek(this.chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      go(event);
    });
    over.addEventListener("pointermove", (event) => over.hasPointerCapture(event.pointerId) && go(event));
  }

  mark(time) {
    if (!this.chart || !this.seen || this.root.hidden) return;
    this.now.style.transform = `translateX(${this.chart.valToPos(time, "x")}px)`;
    const [t] = this.data, { row, part } = rowBefore(t, time);
    this.entries.forEach(({ value }, j) => {
      const own = this.data[j + 1], x = own[row] + part * (own[Math.min(row + 1, own.length - 1)] - own[row]);
      value.textContent = formatNumber(Math.abs(x) < 1e-9 * this.sizes[j] ? 0 : x, 3);
    });
  }
}

const curveLabel = ({ name, group }) => (group === "energy" && name === "potential" ? "potential − min" : name);
const dashPattern = (j) => DASHES[Math.min(Math.floor(j / SEVERAL), DASHES.length - 1)];

/** The range of an axis with some room; a constant lies in the middle. */
function axisRange(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const span = high - low, size = Math.max(Math.abs(low), Math.abs(high));
  if (span <= 1e-9 * size || span < TINY) return [low - (0.5 * size || 1), high + (0.5 * size || 1)];
  return [low - 0.06 * span, high + 0.06 * span];
}

/** The row before a time, and the share of the way to the next. */
function rowBefore(t, time) {
  let low = 0, high = t.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  const span = t[high] - t[low];
  return { row: low, part: span > 0 ? Math.min(1, Math.max(0, (time - t[low]) / span)) : 0 };
}
