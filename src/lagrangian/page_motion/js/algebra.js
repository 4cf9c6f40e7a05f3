// Small dense linear algebra. Matrices are arrays of rows.

const matrixRows = (flat, m, n) => Array.from({ length: m }, (_, i) => Array.from(flat.subarray(i * n, (i + 1) * n)));
const dotProduct = (a, b) => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
};
const maxAbs = (x) => x.reduce((result, v) => Math.max(result, Math.abs(v)), 0);
const vectorNorm = (x) => Math.sqrt(dotProduct(x, x));

/** L of A = L L^T. Pivots have a lower bound, so that A stays positive definite where something has no mass. */
function cholesky(A) {
  const n = A.length, L = A.map(() => new Array(n).fill(0));
  const minPivot = 1e-14 * Math.max(...A.map((row, k) => Math.abs(row[k])), 1e-300);
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = A[i][j];
      for (let k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = i === j ? Math.sqrt(Math.max(sum, minPivot)) : sum / L[j][j];
    }
  }
  return L;
}

/** x of L x = b, and of L^T x = b. */
function solveLower(L, b) {
  const x = b.slice();
  for (let i = 0; i < x.length; i++) {
    for (let k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
    x[i] /= L[i][i];
  }
  return x;
}

function solveUpper(L, b) {
  const x = b.slice();
  for (let i = x.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < x.length; k++) x[i] -= L[k][i] * x[k];
    x[i] /= L[i][i];
  }
  return x;
}

/** The smallest x with A x = b, by least squares where rows depend on each other: x = A^T (A A^T + d I)^-1 b. */
function minimumNorm(A, b, damping = 1e-13) {
  const m = A.length;
  const gram = A.map((row) => A.map((other) => dotProduct(row, other)));
  const scale = Math.max(gram.reduce((sum, row, k) => sum + row[k], 0) / Math.max(1, m), 1e-30);
  for (let k = 0; k < m; k++) gram[k][k] += damping * scale;
  const L = cholesky(gram), y = solveUpper(L, solveLower(L, b));
  return A[0] ? A[0].map((_, j) => A.reduce((sum, row, i) => sum + row[j] * y[i], 0)) : [];
}
