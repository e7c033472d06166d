"use strict";
/* Small helpers for elements. */
const Dom = (() => {
  const byId = (id) => document.getElementById(id);
  /** An element with attributes and children; a text child is escaped. */
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(
      ...children.filter((child) => child !== null && child !== undefined && child !== ""),
    );
    return element;
  };
  const drawn = (tag, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes))
      if (value !== null) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const fill = (parent, ...children) => {
    parent.replaceChildren(...children.filter(Boolean));
    return parent;
  };
  /** The spans of a worked sum as elements. */
  const spans = (line) =>
    line.map(({ text, role, level }) => {
      const tag = level ? (level > 0 ? "sup" : "sub") : "span";
      return make(tag, { class: role === "plain" ? null : role }, text);
    });
  const ICONS = {
    first: "M4 4h3v12H4zM17 4v12L8 10z",
    back: "M13 4v12L5 10zM14 4h2v12h-2z",
    play: "M5 3v14l12-7z",
    pause: "M5 4h4v12H5zM11 4h4v12h-4z",
    forward: "M5 4v12l9-6zM14 4h2v12h-2z",
    last: "M13 4h3v12h-3zM3 4v12l9-6z",
    undo: "M8 4L3 8.5 8 13V10c4 0 6 1.500 7 5 .5-5-2-8-7-8z",
    menu: "M9 3h3v3H9zM9 8.500h3v3H9zM9 14h3v3H9z",
    close: "M5 4L4 5l5 5-5 5 1 1 5-5 5 5 1-1-5-5 5-5-1-1-5 5z",
  };
  const icon = (name) =>
    drawn(
      "svg",
      { viewBox: "0 0 20 20", "aria-hidden": "true" },
      drawn("path", { d: ICONS[name] }),
    );
  return { byId, make, drawn, fill, spans, icon };
})();
