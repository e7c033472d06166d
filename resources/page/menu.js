"use strict";
/* Switches of the experiment, language and look, files: in the menu, some also in the bar. */
const Menu = (() => {
  const { byId, make, fill } = Dom;
  const SIZES = [100, 125, 150, 175];

  const select = (label, kinds, names, value, choose) =>
    kinds.length
      ? make(
          "label",
          {},
          label,
          make(
            "select",
            { onchange: (event) => choose(event.target.value) },
            ...kinds.map((kind) =>
              make("option", { value: kind, selected: kind === value }, names(kind)),
            ),
          ),
        )
      : null;
  const button = (text, action, attributes = {}) =>
    make("button", { type: "button", onclick: action, ...attributes }, text);

  /** The switches: positions, mask, scale, heads. */
  const switches = (page) => {
    const { state, texts, data } = page,
      e = state.experiment,
      { say, told } = texts,
      can = Experiment.canHave;
    const name = (table) => (kind) => told(data.tables[table][kind]);
    const kinds = [
      select(
        say("positions"),
        can.positional(e),
        name("positional"),
        Core.positional(e).kind,
        (kind) => page.edit(Experiment.withPositional(e, kind)),
      ),
      select(say("mask"), can.mask(e), name("mask"), Core.maskOf(e).kind, (kind) =>
        page.edit(Experiment.withMask(e, kind)),
      ),
      select(say("scaling"), can.scale(e), name("scale"), Core.scaleOf(e).kind, (kind) =>
        page.edit(Experiment.withScale(e, kind)),
      ),
    ];
    const field = (label, value, change, isWhole = false) =>
      make(
        "label",
        {},
        label,
        make("input", {
          type: "text",
          inputmode: isWhole ? "numeric" : "decimal",
          value: value ?? "",
          onchange: (event) => {
            const typed = event.target.value.trim(),
              number = typed ? Numbers.read(typed) : null;
            const fits = isWhole
              ? number === null || (Number.isInteger(number) && number >= 0)
              : number !== null;
            if (fits && (number !== null || !typed))
              page.edit(Experiment.withSetting(e, change(number)));
            else event.target.value = value ?? "";
          },
        }),
      );
    const mask = Core.maskOf(e),
      scale = Core.scaleOf(e),
      place = Core.positional(e);
    if (mask.kind === "window") {
      kinds.push(
        field(say("left"), mask.left, (left) => ({ mask: { ...mask, left } }), true),
        field(say("right"), mask.right, (right) => ({ mask: { ...mask, right } }), true),
      );
    }
    if (scale.kind === "factor")
      kinds.push(field(say("factor"), scale.value, (value) => ({ scale: { ...scale, value } })));
    if (["sinusoidal", "rotary"].includes(place.kind))
      kinds.push(
        field(say("base"), place.base ?? 10000, (base) => ({
          positional: { ...place, base: base > 0 ? base : place.base },
        })),
      );
    const owners = Core.isStack(e) ? e.layers.map((layer, i) => [i + 1, layer]) : [[null, e]];
    const heads = owners.flatMap(([layer, owner]) =>
      owner.heads.length > 1
        ? owner.heads.map((head, index) => {
            const id = layer === null ? "Q" : `L${layer}.Q`,
              prefix =
                layer === null || e.layers.length < 2 ? "" : `${say("layer", { number: layer })}, `;
            return make(
              "label",
              { class: "check" },
              make("input", {
                type: "checkbox",
                checked: head.enabled !== false,
                onchange: (event) =>
                  page.edit(Experiment.withHead(e, layer, index, event.target.checked)),
              }),
              prefix + texts.headName(state.run, id, index),
            );
          })
        : [],
    );
    return [
      ...kinds,
      ...(heads.length ? [make("fieldset", {}, make("legend", {}, say("heads")), ...heads)] : []),
    ];
  };

  const show = (page) => {
    const { state, texts, data } = page,
      { say } = texts,
      root = document.documentElement;
    const size = Number(root.dataset.size || 100),
      shade = root.dataset.shade || "";
    const group = (title, ...parts) => make("section", {}, make("h3", {}, title), ...parts);
    const choice = (name, items) =>
      make("div", { class: "choice", role: "group", "aria-label": name }, ...items);
    const look = [
      ["", say("system")],
      ["light", say("light")],
      ["dark", say("dark")],
    ].map(([id, text]) =>
      button(
        text,
        () => {
          if (id) root.dataset.shade = id;
          else delete root.dataset.shade;
          page.set({});
        },
        { "aria-pressed": String(shade === id) },
      ),
    );
    fill(
      byId("menu"),
      make(
        "header",
        {},
        make("h2", {}, say("menu")),
        make(
          "button",
          { type: "button", class: "bare", "aria-label": say("close"), onclick: () => close() },
          Dom.icon("close"),
        ),
      ),
      group(
        say("experiment"),
        ...switches(page),
        button(say("reset"), page.reset, { disabled: state.experiment === state.original }),
      ),
      group(
        say("page"),
        choice(
          say("language"),
          data.tables.languages.map((each) =>
            button(each.name, () => page.set({ language: each.id }), {
              lang: each.tag,
              "aria-pressed": String(each.id === state.language),
            }),
          ),
        ),
        choice(say("look"), look),
        choice(
          say("text_size"),
          SIZES.map((each) =>
            button(
              `${each} %`,
              () => {
                root.dataset.size = each;
                root.style.fontSize = `${each}%`;
                page.set({});
              },
              { "aria-pressed": String(each === size) },
            ),
          ),
        ),
      ),
      group(
        say("files"),
        make(
          "label",
          {},
          say("your_name"),
          make("input", {
            type: "text",
            id: "student",
            value: state.name || "",
            maxlength: 80,
            oninput: (event) => (state.name = event.target.value),
          }),
        ),
        button(say("save_answers"), () => Files.answers(page)),
        button(say("save_work"), () => Files.work(page)),
        button(say("open_work"), () => Files.open(page)),
        button(say("open_in_program"), () => Files.experiment(page), {
          disabled: Boolean(state.experiment.sum_heads),
        }),
        button(say("print"), () => print()),
      ),
      data.note ? make("p", { class: "muted" }, texts.told(data.note)) : null,
    );
  };
  /** Whether the rest of the page can be reached while the menu is open. */
  const behind = (reachable) =>
    ["head", "road", "main", "foot"].forEach((id) => (byId(id).inert = !reachable));
  const open = (page) => {
    show(page);
    byId("menu").setAttribute("aria-label", page.texts.say("menu"));
    byId("menu").hidden = false;
    byId("shade").hidden = false;
    behind(false);
    byId("menu").querySelector("button, select, input").focus();
  };
  const close = () => {
    behind(true);
    byId("menu").hidden = true;
    byId("shade").hidden = true;
    byId("more").focus();
  };
  return { open, close, show, switches };
})();
