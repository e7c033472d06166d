"use strict";
/* The next word: its probabilities after the last token, the cuts top-k and top-p, and draws by PCG32. */
const Words = (() => {
  const M = typeof Arithmetic === "undefined" ? require("./arithmetic.js") : Arithmetic;

  const WORD = (1n << 64n) - 1n,
    HALF = (1n << 32n) - 1n;
  const MULTIPLIER = 6364136223846793005n,
    INCREMENT = 109n;
  const LISTED = 8;

  /** The first random numbers in [0, 1) of a seed. */
  const randomNumbers = (seed, count) => {
    let state = ((INCREMENT + BigInt(seed)) * MULTIPLIER + INCREMENT) & WORD;
    return Array.from({ length: count }, () => {
      const mixed = (((state >> 18n) ^ state) >> 27n) & HALF,
        turn = state >> 59n;
      const bits = ((mixed >> turn) | (mixed << (32n - turn))) & HALF;
      state = (state * MULTIPLIER + INCREMENT) & WORD;
      return Number(bits) / 2 ** 32;
    });
  };
  /** The places from the most probable to the least; of equal ones the first is first. */
  const ranked = (row) => row.map((_, i) => i).sort((i, j) => row[j] - row[i] || i - j);

  /** The probabilities of a row after the cuts: 0 for what may not be drawn, the sum is 1. */
  const cutShares = (row, topK = null, topP = null) => {
    let left = ranked(row);
    if (topK !== null) left = left.slice(0, Math.max(topK, 1));
    if (topP !== null) {
      const total = M.pairwise(
        left.map((i) => row[i]),
        0,
        left.length,
      );
      let sum = 0;
      left = left.filter((i, place) => {
        const share = row[i] / total;
        sum += share;
        return place === 0 || sum - share < topP;
      });
    }
    return M.normalise(row.map((p, i) => (left.includes(i) ? p : 0)));
  };
  /** The place of the word on which a number falls: the shares lie end to end, the largest first. */
  const drawn = (shares, number) => {
    const order = ranked(shares),
      last = shares.filter((share) => share !== 0).length - 1;
    let end = 0;
    const place = order.findIndex((i) => number < (end += shares[i]));
    return order[place < 0 ? last : Math.min(place, last)];
  };
  const draws = (row, sampling, count) => {
    const { top_k: topK = null, top_p: topP = null, seed = 0 } = sampling || {};
    const shares = cutShares(row, topK, topP);
    return randomNumbers(seed, count).map((number) => ({ number, word: drawn(shares, number) }));
  };

  /** Fill the panel of an experiment with a vocabulary. */
  const show = (page, element) => {
    const { make, fill } = Dom,
      { state, texts } = page,
      { say } = texts,
      e = state.experiment;
    const known =
      state.run.arrays.has("probabilities") &&
      !page.isCovered({
        tensor: "probabilities",
        row: e.tokens.length - 1,
        column: e.output.vocabulary.length - 1,
      });
    element.hidden = !known || !["logits", "probabilities"].includes(state.cursor.stage);
    if (element.hidden) return;
    const row = state.run.arrays.get("probabilities")[e.tokens.length - 1],
      sampling = e.sampling || {};
    const shares = cutShares(row, sampling.top_k ?? null, sampling.top_p ?? null),
      words = e.output.vocabulary;
    const line = (i) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, Sums.visible(words[i])),
        make("td", { class: "plain" }, page.show(row[i])),
        make("td", { class: "plain" }, shares[i] ? page.show(shares[i]) : say("cut")),
        make("td", { class: "bar" }, bar(row[i])),
      );
    const bar = (share) => {
      const filled = make("span", {});
      filled.style.width = `${100 * share}%`;
      return filled;
    };
    const field = (name, key, usual, fits) =>
      make(
        "label",
        {},
        say(name),
        make("input", {
          type: "text",
          inputmode: "decimal",
          value: sampling[key] ?? usual,
          onchange: (event) => {
            const typed = event.target.value.trim(),
              number = typed ? Numbers.read(typed) : null;
            if (typed ? number !== null && fits(number) : usual === "")
              page.edit(Experiment.withSetting(e, { sampling: { ...sampling, [key]: number } }));
            else event.target.value = sampling[key] ?? usual;
          },
        }),
      );
    const isWhole = (x) => Number.isInteger(x) && x >= 0 && x < 2 ** 53;
    const count = state.draws || 0,
      results = draws(row, sampling, count);
    const last = results[count - 1];
    element.querySelector("summary").textContent = say("next_word");
    fill(
      element.querySelector("div"),
      make("p", {}, say("after", { text: e.tokens.map(Sums.visible).slice(-3).join(" ") })),
      make(
        "table",
        { class: "words" },
        make("tbody", {}, ...ranked(row).slice(0, LISTED).map(line)),
      ),
      make(
        "div",
        { class: "fields" },
        field("temperature", "temperature", 1, (x) => x > 0),
        field("top_k", "top_k", "", (x) => isWhole(x) && x > 0),
        field("top_p", "top_p", "", (x) => x > 0 && x <= 1),
        field("seed", "seed", 0, isWhole),
        make(
          "button",
          { type: "button", onclick: () => page.set({ draws: count + 1 }) },
          say("draw"),
        ),
      ),
      make(
        "p",
        { role: "status" },
        last
          ? say("drawn", {
              draw: count,
              number: last.number.toFixed(6),
              word: Sums.visible(words[last.word]),
            })
          : "",
      ),
      make(
        "p",
        { class: "muted" },
        results.map(({ word }) => Sums.visible(words[word])).join(" · "),
      ),
    );
  };

  return { randomNumbers, cutShares, draws, show };
})();
if (typeof module !== "undefined") module.exports = Words;
