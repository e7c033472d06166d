"""Pairs of brackets in a text, and what each belongs to: a list, a call, an index."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from core.exchange.readers.notations import (
    LISTS,
)

DEEPEST = 10  # brackets within brackets
MOST_LOST = 8  # brackets without a partner that are looked at
NEAR = 120  # characters before or after brackets that belong to them
_SIGNS = re.compile(
    r"[\[\](){}]|\"[^\"\n]{0,80}\"(?=\s*(?:[:,]|[-=]>))|(?<![\w\])}'])'[^'\n]{0,80}'(?=\s*(?:[:,]|[-=]>))"
)
_LISTED = re.compile(r"\s{0,9}(?:[\[{(]\s{0,9}){0,3}[-+.]?\d")
_CLOSES = {"]": "[", ")": "(", "}": "{"}
_CALLEE = re.compile(r"(?<![\w.:!])[A-Za-z_][\w.:]*!?(?:<[^<>\n]{0,40}>)?$")
_PREFIX = re.compile(  # new double[][], []float64, std::vector<float>, &
    r"(?:\bnew\b\s*[\w.]*(?:<[^{}()\n]{0,40}>)?(?:\(\))?\s*(?:\[[\d, ]*\]\s*)*|(?:map\s?\[\w+\])?(?:\[\d*\])+\w+|&\s*(?:mut\s+)?)$"
)
_CELL_CALLS = frozenset(
    """sqrt exp ln log log2 log10 sin cos tan tanh abs float int float16 float32 float64 int32
    int64 uint8 frac""".split()  # noqa: SIM905
)


@dataclass(slots=True)
class Node:
    """A pair of brackets; `begin` is where its callee or type begins."""

    sign: str
    start: int
    end: int
    begin: int
    callee: str = ""
    children: list[Node] = field(default_factory=list)
    depth: int = 1
    is_list: bool = True
    broken: str = ""


def scan(text: str) -> tuple[list[Node], list[Node]]:
    """The outermost brackets, and those without a partner where a matrix seems to begin."""
    top: list[Node] = []
    open_: list[tuple[str, int, list[Node]]] = []
    for match in _SIGNS.finditer(text):
        sign = match[0]
        if sign in "[({":
            open_.append((sign, match.start(), []))
        elif sign in _CLOSES and open_:
            opened, start, children = open_.pop()
            siblings = open_[-1][2] if open_ else top
            node = _node(text, opened, start, match.end(), children, siblings)
            node.broken = "" if _CLOSES[sign] == opened else sign
            siblings.append(node)
        elif sign in "]}" and _closes_again(text, top, match.start()):
            top[-1].broken, top[-1].end = sign, match.end()
    lost: list[Node] = []
    for place, (sign, start, children) in enumerate(open_):
        if place < MOST_LOST and sign != "(" and _LISTED.match(text, start + 1):
            end, count = start + 1, 0
            for child in children:
                if text[end : child.begin].strip(" \n\t,;"):
                    break
                end, count = child.end, count + 1
            del children[:count]
            lost.append(Node(sign, start, end, start, broken=sign))
        top += children
    top.sort(key=lambda node: node.start)
    return top, lost


def _closes_again(text: str, top: list[Node], position: int) -> bool:
    """Whether a bracket without a partner follows right after a list of lists."""
    if not top or top[-1].broken or not top[-1].children:
        return False
    return position - top[-1].end < NEAR and not text[top[-1].end : position].strip()


def _node(
    text: str, sign: str, start: int, end: int, children: list[Node], siblings: list[Node]
) -> Node:
    node = Node(sign, start, end, start, children=[kid for kid in children if kid.is_list])
    before = text[start - 1] if start else ""
    if before and (before.isalnum() or before in "_!>"):
        found = _CALLEE.search(text, _word_start(text, start), start)
        if found:
            node.callee, node.begin = found[0], found.start()
        elif sign != "{" and before != ">":
            node.callee = before
    near = text[max(0, start - NEAR) : start] if sign == "{" and before not in "{}," else ""
    if before == "&" or "new" in near or "]" in near:
        prefix = _PREFIX.search(text, max(0, start - NEAR), start)
        if prefix:
            node.begin, node.callee = prefix.start(), ""
    node.depth = 1 + max((kid.depth for kid in node.children), default=0)
    if node.depth > DEEPEST + 1:
        node.children, node.depth = [], DEEPEST + 2
    else:
        node.is_list = _is_list(text, node, children, siblings, before)
    return node


def _word_start(text: str, end: int) -> int:
    """Where the name that ends there may begin; a search from further left would be slow."""
    start, least = end, max(0, end - NEAR)
    if text[end - 1] == ">":
        return least
    while start > least and (text[start - 1].isalnum() or text[start - 1] in "_.:!"):
        start -= 1
    return start


def _is_list(
    text: str, node: Node, children: list[Node], siblings: list[Node], before: str
) -> bool:
    name = last_part(node.callee)
    if node.sign == "{":
        return True
    if node.sign == "(":
        if name in _CELL_CALLS:
            return False
        if not node.callee:
            inner = text[node.start + 1 : node.end - 1]
            rows = "\n" in inner and re.match(r"\s*[-+.\d]", inner) is not None
            return bool(node.children) or "," in inner or rows
        return bool(node.children) or (name in LISTS and name != "matrix")  # matrix(0, 2, 2) of R
    if before == ")" and not children:
        return False  # an index, as in f(x)[0, 1]
    if before == "]" and siblings and not siblings[-1].is_list and siblings[-1].end == node.start:
        return False
    inner = text[node.start + 1 : node.end - 1] if node.end - node.start < NEAR else "1"
    if not inner.strip() and (
        text[node.end : node.end + 1].isalnum()
        or text[node.end : node.end + 2].lstrip()[:1] in ("[", "{")
    ):
        return False
    typed = node.callee.endswith("!") or name.rstrip("0123456789") in (
        "float",
        "int",
        "uint",
        "real",
        "number",
        "any",
        "matrix",
        "vector",
    )
    if not node.callee or typed:
        return True
    return bool(node.children) and not node.children[0].callee and node.children[0].sign in "{["


def last_part(callee: str) -> str:
    """The name of a function without its module: rbind of base::rbind."""
    name = callee.rstrip("!").partition("<")[0] if callee else ""
    return name.replace(":", ".").rpartition(".")[2].lower()
