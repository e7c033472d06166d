"""Sampling: from the logits of a small vocabulary to the next word.

Temperature T divides the logits before the softmax (Ackley, Hinton & Sejnowski 1985). Top-k keeps
the k most probable words (Fan, Lewis & Dauphin 2018), top-p the fewest that together reach p
(Holtzman et al. 2020); what is left is divided by its sum. In every order the result is
softmax(z / T) over the words that are kept; the order decides which words these are.

Each draw takes a number in [0, 1) from PCG32 with the chosen seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

import numpy as np

from core.arithmetic.attention import normalise
from core.arithmetic.sampling import all_drawn, kept, random_numbers, softmax_at
from core.base.arrays import Array, BoolArray, frozen
from core.document.document import Context, Document, Head, Mask, Scale
from core.labs.controls import ChoiceControl, Clock, Control, Numbers, Seed, Slider
from core.labs.lab import Lab, Setting
from core.labs.sharpness import entropy

WORDS = ("鱼", "老鼠", "肉", "面包", "牛奶", "草", "纸", "石头")
LOGITS = (2.2, 1.8, 1.5, 0.6, 0.4, -0.5, -1.0, -2.0)
REACH = 4.0  # largest |logit|
COLDEST, HOTTEST = 0.1, 10.0
MOST_DRAWS = 1000
# First what this program and Hugging Face Transformers do, last the order of llama.cpp.
ORDERS: dict[str, tuple[str, ...]] = {
    "t-k-p": ("temperature", "top_k", "top_p"),
    "t-p-k": ("temperature", "top_p", "top_k"),
    "k-p-t": ("top_k", "top_p", "temperature"),
}


@dataclass(frozen=True, slots=True, eq=False)
class SamplingStep:
    """Shares after one operation, 0 for words that are cut; both arrays (u,)."""

    operation: str
    shares: Array
    kept: BoolArray

    @property
    def entropy(self) -> float:
        """Return the entropy of the shares in nats."""
        return float(entropy(self.shares))


@dataclass(frozen=True, slots=True, eq=False)
class SamplingResult:
    """Shares step by step, and the draws.

    `steps` begin with softmax(z). `numbers` and `places` (draws,) are the random numbers and the
    words that they fall on; `counts` (u,). `left` is the number of words that each order keeps.
    """

    words: tuple[str, ...]
    logits: Array
    steps: tuple[SamplingStep, ...]
    numbers: Array
    places: tuple[int, ...]
    counts: Array
    left: dict[str, int]

    @property
    def shares(self) -> Array:
        """Return the shares that are drawn from.  # (u,)"""
        return self.steps[-1].shares

    @property
    def draws(self) -> int:
        """Return the number of draws."""
        return len(self.places)

    @property
    def frequencies(self) -> Array:
        """Return the part of all draws that each word got; 0 before the first draw.  # (u,)"""
        return self.counts / max(self.draws, 1)

    @property
    def errors(self) -> Array:
        """Return √(p(1 − p)/N), the standard deviation of each frequency.  # (u,)"""
        return np.sqrt(self.shares * (1.0 - self.shares) / max(self.draws, 1))

    @property
    def within(self) -> int:
        """Count the words left whose frequency is at most two standard deviations from its share."""
        near = np.abs(self.frequencies - self.shares) <= 2.0 * self.errors + 1e-12
        return int((near & self.steps[-1].kept).sum())


def sampling_steps(
    logits: Array, order: str, temperature: float, top_k: int, top_p: float
) -> tuple[SamplingStep, ...]:
    """Apply the three operations in an order.  # (u,)"""
    allowed: BoolArray = np.ones(logits.shape, dtype=np.bool_)
    now, shares = 1.0, softmax_at(logits, 1.0)
    steps = [SamplingStep("softmax", frozen(shares), allowed)]
    for operation in ORDERS[order]:
        if operation == "temperature":
            now = temperature
        elif operation == "top_k":
            allowed = allowed & kept(shares, top_k=top_k)
        else:
            allowed = allowed & kept(shares, top_p=top_p)
        shares = normalise(np.where(allowed, softmax_at(logits, now), 0.0))
        steps.append(SamplingStep(operation, frozen(shares), allowed))
    return tuple(steps)


@lru_cache(maxsize=4)
def _numbers(seed: int) -> Array:
    return frozen(list(islice(random_numbers(seed), MOST_DRAWS)))


class SamplingLab(Lab):
    """Controls: the logits, temperature, cuts and their order, draws and their seed."""

    id = "sampling"

    def experiment(self) -> Document:
        """Return the vocabulary: one query whose scores are the logits."""
        return _OWN

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Return all of them."""
        return (
            Clock("draws", MOST_DRAWS, 200, pause=60),
            Slider("temperature", COLDEST, HOTTEST, 1.5, log=True),
            Slider("top_k", 1, len(WORDS), 5, step=1, whole=True),
            Slider("top_p", 0.05, 1.0, 0.85, step=0.05),
            ChoiceControl("order", tuple(ORDERS), "t-k-p"),
            Seed(),
            Numbers("logits", LOGITS, -REACH, REACH),
        )

    def compute(self, setting: Setting) -> SamplingResult:
        """Compute the shares and draw from them."""
        logits = frozen(setting["logits"])
        cuts = float(setting["temperature"]), int(setting["top_k"]), float(setting["top_p"])
        steps = {order: sampling_steps(logits, order, *cuts) for order in ORDERS}
        chosen = steps[setting["order"]]
        numbers = _numbers(int(setting["seed"]))[: int(setting["draws"])]
        places = all_drawn(chosen[-1].shares, numbers)
        return SamplingResult(
            setting.experiment.key_tokens,
            logits,
            chosen,
            frozen(numbers),
            tuple(places.tolist()),
            frozen(np.bincount(places, minlength=len(logits))),
            {order: int(found[-1].kept.sum()) for order, found in steps.items()},
        )

    def document(self, setting: Setting) -> Document:
        """Build attention whose weights are the shares.

        One query q = 1 and keys K = z, so that q·k are the logits; the scale is 1/T, a mask hides
        the words that are cut.
        """
        result, temperature = self.compute(setting), float(setting["temperature"])
        (head,) = setting.experiment.heads
        allow = result.steps[-1].kept[None]
        return replace(
            setting.experiment,
            heads=(replace(head, K=frozen(result.logits[:, None])),),
            scale=Scale("none") if temperature == 1.0 else Scale("factor", 1.0 / temperature),
            mask=Mask() if allow.all() else Mask("custom", allow=allow),
        )


def _vocabulary() -> Document:
    head = Head(
        Q=frozen([[1.0]]), K=frozen(np.array(LOGITS)[:, None]), V=frozen(np.eye(len(WORDS)))
    )
    return Document(
        ("小猫吃",),
        (head,),
        title="The next word",
        source="qkv",
        context=Context(WORDS),
        scale=Scale("none"),
    )


_OWN = _vocabulary()
LAB = SamplingLab()
