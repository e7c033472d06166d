"use strict";
/* The stage as colours alone, all heads beside each other; a tap chooses head and number. */
const Heatmap = (() => {
  const { make, fill } = Dom;
  const LARGEST = 150,
    LEAST = 3,
    MOST = 26; // pixels: of a matrix with several heads, of a cell

  const show = (page, element) => {
    const { state, texts } = page,
      id = state.cursor.stage,
      heads = Core.isHeadwise(id) ? state.run.arrays.get(id).length : 1;
    element.querySelector("summary").textContent = texts.say("heatmap");
    const body = element.querySelector("div");
    if (!element.open) return void fill(body);
    return void fill(
      body,
      ...Array.from({ length: heads }, (_, head) => figure(page, id, head, heads)),
    );
  };

  const figure = (page, id, head, heads) => {
    const { state, texts } = page,
      operand = StageView.operandOf(page, id, head);
    const shown = page.data.columns ? Matrices.turned(operand) : operand,
      rows = shown.values.length,
      columns = shown.values[0].length;
    const side = Math.max(
      LEAST,
      Math.min(MOST, (heads > 1 ? LARGEST : 2 * LARGEST) / Math.max(rows, columns)),
    );
    const canvas = make("canvas", {
      width: columns,
      height: rows,
      role: "img",
      "aria-label": `${texts.name(state.run, id)}, ${rows} × ${columns}`,
    });
    Object.assign(canvas.style, { width: `${columns * side}px`, height: `${rows * side}px` });
    Matrices.paint(canvas, shown, page.scale());
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect(),
        at = (place, count) => Math.min(count - 1, Math.max(0, Math.floor(place * count)));
      const cell = shown.at(
        at((event.clientY - box.top) / box.height, rows),
        at((event.clientX - box.left) / box.width, columns),
      );
      state.cursor = { ...state.cursor, head };
      page.set({ focus: cell });
    });
    const frame = make(
      "div",
      { class: "framed" },
      canvas,
      Matrices.marker(shown, page.focused(), side),
    );
    const caption =
      heads > 1
        ? make(
            "figcaption",
            { class: head === state.cursor.head ? "here" : "muted" },
            texts.headName(state.run, id, head),
          )
        : null;
    return make("figure", {}, frame, ...(caption ? [caption] : []));
  };

  return { show };
})();
