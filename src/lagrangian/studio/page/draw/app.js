// The application for drawing: the drawing, its tools, the picture, and the server's answers about the drawing.
import { ask, job, latestOnly, JobStopped } from "../js/api.js";
import { nearestClosed } from "./drag.js";
import * as edits from "./edits.js";
import { $, make } from "./dom.js";
import { EquationsPanel } from "./equations.js";
import { Files } from "./files.js";
import { forcesAt, ForcesPanel } from "./forces.js";
import { History } from "./history.js";
import { icon } from "./icons.js";
import { partPanel } from "./part.js";
import { Player, Track } from "./play.js";
import { guideAt, Picture } from "./render.js";
import { motorMotion } from "./run.js";
import { partAt } from "./snap.js";
import { degreesOfFreedom, system } from "./solve.js";
import { makeTools, TOOLS } from "./tools.js";
import { View } from "./view.js";

export const TABS = ["part", "equations", "forces", "toml"];

export class App {
  constructor() {
    this.history = new History();
    this.view = new View($("stage"));
    this.picture = new Picture($("stage"), this.view);
    this.state = { chosen: null, hovered: null, labels: true };
    this.tools = makeTools();
    this.tool = "bar";
    this.tab = "part";
    this.snapping = true;
    this.answer = null;
    this.moved = null; // the motion that the server computed for the drawing
    this.seconds = 5;
    this.player = new Player(() => this.draw());
    this.files = new Files(this);
    this.equations = new EquationsPanel($("panel-equations"));
    this.forces = new ForcesPanel($("panel-forces"), this);
    this.describe = latestOnly(() => this.#describe());
    this.history.onChange((_, how) => this.#changed(how));
    this.view.onChange(() => this.draw());
  }

  get drawing() { return this.history.now; }
  /** Whether the motors turn the whole linkage round and round; the motion then lasts one turn. */
  get round() { return Boolean(this.turned?.whole && !this.turned.virtual); }
  get withForces() { return this.tab === "forces"; }

  // -- the pointer -----------------------------------------------------------------------------------------------------

  down(at) {
    this.#adopt();
    this.tools[this.tool].down(this, at);
    this.draw();
  }

  move(at) {
    this.tools[this.tool].move(this, at);
    this.draw();
  }

  up(at) {
    this.tools[this.tool].up(this, at);
    this.tools[this.tool].before = null; // it is decided: nothing is left to be given up
    this.draw();
  }

  hover(at) {
    this.state.hovered = at && !this.player.moved ? partAt(this.drawing, this.view, at.px, at.py) : null;
    if (at && !this.player.moved) this.tools[this.tool].hover?.(this, at);
    else if (!this.state.pending) this.state.snapped = null;
    $("stage").dataset.over = this.state.hovered?.kind ?? "";
    this.draw();
  }

  cancel() {
    this.tools[this.tool].cancel?.(this);
    const { before } = this.tools[this.tool];
    if (before && before !== this.drawing) this.history.show(before);
    this.tools[this.tool].before = null;
    Object.assign(this.state, { pending: null, snapped: null, joining: null, target: null });
    this.draw();
  }

  /** Make the pose on the screen the drawn one before the drawing is changed. */
  #adopt() {
    if (!this.player.moved || !this.player.track) return;
    const places = nearestClosed(this.drawing, this.player.track.places(this.player.time));
    Object.assign(this.player, { moved: false, playing: false });
    if (places) this.history.change((d) => edits.place(d, places));
  }

  // -- edits -----------------------------------------------------------------------------------------------------------

  choose(hit) {
    this.state.chosen = hit;
    if (hit && this.tab !== "part" && !matchMedia("(max-width: 760px)").matches) this.show("part");
    this.#panel();
    this.draw();
  }

  erase(hit) {
    this.history.change((d) => {
      if (hit.kind === "pin") edits.removePin(d, hit.name);
      if (hit.kind === "bar") edits.removeBar(d, hit.name);
      if (hit.kind === "slider") edits.removeSlider(d, hit.name);
      if (hit.kind === "motor") edits.motorsAt(d, hit.name).forEach((one) => edits.removeMotor(d, one));
    });
    this.choose(null);
  }

  /** Replace the drawing; this can be undone. */
  replace(drawing) {
    this.player.rewind();
    this.state.chosen = null;
    this.history.put(drawing, "new");
    this.saved = JSON.stringify(drawing);
    this.fit();
    this.named();
    if (drawing.bars.length) this.take("move");
    this.#panel();
  }

  take(name) {
    this.cancel();
    this.tool = name;
    for (const button of $("tools").children) {
      button.setAttribute("aria-checked", String(button.dataset.tool === name));
      button.tabIndex = button.dataset.tool === name ? 0 : -1;
    }
    $("stage").dataset.tool = name;
    $("hint").textContent = TOOLS.find((one) => one.name === name).what;
    this.draw();
  }

  show(tab) {
    this.tab = tab;
    for (const name of TABS) {
      Object.assign($(`tab-${name}`), { ariaSelected: String(name === tab), tabIndex: name === tab ? 0 : -1 });
      $(`panel-${name}`).hidden = name !== tab;
    }
    this.#panel();
    this.#tracks();
  }

  setSeconds(value) {
    this.seconds = Math.min(60, value);
    this.moved = null;
    this.#tracks();
  }

  say(words, kind = "") {
    const note = $("note");
    note.textContent = words;
    note.className = `note ${kind}`;
    note.hidden = false;
    clearTimeout(this.noted);
    this.noted = setTimeout(() => { note.hidden = true; }, 3500 + 45 * words.length);
  }

  fit() {
    const { source } = this; // all that is met on the way is seen
    const paths = source ? Object.values(source.paths(source.names)).flat() : [];
    this.view.fit([...this.drawing.pins.map((pin) => [pin.x, pin.y]), ...paths]);
  }

  named() {
    $("name").value = this.drawing.name;
    document.title = `${this.drawing.name} · lagrangian`;
    $("file").textContent = this.files.path ?? "not saved yet";
    $("file").classList.toggle("dirty", Boolean(this.files.path) && this.saved !== JSON.stringify(this.drawing));
  }

  // -- after a change --------------------------------------------------------------------------------------------------

  #changed(how) {
    Object.assign(this.player, { moved: false, playing: false });
    if (how === "undo" || how === "new") this.tools[this.tool].cancel?.(this); // what it began with may be gone
    this.turned = motorMotion(this.drawing);
    this.run?.stop();
    this.run = this.moved = null;
    this.#follow();
    if (how === "shown") return void this.draw();
    this.files.keep(this.drawing);
    this.named();
    $("undo").disabled = !this.history.past.length;
    $("redo").disabled = !this.history.future.length;
    this.describe();
    this.#panel();
    this.draw();
  }

