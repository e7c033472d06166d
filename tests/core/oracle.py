"""Self-attention once more, as slow and plain as can be: nested loops over Python floats, no NumPy, nothing from core.

`run` takes an experiment as it stands in a file (a dict) and returns every stage under its id, as nested lists. The
other functions are its parts, for tests that need only one of them.
"""

import math
from typing import Any

Matrix = list[list[float]]
Stack = list[Matrix]
NEVER = -math.inf


def run(experiment: dict[str, Any]) -> dict[str, Any]:
    """Every stage that this experiment has: id -> nested lists, pins applied."""
    stages: dict[str, Any] = {}
    pins = experiment.get("pins", [])
    positional = experiment.get("positional", {"kind": "none"})
    heads = experiment["heads"]

    def keep(stage: str, value: Any) -> Any:
        for pin in pins:
            if pin["stage"] == stage:
                *path, last = pin["index"]
                place = value
                for step in path:
                    place = place[step]
                place[last] = pin["value"]
        stages[stage] = value
        return value

    inputs(experiment, positional, keep)
    for name in "QKV":
        if experiment.get("source") == "qkv":
            keep(name, [copy(head[name]) for head in heads])
        else:
            x = stages[source_of(name, stages)]
            keep(name, [project(x, head[f"W_{name}"], head.get(f"b_{name}")) for head in heads])
    q, k = stages["Q"], stages["K"]
    if positional["kind"] == "rotary":
        base = positional.get("base", 10000.0)
        q = keep("Q_rot", [rotate(matrix, base) for matrix in q])
        k = keep("K_rot", [rotate(matrix, base) for matrix in k])
    s = keep(
        "scores", [multiply(q_head, transpose(k_head)) for q_head, k_head in zip(q, k, strict=True)]
    )
    scale = experiment.get("scale", {"kind": "sqrt_dk"})
    if scale["kind"] != "none":
        factor = scale["value"] if scale["kind"] == "factor" else 1.0 / math.sqrt(len(q[0][0]))
        s = keep("scaled", [[[value * factor for value in row] for row in head] for head in s])
    if positional["kind"] == "alibi":
        slopes = positional.get("slopes") or alibi_slopes(len(heads))
        s = keep(
            "biased",
            [
                add(head, alibi(len(head), len(head[0]), slope))
                for head, slope in zip(s, slopes, strict=True)
            ],
        )
    mask = experiment.get("mask", {"kind": "none"})
    if mask["kind"] != "none":
        s = keep("masked", [hide(head, allowed(len(head), len(head[0]), mask)) for head in s])
    softmax = experiment.get("softmax", {})
    base = math.e if softmax.get("base", "e") == "e" else softmax["base"]
    exp = keep("exp", [exponentials(head, base, softmax.get("shift", True)) for head in s])
    weights = keep("weights", [normalise(head) for head in exp])
    mixed = keep("heads", [multiply(a, v) for a, v in zip(weights, stages["V"], strict=True)])
    outputs(experiment, mixed, keep)
    return stages


def inputs(experiment: dict[str, Any], positional: dict[str, Any], keep: Any) -> None:
    """X, P and input, and those of a context, as far as the experiment has them."""
    if experiment.get("source", "embeddings") == "qkv":
        return
    context = experiment.get("context")
    sentences = [("", experiment["X"], positional.get("P"))]
    if context is not None:
        sentences.append(("_context", context["X"], context.get("P")))
    for ending, numbers, learned in sentences:
        x = keep("X" + ending, copy(numbers))
        if positional["kind"] == "sinusoidal":
            p = sinusoidal(len(x), len(x[0]), positional.get("base", 10000.0))
            keep("input" + ending, add(x, keep("P" + ending, p)))
        elif positional["kind"] == "learned" and learned is not None:
            keep("input" + ending, add(x, keep("P" + ending, copy(learned))))


def source_of(name: str, stages: dict[str, Any]) -> str:
    """Queries come from X, keys and values from the context where there is one; positions are in them already."""
    ending = "_context" if name != "Q" and "X_context" in stages else ""
    return "input" + ending if "input" + ending in stages else "X" + ending


def outputs(experiment: dict[str, Any], mixed: Stack, keep: Any) -> None:
    """concat (with several heads or W_O) and Y."""
    heads = experiment["heads"]
    width = len(mixed[0][0])
    blocks = [
        matrix if head.get("enabled", True) else [[0.0] * width for _ in matrix]
        for head, matrix in zip(heads, mixed, strict=True)
    ]
    joined = [[value for block in blocks for value in block[row]] for row in range(len(mixed[0]))]
    output = experiment.get("W_O")
    if len(heads) > 1 or output is not None:
        joined = keep("concat", joined)
    keep("Y", copy(joined) if output is None else project(joined, output, experiment.get("b_O")))


