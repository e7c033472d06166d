"use strict";
/* The sheet in which a number is changed: by typing, ±, steps of 0.1 and a slider; it recomputes at once. */
const Sheet = (() => {
  const { byId, make, fill } = Dom;
  const STEP = 0.1,
    REACH = 2,
    MOST_CHANGES = 6;

  /** Open the sheet for a cell. */
  const open = (page, cell) => {
    const { state } = page,
      before = state.experiment,
      value = page.valueOf(cell);
    const pinned = Core.pinAt(before, cell.tensor, cell.row, cell.column, cell.head || 0);
    page.editing = { cell, before, run: state.run, value, last: value };
    const field = make("input", {
      id: "number",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      "aria-label": page.nameOf(cell),
      value: Numbers.shortened(value),
    });
    const reach = Math.max(REACH, Math.ceil(Math.abs(value)));
    const slider = make("input", {
      id: "slide",
      type: "range",
      min: -reach,
      max: reach,
      step: 0.05,
      value,
      "aria-label": page.nameOf(cell),
    });
    const error = make("p", { class: "error", role: "alert", hidden: true });
    const take = (number, from) => {
      error.hidden = number !== null;
      field.classList.toggle("wrong", number === null);
      if (number === null) return void (error.textContent = page.texts.say("no_number"));
      if (from !== field) field.value = Numbers.shortened(number);
      if (from !== slider) slider.value = number;
      page.editing.last = number;
      page.preview(Experiment.withValue(before, cell, number));
      changes(page);
    };
    const now = () => Numbers.read(field.value);
    const by = (change) => take(Number(((now() ?? value) + change).toFixed(10)), null);
    field.addEventListener("input", () => take(now(), field));
    slider.addEventListener("input", () => take(Number(slider.value), slider));
    const button = (text, name, action, kind = "") =>
      make("button", { type: "button", class: kind, "aria-label": name, onclick: action }, text);
    const entered = Experiment.enteredName(before, cell.tensor, cell.head || 0);
    const title = make(
      "h3",
      {},
      make("b", { class: page.texts.role(cell.tensor) }, page.texts.symbol(state.run, cell.tensor)),
      ` ${page.nameOf(cell, true)}`,
    );
    const note = entered
      ? page.texts.say("was", { value: page.show(value) })
      : page.texts.say(pinned ? "held" : "holding", { value: page.show(value) });
    fill(
      byId("sheet"),
      make("header", {}, title, make("span", { class: "muted", id: "was" }, note)),
      make(
        "div",
        { class: "keys" },
        button("−0.1", "−0.1", () => by(-STEP)),
        button("±", "±", () => take(-(now() ?? 0), null)),
        field,
        button("+0.1", "+0.1", () => by(STEP)),
      ),
      make(
        "div",
        { class: "slide" },
        slider,
        make(
          "div",
          { class: "ends", "aria-hidden": "true" },
          make("span", {}, `−${reach}`),
          make("span", {}, "0"),
          make("span", {}, String(reach)),
        ),
      ),
      error,
      make("div", { id: "changes", "aria-live": "polite" }),
      make(
        "div",
        { class: "actions" },
        button(
          pinned && !entered ? page.texts.say("let_go") : page.texts.say("put_back"),
          null,
          () => close(page, false, pinned && !entered),
        ),
        button(page.texts.say("done"), null, () => close(page, true), "primary"),
      ),
    );
    byId("sheet").setAttribute("aria-label", page.nameOf(cell));
    byId("sheet").hidden = false;
    document.body.classList.add("editing");
    byId("sheet").onkeydown = (event) => {
      if (event.key === "Enter" && event.target.tagName === "INPUT")
        (close(page, true), event.preventDefault());
      if (event.key === "Escape") (close(page, false), event.stopPropagation());
    };
    field.focus({ preventScroll: true });
    field.select();
  };

  /** What the change does to the results of the stage. */
  const changes = (page) => {
    const { run, cursor } = page.state,
      head = Core.isHeadwise(cursor.stage) ? cursor.head : 0,
      id = cursor.stage;
    const before = page.editing.run.arrays.has(id) ? Core.matrix(page.editing.run, id, head) : null,
      after = Core.matrix(run, id, head),
      found = [];
    if (before)
      after.forEach((row, i) =>
        row.forEach((x, j) => {
          const cell = { tensor: id, row: i, column: j, head };
          if (page.show(x) !== page.show(before[i][j]) && !page.isCovered(cell))
            found.push([cell, before[i][j], x]);
        }),
      );
    const list = found
      .slice(0, MOST_CHANGES)
      .map(([cell, old, x]) =>
        make(
          "li",
          {},
          make("span", { class: "muted" }, page.pairOf(cell)),
          make("span", {}, `${page.show(old)} → `, make("b", {}, page.show(x))),
        ),
      );
    fill(
      byId("changes"),
      list.length
        ? make("h4", {}, page.texts.say("changes", { stage: page.texts.name(run, id) }))
        : null,
      list.length ? make("ul", {}, ...list) : null,
    );
  };

  /** Close it: keep the number, put the old one back, or let go of a pin. */
  const close = (page, keep, letGo = false) => {
    const { cell, before, last, value } = page.editing;
    page.editing = null;
    byId("sheet").hidden = true;
    document.body.classList.remove("editing");
    page.preview(before);
    if (letGo) page.edit(Experiment.withoutPin(before, cell));
    else if (keep && last !== value) page.edit(Experiment.withValue(before, cell, last));
    page.focusCell(cell);
  };

  return { open, close };
})();
