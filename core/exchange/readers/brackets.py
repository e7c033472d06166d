"""Matrices in brackets: lists, tuples, braces and calls that make arrays, in any language.

Python, NumPy, PyTorch, TensorFlow, JAX, MATLAB, Octave, Julia, R, Wolfram, JavaScript, Java, C, C++,
C#, Go, Rust, Kotlin: one scan for brackets, then `_Reader` gives each its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.base.errors import UserError
from core.exchange.grid import Grid
from core.exchange.readers.block import Block
from core.exchange.readers.bracket_rows import (
    decimal_rows,
    in_sizes,
    mostly_numbers,
    rows_in,
    rows_of_commas,
)
from core.exchange.readers.bracket_scan import DEEPEST, NEAR, Node, last_part, scan
from core.exchange.readers.calls import Nested, NoMatrix, arranged, grids_of, split_rows
from core.exchange.readers.notations import (
    FRAMES,
    GIVES_BACK,
    HARMLESS,
    NAMED_LISTS,
    SIZES,
    TENSOR_NAME,
)

_SIZED = re.compile(
    r"(?:shape|size|dims?|axis|axes|strides?|extent|[xy]lim|ticks|bins)(?: of \w+)?[\x22']?\s{0,9}(?:==?|:|is)\s{0,9}$",
    re.IGNORECASE,
)
_SCALAR = re.compile(
    r"\b(?:(?:np|numpy|jnp|tf|torch)\.)?(?:(?:float|int|uint)\d*|tensor)\(([^()\[\]]*)\)"
)
_KEY = re.compile(
    r"""\s*(?:"([^"\n]*)"|'([^'\n]*)'|:?([^\W\d][\w.]*|\d+)"?)\s*(?:=>|->|:(?!:)|=(?!=)|,(?=\s*$))\s*$"""
)
_OPTION = re.compile(r"\.?([A-Za-z_]\w*)\s*=\s*(\S[^,]*)")
_METHOD = re.compile(r"[ \t\n]{0,20}\.(\w+)(\((?:[^()\n]|\([^()\n]*\)){0,80}\))?")
_OPERATOR_AFTER = re.compile(
    r"[ \t]*(?:(?:\*\*?|@|x(?=[ \t]*[\[(])|/(?!/)|×|·|÷|%\*%|\.\*|\./)[ \t]*[\w(\[.{√\\-]"
    r"|[-+][ \t]*[\d(\[{]|[-+][ \t]\w+[\[(.]|\^|\.?'(?!\w)|[ᵀ⊤]|\[)"
)
_OPERATOR_BEFORE = re.compile(
    r"(?:[\w)\]}.][ \t]*(?:[*/@×·÷⊙]|%\*%)|[)\]}][ \t]*x|[=(,:][ \t]*-|[\d)\]\w][ \t]+[-+])[ \t]*$"
)
_TIGHT = re.compile(r"\d,\d")  # 0,5, not 0, 5
_MANY_SEMICOLONS = re.compile(r";\s*;")
_LEFT_OUT = re.compile(r"[.…⋯⋮⋱\s,]*")
_ASSIGNED = re.compile(r"(?:[=≈→:∈|]|<-|->|\b(?:is|are|vector|row|be))\s*$")
_LISTED_ON = re.compile(r"\)[ \t]*,?[ \t]*(?:and|und|et|和|与)?[ \t]*$")
_RESULT = re.compile(r"\s*(?:=(?!=)|≈)")
_INTERVAL = re.compile(
    r"(?:∈|\b(?:in|intervals?|ranges?|between|from|within|over|into|lies?|see|refs?|eqs?\.?|sections?))\s*$",
    re.I,
)
_NO_LIST = re.compile(r"[\^_]\s*$|\\[a-zA-Z]+\s*$|\\[a-z]*frac\s*\{[^{}]*\}$")  # braces of LaTeX
_RUST_TYPE = re.compile(r"[\[(<&]*\s*[fiu]\d+\s*;")
_DECLARED_SIZES = re.compile(r"\w((?:\[\d+\]){2,})\s*=\s*$")
_COMPREHENSION = re.compile(r"\bfor\b.*\bin\s+$", re.DOTALL)
_FILLED = re.compile(r"([\w.]+?)(?:\.data)?\.(?:copy_?|assign|set_value)")  # W_q.copy_(…)
_CITATION = re.compile(r"\[\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*\]")


class _Between(UserError):
    """Something is between lists: a matrix if the rest is numbers, else a text with lists."""


class _Computed(UserError):
    """A list is the argument of a function: refused where the result has a name, else left out."""


def blocks(text: str) -> Iterator[Block]:
    """Every matrix, or list of matrices, in brackets, and what looks like one and cannot be read."""
    top, lost = scan(text)
    reader = _Reader(text)
    found = [block for node in top for block in reader.blocks(node)]
    found += [
        Block([], node.start, node.end, problem=UserError("paste.bracket", text=node.broken))
        for node in lost
    ]
    found.sort(key=lambda block: block.start)
    yield from _joined(text, found)


def _joined(text: str, found: list[Block]) -> Iterator[Block]:
    """Rows that lost the brackets around them as one matrix: [1, 2], [3, 4]."""
    pending: Block | None = None
    for block in found:
        if pending is not None:
            gap = text[pending.end : block.start]
            name = _gap_name(text, pending, block) if len(gap) < NEAR else None
            if name is not None:
                pending.grids[0] += block.grids[0]
                pending.name, pending.end = name or pending.name, block.end
                continue
            if pending.bare and block.bare and _LISTED_ON.fullmatch(")" + gap) and gap.strip(", "):
                pending.name = block.name = ""  # two rows: (1, 2) and (3, 4)
            yield pending
        pending = block
    if pending is not None:
        yield pending


_MIDDLE = re.compile(r"[ \t]*\n[ \t]*(?:([^\W\d][\w^']*)[ \t]*[=≈][ \t]*)?")


def _gap_name(text: str, before: Block, block: Block) -> str | None:
    """Whether two rows are of one matrix: its name if one is between them, "" if none; else
    None.
    """
    if not (before.bare and block.bare and len(before.grids[0][0]) == len(block.grids[0][0])):
        return None
    gap = text[before.end : block.start]
    if "\n" in gap and not _begins_line(text, before.start):
        line = text[text.rfind("\n", 0, before.start) + 1 : before.start]
        return "" if not gap.strip(" \t\n,;") and not re.search(r"[\])}]", line) else None
    if not gap.strip(" \t\n,;"):
        return ""
    named = _MIDDLE.fullmatch(gap)
    same = _column(text, before.start) == _column(text, block.start)
    return named[1] if named and same else None


def _begins_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _column(text: str, position: int) -> int:
    return position - text.rfind("\n", 0, position)


@dataclass(slots=True)
class _Entries:
    """A dictionary: its keys, and their values."""

    keys: list[str]
    values: list[Nested | _Entries]
    nodes: list[Node]
    framed: bool = False  # the lists of a data frame are its columns


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def blocks(self, node: Node) -> Iterator[Block]:
        """The matrices in a node; those within it where it is none itself."""
        text, name = self._text, last_part(node.callee)
        near = text[max(0, node.begin - NEAR) : node.begin]
        if not node.is_list or name in SIZES or (not node.children and self._is_prose(node, near)):
            return
        if _SIZED.search(near[-40:]) or (node.sign == "{" and _NO_LIST.search(near[-40:])):
            return
        if _RUST_TYPE.match(text, node.start):
            return
        try:
            value = self._value(node, inner=False)
            if isinstance(value, _Entries):
                yield from self._entries(value, node.begin, node.end)
                return
            if sized := _DECLARED_SIZES.search(near[-40:]):  # double q[2][2] = {1, 2, 3, 4}
                value = in_sizes(value, [int(size) for size in re.findall(r"\d+", sized[1])])
            axes, grids = grids_of(value)
            if not any(row for grid in grids for row in grid):
                return
            if not mostly_numbers(grids):
                raise NoMatrix
            end, grids = self._after(node.end, grids)
            operand = self._is_operand(near, end)
            other = (
                decimal_rows(grids[0])
                if axes == 2 and _TIGHT.search(text, node.start, node.end) and not node.children
                else None
            )
            bare = axes == 1 and not node.callee and not operand
            if operand and axes == 1 and self._is_drawn(node):
                raise UserError("paste.leftover", text=near.rpartition("\n")[2].strip()[-40:])
            name_within = (
                node.callee if node.sign == "{" and re.search(r"[\w>]\s+$", near[-40:]) else None
            )
            if filled := _FILLED.fullmatch(node.callee):
                name_within = filled[1]
            name_within = "" if operand else name_within
            yield Block(grids, node.begin, end, name_within, axes=axes, bare=bare, other=other)
        except NoMatrix:
            for kid in node.children:
                yield from self.blocks(kid)
        except UserError as problem:
            between = isinstance(problem, _Between) and not self._is_numeric(node)
            computed = isinstance(problem, _Computed) and not (
                _ASSIGNED.search(near) and re.search(r"\d", text[node.start : node.end])
            )
            if between or (computed and _RESULT.match(text, node.end)):
                for kid in node.children:
                    yield from self.blocks(kid)
            elif not computed:
                yield Block([], node.begin, node.end, problem=problem)

    def _is_drawn(self, node: Node) -> bool:
        """Whether a row is part of a matrix that is drawn with signs, rows below each other."""
        text = self._text
        start = text.rfind("\n", 0, node.begin) + 1
        above, below = text.rfind("\n", 0, max(start - 1, 0)) + 1, text.find("\n", node.begin) + 1
        column = node.begin - start
        places = [above + column] * (above < start) + [below + column] * (below > 0)
        return any(text[place : place + 1] == "[" for place in places)

    def _is_numeric(self, node: Node) -> bool:
        piece = self._text[node.start : node.end][:4000]
        return node.sign == "[" and len(re.findall(r"\d", piece)) > len(
            re.findall(r"[^\W\d_]", piece)
        )

    def _is_prose(self, node: Node, near: str) -> bool:
        """Whether brackets in a sentence are a citation, an interval, a pair (2, 4) or the like."""
        content = self._text[node.start + 1 : node.end - 1]
        if not content or content.isspace():
            return True
        if node.callee and node.sign == "(" and not re.search(r"[,\s]", content.strip()):
            return True  # a scalar, such as tensor(0.5)
        if (
            len(content) < 40
            and not re.search(r"[.e/√]\s*-?\d", content)
            and len(re.findall(r"[^\s,;]+", content)) < 2
        ):
            return not _ASSIGNED.search(near[-40:])
        line = near.rpartition("\n")[2]
        after = self._text[node.end : node.end + NEAR].partition("\n")[0]
        alone = not line.strip(" \t,;|") and not after.strip(" \t,;|.")
        if node.callee or node.sign == "{":
            return False
        if node.sign == "(":
            shape = near.rstrip().endswith(":") and re.fullmatch(
                r"(?:\s*[1-9]\d*\s*,?){2,4}", content
            )
            return bool(shape) or not (alone or _ASSIGNED.search(near) or _LISTED_ON.search(line))
        if alone or (_ASSIGNED.search(near) and not _INTERVAL.search(near)):
            return False
        piece = self._text[node.start : node.end]
        return bool(_INTERVAL.search(near)) or bool(
            _CITATION.fullmatch(piece)
            and re.search(r"[^\W\d]{2}\s*$", near)
            and not re.search(
                r"\b(?:vectors?|rows?|weights?|scores?|embeddings?|values?|tokens?)\s*$", near, re.I
            )
        )

    def _entries(self, found: _Entries, start: int, end: int) -> Iterator[Block]:
        shapes = [None if isinstance(one, _Entries) else grids_of(one) for one in found.values]
        vectors = [
            grids[0][0] for shape in shapes if shape and shape[0] == 1 for grids in [shape[1]]
        ]
        tensors = (
            sum(TENSOR_NAME.fullmatch(key) is not None for key in found.keys) > len(found.keys) / 2
        )
        if len(vectors) == len(shapes) > 1 and len(set(map(len, vectors))) == 1 and not tensors:
            if found.framed:
                vectors = [list(row) for row in zip(*vectors, strict=True)]
                yield Block([vectors], start, end, columns=tuple(found.keys))
            elif mostly_numbers([vectors]):
                yield Block([vectors], start, end, rows=tuple(found.keys))
            return
        for key, value, shape, node in zip(
            found.keys, found.values, shapes, found.nodes, strict=True
        ):
            if isinstance(value, _Entries):
                yield from self._entries(value, node.begin, node.end)
            elif shape and mostly_numbers(shape[1]):
                yield Block(shape[1], node.begin, node.end, name=key, axes=shape[0])

    def _value(self, node: Node, *, inner: bool) -> Nested | _Entries:
        if node.broken:
            if node.depth == 1 and not inner:
                raise NoMatrix
            raise UserError("paste.bracket", text=node.broken)
        if node.depth > DEEPEST:
            raise UserError("paste.axes", actual=node.depth)
        name = last_part(node.callee)
        if name in SIZES:
            raise NoMatrix
        if not node.children:
            self._require_list(node, name)
            return self._leaf(node, inner=inner)
        if node.callee and node.sign != "{":
            return self._call(node, name)
        return self._items(node)

    def _require_list(self, node: Node, name: str) -> None:
        """Raise `_Computed` for a function that makes something else of its list."""
        function = name and node.sign != "{" and self._text[node.begin - 1 : node.begin] != "\\"
        maps = name == "map" and (node.sign == "[" or node.callee != "Map")
        if function and (maps or not GIVES_BACK.fullmatch(name)):
            raise _Computed("paste.leftover", text=node.callee[:40])

    def _require_untouched(self, node: Node) -> None:
        """Raise `_Computed` if a method or an operator changes an argument of a call."""
        method = _METHOD.match(self._text, node.end)
        changed = method is not None and method[1] not in HARMLESS and not method[1][:1].isdigit()
        if changed or _OPERATOR_AFTER.match(self._text, node.end):
            rest = self._text[node.end : node.end + 40].partition("\n")[0].strip()
            raise _Computed("paste.leftover", text=rest)

    def _leaf(self, node: Node, *, inner: bool) -> Nested:
        content = self._text[node.start + 1 : node.end - 1]
        if "(" in content:
            content = _SCALAR.sub(r"\1", content)
        if _MANY_SEMICOLONS.search(content.strip(" ;\n")):
            raise UserError("paste.axes", actual=3)
        if inner and ";" not in content and not ("," in content and rows_of_commas(content)):
            content = content.replace("\n", " ")
        rows = rows_in(content)
        if len(rows) == 1:
            return rows[0]
        return rows

    def _items(self, node: Node) -> Nested | _Entries:
        """The lists within brackets, with their keys if they have some."""
        text, position = self._text, node.start + 1
        keys: list[str] = []
        values: list[Nested | _Entries] = []
        for index, kid in enumerate(node.children, 1):
            gap = text[position : kid.begin]
            position = kid.end
            if gap.strip(" \n\t,;"):
                keys.append(self._key(gap.lstrip(" \n\t,;"), index))
            values.append(self._value(kid, inner=True))
        rest = text[position : node.end - 1]
        if rest.strip(" \n\t,;"):
            self._key(rest, len(values))
        if keys and len(keys) == len(values):
            return _Entries(keys, values, node.children)
        if keys:
            raise NoMatrix
        pairs = [one for one in values if isinstance(one, _Entries)]
        if pairs and len(pairs) == len(values) and all(len(one.keys) == 1 for one in pairs):
            return _Entries(
                [one.keys[0] for one in pairs],
                [one.values[0] for one in pairs],
                [one.nodes[0] for one in pairs],
            )
        if pairs:
            raise NoMatrix
        return values

    def _key(self, gap: str, row: int) -> str:
        match = _KEY.fullmatch(gap)
        if match:
            return next(part for part in match.groups() if part is not None)
        rest = gap.strip(" \n\t,;")
        if _COMPREHENSION.search(gap):
            raise _Computed("paste.leftover", text=rest[:40])
        if _LEFT_OUT.fullmatch(rest):
            raise UserError("paste.elided", row=row)
        raise _Between("paste.leftover", text=rest[:40])

    def _call(self, node: Node, name: str) -> Nested | _Entries:
        """The array that a call makes of its lists, numbers and options."""
        text, position = self._text, node.start + 1
        lists: list[Any] = []
        keys: list[str] = []
        kept: list[Node] = []
        options: dict[str, Any] = {}
        numbers: list[str] = []
        for kid in node.children:
            gap = text[position : kid.begin]
            position = kid.end
            self._require_untouched(kid)
            *plain, last = gap.rpartition(",")[0], gap.rpartition(",")[2]
            numbers += self._arguments(plain[0], options)
            key = re.fullmatch(
                r"\s*\.?(?:\"([^\"]*)\"|([A-Za-z_]\w*))\s*(?:=>?|->|:|\bto\b)\s*", last
            )
            if key:
                options[(key[1] or key[2]).lower()] = self._value(kid, inner=True)
                keys.append(key[1] or key[2])
                kept.append(kid)
            elif last.strip():
                numbers += self._arguments(last, options)
                lists.append(self._value(kid, inner=True))
            else:
                lists.append(self._value(kid, inner=True))
        numbers += self._arguments(text[position : node.end - 1], options)
        if options.keys() & {"indices", "row_indices", "col_indices"} and "values" in options:
            raise UserError("paste.sparse")
        if any(not isinstance(one, _Entries) for one in lists):
            self._require_list(node, name)
        if not lists and keys and name in (*NAMED_LISTS, *FRAMES):
            values = [options[key.lower()] for key in keys]
            return _Entries(keys, values, kept, framed=name in FRAMES)
        if not lists and "data" in options:
            lists = [options["data"]]
        if len(lists) == 1 and isinstance(lists[0], _Entries):
            lists[0].framed |= name in FRAMES
            return lists[0]
        if not lists or any(isinstance(one, _Entries) for one in lists):
            pairs = [one for one in lists if isinstance(one, _Entries)]
            if pairs and len(pairs) == len(lists):
                return _Entries(
                    [key for one in pairs for key in one.keys],
                    [value for one in pairs for value in one.values],
                    [kid for one in pairs for kid in one.nodes],
                )
            raise NoMatrix
        return arranged(name, lists, numbers, options)

    @staticmethod
    def _arguments(piece: str, options: dict[str, Any]) -> list[str]:
        found = []
        for part in piece.split(","):
            part = part.strip()
            option = _OPTION.fullmatch(part)
            if option:
                options[option[1].lower()] = option[2].strip()
            elif re.fullmatch(r"[-\d.]+L?|TRUE|FALSE|T|F", part):
                found.append(part.rstrip("L"))
        return found

    def _after(self, end: int, grids: list[Grid]) -> tuple[int, list[Grid]]:
        """What follows the brackets: methods and sizes; an operation on them is refused."""
        text = self._text
        while match := _METHOD.match(text, end):
            name, arguments = match[1], match[2] or ""
            if name in ("reshape", "view") and arguments and "order" not in arguments:
                sizes = [int(one) for one in re.findall(r"-?\d+", arguments)]
                flat = [cell for grid in grids for row in grid for cell in row]
                grids = grids_of(split_rows(flat, sizes))[1]
            elif not arguments and name[:1].isdigit():
                break
            elif name not in HARMLESS:
                raise UserError("paste.leftover", text=match[0].strip()[:40])
            end = match.end()
        while text[end : end + 1] == ")":  # of a call around it
            end += 1
        return end, grids

    def _is_operand(self, near: str, end: int) -> bool:
        """Whether another matrix is multiplied with it or added to it.

        Raises UserError "paste.leftover" (text) for a number, which would change its entries.
        """
        line = near.rpartition("\n")[2]
        before, after = _OPERATOR_BEFORE.search(line), _OPERATOR_AFTER.match(self._text, end)
        if before and before[0][0] not in "])}":
            raise UserError("paste.leftover", text=line.strip()[-40:])
        if after and (after[0][-1] not in "[({" or after[0] == "["):
            rest = self._text[end : end + 40].partition("\n")[0].strip()
            raise UserError("paste.leftover", text=rest)
        return bool(before or after)
