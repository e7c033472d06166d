/* The scenes of a lesson: a list to choose from, what is said, the question, and its answer on request. */
const makeScenes = (page) => {
  const { scenes } = page.data;
  const byId = (id) => document.getElementById(id);
  let answered = -1; // the scene whose answer is open

  const option = (scene, index) => new Option(`${index + 1}. ${page.told(scene.title)}`, String(index));

  /** The list, with a group for each breakpoint where there are several. */
  const list = (chosen) => {
    const select = byId("scene");
    const groups = [];
    scenes.forEach((scene, index) => {
      if (scene.begins) {
        const group = document.createElement("optgroup");
        group.label = page.told(scene.title);
        groups.push(group);
      }
      groups.at(-1).append(option(scene, index));
    });
    const plain = groups.length < 2 || groups.length === scenes.length;
    select.replaceChildren(...(plain ? scenes.map(option) : groups));
    select.value = String(chosen);
    select.setAttribute("aria-label", page.word("scenes"));
  };

  return {
    /** Every step of every scene: the scene, its step, and where it stands. */
    stops: scenes.flatMap((scene, index) => scene.stops.map((stop, step) => ({ scene: index, step, stop }))),

    /** The words of a scene, or of none (-1) while its experiment is walked through. */
    show(index, shown) {
      byId("scene").hidden = !scenes.length;
      if (scenes.length) list(index);
      const scene = shown ? scenes[index] : null;
      const question = scene ? page.told(scene.question) : "";
      const answer = scene ? page.told(scene.answer) : "";
      byId("question").hidden = !question;
      page.say(byId("question"), question);
      byId("answer").hidden = !answer;
      byId("answer").querySelector("summary").textContent = page.word("answer");
      page.say(byId("answer").querySelector("p"), answer);
      if (answered !== index) byId("answer").open = false;
      answered = index;
      const lab = scene && scene.lab ? page.told(scene.lab)[page.shade()] : "";
      byId("lab").hidden = !lab;
      if (lab) {
        const picture = document.createElement("img");
        picture.src = lab;
        picture.alt = page.told(scene.title);
        byId("lab").replaceChildren(picture);
      }
      const alone = Boolean(scene) && scene.view.length === 1 && scene.view[0] === "lab";
      for (const id of ["stages", "overview", "operation", "card", "hint"]) byId(id).classList.toggle("away", alone);
    },
  };
};
