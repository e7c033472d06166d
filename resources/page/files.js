"use strict";
/* Files that are saved and opened: the experiment, what was done on the page, answers, and codes. */
const Files = (() => {
  const { make } = Dom;
  const WORK = "self-attention-page";
  const VERSIONS = [1, 2]; // of experiments
  const LONGEST_NAME = 100; // of an answer file

  const save = (name, text) => {
    const link = make("a", {
      download: name,
      href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const nameOf = (page, ending) => {
    const title =
      page
        .title()
        .replace(/[\\/:*?"<>|\s]+/g, "-")
        .replace(/^-+|-+$/g, "") || "attention";
    return `${title}.${ending}`;
  };

  const experiment = (page) =>
    save(nameOf(page, "attn.json"), Experiment.fileText(page.state.experiment));
  /** The id that answers carry: of a page without weights that of the experiment with them, until its numbers are changed. */
  const answersId = ({ state: { experiment: now, original } }) => {
    const id = Experiment.id(now);
    return original.id && id === Experiment.id(original) ? original.id : id;
  };
  const answersText = (page) =>
    Experiment.answersText(answersId(page), Practice.values(page), page.state.name || "");
  const answers = (page) => save(nameOf(page, "answers.json"), answersText(page));
  /** All that was done: the experiment as it is, the step, and what was typed. */
  const work = (page) => {
    const { experiment: now, cursor, grain, answers: typed, scene, sceneStep } = page.state;
    save(
      nameOf(page, "page.json"),
      JSON.stringify({
        format: WORK,
        version: 1,
        experiment: now,
        cursor,
        grain,
        answers: typed,
        scene,
        sceneStep,
      }),
    );
  };

  /** The run of an experiment from elsewhere; throws where it is none, or its parts do not fit together. */
  const fitting = (e) => {
    const texts = [e.tokens, Core.keyTokens(e), e.output ? e.output.vocabulary : []].flat();
    if (e.format !== "self-attention-experiment" || !VERSIONS.includes(e.version))
      throw new Error("format");
    if (
      !Array.isArray(e.tokens) ||
      ![...texts, e.title || ""].every((text) => typeof text === "string")
    )
      throw new Error("texts");
    if (Core.isStack(e) && !e.layers.length) throw new Error("layers");
    const run = Core.run(e),
      names = { n: e.tokens, m: Core.keyTokens(e) };
    const fits = (s) =>
      ["heads", "Y"].every(
        (name) => s.name !== name || Core.matrix(run, s.id).length === names.n.length,
      );
    if (!Core.isSound(run) || !run.plan.every(fits)) throw new Error("numbers");
    return run;
  };

  /** Show something from elsewhere; what cannot be shown throws, and all is as before. */
  const safely = (action) => (page, text) => {
    const before = { ...page.state };
    try {
      return action(page, text);
    } catch (error) {
      Object.assign(page.state, before);
      throw error;
    }
  };
  /** Use a file that was saved here, an experiment or answers; throws where it is none of them. */
  const use = safely((page, text) => {
    const file = JSON.parse(text),
      { state } = page;
    if (file.format === WORK) {
      const run = fitting(file.experiment);
      if (file.scene !== null && page.data.scenes[file.scene])
        Lesson.goTo(page, file.scene, file.sceneStep || 0);
      page.edit(file.experiment);
      const { cursor, grain, answers: typed } = file;
      return page.set({
        cursor: Timeline.inside(run, cursor),
        grain,
        answers: Practice.fitting(run, typed),
        verdicts: {},
      });
    }
    if (file.format === "self-attention-answers") {
      return page.set({
        answers: Practice.fromValues(state.run, file.values),
        name: String(file.name || "").slice(0, LONGEST_NAME),
        practice: true,
        verdicts: {},
      });
    }
    return begin(page, file);
  });
  const begin = (page, experiment) => {
    fitting(experiment);
    page.begin(experiment);
    page.set({ scene: null, grain: page.state.grain === "scene" ? "stage" : page.state.grain });
  };
  const readCode = safely((page, code) =>
    begin(page, JSON.parse(Inflate.read(decodeURIComponent(code)))),
  );
  const open = (page) => {
    const field = make("input", { type: "file", accept: ".json" });
    field.addEventListener("change", async () => {
      try {
        use(page, await field.files[0].text());
      } catch {
        page.tell(page.texts.say("bad_file"));
      }
    });
    field.click();
  };

  /** Use the experiment of a code; false where the code is damaged or no experiment. */
  const useCode = (page, code) => {
    try {
      readCode(page, code);
    } catch {
      return false;
    }
    return true;
  };
  /** The code behind # in the address of the page, if there is one. */
  const fromAddress = (page) => {
    const code = location.hash.replace(/^#(code=)?/, "");
    if (code && !useCode(page, code)) page.tell(page.texts.say("bad_code"));
  };

  return { experiment, answers, work, open, use, answersText, fromAddress, useCode };
})();
