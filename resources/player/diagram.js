"use strict";
/* The data flow as a drawing: cards where the window's own geometry puts them, with the numbers that stand. */
const makeDiagram = (page) => {
  const NAMESPACE = "http://www.w3.org/2000/svg";
  const MOST_CELLS = 1200; // of one matrix; more are drawn as a picture
  const LEAST_DIGITS = 7.5;
  const SYMBOL = 15;
  const NAME = 11;
  const INSET = 6;

  const draw = (tag, attributes = {}, text = "") => {
    const element = document.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text) element.textContent = text;
    return element;
  };
  const box = ([x, y, width, height], more = {}) => draw("rect", { x, y, width, height, ...more });
  const grown = ([x, y, width, height], by) => [x - by, y - by, width + 2 * by, height + 2 * by];

  /** A text whose letters after _ are set lower. */
  const formula = (attributes, text) => {
    const element = draw("text", attributes);
    for (const piece of text.match(/_\w|[^_]+/g) || []) {
      const low = piece.startsWith("_");
      element.append(draw("tspan", low ? { dy: "0.22em", "font-size": "78%" } : { dy: element.lowered ? "-0.17em" : "0" }, piece.replace("_", "")));
      element.lowered = low;
    }
    return element;
  };

  const status = (index, here) => (index < 0 || index < here ? "done" : index === here ? "here" : "ahead");

  const arrow = (each, here) => {
    const points = each.points;
    const role = each.to > here ? "ahead" : each.role;
    const group = draw("g", { class: `arrow ${role}${each.to === here ? " now" : ""}` });
    const [x, y] = points.slice(-2);
    const upright = points.at(-4) === x;
    const back = upright ? [x - 3.6, y - 8, x + 3.6, y - 8] : [x - 8, y - 3.6, x - 8, y + 3.6];
    group.append(draw("path", { d: `M${points.slice(0, 2)}C${points.slice(2)}` }));
    group.append(draw("polygon", { points: `${x},${y} ${back[0]},${back[1]} ${back[2]},${back[3]}` }));
    if (each.label) {
      const [left, top] = each.at;
      if (each.patch) group.append(box([left - each.patch / 2, top - 8, each.patch, 16], { rx: 5, class: "patch" }));
      const ink = each.to > here ? "muted" : each.inked;
      group.append(formula({ x: left, y: top + 4, class: `flow ${ink}`, "text-anchor": "middle" }, each.label));
    }
    return group;
  };

  const heading = (card, role) => {
    const [x, y, width, height] = card.rect;
    const below = card.side && height > 50 ? [card.name, card.shape].filter((line) => page.wide(line, NAME) <= card.heading - 2) : [];
    const top = card.side ? y + (height - SYMBOL - 13 * below.length) / 2 - 2 : y + 1;
    const parts = [formula({ x: x + INSET, y: top + SYMBOL, class: `symbol ${role}`, "font-size": SYMBOL }, card.symbol)];
    const used = page.wide(card.symbol, SYMBOL) + 8;
    const room = (card.side ? card.heading : width - 2 * INSET) - 2;
    const shape = { "font-size": NAME, class: "muted" };
    if (card.side) {
      below.forEach((line, i) => {
        parts.push(draw("text", { x: x + INSET, y: top + SYMBOL + 13 * (i + 1), ...shape }, line));
      });
      return parts;
    }
    if (used + page.wide(card.shape, NAME) <= room) parts.push(draw("text", { x: x + INSET + used, y: top + SYMBOL, ...shape }, card.shape));
    if (card.heading >= 38 && page.wide(card.name, NAME) <= room) parts.push(draw("text", { x: x + INSET, y: top + SYMBOL + 16, ...shape }, card.name));
    return parts;
  };

  /** Token names beside the rows and above the columns, where the card keeps room for them. */
  const names = (card, operand) => {
    const [x, y, width, height] = card.matrix;
    const [rows, columns] = card.seen;
    const [beside, above] = card.labels;
    const parts = [];
    const high = height / rows;
    for (let row = 0; beside && high >= 10 && row < rows; row += 1) {
      const text = page.shortened(page.label(operand, 0, row), NAME, beside - 4);
      parts.push(draw("text", { x: x - 5, y: y + (row + 0.5) * high + 4, "text-anchor": "end", "font-size": Math.min(NAME, high), class: "muted" }, text));
    }
    for (let column = 0; above && column < columns; column += 1) {
      const text = page.shortened(page.label(operand, 1, column), NAME, width / columns - 2);
      parts.push(draw("text", { x: x + ((column + 0.5) * width) / columns, y: y - 5, "text-anchor": "middle", "font-size": NAME, class: "muted" }, text));
    }
    return parts;
  };

  const digitsOf = (text, width, height) => {
    const longest = text.flat().reduce((a, b) => (b.length > a.length ? b : a), "");
    const size = Math.min(height * 0.72, (width * 0.9 * 16) / page.wide(longest, 16), 20);
    return size >= LEAST_DIGITS ? size : 0;
  };

  const cells = (card, operand, stands) => {
    const [x, y, width, height] = card.matrix;
    const { text, colour } = page.matrix(operand);
    const wide = width / text[0].length;
    const high = height / text.length;
    const size = digitsOf(text, wide, high);
    const paint = page.scale();
    const parts = [];
    text.forEach((numbers, row) => numbers.forEach((number, column) => {
      const place = [x + column * wide + 0.5, y + row * high + 0.5, wide - 1, high - 1];
      if (!stands(row, column)) {
        if (text.length * numbers.length <= 400) parts.push(box(place, { class: "ghost", rx: 2 }));
        return;
      }
      const masked = number === "−∞";
      parts.push(box(place, masked ? { class: "masked", rx: 2 } : { fill: paint.background(colour[row][column]), rx: 2 }));
      if (!size) return;
      const ink = masked ? { class: "muted" } : { style: `fill:${paint.ink(colour[row][column])}` };
      parts.push(draw("text", { x: place[0] + place[2] / 2, y: y + (row + 0.5) * high + size * 0.35, "font-size": size, "text-anchor": "middle", ...ink }, number));
    }));
    return parts;
  };

  /** A matrix with too many cells for numbers: a pixel a cell. */
  const picture = (card, operand, stands) => {
    const [x, y, width, height] = card.matrix;
    const known = page.matrix(operand);
    let address = known.image && stands(0, 0) ? known.image[page.shade()] : "";
    if (!known.image) {
      const { colour } = known;
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [colour[0].length, colour.length];
      const context = canvas.getContext("2d");
      const paint = page.scale();
      colour.forEach((line, row) => line.forEach((at, column) => {
        if (!stands(row, column)) return;
        context.fillStyle = paint.background(at);
        context.fillRect(column, row, 1, 1);
      }));
      address = canvas.toDataURL();
    }
    const frame = box([x, y, width, height], { class: "ghost" });
    if (!address) return [frame];
    return [draw("image", { x, y, width, height, href: address, preserveAspectRatio: "none", class: "pixels" }), frame];
  };

  const tokens = (card) => {
    const [x, y, width, height] = card.matrix;
    const high = height / card.seen[0];
    if (high < 9) return [];
    return page.tokens(card.words).map((token, row) =>
      draw("text", { x: x + width / 2, y: y + (row + 0.5) * high + 5, "text-anchor": "middle", "font-size": Math.min(14, high * 0.8), class: "plain" }, page.shortened(token, 14, width)));
  };

  const body = (card, operand) => {
    if (!operand) return tokens(card);
    const stands = (row, column) => page.shows(operand, row, column);
    const small = page.matrix(operand).text && card.seen[0] * card.seen[1] <= MOST_CELLS;
    return [...names(card, operand), ...(small ? cells : picture)(card, operand, stands)];
  };

  const cardOf = (card, here) => {
    const index = card.stage;
    const stage = index < 0 ? null : page.stage(index);
    const state = status(index, here);
    const role = state === "ahead" ? "muted" : stage ? stage.role : "plain";
    const group = draw("g", { class: `card ${state}` });
    for (let level = card.depth; level > 0; level -= 1) {
      const [x, y, width, height] = card.rect;
      group.append(box([x + 5 * level, y - 3 * level, width, height], { class: `edge ${role}`, rx: 8 }));
    }
    if (state === "here") group.append(box(grown(card.rect, 4), { class: "ring", rx: 12 }));
    group.append(box(card.rect, { class: `ground ${role}`, rx: 8 }), ...heading(card, role), ...body(card, stage && page.result(stage)));
    if (stage) makeButton(group, index, card, state);
    return group;
  };

  const makeButton = (group, index, card, state) => {
    const go = (event) => {
      event.preventDefault();
      event.stopPropagation();
      page.toStage(index);
    };
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", "0");
    group.setAttribute("aria-label", `${card.symbol.replace("_", " ")}, ${card.name}`);
    group.setAttribute("data-stage", page.stage(index).id);
    if (state === "here") group.setAttribute("aria-current", "step");
    group.prepend(draw("title", {}, card.name));
    group.addEventListener("click", go);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") go(event);
    });
  };

  const lineOf = (x1, y1, x2, y2, more) => draw("line", { x1, y1, x2, y2, ...more });
  const bold = (x, y, text, more = {}) => draw("text", { x, y, "font-size": NAME, class: "bold", ...more }, text);

  /** A sub-layer with its title. */
  const panelOf = (panel, here) => {
    const [x, y, width, height] = panel.rect;
    const parts = [box([x, y, width, height], { class: `band${panel.stages.includes(here) ? " now" : ""}`, rx: 8 })];
    parts.push(bold(panel.left, y + 15, panel.title));
    const used = panel.left + page.wide(panel.title, NAME) * 1.1 + 10;
    if (used + page.wide(panel.note, NAME) <= x + width - 8) parts.push(draw("text", { x: used, y: y + 15, "font-size": NAME, class: "muted" }, panel.note));
    return parts;
  };

  /** Where the output of a sub-layer is added. */
  const plusOf = ([index, x, y, width, height], lanes, here) => {
    const group = draw("g", { class: `plus ${status(index, here)}` });
    group.append(box([x, y, width, height], { class: "ground", rx: width / 2 }));
    const middle = x + width / 2;
    for (const at of lanes.length && lanes.length <= 8 ? lanes : [y + height / 2]) {
      group.append(lineOf(middle - 4.5, at, middle + 4.5, at), lineOf(middle, at - 4.5, middle, at + 4.5));
    }
    return group;
  };

  /** Layers that are not open; a click opens them. */
  const foldedOf = (folded, here) => {
    const [x, y, width, height] = folded.rect;
    const group = draw("g", { class: `card ${status(folded.stage, here)}`, role: "button", tabindex: "0", "aria-label": folded.title });
    const title = page.shortened(folded.title, NAME * 1.1, width - 8);
    group.append(draw("title", {}, folded.title), box(folded.rect, { class: "ground muted", rx: 8 }), bold(x + 5, y + 16, title));
    group.append(draw("text", { x: x + width / 2, y: y + height - 8, "text-anchor": "middle", "font-size": NAME, class: "muted" }, folded.count));
    const go = (event) => {
      event.preventDefault();
      event.stopPropagation();
      page.toStage(folded.stage);
    };
    group.addEventListener("click", go);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") go(event);
    });
    return group;
  };

  /** The residual stream of a stack and what hangs below it, without its cards. */
  const streamOf = (stream, here) => {
    const parts = [box(stream.band, { class: "band", rx: 8 })];
    if (stream.frame) parts.push(box(stream.frame, { class: "layer", rx: 10 }));
    parts.push(...stream.panels.flatMap((panel) => panelOf(panel, here)));
    const names = page.tokens(0);
    stream.lanes.forEach((y, row) => {
      for (const [from, to, ahead] of stream.pieces) parts.push(lineOf(from, y, to, y, { class: `lane${ahead ? " ahead" : ""}` }));
      if (stream.start < stream.band[0] + 20) return;
      const name = page.shortened(names[row], NAME, stream.start - stream.band[0] - 10);
      parts.push(draw("text", { x: stream.start - 6, y: y + 4, "text-anchor": "end", "font-size": NAME, class: "muted" }, name));
    });
    parts.push(...stream.pluses.map((each) => plusOf(each, stream.lanes, here)));
    const gap = stream.gaps.find(([from, to]) => page.wide(stream.title, NAME) * 1.1 <= to - from - 16);
    if (gap) parts.push(bold(gap[0] + 8, stream.band[1] + 15, stream.title));
    if (stream.frame && stream.layer) {
      const [x, y, width, height] = stream.frame;
      parts.push(bold(x + width - 8, y + height - 10, stream.layer, { "text-anchor": "end" }));
    }
    return [...parts, ...stream.folded.map((folded) => foldedOf(folded, here))];
  };

  const legible = 0.74; // pixels a unit on a screen that is narrower than the drawing

  return {
    /** Draw everything; the current card comes into view. */
    show(place, diagram, here) {
      const focused = document.activeElement && document.activeElement.getAttribute("data-stage");
      const [width, height] = diagram.size;
      const drawing = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group" });
      drawing.style.minWidth = `${Math.round(width * legible)}px`;
      drawing.style.maxHeight = `${Math.round(height * 1.25)}px`;
      if (diagram.softmax) {
        drawing.append(box(diagram.softmax, { class: "softmax", rx: 12 }));
        const [x, y, w] = diagram.softmax;
        drawing.append(draw("text", { x: x + w / 2, y: y + 13, "text-anchor": "middle", "font-size": NAME, class: "weights bold" }, "softmax"));
      }
      if (diagram.stream) drawing.append(...streamOf(diagram.stream, here));
      drawing.append(...diagram.arrows.map((each) => arrow(each, here)), ...diagram.boxes.map((card) => cardOf(card, here)));
      place.replaceChildren(drawing);
      if (focused) place.querySelector(`[data-stage="${focused}"]`)?.focus({ preventScroll: true });
      const card = diagram.boxes.find((each) => each.stage === here);
      if (!card) return;
      const scale = drawing.getBoundingClientRect().width / width;
      place.scrollLeft = (card.rect[0] + card.rect[2] / 2) * scale - place.clientWidth / 2;
    },
  };
};
