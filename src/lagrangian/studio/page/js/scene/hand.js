// The pointer on the mechanism: dragging a part moves it, dragging a grip changes a length; paths can be drawn.

import { norm, sub } from "/player.js";
import { pickNear } from "./pick.js";

const PICK_DISTANCE = { mouse: 5, pen: 7, touch: 14 };  // pixels beside a part that still take it
const MIN_POINT_DISTANCE = 3;  // pixels between points of a drawn path

export class Hand extends EventTarget {
  /** `mode` is "move", "length" or "draw". */
  constructor(view, posture, lengths, overlay) {
    super();
    Object.assign(this, { view, posture, lengths, overlay, mode: "move", held: null, path: null });
    const { root } = view;
    root.addEventListener("pointerdown", (event) => this.down(event), true);
    root.addEventListener("pointermove", (event) => this.move(event), true);
    for (const name of ["pointerup", "pointercancel"]) root.addEventListener(name, (event) => this.up(event), true);
    root.addEventListener("pointerleave", () => overlay.name(null));
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  take(mode) {
    this.mode = mode;
    this.tell("mode", mode);
  }

  down(event) {
    const grip = event.target.closest?.(".grip"), onCanvas = event.target === this.view.controls.canvas;
    if (event.button !== 0 || event.shiftKey || this.held || (!grip && !onCanvas)) return;
    if (grip) this.hold(event, this.gripped(this.lengths.handle(grip.dataset.handle)));
    else if (this.mode === "draw") this.hold(event, this.drawn());
    else if (!this.view.moves && this.mode !== "length") {
      const found = pickNear(this.view, event.clientX, event.clientY, PICK_DISTANCE[event.pointerType] || 5);
      if (!found) return;
      const near = event.ctrlKey || event.altKey || event.metaKey ? this.lengths.nearest(event.clientX, event.clientY) : null;
      this.hold(event, near ? this.gripped(near) : this.grabbed(found));
    }
  }

  /** Take the pointer from the camera until it is released. */
  hold(event, held) {
    if (!held) return;
    event.stopPropagation();
    event.preventDefault();
    this.view.root.setPointerCapture(event.pointerId);
    this.view.root.focus({ preventScroll: true });
    this.held = { ...held, pointer: event.pointerId };
    this.view.held = true;
    this.overlay.name(null);
    held.at?.(event);
  }

  /** The plane of a drag, through a point and normal to the world axis that is nearest to the view: planar mechanisms lie in such planes. */
  plane(point) {
    const normal = this.view.facing();
    return (event) => this.view.meet(this.view.ray(event.clientX, event.clientY), point, normal);
  }

  grabbed({ frame, point, world }) {
    const { name } = this.view.data.frames[frame], on = this.plane(world);
    return { at: (event) => { const to = on(event); if (to) this.posture.drag(name, point, to); } };
  }

  gripped(handle) {
    if (!handle) return null;
    const on = this.plane(this.lengths.world(handle));
    this.lengths.begin(handle);
    return {
      at: (event) => { const to = on(event); if (to && event.type === "pointermove") this.lengths.drag(to); },
      end: () => this.lengths.end(),
    };
  }

  /** Draw a path in the plane of the frame that is to follow it. */
  drawn() {
    const { start } = this, on = this.plane(start()), points = [];
    let last = null;
    return {
      at: (event) => {
        const to = on(event), here = [event.clientX, event.clientY];
        if (!to || (last && Math.hypot(here[0] - last[0], here[1] - last[1]) < MIN_POINT_DISTANCE)) return;
        last = here;
        points.push(to);
        this.overlay.path(points);
      },
      end: () => points.length > 2 && this.tell("drawn", points),
    };
  }

  move(event) {
    const { held } = this;
    if (!held) return this.hover(event);
    if (event.pointerId !== held.pointer) return;
    event.stopPropagation();
    const moves = event.getCoalescedEvents?.() ?? [];
    for (const each of this.mode === "draw" && moves.length ? moves : [event]) held.at?.(each);
  }

  up(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    event.stopPropagation();
    this.held = null;
    this.view.held = false;
    held.end?.();
  }

  hover(event) {
    const { view } = this;
    if (event.pointerType !== "mouse" || event.buttons || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const free = this.mode === "move" && !view.moves && event.target === view.controls.canvas;
      const found = free ? pickNear(view, event.clientX, event.clientY, PICK_DISTANCE.mouse) : null;
      view.root.parentElement.classList.toggle("over", Boolean(found));
      this.overlay.name(found && view.data.frames[found.frame].name, event.clientX, event.clientY);
    });
  }
}

/** Whether a path is meant to be closed: its ends are near each other for its size. */
export function isClosedPath(points) {
  const size = points.reduce((most, p) => Math.max(most, norm(sub(p, points[0]))), 0);
  return norm(sub(points[points.length - 1], points[0])) < 0.15 * size;
}

