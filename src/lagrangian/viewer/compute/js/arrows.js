// Forces of a computed motion as the player draws them: those that the recorded motion has, to its scale.

/** `plan.arrows` names them; the worker gives the point and the vector of each, for every row. `recorded` are the player's own. */
function computedArrows({ t, arrows }, plan, recorded) {
  if (!arrows) return [];
  const rows = t.length, wide = 6 * plan.arrows.length;
  return recorded.flatMap(({ name, group, unit, scale }) => {
    const at = plan.arrows.findIndex((it) => it.name === name && it.unit === unit);
    if (at < 0) return [];
    const p = new Float32Array(3 * rows), v = new Float32Array(3 * rows);
    for (let row = 0, k = 6 * at; row < rows; row++, k += wide)
      for (let c = 0; c < 3; c++) {
        p[3 * row + c] = arrows[k + c];
        v[3 * row + c] = scale * arrows[k + 3 + c];
      }
    return [{ name, group, unit, scale, p, v }];
  });
}
