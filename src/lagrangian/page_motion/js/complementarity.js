// The forces on joints at rest, and the impulses of stops, within their bounds: as Python's `motion.run.complementarity`, for
// mechanisms without loops, whose joints do not depend on each other.

const PASSES = 4;

/** Between `low` and `high`. */
const clip = (s, low, high) => s.map((x, k) => Math.min(Math.max(x, low[k]), high[k]));

/** Forces s and accelerations a = w + B^T B s with: s at a bound and a away from it, or a = 0. `columns` are those of B. */
function solveComplementarity(columns, w, low, high, start, tiny) {
  const n = w.length, gram = columns.map((x) => columns.map((y) => dotProduct(x, y)));
  const accelerations = (s) => w.map((x, k) => x + dotProduct(gram[k], s));
  let s = clip(start, low, high), a = accelerations(s);
  const free = s.map((x, k) => x > low[k] && x < high[k]);
  for (let turn = 0; turn < 20 * PASSES * (n + 1); turn++) {
    a = accelerations(s);
    const step = freeForceStep(gram, a, free);
    let far = Infinity, blocking = -1;
    step.forEach((x, k) => {
      const room = x ? Math.max(0, ((x > 0 ? high[k] : low[k]) - s[k]) / x) : Infinity;
      if (room < far) [far, blocking] = [room, k];
    });
    if (far < 1) {
      s = clip(s.map((x, k) => x + far * step[k]), low, high);
      s[blocking] = step[blocking] > 0 ? high[blocking] : low[blocking];
      free[blocking] = false;
      continue;
    }
    s = clip(s.map((x, k) => x + step[k]), low, high);
    a = accelerations(s);
    const inward = s.map((x, k) => (free[k] || low[k] === high[k] ? 0 : x <= low[k] ? -a[k] : x >= high[k] ? a[k] : 0));
    const wrong = inward.map((x, k) => k).filter((k) => inward[k] > tiny[k]);
    if (!wrong.length) break;
    const worst = wrong.reduce((best, k) => (inward[k] > inward[best] ? k : best), wrong[0]);
    free[turn > PASSES * (n + 1) ? wrong[0] : worst] = true;
  }
  return { s, a };
}

/** The change of the free forces that takes their accelerations away. */
function freeForceStep(gram, a, free) {
  const some = a.map((_, k) => k).filter((k) => free[k]), step = a.map(() => 0);
  if (!some.length) return step;
  const L = cholesky(some.map((i) => some.map((j) => gram[i][j])));
  solveUpper(L, solveLower(L, some.map((k) => -a[k]))).forEach((x, i) => (step[some[i]] = x));
  return step;
}
