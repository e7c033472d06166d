"use strict";
/*
 * Functions of matrices, as core/arithmetic has them: sums in the same order, numbers beyond the
 * largest double stay at that double, −∞ only where a mask puts it, never NaN.
 * A matrix is an array of rows.
 */
const Arithmetic = (() => {
  const LARGEST = Number.MAX_VALUE;
  const RESCUE = 2 ** -520; // doubles times this have products that can be added
  const SMALL_ROW = 64; // entries up to which a row is sorted before it is added up

  const saturate = (x) => Math.min(Math.max(x, -LARGEST), LARGEST);
  const map = (A, f) => A.map((row, i) => row.map((x, j) => f(x, i, j)));
  const filled = (rows, columns, f) =>
    Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => f(i, j)));
  const transpose = (A) => A[0].map((_, j) => A.map((row) => row[j]));

  /** Σ a[i] b[i] from the first term to the last; `order` gives another order. */
  const dot = (a, b, order = null) => {
    let total = 0;
    for (let i = 0; i < a.length; i++) {
      const t = order ? order[i] : i;
      total += a[t] * b[t];
    }
    if (Number.isFinite(total)) return total;
    let rescued = 0;
    for (let i = 0; i < a.length; i++) rescued += a[i] * RESCUE * (b[i] * RESCUE);
    return saturate(rescued / RESCUE / RESCUE);
  };

  /** (n, k), (k, m) → (n, m) */
  const product = (A, B) => {
    const columns = transpose(B);
    return A.map((row) => columns.map((column) => dot(row, column)));
  };

  const ascending = (a, b) => a - b;

  /** The product whose sums do not depend on the order of the k terms. */
  const orderFreeProduct = (A, B) => {
    const columns = transpose(B),
      first = columns[0];
    const order = first.map((_, i) => i).sort((i, j) => first[i] - first[j]);
    const alike = order.some((t, i) => i && first[t] === first[order[i - 1]]);
    if (!alike) return A.map((row) => columns.map((column) => dot(row, column, order)));
    const sorted = (row, column) => {
      const terms = row.map((x, i) => x * column[i]).sort(ascending);
      const total = pairwise(terms, 0, terms.length) + 0;
      return Number.isFinite(total) ? total : dot(row, column);
    };
    return A.map((row) => columns.map((column) => sorted(row, column)));
  };

  /** The sum of a[from … from + count) as NumPy adds it: eight partial sums, long rows in halves. */
  const pairwise = (a, from, count) => {
    if (count < 8) {
      let total = 0;
      for (let i = from; i < from + count; i++) total += a[i];
      return total;
    }
    if (count <= 128) {
      const r = a.slice(from, from + 8);
      let i = 8;
      for (; i + 8 <= count; i += 8) for (let j = 0; j < 8; j++) r[j] += a[from + i + j];
      let total = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
      for (; i < count; i++) total += a[from + i];
      return total;
    }
    const half = (count >> 1) - ((count >> 1) % 8);
    return pairwise(a, from, half) + pairwise(a, from + half, count - half);
  };

  const bareSum = (row) => {
    const ordered = row.length <= SMALL_ROW ? row.slice().sort(ascending) : row;
    return pairwise(ordered, 0, ordered.length);
  };
  const rowSum = (row) => saturate(bareSum(row));
  const rowMax = (row) => row.reduce((a, b) => (b > a ? b : a), -Infinity);

  // Softmax

  const power = (base, x) => (base === "e" ? Math.exp(x) : Math.pow(Number(base), x));

  /** base^(score − row maximum), or base^score without the shift; masked gives 0. */
  const exponentials = (row, base = "e", shift = true) => {
    const highest = shift ? Math.max(rowMax(row), -LARGEST) : 0;
    return row.map((s) => saturate(power(base, s - highest)));
  };

  /** Each number divided by the row's sum; a row that sums to 0 becomes 0. */
  const normalise = (row) => {
    let total = bareSum(row);
    if (Math.abs(saturate(total)) === LARGEST) {
      row = row.map((x) => x * 2 ** -600);
      total = rowSum(row);
    }
    return row.map((x) => (total === 0 ? 0 : saturate(x / total)));
  };

  // Positions

  /** position · base^(−2 pair / width) */
  const angle = (position, pair, width, base) =>
    saturate(position * saturate(Math.pow(base, (-2 * pair) / width)));

  const sinusoidal = (n, d, base) =>
    filled(n, d, (i, c) => (c % 2 ? Math.cos : Math.sin)(angle(i, c >> 1, d, base)));

  /** Neighbouring columns turn by their row's angle; an odd last column stays. */
  const rotate = (A, base) =>
    A.map((row, i) => {
      const turned = row.slice();
      for (let c = 0; c + 1 < row.length; c += 2) {
        const theta = angle(i, c >> 1, row.length, base);
        const cos = Math.cos(theta),
          sin = Math.sin(theta);
        turned[c] = saturate(row[c] * cos - row[c + 1] * sin);
        turned[c + 1] = saturate(row[c] * sin + row[c + 1] * cos);
      }
      return turned;
    });

  // Norms

  const times = (x, exponent) => {
    const half = Math.trunc(exponent / 2); // in two parts: 2^exponent itself may be no double
    return x * 2 ** half * 2 ** (exponent - half);
  };

  /** Every part of a normalised row: mean, variance, root, centred, normalised, scaled. */
  const normRow = (x, gamma, beta, kind, eps) => {
    const largest = x.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    const p = largest < 2 ** 399 ? 0 : Math.max(Math.floor(Math.log2(largest)) + 1 - 400, 0);
    const small = p ? x.map((v) => times(v, -p)) : x;
    const mean = kind === "rms" ? 0 : rowSum(small) / x.length;
    const centred = small.map((v) => v - mean);
    const variance = rowSum(centred.map((v) => v * v)) / x.length;
    const root = Math.sqrt(variance + (p ? times(eps, -2 * p) : eps));
    const normalised = centred.map((v) => (root === 0 ? 0 : v / root));
    const scaled = normalised.map((v, j) =>
      saturate((gamma ? v * gamma[j] : v) + (beta ? beta[j] : 0)),
    );
    const back = (v, by) => saturate(times(v, by));
    return {
      mean: back(mean, p),
      variance: back(variance, 2 * p),
      root: back(root, p),
      centred: centred.map((v) => back(v, p)),
      normalised,
      scaled,
    };
  };

  // Activations

  /** 1 − erf x: the series of positive terms up to 2, from there on the continued fraction. */
  const erfc = (x) => {
    if (x < 0) return 2 - erfc(-x);
    if (x > 27.3) return 0;
    const density = Math.exp(-x * x) / Math.sqrt(Math.PI);
    if (x < 2) {
      let term = 2 * x,
        total = term;
      for (let k = 1; Math.abs(term) > total * 1e-18; k++)
        total += term *= (2 * x * x) / (2 * k + 1);
      return 1 - density * total;
    }
    let tail = 0; // x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))
    for (let k = 80; k > 0; k--) tail = k / 2 / (x + tail);
    return density / (x + tail);
  };

  const sigmoid = (x) => {
    const e = Math.exp(-Math.abs(x));
    return (x < 0 ? e : 1) / (1 + e);
  };
  const TANH_SCALE = Math.sqrt(2 / Math.PI),
    TANH_CUBE = 0.044715;
  const tanhArgument = (x) => TANH_SCALE * (x + TANH_CUBE * x ** 3);
  const near = (x) => Math.min(Math.max(x, -40), 40);

  const ACTIVATIONS = {
    relu: (x) => Math.max(x, 0),
    gelu: (x) => x * (erfc(x * -Math.SQRT1_2) / 2),
    gelu_tanh: (x) => x * sigmoid(2 * tanhArgument(near(x))),
    silu: (x) => x * sigmoid(x),
  };

  return {
    LARGEST,
    ACTIVATIONS,
    saturate,
    map,
    filled,
    transpose,
    dot,
    product,
    orderFreeProduct,
    rowSum,
    pairwise,
    rowMax,
    exponentials,
    normalise,
    power,
    angle,
    sinusoidal,
    rotate,
    normRow,
    tanhArgument,
  };
})();
if (typeof module !== "undefined") module.exports = Arithmetic;
