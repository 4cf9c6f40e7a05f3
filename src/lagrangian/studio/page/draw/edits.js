// Edits of a drawing. Each function changes the drawing that it gets, which is a copy of the one on the page.

export const WIDTH = 0.04; // of a bar, in metres
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export const empty = () => ({ name: "linkage", gravity: 9.81, pins: [], bars: [], sliders: [], motors: [] });
export const copy = (drawing) => structuredClone(drawing);

/** A drawing with defaults for the entries that it leaves out. */
export function withDefaults(given) {
  const d = { ...empty(), ...copy(given) };
  d.pins = d.pins.map((pin) => ({ ground: false, trace: false, ...pin }));
  d.bars = d.bars.map((bar) => ({ name: bar.pins.join(""), width: WIDTH, mass: null, ...bar }));
  d.sliders = d.sliders.map((slider) => ({ on: "ground", angle: 0, mass: null, ...slider }));
  d.motors = d.motors.map((motor) => ({ kind: "speed", value: 6, ...motor }));
  return d;
}

export const pinOf = (d, name) => d.pins.find((pin) => pin.name === name);
export const barOf = (d, name) => d.bars.find((bar) => bar.name === name);
export const sliderAt = (d, pin) => d.sliders.find((slider) => slider.pin === pin);
export const motorsAt = (d, pin) => d.motors.filter((motor) => motor.pin === pin);
export const blockAt = (pin) => `block ${pin}`;
export const barsAt = (d, pin) => d.bars.filter((bar) => bar.pins.includes(pin));

/** The links that a pin joins, the ground first. */
export function linksAt(d, name) {
  const slider = sliderAt(d, name);
  return [...(pinOf(d, name)?.ground ? ["ground"] : []), ...(slider ? [blockAt(name)] : []), ...barsAt(d, name).map((bar) => bar.name)];
}

export const lengthOf = (d, bar, a = bar.pins[0], b = bar.pins[1]) => {
  const p = pinOf(d, a), q = pinOf(d, b);
  return Math.hypot(q.x - p.x, q.y - p.y);
};

export const tidy = (x) => Number(x.toPrecision(14)); // 0.30000000000000004 m is 0.3 m

function freeName(names, first) {
  if (first && !names.has(first)) return first;
  for (let round = 0; ; round++) {
    for (const letter of LETTERS) {
      const name = round ? `${letter}${round}` : letter;
      if (!names.has(name)) return name;
    }
  }
}

export function addPin(d, x, y, { ground = false, trace = false, name = "" } = {}) {
  const pin = { name: freeName(new Set(d.pins.map((one) => one.name)), name), x: tidy(x), y: tidy(y), ground, trace };
  d.pins.push(pin);
  return pin.name;
}

export function addBar(d, a, b) {
  if (a === b || d.bars.some((bar) => bar.pins.includes(a) && bar.pins.includes(b))) return null;
  const names = new Set(["ground", ...d.bars.map((bar) => bar.name)]);
  let name = `${a}${b}`;
  for (let k = 2; names.has(name); k++) name = `${a}${b}-${k}`;
  d.bars.push({ name, pins: [a, b], width: d.bars.at(-1)?.width ?? WIDTH, mass: null });
  return name;
}

/** Add a pin to a bar, which becomes a plate if the pin is beside it. A bar that is named after its pins gets a new name. */
export function attach(d, bar, pin) {
  const own = barOf(d, bar);
  if (own.pins.includes(pin)) return;
  const called = own.name === own.pins.join("");
  own.pins.push(pin);
  if (called) rename(d, own, own.pins.join(""));
}

/** Rename a bar, also where other parts name it. */
export function rename(d, bar, name) {
  if (!name.trim() || name === "ground" || d.bars.some((one) => one !== bar && one.name === name) || d.sliders.some((one) => blockAt(one.pin) === name)) return false;
  for (const slider of d.sliders) if (slider.on === bar.name) slider.on = name;
  for (const motor of d.motors) for (const key of ["drives", "against"]) if (motor[key] === bar.name) motor[key] = name;
  bar.name = name;
  return true;
}

