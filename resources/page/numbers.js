"use strict";
/*
 * How numbers are written and read, as core/base/number_format has it, and exact fractions of
 * printed numbers, which decide between "=" and "≈".
 */
const Numbers = (() => {
  const MINUS = "−";
  const HUGE = 1e7; // from here on with a power of ten
  const TINY = 1e-4;
  const NOISE = 1e-12; // smaller numbers may be the rounding error of a sum
  const SMALLEST = 5e-324;
  const RAISED = {
    "-": "⁻",
    "+": "",
    0: "⁰",
    1: "¹",
    2: "²",
    3: "³",
    4: "⁴",
    5: "⁵",
    6: "⁶",
    7: "⁷",
    8: "⁸",
    9: "⁹",
  };

  const raised = (exponent) => [...String(Number(exponent))].map((sign) => RAISED[sign]).join("");

  /** A number of at least 0 with decimals; a tie is rounded to the even digit, as Python does. */
  const fixed = (x, decimals) => {
    const digits = x.toFixed(decimals + 30),
      cut = digits.length - 30;
    if (digits.slice(cut) !== "5" + "0".repeat(29)) return x.toFixed(decimals);
    const lower = digits.slice(0, cut).replace(/\.$/, "");
    return Number(lower[lower.length - 1]) % 2 ? x.toFixed(decimals) : lower;
  };
  const withPower = (text, strip = false) => {
    const [mantissa, exponent] = text.split("e");
    return `${(strip ? mantissa.replace(/\.0$/, "") : mantissa).replace("-", MINUS)}×10${raised(exponent)}`;
  };

  /** A number as tables show it. */
  const show = (x, decimals) => {
    if (!Number.isFinite(x)) return x > 0 ? "∞" : `${MINUS}∞`;
    if (Math.abs(x) >= HUGE) return withPower(x.toExponential(decimals));
    const text = fixed(Math.abs(x), decimals);
    return x < 0 && Number(text) ? MINUS + text : text;
  };
  const roundsToZero = (x, decimals, noise = NOISE) =>
    noise <= Math.abs(x) && Math.abs(x) < 1 && Number(fixed(Math.abs(x), decimals)) === 0;

  /** As show, with the first two digits where that would write zero. */
  const showSignificant = (x, decimals, noise = NOISE) => {
    if (!roundsToZero(x, decimals, noise)) return show(x, decimals);
    if (Math.abs(x) < TINY) return withPower(x.toExponential(1), true);
    return String(Number(x.toPrecision(2))).replace("-", MINUS);
  };

  /** A computed number for a field, in 15 digits. */
  const shortened = (x) => String(Number(x.toPrecision(15)));

  const LONGEST = 100; // characters of a number, as in answer files
  const TYPED = /^([-+]?)\s*((?:\d+\.?\d*|\.\d+)(?:e([-+]?\d+))?)\s*(?:\/\s*(\d+\.?\d*)|(%))?$/i;
  const decimalsIn = (number) => /^\d*\.?(\d*)/.exec(number)[1].length;

  /**
   * A typed number as answers are read in the program, {value, decimals}; null for none. 1,5 and −0.5
   * and 1/8 and 50% are understood; 1/8 is exact, its decimals are null.
   */
  const typed = (text) => {
    const plain = text
        .trim()
        .replace(/[−–]/g, "-")
        .replace(/[，。,]/g, "."),
      found = TYPED.exec(plain);
    if (!found || plain.length > LONGEST) return null;
    const [, sign, number, exponent = 0, divisor, percent] = found;
    if (divisor && /[，。,]/.test(text)) return null;
    const value = Number(sign + number) / Number(divisor || (percent ? 100 : 1)),
      most = Math.max(decimalsIn(number), decimalsIn(divisor || ""));
    if (!Number.isFinite(value)) return null;
    return {
      value,
      decimals: divisor ? most || null : percent ? most + 2 : most - Number(exponent),
    };
  };
  const read = (text) => (typed(text) || { value: null }).value;

  // Exact fractions: {n, d} of whole numbers; null is equal to nothing. ∞ and −∞ stay doubles.

  const fraction = (n, d = 1n) => (d < 0n ? { n: -n, d: -d } : { n, d });
  const parse = (text) => {
    const [mantissa, exponent = "0"] = text.split("e");
    const [whole, part = ""] = mantissa.split(".");
    const power = Number(exponent) - part.length,
      n = BigInt(whole + part);
    return power < 0 ? fraction(n, 10n ** BigInt(-power)) : fraction(n * 10n ** BigInt(power));
  };

  /** The value of a number as it is printed. */
  const printed = (x, decimals, noise = NOISE) => {
    if (!Number.isFinite(x)) return x;
    if (roundsToZero(x, decimals, noise)) return parse(x.toExponential(1));
    if (Math.abs(x) >= HUGE) return parse(x.toExponential(decimals));
    return parse((x < 0 ? "-" : "") + fixed(Math.abs(x), decimals));
  };
  const isFraction = (a) => a !== null && typeof a === "object";
  const both = (f) => (a, b) => (isFraction(a) && isFraction(b) ? f(a, b) : null);
  const add = both((a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d));
  const multiply = both((a, b) => fraction(a.n * b.n, a.d * b.d));
  const divide = both((a, b) => (b.n ? fraction(a.n * b.d, a.d * b.n) : null));
  const negative = (a) => (isFraction(a) ? fraction(-a.n, a.d) : a === null ? null : -a);
  const equal = (a, b) =>
    isFraction(a) && isFraction(b) ? a.n * b.d === b.n * a.d : a !== null && a === b;
  /** |a − b|, and whether a is less than b. */
  const distance = both((a, b) => {
    const gap = a.n * b.d - b.n * a.d;
    return fraction(gap < 0n ? -gap : gap, a.d * b.d);
  });
  const less = (a, b) => isFraction(a) && isFraction(b) && a.n * b.d < b.n * a.d;
  const sum = (numbers) => numbers.reduce(add, fraction(0n));
  const product = (numbers) => numbers.reduce(multiply, fraction(1n));
  const isZero = (a) => isFraction(a) && a.n === 0n;

  /** base^exponent where it is rational: of a whole exponent that is not too large; 0 below all decimals. */
  const power = (base, exponent) => {
    if (!isFraction(exponent)) return null;
    if (Number(exponent.n / exponent.d) * Math.log10(Number(base)) < -1e6) return fraction(0n);
    if (exponent.n % exponent.d) return null;
    const whole = exponent.n / exponent.d,
      size = whole < 0n ? -whole : whole;
    if (size > 400n) return null;
    return whole < 0n ? fraction(1n, base ** size) : fraction(base ** size);
  };

  return {
    MINUS,
    HUGE,
    NOISE,
    SMALLEST,
    show,
    showSignificant,
    roundsToZero,
    shortened,
    typed,
    read,
    fraction,
    parse,
    fixed,
    printed,
    distance,
    less,
    add,
    multiply,
    divide,
    negative,
    equal,
    sum,
    product,
    isZero,
    isFraction,
    power,
  };
})();
if (typeof module !== "undefined") module.exports = Numbers;
