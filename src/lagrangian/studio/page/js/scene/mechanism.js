// The pane of the mechanism: a pose that can be dragged, or a motion that plays.

import { element } from "/player.js";
import { icon } from "../icons.js";
import { onTheme } from "../theme.js";
import { Hand } from "./hand.js";
import { Lengths } from "./lengths.js";
import { Overlay } from "./overlay.js";
import { View } from "./view.js";

const MODES = [["move", "hand", "Move: drag a part; loops stay closed (M). With Ctrl, drag a length."], ["length", "ruler", "Lengths: drag a handle to change a length in the text (L)"]];

export class Mechanism extends EventTarget {
  constructor(place, doc, posture, { onHand, onBlank }) {
    super();
    Object.assign(this, { place, doc, posture, onHand, onBlank, view: null, playing: null, packed: null });
    this.blank = element("div", { class: "blank" });
    this.words = element("div", { class: "message", role: "status", hidden: "" });
    place.append(this.blank, this.words);
    place.classList.add("empty");
    doc.addEventListener("opened", () => {
      this.fresh = true;
      this.playing = null;
      if (this.hand) this.buttons();
    });
    doc.addEventListener("checked", ({ detail }) => this.take(detail));
    posture.addEventListener("posed", ({ detail }) => {
      if (detail.poses && this.view) this.view.pose(detail.poses);
      if (!detail.near || detail.closed === false) this.say(detail.message);
    });
    onTheme(() => this.view?.refresh());
  }

  /** Show the scene of a check. */
  take({ ok, scene, text, posed }) {
    const nothing = !text.trim();
    this.place.classList.toggle("stale", !ok && this.view !== null);
    if (nothing || !this.view) {
      this.place.classList.add("empty");
      this.blank.hidden = false;
      this.onBlank(this.blank, nothing);
    }
    if (!scene) return;
    this.packed = scene;
    if (!this.view) this.make(scene);
    else if (!this.playing) this.view.load(scene, { fresh: this.fresh });
    if (posed) this.view.pose(posed.poses);
    this.posed = posed;
    this.fresh = false;
    this.place.classList.remove("empty");
    this.blank.hidden = true;
    this.grips();
  }

  make(scene) {
    const root = element("div", { class: "lagrangian-player", id: "mechanism", role: "group", "aria-label": "The mechanism in three dimensions" });
    this.place.prepend(root);
    this.view = new View(root, scene);
    this.view.load(scene, { fresh: true });
    this.overlay = new Overlay(this.view);
    this.view.after.add(() => this.playing && this.dispatchEvent(new CustomEvent("time", { detail: this.view.time })));
    this.lengths = new Lengths(this.doc, this.view, this.posture);
    this.lengths.take(this.doc.good?.mechanism.handles);
    this.hand = new Hand(this.view, this.posture, this.lengths, this.overlay);
    this.lengths.addEventListener("handles", () => this.grips());
    this.lengths.addEventListener("stretched", ({ detail }) => this.say(detail && (detail.message || `${detail.name} = ${Number(Number(detail.value).toPrecision(4))}`)));
    this.hand.addEventListener("mode", () => this.buttons());
    this.onHand(this.hand);
    this.tools(root);
  }

  /** The buttons over the picture. */
  tools(root) {
    const group = element("div", { role: "radiogroup", "aria-label": "Effect of dragging" });
    this.radios = MODES.map(([mode, sign, title]) => {
      const button = element("button", { type: "button", role: "radio", title, "aria-label": title, "data-mode": mode }, icon(sign));
      button.addEventListener("click", () => this.mode(mode));
      return button;
    });
    group.append(...this.radios);
    group.addEventListener("keydown", (event) => {
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      event.stopPropagation();
      const next = this.radios.find((r) => r.getAttribute("aria-checked") !== "true") || this.radios[0];
      this.mode(next.dataset.mode);
      next.focus();
    });
    this.back = element("button", { type: "button", class: "back", hidden: "" }, icon("back"), "Return to the pose");
    this.back.addEventListener("click", () => this.still());
    this.view.controls.stage.append(element("div", { class: "modes" }, group), this.back);
    root.addEventListener("keydown", (event) => {
      const mode = { m: "move", l: "length", Escape: "move" }[event.key];
      if (mode && !event.ctrlKey && !event.metaKey && !event.altKey) this.mode(mode);
    });
    this.buttons();
  }

  mode(name) {
    if (name === "length") this.still();
    this.hand?.take(name);
  }

  buttons() {
    const { mode } = this.hand;
    this.place.classList.toggle("drawing", mode === "draw");
    for (const radio of this.radios) {
      const on = radio.dataset.mode === mode;
      radio.setAttribute("aria-checked", String(on));
      radio.tabIndex = on || (mode === "draw" && radio === this.radios[0]) ? 0 : -1;
    }
    this.back.hidden = !this.playing;
    this.grips();
  }

  grips() {
    this.overlay?.grip(this.lengths, this.hand.mode === "length" && !this.playing);
  }

  say(text) {
    clearTimeout(this.silence);
    this.words.hidden = !text;
    this.words.textContent = text || "";
    if (text) this.silence = setTimeout(() => (this.words.hidden = true), 4000);
  }

  // -- motions --------------------------------------------------------------------------------------------------------

  /** Play a motion; `whose` is its tab. */
  play(whose, track) {
    if (!this.view || !track) return;
    const { now, playing } = this.view, again = this.playing === whose;
    this.playing = whose;
    this.view.load(track);
    if (!again) this.view.play();
    else if (now > 0 && playing) this.view.seek(this.view.course.start + now);
    this.mode("move");
  }

  plays(whose) {
    return this.playing === whose;
  }

  /** Go to a time of the motion that is shown. */
  at(t) {
    if (!this.playing) return;
    this.view.pause();
    this.view.seek(t);
  }

  /** Return from a motion to the pose. */
  still() {
    if (!this.playing) return;
    this.playing = null;
    this.view.load(this.packed);
    this.posture.ask({ set: {} });
    this.buttons();
  }

  // -- paths ----------------------------------------------------------------------------------------------------------

  /** The position of a frame. */
  where(name) {
    const k = this.view.data.frames.findIndex((frame) => frame.name === name);
    return [...this.view.course.poses[Math.max(k, 0)].slice(12, 15)];
  }

  draw(points) {
    this.overlay?.path(points);
  }
}
