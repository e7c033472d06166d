"use strict";
/* window.attentionStepper, for checks from outside; all of it is synchronous. */
const Api = (() => {
  const nulled = (x) => (Array.isArray(x) ? x.map(nulled) : x === -Infinity ? null : x);

  const install = (page) => {
    const { state } = page;
    window.attentionStepper = {
      /** Set an entered number, or pin that of a computed stage; `head` is null for tensors without heads. */
      set(tensor, head, row, column, value) {
        if (!Number.isFinite(value))
          throw new RangeError(`${value} is not a number that can be set`);
        if (![row, column].every(Number.isInteger))
          throw new RangeError(`row ${row} and column ${column} must be whole numbers`);
        const next = Experiment.withValue(
          state.experiment,
          { tensor, head: head ?? 0, row, column },
          value,
        );
        if (!next)
          throw new RangeError(
            `there is no number at ${tensor}, head ${head}, row ${row}, column ${column}`,
          );
        page.edit(next);
      },
      reset: () => page.reset(),
      /** A stage as nested arrays; −∞ is null. */
      stage(id) {
        if (!state.run.arrays.has(id)) throw new RangeError(`this experiment has no stage ${id}`);
        return nulled(state.run.arrays.get(id));
      },
      step: (by) => page.step(by),
      answers: () => Files.answersText(page),
    };
  };
  return { install };
})();
