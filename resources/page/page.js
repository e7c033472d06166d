"use strict";
/* Paints the page after every change, and takes keys, taps and swipes. */
(() => {
  const { byId, make, fill, spans, icon } = Dom;
  const C = Core;
  const data = JSON.parse(byId("data").textContent);
  data.experiments = data.experiments.map(Packed.unpack);
  const HOLD = { scene: 6000, stage: 2400, row: 1300, cell: 800 };
  const dark = matchMedia("(prefers-color-scheme: dark)"),
    narrow = matchMedia("(max-width: 900px)");
  let timer = 0,
    told = null;

  const page = Store.create(data, () => paint());
  const { state, texts } = page,
    { say } = texts;
  if (data.scenes.length) state.grain = "scene";

  page.scale = () =>
    data.scale[
      (document.documentElement.dataset.shade || (dark.matches ? "dark" : "light")) === "dark"
        ? "dark"
        : "light"
    ];
  page.tell = (text) => {
    told = text;
    paint();
  };

  // Marks of cells

  const same = (a, b) =>
    a &&
    b &&
    a.tensor === b.tensor &&
    a.row === b.row &&
    a.column === b.column &&
    (a.head || 0) === (b.head || 0);
  let parts = new Set(); // the cells of the sum that is shown
  const name = (cell) => [cell.tensor, cell.head || 0, cell.row, cell.column].join(" ");
  const findParts = () => {
    parts = new Set();
    const step = page.derivation();
    if (step)
      for (const term of step.terms)
        for (const factor of term) if (factor && factor.cell) parts.add(name(factor.cell));
  };
  const isChanged = (cell) => {
    const before = page.editing && page.editing.run;
    if (!before || !before.arrays.has(cell.tensor) || !state.run.arrays.has(cell.tensor))
      return false;
    return (
      page.show(page.valueOf(cell)) !==
      page.show((C.matrix(before, cell.tensor, cell.head || 0)[cell.row] || [])[cell.column] ?? NaN)
    );
  };
  page.ringed = (cell) => {
    if (!cell) return "";
    return [
      same(cell, page.focused()) && "focus",
      parts.has(name(cell)) && "part",
      isChanged(cell) && !page.isCovered(cell) && "changed",
      C.pinAt(state.experiment, cell.tensor, cell.row, cell.column, cell.head || 0) && "pinned",
    ]
      .filter(Boolean)
      .join(" ");
  };
  page.view = () => ({
    scale: page.scale(),
    show: page.show,
    focus: page.focused(),
    marks: page.ringed,
    name: (cell) => page.nameOf(cell),
    ghost: say("ghost"),
    replaced: (cell) => Practice.replaced(page, cell),
    tap: (cell) => tap(cell),
  });
  const tap = (cell) => {
    stop();
    const own = Practice.replaced(page, cell),
      { experiment } = state;
    if (
      C.splitLayer(cell.tensor)[1] === "masked" &&
      C.maskOf(experiment).kind === "custom" &&
      !own
    ) {
      state.focus = cell;
      return page.edit(
        Experiment.withAllowed(
          experiment,
          cell.row,
          cell.column,
          !C.allowed(experiment, cell.row, cell.column),
        ),
      );
    }
    const entered = Experiment.enteredName(state.experiment, cell.tensor, cell.head || 0);
    // A number that goes into the sum is changed while that sum stays in sight.
    page.set({ focus: entered && cell.tensor !== state.cursor.stage ? state.focus : cell });
    if (own) Entry.open(page, cell);
    else if (entered) Sheet.open(page, cell);
    return undefined;
  };
  page.focusCell = (cell) => {
    const element = document.querySelector(`td[data-cell="${name(cell)}"]`);
    if (element) element.focus({ preventScroll: true });
  };

  // Painting

  const paint = () => {
    const stage = C.stageOf(state.run, state.cursor.stage),
      tag = data.tables.languages.find((each) => each.id === state.language).tag;
    document.documentElement.lang = tag;
    document.title = page.title();
    Object.assign(document.body.dataset, {
      stage: stage.id,
      reach: state.cursor.reach,
      grain: state.grain,
    });
    findParts();
    byId("title").textContent = page.title();
    const changes = page.changes();
    byId("changed").textContent = changes
      ? say(changes === 1 ? "one_change" : "changes_count", { count: changes })
      : "";
    bar();
    Lesson.show(page);
    road();
    stageOf(stage);
    card();
    footer();
    if (!byId("menu").hidden) Menu.show(page);
    byId("told").textContent = told || "";
    byId("told").hidden = !told;
    told = null;
  };

  const bar = () => {
    const e = state.experiment,
      can = Experiment.canHave,
      toggle = (on, text, action) =>
        make("button", { type: "button", "aria-pressed": String(on), onclick: action }, text);
    const scaled = C.scaleOf(e).kind !== "none",
      masked = C.maskOf(e).kind !== "none",
      placed = C.positional(e).kind !== "none";
    const last = state.kinds || (state.kinds = {});
    const flip = (part, on, none, first, change) => () => {
      const kind = (part === "scale" ? C.scaleOf : part === "mask" ? C.maskOf : C.positional)(
        e,
      ).kind;
      if (on) last[part] = kind;
      page.edit(change(e, on ? none : last[part] || first));
    };
    fill(
      byId("switches"),
      can.scale(e).length
        ? toggle(scaled, "÷√dₖ", flip("scale", scaled, "none", "sqrt_dk", Experiment.withScale))
        : null,
      can.mask(e).length
        ? toggle(masked, say("mask"), flip("mask", masked, "none", "causal", Experiment.withMask))
        : null,
      can.positional(e).length
        ? toggle(
            placed,
            say("positions"),
            flip("positional", placed, "none", can.positional(e)[1], Experiment.withPositional),
          )
        : null,
    );
    Object.assign(byId("undo"), { disabled: !state.undo.length, title: say("undo") });
    byId("undo").setAttribute("aria-label", say("undo"));
    byId("more").setAttribute("aria-label", say("menu"));
    byId("switches").setAttribute("aria-label", say("experiment"));
    byId("heads").setAttribute("aria-label", say("heads"));
  };

  const road = () => {
    const element = byId("road"),
      isNarrow = narrow.matches;
    element.className = isNarrow ? "strip" : "diagram";
    (isNarrow ? Diagram.strip : Diagram.wide)(page, element);
  };

  const stageOf = (stage) => {
    const several = C.isHeadwise(stage.id) && state.run.arrays.get(stage.id).length > 1;
    const scene = state.scene !== null;
    byId("ask").textContent = [
      texts.stageText("title", state.run, stage),
      C.isStack(state.experiment) && stage.layer && state.experiment.layers.length > 1
        ? say("layer", { number: stage.layer })
        : "",
    ]
      .filter(Boolean)
      .join(" · ");
    Texts.typeset(byId("text"), texts.stageText("sentence", state.run, stage));
    byId("text").hidden = scene;
    heads(
      several
        ? state.run.arrays.get(stage.id).map((_, head) => texts.headName(state.run, stage.id, head))
        : [],
    );
    StageView.show(page, byId("operation"));
    Words.show(page, byId("words"));
    Heatmap.show(page, byId("heatmap"));
    const blind =
      C.isHeadwise(stage.id) &&
      ["exp", "weights", "heads"].includes(stage.name) &&
      stage.kind !== "entered"
        ? C.matrix(state.run, stage.id.replace(/heads$/, "weights"), state.cursor.head).findIndex(
            (row) => row.every((x) => x === 0),
          )
        : -1;
    byId("note").textContent =
      blind >= 0
        ? say("masked_row", { token: Sums.shortToken(state.experiment.tokens, blind) })
        : "";
    byId("note").hidden = blind < 0;
  };

  /** The heads to choose from: buttons, or a list where they are many. */
  const heads = (names) => {
    const element = byId("heads"),
      listed = names.length > (narrow.matches ? 2 : 4),
      at = state.cursor.head;
    element.hidden = !names.length;
    element.className = listed ? "" : "choice";
    if (listed) {
      return void fill(
        element,
        make(
          "select",
          {
            "aria-label": say("heads"),
            onchange: (event) => page.setHead(Number(event.target.value)),
          },
          ...names.map((text, head) =>
            make("option", { value: head, selected: head === at }, text),
          ),
        ),
      );
    }
    return void fill(
      element,
      ...names.map((text, head) =>
        make(
          "button",
          {
            type: "button",
            "aria-pressed": String(head === at),
            onclick: () => page.setHead(head),
          },
          text,
        ),
      ),
    );
  };

  const card = () => {
    const at = page.focused(),
      computed = state.run.arrays.has(at.tensor),
      own = Practice.replaced(page, at),
      stage = C.stageOf(state.run, at.tensor);
    const lead = !state.focus && state.cursor.reach === "lead";
    byId("where").textContent = lead
      ? say("at_lead", {
          stage: texts.name(state.run, at.tensor),
          row: Sums.shortToken(state.experiment.tokens, state.cursor.row),
        })
      : page.nameOf(at);
    const step = own ? null : page.derivation();
    fill(byId("finer"), ...(step ? spans(Sums.finer(page.style(), step)) : []));
    fill(
      byId("sum"),
      ...(step
        ? spans(Sums.line(page.style(), step))
        : [
            make("span", { class: "muted" }, own ? say("your_turn") : computed ? say("ahead") : ""),
          ]),
    );
    byId("spoken").textContent = `${byId("where").textContent}: ${byId("sum").textContent}`;
    const here =
      page.editing && computed && isChanged(at)
        ? say("was", {
            value: page.show(
              C.matrix(page.editing.run, at.tensor, at.head || 0)[at.row][at.column],
            ),
          })
        : "";
    byId("before").textContent = here;
    const marks = Object.values(state.verdicts[state.cursor.stage] || {}),
      count = (wanted) => marks.filter((each) => each === wanted).length;
    const isMarked = state.practice && marks.length > 0;
    byId("marks").textContent = isMarked
      ? say("marked", { right: count("right"), follows: count("follows"), wrong: count("wrong") })
      : "";
    Texts.typeset(byId("slip"), (isMarked && state.slip) || "");
    const following =
      state.run.plan[state.run.plan.findIndex((s) => s.id === state.cursor.stage) + 1];
    byId("next").textContent = following
      ? say("next", { text: texts.stageText("next", state.run, following) })
      : say("last_step");
    const canHold = computed && stage.kind !== "entered" && !page.isCovered(at) && !own && !lead;
    const pinned = C.pinAt(state.experiment, at.tensor, at.row, at.column, at.head || 0);
    fill(
      byId("acts"),
      canHold
        ? make(
            "button",
            { type: "button", onclick: () => Sheet.open(page, at) },
            say(pinned ? "change_held" : "hold"),
          )
        : null,
      practiceButtons(),
    );
  };
  const practiceButtons = () => {
    const stage = C.stageOf(state.run, state.cursor.stage);
    if (!stage || stage.kind === "entered") return null;
    const typed = Object.keys(Practice.entries(page, stage.id)).length;
    return make(
      "span",
      { class: "practice" },
      make(
        "button",
        {
          type: "button",
          "aria-pressed": String(state.practice),
          onclick: () => page.set({ practice: !state.practice }),
        },
        say("work_out"),
      ),
      state.practice && typed
        ? make(
            "button",
            { type: "button", class: "primary", onclick: () => checked() },
            say("check"),
          )
        : null,
    );
  };
  const checked = () => {
    const verdicts = Practice.mark(page),
      { stage } = state.cursor;
    page.set({ verdicts, slip: Practice.explained(page, stage, verdicts[stage] || {}) });
  };

  const footer = () => {
    const grains = [
      ...(data.scenes.length && state.scene !== null ? ["scene"] : []),
      ...Timeline.GRAINS,
    ];
    fill(
      byId("grain"),
      ...grains.map((grain) =>
        make(
          "button",
          {
            type: "button",
            "aria-pressed": String(grain === state.grain),
            "data-grain": grain,
            onclick: () => page.setGrain(grain),
          },
          say(grain),
        ),
      ),
    );
    byId("grain").setAttribute("aria-label", say("grain"));
    const [at, count] = progress(),
      slider = byId("slider");
    Object.assign(slider, { max: count, value: at });
    slider.setAttribute("aria-label", say("timeline"));
    slider.style.setProperty("--done", `${count > 1 ? (100 * (at - 1)) / (count - 1) : 100}%`);
    byId("count").textContent = say("step_of", { step: at, steps: count });
    const place = state.run.plan.findIndex((s) => s.id === state.cursor.stage);
    byId("place").textContent =
      state.grain === "scene"
        ? ""
        : say("stage_of", { stage: place + 1, stages: state.run.plan.length });
    document.body.dataset.step = at;
    for (const name_ of ["first", "back", "forward", "last"]) label(byId(name_), say(name_));
    label(byId("play"), say(state.playing ? "pause" : "play"));
    fill(byId("play"), icon(state.playing ? "pause" : "play"));
    byId("back").disabled = byId("first").disabled = at === 1;
    byId("forward").disabled = byId("last").disabled = at === count;
  };
  const label = (element, text) => {
    element.title = text;
    element.setAttribute("aria-label", text);
  };
  /** The number of the step of the grain, and how many there are. */
  const progress = () => {
    if (state.grain === "scene") return Lesson.progress(page);
    const line = Timeline.blocks(state.run),
      stops = Timeline.stops(state.run, state.grain),
      at = Timeline.positionOf(line, state.cursor);
    return [Math.max(1, stops.filter((stop) => stop <= at).length), stops.length];
  };
  const goToStep = (step) => {
    if (state.grain === "scene") return Lesson.atProgress(page, step);
    const line = Timeline.blocks(state.run),
      stops = Timeline.stops(state.run, state.grain);
    return page.move(
      Timeline.inside(
        state.run,
        Timeline.cursorAt(line, stops[step - 1], state.grain, state.cursor),
      ),
    );
  };

  // Keys, taps, swipes

  const stop = () => {
    clearInterval(timer);
    state.playing = false;
  };
  const play = () => {
    if (state.playing) return (stop(), paint());
    state.playing = true;
    timer = setInterval(() => {
      const [at, count] = progress();
      if (at === count) (stop(), paint());
      else page.step(1);
    }, HOLD[state.grain]);
    return paint();
  };
  const acting = (action) => () => (stop(), action());
  const ACTIONS = {
    first: page.first,
    back: () => page.step(-1),
    forward: () => page.step(1),
    last: page.last,
  };
  for (const [id, action] of Object.entries(ACTIONS)) {
    fill(byId(id), icon(id));
    byId(id).addEventListener("click", acting(action));
  }
  byId("play").addEventListener("click", play);
  byId("slider").addEventListener(
    "input",
    (event) => (stop(), goToStep(Number(event.target.value))),
  );
  fill(byId("undo"), icon("undo"));
  byId("undo").addEventListener("click", acting(page.undo));
  fill(byId("more"), icon("menu"));
  byId("more").addEventListener("click", () =>
    byId("menu").hidden ? Menu.open(page) : Menu.close(),
  );
  byId("heatmap").addEventListener("toggle", () => Heatmap.show(page, byId("heatmap")));
  byId("shade").addEventListener("click", Menu.close);

  const moveFocus = (rows, columns) => {
    const at = page.focused(),
      values = state.run.arrays.has(at.tensor)
        ? C.matrix(state.run, at.tensor, at.head || 0)
        : null;
    const tensor = values || C.tensor(state.experiment, at.tensor, at.head || 0);
    const matrix = Array.isArray(tensor[0]) ? tensor : [tensor];
    const [down, across] = data.columns ? [columns, rows] : [rows, columns];
    const clamp = (x, count) => Math.min(Math.max(x, 0), count - 1);
    const cell = {
      ...at,
      row: clamp(at.row + down, matrix.length),
      column: clamp(at.column + across, matrix[0].length),
    };
    page.set({ focus: cell });
    page.focusCell(cell);
  };
  const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const KEYS = {
    ArrowRight: ACTIONS.forward,
    ArrowLeft: ACTIONS.back,
    PageDown: ACTIONS.forward,
    PageUp: ACTIONS.back,
    Home: page.first,
    End: page.last,
  };
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest && event.target.closest("input, select, textarea, #sheet");
    if (event.key === "Escape" && !byId("menu").hidden) return Menu.close();
    if (field && event.target !== byId("slider")) return undefined;
    const control = event.ctrlKey || event.metaKey,
      letter = event.key.toLowerCase();
    let action = null;
    if (control && letter === "z") action = event.shiftKey ? page.redo : page.undo;
    else if (control && letter === "y") action = page.redo;
    else if (control && ARROWS[event.key])
      action = () => page.stageBy(event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1);
    else if (control || event.altKey) return undefined;
    else if (event.shiftKey && ARROWS[event.key]) action = () => moveFocus(...ARROWS[event.key]);
    else if (event.key === "Enter" && !event.target.closest("button, summary, g, a"))
      action = () => change(page.focused());
    else if (event.key === " " && !event.target.closest("button, summary, g")) action = play;
    else if (/^[1-9]$/.test(event.key))
      action = () =>
        page.setHead(
          Math.min(Number(event.key), C.headCount(state.experiment, state.cursor.stage)) - 1,
        );
    else action = KEYS[event.key];
    if (!action) return undefined;
    event.preventDefault();
    if (action !== play) stop();
    return action();
  });
  const change = (cell) =>
    Practice.replaced(page, cell)
      ? Entry.open(page, cell)
      : !page.isCovered(cell) && Sheet.open(page, cell);

  let touched = null;
  byId("main").addEventListener(
    "touchstart",
    (event) => {
      const inside = event.target.closest(".scroll, #road, input");
      const scrolls = inside && inside.scrollWidth > inside.clientWidth;
      touched =
        event.touches.length === 1 && !scrolls
          ? [event.touches[0].clientX, event.touches[0].clientY]
          : null;
    },
    { passive: true },
  );
  byId("main").addEventListener(
    "touchend",
    (event) => {
      if (!touched) return;
      const dx = event.changedTouches[0].clientX - touched[0],
        dy = event.changedTouches[0].clientY - touched[1];
      touched = null;
      if (Math.abs(dx) > 48 && Math.abs(dx) > 2 * Math.abs(dy))
        acting(() => page.step(dx < 0 ? 1 : -1))();
    },
    { passive: true },
  );
  addEventListener("resize", () => !byId("road").hidden && road());
  for (const query of [dark, narrow]) query.addEventListener("change", paint);

  Api.install(page);
  if (data.scenes.length) Lesson.goTo(page, 0, 0);
  else paint();
  Files.fromAddress(page);
  addEventListener("hashchange", () => Files.fromAddress(page));
})();