  /** Compute the track, the paths and the rails from the drawing, or from the server's motion. */
  #follow() {
    // without a motor it moves by its weight, which the server knows; its paths are known all the same
    const turned = this.turned ? Track.turned(this.turned) : null, track = this.moved ? Track.moved(this.moved, this.round) : this.turned?.virtual ? null : turned;
    const names = this.drawing.pins.filter((pin) => pin.trace).map((pin) => pin.name);
    const source = this.source = turned ?? track;
    this.state.curves = source ? source.paths(names) : {};
    this.state.guides = new Map(this.drawing.sliders.filter((one) => one.on === "ground").map((slider) => {
      const own = edits.pinOf(this.drawing, slider.pin), path = source?.paths([slider.pin])[slider.pin] ?? [[own.x, own.y]];
      const along = path.map(([x, y]) => guideAt({ x, y }, slider));
      return [slider.pin, [Math.min(...along), Math.max(...along)]];
    }));
    this.player.use(track, this.player.moved);
  }

  async #describe() {
    try {
      this.answer = await ask("POST", "/api/drawing", { drawing: this.drawing });
      const special = this.answer.degrees < 1 && this.drawing.bars.length && this.answer.text && degreesOfFreedom(system(this.drawing)) > 0;
      $("words").textContent = special ? `Gruebler's count is ${this.answer.degrees}, but the linkage can move with these lengths.` : this.answer.words;
      $("count").textContent = this.answer.count && this.drawing.bars.length ? `Gruebler: ${this.answer.count}` : "";
      $("words").parentElement.classList.toggle("bad", !this.answer.good && this.drawing.bars.length > 0);
    } catch (error) {
      this.answer = null;
      $("words").textContent = [error.message, error.remedy].filter(Boolean).join("; ");
      $("words").parentElement.classList.add("bad");
    }
    this.#answered(); // not the part: what is being typed there must stay
    this.#tracks();
  }

  /** Ask the server for the motion with its forces, if it is needed and not there yet. */
  async #tracks(play = false) {
    const wanted = this.withForces || play;
    if (!wanted || this.moved || this.run || !this.answer?.text) return this.draw();
    const seconds = this.round ? Math.min(60, this.turned.t.at(-1)) : this.seconds;
    const run = this.run = job("linkage", this.answer.text, "toml", { drawing: this.drawing, seconds }, { progress: ({ done, total }) => this.#busy(done / total) });
    this.#busy(0);
    try {
      const found = await run.result;
      if (run !== this.run) return;
      this.moved = found;
      this.#follow();
      this.forces.show(found);
      if (found.warnings.length && !this.withForces) this.say(found.warnings[0], "bad");
      if (play) this.player.toggle();
    } catch (error) {
      if (error instanceof JobStopped) return void (run === this.run && this.forces.clear("You stopped the computation. Choose Forces again, or change the drawing, to compute the motion."));
      if (run === this.run) this.forces.clear(make("p", { class: "trouble" }, [error.message, error.remedy].filter(Boolean).join("; ")));
      if (run === this.run && play) this.say(error.message, "bad");
    } finally {
      if (run === this.run) this.run = null;
      if (!this.run) this.#busy(null);
    }
    this.draw();
  }

  #busy(share) {
    $("busy").hidden = $("stop").hidden = share === null;
    if (share !== null) $("busy").value = share;
  }

  async play() {
    if (this.player.track) this.player.toggle();
    else if (this.answer?.text) await this.#tracks(true);
    else this.say(this.answer?.words ?? "Draw a linkage first.", "bad");
  }

  // -- the page --------------------------------------------------------------------------------------------------------

  #panel() {
    if (this.tab === "part") this.#partPanel();
    this.#answered();
  }

  /** Show the fields of the selected part; the field with the focus keeps it. */
  #partPanel() {
    const panel = $("panel-part"), focused = panel.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    panel.replaceChildren(...partPanel(this).filter(Boolean));
    if (focused !== null) panel.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Show the server's answer in the tab that is open. */
  #answered() {
    const text = this.answer?.text, unfinished = this.answer?.problem ? `Not yet: ${this.answer.problem}.` : "Draw a linkage first.";
    if (this.tab === "toml") $("text").textContent = text || unfinished;
    if (this.tab === "equations") text ? this.equations.show(text) : this.equations.clear(unfinished);
    if (this.tab === "forces" && !this.moved) this.forces.clear(text ? "Computing the motion …" : unfinished);
  }

  /** Draw once at the next frame, however often this is called. */
  draw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = null;
      this.#draw();
    });
  }

  #draw() {
    const { player } = this, { track } = player;
    let drawing = this.drawing;
    if (player.moved && track) {
      drawing = edits.copy(drawing);
      edits.place(drawing, track.places(player.time));
    }
    const row = this.moved && track ? track.row(player.time) : 0;
    const forces = this.withForces && this.moved ? forcesAt(this.moved, row, this.forces.hidden) : null;
    this.picture.draw({ ...this.state, drawing, forces });
    if (forces) this.forces.at(row);
    $("play").replaceChildren(icon(player.playing ? "pause" : "play"));
    $("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    $("play").disabled = !track && !this.answer?.text;
    $("time").max = track ? track.duration : 1;
    $("time").disabled = !track;
    if (document.activeElement !== $("time") || player.playing) $("time").value = player.time;
    $("clock").textContent = track ? `${player.time.toFixed(2)} s` : "";
    $("empty").hidden = this.drawing.pins.length > 0 || Boolean(this.state.pending);
  }
}
