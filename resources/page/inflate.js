"use strict";
/* Codes of experiments: base64url of deflated JSON (RFC 1951, with or without the header of RFC 1950). */
const Inflate = (() => {
  const MOST = 1 << 22; // bytes of an experiment
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

  /** First values and extra bits of lengths (from 3) and distances (from 1). */
  const ranges = (count, first, bitsOf) => {
    const found = [];
    for (let code = 0, value = first; code < count; code++) {
      const bits = bitsOf(code);
      found.push([value, bits]);
      value += 2 ** bits;
    }
    return found;
  };
  const LENGTHS = ranges(28, 3, (code) => (code < 8 ? 0 : (code >> 2) - 1)).concat([[258, 0]]);
  const DISTANCES = ranges(30, 1, (code) => (code < 4 ? 0 : (code >> 1) - 1));

  /** The symbols of a canonical Huffman code by length and code; `lengths` are those of the symbols. */
  const tree = (lengths) => {
    const found = new Map();
    let code = 0;
    for (let length = 1; length <= 15; length++) {
      code <<= 1;
      lengths.forEach((each, symbol) => {
        if (each === length) found.set(length * 65536 + code++, symbol);
      });
    }
    return found;
  };
  const FIXED = [
    tree(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
    tree(Array.from({ length: 30 }, () => 5)),
  ];

  /** The bytes that some bytes stand for. Throws where they are damaged or cut off. */
  const inflate = (bytes) => {
    const out = [];
    let at = 0;
    const bit = () => {
      if (at >= bytes.length * 8) throw new Error("cut off");
      const value = (bytes[at >> 3] >> (at & 7)) & 1;
      at++;
      return value;
    };
    const number = (count) => {
      let value = 0;
      for (let i = 0; i < count; i++) value += bit() * 2 ** i;
      return value;
    };
    const symbol = (codes) => {
      let code = 0;
      for (let length = 1; length <= 15; length++) {
        code = code * 2 + bit();
        const found = codes.get(length * 65536 + code);
        if (found !== undefined) return found;
      }
      throw new Error("no such code");
    };
    const byte = (value) => {
      if (out.length >= MOST) throw new Error("too long");
      out.push(value);
    };
    const stored = () => {
      at = (at + 7) & ~7;
      const count = number(16);
      if (count !== (~number(16) & 0xffff)) throw new Error("damaged");
      for (let i = 0; i < count; i++) byte(number(8));
    };
    const dynamic = () => {
      const literals = number(5) + 257,
        distances = number(5) + 1,
        count = number(4) + 4,
        own = new Array(19).fill(0);
      for (let i = 0; i < count; i++) own[ORDER[i]] = number(3);
      const codes = tree(own),
        lengths = [];
      while (lengths.length < literals + distances) {
        const next = symbol(codes);
        if (next < 16) lengths.push(next);
        else {
          const repeated = next === 16 ? lengths[lengths.length - 1] : 0;
          const times = next === 16 ? 3 + number(2) : next === 17 ? 3 + number(3) : 11 + number(7);
          for (let i = 0; i < times; i++) lengths.push(repeated);
        }
      }
      return [
        tree(lengths.slice(0, literals)),
        tree(lengths.slice(literals, literals + distances)),
      ];
    };
    const block = ([literals, distances]) => {
      for (;;) {
        const next = symbol(literals);
        if (next === 256) return;
        if (next < 256) byte(next);
        else {
          const [length, bits] = LENGTHS[next - 257],
            count = length + number(bits);
          const [distance, more] = DISTANCES[symbol(distances)],
            back = distance + number(more);
          if (back > out.length) throw new Error("damaged");
          for (let i = 0; i < count; i++) byte(out[out.length - back]);
        }
      }
    };
    if ((bytes[0] & 15) === 8 && (bytes[0] * 256 + bytes[1]) % 31 === 0) at = 16;
    for (let last = 0; !last;) {
      last = bit();
      const kind = number(2);
      if (kind === 3) throw new Error("damaged");
      if (kind === 0) stored();
      else block(kind === 1 ? FIXED : dynamic());
    }
    return Uint8Array.from(out);
  };

  /** The text of a code. */
  const read = (code) => {
    const plain = atob(code.replace(/-/g, "+").replace(/_/g, "/").replace(/\s/g, ""));
    return new TextDecoder("utf-8", { fatal: true }).decode(
      inflate(Uint8Array.from(plain, (letter) => letter.charCodeAt(0))),
    );
  };
  return { inflate, read };
})();
if (typeof module !== "undefined") module.exports = Inflate;