def attention(q: Stack, k: Stack, v: Stack, **options: Any) -> dict[str, Stack]:
    """What core.arithmetic.attention.attend promises: the same options, the same stages, as nested lists.

    `mask` is given in full, as h × n × m of bools (True = may attend) or of floats (added).
    """
    h, g, n, m = len(q), len(k), len(q[0]), len(k[0])
    scale = options.get("scale")
    factor = 1.0 / math.sqrt(len(q[0][0])) if scale is None else scale
    cap, mask = options.get("softcap"), options.get("mask")
    left, right = options.get("window") or (None, None)
    stages: dict[str, Stack] = {
        name: [] for name in ("scores", "scaled", "capped", "masked", "exp", "weights", "output")
    }
    for head in range(h):
        group = head // (h // g)
        scores = multiply(q[head], transpose(k[group]))
        scaled = [[s * factor for s in row] for row in scores]
        capped = [[s if cap is None else cap * math.tanh(s / cap) for s in row] for row in scaled]
        masked = copy(capped)
        for i in range(n):
            for j in range(m):
                position = i + options.get("query_offset", 0)
                free = (left is None or j >= position - left) and (
                    right is None or j <= position + right
                )
                if options.get("causal") and j > position:
                    free = False
                rule = mask[head][i][j] if mask is not None else True
                if isinstance(rule, bool):
                    free = free and rule
                else:
                    masked[i][j] += rule
                if not free:
                    masked[i][j] = NEVER
        exp = exponentials(masked)
        weights = normalise(exp)
        values = (scores, scaled, capped, masked, exp, weights, multiply(weights, v[group]))
        for name, value in zip(stages, values, strict=True):
            stages[name].append(value)
    return stages


def copy(matrix: Matrix) -> Matrix:
    return [[float(value) for value in row] for row in matrix]


def transpose(matrix: Matrix) -> Matrix:
    return [[row[column] for row in matrix] for column in range(len(matrix[0]))]


def add(a: Matrix, b: Matrix) -> Matrix:
    return [
        [x + y for x, y in zip(row_a, row_b, strict=True)]
        for row_a, row_b in zip(a, b, strict=True)
    ]


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """(n, k), (k, m) -> (n, m), from left to right."""
    result = []
    for row in a:
        sums = []
        for column in range(len(b[0])):
            total = 0.0
            for term in range(len(b)):
                total += row[term] * b[term][column]
            sums.append(total)
        result.append(sums)
    return result


def project(x: Matrix, weights: Matrix, bias: list[float] | None = None) -> Matrix:
    projected = multiply(x, weights)
    return (
        projected
        if bias is None
        else [[p + b for p, b in zip(row, bias, strict=True)] for row in projected]
    )


def exponentials(masked: Matrix, base: float = math.e, shift: bool = True) -> Matrix:
    result = []
    for row in masked:
        highest = max(row) if shift else 0.0
        result.append([0.0 if value == NEVER else base ** (value - highest) for value in row])
    return result


def normalise(exp: Matrix) -> Matrix:
    result = []
    for row in exp:
        total = math.fsum(row)
        result.append([0.0 if total == 0.0 else value / total for value in row])
    return result


def allowed(n: int, m: int, mask: dict[str, Any]) -> list[list[bool]]:
    """Who may attend, from the `mask` of an experiment file."""
    if mask["kind"] == "custom":
        return [list(row) for row in mask["allow"]]
    left, right = (None, 0) if mask["kind"] == "causal" else (mask.get("left"), mask.get("right"))
    return [
        [(left is None or i - j <= left) and (right is None or j - i <= right) for j in range(m)]
        for i in range(n)
    ]


def hide(scores: Matrix, allow: list[list[bool]]) -> Matrix:
    return [
        [s if free else NEVER for s, free in zip(row, free_row, strict=True)]
        for row, free_row in zip(scores, allow, strict=True)
    ]


def sinusoidal(n: int, d: int, base: float = 10000.0) -> Matrix:
    table = []
    for position in range(n):
        row = []
        for column in range(d):
            pair = column // 2
            angle = position / base ** (2 * pair / d)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        table.append(row)
    return table


def rotate(matrix: Matrix, base: float = 10000.0) -> Matrix:
    result = []
    for position, row in enumerate(matrix):
        turned = list(row)
        for pair in range(len(row) // 2):
            angle = position / base ** (2 * pair / len(row))
            x, y = row[2 * pair], row[2 * pair + 1]
            turned[2 * pair] = x * math.cos(angle) - y * math.sin(angle)
            turned[2 * pair + 1] = x * math.sin(angle) + y * math.cos(angle)
        result.append(turned)
    return result


def alibi_slopes(h: int) -> list[float]:
    return [2.0 ** (-8.0 * head / h) for head in range(1, h + 1)]


def alibi(n: int, m: int, slope: float) -> Matrix:
    return [[-slope * abs(i - j) for j in range(m)] for i in range(n)]
