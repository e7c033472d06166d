"use strict";
/*
 * Known mistakes, each as another computation of a stage from the learner's own earlier numbers. The
 * sentences, and which mistakes there are, come from the tables; the most common come first.
 */
const Mistakes = (() => {
  const C = typeof Core === "undefined" ? require("./core.js") : Core;
  const M = typeof Arithmetic === "undefined" ? require("./arithmetic.js") : Arithmetic;

  const rows = (f) => (matrix) => matrix.map((row) => f(row));
  const finite = (row, f) => row.map((x) => (x === -Infinity ? x : f(x)));
  const columns = (matrix) => M.transpose(M.transpose(matrix).map(M.normalise));
  const everything = (matrix) => {
    const all = M.normalise(matrix.flat()),
      width = matrix[0].length;
    return matrix.map((_, i) => all.slice(i * width, (i + 1) * width));
  };

  /** The mistakes that are possible at a stage: {id, data, compute(head) → matrix, given: a stage that must be typed, too}. */
  const candidates = (run, stage) => {
    const e = run.experiment,
      found = [],
      [first, second] = stage.reads;
    const read = (id, head) => C.matrix(run, id, head),
      softmax = C.softmaxOf(e);
    const add = (id, compute, data = {}, given = "") => found.push({ id, data, compute, given });
    const named = (name) => (stage.layer === null ? name : `L${stage.layer}.${name}`);
    const exp = (row, base = softmax.base, shift = softmax.shift) =>
      M.exponentials(row, base, shift);
    if (stage.kind === "scale") {
      const k = C.keyWidth(e, stage.id),
        v = C.valueWidth(e, stage.id),
        h = C.headsOf(e, stage.id).length;
      const d = e.X ? e.X[0].length : e.W_O ? e.W_O[0].length : null;
      const own = C.scaleOf(e).kind === "sqrt_dk" ? 1 / Math.sqrt(k) : C.scaleOf(e).value;
      const factors = {
        "scale.forgotten": 1,
        "scale.by_dk": 1 / k,
        "scale.by_sqrt_model": d && 1 / Math.sqrt(d),
        "scale.by_sqrt_model_per_head": d && Math.sqrt(h / d),
        "scale.by_sqrt_dv": 1 / Math.sqrt(v),
        "scale.multiplied": own ? 1 / own : 1,
        "scale.by_model": d && 1 / d,
        "scale.by_sqrt_dk": 1 / Math.sqrt(k),
      };
      for (const [id, factor] of Object.entries(factors)) {
        if (factor !== null && Math.abs(factor - own) > 1e-9 * Math.abs(own))
          add(id, (head) => M.map(read(first, head), (x) => x * factor), { k, v, h, d });
      }
    }
    if (stage.kind === "dot_product") {
      const square = e.tokens.length === C.keyTokens(e).length,
        times = (a, b) => (head) => M.product(read(a, head), M.transpose(read(b, head)));
      if (square) add("scores.swapped", times(second, first));
      if (C.keyTokens(e).length === C.keyWidth(e, stage.id))
        add("scores.key_not_transposed", (head) =>
          M.product(read(first, head), read(second, head)),
        );
      if (square) add("scores.other_factor", times(first, first), { used: "Q", instead: "K" });
      if (square) add("scores.other_factor", times(second, second), { used: "K", instead: "Q" });
    }
    if (stage.kind === "mask") {
      add("mask.forgotten", (head) => read(first, head));
      add("mask.zero", (head) =>
        M.map(read(first, head), (x, i, j) => (C.allowed(e, i, j) ? x : 0)),
      );
      if (e.tokens.length === C.keyTokens(e).length)
        add("mask.transposed", (head) =>
          M.map(read(first, head), (x, i, j) => (C.allowed(e, j, i) ? x : -Infinity)),
        );
    }
    if (stage.kind === "exponential") {
      for (const base of ["e", 2, 10, 3].filter((each) => String(each) !== String(softmax.base))) {
        for (const shift of [true, false])
          add("softmax.base", (head) => read(first, head).map((row) => exp(row, base, shift)), {
            base,
            own: softmax.base,
          });
      }
      add("softmax.negated", (head) => read(first, head).map((row) => exp(finite(row, (x) => -x))));
    }
    if (stage.kind === "normalise") {
      const source = C.stageOf(run, first).reads[0];
      add("softmax.columns", (head) => columns(read(first, head)), {}, first);
      add("softmax.everything", (head) => everything(read(first, head)), {}, first);
      add("softmax.columns", (head) =>
        columns(M.map(read(source, head), (s) => M.power(softmax.base, s))),
      );
      add("softmax.everything", (head) =>
        everything(M.map(read(source, head), (s) => M.power(softmax.base, s))),
      );
      add("softmax.not_normalised", (head) => read(first, head));
      add("softmax.no_exp", (head) =>
        rows((row) => M.normalise(row.map((x) => (Number.isFinite(x) ? x : 0))))(
          read(source, head),
        ),
      );
      add("softmax.largest_only", (head) =>
        rows((row) => {
          const most = M.rowMax(row);
          return M.normalise(row.map((x) => Number(x === most && Number.isFinite(x))));
        })(read(source, head)),
      );
      if (C.stageOf(run, source).kind === "mask") {
        const before = C.stageOf(run, source).reads[0];
        add("mask.after_softmax", (head) =>
          M.map(
            read(before, head).map((row) => M.normalise(exp(row))),
            (x, i, j) => (C.allowed(e, i, j) ? x : 0),
          ),
        );
      }
    }
    if (stage.kind === "mix") {
      const name = named("K");
      if (e.tokens.length === C.keyTokens(e).length)
        add("mix.columns", (head) => M.product(M.transpose(read(first, head)), read(second, head)));
      if (e.tokens.length === C.keyTokens(e).length)
        add("mix.values_alone", (head) => read(second, head));
      if (run.arrays.has(name) && C.keyWidth(e, name) === C.valueWidth(e, name))
        add("mix.keys", (head) => M.product(read(first, head), read(name, head)));
    }
    if (
      stage.kind === "project" &&
      stage.name === "Y" &&
      read(first)[0].length === read(stage.id)[0].length
    )
      add("output.forgotten", () => read(first));
    if (stage.kind === "rotate") add("position.forgotten", (head) => read(first, head));
    if (stage.kind === "alibi") {
      add("position.forgotten", (head) => read(first, head));
      add("alibi.sign", (head) =>
        M.map(read(first, head), (x, i, j) => x + C.slopes(e, stage.id)[head] * Math.abs(i - j)),
      );
    }
    if (stage.kind === "add" && stage.name.endsWith("residual"))
      add("residual.forgotten", () => read(second));
    else if (stage.kind === "add") add("position.forgotten", () => read(first));
    return found;
  };

  /**
   * The first mistake that gives all numbers that were typed in a stage, and not only right ones.
   * `typed`: [{head, row, column, verdict, agrees(x)}], `stages` those that anything was typed in; null for none.
   */
  const find = (run, stage, typed, stages) => {
    if (typed.filter((each) => each.verdict !== "right").length < 2) return null;
    const fits = ({ compute }) => {
      const matrices = {};
      return typed.every(({ head, row, column, agrees }) => {
        const matrix = (matrices[head] = matrices[head] || compute(head));
        return matrix[row] && matrix[row][column] !== undefined && agrees(matrix[row][column]);
      });
    };
    return (
      candidates(run, stage).find(
        (each) => (!each.given || stages.includes(each.given)) && fits(each),
      ) || null
    );
  };
  return { candidates, find };
})();
if (typeof module !== "undefined") module.exports = Mistakes;
