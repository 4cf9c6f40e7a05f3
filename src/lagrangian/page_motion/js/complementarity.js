// The forces on joints at rest, and the impulses of stops, within their bounds, as in Python's `motion.run.complementarity`, for
// mechanisms without loops, whose joints do not depend on each other.

const PASSES = 4;

/** Each entry at the nearest value between `low` and `high`. */
const clip = (s, low, high) => s.map((x, k) => Math.min(Math.max(x, low[k]), high[k]));

/** Forces s and accelerations a = w + B^T B s, in which s is at a bound and a points away from it, or a is 0. `columns` are those of B. */
function solveComplementarity(columns, w, low, high, start, tolerances) {
  const n = w.length, gram = columns.map((x) => columns.map((y) => dot(x, y)));
  const accelerations = (s) => w.map((x, k) => x + dot(gram[k], s));
  let s = clip(start, low, high), a = accelerations(s);
  const free = s.map((x, k) => x > low[k] && x < high[k]);
  for (let iteration = 0; iteration < 20 * PASSES * (n + 1); iteration++) {
    a = accelerations(s);
    const step = freeForceStep(gram, a, free);
    let smallestPart = Infinity, blocking = -1;
    step.forEach((x, k) => {
      const part = x ? Math.max(0, ((x > 0 ? high[k] : low[k]) - s[k]) / x) : Infinity;
      if (part < smallestPart) [smallestPart, blocking] = [part, k];
    });
    if (smallestPart < 1) {
      s = clip(s.map((x, k) => x + smallestPart * step[k]), low, high);
      s[blocking] = step[blocking] > 0 ? high[blocking] : low[blocking];
      free[blocking] = false;
      continue;
    }
    s = clip(s.map((x, k) => x + step[k]), low, high);
    a = accelerations(s);
    const inward = s.map((x, k) => (free[k] || low[k] === high[k] ? 0 : x <= low[k] ? -a[k] : x >= high[k] ? a[k] : 0));
    const wrong = inward.map((x, k) => k).filter((k) => inward[k] > tolerances[k]);
    if (!wrong.length) break;
    const worst = wrong.reduce((best, k) => (inward[k] > inward[best] ? k : best), wrong[0]);
    free[iteration > PASSES * (n + 1) ? wrong[0] : worst] = true;
  }
  return { s, a };
}

/** The change of the free forces after which their accelerations are zero. */
function freeForceStep(gram, a, free) {
  const freeIndices = a.map((_, k) => k).filter((k) => free[k]), step = a.map(() => 0);
  if (!freeIndices.length) return step;
  const L = cholesky(freeIndices.map((i) => freeIndices.map((j) => gram[i][j])));
  backwardSubstitute(L, forwardSubstitute(L, freeIndices.map((k) => -a[k]))).forEach((x, i) => (step[freeIndices[i]] = x));
  return step;
}
