"use strict";
/* The scenes of a lesson: their texts, their experiments, and where each of their steps stands. */
const Lesson = (() => {
  const { byId, make, fill } = Dom;

  /** Go to a step of a scene: its experiment, its cursor and the number that it marks. */
  const goTo = (page, scene, step) => {
    const { data, state } = page,
      next = data.scenes[scene];
    const at = Math.min(step, next.stops.length - 1),
      { cursor, focus } = next.stops[at];
    const other = state.scene === null || data.scenes[state.scene].experiment !== next.experiment;
    if (other || scene !== state.scene) page.begin(data.experiments[next.experiment], cursor);
    state.cursor = Timeline.inside(state.run, cursor);
    page.set({ scene, sceneStep: at, focus });
  };
  const step = (page, by) => {
    const { data, state } = page,
      here = data.scenes[state.scene],
      at = state.sceneStep + by;
    if (at >= 0 && at < here.stops.length) return goTo(page, state.scene, at);
    const scene = state.scene + Math.sign(by);
    return data.scenes[scene] ? goTo(page, scene, by > 0 ? 0 : Infinity) : undefined;
  };
  /** All steps of all scenes before a step, and in all. */
  const progress = (page) => {
    const { data, state } = page,
      counts = data.scenes.map((scene) => scene.stops.length);
    const before = counts.slice(0, state.scene).reduce((a, b) => a + b, 0);
    return [before + state.sceneStep + 1, counts.reduce((a, b) => a + b, 0)];
  };
  const atProgress = (page, place) => {
    let left = place - 1;
    const scene = page.data.scenes.findIndex((each) =>
      left < each.stops.length ? true : ((left -= each.stops.length), false),
    );
    goTo(page, scene, left);
  };

  const SHOWN = ["diagram", "stage", "derivation", "heatmap", "code"];
  /** The panels of the scene while it is stepped through; null where everything is shown. */
  const view = (page) =>
    page.state.scene !== null && page.state.grain === "scene"
      ? page.data.scenes[page.state.scene].view
      : null;

  const show = (page) => {
    const { data, state, texts } = page,
      element = byId("lesson"),
      panels = view(page);
    element.hidden = state.scene === null;
    document.body.classList.toggle("lesson", state.scene !== null);
    byId("stage").hidden = Boolean(panels) && !panels.some((each) => SHOWN.includes(each));
    byId("road").hidden =
      Boolean(panels) && !matchMedia("(max-width: 900px)").matches && !panels.includes("diagram");
    document.body.classList.toggle("alone", byId("stage").hidden);
    if (state.scene === null) return;
    const scene = data.scenes[state.scene],
      { told, say } = texts,
      lab = scene.lab && told(scene.lab);
    const pictures = [lab && (dark() ? lab.dark : lab.light), scene.picture]
      .filter(Boolean)
      .map((src) => make("img", { src, alt: told(scene.title) }));
    const paragraphs = (text, kind) =>
      told(text)
        .split("\n")
        .filter(Boolean)
        .map((line) => Texts.typeset(make("p", { class: kind }), line));
    const answer = told(scene.answer)
      ? make(
          "details",
          { class: "answer" },
          make("summary", {}, say("answer")),
          ...paragraphs(scene.answer),
        )
      : null;
    const open = element.querySelector("details");
    if (answer && open && open.open && element.dataset.scene === String(state.scene))
      answer.open = true;
    element.dataset.scene = state.scene;
    fill(
      element,
      make(
        "p",
        { class: "muted count" },
        say("scene_count", { scene: state.scene + 1, scenes: data.scenes.length }),
      ),
      make("h2", {}, told(scene.title)),
      ...paragraphs(scene.text),
      ...paragraphs(scene.say),
      ...paragraphs(scene.question, "question"),
      answer,
      ...pictures,
    );
  };
  const dark = () =>
    (document.documentElement.dataset.shade ||
      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

  return { goTo, step, show, progress, atProgress };
})();
