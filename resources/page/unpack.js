"use strict";
/* Matrices that the page holds packed: {packed: [rows, columns, decimals, base64]}. */
const Packed = (() => {
  const matrix = ([rows, columns, decimals, text]) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
      view = new DataView(bytes.buffer);
    const number =
      decimals < 0
        ? (i) => view.getFloat32(4 * i, true)
        : (i) => view.getInt16(2 * i, true) / 10 ** decimals;
    return Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (__, j) => number(i * columns + j)),
    );
  };
  /** A value with its packed matrices as rows of numbers. */
  const unpack = (value) => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(unpack);
    if ("packed" in value) return matrix(value.packed);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unpack(part)]));
  };
  return { unpack };
})();
if (typeof module !== "undefined") module.exports = Packed;
