// Panes and tabs: edges between panes can be dragged, or moved by arrow keys; on a narrow screen the panes are tabs too.

const narrow = matchMedia("(max-width: 760px)");
const PANES = ["text", "view"];

export class Layout {
  constructor() {
    this.tabs = [...document.querySelectorAll('[role="tab"]')];
    this.listeners = new Set();
    for (const tab of this.tabs) tab.addEventListener("click", () => this.show(tab.dataset.tab));
    document.querySelector('[role="tablist"]').addEventListener("keydown", (event) => this.key(event));
    this.edge("split-text", "--text-width", (box, event) => (event.clientX - box.left) / box.width, 0.15, 0.8, ["ArrowLeft", "ArrowRight"]);
    this.edge("split-panel", "--panel-height", (box, event) => (box.bottom - event.clientY) / box.height, 0.12, 0.8, ["ArrowDown", "ArrowUp"]);
    narrow.addEventListener("change", () => this.show(narrow.matches ? this.tab : this.panel));
    this.tab = "text";
    this.panel = "equations";
    this.show(narrow.matches ? "text" : "equations");
  }

  onShow(listener) {
    this.listeners.add(listener);
  }

  show(name) {
    this.tab = name;
    if (!PANES.includes(name)) this.panel = name;
    Object.assign(document.body.dataset, { tab: name, panel: this.panel });
    const selected = narrow.matches ? name : this.panel;
    for (const tab of this.tabs) {
      const on = tab.dataset.tab === selected;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      if (on) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    for (const panel of document.querySelectorAll(".panel")) {
      const on = panel.id === `panel-${this.panel}`;
      panel.classList.toggle("shown", on);
      panel.inert = !on;
    }
    this.listeners.forEach((listener) => listener(this.panel, name));
  }

  /** Show the mechanism where there is room for one pane only. */
  reveal(name) {
    if (narrow.matches && this.tab !== name) this.show(name);
  }

  key(event) {
    const seen = this.tabs.filter((tab) => tab.offsetParent), at = seen.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: seen.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const tab = seen[(to + seen.length) % seen.length];
    this.show(tab.dataset.tab);
    tab.focus();
  }

  edge(id, property, part, lower, upper, [less, more]) {
    const bar = document.getElementById(id), desk = document.getElementById("desk");
    let now = parseFloat(getComputedStyle(document.documentElement).getPropertyValue(property)) / 100;
    const set = (x) => {
      now = Math.min(upper, Math.max(lower, x));
      document.documentElement.style.setProperty(property, `${(100 * now).toFixed(2)}%`);
      bar.setAttribute("aria-valuenow", String(Math.round(100 * now)));
    };
    for (const [name, value] of [["min", lower], ["max", upper]]) bar.setAttribute(`aria-value${name}`, String(Math.round(100 * value)));
    set(now);
    bar.addEventListener("pointerdown", (event) => {
      bar.setPointerCapture(event.pointerId);
      bar.classList.add("held");
      event.preventDefault();
    });
    bar.addEventListener("pointermove", (event) => {
      if (bar.hasPointerCapture(event.pointerId)) set(part(desk.getBoundingClientRect(), event));
    });
    bar.addEventListener("lostpointercapture", () => bar.classList.remove("held"));
    bar.addEventListener("keydown", (event) => {
      const step = { [less]: -0.03, [more]: 0.03 }[event.key];
      if (!step) return;
      event.preventDefault();
      set(now + step);
    });
  }
}
