// Mouse, pen and touch: one pointer turns, two (or one with Shift, or with the right button) move, pinch and wheel zoom.

function listen(player, canvas) {
  const fingers = new Map(), camera = player.camera;
  let awake = player.data.full;  // in a page with other things, the wheel scrolls it until the player is clicked

  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, far: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };
  const ratio = () => camera.height / (canvas.clientHeight || 1);

  canvas.addEventListener("pointerdown", (event) => {
    awake = true;
    player.controls.hint.remove();
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const dx = event.clientX - finger.x, dy = event.clientY - finger.y;
    if (fingers.size === 2) {
      const before = spread();
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      const after = spread();
      camera.pan((after.x - before.x) * ratio(), (after.y - before.y) * ratio());
      camera.zoom(before.far / after.far);
    } else {
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      if (event.shiftKey || event.buttons & 6) camera.pan(dx * ratio(), dy * ratio());
      else camera.orbit(dx, dy);
    }
    player.refresh();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerleave", () => (awake = player.data.full || fingers.size > 0));
  canvas.addEventListener("wheel", (event) => {
    if (!awake && !event.ctrlKey) return;
    event.preventDefault();
    camera.zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -200, 200) * 0.0015));
    player.refresh();
  }, { passive: false });
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    player.refresh();
  });
}
