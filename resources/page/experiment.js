"use strict";
/*
 * What a reader does with an experiment: change a number, hold a computed one, choose positions,
 * mask and scale, switch heads; its id and its file. Every function returns a changed copy.
 */
const Experiment = (() => {
  const C = typeof Core === "undefined" ? require("./core.js") : Core;

  const copy = (e) =>
    typeof structuredClone === "function" ? structuredClone(e) : JSON.parse(JSON.stringify(e));
  const changed = (e, change) => {
    const next = copy(e);
    change(next);
    return next;
  };
  const headOf = (name, head) => (C.isHeadwise(name) ? head : null);
  const indexOf = ({ tensor, row, column, head }) =>
    headOf(tensor, head) === null ? [row, column] : [head, row, column];

  /** The entered tensor that a cell is a number of, null where it is computed. */
  const enteredName = (e, name, head = 0) => {
    const plan = C.plan(e),
      stage = plan.find((s) => s.id === name);
    if (stage) return stage.kind === "entered" ? stage.inputs[0] : null;
    return C.place(e, name, head) ? name : null;
  };

  /** Replace an entered number, or pin a computed one; null where there is no such cell. */
  const withValue = (e, cell, value) => {
    const name = enteredName(e, cell.tensor, cell.head || 0);
    if (name) {
      const [holder, key] = C.place(e, name, cell.head || 0),
        rows = holder[key];
      const here = Array.isArray(rows[0]) ? rows[cell.row] : rows;
      if (!here || typeof here[cell.column] !== "number") return null;
      return changed(e, (next) => {
        const [own, field] = C.place(next, name, cell.head || 0),
          matrix = own[field];
        (Array.isArray(matrix[0]) ? matrix[cell.row] : matrix)[cell.column] = value;
      });
    }
    const run = C.run(e);
    if (!run.arrays.has(cell.tensor)) return null;
    const array = C.matrix(run, cell.tensor, cell.head || 0);
    if (!array || !array[cell.row] || array[cell.row][cell.column] === undefined) return null;
    return changed(withoutPin(e, cell), (next) => {
      next.pins = [...(next.pins || []), { stage: cell.tensor, index: indexOf(cell), value }];
    });
  };
  const withoutPin = (e, cell) => {
    const pin = C.pinAt(e, cell.tensor, cell.row, cell.column, cell.head || 0);
    return pin
      ? changed(e, (next) => (next.pins = next.pins.filter((_, i) => e.pins[i] !== pin)))
      : e;
  };

  const canHave = {
    positional: (e) =>
      ({
        embeddings: ["none", "sinusoidal", "learned", "rotary", "alibi"],
        qkv: ["none", "rotary", "alibi"],
      })[e.source] || [],
    mask: (e) => (e.source === "weights" ? [] : ["none", "causal", "window", "custom"]),
    scale: (e) => (e.source === "weights" ? [] : ["sqrt_dk", "none", "factor"]),
  };
  const zeros = (rows, like) => rows.map(() => like.map(() => 0));
  const FIRST_SLOPE = 0.5; // of a single head: the default hardly changes a score

  const withPositional = (e, kind) =>
    changed(e, (next) => {
      const place = (next.positional = { ...next.positional, kind });
      if (kind === "learned" && !place.P) place.P = zeros(e.tokens, e.X[0]);
      if (kind === "learned" && e.context && !e.context.P)
        next.context.P = zeros(e.context.tokens, e.X[0]);
      if (kind === "alibi" && (e.heads || []).length === 1 && !place.slopes)
        place.slopes = [FIRST_SLOPE];
    });
  const withMask = (e, kind) =>
    changed(e, (next) => {
      const keys = C.keyTokens(e),
        before = C.maskOf(e);
      next.mask = { ...before, kind };
      if (kind === "window" && before.left == null && before.right == null)
        Object.assign(next.mask, { left: 1, right: 1 });
      if (kind === "custom" && !before.allow) {
        next.mask.allow = e.tokens.map((_, i) => keys.map((__, j) => C.allowed(e, i, j)));
      }
    });
  const withAllowed = (e, row, column, may) =>
    changed(e, (next) => {
      next.mask.allow[row][column] = may;
    });
  const withScale = (e, kind) =>
    changed(e, (next) => {
      const id = C.plan(e).find((s) => s.name === "scores").id,
        scale = C.scaleOf(e);
      const factor = scale.kind === "none" ? 1 : 1 / Math.sqrt(C.keyWidth(e, id));
      next.scale = kind === "factor" ? { kind, value: scale.value ?? factor } : { kind };
    });
  /** With another mask, scale or positions, all of their settings. */
  const withSetting = (e, parts) => ({ ...e, ...parts });
  const withHead = (e, layer, head, on) =>
    changed(e, (next) => {
      const heads = (layer === null ? next : next.layers[layer - 1]).heads;
      if (on) delete heads[head].enabled;
      else heads[head].enabled = false;
    });

  // The id: SHA-256 over records of what is computed from; docs/format.md gives the bytes

  const OF_HEAD = ["W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "A", "V"];
  const isOn = (part) => Boolean(part) && part.enabled !== false;

  const records = (e) => {
    const found = [],
      position = C.positional(e),
      mask = C.maskOf(e),
      scale = C.scaleOf(e),
      softmax = C.softmaxOf(e);
    const add = (name, value) => value !== null && value !== undefined && found.push([name, value]);
    const given = (owner, names, prefix = "") =>
      names.forEach((name) => add(prefix + name, owner[name]));
    const heads = (list, prefix) =>
      list.forEach((head, i) =>
        OF_HEAD.forEach((name) => add(`${prefix}${name}[${i}]`, head[name])),
      );
    const normTensors = (name, norm) => isOn(norm) && given(norm, ["gamma", "beta"], `${name}.`);
    const norms = (layer) =>
      [
        ["attention_norm", layer.norm && layer.norm.attention],
        ["mlp_norm", isOn(layer.mlp) ? layer.norm && layer.norm.mlp : null],
      ].filter(([, norm]) => isOn(norm));
    add("X", e.X);
    if (e.context) {
      add("X_context", e.context.X);
      if (position.kind === "learned") add("P_context", e.context.P);
    }
    if (C.isStack(e)) {
      normTensors("embedding_norm", e.embedding_norm);
      e.layers.forEach((layer, i) => {
        if (layer.enabled === false) return;
        const prefix = `L${i + 1}.`;
        heads(layer.heads, prefix);
        given(layer, ["W_O", "b_O"], prefix);
        norms(layer).forEach(([name, norm]) => normTensors(prefix + name, norm));
        if (isOn(layer.mlp))
          given(layer.mlp, ["W_1", "b_1", "W_gate", "b_gate", "W_2", "b_2"], prefix);
      });
      normTensors("final_norm", e.final_norm);
      if (e.output) given(e.output, ["W_U", "b_U"]);
    } else {
      heads(e.heads, "");
      given(e, ["W_O", "b_O"]);
    }
    if (position.kind === "learned") add("P", position.P);
    if (position.kind === "alibi") add("slopes", position.slopes);
    if (mask.kind === "custom") add("allow", mask.allow);
    add("positional", position.kind);
    if (["sinusoidal", "rotary"].includes(position.kind))
      add("positional.base", position.base ?? 10000);
    add("mask", mask.kind);
    if (mask.kind === "window") given(mask, ["left", "right"], "mask.");
    add("scale", scale.kind);
    if (scale.kind === "factor") add("scale.value", scale.value);
    add("softmax.base", String(softmax.base));
    add("softmax.shift", String(softmax.shift));
    const headSettings = (list, prefix) =>
      list.forEach((head, i) => {
        if (head.kv_from != null) add(`${prefix}heads[${i}].kv_from`, String(head.kv_from));
        if (head.enabled === false) add(`${prefix}heads[${i}].enabled`, "false");
      });
    const normSettings = (name, norm, kind, eps) => {
      add(name, kind || "layer");
      add(`${name}.eps`, eps ?? 1e-5);
    };
    headSettings(e.heads || [], "");
    if (!C.isStack(e)) return found;
    if (isOn(e.embedding_norm))
      normSettings("embedding_norm", e.embedding_norm, e.embedding_norm.kind, e.embedding_norm.eps);
    e.layers.forEach((layer, i) => {
      const name = `L${i + 1}`;
      if (layer.enabled === false) return add(`${name}.enabled`, "false");
      add(`${name}.residual`, String(layer.residual !== false));
      headSettings(layer.heads, `${name}.`);
      const used = norms(layer);
      if (used.length) add(`${name}.norm.place`, layer.norm.place || "pre");
      used.forEach(([norm, own]) =>
        normSettings(`${name}.${norm}`, own, layer.norm.kind, layer.norm.eps),
      );
      if (isOn(layer.mlp)) add(`${name}.mlp`, layer.mlp.activation || "relu");
      return undefined;
    });
    if (isOn(e.final_norm))
      normSettings("final_norm", e.final_norm, e.final_norm.kind, e.final_norm.eps);
    return found;
  };

  const bytesOf = ([name, value]) => {
    const ascii = (text) => [...text].map((letter) => letter.charCodeAt(0));
    if (typeof value === "string") return ascii(`${name} ${value}\n`);
    const rows = Array.isArray(value) ? value : [value],
      flat = rows.flat();
    const shape = Array.isArray(rows[0]) ? `${rows.length}x${rows[0].length}` : String(rows.length);
    const numbers = new DataView(new ArrayBuffer(8 * flat.length));
    flat.forEach((x, i) => numbers.setFloat64(8 * i, Number(x) + 0, true));
    return [...ascii(`${name} ${shape}\n`), ...new Uint8Array(numbers.buffer)];
  };
  const id = (e) => sha256(records(e).flatMap(bytesOf));

  /** The fractional parts of the square or cube roots of the first primes, 32 bits of each. */
  const rootBits = (count, degree) => {
    const found = [];
    for (let n = 2; found.length < count; n++) {
      let isPrime = true;
      for (let t = 2; t * t <= n; t++) if (n % t === 0) isPrime = false;
      if (!isPrime) continue;
      let low = 0n,
        high = 1n << 40n; // the whole root of n · 2^(32 degree), by bisection
      const wanted = BigInt(n) << BigInt(32 * degree);
      while (high - low > 1n) {
        const middle = (low + high) >> 1n;
        if (middle ** BigInt(degree) <= wanted) low = middle;
        else high = middle;
      }
      found.push(Number(low & 0xffffffffn));
    }
    return found;
  };
  let constants = null; // computed once

  /** SHA-256 (FIPS 180-4) of some bytes, in hexadecimal digits. */
  const sha256 = (bytes) => {
    constants = constants || [rootBits(64, 3), rootBits(8, 2)];
    const [K, start] = constants,
      state = start.slice();
    const length = Math.ceil((bytes.length + 9) / 64) * 64,
      padded = new Uint8Array(length);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(length - 4, (bytes.length * 8) >>> 0);
    const turn = (x, by) => (x >>> by) | (x << (32 - by));
    const W = new Uint32Array(64);
    for (let from = 0; from < length; from += 64) {
      for (let t = 0; t < 16; t++) W[t] = view.getUint32(from + 4 * t);
      for (let t = 16; t < 64; t++) {
        const s0 = turn(W[t - 15], 7) ^ turn(W[t - 15], 18) ^ (W[t - 15] >>> 3);
        const s1 = turn(W[t - 2], 17) ^ turn(W[t - 2], 19) ^ (W[t - 2] >>> 10);
        W[t] = W[t - 16] + s0 + W[t - 7] + s1;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let t = 0; t < 64; t++) {
        const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25),
          choice = (e & f) ^ (~e & g);
        const one = (h + s1 + choice + K[t] + W[t]) | 0;
        const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22),
          majority = (a & b) ^ (a & c) ^ (b & c);
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + s0 + majority) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] = (state[i] + x) | 0));
    }
    return state.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
  };

  // Files

  /** The file of an experiment, a matrix row a line. */
  const fileText = (e) => {
    const isFlat = (x) =>
      Array.isArray(x) && x.every((each) => typeof each !== "object" || each === null);
    const write = (x, indent) => {
      if (typeof x !== "object" || x === null || isFlat(x)) return JSON.stringify(x);
      const inner = `${indent}  `;
      const parts = Array.isArray(x)
        ? x.map((each) => inner + write(each, inner))
        : Object.entries(x).map(
            ([key, each]) => `${inner}${JSON.stringify(key)}: ${write(each, inner)}`,
          );
      const [open, close] = Array.isArray(x) ? "[]" : "{}";
      return parts.length ? `${open}\n${parts.join(",\n")}\n${indent}${close}` : open + close;
    };
    const { id: _, ...file } = e; // which only pages have
    return `${write(file, "")}\n`;
  };

  /** The text of an answer file: what was typed, by stage as nested lists; null is a blank. */
  const answersText = (experiment, values, name = "") =>
    JSON.stringify({
      format: "self-attention-answers",
      version: 1,
      experiment,
      name,
      values,
    });

  return {
    withValue,
    withoutPin,
    withPositional,
    withMask,
    withAllowed,
    withScale,
    withSetting,
    withHead,
    canHave,
    enteredName,
    id,
    sha256,
    fileText,
    answersText,
  };
})();
if (typeof module !== "undefined") module.exports = Experiment;
