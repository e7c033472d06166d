"use strict";
/*
 * The computation of one experiment (the object of an .attn.json file, version 1 or 2): its plan,
 * the arrays of all stages, and how each cell comes about. No DOM; in node a module.
 *
 * A stage's array is a matrix, with heads one a head. Masked scores are −∞.
 */
const Core = (() => {
  const M = typeof Arithmetic === "undefined" ? require("./arithmetic.js") : Arithmetic;

  // The experiment

  const splitLayer = (name) => {
    const found = /^L([1-9]\d{0,3})\.(.+)$/.exec(name);
    return found ? [Number(found[1]), found[2]] : [null, name];
  };
  const layerId = (layer, name) => (layer === null ? name : `L${layer}.${name}`);
  const isStack = (e) => "layers" in e;
  const kindOf = (part, otherwise = "none") => (part ? part.kind : otherwise);
  const positional = (e) => e.positional || { kind: "none" };
  const maskOf = (e) => e.mask || { kind: "none" };
  const scaleOf = (e) => e.scale || { kind: "sqrt_dk" };
  const softmaxOf = (e) => ({ base: "e", shift: true, ...e.softmax });
  const isOn = (part) => Boolean(part) && part.enabled !== false;
  const keyTokens = (e) => (e.context ? e.context.tokens : e.tokens);

  /** What has the heads of an id: the experiment or a layer. */
  const owner = (e, name) => {
    const layer = splitLayer(name)[0];
    return layer === null ? e : e.layers[layer - 1];
  };
  const headsOf = (e, name) => owner(e, name).heads || [];
  /** How many heads there are at an id; outside the layers of a stack the most of any layer. */
  const headCount = (e, id) => {
    const outside = isStack(e) && splitLayer(id)[0] === null;
    return outside
      ? Math.max(...e.layers.map((layer) => layer.heads.length))
      : headsOf(e, id).length;
  };
  const lender = (head, heads) =>
    head.kv_from === undefined || head.kv_from === null ? head : heads[head.kv_from];
  const OF_HEAD = ["W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "A", "V"];
  const BORROWED = ["W_K", "W_V", "b_K", "b_V"];
  const NORMS = { attention_norm: "attention", mlp_norm: "mlp" };

  /** The object and the key that hold an entered tensor; null where the experiment has none. */
  const place = (e, name, head = 0) => {
    const [layer, plain] = splitLayer(name);
    const base = plain === "weights" ? "A" : plain;
    const own = owner(e, name);
    if (!own) return null;
    let found = null;
    if (OF_HEAD.includes(base)) {
      const heads = own.heads || [];
      const asked = heads[head];
      found = asked && [BORROWED.includes(base) ? lender(asked, heads) : asked, base];
    } else if (base === "P") found = [e.positional, "P"];
    else if (base === "X_context" || base === "P_context") found = [e.context, base[0]];
    else if (base.includes(".")) {
      const [norm, field] = base.split(".");
      found = [layer === null ? e[norm] : own.norm && own.norm[NORMS[norm]], field];
    } else if (/^[Wb]_(1|2|gate)$/.test(base)) found = [own.mlp, base];
    else if (/^[Wb]_U$/.test(base)) found = [e.output, base];
    else found = [own, base];
    return found && found[0] && found[0][found[1]] ? found : null;
  };
  const tensor = (e, name, head = 0) => {
    const found = place(e, name, head);
    return found ? found[0][found[1]] : null;
  };

  /** The entered tensors that the experiment uses, in file order, as [name, head or null]. */
  const entered = (e) => {
    const found = [];
    const add = (name, head = null) => tensor(e, name, head || 0) && found.push([name, head]);
    const heads = (prefix, list) =>
      OF_HEAD.forEach((name) =>
        list.forEach((head, index) => {
          if (head[name]) add(prefix + (name === "A" ? "weights" : name), index);
        }),
      );
    const norm = (name) => ["gamma", "beta"].forEach((field) => add(`${name}.${field}`));
    add("X");
    if (kindOf(e.positional) === "learned") add("P");
    add("X_context");
    if (kindOf(e.positional) === "learned") add("P_context");
    if (!isStack(e)) {
      heads("", e.heads);
      return (add("W_O"), add("b_O"), found);
    }
    if (isOn(e.embedding_norm)) norm("embedding_norm");
    e.layers.forEach((layer, index) => {
      if (layer.enabled === false) return;
      const prefix = `L${index + 1}.`,
        norms = layer.norm || {};
      if (isOn(norms.attention)) norm(`${prefix}attention_norm`);
      heads(prefix, layer.heads);
      (add(`${prefix}W_O`), add(`${prefix}b_O`));
      if (!isOn(layer.mlp)) return;
      if (isOn(norms.mlp)) norm(`${prefix}mlp_norm`);
      ["W_1", "b_1", "W_gate", "b_gate", "W_2", "b_2"].forEach((name) => add(prefix + name));
    });
    if (isOn(e.final_norm)) norm("final_norm");
    (add("W_U"), add("b_U"));
    return found;
  };

  /** d_k of the heads that an id belongs to. */
  const keyWidth = (e, id) => {
    const heads = headsOf(e, id),
      head = lender(heads[0], heads);
    return head.Q ? head.Q[0].length : head.W_Q[0].length;
  };
  const valueWidth = (e, id) => {
    const heads = headsOf(e, id),
      head = lender(heads[0], heads);
    const matrix = head.V || head.W_V;
    return matrix ? matrix[0].length : 0;
  };
  const scaleFactor = (e, id) => {
    const scale = scaleOf(e);
    if (scale.kind === "sqrt_dk") return 1 / Math.sqrt(keyWidth(e, id));
    return scale.kind === "factor" ? scale.value : 1;
  };
  const slopes = (e, id) => {
    const heads = headsOf(e, id),
      given = positional(e).slopes;
    return heads.map((_, i) => (given ? given[i] : 2 ** ((-8 * (i + 1)) / heads.length)));
  };
  const MASKS = {
    none: () => true,
    causal: (mask, i, j) => j <= i,
    window: (mask, i, j) =>
      (mask.left == null || j >= i - mask.left) && (mask.right == null || j <= i + mask.right),
    custom: (mask, i, j) => mask.allow[i][j],
  };
  const allowed = (e, i, j) => Boolean(MASKS[maskOf(e).kind](maskOf(e), i, j));
  const normOf = (e, id) => {
    const [layer, base] = splitLayer(id);
    if (layer === null) return e[base];
    const norms = owner(e, id).norm;
    return { kind: norms.kind, eps: norms.eps, ...norms[NORMS[base]] };
  };
  const temperature = (e) => (e.sampling && e.sampling.temperature) || 1;

  // The plan

  /** A stage: what it reads, the entered tensors that it uses, its kind, the sub-step of its rows. */
  const stage = (id, kind, reads = [], inputs = [], lead = "") => ({
    id,
    name: splitLayer(id)[1],
    layer: splitLayer(id)[0],
    kind,
    reads,
    inputs,
    lead,
  });

  const vectorStages = (e, suffix) => {
    const [x, p, sum] = [`X${suffix}`, `P${suffix}`, `input${suffix}`];
    const stages = [stage(x, "entered", [], [x])],
      kind = kindOf(e.positional);
    const given = kind === "learned" && tensor(e, p);
    if (given) stages.push(stage(p, "entered", [], [p]));
    if (kind === "sinusoidal") stages.push(stage(p, "sinusoid"));
    if (stages.length > 1) stages.push(stage(sum, "add", [x, p]));
    return stages;
  };

  /** Q to Y of the experiment or of a layer; queries and keys are the stages they come from. */
  const attentionStages = (e, layer, queries, keys) => {
    const own = layer === null ? e : e.layers[layer - 1],
      heads = own.heads;
    const id = (name) => layerId(layer, name),
      stages = [];
    const push = (name, kind, reads, inputs, lead) =>
      stages.push(stage(id(name), kind, reads.map(id), (inputs || []).map(id), lead));
    const last = () => stages[stages.length - 1].name;
    const rotary = kindOf(e.positional) === "rotary";
    if (e.source === "weights") {
      if (heads[0].V) push("V", "entered", [], ["V"]);
      push("weights", "entered", [], ["weights"]);
    } else {
      for (const [name, source] of [
        ["Q", queries],
        ["K", keys],
        ["V", keys],
      ]) {
        if (e.source === "qkv") {
          push(name, "entered", [], [name]);
          continue;
        }
        const bias = heads.some((head) => head[`b_${name}`]) ? [`b_${name}`] : [];
        stages.push(stage(id(name), "project", [source], [`W_${name}`, ...bias].map(id)));
      }
      if (rotary) ["Q", "K"].forEach((name) => push(`${name}_rot`, "rotate", [name]));
      push("scores", "dot_product", rotary ? ["Q_rot", "K_rot"] : ["Q", "K"]);
      if (scaleOf(e).kind !== "none") push("scaled", "scale", [last()]);
      if (kindOf(e.positional) === "alibi") push("biased", "alibi", [last()]);
      if (maskOf(e).kind !== "none") push("masked", "mask", [last()]);
      push("exp", "exponential", [last()], [], softmaxOf(e).shift ? "max" : "");
      push("weights", "normalise", ["exp"], [], "sum");
    }
    if (e.source === "weights" && !heads[0].V) return stages;
    push("heads", "mix", ["weights", "V"]);
    if (e.sum_heads) {
      push("Y", "sum_heads", ["heads"], own.b_O ? ["b_O"] : []);
      return stages;
    }
    if (heads.length > 1 || own.W_O) push("concat", "concatenate", ["heads"]);
    const output = own.W_O ? (own.b_O ? ["W_O", "b_O"] : ["W_O"]) : [];
    const kind = output.length ? "project" : last() === "concat" ? "copy" : "only_head";
    push("Y", kind, [last()], output);
    return stages;
  };

  const normStage = (e, id, source) => {
    const inputs = ["gamma", "beta"]
      .map((field) => `${id}.${field}`)
      .filter((name) => tensor(e, name));
    return stage(id, normOf(e, id).kind === "rms" ? "rms_norm" : "layer_norm", [source], inputs);
  };

  const layerStages = (e, number, incoming) => {
    const layer = e.layers[number - 1],
      norms = layer.norm || {};
    const post = norms.place === "post",
      residual = layer.residual !== false;
    const id = (name) => `L${number}.${name}`,
      stages = [];
    let last = incoming;
    const push = (each) => (stages.push(each), (last = each.id));
    const norm = (name) => isOn(norms[NORMS[name]]) && push(normStage(e, id(name), last));
    const named = (...names) => names.filter((name) => layer.mlp[name]).map(id);
    if (!post) norm("attention_norm");
    attentionStages(e, number, last, last).forEach(push);
    if (residual) push(stage(id("attention_residual"), "add", [incoming, last]));
    if (post) norm("attention_norm");
    if (!isOn(layer.mlp)) return stages;
    const before = last;
    if (!post) norm("mlp_norm");
    const source = last;
    push(stage(id("mlp_hidden"), "project", [source], named("W_1", "b_1")));
    if (layer.mlp.W_gate)
      push(stage(id("mlp_gate"), "project", [source], named("W_gate", "b_gate")));
    const reads = layer.mlp.W_gate ? ["mlp_gate", "mlp_hidden"] : ["mlp_hidden"];
    push(stage(id("mlp_active"), "activation", reads.map(id)));
    push(stage(id("mlp_out"), "project", [last], named("W_2", "b_2")));
    if (residual) push(stage(id("mlp_residual"), "add", [before, last]));
    if (post) norm("mlp_norm");
    return stages;
  };

  /** The stages of an experiment in order. */
  const plan = (e) => {
    if (e.source !== "embeddings") return attentionStages(e, null);
    const stages = vectorStages(e, "");
    const last = () => stages[stages.length - 1].id;
    if (!isStack(e)) {
      const queries = last();
      if (e.context) stages.push(...vectorStages(e, "_context"));
      return [...stages, ...attentionStages(e, null, queries, last())];
    }
    if (isOn(e.embedding_norm)) stages.push(normStage(e, "embedding_norm", last()));
    e.layers.forEach((layer, index) => {
      if (layer.enabled !== false) stages.push(...layerStages(e, index + 1, last()));
    });
    if (isOn(e.final_norm)) stages.push(normStage(e, "final_norm", last()));
    if (e.output) {
      stages.push(stage("logits", "project", [last()], e.output.b_U ? ["W_U", "b_U"] : ["W_U"]));
      stages.push(stage("probabilities", "vocabulary_softmax", ["logits"]));
    }
    return stages;
  };

  const HEADWISE = [
    "Q",
    "K",
    "V",
    "Q_rot",
    "K_rot",
    "scores",
    "scaled",
    "biased",
    "masked",
    "exp",
    "weights",
    "heads",
  ];
  const isHeadwise = (id) => HEADWISE.includes(splitLayer(id)[1]);

  // The arrays

  const addRow = (A, bias) => (bias ? M.map(A, (x, i, j) => M.saturate(x + bias[j])) : A);
  const headRange = (e, s) => headsOf(e, s.id).map((_, head) => head);
  const eachHead =
    (f) =>
    (e, s, [A]) =>
      A.map((matrix, head) => f(e, s, matrix, head));
  const byRow = (f) => eachHead((e, s, A, head) => A.map((row) => f(e, row, head)));

  /** By kind: (experiment, stage, the arrays that it reads) → its array. */
  const COMPUTE = {
    entered: (e, s) => {
      const copy = (head) => tensor(e, s.inputs[0], head).map((row) => row.slice());
      return isHeadwise(s.id) ? headRange(e, s).map(copy) : copy(0);
    },
    sinusoid: (e, s) =>
      M.sinusoidal(
        (s.id === "P" ? e.tokens : e.context.tokens).length,
        e.X[0].length,
        positional(e).base ?? 10000,
      ),
    add: (e, s, [A, B]) => M.map(A, (x, i, j) => M.saturate(x + B[i][j])),
    project: (e, s, [A]) => {
      const affine = (head) =>
        addRow(
          M.product(A, tensor(e, s.inputs[0], head)),
          s.inputs[1] && tensor(e, s.inputs[1], head),
        );
      return isHeadwise(s.id) ? headRange(e, s).map(affine) : affine(0);
    },
    rotate: eachHead((e, s, A) => M.rotate(A, positional(e).base ?? 10000)),
    dot_product: (e, s, [Q, K]) =>
      Q.map((A, head) => A.map((q) => K[head].map((k) => M.dot(q, k)))),
    scale: eachHead((e, s, A) => {
      const factor = scaleFactor(e, s.id);
      return M.map(A, (x) => M.saturate(x * factor));
    }),
    alibi: eachHead((e, s, A, head) => {
      const slope = slopes(e, s.id)[head];
      return M.map(A, (x, i, j) => M.saturate(x + M.saturate(0 - slope * Math.abs(i - j))));
    }),
    mask: eachHead((e, s, A) => M.map(A, (x, i, j) => (allowed(e, i, j) ? x : -Infinity))),
    exponential: byRow((e, row) => M.exponentials(row, softmaxOf(e).base, softmaxOf(e).shift)),
    normalise: byRow((e, row) => M.normalise(row)),
    mix: (e, s, [A, V]) => A.map((weights, head) => M.orderFreeProduct(weights, V[head])),
    concatenate: (e, s, [A]) => {
      const on = headsOf(e, s.id).map((head) => head.enabled !== false);
      return A[0].map((_, i) =>
        A.flatMap((matrix, head) => matrix[i].map((x) => (on[head] ? x : 0))),
      );
    },
    copy: (e, s, [A]) => A.map((row) => row.slice()),
    sum_heads: (e, s, [A]) => {
      const on = A.filter((_, head) => headsOf(e, s.id)[head].enabled !== false);
      const sum = M.map(A[0], (_, i, j) =>
        on.reduce((total, matrix) => M.saturate(total + matrix[i][j]), 0),
      );
      return addRow(sum, s.inputs[0] && tensor(e, s.inputs[0]));
    },
    layer_norm: (e, s, [A]) => A.map((row) => normalisedRow(e, s, row).scaled),
    activation: (e, s, [A, B]) => {
      const f = M.ACTIVATIONS[owner(e, s.id).mlp.activation || "relu"];
      return M.map(A, (x, i, j) => (B ? M.saturate(f(x) * B[i][j]) : f(x)));
    },
    vocabulary_softmax: (e, s, [A]) =>
      A.map((row) => M.normalise(M.exponentials(scaledLogits(e, row)))),
  };
  COMPUTE.only_head = COMPUTE.concatenate;
  COMPUTE.rms_norm = COMPUTE.layer_norm;

  const scaledLogits = (e, row) => row.map((z) => M.saturate(z / temperature(e)));
  const normalisedRow = (e, s, row) => {
    const norm = normOf(e, s.id);
    return M.normRow(row, norm.gamma, norm.beta, norm.kind || "layer", norm.eps ?? 1e-5);
  };

  /** The stage's array without its pins. */
  const computeStage = (run, s) =>
    COMPUTE[s.kind](
      run.experiment,
      s,
      s.reads.map((id) => run.arrays.get(id)),
    );

  /** A run: the experiment, its plan, and the arrays of all stages by id, pins applied. */
  const run = (e) => {
    const made = { experiment: e, plan: plan(e), arrays: new Map() };
    for (const s of made.plan) {
      const array = computeStage(made, s);
      for (const pin of (e.pins || []).filter((each) => each.stage === s.id)) {
        const [row, column] = pin.index.slice(-2);
        (isHeadwise(s.id) ? array[pin.index[0]] : array)[row][column] = pin.value;
      }
      made.arrays.set(s.id, array);
    }
    return made;
  };

  /** Whether every stage of a run is a matrix, or one a head, of numbers: what a file brought fits together. */
  const isSound = (made) => {
    const sound = (A) =>
      A.length > 0 &&
      A[0].length > 0 &&
      A.every(
        (row) =>
          row.length === A[0].length &&
          row.every((x) => typeof x === "number" && x === x && x !== Infinity),
      );
    return made.plan.every((s) =>
      isHeadwise(s.id) ? made.arrays.get(s.id).every(sound) : sound(made.arrays.get(s.id)),
    );
  };

  /** Stage id → nested array. */
  const compute = (e) => run(e).arrays;

  /** A stage as rows and columns: that of a head where it has heads. */
  const matrix = (made, id, head = 0) =>
    isHeadwise(id) ? made.arrays.get(id)[head] : made.arrays.get(id);

  // How a cell comes about

  const cell = (tensorName, row, column, head = 0) => ({ tensor: tensorName, row, column, head });

  /** Factors of the terms of a sum: numbers with the cells that they stand in. */
  const from = (made, id, row, column, head) => ({
    value: matrix(made, id, head)[row][column],
    cell: cell(id, row, column, isHeadwise(id) ? head : 0),
  });
  const input = (e, name, row, column, head) => {
    const found = tensor(e, name, head);
    if (!found) return null;
    const value = Array.isArray(found[0]) ? found[row][column] : found[column];
    return { value, cell: cell(name, row, column, head) };
  };
  const constant = (value) => ({ value, cell: null });
  const range = (count) => Array.from({ length: count }, (_, i) => i);
  const samePlace = (form, data) => (made, s, at) => ({
    form,
    terms: [[from(made, s.reads[0], at.row, at.column, at.head)]],
    data: data ? data(made, s, at) : {},
  });
  const sourceRow = (made, s, at) => matrix(made, s.reads[0], at.head)[at.row];

  /** By kind: (run, stage, cell) → {form, terms, data}; a "function" names its template. */
  const DERIVE = {
    entered: (made, s, at) => ({
      form: "entered",
      terms: [[input(made.experiment, s.inputs[0], at.row, at.column, at.head)]],
    }),
    sinusoid: (made, s, at) => {
      const base = positional(made.experiment).base ?? 10000,
        width = made.experiment.X[0].length;
      const pair = at.column >> 1;
      return {
        form: "sinusoid",
        terms: [],
        data: { position: at.row, pair, base, width, angle: M.angle(at.row, pair, width, base) },
      };
    },
    add: (made, s, at) => ({
      form: "add",
      terms: s.reads.map((id) => [from(made, id, at.row, at.column)]),
    }),
    project: (made, s, at) => {
      const e = made.experiment,
        [weights, ...biases] = s.inputs;
      const terms = range(tensor(e, weights, at.head).length).map((t) => [
        from(made, s.reads[0], at.row, t),
        input(e, weights, t, at.column, at.head),
      ]);
      const more = biases.map((name) => input(e, name, 0, at.column, at.head)).filter(Boolean);
      return { form: "dot", terms: [...terms, ...more.map((bias) => [bias])] };
    },
    dot_product: (made, s, at) => ({
      form: "dot",
      terms: sourceRow(made, s, at).map((_, t) => [
        from(made, s.reads[0], at.row, t, at.head),
        from(made, s.reads[1], at.column, t, at.head),
      ]),
    }),
    mix: (made, s, at) => ({
      form: "dot",
      terms: sourceRow(made, s, at).map((_, t) => [
        from(made, s.reads[0], at.row, t, at.head),
        from(made, s.reads[1], t, at.column, at.head),
      ]),
    }),
    rotate: (made, s, at) => {
      const width = sourceRow(made, s, at).length,
        pair = at.column >> 1;
      if (2 * pair + 1 >= width) return samePlace("copy", () => ({ enabled: 1 }))(made, s, at);
      const theta = M.angle(at.row, pair, width, positional(made.experiment).base ?? 10000);
      const [a, b] = [0, 1].map((i) => from(made, s.reads[0], at.row, 2 * pair + i, at.head));
      const cos = Math.cos(theta),
        sin = Math.sin(theta);
      const turn = at.column % 2 ? [sin, cos] : [cos, -sin];
      return {
        form: "rotate",
        terms: [
          [a, constant(turn[0])],
          [b, constant(turn[1])],
        ],
        data: { position: at.row, pair, angle: theta },
      };
    },
    scale: samePlace("scale", (made, s) => ({
      factor: scaleFactor(made.experiment, s.id),
      k: keyWidth(made.experiment, s.id),
    })),
    alibi: samePlace("bias", (made, s, at) => ({
      slope: slopes(made.experiment, s.id)[at.head],
      distance: Math.abs(at.row - at.column),
    })),
    mask: samePlace("mask", (made, s, at) => ({
      allowed: Number(allowed(made.experiment, at.row, at.column)),
    })),
    exponential: samePlace("exp", (made, s, at) =>
      softmaxOf(made.experiment).shift ? { maximum: M.rowMax(sourceRow(made, s, at)) } : {},
    ),
    normalise: samePlace("quotient", (made, s, at) => ({
      total: M.rowSum(sourceRow(made, s, at)),
    })),
    concatenate: (made, s, at) => {
      const width = matrix(made, s.reads[0])[0].length,
        head = Math.floor(at.column / width);
      const enabled = headsOf(made.experiment, s.id)[head].enabled !== false;
      return {
        form: "copy",
        terms: [[from(made, s.reads[0], at.row, at.column % width, head)]],
        data: { enabled: Number(enabled) },
      };
    },
    copy: samePlace("copy", () => ({ enabled: 1 })),
    sum_heads: (made, s, at) => {
      const heads = headsOf(made.experiment, s.id);
      const on = range(heads.length).filter((head) => heads[head].enabled !== false);
      const terms = on.map((head) => [from(made, s.reads[0], at.row, at.column, head)]);
      if (s.inputs[0]) terms.push([input(made.experiment, s.inputs[0], 0, at.column)]);
      return { form: "add", terms };
    },
    layer_norm: (made, s, at) => {
      const row = normalisedRow(made.experiment, s, sourceRow(made, s, at));
      const data = s.kind === "rms_norm" ? { root: row.root } : { root: row.root, mean: row.mean };
      const more = s.inputs.map((name) => [input(made.experiment, name, 0, at.column)]);
      const parts = s.inputs.map((name) => name.split(".").pop());
      return {
        form: "function",
        template: [s.kind, ...parts].join(" "),
        data,
        terms: [[from(made, s.reads[0], at.row, at.column)], ...more],
      };
    },
    activation: (made, s, at) => {
      const name = owner(made.experiment, s.id).mlp.activation || "relu";
      const terms = s.reads.map((id) => [from(made, id, at.row, at.column)]),
        x = terms[0][0].value;
      const data = name === "relu" ? {} : { share: x ? M.ACTIVATIONS[name](x) / x : 0.5 };
      if (name === "gelu_tanh") data.angle = M.saturate(M.tanhArgument(x));
      return { form: "function", template: terms.length > 1 ? `${name} gate` : name, terms, data };
    },
    vocabulary_softmax: (made, s, at) => {
      const scaled = scaledLogits(made.experiment, sourceRow(made, s, at)),
        maximum = M.rowMax(scaled);
      const powers = scaled.map((z) => Math.exp(z - maximum)),
        t = temperature(made.experiment);
      return {
        form: "function",
        template: t === 1 ? "softmax" : "softmax temperature",
        terms: [[from(made, s.reads[0], at.row, at.column)]],
        data: { maximum, total: M.rowSum(powers), power: powers[at.column], temperature: t },
      };
    },
  };
  DERIVE.only_head = DERIVE.concatenate;
  DERIVE.rms_norm = DERIVE.layer_norm;

  const stageOf = (made, id) => made.plan.find((s) => s.id === id);
  const pinAt = (e, id, row, column, head) =>
    (e.pins || []).find((pin) => {
      const [i, j] = pin.index.slice(-2);
      return (
        pin.stage === id &&
        i === row &&
        j === column &&
        (pin.index.length < 3 || pin.index[0] === head)
      );
    });

  /**
   * How a cell of a stage comes about: {form, cell, terms, data, template, value, pinned}. `value`
   * is what the terms give, `pinned` the number that replaces it, or null.
   */
  const derive = (made, id, row, column, head = 0) => {
    const s = stageOf(made, id),
      at = cell(id, row, column, isHeadwise(id) ? head : 0);
    const found = {
      data: {},
      template: "",
      cell: at,
      pinned: null,
      ...DERIVE[s.kind](made, s, at),
    };
    found.value = matrix(made, id, at.head)[row][column];
    const pin = pinAt(made.experiment, id, row, column, at.head);
    if (pin) {
      const before = computeStage(made, s);
      found.value = (isHeadwise(id) ? before[at.head] : before)[row][column];
      found.pinned = pin.value;
    }
    return found;
  };

  /** The sub-step that opens a row of the softmax: its maximum or its sum. */
  const deriveLead = (made, id, row, head = 0) => {
    const s = stageOf(made, id),
      source = matrix(made, s.reads[0], head)[row];
    return {
      form: s.lead,
      cell: cell(id, row, 0, head),
      data: {},
      template: "",
      pinned: null,
      terms: source.map((_, t) => [from(made, s.reads[0], row, t, head)]),
      value: s.lead === "max" ? M.rowMax(source) : M.rowSum(source),
    };
  };

  return {
    run,
    isSound,
    compute,
    plan,
    derive,
    deriveLead,
    matrix,
    tensor,
    place,
    entered,
    splitLayer,
    HEADWISE,
    isHeadwise,
    headsOf,
    headCount,
    allowed,
    keyTokens,
    keyWidth,
    valueWidth,
    scaleOf,
    softmaxOf,
    maskOf,
    positional,
    temperature,
    owner,
    normOf,
    pinAt,
    stageOf,
    isStack,
    slopes,
  };
})();
if (typeof module !== "undefined") module.exports = Core;
