"""The session as a machine that hypothesis drives: any order of edits, steps, undo, files; the laws hold after each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.base.cell import Cell
from core.base.errors import UserError
from core.document import edits, resize, stack_edits
from core.document.create import as_block
from core.document.document import (
    MASK_KINDS,
    POSITIONAL_KINDS,
    SOFTMAX_BASES,
    Document,
    Mask,
    Scale,
    Softmax,
)
from core.document.parts import (
    ACTIVATIONS,
    AFTER_LAYERS,
    BEFORE_LAYERS,
    NORM_KINDS,
    NORM_PLACES,
    STACK_STAGE_AXES,
    STAGE_AXES,
    Sampling,
    is_headwise,
    is_of_head,
    layer_id,
)
from core.exchange.paste import parse_matrix
from core.explain.timeline import Grain
from core.lesson import lesson
from core.storage import archive
from core.storage.examples import EXAMPLES, load_example
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.texts.errors import error_message
from tests.soak.laws import broken_laws, differing_stages, survives_file

NUMBERS = st.one_of(
    st.floats(-4, 4, width=16),
    st.sampled_from(
        [0.0, -0.0, 1e308, -1e308, 5e-324, 1e-200, 709.0, -745.0, 1.7976931348623157e308]
    ),
)
LARGEST_SIZE = 6
MOST_LAYERS = 3
NORMS = ("attention_norm", "mlp_norm", "embedding_norm", "final_norm")
OPTIONAL = (edits.with_biases, edits.with_output_projection, edits.with_output_bias)


class SessionWalk(RuleBasedStateMachine):
    """Rules are what users can do; refusals must be sentences."""

    @initialize(example=st.sampled_from(EXAMPLES))
    def begin(self, example: str) -> None:
        """An example, as the program starts."""
        self.session = Session(load_example(example), Preferences())
        self.first = self.session.state.document
        self.session.failed.connect(self._refused)
        self.session.changed.connect(self._told)
        self.seen: State = self.session.state
        self.folder = tempfile.TemporaryDirectory()
        self.refusals = 0

    def teardown(self) -> None:
        """The folder goes with the session."""
        if hasattr(self, "folder"):
            self.folder.cleanup()
            self.session.deleteLater()

    def _refused(self, problem: UserError) -> None:
        assert error_message(problem)
        self.refusals += 1

    def _told(self, old: State, new: State) -> None:
        assert old is self.seen, "every view hears of every state, in order"
        self.seen = new

    @property
    def document(self) -> Document:
        """What is open."""
        return self.session.state.document

    # Numbers

    @rule(data=st.data(), value=NUMBERS)
    def edit_a_number(self, data: st.DataObject, value: float) -> None:
        """One cell of any entered tensor."""
        name = data.draw(st.sampled_from(self.document.inputs))
        head = self._head_of(data, name, is_of_head(name))
        array = self.document.tensor(name, head)
        if array is None:
            return
        rows, columns = (1, *array.shape)[-2:]
        cell = Cell(
            name, data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1)), head
        )
        assert self.session.change(
            edits.with_cell, cell, value, text="Edit", merge=data.draw(st.sampled_from(("", "m")))
        )

    def _head_of(self, data: st.DataObject, name: str, has_heads: bool) -> int:
        """A head of the attention that a stage or tensor belongs to."""
        return data.draw(st.integers(0, self.document.scope(name).h - 1)) if has_heads else 0

    @rule(data=st.data(), separator=st.sampled_from(["\t", ", ", " & "]))
    def paste(self, data: st.DataObject, separator: str) -> None:
        """A whole matrix as text, through the reader of pasted numbers."""
        name = data.draw(st.sampled_from(self.document.inputs))
        array = self.document.tensor(name, 0)
        assert array is not None
        numbers = np.array(
            data.draw(st.lists(NUMBERS, min_size=array.size, max_size=array.size))
        ).reshape(array.shape)
        rows = np.atleast_2d(numbers)
        text = "\n".join(separator.join(map(repr, row.tolist())) for row in rows)
        text = (
            "\\begin{bmatrix}" + text.replace("\n", "\\\\") + "\\end{bmatrix}"
            if "&" in separator
            else text
        )
        pasted = parse_matrix(text).reshape(array.shape)
        assert pasted.tobytes() == numbers.astype(float).tobytes()
        self.session.change(edits.with_tensor, name, pasted, text="Paste")

    @rule(data=st.data(), value=NUMBERS)
    def pin(self, data: st.DataObject, value: float) -> None:
        """A what-if value at any stage of the plan."""
        stage = data.draw(st.sampled_from(self.session.state.trace.plan.ids))
        rows, columns = self.document.stage_shape(stage)[-2:]
        head = self._head_of(data, stage, is_headwise(stage))
        cell = Cell(
            stage, data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1)), head
        )
        self.session.change(edits.with_pin, cell, value, text="Pin")

    @rule()
    def unpin(self) -> None:
        """All of them go."""
        self.session.change(edits.without_pins, text="Unpin")

    # Sizes and order

    def _tokens(self, axis: str) -> tuple[str, ...]:
        """Of a sentence; without a context those that the refusal is about."""
        return self.document.labels(axis) or ()

    @rule(data=st.data(), axis=st.sampled_from("nm"))
    def add_token(self, data: st.DataObject, axis: str) -> None:
        """In either sentence."""
        tokens = self._tokens(axis)
        if len(tokens) < LARGEST_SIZE:
            at = data.draw(st.integers(0, len(tokens)))
            self.session.change(resize.with_token_added, at, "新", axis, text="Add")

    @rule(data=st.data(), axis=st.sampled_from("nm"))
    def remove_token(self, data: st.DataObject, axis: str) -> None:
        """The last one cannot go."""
        at = data.draw(st.integers(0, len(self._tokens(axis)) - 1))
        self.session.change(resize.with_tokens_removed, [at], axis, text="Remove")

    @rule(data=st.data(), axis=st.sampled_from("nm"))
    def swap_tokens(self, data: st.DataObject, axis: str) -> None:
        """Any order."""
        order = data.draw(st.permutations(range(len(self._tokens(axis)))))
        self.session.change(resize.with_tokens_ordered, order, axis, text="Order")

    @rule(size=st.integers(1, LARGEST_SIZE), axis=st.sampled_from("dkv"))
    def resize(self, size: int, axis: str) -> None:
        """d_model, d_k, d_v."""
        change = self.session.change if axis == "d" else self.session.change_heads
        change(resize.with_size, axis, size, text="Size")

    @rule(data=st.data(), what=st.sampled_from(("add", "duplicate", "remove", "switch")))
    def heads(self, data: st.DataObject, what: str) -> None:
        """One more, one less, on and off."""
        scope = self.session.state.scope
        head, change = data.draw(st.integers(0, scope.h - 1)), self.session.change_heads
        if what == "switch":
            change(edits.with_head_enabled, head, not scope.heads[head].enabled, text="Switch")
        elif what == "remove":
            change(resize.with_head_removed, head, text="Remove")
        elif scope.h < 4:
            function = resize.with_head_added if what == "add" else resize.with_head_duplicated
            change(function, *(() if what == "add" else (head,)), text="Add")

    @rule(on=st.booleans(), what=st.sampled_from(OPTIONAL))
    def optional_tensors(self, on: bool, what: Callable[..., Document]) -> None:
        """Biases and W_O."""
        self.session.change_heads(what, on, text="Optional")

    @rule(on=st.booleans())
    def context(self, on: bool) -> None:
        """Another sentence for keys and values, or none."""
        self.session.change(resize.with_context if on else resize.without_context, text="Context")

    # Switches

    @rule(
        kind=st.sampled_from(POSITIONAL_KINDS), base=st.sampled_from([10000.0, 2.0, 1e-300, 1e300])
    )
    def positions(self, kind: str, base: float) -> None:
        """Every kind; with Q, K, V entered some are refused."""
        wanted = replace(self.document.positional, kind=kind, base=base)
        self.session.change(edits.with_positional, wanted, text="Positions")

    @rule(data=st.data(), kind=st.sampled_from(MASK_KINDS))
    def mask(self, data: st.DataObject, kind: str) -> None:
        """Every kind; a custom one may mask whole rows."""
        reach = st.one_of(st.none(), st.integers(0, LARGEST_SIZE))
        self.session.change(
            edits.with_mask, Mask(kind, data.draw(reach), data.draw(reach)), text="Mask"
        )
        if kind == "custom":
            for key in range(self.document.m):
                self.session.change(
                    edits.with_allowed, 0, key, data.draw(st.booleans()), text="Mask"
                )

    @rule(kind=st.sampled_from(("sqrt_dk", "none", "factor")), value=NUMBERS)
    def scale(self, kind: str, value: float) -> None:
        """Every kind and any factor."""
        self.session.change(edits.with_scale, Scale(kind, value), text="Scale")

    @rule(base=st.sampled_from(SOFTMAX_BASES), shift=st.booleans())
    def softmax(self, base: str, shift: bool) -> None:
        """Every base, with and without the row's maximum."""
        self.session.change(edits.with_softmax, Softmax(base, shift), text="Softmax")

    # Layers

    @precondition(lambda self: not self.document.is_stack)
    @rule()
    def make_a_block(self) -> None:
        """Out of what is open; refused without embeddings of one sentence."""
        self.session.change(as_block, text="Block")

    @precondition(lambda self: self.document.is_stack)
    @rule(data=st.data(), what=st.sampled_from(("add", "duplicate", "remove", "move")))
    def layers(self, data: st.DataObject, what: str) -> None:
        """One more, one less, another order."""
        count = len(self.document.layers)
        number = data.draw(st.integers(1, count))
        if what == "remove":
            self.session.change(stack_edits.with_layer_removed, number, text="Remove")
        elif what == "move":
            to = data.draw(st.integers(1, count))
            self.session.change(stack_edits.with_layer_moved, number, to, text="Move")
        elif count < MOST_LAYERS:
            add = what == "add"
            edit = stack_edits.with_layer_added if add else stack_edits.with_layer_duplicated
            self.session.change(edit, number + add, text="Add")

    @precondition(lambda self: self.document.is_stack)
    @rule(data=st.data(), what=st.sampled_from(("enabled", "residual", "mlp", "gate")))
    def switch_in_a_layer(self, data: st.DataObject, what: str) -> None:
        """The layer, its residual connections, its MLP and the gate of that."""
        number, on = self._layer(data), data.draw(st.booleans())
        if what in ("mlp", "gate"):
            edit = stack_edits.with_mlp if what == "mlp" else stack_edits.with_gate
            self.session.change(edit, number, on, text="Switch")
        else:
            switched = partial(stack_edits.with_layer, number=number, **{what: on})
            self.session.change(switched, text="Switch")

    @precondition(lambda self: self.document.is_stack)
    @rule(data=st.data(), name=st.sampled_from(NORMS), on=st.booleans())
    def switch_a_norm(self, data: st.DataObject, name: str, on: bool) -> None:
        """Of the layers and around them; that of an MLP which is not there is refused."""
        outside = name in ("embedding_norm", "final_norm")
        stage = name if outside else layer_id(self._layer(data), name)
        self.session.change(stack_edits.with_norm, stage, on, text="Norm")

    @precondition(lambda self: self.document.is_stack)
    @rule(
        data=st.data(),
        kind=st.sampled_from(NORM_KINDS),
        place=st.sampled_from(NORM_PLACES),
        eps=st.sampled_from((0.0, 1e-5, 1e308)),
    )
    def norms(self, data: st.DataObject, kind: str, place: str, eps: float) -> None:
        """Every kind and place, also an eps of 0."""
        number = self._layer(data)
        self.session.change(
            partial(stack_edits.with_norms, layer=number, kind=kind, eps=eps), text="Norms"
        )
        self.session.change(stack_edits.with_norm_place, number, place, text="Place")

    @precondition(lambda self: self.document.is_stack)
    @rule(data=st.data(), kind=st.sampled_from(ACTIVATIONS), width=st.integers(1, LARGEST_SIZE))
    def mlp(self, data: st.DataObject, kind: str, width: int) -> None:
        """Every activation and width."""
        number = self._layer(data)
        if self.document.layers[number - 1].mlp is not None:
            chosen = partial(stack_edits.with_mlp_settings, layer=number, activation=kind)
            self.session.change(chosen, text="Activation")
            self.session.change(resize.with_mlp_width, number, width, text="Width")

    @precondition(lambda self: self.document.is_stack)
    @rule(data=st.data())
    def lend(self, data: st.DataObject) -> None:
        """A head reads the keys and values of another one that has its own, or has its own again."""
        number = self._layer(data)
        heads = self.document.layers[number - 1].heads
        head = data.draw(st.integers(0, len(heads) - 1))
        lenders = [i for i, other in enumerate(heads) if other.kv_from is None and i != head]
        lender = data.draw(st.sampled_from([None, *lenders]))
        self.session.change(stack_edits.with_lender, number, head, lender, text="Lend")

    @precondition(lambda self: self.document.output is not None)
    @rule(
        data=st.data(),
        temperature=st.sampled_from((1e-300, 0.01, 1.0, 100.0, 1e308)),
        top_k=st.sampled_from((None, 1, 3)),
        top_p=st.sampled_from((None, 1e-9, 0.5, 1.0)),
    )
    def next_word(
        self, data: st.DataObject, temperature: float, top_k: int | None, top_p: float | None
    ) -> None:
        """Any sampling, and a word appended."""
        sampling = Sampling(temperature, top_k, top_p)
        self.session.change(stack_edits.with_sampling, sampling, text="Sampling")
        words = len(self.document.output.vocabulary) if self.document.output else 0
        if self.document.n < LARGEST_SIZE and words:
            word = data.draw(st.integers(0, words - 1))
            self.session.change(resize.with_word_appended, word, text="Append")

    @precondition(lambda self: self.document.output is not None)
    @rule(data=st.data(), what=st.sampled_from(("add", "remove", "order", "without")))
    def vocabulary(self, data: st.DataObject, what: str) -> None:
        """Words come, go and change places; the last one stays; or the output goes."""
        words = self._tokens("u")
        if what == "without":
            self.session.change(stack_edits.with_output, None, text="Output")
        elif what == "order":
            order = data.draw(st.permutations(range(len(words))))
            self.session.change(resize.with_tokens_ordered, order, "u", text="Order")
        elif what == "remove":
            at = data.draw(st.integers(0, len(words) - 1))
            self.session.change(resize.with_tokens_removed, [at], "u", text="Remove")
        elif len(words) < LARGEST_SIZE:
            self.session.change(resize.with_token_added, len(words), "新", "u", text="Add")

    def _layer(self, data: st.DataObject) -> int:
        return data.draw(st.integers(1, len(self.document.layers)))

    # Time

    @rule(by=st.sampled_from((-9, -1, 1, 9)), grain=st.sampled_from(tuple(Grain)))
    def step(self, by: int, grain: Grain) -> None:
        """At any grain."""
        self.session.step(by, grain)

    @rule(data=st.data(), stage=st.sampled_from((*STAGE_AXES, *STACK_STAGE_AXES)))
    def jump(self, data: st.DataObject, stage: str) -> None:
        """To any stage, also one that the plan lacks."""
        layer = data.draw(st.integers(1, max(1, len(self.document.layers))))
        inside = self.document.is_stack and stage not in (*BEFORE_LAYERS, *AFTER_LAYERS)
        self.session.go_to_stage(layer_id(layer, stage) if inside else stage)

    @rule(by=st.sampled_from((-1, 1)))
    def jump_between_layers(self, by: int) -> None:
        """To the same stage of the next layer; nowhere without layers."""
        self.session.go_to_layer(by)

    @rule(rows=st.integers(-3, 3), columns=st.integers(-3, 3))
    def move_focus(self, rows: int, columns: int) -> None:
        """Edges are stops."""
        self.session.move_focus(rows, columns)

    @rule(on=st.booleans())
    def predict(self, on: bool) -> None:
        """Numbers hidden before they are shown."""
        self.session.answers.set_predicting(on)

    @rule()
    def undo(self) -> None:
        """One step back."""
        self.session.undo_stack.undo()

    @rule()
    def redo(self) -> None:
        """One step on."""
        self.session.undo_stack.redo()

    @rule()
    def undo_to_the_start(self) -> None:
        """The first document comes back, the very same object; and forward again the last."""
        stack, last, steps = self.session.undo_stack, self.document, self.session.undo_stack.index()
        while stack.canUndo():
            stack.undo()
        assert self.document is self.first
        for _ in range(steps):
            stack.redo()
        assert self.document is last

    # Files

    @rule()
    def save_and_load(self) -> None:
        """What is written now opens as the same document."""
        path = Path(self.folder.name) / "walk.attn.json"
        archive.save(self.document, path)
        self.session.mark_saved(path)
        assert not self.session.state.dirty
        written = path.read_bytes()
        self.session.open_document(archive.load(path), path)
        self.first = self.document
        assert archive.dumps(self.document) == written

    @precondition(lambda self: self.session.state.lesson is None)
    @rule()
    def begin_a_lesson(self) -> None:
        """Beside the experiment."""
        self.session.lesson_player.new()

    @precondition(lambda self: self.session.state.lesson is not None)
    @rule()
    def record_a_scene(self) -> None:
        """A scene, and the lesson as it would be saved; scenes begin without undo steps."""
        self.session.lesson_player.add_scene()
        found = self.session.state.lesson
        assert found is not None
        assert lesson.dumps(lesson.loads(lesson.dumps(found))) == lesson.dumps(found)
        self.first = self.document if not self.session.undo_stack.index() else self.first

    # Laws

    @invariant()
    def laws_hold(self) -> None:
        """Weights, cursor, focus, file; and the trace is what a fresh run gives, bit for bit."""
        if not hasattr(self, "session"):
            return
        state = self.session.state
        assert self.seen is state
        assert broken_laws(state) == []
        assert differing_stages(state.document, state.trace) == []
        assert survives_file(state.document)
