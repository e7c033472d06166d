"use strict";
/*
 * The road through the stages: on a wide screen a diagram with arrows, on a phone a strip of small
 * heatmaps. Of a stack one part at a time: a layer, what comes before the layers, or after them.
 */
const Diagram = (() => {
  const { make, drawn, fill } = Dom;
  const PAD = 8,
    HEAD = 36,
    ROW_GAP = 6,
    MARGIN = 6,
    LANE = 12,
    SIDE = 58,
    MOST_CELLS = 150,
    WIDEST_NAME = 96;
  const GAPS = { least: 16, most: 34 },
    AROUND = 64; // pixels beside the diagram

  /** The parts of a stack, each {layer, mlp, stages}; other experiments have one. */
  const parts = (page) => {
    const found = [];
    for (const stage of page.state.run.plan) {
      const last = found[found.length - 1],
        mlp = page.texts.spec(stage.id).mlp;
      if (last && last.layer === stage.layer && last.mlp === mlp) last.stages.push(stage);
      else found.push({ layer: stage.layer, mlp, stages: [stage] });
    }
    return found;
  };
  const partOf = (page, id) =>
    parts(page).find((part) => part.stages.some((stage) => stage.id === id));

  /** How wide a text of 12 px is in the page's own font. */
  let ruler = null;
  const widthOf = (text) => {
    ruler ??= make("canvas").getContext("2d");
    ruler.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    return ruler.measureText(text).width;
  };

  /** A card: its matrix, the sizes of its cells, its heading above or, of Q, K and V, at the side. */
  const cardOf = (page, stage) => {
    const { run } = page.state,
      operand = StageView.operandOf(page, stage.id, page.state.cursor.head);
    const shown = page.data.columns ? Matrices.turned(operand) : operand;
    const rows = shown.values.length,
      columns = shown.values[0].length,
      digits = columns <= 6 && rows <= 8;
    const longest = Math.max(...shown.values.flat().map((x) => page.show(x).length));
    const cell = digits
      ? [Math.max(36, longest * 7.5 + 8), 17]
      : [Math.min(14, 96 / columns), Math.min(12, 70 / rows)];
    const title = page.texts.symbol(run, stage.id),
      name = page.texts.plainName(stage.id);
    const side = page.texts.spec(stage.id).side,
      body = columns * cell[0];
    const wide = side
      ? body + SIDE
      : Math.max(body, title.length * 8.5 + 38, Math.min(widthOf(name), WIDEST_NAME));
    return {
      stage,
      operand: shown,
      rows,
      columns,
      cell,
      digits,
      side,
      title,
      name,
      w: wide + 2 * PAD,
      h: side ? Math.max(rows * cell[1], 48) + 2 * PAD : rows * cell[1] + HEAD + 2 * PAD,
    };
  };

  /** Places of the cards: a column for each depth, centred; what the part reads from before comes first. */
  const layout = (page, part) => {
    const own = part.stages.map((stage) => stage.id),
      before = part.stages.flatMap((stage) => stage.reads).filter((id) => !own.includes(id));
    const stages = [
      ...page.state.run.plan.filter((stage) => before.includes(stage.id)),
      ...part.stages,
    ];
    const ids = stages.map((stage) => stage.id),
      depth = new Map();
    for (const stage of stages) {
      const known = own.includes(stage.id)
        ? stage.reads.filter((id) => ids.includes(id)).map((id) => depth.get(id))
        : [];
      depth.set(stage.id, known.length ? Math.max(...known) + 1 : 0);
    }
    const cards = stages.map((stage) => cardOf(page, stage)),
      columns = [];
    cards.forEach((card) =>
      (columns[depth.get(card.stage.id)] = columns[depth.get(card.stage.id)] || []).push(card),
    );
    const heights = columns.map((column) =>
      column.reduce((sum, card) => sum + card.h + ROW_GAP, -ROW_GAP),
    );
    const height = Math.max(...heights),
      widths = columns.map((column) => Math.max(...column.map((card) => card.w)));
    const room = innerWidth - AROUND - widths.reduce((a, b) => a + b, 0);
    const gap = Math.max(GAPS.least, Math.min(GAPS.most, room / Math.max(1, columns.length - 1)));
    let x = MARGIN;
    columns.forEach((column, index) => {
      const width = widths[index];
      let y = MARGIN + (height - heights[index]) / 2;
      column.forEach((card) => {
        Object.assign(card, { x, y, w: width });
        y += card.h + ROW_GAP;
      });
      x += width + gap;
    });
    const byId = new Map(cards.map((card) => [card.stage.id, card])),
      arrows = [];
    let lanes = 0;
    for (const card of cards.filter((each) => own.includes(each.stage.id)))
      for (const id of card.stage.reads) {
        const far = depth.get(card.stage.id) - depth.get(id) > 1;
        arrows.push({ from: byId.get(id), to: card, lane: far ? ++lanes : 0 });
      }
    return {
      cards,
      arrows,
      width: x - gap + MARGIN,
      height: height + 2 * MARGIN + (lanes ? lanes * LANE + 4 : 0),
      base: height + MARGIN,
    };
  };

  const path = ({ from, to, lane }, base) => {
    const y1 = from.y + from.h / 2,
      y2 = to.y + to.h / 2,
      x1 = from.x + from.w,
      x2 = to.x;
    if (!lane) {
      const bend = Math.max(12, (x2 - x1) / 2);
      return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 3} ${y2}`;
    }
    const y = base + lane * LANE,
      end = to.x + Math.min(24, to.w / 3),
      start = x1 + 8;
    return `M${x1} ${y1}H${start}V${y}H${end}V${to.y + to.h + 4}`;
  };

  const cardElement = (page, card) => {
    const { x, y, w, h, stage, operand, cell } = card,
      run = page.state.run;
    const state = page.stateOf(stage.id),
      role = page.texts.role(stage.id);
    const group = drawn("g", {
      class: `card ${state} ${role}`,
      tabindex: 0,
      role: "button",
      "data-stage": stage.id,
      "aria-label": `${card.name}, ${card.rows} × ${card.columns}`,
      "aria-current": state === "current" ? "step" : null,
    });
    group.append(drawn("rect", { class: "frame", x, y, width: w, height: h, rx: 9 }));
    const text = (kind, left_, top_, words) =>
      group.append(drawn("text", { class: kind, x: left_, y: top_ }, words));
    const symbol = card.title.replace("_", ""),
      room = card.side ? SIDE : w - 2 * PAD;
    let name = card.name;
    while (widthOf(name) > room) name = `${name.replace(/…$/, "").slice(0, -1)}…`;
    text("symbol", x + PAD, y + 19, symbol);
    text("name", x + PAD, y + 35, name);
    if (card.side) text("name", x + PAD, y + 50, `${card.rows}×${card.columns}`);
    else text("size", x + w - PAD, y + 18, `${card.rows}×${card.columns}`);
    const left = card.side
      ? x + w - PAD - card.columns * cell[0]
      : x + (w - card.columns * cell[0]) / 2;
    const top = card.side ? y + (h - card.rows * cell[1]) / 2 : y + HEAD + PAD;
    const drawCells = () =>
      operand.values.forEach((row, i) =>
        row.forEach((value, j) => {
          const hidden = operand.covered(i, j),
            inside = {
              x: left + j * cell[0],
              y: top + i * cell[1],
              width: cell[0] - (cell[0] > 5 ? 1.5 : 0),
              height: cell[1] - (cell[1] > 5 ? 1.5 : 0),
            };
          let ink = "currentColor";
          if (hidden || !Number.isFinite(value)) {
            if (cell[0] > 5) group.append(drawn("rect", { class: "ghost", ...inside, rx: 2 }));
          } else {
            const colours = Matrices.colour(page.scale(), operand.levels, value);
            ink = colours.ink;
            group.append(
              drawn("rect", {
                ...inside,
                rx: cell[0] > 5 ? 2 : 0,
                fill: colours.back,
                class: page.ringed(operand.at(i, j)),
              }),
            );
          }
          if (!hidden && card.digits)
            group.append(
              drawn(
                "text",
                {
                  class: "digits",
                  x: inside.x + inside.width / 2,
                  y: inside.y + 12.5,
                  style: `fill:${ink}`,
                },
                page.show(value),
              ),
            );
        }),
      );
    if (card.rows * card.columns <= MOST_CELLS) drawCells();
    else {
      const canvas = make("canvas", { width: card.columns, height: card.rows });
      Matrices.paint(canvas, operand, page.scale());
      group.append(
        drawn("image", {
          href: canvas.toDataURL(),
          x: left,
          y: top,
          width: card.columns * cell[0],
          height: card.rows * cell[1],
          preserveAspectRatio: "none",
          style: "image-rendering:pixelated",
        }),
      );
    }
    const go = () => page.goTo(stage.id);
    group.addEventListener("click", go);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") (go(), event.preventDefault());
    });
    return group;
  };

  const wide = (page, element) => {
    const part = partOf(page, page.state.cursor.stage),
      place = layout(page, part),
      { say } = page.texts;
    const svg = drawn("svg", {
      viewBox: `0 0 ${place.width} ${place.height}`,
      role: "group",
      "aria-label": say("diagram"),
    });
    svg.append(
      drawn(
        "defs",
        {},
        drawn(
          "marker",
          {
            id: "tip",
            viewBox: "0 0 8 8",
            refX: 6,
            refY: 4,
            markerWidth: 7,
            markerHeight: 7,
            orient: "auto",
          },
          drawn("path", { d: "M0 0L8 4L0 8z" }),
        ),
      ),
    );
    place.arrows.forEach((arrow) =>
      svg.append(
        drawn("path", {
          class: `arrow ${page.stateOf(arrow.to.stage.id)}`,
          d: path(arrow, place.base),
          "marker-end": "url(#tip)",
        }),
      ),
    );
    place.cards.forEach((card) => svg.append(cardElement(page, card)));
    svg.style.width = `${place.width * 1.4}px`;
    svg.style.minWidth = `${place.width}px`;
    const scroll = make("div", { class: "scroll", tabindex: -1 }, svg);
    fill(element, chips(page), scroll);
    const current = place.cards.find((card) => card.stage.id === page.state.cursor.stage);
    scroll.scrollLeft =
      ((current.x + current.w / 2) / place.width) * scroll.scrollWidth - scroll.clientWidth / 2;
  };

  const partName = (page, part) => {
    const { say, symbol } = page.texts,
      first = part.stages[0];
    if (part.layer === null)
      return part.stages.map((stage) => symbol(page.state.run, stage.id)).join(" · ");
    const several = page.state.experiment.layers.length > 1,
      name = say(part.mlp ? "mlp" : "attention");
    return several && first ? say("in_layer", { number: part.layer, name }) : name;
  };
  /** The parts of a stack as buttons. */
  const chips = (page) => {
    const all = parts(page);
    if (all.length < 2) return null;
    const here = partOf(page, page.state.cursor.stage);
    return make(
      "div",
      { class: "choice parts", role: "group" },
      ...all.map((part) =>
        make(
          "button",
          {
            type: "button",
            "aria-pressed": String(part.stages[0].id === here.stages[0].id),
            onclick: () => page.goTo(part.stages[0].id),
          },
          partName(page, part),
        ),
      ),
    );
  };

  const strip = (page, element) => {
    const cards = page.state.run.plan.map((stage) => {
      const operand = StageView.operandOf(page, stage.id, page.state.cursor.head);
      const shown = page.data.columns ? Matrices.turned(operand) : operand,
        state = page.stateOf(stage.id);
      const canvas = make("canvas", {
        width: shown.values[0].length,
        height: shown.values.length,
        "aria-hidden": "true",
      });
      Matrices.paint(canvas, shown, page.scale());
      const symbol = Texts.typeset(
        make("span", { class: "symbol" }),
        page.texts.symbol(page.state.run, stage.id),
      );
      return make(
        "button",
        {
          type: "button",
          class: `tile ${state} ${page.texts.role(stage.id)}`,
          "data-stage": stage.id,
          "aria-current": state === "current" ? "step" : null,
          "aria-label": page.texts.name(page.state.run, stage.id),
          onclick: () => page.goTo(stage.id),
        },
        symbol,
        canvas,
      );
    });
    fill(element, ...cards);
    const current = element.querySelector(".current");
    if (current)
      element.scrollLeft = current.offsetLeft - (element.clientWidth - current.offsetWidth) / 2;
  };

  return { wide, strip, parts };
})();
