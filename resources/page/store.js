"use strict";
/*
 * What the page shows: the experiment as it is now, its run, the cursor, the focused number, undo.
 * `changed` is called after every change.
 */
const Store = (() => {
  const C = Core,
    T = Timeline;
  const MOST_UNDO = 200;

  const create = (data, changed) => {
    const first = data.experiments[0],
      run = C.run(first);
    const state = {
      experiment: first,
      original: first,
      run,
      cursor: T.start(run),
      grain: "stage",
      focus: null,
      language: data.language,
      decimals: data.decimals,
      undo: [],
      redo: [],
      scene: data.scenes.length ? 0 : null,
      sceneStep: 0,
      playing: false,
      practice: false,
      answers: {},
      verdicts: {},
    };
    const languages = data.tables.languages.map((each) => each.id);
    const texts = Texts.create(
      data.tables,
      () => Math.max(0, languages.indexOf(state.language)),
      data.columns,
      data.names,
    );

    const use = (experiment) => {
      if (experiment === state.experiment) return;
      state.experiment = experiment;
      state.run = C.run(experiment);
      state.cursor = T.inside(state.run, state.cursor);
      const { focus } = state;
      const exists =
        focus &&
        (state.run.arrays.has(focus.tensor) || C.place(experiment, focus.tensor, focus.head || 0));
      if (!exists) state.focus = null;
    };
    const page = { data, state, texts, editing: null };

    /** Show an experiment without a step of undo. */
    page.preview = (experiment) => experiment && (use(experiment), changed());
    /** Change the experiment; one step of undo. */
    page.edit = (experiment) => {
      if (!experiment || experiment === state.experiment) return;
      state.undo = [...state.undo, state.experiment].slice(-MOST_UNDO);
      state.redo = [];
      state.verdicts = {};
      use(experiment);
      changed();
    };
    const walk = (from, to) => () => {
      if (!state[from].length) return;
      state[to] = [...state[to], state.experiment];
      const experiment = state[from][state[from].length - 1];
      state[from] = state[from].slice(0, -1);
      use(experiment);
      changed();
    };
    page.undo = walk("undo", "redo");
    page.redo = walk("redo", "undo");
    page.reset = () => page.edit(state.original);
    /** Begin with an experiment: of a scene, a file or a code. */
    page.begin = (experiment, cursor = null) => {
      Object.assign(state, {
        original: experiment,
        undo: [],
        redo: [],
        focus: null,
        answers: {},
        verdicts: {},
      });
      use(experiment);
      state.cursor = cursor ? T.inside(state.run, cursor) : T.start(state.run);
    };

    /** The title of the page, or of an experiment that a file or a code brought. */
    page.title = () =>
      data.experiments.includes(state.original)
        ? texts.told(data.title)
        : state.experiment.title || texts.told(data.title);

    // Steps

    page.move = (cursor) => {
      Object.assign(state, { cursor, focus: null });
      changed();
    };
    page.step = (by) => {
      if (state.scene !== null && state.grain === "scene") return Lesson.step(page, by);
      return page.move(T.step(state.run, state.cursor, state.grain, by));
    };
    page.first = () =>
      state.grain === "scene"
        ? Lesson.goTo(page, 0, 0)
        : page.move(T.first(state.run, state.cursor, state.grain));
    page.last = () =>
      state.grain === "scene"
        ? Lesson.goTo(page, data.scenes.length - 1, Infinity)
        : page.move(T.last(state.run, state.cursor));
    page.goTo = (stage) => page.move(T.atStage(state.run, state.cursor, stage));
    page.stageBy = (by) => {
      const at = state.run.plan.findIndex((s) => s.id === state.cursor.stage) + by;
      if (state.run.plan[at]) page.goTo(state.run.plan[at].id);
    };
    page.setGrain = (grain) => {
      state.grain = grain;
      changed();
    };
    page.setHead = (head) => page.move({ ...state.cursor, head });
    page.set = (changes) => {
      Object.assign(state, changes);
      changed();
    };

    // What is reached and focused

    const hides = () =>
      state.cursor.reach !== "whole" || state.grain === "row" || state.grain === "cell";
    /** [whole rows, cells of the next row] of a stage that stand there. */
    page.reached = (id) => {
      const rows = C.matrix(state.run, id).length,
        at = (wanted) => state.run.plan.findIndex((s) => s.id === wanted);
      // What is worked out is shown nowhere, and nothing that follows from it.
      if (
        state.practice &&
        at(id) >= at(state.cursor.stage) &&
        C.stageOf(state.run, id).kind !== "entered"
      )
        return [0, 0];
      return hides() ? T.reached(state.run, state.cursor, id) : [rows, 0];
    };
    page.isCovered = ({ tensor, row, column }) => {
      if (!state.run.arrays.has(tensor)) return false;
      const [rows, cells] = page.reached(tensor);
      return row > rows || (row === rows && column >= cells);
    };
    page.stateOf = (id) => {
      const at = (wanted) => state.run.plan.findIndex((s) => s.id === wanted),
        gap = at(id) - at(state.cursor.stage);
      return gap === 0 ? "current" : gap < 0 ? "done" : "ahead";
    };
    /** The number that is explained. */
    page.focused = () =>
      state.focus || {
        tensor: state.cursor.stage,
        row: state.cursor.row,
        column: state.cursor.column,
        head: C.isHeadwise(state.cursor.stage) ? state.cursor.head : 0,
      };
    page.valueOf = ({ tensor, row, column, head }) => {
      if (state.run.arrays.has(tensor)) return C.matrix(state.run, tensor, head || 0)[row][column];
      const values = C.tensor(state.experiment, tensor, head || 0);
      return Array.isArray(values[0]) ? values[row][column] : values[column];
    };
    page.show = (x) => Numbers.show(x, state.decimals);
    page.style = () => ({
      run: state.run,
      tables: data.tables,
      say: texts.say,
      decimals: state.decimals,
      most: 8,
      columns: data.columns,
    });

    /** How the focused number, or the sub-step of the cursor, comes about; null where it is not reached or entered. */
    page.derivation = () => {
      const at = page.focused(),
        { cursor } = state;
      if (!state.run.arrays.has(at.tensor)) return null;
      if (!state.focus && cursor.reach === "lead")
        return C.deriveLead(state.run, cursor.stage, cursor.row, at.head);
      return page.isCovered(at) ? null : C.derive(state.run, at.tensor, at.row, at.column, at.head);
    };

    // Names

    /** "query cat, key fish" or "row cat, 2" of a cell. */
    page.pairOf = ({ tensor, row, column }) => {
      const spec = texts.spec(tensor),
        axes = spec ? spec.axes : "",
        run = state.run;
      const name = (axis, index) => {
        const all = StageView.labels(run, axis);
        return all ? all[index] : String(index + 1);
      };
      const r = axes[axes.length - 2],
        c = axes[axes.length - 1];
      if (r === "n" && c === "m") return `${name("n", row)} → ${name("m", column)}`;
      return spec ? `${name(r, row)}, ${name(c, column)}` : `${row + 1}, ${column + 1}`;
    };
    page.nameOf = (cell, short = false) => {
      const spec = texts.spec(cell.tensor),
        axes = spec ? spec.axes : "",
        run = state.run;
      const labels = (axis, index) =>
        (StageView.labels(run, axis) || [])[index] || String(index + 1);
      const pair = axes.endsWith("nm");
      const place = spec
        ? texts.say(pair ? "at_pair" : "at_row", {
            row: labels(axes[axes.length - 2], cell.row),
            column: labels(axes[axes.length - 1], cell.column),
          })
        : texts.say("at_numbers", { row: cell.row + 1, column: cell.column + 1 });
      return short ? place : `${texts.name(run, cell.tensor)}, ${place}`;
    };
    /** How many entered numbers, pins and switches differ from the experiment that was opened. */
    page.changes = () => {
      const count = (a, b) => {
        if (typeof a !== "object" || a === null || typeof b !== "object" || b === null)
          return a === b ? 0 : 1;
        const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
        return [...keys].reduce((sum, key) => sum + count(a[key], b[key]), 0);
      };
      const bare = (e) => ({
        ...e,
        pins: (e.pins || []).map((pin) => JSON.stringify(pin)).join() || 0,
      });
      return state.experiment === state.original
        ? 0
        : count(bare(state.experiment), bare(state.original));
    };
    return page;
  };

  return { create };
})();
