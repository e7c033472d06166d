"use strict";
/* The stage: the matrices that go into it and come out of it, as an operation. */
const StageView = (() => {
  const C = Core;
  const PRODUCTS = ["project", "dot_product", "mix"];
  const SIGNS = {
    add: "+",
    rotate: "↻",
    scale: "·",
    alibi: "+ B",
    mask: "+ M",
    exponential: "→",
    normalise: "÷ Σ",
    layer_norm: "→",
    rms_norm: "→",
    activation: "→",
    vocabulary_softmax: "→",
    copy: "=",
    only_head: "=",
    concatenate: "→",
    sum_heads: "Σ",
  };

  /** The operands of the stage of a cursor: {product: bool, items: [operand or sign]}. */
  const operation = (page) => {
    const { run, cursor } = page.state,
      stage = C.stageOf(run, cursor.stage);
    const head = C.isHeadwise(stage.id) ? cursor.head : 0;
    const result = operandOf(page, stage.id, head, { place: "result" });
    if (stage.kind === "entered" || stage.kind === "sinusoid")
      return { product: false, items: [result] };
    if (PRODUCTS.includes(stage.kind)) return productOf(page, stage, head, result);
    if (stage.kind === "concatenate" || stage.kind === "sum_heads")
      return joined(page, stage, result);
    const sources = stage.reads.map((id) => operandOf(page, id, head));
    if (stage.kind === "layer_norm" || stage.kind === "rms_norm")
      return { product: false, items: normed(page, stage, sources[0], result) };
    const items = [sources[0]];
    const sign = stage.kind === "scale" ? scaleSign(run, stage) : SIGNS[stage.kind] || "→";
    if (stage.kind === "exponential" && stage.lead)
      items.push("−", leadOperand(page, stage, head), "→", result);
    else if (stage.kind === "normalise")
      items.push("÷", leadOperand(page, stage, head), "=", result);
    else if (sources.length > 1)
      items.push(stage.kind === "add" ? "+" : "⊙", sources[1], "=", result);
    else items.push(sign, result);
    return { product: false, items };
  };
  const scaleSign = (run, stage) => {
    const scale = C.scaleOf(run.experiment);
    return scale.kind === "factor"
      ? `× ${scale.value}`
      : `÷ √${C.keyWidth(run.experiment, stage.id)}`;
  };

  const labels = (run, axis) => {
    const e = run.experiment,
      tokens = { n: e.tokens, m: C.keyTokens(e), u: e.output && e.output.vocabulary }[axis];
    return tokens ? tokens.map((_, i) => Sums.shortToken(tokens, i)) : null;
  };
  const cellsOf = (id, head) => (row, column) => ({ tensor: id, row, column, head });

  /** A stage as an operand. */
  const operandOf = (page, id, head, more = {}) => {
    const { run } = page.state,
      spec = page.texts.spec(id),
      axes = spec.axes;
    const own = C.isHeadwise(id) ? Math.min(head, run.arrays.get(id).length - 1) : 0,
      values = C.matrix(run, id, own);
    const all = C.isHeadwise(id) ? run.arrays.get(id) : [values];
    const [rows, cells] = page.reached(id);
    const several = C.isHeadwise(id) && all.length > 1;
    return {
      id,
      values,
      role: spec.role || "plain",
      title: page.texts.symbol(run, id) + (several ? ` ${own + 1}` : ""),
      label: page.texts.name(run, id),
      rows: labels(run, axes[axes.length - 2]),
      columns: labels(run, axes[axes.length - 1]),
      at: cellsOf(id, own),
      covered: (i, j) => i > rows || (i === rows && j >= cells),
      levels: Matrices.levels(all, spec.sequential),
      rowAxis: axes[axes.length - 2],
      columnAxis: axes[axes.length - 1],
      ...more,
    };
  };

  /** An entered tensor as an operand; a bias is one row. */
  const inputOf = (page, name, head, more = {}) => {
    const { run } = page.state,
      found = C.tensor(run.experiment, name, head);
    if (!found) return null;
    const values = Array.isArray(found[0]) ? found : [found];
    return {
      id: name,
      values,
      role: page.texts.role(name),
      title: page.texts.symbol(run, name),
      label: page.texts.name(run, name),
      rows: null,
      columns: name === "W_U" ? labels(run, "u") : null,
      at: cellsOf(name, head),
      covered: () => false,
      levels: Matrices.levels([values], false),
      ...more,
    };
  };
  const productOf = (page, stage, head, result) => {
    const [first, second] = stage.reads,
      place = page.data.columns ? ["top", "left"] : ["left", "top"];
    const left = operandOf(page, first, head, { place: place[0] });
    let top;
    if (stage.kind === "project") top = inputOf(page, stage.inputs[0], head, { place: place[1] });
    else top = operandOf(page, second, head, { place: place[1] });
    if (stage.kind === "dot_product") {
      const title = page.data.columns ? top.title : `${top.title}ᵀ`;
      top = { ...Matrices.turned(top), title, place: place[1] };
    }
    const bias = stage.inputs[1] ? inputOf(page, stage.inputs[1], head, { place: "bias" }) : null;
    return {
      product: true,
      items: page.data.columns
        ? [top, left, bias, result].filter(Boolean)
        : [left, top, bias, result].filter(Boolean),
    };
  };
  const joined = (page, stage, result) => {
    const heads = C.headsOf(page.state.run.experiment, stage.id),
      items = [];
    if (heads.length <= 4)
      heads.forEach((_, head) =>
        items.push(
          ...(head ? [stage.kind === "sum_heads" ? "+" : "|"] : []),
          operandOf(page, stage.reads[0], head),
        ),
      );
    else items.push(operandOf(page, stage.reads[0], page.state.cursor.head));
    const bias = stage.inputs.length ? inputOf(page, stage.inputs[0], 0) : null;
    if (bias) items.push("+", bias);
    return { product: false, items: [...items, "=", result] };
  };
  /** The source of a norm, then "× gamma" and "+ beta" where it has them, then the result. */
  const normed = (page, stage, source, result) => {
    const items = [source];
    for (const name of stage.inputs)
      items.push(
        name.endsWith(".gamma") ? "→ ×" : items.length > 1 ? "+" : "→ +",
        inputOf(page, name, 0),
      );
    return [...items, items.length > 1 ? "=" : "→", result];
  };
  const leadOperand = (page, stage, head) => {
    const { run, cursor } = page.state,
      source = C.matrix(run, stage.reads[0], head);
    const values = source.map((_, i) => [C.deriveLead(run, stage.id, i, head).value]);
    const [rows] = page.reached(stage.id),
      here = cursor.stage === stage.id && cursor.reach !== "whole";
    const known = here && page.state.grain !== "stage" ? Math.max(rows, cursor.row + 1) : rows;
    return {
      id: "",
      values,
      role: "plain",
      title: page.texts.say(stage.lead === "max" ? "max" : "sum_of_row"),
      rows: null,
      columns: ["\u00a0"],
      at: () => null,
      covered: (i) => i >= known,
      levels: Matrices.levels([source], true),
    };
  };

  /** Each sign with the matrix after it, so that they stay on one line. */
  const grouped = (parts) => {
    const groups = [];
    parts.forEach((part, i) => {
      if (i && parts[i - 1].classList.contains("sign")) groups[groups.length - 1].append(part);
      else groups.push(Dom.make("div", { class: "group" }, part));
    });
    return groups;
  };

  /** Scroll sideways only as far as the focused result needs; a new stage begins at the left. */
  const bringIntoView = (element, stage) => {
    if (element.dataset.shown !== stage) element.scrollLeft = 0;
    element.dataset.shown = stage;
    const focus = element.querySelector(".result td.focus");
    if (!focus) return;
    const box = focus.getBoundingClientRect(),
      room = element.getBoundingClientRect(),
      LABELS = 72;
    if (box.right > room.right - 8) element.scrollLeft += box.right + 8 - room.right;
    else if (box.left < room.left + LABELS) element.scrollLeft -= room.left + LABELS - box.left;
  };

  /** Fill the element of the stage. */
  const show = (page, element) => {
    const { product, items } = operation(page),
      view = page.view();
    const turn = (item) =>
      typeof item === "string" || !page.data.columns
        ? item
        : { ...Matrices.turned(item), place: item.place };
    const parts = items.map(turn).map((item) => {
      if (typeof item !== "string") return Matrices.figure(item, view);
      const sign = Dom.make("span", { class: "sign" });
      Texts.typeset(sign, item);
      return sign;
    });
    if (product) {
      const result = parts.findIndex((part) => part.classList.contains("result"));
      parts.splice(result, 0, Dom.make("span", { class: "sign equals" }, "="));
      const second = parts[1];
      parts.splice(1, 0, Dom.make("span", { class: "sign dot" }, "·"));
      const bias = parts.find((part) => part.classList.contains("bias"));
      if (bias) parts.splice(parts.indexOf(bias), 0, Dom.make("span", { class: "sign plus" }, "+"));
      element.classList.toggle("has-bias", Boolean(bias));
      second.classList.add("second");
    }
    const sizes = items
      .filter((item) => typeof item !== "string")
      .map(({ values }) => [values.length, values[0].length]);
    element.classList.toggle("product", product);
    element.classList.toggle(
      "large",
      product && sizes.some(([rows, columns]) => rows > 8 || columns > 10),
    );
    Dom.fill(element, ...(product ? parts : grouped(parts)));
    bringIntoView(element, page.state.cursor.stage);
  };

  return { show, operandOf, labels };
})();
