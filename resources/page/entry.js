"use strict";
/* The sheet in which a number that was worked out is typed; Enter goes on to the next blank. */
const Entry = (() => {
  const { byId, make, fill } = Dom;

  const open = (page, cell) => {
    const { texts } = page,
      before = Practice.entries(page, cell.tensor)[Practice.key(cell)] || "";
    const field = make("input", {
      id: "number",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      value: before,
      "aria-label": page.nameOf(cell),
    });
    const error = make(
      "p",
      { class: "error", role: "alert", hidden: true },
      texts.say("no_number"),
    );
    const isNumber = (text) => !text.trim() || Practice.typedNumber(text) !== null;
    const keep = (next) => {
      if (!isNumber(field.value)) return void (error.hidden = false);
      close();
      Practice.type(page, cell, field.value);
      const blank = next && following(page, cell);
      if (blank) (page.set({ focus: blank }), open(page, blank));
      else page.focusCell(cell);
      return undefined;
    };
    const sign = () =>
      (field.value = /^[-−]/.test(field.value) ? field.value.slice(1) : `−${field.value}`);
    const button = (text, action, kind = "") =>
      make("button", { type: "button", class: kind, onclick: action }, text);
    fill(
      byId("sheet"),
      make(
        "header",
        {},
        make(
          "h3",
          {},
          make("b", { class: texts.role(cell.tensor) }, texts.symbol(page.state.run, cell.tensor)),
          ` ${page.nameOf(cell, true)}`,
        ),
      ),
      make(
        "div",
        { class: "keys" },
        button("±", sign),
        button("−∞", () => (field.value = "−∞")),
        field,
      ),
      error,
      make(
        "div",
        { class: "actions" },
        button(texts.say("close"), () => (close(), page.focusCell(cell))),
        button(texts.say("done"), () => keep(false), ""),
        button(texts.say("next_blank"), () => keep(true), "primary"),
      ),
    );
    byId("sheet").setAttribute("aria-label", page.nameOf(cell));
    byId("sheet").hidden = false;
    document.body.classList.add("editing");
    byId("sheet").onkeydown = (event) => {
      if (event.key === "Enter" && event.target === field) (keep(true), event.preventDefault());
      if (event.key === "Escape") (close(), page.focusCell(cell), event.stopPropagation());
    };
    field.focus({ preventScroll: true });
    field.select();
  };
  const close = () => {
    byId("sheet").hidden = true;
    document.body.classList.remove("editing");
  };
  /** The next cell of the stage, row by row, that nothing was typed in. */
  const following = (page, cell) => {
    const matrix = Core.matrix(page.state.run, cell.tensor, cell.head || 0),
      typed = Practice.entries(page, cell.tensor);
    const all = matrix.flatMap((row, i) => row.map((_, j) => ({ ...cell, row: i, column: j })));
    const at = all.findIndex((each) => each.row === cell.row && each.column === cell.column);
    return (
      [...all.slice(at + 1), ...all.slice(0, at)].find((each) => !typed[Practice.key(each)]) || null
    );
  };
  return { open };
})();
