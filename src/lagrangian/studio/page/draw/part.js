// The panel of the selected part, whose numbers can be typed. Without a selection, it lists the parts of the drawing.
import { withEquations, withLengths } from "./drag.js";
import * as edits from "./edits.js";
import { choice, make, numberField, textField, tick } from "./dom.js";
import { system } from "./solve.js";

const DEGREES = 180 / Math.PI;
const PIN = /^[A-Za-z][A-Za-z0-9]{0,11}$/;

export function partPanel(app) {
  const { chosen } = app.state, d = app.drawing;
  if (chosen?.kind === "pin" && edits.pinOf(d, chosen.name)) return pinPanel(app, edits.pinOf(d, chosen.name));
  if (chosen?.kind === "bar" && edits.barOf(d, chosen.name)) return barPanel(app, edits.barOf(d, chosen.name));
  if (chosen?.kind === "slider" && edits.sliderAt(d, chosen.name)) return sliderPanel(app, edits.sliderAt(d, chosen.name));
  if (chosen?.kind === "motor" && edits.motorsAt(d, chosen.name).length) return edits.motorsAt(d, chosen.name).flatMap((one) => motorPanel(app, one));
  return drawingPanel(app);
}

const button = (title, what, kind = "plain") => make("button", { type: "button", class: kind, onclick: what }, title);
const head = (title, app) => make("div", { class: "head" }, make("h2", {}, title), button("All parts", () => app.choose(null), "link"));

/** Change the drawing so that all bars meet again; false, with a message, if they cannot. */
function placeIfClosed(app, places, message) {
  if (!places) {
    app.say(message, "bad");
    return false;
  }
  app.history.change((d) => edits.place(d, places));
  return true;
}

/** A sentence about the links that a pin joins. */
function joinedText(links) {
  const names = links.map((name) => (name === "ground" ? "the ground" : name)), last = names.at(-1);
  if (!names.length) return "No bar uses this pin yet.";
  return names.length > 1 ? `It joins ${names.slice(0, -1).join(", ")} and ${last}.` : `Only ${last} uses this pin.`;
}

function pinPanel(app, own) {
  const set = (edit) => app.history.change((d) => edit(edits.pinOf(d, own.name), d));
  const links = edits.linksAt(app.drawing, own.name);
  return [
    head(`Pin ${own.name}`, app),
    textField("Name", own.name, (name) => {
      if (!PIN.test(name) || edits.pinOf(app.drawing, name)) {
        app.say("The name of a pin is a letter, followed by letters or digits, and must be unique.", "bad");
        return false;
      }
      app.history.change((d) => edits.callPin(d, own.name, name));
      app.choose({ kind: "pin", name });
      return true;
    }, { maxLength: 12 }),
    ...["x", "y"].map((axis) => numberField(axis, "m", own[axis], (value) => void set((one) => { one[axis] = value; }))),
    tick("Fixed to the ground", own.ground, (on) => set((one, d) => { one.ground = on; edits.tidyUp(d); })),
    tick("Draw its path", own.trace, (on) => set((one) => { one.trace = on; })),
    make("p", { class: "quiet" }, joinedText(links)),
    make("div", { class: "actions" },
      links.length > 1 && !edits.motorsAt(app.drawing, own.name).length ? button("Add a motor", () => {
        app.history.change((d) => (edits.addMotor(d, own.name) ? undefined : false));
        app.choose({ kind: "motor", name: own.name });
      }) : null,
      edits.motorsAt(app.drawing, own.name).length ? button("Its motor", () => app.choose({ kind: "motor", name: own.name })) : null,
      edits.sliderAt(app.drawing, own.name) ? button("Its slider", () => app.choose({ kind: "slider", name: own.name })) : null,
      button("Delete", () => app.erase({ kind: "pin", name: own.name }))),
  ];
}

function barPanel(app, own) {
  const [a, b, ...others] = own.pins, d = app.drawing;
  const cannot = "The bars cannot meet with this length.";
  const set = (edit) => app.history.change((copy) => edit(edits.barOf(copy, own.name)));
  return [
    head(own.pins.length > 2 ? `Plate ${own.pins.join("")}` : `Bar ${own.pins.join("")}`, app),
    textField("Name", own.name, (name) => {
      const good = app.history.change((copy) => edits.rename(copy, edits.barOf(copy, own.name), name)) !== false;
      if (good) app.choose({ kind: "bar", name });
      else app.say("Another link has this name.", "bad");
      return good;
    }),
    numberField(`${a} to ${b}`, "m", edits.lengthOf(d, own), (value) => placeIfClosed(app, withLengths(d, new Map([[own.name, value]])), cannot), { min: 1e-4 }),
    ...others.flatMap((name) => offset(app, own, name)),
    numberField("Width", "m", own.width, (value) => void set((one) => { one.width = value; }), { min: 1e-4 }),
    tick("Sheet steel, 5 mm thick", own.mass === null, (on) => set((one) => { one.mass = on ? null : 1; })),
    own.mass === null ? null : numberField("Mass", "kg", own.mass, (value) => void set((one) => { one.mass = value; }), { min: 1e-6 }),
    make("div", { class: "actions" }, button("Delete", () => app.erase({ kind: "bar", name: own.name }))),
  ];
}

