"use strict";
/*
 * Work out a stage oneself: its numbers are typed, and marked as right (to the digits entered), as
 * following (from one's own earlier numbers) or as wrong.
 */
const Practice = (() => {
  const C = Core;

  const key = ({ head, row, column }) => [head || 0, row, column].join(",");
  const entries = (page, stage) => page.state.answers[stage] || {};
  const decimalsOf = (text) => (text.split(/[.,]/)[1] || "").replace(/\D.*$/, "").length;
  /** Whether a number agrees with what was typed, to the digits entered. */
  const agrees = (text, value) => {
    if (value === -Infinity) return /^\s*[-−]\s*(∞|inf)/i.test(text);
    const typed = Numbers.read(text);
    if (typed === null) return false;
    const half = /[/%]/.test(text) ? 1e-9 : 0.5 * 10 ** -decimalsOf(text);
    return Math.abs(typed - value) <= half * (1 + 1e-9) + 1e-12;
  };

  /** The experiment in which earlier stages hold the learner's own numbers. */
  const withOwn = (page, stage) => {
    const { run, experiment, answers } = page.state, pins = [...(experiment.pins || [])];
    for (const each of run.plan) {
      if (each.id === stage) break;
      for (const [place, text] of Object.entries(answers[each.id] || {})) {
        const typed = Numbers.read(text);
        if (typed === null) continue;
        const [head, row, column] = place.split(",").map(Number);
        pins.push({ stage: each.id, index: C.isHeadwise(each.id) ? [head, row, column] : [row, column], value: typed });
      }
    }
    return { ...experiment, pins };
  };

  /** Mark all that was typed: {stage: {place: "right" | "follows" | "wrong"}}. */
  const mark = (page) => {
    const { run, answers } = page.state, found = {};
    for (const stage of Object.keys(answers).filter((id) => run.arrays.has(id))) {
      const own = C.run(withOwn(page, stage));
      found[stage] = {};
      for (const [place, text] of Object.entries(answers[stage])) {
        const [head, row, column] = place.split(",").map(Number);
        const right = agrees(text, C.matrix(run, stage, head)[row][column]);
        found[stage][place] = right ? "right" : agrees(text, C.matrix(own, stage, head)[row][column]) ? "follows" : "wrong";
      }
    }
    return found;
  };

  /** The sentence of the known mistake behind a stage's numbers, "" for none. */
  const explained = (page, stage, verdicts) => {
    const { state, data, texts } = page, own = C.run(withOwn(page, stage));
    const typed = Object.entries(entries(page, stage)).map(([place, text]) => {
      const [head, row, column] = place.split(",").map(Number);
      return { head, row, column, verdict: verdicts[place], agrees: (x) => agrees(text, x) };
    });
    const found = Mistakes.find(own, C.stageOf(own, stage), typed, Object.keys(state.answers));
    if (!found) return "";
    const sentence = (data.columns && data.tables.column_mistakes[found.id]) || data.tables.mistakes[found.id];
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
    const { state } = page, stage = C.stageOf(state.run, cell.tensor);
    if (!state.practice || !stage || cell.tensor !== state.cursor.stage || stage.kind === "entered") return null;
    const text = entries(page, cell.tensor)[key(cell)] || "", verdict = (state.verdicts[cell.tensor] || {})[key(cell)] || "";
    return { text, classes: ["own", ...(text ? [] : ["blank"]), ...(verdict ? [`verdict-${verdict}`] : [])] };
  };

  /** What was typed as the nested lists of an answer file; null is a blank. */
  const values = (page) => {
    const { run, answers } = page.state, found = {};
    for (const stage of Object.keys(answers)) {
      if (!run.arrays.has(stage) || !Object.keys(answers[stage]).length) continue;
      const cells = (matrix, head) => matrix.map((row, i) => row.map((_, j) => answers[stage][[head, i, j].join(",")] ?? null));
      found[stage] = C.isHeadwise(stage) ? run.arrays.get(stage).map(cells) : cells(run.arrays.get(stage), 0);
    }
    return found;
  };
  /** The entries of the values of an answer file. */
  const fromValues = (run, given) => {
    const found = {};
    for (const [stage, nested] of Object.entries(given || {})) {
      if (!run.arrays.has(stage) || !Array.isArray(nested)) continue;
      found[stage] = {};
      (C.isHeadwise(stage) ? nested : [nested]).forEach((matrix, head) => (matrix || []).forEach((row, i) => (row || []).forEach((x, j) => {
        if (x !== null && x !== undefined) found[stage][[head, i, j].join(",")] = String(x);
      })));
    }
    return found;
  };

  return { mark, explained, type, replaced, values, fromValues, entries, key, agrees };
})();