/** Join two pins to one, and return whether that worked. The first keeps its name and position. */
export function join(d, keep, gone) {
  if (keep === gone || d.bars.some((bar) => bar.pins.includes(keep) && bar.pins.includes(gone))) return false;
  if (sliderAt(d, keep) && sliderAt(d, gone)) return false;
  const a = pinOf(d, keep), b = pinOf(d, gone), slider = sliderAt(d, keep) ?? sliderAt(d, gone);
  const ground = a.ground || b.ground;
  if (slider && ((slider.on === "ground" && ground) || barOf(d, slider.on)?.pins.some((pin) => pin === keep || pin === gone))) return false;
  a.ground = ground;
  a.trace ||= b.trace;
  for (const bar of d.bars) {
    if (!bar.pins.includes(gone)) continue;
    const called = bar.name === bar.pins.join("");
    bar.pins = bar.pins.map((pin) => (pin === gone ? keep : pin));
    if (called) rename(d, bar, bar.pins.join(""));
  }
  const block = blockAt(gone);
  for (const one of d.sliders) if (one.pin === gone) one.pin = keep;
  for (const motor of d.motors) {
    if (motor.pin === gone) motor.pin = keep;
    for (const key of ["drives", "against"]) if (motor[key] === block) motor[key] = blockAt(keep);
  }
  d.pins = d.pins.filter((pin) => pin.name !== gone);
  tidyUp(d);
  return true;
}

export function addSlider(d, pin, on, angle = 0) {
  d.sliders = d.sliders.filter((slider) => slider.pin !== pin);
  if (on === "ground") pinOf(d, pin).ground = false;
  d.sliders.push({ pin, on, angle, mass: null });
  tidyUp(d);
}

/** A motor at a pin: it turns the last of the links that meet there against the first. */
export function addMotor(d, pin) {
  const links = linksAt(d, pin);
  const taken = motorsAt(d, pin).map((motor) => motor.drives);
  const drives = links.slice(1).find((link) => !taken.includes(link) && !link.startsWith("block ")) ?? links.slice(1).find((link) => !taken.includes(link));
  if (!drives) return null;
  d.motors.push({ pin, drives, against: links[0], kind: "speed", value: 6 });
  return d.motors.at(-1);
}

// -- removing ----------------------------------------------------------------------------------------------------------

export function removePin(d, name) {
  d.pins = d.pins.filter((pin) => pin.name !== name);
  for (const bar of d.bars) {
    if (!bar.pins.includes(name)) continue;
    const called = bar.name === bar.pins.join("");
    bar.pins = bar.pins.filter((pin) => pin !== name);
    if (called && bar.pins.length > 1) rename(d, bar, bar.pins.join(""));
  }
  tidyUp(d);
}

export function removeBar(d, name) {
  d.bars = d.bars.filter((bar) => bar.name !== name);
  tidyUp(d);
}

export function removeSlider(d, pin) {
  d.sliders = d.sliders.filter((slider) => slider.pin !== pin);
  tidyUp(d);
}

export function removeMotor(d, motor) {
  d.motors = d.motors.filter((one) => one !== motor);
}

/** Remove bars with fewer than two pins, unused pins, sliders on removed parts, and motors between links that no longer meet. */
export function tidyUp(d) {
  d.bars = d.bars.filter((bar) => bar.pins.length > 1);
  const bars = new Set(d.bars.map((bar) => bar.name));
  d.sliders = d.sliders.filter((slider) => pinOf(d, slider.pin) && (slider.on === "ground" ? !pinOf(d, slider.pin).ground : bars.has(slider.on) && !barOf(d, slider.on).pins.includes(slider.pin)));
  d.pins = d.pins.filter((pin) => pin.ground || sliderAt(d, pin.name) || barsAt(d, pin.name).length);
  d.motors = d.motors.filter((motor) => {
    const links = pinOf(d, motor.pin) ? linksAt(d, motor.pin) : [];
    return links.includes(motor.drives) && links.includes(motor.against);
  });
}

/** Move pins to positions, by name. */
export function place(d, places) {
  for (const pin of d.pins) {
    const found = places.get(pin.name);
    if (found) [pin.x, pin.y] = found;
  }
}

/** Rename a pin, also where other parts name it, and bars that are named after their pins. */
export function callPin(d, before, name) {
  pinOf(d, before).name = name;
  for (const bar of d.bars) {
    if (!bar.pins.includes(before)) continue;
    const called = bar.name === bar.pins.join("");
    bar.pins = bar.pins.map((pin) => (pin === before ? name : pin));
    if (called) rename(d, bar, bar.pins.join(""));
  }
  for (const slider of d.sliders) if (slider.pin === before) slider.pin = name;
  for (const motor of d.motors) {
    if (motor.pin === before) motor.pin = name;
    for (const key of ["drives", "against"]) if (motor[key] === blockAt(before)) motor[key] = blockAt(name);
  }
}
