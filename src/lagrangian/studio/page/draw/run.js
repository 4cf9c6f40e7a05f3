// The motion of a linkage by its motors: from one angle to the next, and over whole turns for the paths of points.
import { close, degreesOfFreedom, system } from "./solve.js";

const STEP = Math.PI / 180; // the largest turn of a motor in one step
const MAX_JUMP = 12; // a pin that goes so much further than a motor turns has left its branch: a dead centre was passed

/** The equations of a drawing that its motors drive completely, else null. Without motors, the first bar of a linkage with one degree of freedom is turned. */
export function drivenSystem(drawing) {
  if (!drawing.bars.length) return null;
  const linkage = system(drawing);
  const free = degreesOfFreedom(linkage);
  if (!linkage.motors.length && free === 1) {
    const motor = groundMotor(drawing);
    if (!motor) return null;
    const virtual = system({ ...drawing, motors: [motor] });
    return degreesOfFreedom(virtual, true) === 0 ? Object.assign(virtual, { virtual: true }) : null;
  }
  return linkage.motors.length && free > 0 && degreesOfFreedom(linkage, true) === 0 ? linkage : null;
}

/** A motor at the first pin on the ground that has a bar; null if there is none. */
function groundMotor(drawing) {
  for (const pin of drawing.pins.filter((one) => one.ground)) {
    const bar = drawing.bars.find((one) => one.pins.includes(pin.name));
    if (bar) return { pin: pin.name, drives: bar.name, against: "ground", kind: "speed", value: 1 };
  }
  return null;
}

/** The motion by the motors from the drawn pose. `advance(dt)` moves it, and returns false where it cannot go on. */
export class Turning {
  constructor(linkage) {
    this.linkage = linkage;
    this.x = Float64Array.from(linkage.x);
    this.before = null; // the last change and its time, to begin the next from
    this.t = 0;
    this.fastest = Math.max(...linkage.motors.map((motor) => Math.abs(motor.speed)), 1e-9);
    this.size = span(linkage.x);
  }

  /** Advance by a time, in steps that are small enough. */
  advance(dt) {
    const steps = Math.max(1, Math.ceil(Math.abs(dt) * this.fastest / STEP - 1e-9));
    for (let k = 0; k < steps; k++) if (!this.#step(dt / steps)) return false;
    return true;
  }

  #step(dt) {
    const { linkage } = this, t = this.t + dt, x = Float64Array.from(this.x);
    if (this.before) for (let k = 0; k < x.length; k++) x[k] += this.before.change[k] * dt / this.before.dt;
    linkage.motors.forEach((motor) => { motor.angle = motor.start + motor.speed * t; });
    const good = close(linkage, x, { motors: true });
    let far = 0;
    for (let k = 0; k < x.length; k++) far = Math.max(far, Math.abs(x[k] - this.x[k]));
    if (!good || far > MAX_JUMP * this.size * this.fastest * Math.abs(dt) + 1e-6) return false;
    this.before = { change: x.map((value, k) => value - this.x[k]), dt };
    this.x = x;
    this.t = t;
    return true;
  }
}

const span = (x) => {
  let low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  x.forEach((value, k) => { low[k & 1] = Math.min(low[k & 1], value); high[k & 1] = Math.max(high[k & 1], value); });
  return Math.max(high[0] - low[0], high[1] - low[1], 1e-6);
};

/** The positions of all pins over whole turns, or as far as the motors can go either way; null if they do not drive all pins. */
export function motorMotion(drawing, most = 2160) {
  const linkage = drivenSystem(drawing);
  if (!linkage) return null;
  const fastest = Math.max(...linkage.motors.map((motor) => Math.abs(motor.speed)));
  if (!(fastest > 0)) return null;
  const dt = STEP / fastest, rows = Math.min(most, 360 * wholeTurns(linkage.motors, fastest));
  const found = { names: linkage.names, virtual: Boolean(linkage.virtual) };
  const forward = follow(linkage, dt, rows);
  if (forward.length > rows) return { ...found, whole: true, start: 0, rows: forward, t: forward.map((_, k) => k * dt) };
  const backward = follow(linkage, -dt, rows);
  const all = [...backward.slice(1).reverse(), ...forward];
  return { ...found, whole: false, start: backward.length - 1, rows: all, t: all.map((_, k) => k * dt) };
}

function follow(linkage, dt, rows) {
  const turning = new Turning(linkage), found = [turning.x];
  for (let k = 0; k < rows && turning.advance(dt); k++) found.push(turning.x);
  return found;
}

/** The number of turns of the fastest motor until all motors are back at their start: at most six. */
function wholeTurns(motors, fastest) {
  for (let turns = 1; turns < 6; turns++) {
    if (motors.every((motor) => Math.abs(turns * motor.speed / fastest - Math.round(turns * motor.speed / fastest)) < 1e-9)) return turns;
  }
  return 6;
}
