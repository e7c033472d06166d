"use strict";
/* Files that are saved and opened: the experiment, what was done on the page, answers, and codes. */
const Files = (() => {
  const { make } = Dom;
  const WORK = "self-attention-page";
  const LONGEST_NAME = 100; // of an answer file

  const save = (name, text) => {
    const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const nameOf = (page, ending) => {
    const title = page.title().replace(/[\\/:*?"<>|\s]+/g, "-").replace(/^-+|-+$/g, "") || "attention";
    return `${title}.${ending}`;
  };

  const experiment = (page) => save(nameOf(page, "attn.json"), Experiment.fileText(page.state.experiment));
  /** The id that answers carry: of a page without weights that of the experiment with them, until its numbers are changed. */
  const answersId = ({ state: { experiment: now, original } }) => {
    const id = Experiment.id(now);
    return original.id && id === Experiment.id(original) ? original.id : id;
  };
  const answersText = (page) => Experiment.answersText(answersId(page), Practice.values(page), page.state.name || "");
  const answers = (page) => save(nameOf(page, "answers.json"), answersText(page));
  /** All that was done: the experiment as it is, the step, and what was typed. */
  const work = (page) => {
    const { experiment: now, cursor, grain, answers: typed, scene, sceneStep } = page.state;
    save(nameOf(page, "page.json"), JSON.stringify({ format: WORK, version: 1, experiment: now, cursor, grain, answers: typed, scene, sceneStep }));
  };

  /** The run of an experiment from elsewhere; throws where it is none, or its parts do not fit together. */
  const fitting = (e) => {
    const texts = [e.tokens, Core.keyTokens(e), e.output ? e.output.vocabulary : []].flat();
    if (e.format !== "self-attention-experiment" || !texts.every((text) => typeof text === "string")) throw new Error("format");
    const run = Core.run(e), names = { n: e.tokens, m: Core.keyTokens(e) };
    const fits = (s) => ["heads", "Y"].every((name) => s.name !== name || Core.matrix(run, s.id).length === names.n.length);
    if (!Core.isSound(run) || !run.plan.every(fits)) throw new Error("numbers");
    return run;
  };

  /** Use a file that was saved here, an experiment or answers; throws where it is none of them. */
  const use = (page, text) => {
    const file = JSON.parse(text), { state } = page;
    if (file.format === WORK) {
      const run = fitting(file.experiment);
      if (file.scene !== null && page.data.scenes[file.scene]) Lesson.goTo(page, file.scene, file.sceneStep || 0);
      page.edit(file.experiment);
      return page.set({ cursor: Timeline.inside(run, file.cursor), grain: file.grain, answers: file.answers || {}, verdicts: {} });
    }
    if (file.format === "self-attention-answers") {
      return page.set({ answers: Practice.fromValues(state.run, file.values), name: String(file.name || "").slice(0, LONGEST_NAME), practice: true, verdicts: {} });
    }
    fitting(file);
    page.begin(file);
    return page.set({ scene: null, grain: state.grain === "scene" ? "stage" : state.grain });
  };
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
      const experiment = JSON.parse(Inflate.read(code));
      fitting(experiment);
      page.begin(experiment);
    } catch {
      return false;
    }
    page.set({ scene: null, grain: page.state.grain === "scene" ? "stage" : page.state.grain });
    return true;
  };
  /** The code behind # in the address of the page, if there is one. */
  const fromAddress = (page) => {
    const code = location.hash.replace(/^#(code=)?/, "");
    if (code && !useCode(page, decodeURIComponent(code))) page.tell(page.texts.say("bad_code"));
  };

  return { experiment, answers, work, open, use, answersText, fromAddress, useCode };
})();
