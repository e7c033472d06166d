"""The page's own computation in node or in a browser, and experiments to compare it with the program."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.base.files import resource
from core.compute.trace import run
from core.document.document import Document, Pin
from core.document.parts import MASK_KINDS, POSITIONAL_KINDS, SCALE_KINDS
from core.stages import plan
from core.storage.archive import dumps, loads
from core.storage.examples import EXAMPLES, load_example
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from tests.core.documents import ODD_SIZES, SIZES, make
from tests.core.stacks import make_stack
from tests.gui.browser_kit import Browser

GOLDEN = Path(__file__).parents[1] / "golden"
RANDOM = 200
CLOSE = 1e-12

# Every stage of each experiment; −∞ as the text "-", which JSON can hold.
ALL_STAGES = """
const allStages = (experiments) => experiments.map((experiment) => {
  const values = {};
  for (const [id, array] of Core.compute(experiment)) values[id] = array;
  return values;
});
const asText = (values) => JSON.stringify(values, (key, x) => (x === -Infinity ? "-" : x));
"""


def program(*names: str) -> str:
    """The scripts of the page as one text."""
    return "\n".join(resource("page", name).read_text(encoding="utf-8") for name in names)


CORE = ("arithmetic.js", "core.js")
SUMS = (*CORE, "numbers.js", "sums.js")
MODEL = (*CORE, "experiment.js", "timeline.js")


def in_node(script: str, folder: Path) -> str | None:
    """What a script prints in node; None where there is no node."""
    node = shutil.which("node")
    if node is None:
        return None
    path = folder / "script.js"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run([node, path], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def experiment_of(document: Document) -> Any:
    """The object of its file."""
    return json.loads(dumps(document))


def golden() -> Iterator[tuple[str, Document]]:
    """The experiments of tests/golden."""
    for path in sorted(GOLDEN.glob("*.attn.json")):
        yield path.name, loads(path.read_bytes())
    for path in sorted((GOLDEN / "worked").glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        yield path.name, loads(json.dumps(case["experiment"]).encode())


def chance(seed: int) -> Document:
    """A random experiment: attention, cross-attention, given weights or a stack, with pins."""
    rng = random.Random(seed)

    def one(*values: Any) -> Any:
        return rng.choice(values)

    kind = one("embeddings", "embeddings", "qkv", "weights", "stack", "stack")
    common = {"scale": one(*SCALE_KINDS), "base": one("e", "e", "2", "3", "10")}
    if kind == "stack":
        document = make_stack(
            seed,
            layers=one(1, 2, 3),
            norm=one("layer", "rms"),
            place=one("pre", "post"),
            activation=one("relu", "gelu", "gelu_tanh", "silu"),
            gate=one(True, False),
            residual=one(True, True, False),
            biases=one(True, False),
            factors=one(True, False),
            borrowed=one(True, False),
            mlp=one(True, True, False),
            norms=one(True, False),
            around=one(True, False),
            output=one(True, False),
            temperature=one(1.0, 0.5, 2.0),
            positional=one(*POSITIONAL_KINDS),
            mask=one("none", "causal"),
            off=one((), (0,)),
            **common,
        )
        return document.with_(pins=pins_of(document, rng, one(0, 0, 3)))
    sizes = one(SIZES, ODD_SIZES, {letter: rng.randint(1, 5) for letter in "ndhkv"})
    if kind == "weights":
        output = one(True, False)
        return make(
            seed, sizes=sizes, source=kind, values=output or one(True, False), output=output
        )
    kinds = POSITIONAL_KINDS if kind == "embeddings" else ("none", "rotary", "alibi")
    return make(
        seed,
        sizes=sizes,
        source=kind,
        positional=one(*kinds),
        mask=one(*MASK_KINDS),
        biases=kind == "embeddings" and one(True, False),
        output=one(True, False),
        off=one((), (0,)),
        slopes=one(True, False),
        shift=one(True, False),
        pins=one(0, 3),
        context=one(0, 0, 4),
        places=one(True, False),
        **common,
    )


def pins_of(document: Document, rng: random.Random, count: int) -> tuple[Pin, ...]:
    """Pins of computed numbers, in stages that are not entered."""
    stages = [stage.id for stage in plan(document) if not stage.entered]
    found = {}
    for _ in range(count):
        stage = rng.choice(stages)
        index = tuple(rng.randrange(size) for size in document.stage_shape(stage))
        found[stage, index] = Pin(stage, index, round(rng.gauss(0, 1), 3))
    return tuple(found.values())


def all_experiments() -> list[tuple[str, Document]]:
    """The examples, the golden ones and the random ones, each with a name."""
    shipped = [(example, load_example(example)) for example in EXAMPLES]
    return [*shipped, *golden(), *((f"random {seed}", chance(seed)) for seed in range(RANDOM))]


def array_of(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """A stage as the page gives it, "-" for −∞."""
    array = np.array(values, dtype=object)
    array[array == "-"] = -np.inf
    return array.astype(np.float64)


# A page in a browser

LARGEST = 300_000  # bytes of the page of a shipped example
FILES = "#menu section:last-of-type > button"


def written(document: Document, path: Path, options: ExportOptions | None = None) -> str:
    assert export_shown(document, "html", path, options or ExportOptions())
    return path.read_text(encoding="utf-8")


def data_of(text: str) -> Any:
    (found,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL
    )
    return json.loads(found)


def stage_of(page: Browser, stage: str) -> Any:
    return page.ask(f"attentionStepper.stage({json.dumps(stage)})")


def same_as(page: Browser, document: Document) -> None:
    """Whether every stage of the page is that of the trace; −∞ is null."""
    for stage, expected in run(document).arrays.items():
        found = np.array(stage_of(page, stage), dtype=np.float64)
        found[np.isnan(found)] = -np.inf
        np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE, err_msg=stage)
