"use strict";
/* What is written: texts of the tables in the language of the page, names and symbols of stages. */
const Texts = (() => {
  const C = Core,
    N = Numbers;

  /** The texts of a page with its tables, in the language that `language()` gives. */
  const create = (tables, language, columns, names = {}) => {
    const told = (text) => (Array.isArray(text) ? (text[language()] ?? text[0]) : text || "");
    const filled = (text, values = {}) =>
      told(text).replace(/\{(\w+)\}/g, (whole, key) =>
        key in values ? String(values[key]) : whole,
      );
    const say = (name, values) => filled(tables.words[name], values);

    const spec = (id) => tables.stages[C.splitLayer(id)[1]];
    const role = (id) => tables.roles[C.splitLayer(id)[1]] || "plain";
    const inLayer = (run, id, text) => {
      const layer = C.splitLayer(id)[0];
      return layer === null || run.experiment.layers.length < 2
        ? text
        : say("in_layer", { number: layer, name: text });
    };

    const normKind = (run, id) => C.normOf(run.experiment, id).kind || "layer";
    const SYMBOLS = {
      scale: (run) => (C.scaleOf(run.experiment).kind === "factor" ? "×c" : null),
      exponential: (run) =>
        C.softmaxOf(run.experiment).base === "e" ? null : `${C.softmaxOf(run.experiment).base}ˣ`,
      rms_norm: (run, stage) => spec(stage.id).symbol.replace("LN", "RMS"),
      activation: (run, stage) => {
        const name = tables.activations[C.owner(run.experiment, stage.id).mlp.activation || "relu"];
        return stage.reads.length > 1 ? `${name}(G) ⊙ H` : `${name}(H)`;
      },
    };
    /** The symbol of a stage or an entered tensor on cards and headings. */
    const symbol = (run, id) => {
      const stage = C.stageOf(run, id);
      const own = stage && SYMBOLS[stage.kind] && SYMBOLS[stage.kind](run, stage);
      if (own) return own;
      if (spec(id)) return columns ? spec(id).column_short : spec(id).short;
      const base = C.splitLayer(id)[1];
      return base.replace(/.*\.gamma$/, "γ").replace(/.*\.beta$/, "β");
    };
    /** The name of a stage or tensor, without and with its layer. */
    const plainName = (id) => {
      const base = C.splitLayer(id)[1];
      return told(tables.texts[base] ? tables.texts[base].name : tables.inputs[base] || base);
    };
    const name = (run, id) => inLayer(run, id, plainName(id));

    const uneven = (run) => {
      const found = [];
      run.experiment.heads.forEach((head, h) =>
        head.A.forEach((row, i) => {
          const sum = row.reduce((a, b) => a + b, 0);
          if (Math.abs(sum - 1) > 1e-5) found.push([h, i, sum]);
        }),
      );
      return found;
    };
    const VARIANTS = {
      entered: (run, stage) =>
        stage.name !== "weights" ? "entered" : uneven(run).length ? "uneven" : "given",
      project: (run, stage) =>
        !C.isHeadwise(stage.id)
          ? "projected"
          : spec(stage.reads[0]) && spec(stage.reads[0]).context
            ? "context"
            : "",
      scale: (run) => C.scaleOf(run.experiment).kind,
      mask: (run) => {
        const kind = C.maskOf(run.experiment).kind;
        return kind === "causal" && run.experiment.context ? "causal:context" : kind;
      },
      exponential: (run) => (C.softmaxOf(run.experiment).shift ? "" : "plain"),
      normalise: (run, stage) =>
        (run.experiment.pins || []).some((pin) => pin.stage === stage.id) ? "pinned" : "",
      rotate: (run, stage) => (C.matrix(run, stage.id)[0].length % 2 ? "odd" : ""),
      layer_norm: (run, stage) => {
        const post =
          stage.layer !== null && C.owner(run.experiment, stage.id).norm.place === "post";
        return [normKind(run, stage.id) === "rms" ? "rms" : "", post ? "post" : ""]
          .filter(Boolean)
          .join(" ");
      },
      activation: (run, stage) =>
        stage.reads.length > 1
          ? "gate"
          : C.owner(run.experiment, stage.id).mlp.activation || "relu",
      vocabulary_softmax: (run) => (C.temperature(run.experiment) === 1 ? "" : "temperature"),
    };
    VARIANTS.rms_norm = VARIANTS.layer_norm;
    const values = (run, stage) => {
      const softmax = C.softmaxOf(run.experiment),
        found = { symbol: symbol(run, stage.id) };
      found.factor = N.show(C.scaleOf(run.experiment).value ?? 1, 2);
      found.base = softmax.base;
      found.power = softmax.shift ? `${softmax.base}ˢ⁻ᵐᵃˣ` : `${softmax.base}ˢ`;
      found.temperature = String(C.temperature(run.experiment));
      if (run.experiment.source === "weights") {
        const rows = uneven(run),
          [head, row, sum] = rows[0] || [0, 0, 1];
        Object.assign(found, {
          count: rows.length,
          row: row + 1,
          head: head + 1,
          sum: String(Number(sum.toPrecision(6))),
        });
      }
      return found;
    };
    /** "title", "sentence" or "next" of a stage, as this experiment uses it. */
    const stageText = (field, run, stage) => {
      const variant = VARIANTS[stage.kind] ? VARIANTS[stage.kind](run, stage) : "";
      const from = columns ? [tables.column_texts, tables.texts] : [tables.texts];
      for (const key of [`${field}:${variant}`, field]) {
        for (const table of from) {
          const text = (table[stage.name] || {})[key];
          if (text) return filled(text, values(run, stage));
        }
      }
      return "";
    };
    const headName = (run, id, head) => {
      const own = C.headsOf(run.experiment, id)[head];
      return own.name
        ? say("head_named", { number: head + 1, name: told(names[own.name] || own.name) })
        : say("head", { number: head + 1 });
    };
    return { told, say, spec, role, symbol, name, plainName, stageText, headName, filled };
  };

  // A text with lowered indices (W_Q) and raised powers (e^x) as nodes

  // Without lookbehind, which phones of 2022 do not know.
  const NAME = /(^|[^A-Za-z0-9_])([A-Za-z])_(model|perm|ff|[A-Za-z0-9])(?![A-Za-z0-9_])/g;
  const POWER = /([\w)])\^(?:\(([^()]+)\)|([−-]?(?:\d+(?:\.\d+)?|[A-Za-z]+)))/g;
  const typeset = (element, text) => {
    const html = text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    element.innerHTML = html
      .replace(POWER, (_, base, a, b) => `${base}<sup>${a || b}</sup>`)
      .replace(NAME, "$1$2<sub>$3</sub>");
    return element;
  };

  return { create, typeset };
})();
