// Mouse, pen and fingers on the picture: one pointer works the selected tool, two zoom and pan, the wheel zooms.

export function listen(svg, app) {
  const down = new Map(); // pointers that are down
  let working = false, pinch = null;

  const at = (event) => {
    const box = svg.getBoundingClientRect(), before = down.get(event.pointerId);
    const px = event.clientX - box.left, py = event.clientY - box.top;
    return { px, py, dx: before ? px - before.px : 0, dy: before ? py - before.py : 0, touch: event.pointerType === "touch" };
  };

  const spread = () => {
    const [a, b] = [...down.values()];
    return { x: (a.px + b.px) / 2, y: (a.py + b.py) / 2, far: Math.hypot(a.px - b.px, a.py - b.py) };
  };

  svg.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    svg.focus({ preventScroll: true });
    const place = at(event);
    down.set(event.pointerId, place);
    try { svg.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone already */ }
    if (down.size === 2) { // a second finger: what the first began is given up
      if (working) app.cancel();
      working = false;
      pinch = spread();
    } else if (down.size === 1 && event.button === 0) {
      working = true;
      app.down(place);
    }
    event.preventDefault();
  });

  svg.addEventListener("pointermove", (event) => {
    const place = at(event), known = down.has(event.pointerId);
    if (known) down.set(event.pointerId, place);
    if (pinch && down.size === 2) {
      const now = spread();
      app.view.pan(now.x - pinch.x, now.y - pinch.y);
      if (pinch.far > 0) app.view.zoom(now.far / pinch.far, now.x, now.y);
      pinch = now;
    } else if (working && known) app.move(place);
    else if (known && event.buttons === 4) app.view.pan(place.dx, place.dy);
    else if (!known) app.hover(place);
  });

  const up = (event) => {
    if (!down.has(event.pointerId)) return;
    const place = at(event);
    down.delete(event.pointerId);
    if (working) {
      working = false;
      if (event.type === "pointercancel") app.cancel();
      else app.up(place);
    }
    if (down.size < 2) pinch = null;
  };
  svg.addEventListener("pointerup", up);
  svg.addEventListener("pointercancel", up);
  svg.addEventListener("pointerleave", () => { if (!down.size) app.hover(null); });
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    app.view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
}
