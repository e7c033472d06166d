"use strict";
/*
 * The road through the stages: on a wide screen a diagram with arrows, on a phone a strip of small
 * heatmaps. Of a stack one part at a time: a layer, what comes before the layers, or after them.
 */
const Diagram = (() => {
  const C = Core;
  const { make, drawn, fill } = Dom;
  const GAP = 30, PAD = 8, HEAD = 34, ROW_GAP = 14, MARGIN = 10, LANE = 16;

  /** The parts of a stack: each {id, stages}; of other experiments one. */
  const parts = (run) => {
    const found = [];
    for (const stage of run.plan) {
      const last = found[found.length - 1];
      if (last && last.layer === stage.layer) last.stages.push(stage);
      else found.push({ layer: stage.layer, stages: [stage] });
    }
    return found;
  };
  const partOf = (run, id) => parts(run).find((part) => part.stages.some((stage) => stage.id === id));

  /** Sizes of a card: of its cells, and whether they hold digits. */
  const cardOf = (page, stage, roomy) => {
    const operand = StageView.operandOf(page, stage.id, page.state.cursor.head);
    const shown = page.data.columns ? Matrices.turned(operand) : operand;
    const rows = shown.values.length, columns = shown.values[0].length;
    const digits = roomy && columns <= 6 && rows <= 8;
    const cell = digits ? [Math.max(...shown.values.flat().map((x) => page.show(x).length)) > 5 ? 46 : 38, 20]
      : [Math.max(2, Math.min(14, 110 / columns)), Math.max(2, Math.min(14, 110 / rows))];
    const title = page.texts.symbol(page.state.run, stage.id), name = page.texts.name(page.state.run, stage.id).replace(/^.*: /, "");
    const width = Math.max(columns * cell[0], title.length * 9 + 40, Math.min(name.length, 14) * 7) + 2 * PAD;
    return { stage, operand: shown, rows, columns, cell, digits, title, name, w: width, h: rows * cell[1] + HEAD + 2 * PAD };
  };

  /** Places of the cards: a column for each depth, centred. */
  const layout = (page, stages) => {
    const few = stages.length <= 13, ids = stages.map((stage) => stage.id), depth = new Map();
    for (const stage of stages) {
      const known = stage.reads.filter((id) => ids.includes(id)).map((id) => depth.get(id));
      depth.set(stage.id, known.length ? Math.max(...known) + 1 : 0);
    }
    const cards = stages.map((stage) => cardOf(page, stage, few)), columns = [];
    cards.forEach((card) => (columns[depth.get(card.stage.id)] = columns[depth.get(card.stage.id)] || []).push(card));
    const heights = columns.map((column) => column.reduce((sum, card) => sum + card.h + ROW_GAP, -ROW_GAP));
    const height = Math.max(...heights);
    let x = MARGIN;
    columns.forEach((column, index) => {
      const width = Math.max(...column.map((card) => card.w));
      let y = MARGIN + (height - heights[index]) / 2;
      column.forEach((card) => {
        Object.assign(card, { x, y, w: width });
        y += card.h + ROW_GAP;
      });
      x += width + GAP;
    });
    const byId = new Map(cards.map((card) => [card.stage.id, card]));
    const arrows = [];
    let lanes = 0;
    for (const card of cards) for (const id of card.stage.reads) {
      const from = byId.get(id);
      if (!from) continue;
      const far = depth.get(card.stage.id) - depth.get(id) > 1;
      arrows.push({ from, to: card, lane: far ? ++lanes : 0 });
    }
    return { cards, arrows, width: x - GAP + MARGIN, height: height + 2 * MARGIN + (lanes ? lanes * LANE + 6 : 0), base: height + MARGIN };
  };

  const path = ({ from, to, lane }, base) => {
    const y1 = from.y + from.h / 2, y2 = to.y + to.h / 2, x1 = from.x + from.w, x2 = to.x;
    if (!lane) {
      const bend = Math.max(12, (x2 - x1) / 2);
      return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 3} ${y2}`;
    }
    const y = base + lane * LANE, end = to.x + Math.min(24, to.w / 3), start = x1 + 8;
    return `M${x1} ${y1}H${start}V${y}H${end}V${to.y + to.h + 4}`;
  };

  const cardElement = (page, card) => {
    const { x, y, w, h, stage, operand, cell } = card, run = page.state.run;
    const state = page.stateOf(stage.id), role = page.texts.role(stage.id);
    const group = drawn("g", { class: `card ${state} ${role}`, tabindex: 0, role: "button", "data-stage": stage.id,
      "aria-label": `${card.name}, ${card.rows} × ${card.columns}`, "aria-current": state === "current" ? "step" : null });
    group.append(drawn("rect", { class: "frame", x, y, width: w, height: h, rx: 9 }));
    const title = drawn("text", { class: "symbol", x: x + PAD, y: y + 17 }, card.title.replace("_", ""));
    const size = drawn("text", { class: "size", x: x + w - PAD, y: y + 16 }, `${card.rows}×${card.columns}`);
    const name = drawn("text", { class: "name", x: x + PAD, y: y + 31 }, card.name.length > 18 ? `${card.name.slice(0, 17)}…` : card.name);
    group.append(title, size, name);
    const left = x + (w - card.columns * cell[0]) / 2, top = y + HEAD + PAD / 2;
    operand.values.forEach((row, i) => row.forEach((value, j) => {
      const hidden = operand.covered(i, j), inside = { x: left + j * cell[0], y: top + i * cell[1], width: cell[0] - (cell[0] > 5 ? 1.5 : 0), height: cell[1] - (cell[1] > 5 ? 1.5 : 0) };
      if (hidden || !Number.isFinite(value)) {
        if (cell[0] > 5) group.append(drawn("rect", { class: "ghost", ...inside, rx: 2 }));
      } else {
        const { back, ink } = Matrices.colour(page.scale(), operand.levels, value);
        group.append(drawn("rect", { ...inside, rx: cell[0] > 5 ? 2 : 0, fill: back, class: page.ringed(operand.at(i, j)) }));
        if (card.digits) group.append(drawn("text", { class: "digits", x: inside.x + inside.width / 2, y: inside.y + 14, fill: ink }, page.show(value)));
      }
      if (!hidden && !Number.isFinite(value) && card.digits) group.append(drawn("text", { class: "digits", x: inside.x + inside.width / 2, y: inside.y + 14, fill: "currentColor" }, page.show(value)));
    }));
    const go = () => page.goTo(stage.id);
    group.addEventListener("click", go);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") go(), event.preventDefault();
    });
    return group;
  };

  const wide = (page, element) => {
    const part = partOf(page.state.run, page.state.cursor.stage), place = layout(page, part.stages);
    const svg = drawn("svg", { viewBox: `0 0 ${place.width} ${place.height}`, role: "group", "aria-label": page.texts.say("diagram") });
    svg.append(drawn("defs", {}, drawn("marker", { id: "tip", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      drawn("path", { d: "M0 0L8 4L0 8z" }))));
    place.arrows.forEach((arrow) => svg.append(drawn("path", { class: `arrow ${page.stateOf(arrow.to.stage.id)}`, d: path(arrow, place.base), "marker-end": "url(#tip)" })));
    place.cards.forEach((card) => svg.append(cardElement(page, card)));
    svg.style.maxWidth = `${place.width * 1.25}px`;
    svg.style.minWidth = `${place.width * 0.72}px`;
    fill(element, chips(page), svg);
  };

  /** The parts of a stack as buttons. */
  const chips = (page) => {
    const all = parts(page.state.run);
    if (all.length < 2) return null;
    const here = partOf(page.state.run, page.state.cursor.stage);
    return make("div", { class: "choice parts", role: "group" }, ...all.map((part) => make("button", {
      type: "button", "aria-pressed": String(part.stages[0].id === here.stages[0].id), onclick: () => page.goTo(part.stages[0].id),
    }, part.layer === null ? part.stages.map((stage) => page.texts.symbol(page.state.run, stage.id)).join(" · ") : page.texts.say("layer", { number: part.layer }))));
  };

  const strip = (page, element) => {
    const cards = page.state.run.plan.map((stage) => {
      const operand = StageView.operandOf(page, stage.id, page.state.cursor.head);
      const shown = page.data.columns ? Matrices.turned(operand) : operand, state = page.stateOf(stage.id);
      const canvas = make("canvas", { width: shown.values[0].length, height: shown.values.length, "aria-hidden": "true" });
      Matrices.paint(canvas, shown, page.scale());
      const symbol = Texts.typeset(make("span", { class: "symbol" }), page.texts.symbol(page.state.run, stage.id));
      return make("button", { type: "button", class: `tile ${state} ${page.texts.role(stage.id)}`, "data-stage": stage.id,
        "aria-current": state === "current" ? "step" : null, "aria-label": page.texts.name(page.state.run, stage.id), onclick: () => page.goTo(stage.id) }, symbol, canvas);
    });
    fill(element, ...cards);
    const current = element.querySelector(".current");
    if (current) element.scrollLeft = current.offsetLeft - (element.clientWidth - current.offsetWidth) / 2;
  };

  return { wide, strip, parts };
})();
