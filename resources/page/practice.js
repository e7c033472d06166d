"use strict";
/*
 * Work out a stage oneself: its numbers are typed, and marked as right (to the digits entered), as
 * following (from one's own earlier numbers) or as wrong.
 */
const Practice = (() => {
  const C = Core;

  const key = ({ head, row, column }) => [head || 0, row, column].join(",");
  const entries = (page, stage) => page.state.answers[stage] || {};
  const MASKED = /^\s*[-−]\s*(∞|inf(inity)?)\s*$/i;
  const AS_GOOD_AS_MASKED = -1e4; // programs write −10000 or −1e9 for masked scores
  const HAIR = 2e-3,
    NOISE = 1e-10,
    WHOLE_BELOW_ONE = 0.05; // as in core/check/answers
  /** What was typed, {value, decimals}; −∞ has no decimals. Null for no number. */
  const typedNumber = (text) =>
    MASKED.test(text) ? { value: -Infinity, decimals: null } : Numbers.typed(text);
  /** Whether a number agrees with what was typed, to the digits entered. */
  const agrees = (text, target) => {
    const typed = typedNumber(text);
    if (!typed) return false;
    if (target === -Infinity) return typed.value <= AS_GOOD_AS_MASKED;
    const { value, decimals } = typed,
      unit = decimals === null ? 0 : 0.5 * 10 ** -decimals;
    const half =
      decimals !== null && decimals <= 0 && Math.abs(target) < 1
        ? Math.min(unit, WHOLE_BELOW_ONE)
        : unit;
    return Math.abs(value - target) <= half * (1 + HAIR) + NOISE * Math.abs(target) + NOISE / 100;
  };

  /** The experiment in which earlier stages hold the learner's own numbers. */
  const withOwn = (page, stage) => {
    const { run, experiment, answers } = page.state,
      pins = [...(experiment.pins || [])];
    for (const each of run.plan) {
      if (each.id === stage) break;
      for (const [place, text] of Object.entries(answers[each.id] || {})) {
        const typed = typedNumber(text);
        if (!typed || (typed.value === -Infinity && each.name !== "masked")) continue;
        const [head, row, column] = place.split(",").map(Number);
        pins.push({
          stage: each.id,
          index: C.isHeadwise(each.id) ? [head, row, column] : [row, column],
          value: typed.value,
        });
      }
    }
    return { ...experiment, pins };
  };

  /** Mark all that was typed: {stage: {place: "right" | "follows" | "wrong"}}. */
  const mark = (page) => {
    const { run, answers } = page.state,
      found = {};
    for (const stage of Object.keys(answers).filter((id) => run.arrays.has(id))) {
      const own = C.run(withOwn(page, stage));
      found[stage] = {};
      for (const [place, text] of Object.entries(answers[stage])) {
        const [head, row, column] = place.split(",").map(Number);
        const right = agrees(text, C.matrix(run, stage, head)[row][column]);
        found[stage][place] = right
          ? "right"
          : agrees(text, C.matrix(own, stage, head)[row][column])
            ? "follows"
            : "wrong";
      }
    }
    return found;
  };

  /** The sentence of the known mistake behind a stage's numbers, "" for none. */
  const explained = (page, stage, verdicts) => {
    const { state, data, texts } = page,
      own = C.run(withOwn(page, stage));
    const typed = Object.entries(entries(page, stage)).map(([place, text]) => {
      const [head, row, column] = place.split(",").map(Number);
      return { head, row, column, verdict: verdicts[place], agrees: (x) => agrees(text, x) };
    });
    const found = Mistakes.find(own, C.stageOf(own, stage), typed, Object.keys(state.answers));
    if (!found) return "";
    const sentence =
      (data.columns && data.tables.column_mistakes[found.id]) || data.tables.mistakes[found.id];
    return texts.filled(sentence, found.data);
  };

  const type = (page, cell, text) => {
    const own = { ...entries(page, cell.tensor) };
    if (text.trim()) own[key(cell)] = text.trim();
    else delete own[key(cell)];
    const verdicts = { ...page.state.verdicts, [cell.tensor]: {} };
    page.set({ answers: { ...page.state.answers, [cell.tensor]: own }, verdicts });
  };

  /** What stands in a cell that is to be worked out: {text, classes}; null where the number is shown. */
  const replaced = (page, cell) => {
    const { state } = page,
      stage = C.stageOf(state.run, cell.tensor);
    if (!state.practice || !stage || cell.tensor !== state.cursor.stage || stage.kind === "entered")
      return null;
    const text = entries(page, cell.tensor)[key(cell)] || "",
      verdict = (state.verdicts[cell.tensor] || {})[key(cell)] || "";
    return {
      text,
      classes: ["own", ...(text ? [] : ["blank"]), ...(verdict ? [`verdict-${verdict}`] : [])],
    };
  };

  /** What was typed as the nested lists of an answer file; null is a blank. */
  const values = (page) => {
    const { run, answers, experiment } = page.state,
      found = {};
    for (const stage of Object.keys(answers)) {
      if (!run.arrays.has(stage) || !Object.keys(answers[stage]).length) continue;
      if (experiment.sum_heads && stage === "heads") continue; // A·(V W_O), which the experiment with its weights does not have
      const cells = (matrix, head) =>
        matrix.map((row, i) => row.map((_, j) => answers[stage][[head, i, j].join(",")] ?? null));
      found[stage] = C.isHeadwise(stage)
        ? run.arrays.get(stage).map(cells)
        : cells(run.arrays.get(stage), 0);
    }
    return found;
  };
  /** The entries that are texts in cells of a run. */
  const fitting = (run, given) => {
    const found = {};
    for (const [stage, own] of Object.entries(given || {})) {
      if (!run.arrays.has(stage)) continue;
      found[stage] = Object.fromEntries(
        Object.entries(own).filter(([place, text]) => {
          const [head, row, column] = place.split(","),
            rows = C.matrix(run, stage, head) || [];
          return typeof text === "string" && rows[row] && rows[row][column] !== undefined;
        }),
      );
    }
    return found;
  };
  /** The entries of the values of an answer file. */
  const fromValues = (run, given) => {
    const found = {};
    for (const [stage, nested] of Object.entries(given || {})) {
      if (!run.arrays.has(stage) || !Array.isArray(nested)) continue;
      found[stage] = {};
      (C.isHeadwise(stage) ? nested : [nested]).forEach((matrix, head) =>
        (matrix || []).forEach((row, i) =>
          (row || []).forEach((x, j) => {
            if (x !== null && x !== undefined) found[stage][[head, i, j].join(",")] = String(x);
          }),
        ),
      );
    }
    return fitting(run, found);
  };

  return {
    mark,
    explained,
    type,
    replaced,
    values,
    fitting,
    fromValues,
    entries,
    key,
    agrees,
    typedNumber,
  };
})();
