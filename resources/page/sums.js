"use strict";
/*
 * The worked sum of a number as spans {text, role, level}: what gui/texts/sums.py writes. Words and
 * templates come from the exported tables.
 *
 * A style: {run, tables, say, decimals, most, columns}; `say(name, values)` gives a text of the
 * tables in the language of the page.
 */
const Sums = (() => {
  const N = typeof Numbers === "undefined" ? require("./numbers.js") : Numbers;
  const C = typeof Core === "undefined" ? require("./core.js") : Core;
  const { MINUS } = N;
  const LARGEST = Number.MAX_VALUE;
  const LONGEST_TOKEN = 12;

  const span = (text, role = "plain", level = 0) => ({ text, role, level });
  const operator = (sign) => span(` ${sign} `, "operator");
  const times = span("×", "operator");
  const equals = (left, right) => operator(N.equal(left, right) ? "=" : "≈");
  const whole = (number) => N.fraction(BigInt(number));

  // Names

  const visible = (token) => token.trim() || "␣";
  const short = (token) => {
    const letters = [...visible(token)];
    return letters.length <= LONGEST_TOKEN
      ? letters.join("")
      : letters.slice(0, LONGEST_TOKEN - 1).join("") + "…";
  };
  /** A token cut to a length, with its position if it occurs twice. */
  const shortToken = (tokens, index) => {
    const shown = tokens.map(visible),
      twice = shown.filter((each) => each === shown[index]).length > 1;
    return twice ? `${short(tokens[index])} (${index + 1})` : short(tokens[index]);
  };
  const spec = (style, id) => style.tables.stages[C.splitLayer(id)[1]];
  const roleOf = (style, id) => (spec(style, id) ? spec(style, id).role : "") || "plain";
  const cellRole = (style, cell) =>
    cell ? style.tables.roles[C.splitLayer(cell.tensor)[1]] || "plain" : "plain";
  const labels = (style, axis) => {
    const e = style.run.experiment;
    return { n: e.tokens, m: C.keyTokens(e), u: e.output && e.output.vocabulary }[axis] || null;
  };
  const pair = (style, first, second) => (style.columns ? [second, first] : [first, second]);
  const letter = (style, id) => {
    const own = spec(style, id),
      role = roleOf(style, id);
    return own.context ? [span(own.letter, role), span("C", role, 1)] : [span(own.letter, role)];
  };
  const rowSymbol = (style, id, row) => [
    ...letter(style, id),
    span(shortToken(labels(style, spec(style, id).axes.slice(-2)[0]), row), roleOf(style, id), -1),
  ];
  const symbol = (style, cell) => {
    const axes = spec(style, cell.tensor).axes,
      keys = labels(style, axes[axes.length - 1]);
    const column = keys ? shortToken(keys, cell.column) : String(cell.column + 1);
    const row = shortToken(labels(style, axes[axes.length - 2]), cell.row);
    return [
      ...letter(style, cell.tensor),
      span(pair(style, row, column).join(","), roleOf(style, cell.tensor), -1),
    ];
  };

  // Numbers in a sum

  const noise = (style) => style.noise || N.NOISE;
  const round = (style, x) => N.printed(x, style.decimals, noise(style));
  const number = (style, x, role) => span(N.showSignificant(x, style.decimals, noise(style)), role);
  const factor = (style, x, role) => {
    const text = N.showSignificant(x, style.decimals, noise(style));
    return span(text.startsWith(MINUS) || text.includes("×") ? `(${text})` : text, role);
  };
  const sharp = (style) => ({ ...style, noise: N.SMALLEST });

  /** The last sign and the result as tables show it. */
  const result = (style, seen, value) => {
    if (style.hidden) return [operator("="), span("?", "result")];
    const vanishing = N.roundsToZero(value, style.decimals, noise(style)),
      before = [];
    if (vanishing) {
      before.push(equals(seen, round(style, value)), number(style, value));
      seen = round(style, value);
    }
    const same = vanishing ? N.fraction(0n) : round(style, value);
    return [...before, equals(seen, same), span(N.show(value, style.decimals), "result")];
  };

  // Terms

  const valueOf = (term) => term.reduce((total, each) => total * each.value, 1);
  const shortens = (style, terms) => style.most !== null && terms.length > style.most;
  const largest = (sizes, most) => {
    const all = sizes.map((_, i) => i);
    if (most === null || sizes.length <= most) return all;
    return all
      .sort((i, j) => sizes[j] - sizes[i] || i - j)
      .slice(0, Math.max(1, most))
      .sort((i, j) => i - j);
  };
  const joinTerms = (style, sizes, term, sign) => {
    const chosen = largest(sizes, style.most),
      pieces = chosen.map(term);
    if (chosen.length < sizes.length)
      pieces.push([span(style.say("more_terms", { n: sizes.length - chosen.length }), "muted")]);
    return pieces.flatMap((piece, i) => (i ? [sign, ...piece] : piece));
  };
  const signedSum = (style, values, roles = null) => {
    const line = [];
    for (const each of joinTerms(
      style,
      values.map(Math.abs),
      (i) => [number(style, values[i], roles ? roles[i] : "plain")],
      operator("+"),
    )) {
      if (each.text.startsWith(MINUS) && line.length) {
        line[line.length - 1] = operator(MINUS);
        line.push(span(each.text.slice(1), each.role));
      } else line.push(each);
    }
    return line;
  };
  const factors = (style, term) =>
    term.length === 2 && term.every((each) => each.cell) ? pair(style, ...term) : term;
  const productOf = (style, term) =>
    factors(style, term).flatMap((each, i) => [
      ...(i ? [times] : []),
      factor(style, each.value, cellRole(style, each.cell)),
    ]);
  const productSeen = (style, term) => N.product(term.map((each) => round(style, each.value)));
  const totalSeen = (style, step) => N.sum(step.terms.map((term) => productSeen(style, term)));
  const left = (style, step) => [...symbol(style, step.cell), operator("=")];
  const source = (step) => step.terms[0][0];

  // By form

  const dotSymbol = (style, step) => {
    const cells = factors(style, step.terms[0]).map((each) => each.cell);
    if (C.splitLayer(step.cell.tensor)[1] !== "scores" || !cells[0] || !cells[1])
      return symbol(style, step.cell);
    const [first, second] = cells.map((cell) => rowSymbol(style, cell.tensor, cell.row));
    return [...first, span("·", "operator"), ...second];
  };
  const dot = (style, step) => {
    const values = step.terms.map(valueOf);
    const line = [
      ...dotSymbol(style, step),
      operator("="),
      ...joinTerms(
        style,
        values.map(Math.abs),
        (i) => productOf(style, step.terms[i]),
        operator("+"),
      ),
    ];
    if (step.terms.length === 1)
      return [...line, ...result(style, productSeen(style, step.terms[0]), step.value)];
    if (!values.every(Number.isFinite)) return [...line, ...result(style, null, step.value)];
    if (shortens(style, step.terms))
      return [...line, ...result(style, totalSeen(style, step), step.value)];
    const exact = step.terms.every((term, i) =>
      N.equal(productSeen(style, term), round(style, values[i])),
    );
    const seen = N.sum(values.map((value) => round(style, value)));
    return [
      ...line,
      operator(exact ? "=" : "≈"),
      ...signedSum(style, values),
      ...result(style, seen, step.value),
    ];
  };
  const addUp = (style, step) => {
    const values = step.terms.map(valueOf);
    const seen = N.sum(values.map((value) => round(style, value)));
    return [...left(style, step), ...signedSum(style, values), ...result(style, seen, step.value)];
  };
  const general = (x) => String(Number(x.toPrecision(10)));
  /** base^(2 pair / width) where it is rational and its exponent a finite decimal; else null. */
  const waveLength = ({ base, pair: p, width }) => {
    if (!p) return N.fraction(1n);
    const value = Math.round(base ** ((2 * p) / width));
    const finite = Number.isInteger(Number(((2 * p) / width).toPrecision(12)) * 1e6);
    const exact =
      finite &&
      Number.isInteger(base) &&
      BigInt(value) ** BigInt(width) === BigInt(base) ** BigInt(2 * p);
    return exact ? whole(value) : null;
  };
  const sinusoid = (style, step) => {
    const data = step.data,
      wave = step.cell.column % 2 ? "cos" : "sin";
    const length = waveLength(data);
    const seen = length && N.divide(whole(data.position), length);
    return [
      ...left(style, step),
      span(`${wave}(`),
      span(String(data.position)),
      operator("÷"),
      span(general(data.base)),
      span(`${2 * data.pair}/${data.width}`, "plain", 1),
      span(")"),
      equals(data.position ? seen : N.fraction(0n), round(style, data.angle)),
      span(`${wave}(`),
      number(style, data.angle),
      span(")"),
      ...result(style, null, step.value),
    ];
  };
  const rotate = (style, step) => {
    const odd = step.cell.column % 2,
      [[a, first], [b, second]] = step.terms;
    const own = [a, b].map((each) => factor(style, each.value, cellRole(style, each.cell)));
    const turn = [factor(style, first.value), factor(style, odd ? second.value : -second.value)];
    const names = odd ? ["sin θ", "cos θ"] : ["cos θ", "sin θ"],
      between = operator(odd ? "+" : MINUS);
    const isExact = ({ value }) => Number(value.toFixed(style.decimals)) === value;
    return [
      ...symbol(style, step.cell),
      operator("="),
      own[0],
      span(`·${names[0]}`),
      between,
      own[1],
      span(`·${names[1]}`),
      operator(isExact(first) && isExact(second) ? "=" : "≈"),
      own[0],
      times,
      turn[0],
      between,
      own[1],
      times,
      turn[1],
      ...result(style, totalSeen(style, step), step.value),
    ];
  };
  const scale = (style, step) => {
    const from = source(step),
      byRoot = C.scaleOf(style.run.experiment).kind === "sqrt_dk";
    const root = 1 / step.data.factor,
      own = number(style, from.value, cellRole(style, from.cell));
    if (byRoot) {
      const seen = N.divide(round(style, from.value), round(style, root));
      return [
        ...symbol(style, from.cell),
        operator("÷"),
        span(`√${step.data.k}`),
        operator("="),
        own,
        operator("÷"),
        number(style, root),
        ...result(style, seen, step.value),
      ];
    }
    const by = factor(style, step.data.factor);
    const seen = N.multiply(round(style, from.value), round(style, step.data.factor));
    return [
      ...symbol(style, from.cell),
      times,
      by,
      operator("="),
      own,
      times,
      by,
      ...result(style, seen, step.value),
    ];
  };
  const bias = (style, step) => {
    const value = source(step).value,
      { slope, distance } = step.data;
    const [i, j] = pair(style, step.cell.row + 1, step.cell.column + 1);
    const off = Math.min(slope * distance, LARGEST);
    const away = equals(N.multiply(round(style, slope), whole(distance)), round(style, off));
    const seen = N.add(round(style, value), N.negative(round(style, off)));
    return [
      ...left(style, step),
      number(style, value),
      operator(MINUS),
      factor(style, slope),
      times,
      span(`|${i} ${MINUS} ${j}|`),
      away,
      number(style, value),
      operator(MINUS),
      factor(style, off),
      ...result(style, seen, step.value),
    ];
  };
  const mask = (style, step) => {
    const value = source(step).value,
      may = Boolean(step.data.allowed);
    const sign = may ? [operator("+"), span("0")] : [operator(MINUS), span("∞")];
    return [
      ...symbol(style, step.cell),
      span(" + M", "operator"),
      operator("="),
      number(style, value),
      ...sign,
      ...result(style, may ? round(style, value) : -Infinity, step.value),
    ];
  };
  const max = (style, step) => {
    const values = step.terms.map(valueOf);
    const listed = joinTerms(
      style,
      values,
      (i) => [number(style, values[i])],
      span(", ", "operator"),
    );
    return [
      span("max("),
      ...listed,
      span(")"),
      ...result(style, round(style, Math.max(...values)), step.value),
    ];
  };
  const exp = (style, step) => {
    const value = source(step).value,
      maximum = step.data.maximum;
    if (maximum === -Infinity)
      return [...symbol(style, step.cell), ...result(style, N.fraction(0n), step.value)];
    const baseText = String(C.softmaxOf(style.run.experiment).base),
      base = span(baseText, "weights");
    const exponent = maximum === undefined ? value : value - maximum,
      line = [];
    if (maximum !== undefined) {
      const difference = `${number(style, value).text} ${MINUS} ${factor(style, maximum).text}`;
      const from = round(style, value);
      const seen = N.isFraction(from) ? N.add(from, N.negative(round(style, maximum))) : from;
      line.push(base, span(difference, "plain", 1), equals(seen, round(style, exponent)));
    }
    line.push(base, span(number(style, exponent).text, "plain", 1));
    const raised = round(style, exponent);
    let seen =
      baseText === "e"
        ? N.isZero(raised)
          ? N.fraction(1n)
          : null
        : N.power(BigInt(baseText), raised);
    if (raised === -Infinity) seen = N.fraction(0n);
    return [...line, ...result(sharp(style), seen, step.value)];
  };
  const sum = (style, step) => {
    const role = cellRole(style, source(step).cell),
      values = step.terms.map(valueOf);
    return [
      ...signedSum(
        style,
        values,
        values.map(() => role),
      ),
      ...result(style, totalSeen(style, step), step.value),
    ];
  };
  const quotient = (style, step) => {
    const from = source(step),
      total = step.data.total,
      fine = sharp(style);
    if (total === 0)
      return [...symbol(style, step.cell), ...result(fine, N.fraction(0n), step.value)];
    const seen = N.divide(round(fine, from.value), round(fine, total));
    return [
      ...left(style, step),
      number(fine, from.value, cellRole(style, from.cell)),
      operator("÷"),
      factor(fine, total),
      ...result(fine, seen, step.value),
    ];
  };
  const copy = (style, step) => {
    const { cell, value } = source(step),
      line = symbol(style, step.cell);
    if (cell && step.data.enabled) {
      line.push(operator("="), ...symbol(style, cell));
      const several =
        C.headsOf(style.run.experiment, cell.tensor).length > 1 && C.isHeadwise(cell.tensor);
      if (several) line.push(span(`(${cell.head + 1})`, cellRole(style, cell), 1));
    }
    return [...line, ...result(style, round(style, step.value), step.value)];
  };
  const entered = (style, step) => [
    ...symbol(style, step.cell),
    ...result(style, round(style, step.value), step.value),
  ];

  /** What the printed numbers of a template give; null where that is not known. */
  const ofPrinted = (style, step) => {
    const terms = step.terms.map((term) => round(style, valueOf(term)));
    const data = Object.fromEntries(
      Object.entries(step.data).map(([name, x]) => [name, round(style, x)]),
    );
    const [kind, ...parts] = step.template.split(" ");
    if (kind === "softmax") return N.divide(data.power, data.total);
    if (kind === "layer_norm" || kind === "rms_norm") {
      const centred = data.mean ? N.add(terms[0], N.negative(data.mean)) : terms[0];
      const normalised = N.divide(centred, data.root);
      const scaled = parts.includes("gamma") ? N.multiply(terms[1], normalised) : normalised;
      return parts.includes("beta") ? N.add(scaled, terms[terms.length - 1]) : scaled;
    }
    const gate = parts.includes("gate") ? terms[1] : N.fraction(1n);
    const active =
      kind === "relu"
        ? terms[0].n > 0n
          ? terms[0]
          : N.fraction(0n)
        : N.multiply(terms[0], data.share);
    return N.multiply(active, gate);
  };
  /** A template with its numbers: {0}, {name}, and {0:start} without brackets; ^[…] is raised. */
  const fill = (style, step) => {
    const written = (name) =>
      factor(style, /^\d+$/.test(name) ? valueOf(step.terms[Number(name)]) : step.data[name]).text;
    const text = style.tables.templates[step.template].replace(
      /\{(\w+)(:start)?\}/g,
      (_, name, start) => (start ? written(name).replace(/^[()]+|[()]+$/g, "") : written(name)),
    );
    const pieces = text.split(/\^\[([^\]]*)\]/);
    return pieces.map((piece, i) => span(piece, "plain", i % 2)).filter((each) => each.text);
  };
  const written = (style, step) => [
    ...left(style, step),
    ...fill(style, step),
    ...result(style, ofPrinted(style, step), step.value),
  ];

  const FORMS = {
    entered,
    sinusoid,
    add: addUp,
    dot,
    rotate,
    scale,
    bias,
    mask,
    max,
    exp,
    sum,
    quotient,
    copy,
    function: written,
  };
  const LIMITED = ["add", "dot", "rotate", "scale", "bias", "exp", "sum"];

  const note = (style, step) => {
    if (shortens(style, step.terms))
      return style.say("few_terms", { few: style.most, n: step.terms.length });
    if (style.hidden || step.pinned !== null) return "";
    if (Math.abs(step.value) === LARGEST && LIMITED.includes(step.form))
      return style.say("at_limit");
    const overflows =
      step.form === "dot" && !step.terms.every((term) => Number.isFinite(valueOf(term)));
    return overflows ? style.say("products_overflow") : "";
  };

  /** The worked sum of a step with a note; a what-if value follows the computed one. */
  const line = (style, step) => {
    let spans = FORMS[step.form](style, step);
    if (step.pinned !== null && !style.hidden) {
      const computed = spans[spans.length - 1];
      spans = [
        ...spans.slice(0, -1),
        span(computed.text, "muted"),
        span(style.say("pinned_to"), "pinned"),
        span(N.show(step.pinned, style.decimals), "result"),
      ];
    }
    const said = note(style, step);
    return said ? [...spans, span("   "), span(said, "muted")] : spans;
  };
  // The same with more digits, where the printed numbers do not give the printed result

  const MORE = 4,
    MOST_DECIMALS = 8;

  /** The sign and the operands of the last operation; null where rounding does not matter. */
  const operands = (style, step) => {
    const first = step.terms.length ? step.terms[0][0].value : 0;
    if (step.form === "dot" && step.terms.length === 1 && step.terms[0].length === 2)
      return ["×", step.terms[0].map((each) => each.value)];
    if (["dot", "rotate", "add", "sum"].includes(step.form)) return ["+", step.terms.map(valueOf)];
    if (step.form === "scale") {
      const byRoot = C.scaleOf(style.run.experiment).kind === "sqrt_dk";
      return byRoot ? ["÷", [first, 1 / step.data.factor]] : ["×", [first, step.data.factor]];
    }
    if (step.form === "bias") return [MINUS, [first, step.data.slope * step.data.distance]];
    return step.form === "quotient" && step.data.total ? ["÷", [first, step.data.total]] : null;
  };
  const seenOf = (style, [sign, values]) => {
    const [a, b, ...more] = values.map((value) => round(style, value));
    if (sign === "+") return N.sum(b === undefined ? [a] : [a, b, ...more]);
    if (sign === MINUS) return N.add(a, N.negative(b));
    return sign === "×" ? N.multiply(a, b) : N.divide(a, b);
  };
  const printedAt = (value, decimals) =>
    N.parse((value < 0 ? "-" : "") + N.fixed(Math.abs(value), decimals));
  const half = (decimals) => N.fraction(5n, 10n ** BigInt(decimals + 1));
  const off = (seen, value, decimals) => N.distance(seen, printedAt(value, decimals));
  const isClose = (seen, value, decimals) => N.less(off(seen, value, decimals), half(decimals));
  const finerStyle = (style, decimals) => ({ ...style, decimals, noise: 1 });

  /** The fewest digits whose numbers give the result exactly, else the fewest that round to it; null for none. */
  const enough = (style, parts, value) => {
    const all = [];
    for (
      let more = style.decimals + 1;
      more <= Math.min(style.decimals + MORE, MOST_DECIMALS);
      more++
    )
      all.push(more);
    const near = all.filter((more) => isClose(printedAt(value, more), value, style.decimals)),
      tried = near.length ? near : all;
    const seen = (decimals) => seenOf(finerStyle(style, decimals), parts);
    const leads = (decimals) =>
      isClose(seen(decimals), value, style.decimals) ||
      N.isZero(off(seen(decimals), value, decimals));
    const leading = tried.filter(leads);
    const best = leading.find((decimals) => {
      const gap = off(seen(decimals), value, decimals);
      return gap !== null && !N.less(half(decimals), gap);
    });
    return best ?? leading[0] ?? null;
  };

  /** The last operation with more digits; [] where the printed numbers give the printed result. */
  const finer = (style, step) => {
    if (style.hidden || step.pinned !== null || shortens(style, step.terms)) return [];
    const parts = operands(style, step);
    if (!parts || ![...parts[1], step.value].every((x) => Math.abs(x) < N.HUGE)) return [];
    if (isClose(seenOf(style, parts), step.value, style.decimals)) return [];
    const decimals = enough(style, parts, step.value);
    if (decimals === null) return [];
    const fine = finerStyle(style, decimals),
      [sign, values] = parts;
    const short =
      Number(values[values.length - 1].toFixed(style.decimals)) === values[values.length - 1];
    const made =
      sign === "+"
        ? signedSum(fine, values)
        : [
            number(fine, values[0]),
            operator(sign),
            factor(short ? { ...fine, decimals: style.decimals } : fine, values[1]),
          ];
    const exact = N.equal(printedAt(step.value, decimals), printedAt(step.value, style.decimals));
    return [
      span(style.say("more_digits"), "muted"),
      ...made,
      equals(seenOf(fine, parts), round(fine, step.value)),
      span(N.show(step.value, decimals)),
      operator(exact ? "=" : "≈"),
      span(N.show(step.value, style.decimals)),
    ];
  };
  const plain = (spans) => spans.map((each) => each.text).join("");

  return { line, finer, plain, span, symbol, short, shortToken, visible, labels };
})();
if (typeof module !== "undefined") module.exports = Sums;
