"use strict";
/*
 * One line of positions through a run, as core/explain/timeline has it: row by row and cell by cell;
 * a row of the softmax opens with a sub-step. A cursor: {stage, head, row, column, reach}; reach is
 * "whole", "row", "cell" or "lead".
 */
const Timeline = (() => {
  const C = typeof Core === "undefined" ? require("./core.js") : Core;
  const GRAINS = ["stage", "row", "cell"];

  /** The blocks of a run: {stage, start, rows, slots, lead, end}. */
  const blocks = (run) => {
    let start = 0;
    return run.plan.map((stage) => {
      const matrix = C.matrix(run, stage.id),
        lead = stage.lead ? 1 : 0,
        one = stage.kind === "entered";
      const rows = one ? 1 : matrix.length,
        slots = one ? 1 : lead + matrix[0].length;
      const block = {
        stage,
        start,
        rows,
        slots,
        lead: one ? 0 : lead,
        end: start + rows * slots - 1,
      };
      start = block.end + 1;
      return block;
    });
  };
  const lengthOf = (line) => line[line.length - 1].end + 1;
  const blockAt = (line, position) => line.find((block) => position <= block.end);
  const entered = (block) => block.stage.kind === "entered";

  const positionOf = (line, cursor) => {
    const block = line.find((each) => each.stage.id === cursor.stage);
    if (cursor.reach === "whole" || entered(block)) return block.end;
    const start = block.start + cursor.row * block.slots;
    if (cursor.reach === "lead") return start;
    return cursor.reach === "row" ? start + block.slots - 1 : start + block.lead + cursor.column;
  };

  const stopFrom = (block, position, grain) => {
    if (grain === "stage") return block.end;
    if (grain === "cell") return position;
    const slot = (position - block.start) % block.slots,
      start = position - slot;
    return slot === 0 && block.lead ? start : start + block.slots - 1;
  };
  const next = (line, position, grain) => {
    const end = lengthOf(line) - 1;
    return position >= end ? end : stopFrom(blockAt(line, position + 1), position + 1, grain);
  };
  const previous = (line, position, grain) => {
    const first = stopFrom(line[0], 0, grain);
    if (position <= first) return first;
    const at = position - 1,
      block = blockAt(line, at);
    if (grain === "cell" || at === block.end) return at;
    const slot = (at - block.start) % block.slots,
      start = at - slot;
    if (grain === "row" && slot === block.slots - 1) return at;
    if (grain === "row" && block.lead) return start;
    return Math.max(grain === "row" ? start - 1 : block.start - 1, 0);
  };

  const reachAt = (block, position, grain, slot) => {
    if (entered(block) || (position === block.end && grain === "stage")) return "whole";
    if (slot < block.lead) return "lead";
    return grain === "cell" ? "cell" : "row";
  };
  const cursorAt = (line, position, grain, near) => {
    const block = blockAt(line, position),
      slot = (position - block.start) % block.slots;
    const row = grain === "stage" ? near.row : Math.floor((position - block.start) / block.slots);
    const column = grain === "cell" ? Math.max(slot - block.lead, 0) : near.column;
    return {
      ...near,
      stage: block.stage.id,
      row,
      column,
      reach: reachAt(block, position, grain, slot),
    };
  };

  /** The cursor moved as little as the sizes of a run require; the first stage where its own is gone. */
  const inside = (run, cursor) => {
    const known = run.arrays.has(cursor.stage)
      ? cursor
      : { ...cursor, stage: nearest(run, cursor.stage), reach: "whole" };
    const matrix = C.matrix(run, known.stage),
      heads = C.headCount(run.experiment, known.stage);
    const most = (x, count) => Math.min(x, count - 1);
    return {
      ...known,
      head: most(known.head, heads),
      row: most(known.row, matrix.length),
      column: most(known.column, matrix[0].length),
    };
  };
  const ORDER = [
    "X",
    "P",
    "input",
    "X_context",
    "P_context",
    "input_context",
    ...C.HEADWISE,
    "concat",
    "Y",
  ];
  const nearest = (run, id) => {
    const [layer, name] = C.splitLayer(id),
      place = ORDER.indexOf(name);
    const before = run.plan.filter(
      (s) => s.layer === layer && ORDER.indexOf(s.name) >= 0 && ORDER.indexOf(s.name) <= place,
    );
    return (before[before.length - 1] || run.plan[0]).id;
  };

  const start = (run) => {
    const owner = C.isStack(run.experiment) ? run.experiment.layers[0] : run.experiment;
    const on = owner.heads.findIndex((head) => head.enabled !== false);
    return { stage: run.plan[0].id, head: Math.max(on, 0), row: 0, column: 0, reach: "whole" };
  };

  const step = (run, cursor, grain, by) => {
    const line = blocks(run),
      before = positionOf(line, cursor);
    let position = before;
    for (let i = 0; i < Math.abs(by); i++)
      position = (by > 0 ? next : previous)(line, position, grain);
    return position === before ? cursor : inside(run, cursorAt(line, position, grain, cursor));
  };
  const first = (run, cursor, grain) => {
    const line = blocks(run);
    return inside(
      run,
      cursorAt(line, previous(line, 0, grain), grain, { ...cursor, row: 0, column: 0 }),
    );
  };
  const last = (run, cursor) => {
    const line = blocks(run);
    return inside(run, cursorAt(line, lengthOf(line) - 1, "stage", cursor));
  };
  const atStage = (run, cursor, stage) => inside(run, { ...cursor, stage, reach: "whole" });

  /** How much of a stage has been reached: [whole rows, cells of the next row]. */
  const reached = (run, cursor, id) => {
    const at = (wanted) => run.plan.findIndex((s) => s.id === wanted);
    const here = at(cursor.stage),
      there = at(id),
      rows = C.matrix(run, id).length;
    if (there < here || (there === here && cursor.reach === "whole")) return [rows, 0];
    if (there > here) return [0, 0];
    if (cursor.reach === "row") return [cursor.row + 1, 0];
    return [cursor.row, cursor.reach === "cell" ? cursor.column + 1 : 0];
  };

  /** All stops of a grain, in order. */
  const stops = (run, grain) => {
    const line = blocks(run),
      end = lengthOf(line) - 1,
      found = [stopFrom(line[0], 0, grain)];
    while (found[found.length - 1] < end) found.push(next(line, found[found.length - 1], grain));
    return found;
  };

  return {
    GRAINS,
    blocks,
    positionOf,
    cursorAt,
    inside,
    start,
    step,
    first,
    last,
    atStage,
    reached,
    stops,
  };
})();
if (typeof module !== "undefined") module.exports = Timeline;
