"use strict";
/*
 * A matrix as a table of numbers on their colours, or as a picture where it has too many columns.
 * An operand: {title, role, values, rows, columns (labels or null), at(i, j) → cell, covered(i, j), levels}.
 */
const Matrices = (() => {
  const { make } = Dom;
  const MOST_COLUMNS = 16,
    MOST_ROWS = 40;

  /** The ends of the colours of a stage over all its heads: from 0 to 1, or as far to both sides. */
  const levels = (matrices, sequential) => {
    let low = Infinity,
      high = -Infinity;
    for (const matrix of matrices)
      for (const row of matrix)
        for (const x of row) {
          if (!Number.isFinite(x)) continue;
          low = Math.min(low, x);
          high = Math.max(high, x);
        }
    if (sequential && low >= 0 && high <= 1) return { low: 0, high: 1 };
    const reach = Math.max(-low, high);
    return reach > 0 && Number.isFinite(reach)
      ? { low: -reach, high: reach }
      : { low: -1, high: 1 };
  };

  /** Colour and ink of a number by the scale of the page: {colours, ink} of 511 steps. */
  const colour = (scale, { low, high }, x) => {
    const share = low === 0 ? x / high : x / high;
    const step = 255 + Math.round(255 * Math.max(-1, Math.min(1, share)));
    return {
      back: `#${scale.colours.substr(6 * step, 6)}`,
      ink: scale.ink[step] === "1" ? "#000" : "#fff",
    };
  };

  const turned = (operand) => ({
    ...operand,
    values: operand.values[0].map((_, j) => operand.values.map((row) => row[j])),
    rows: operand.columns,
    columns: operand.rows,
    at: (i, j) => operand.at(j, i),
    covered: (i, j) => operand.covered(j, i),
    rowAxis: operand.columnAxis,
    columnAxis: operand.rowAxis,
  });

  const isLarge = ({ values }) => values[0].length > MOST_COLUMNS || values.length > MOST_ROWS;

  /** The figure of an operand. `view`: {scale, show(x), marks(cell) → class names, name(cell), tap(cell)}. */
  const figure = (operand, view) => {
    const caption = make("figcaption", { class: operand.role });
    Texts.typeset(caption, operand.title);
    if (operand.small) caption.append(make("small", {}, operand.small));
    const body = isLarge(operand) ? picture(operand, view) : table(operand, view);
    return make(
      "figure",
      { class: `matrix ${operand.place || ""}`, "data-tensor": operand.id || null },
      caption,
      make("div", { class: "scroll" }, body),
    );
  };

  const table = (operand, view) => {
    const { values, rows, columns } = operand,
      body = make("table", { role: "grid", "aria-label": operand.label || operand.title });
    if (columns) {
      const head = make(
        "tr",
        {},
        ...(rows ? [make("td", { class: "corner" })] : []),
        ...columns.map((text) => make("th", { scope: "col", title: text }, text)),
      );
      body.append(make("thead", {}, head));
    }
    const lines = make("tbody");
    values.forEach((row, i) => {
      const line = make(
        "tr",
        {},
        rows ? make("th", { scope: "row", title: rows[i] }, rows[i]) : null,
      );
      row.forEach((x, j) => line.append(cellElement(operand, view, x, i, j)));
      lines.append(line);
    });
    body.append(lines);
    return body;
  };

  const cellElement = (operand, view, x, i, j) => {
    const cell = operand.at(i, j),
      hidden = operand.covered(i, j);
    const shown = cell && view.replaced ? view.replaced(cell, x) : null;
    const td = make("td", { class: cell ? view.marks(cell) : "plain" });
    if (shown) {
      td.textContent = shown.text;
      td.classList.add(...shown.classes);
    } else if (hidden) td.classList.add("ghost");
    else {
      td.textContent = view.show(x);
      if (Number.isFinite(x)) {
        const { back, ink } = colour(view.scale, operand.levels, x);
        td.style.backgroundColor = back;
        td.style.color = ink;
      } else td.classList.add("masked");
    }
    if (!cell) return td;
    td.dataset.cell = [cell.tensor, cell.head, cell.row, cell.column].join(" ");
    td.tabIndex = td.classList.contains("focus") ? 0 : -1;
    td.setAttribute("aria-label", `${view.name(cell)}: ${hidden ? view.ghost : td.textContent}`);
    td.addEventListener("click", () => view.tap(cell, td));
    return td;
  };

  const picture = (operand, view) => {
    const { values } = operand,
      rows = values.length,
      columns = values[0].length;
    const canvas = make("canvas", {
      width: columns,
      height: rows,
      role: "img",
      "aria-label": `${operand.label || operand.title}, ${rows} × ${columns}`,
    });
    const side = Math.max(4, Math.min(14, Math.floor(640 / columns)));
    canvas.style.width = `${columns * side}px`;
    canvas.style.height = `${rows * side}px`;
    paint(canvas, operand, view.scale);
    const framed = make("div", { class: "framed" }, canvas, marker(operand, view.focus, side));
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect();
      const i = Math.floor(((event.clientY - box.top) / box.height) * rows),
        j = Math.floor(((event.clientX - box.left) / box.width) * columns);
      const cell = operand.at(Math.min(i, rows - 1), Math.min(j, columns - 1));
      if (cell) view.tap(cell, canvas);
    });
    return framed;
  };

  /** The frame round the focused number over a picture with cells of `side` pixels; null where it is not there. */
  const marker = ({ values, at }, focus, side) => {
    for (let i = 0; i < values.length; i++)
      for (let j = 0; j < values[0].length; j++) {
        const cell = at(i, j);
        if (
          !cell ||
          cell.row !== focus.row ||
          cell.column !== focus.column ||
          cell.tensor !== focus.tensor ||
          (cell.head || 0) !== (focus.head || 0)
        )
          continue;
        const element = make("span", { class: "marker" });
        Object.assign(element.style, {
          left: `${j * side}px`,
          top: `${i * side}px`,
          width: `${side}px`,
          height: `${side}px`,
        });
        return element;
      }
    return null;
  };

  /** Fill a canvas with one pixel a number. */
  const paint = (canvas, operand, scale) => {
    const { values } = operand,
      brush = canvas.getContext("2d");
    brush.clearRect(0, 0, canvas.width, canvas.height);
    values.forEach((row, i) =>
      row.forEach((x, j) => {
        if (operand.covered(i, j) || !Number.isFinite(x)) return;
        brush.fillStyle = colour(scale, operand.levels, x).back;
        brush.fillRect(j, i, 1, 1);
      }),
    );
  };

  return { marker, levels, colour, figure, turned, paint };
})();