/** The position of a further pin of a plate: along the line of the first two pins, and across it. */
function offset(app, own, name) {
  const d = app.drawing, [i, j, k] = [own.pins[0], own.pins[1], name].map((one) => edits.pinOf(d, one));
  const dx = j.x - i.x, dy = j.y - i.y, l = Math.hypot(dx, dy);
  const along = (dx * (k.x - i.x) + dy * (k.y - i.y)) / l, across = (dx * (k.y - i.y) - dy * (k.x - i.x)) / l;
  const put = (u, v) => {
    const made = system(d), index = made.index.get(name), first = made.index.get(own.pins[0]);
    const equations = made.equations.map((e) => (e.kind === "rigid" && e.k === index && e.i === first ? { ...e, a: u / l, b: v / l } : e));
    return placeIfClosed(app, withEquations(d, equations), "The bars cannot meet with this position of the point.");
  };
  return [
    numberField(`${name} along`, "m", along, (value) => put(value, across)),
    numberField(`${name} across`, "m", across, (value) => put(along, value)),
  ];
}

function sliderPanel(app, own) {
  const set = (edit) => app.history.change((d) => edit(edits.sliderAt(d, own.pin)));
  return [
    head(`Slider at ${own.pin}`, app),
    make("p", { class: "quiet" }, own.on === "ground" ? "A block that slides along a line of the ground." : `A block that slides along ${own.on}.`),
    own.on === "ground" ? numberField("Angle", "°", own.angle * DEGREES, (value) => void set((one) => { one.angle = value / DEGREES; })) : null,
    numberField("Mass", "kg", own.mass ?? 0.5, (value) => void set((one) => { one.mass = value; }), { min: 1e-6 }),
    make("div", { class: "actions" }, button("Delete", () => app.erase({ kind: "slider", name: own.pin }))),
  ];
}

function motorPanel(app, own) {
  const k = app.drawing.motors.indexOf(own), links = edits.linksAt(app.drawing, own.pin);
  const set = (edit) => app.history.change((d) => edit(d.motors[k]));
  const speed = own.kind === "speed";
  const others = (name) => links.filter((link) => link !== name).map((link) => [link, link]);
  return [
    head(`Motor at ${own.pin}`, app),
    choice("Gives", [["speed", "a speed"], ["torque", "a torque"]], own.kind, (kind) => set((one) => { one.kind = kind; one.value = kind === "speed" ? 6 : 1; })),
    numberField(speed ? "Speed" : "Torque", speed ? "rad/s" : "N m", own.value, (value) => void set((one) => { one.value = value; })),
    speed ? make("p", { class: "quiet" }, `${Number((own.value * 30 / Math.PI).toPrecision(3))} turns per minute; a negative speed turns clockwise.`) : null,
    choice("Turns", others(own.against), own.drives, (name) => set((one) => { one.drives = name; })),
    choice("Against", others(own.drives), own.against, (name) => set((one) => { one.against = name; })),
    make("div", { class: "actions" }, button("Delete", () => app.erase({ kind: "motor", name: own.pin }))),
  ];
}

/** The panel of the whole drawing. */
function drawingPanel(app) {
  const d = app.drawing;
  const list = (title, rows) => (rows.length ? [make("h3", {}, title), make("ul", { class: "parts" }, ...rows)] : []);
  const row = (hit, name, message) => make("li", {}, make("button", { type: "button", onclick: () => app.choose(hit) }, make("b", {}, name), make("span", {}, message)));
  const number = (x) => Number(x.toPrecision(4));
  return [
    make("div", { class: "head" }, make("h2", {}, "The drawing")),
    tick("Gravity acts (the drawing stands upright)", d.gravity > 0, (on) => app.history.change((copy) => { copy.gravity = on ? 9.81 : 0; })),
    ...list("Bars", d.bars.map((one) => row({ kind: "bar", name: one.name }, one.name, one.pins.length > 2 ? `plate ${one.pins.join(", ")}` : `${number(edits.lengthOf(d, one))} m`))),
    ...list("Pins", d.pins.map((one) => row({ kind: "pin", name: one.name }, one.name, `${number(one.x)}, ${number(one.y)} m${one.ground ? ", ground" : ""}${one.trace ? ", path" : ""}`))),
    ...list("Sliders", d.sliders.map((one) => row({ kind: "slider", name: one.pin }, `at ${one.pin}`, `along ${one.on}`))),
    ...list("Motors", d.motors.map((one) => row({ kind: "motor", name: one.pin }, `at ${one.pin}`, `${number(one.value)} ${one.kind === "speed" ? "rad/s" : "N m"}`))),
  ];
}
