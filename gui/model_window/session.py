"""The session of the model window: the one object that changes its state, with an undo stack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np

from core.base.arrays import Array
from core.base.errors import UserError
from core.compute.trace import run as compute
from core.document.document import Document
from core.models import open_model
from core.models.forward import LayerRun, run_layers
from core.models.model import Model
from core.models.reasons import Reasons, reasons_of
from gui.model_window.edited_runs import base_of, changes_of, layer_changes, steps
from gui.model_window.edits import Edit, StagePatch, WordSwap, first_edited_layer, fits, with_edit
from gui.model_window.layer_documents import linked_attention, linked_whole, open_layer
from gui.model_window.runner import Runner, Tell
from gui.model_window.state import (
    ALL,
    BY_LAYER,
    CHANGE,
    EDITED,
    A,
    B,
    LayerResult,
    Look,
    ModelState,
    OpenedLayer,
    Run,
    Sentence,
    Setting,
)
from gui.model_window.wording import FAMILIES
from gui.session.base import StateHolder
from gui.session.undo import ReplaceCommand
from gui.texts.translation import mark, tr

EXAMPLE = "The animal didn't cross the street because it was too tired."
CONTINUED = "Paris is in France. Rome is in"
QUICK, SMALL = 0.2, 1_000_000  # seconds without a gap for a model with fewer numbers
PAINTING = 0.04  # seconds that threads leave to the window, which paints an edit meanwhile
LAYER_PATIENCE = 0.03  # seconds in which a layer is opened without a gap


@dataclass(frozen=True, slots=True)
class Opening:
    """A model that is asked for: `text` is a first sentence, `setting` what was kept of an earlier
    time, `at` the place of a snapshot of the model that is open.
    """

    source: str | Path
    title: str = ""
    text: str = ""
    notes: str = ""
    snapshots: tuple[tuple[int, Path], ...] = ()
    setting: Setting | None = None
    at: int | None = None


class ModelSession(StateHolder):
    """State of the model window. `changed(old, new)` is its only state signal."""

    _state: ModelState

    def __init__(self, state: ModelState) -> None:
        super().__init__(state)
        self._opener, self._runner, self._layer_opener = Runner(self), Runner(self), Runner(self)
        self._wanted: LayerResult | None = None  # the layer that is being opened
        self._bases: dict[str, Run | None] = {}
        self._layer_opener.came.connect(self._take_layer)
        self._reasoner = Runner(self)
        self._asked: object = None  # the score whose reasons are sought
        self._reasoner.came.connect(self._take_reasons)
        self.changed.connect(self._open_selected)
        self.changed.connect(self._seek_reasons)
        self._opener.came.connect(self._take_model)
        self._opener.failed.connect(self._on_not_opened)
        self._runner.came.connect(self._take_run)
        self._runner.ended.connect(self._on_ended)
        self._runner.failed.connect(self._on_failed)

    @property
    def state(self) -> ModelState:
        """The current state."""
        return self._state

    # The model

    def open(self, opening: Opening) -> None:
        """Open a model, with a sentence to begin with; the edits of another one are dropped."""

        def task(tell: Tell) -> None:
            model = open_model(opening.source)
            model.tokenizer.size  # noqa: B018 - reading it takes long
            tell((model, opening))

        self.update(opening=True)
        self._opener.start(task)

    def _take_model(self, opened: tuple[Model, Opening]) -> None:
        model, opening = opened
        self._runner.stop()
        if opening.at is None:
            self._begin(model, opening)
        else:
            changes = {"model": model, "snapshot": opening.at, "runs": {}, "opened": None}
            self.update(opening=False, reasons=None, **changes)
        self._compute_first()

    def _compute_first(self) -> None:
        """Compute the setting; without its edits, then with a usual sentence, where it does not fit."""
        model, setting = self.state.model, self.state.setting
        usual = CONTINUED if model is not None and model.has_output else EXAMPLE
        for fitting in (setting, Setting(setting.text), Setting(usual), Setting(usual[:5])):
            if self.attempt(partial(self._compute, fitting)):
                return

    def _begin(self, model: Model, opening: Opening) -> None:
        """Forget the model before."""
        self.undo_stack.clear()
        setting = opening.setting or Setting(opening.text)
        if not setting.text:
            kept_text = "" if self.state.notes else self.state.setting.text
            usual = CONTINUED if model.has_output else EXAMPLE
            setting = Setting(kept_text or usual)
        self.update(
            model=model,
            source=str(opening.source),
            title=opening.title or FAMILIES.get(model.name, model.name),
            notes=opening.notes,
            snapshots=opening.snapshots,
            snapshot=max(0, len(opening.snapshots) - 1),
            setting=setting,
            runs={},
            opened=None,
            reasons=None,
            look=Look(),
            opening=False,
            working=None,
        )

    def show_snapshot(self, at: int) -> None:
        """Show another step of the training; sentences, edits and what is looked at stay."""
        if 0 <= at < len(self.state.snapshots):
            self.open(Opening(self.state.snapshots[at][1], at=at))

    def _on_not_opened(self, problem: UserError) -> None:
        self.update(opening=False)
        self.failed.emit(problem)

    # The setting

    def set_text(self, text: str) -> None:
        """Change sentence A. Swapped words go with the old one, and so do edits that do not fit."""
        edits = tuple(each for each in self.state.setting.edits if not isinstance(each, WordSwap))
        self._change_sentences(mark("Change the sentence"), edits, text, self.state.setting.other)

    def set_other(self, text: str) -> None:
        """Change sentence B; "" removes it, and the stages that were taken from it."""
        own = self.state.setting
        self._change_sentences(mark("Change the second sentence"), own.edits, own.text, text)

    def _change_sentences(self, what: str, edits: tuple[Edit, ...], text: str, other: str) -> None:
        model = self.state.model
        if model is None:
            return

        def change() -> None:
            n = self._sentence(model, text).n
            same = bool(other) and self._sentence(model, other).n == n
            fitting = tuple(each for each in edits if fits(each, n, same))
            self._change(what, text=text, other=other, edits=fitting)

        self.attempt(change)

    def append(self, word: int) -> None:
        """Continue sentence A by a token."""
        model, run = self.state.model, self.state.run(A)
        if model is not None and run is not None:
            ids = [*run.sentence.ids]
            before, after = model.tokenizer.decode(ids), model.tokenizer.decode([*ids, word])
            text = self.state.setting.text + after.removeprefix(before)
            setting = self.state.setting
            self._change_sentences(mark("Append a word"), setting.edits, text, setting.other)

    def add_edit(self, edit: Edit, text: str) -> None:
        """Add an edit, or replace the one at its place; `text` is marked and names it."""
        self._change(text, edits=with_edit(self.state.setting.edits, edit))

    def remove_edit(self, edit: Edit) -> None:
        """Take an edit away."""
        edits = tuple(each for each in self.state.setting.edits if each != edit)
        self._change(mark("Remove the edit"), edits=edits)

    def _change(self, what: str, **changes: Any) -> None:
        before = self.state.setting
        after = replace(before, **changes)
        if after != before and self.state.model is not None:
            command = ReplaceCommand(self.take_setting, before, after, what)
            self.attempt(lambda: self.undo_stack.push(command))

    def take_setting(self, setting: Setting) -> None:
        """Show a setting and compute what it needs; for undo commands only."""
        self._compute(setting)

    # Runs

    def _compute(self, setting: Setting) -> None:
        """Keep the runs that hold, and start those that are missing. Raises UserError for a sentence
        that the model refuses; nothing changes then.
        """
        model = self.state.model
        if model is None:
            return
        first = self._sentence(model, setting.text)
        sentences: dict[str, tuple[Sentence, tuple[Edit, ...]]] = {A: (first, ())}
        if setting.other:
            sentences[B] = (self._sentence(model, setting.other), ())
        if setting.edits:
            sentences[EDITED] = (first.with_words(model, setting.edits), setting.edits)
        runs: dict[str, Run] = {}
        for name, (sentence, edits) in sentences.items():
            known = self.state.runs.get(name)
            holds = known is not None and known.sentence.ids == sentence.ids
            taken = any(isinstance(each, StagePatch) for each in edits)
            if taken and runs.get(B) is not self.state.runs.get(B):
                holds = False
            if known is not None and holds and known.edits == edits:
                runs[name] = known
            else:
                runs[name] = Run(sentence, edits)
        opened = self._begin_edited(model, runs)
        look = self._look_for(setting, sentences)
        missing = [name for name, run in runs.items() if not run.done]
        working = (0, model.layers) if missing else None
        same = runs.get(EDITED) is self.state.runs.get(EDITED)
        reasons = self.state.reasons if same else None
        self.update(
            setting=setting,
            runs=runs,
            look=look,
            opened=opened,
            working=working,
            reasons=reasons,
        )
        self._start(model, missing)

    def _begin_edited(self, model: Model, runs: dict[str, Run]) -> OpenedLayer | None:
        """Keep the layers that a new edit leaves, and compute that of the edit at once if it is open.

        Raises UserError for edits that do not fit.
        """
        self._bases = {}
        run, old, opened = runs.get(EDITED), self.state.runs.get(EDITED), self.state.opened
        if run is None or run is old:
            return opened
        if any(isinstance(each, StagePatch) for each in run.edits) and not (
            B in runs and runs[B].done
        ):
            return opened
        base, first = base_of(model, runs, old, run)
        if base is None:
            return opened
        self._bases[EDITED] = base
        runs[EDITED] = run = replace(run, layers=base.layers[:first])
        is_open = opened is not None and opened.layer == first
        if opened is None or not is_open or first >= len(base.layers):
            return opened
        if not np.array_equal(opened.result.incoming, base.layers[first].incoming):
            return opened
        changes = layer_changes(model, runs, run.edits, first)
        trace = compute(changes.apply(opened.plain), opened.trace)
        result = LayerResult.of(LayerRun(first, trace))
        runs[EDITED] = replace(run, layers=(*run.layers, result))
        return OpenedLayer(first, result, opened.plain, trace)

    def _look_for(self, setting: Setting, sentences: dict[str, Any]) -> Look:
        """The look, with what it can no longer show set back."""
        look, old = self.state.look, self.state.setting
        if setting.edits and setting.edits != old.edits and look.show != CHANGE:
            look = replace(look, show=EDITED)
        elif not setting.edits and look.show in (EDITED, CHANGE):
            look = replace(look, show=A)
        if setting.other != old.other:
            look = replace(look, show=B if setting.other and look.show == A else look.show)
        if not setting.other and look.show not in (A, EDITED, CHANGE):
            look = replace(look, show=A)
        n = min(sentence.n for sentence, _ in sentences.values())
        if any(place is not None and place >= n for place in (look.query, look.key)):
            look = replace(look, query=None, key=None, filter=ALL, sort=BY_LAYER)
        return look

    def _sentence(self, model: Model, text: str) -> Sentence:
        known = [self.state.runs.get(name) for name in (A, B)]
        texts = (self.state.setting.text, self.state.setting.other)
        for run, of in zip(known, texts, strict=True):
            if run is not None and of == text and run.sentence.pieces:
                return run.sentence
        return Sentence.of(model, text)

    def _start(self, model: Model, missing: list[str]) -> None:
        """Run what is missing, in the order A, B, edited."""
        self._runner.stop()
        if not missing:
            return
        runs, bases = dict(self.state.runs), self._bases

        def task(tell: Tell) -> None:
            sleep(PAINTING if EDITED in missing else 0.0)
            for name in missing:
                for run in steps(model, runs[name], runs, bases.get(name)):
                    runs[name] = run
                    tell((name, run))

        self._runner.start(task, QUICK if model.parameters < SMALL else 0.0)

    def _take_run(self, came: tuple[str, Run]) -> None:
        name, run = came
        of = 0 if self.state.model is None else self.state.model.layers
        self.update(runs=self.state.with_run(name, run), working=(len(run.layers), of))

    def _on_ended(self) -> None:
        self.update(working=None)

    def _on_failed(self, problem: UserError) -> None:
        """Give up the edits that the model refuses."""
        self.update(working=None)
        edited = self.state.run(EDITED)
        if edited is not None and not edited.done:
            if self.undo_stack.canUndo():
                self.undo_stack.undo()
            else:
                self._compute(replace(self.state.setting, edits=()))
        self.failed.emit(problem)

    # The layer of the selected head

    def _open_selected(self, _old: ModelState, new: ModelState) -> None:
        """Open the layer of the selected head where it is not open."""
        model, selected, opened = new.model, new.selected, new.opened
        if model is None or selected is None or selected is self._wanted:
            return
        if opened is not None and opened.result is selected:
            return
        self._wanted = selected
        runs, run, layer = dict(new.runs), new.runs[new.shown_run], new.look.layer

        def task(tell: Tell) -> None:
            changes = layer_changes(model, runs, run.edits, layer)
            tell(open_layer(model, run, layer, changes, opened))

        self._layer_opener.start(task, LAYER_PATIENCE)

    def _take_layer(self, opened: OpenedLayer) -> None:
        self._wanted = None
        if self.state.selected is opened.result:
            self.update(opened=opened)

    # The reasons of one score

    def _seek_reasons(self, _old: ModelState, new: ModelState) -> None:
        """Find why the chosen query looks at the chosen key, once the layer is there."""
        look, model, selected = new.look, new.model, new.selected
        asked = (selected, look.head, look.query, look.key)
        if asked == self._asked:
            return
        self._asked = asked
        self._reasoner.stop()
        self.update(reasons=None)
        sentence = new.sentence
        if model is None or selected is None or sentence is None:
            return
        if look.query is None or look.key is None or max(look.query, look.key) >= sentence.n:
            return
        query, key, runs, run = look.query, look.key, dict(new.runs), new.runs[new.shown_run]

        def task(tell: Tell) -> None:
            sleep(PAINTING)
            changes = changes_of(model, runs, run.edits)
            layers = run_layers(model, sentence.ids, changes, tokens=sentence.pieces)
            tell((asked, reasons_of(layers, look.layer, look.head, query, key)))

        self._reasoner.start(task)

    def _take_reasons(self, found: tuple[object, Reasons]) -> None:
        if found[0] == self._asked:
            self.update(reasons=found[1])

    def cancel(self) -> None:
        """Stop computing; the layers so far stay."""
        self._runner.stop()
        self._opener.stop()
        self.update(working=None, opening=False)

    @property
    def unfinished(self) -> list[str]:
        """The runs that were cancelled."""
        state = self.state
        if state.working is not None or state.opening:
            return []
        return [name for name in (A, B, EDITED) if name in state.runs and not state.runs[name].done]

    def resume(self) -> None:
        """Go on with runs that were cancelled."""
        if self.state.model is not None and self.unfinished:
            missing = self.unfinished
            self.update(working=(0, self.state.model.layers))
            self._start(self.state.model, missing)

    def finish(self) -> None:
        """Wait until a model is open and its runs are done."""
        for runner in (self._opener, self._runner, self._layer_opener, self._reasoner):
            runner.finish()

    # The main window

    def layer_document(self, *, whole: bool = False) -> Document | None:
        """The attention of the selected layer as an experiment that is linked to the model, or the
        whole layer as a stack; None where it is not computed. Edits of this layer stay edits.

        Raises UserError as the model does.
        """
        state = self.state
        model, selected, run = state.model, state.selected, state.run(state.shown_run)
        if model is None or selected is None or run is None:
            return None
        title = f"{state.title} · {tr('Layer {number}', number=state.look.layer + 1)}"
        layer, opened = state.look.layer, state.opened
        changes = layer_changes(model, state.runs, run.edits, layer)
        untouched = self._untouched(model, run, layer, whole=whole)
        if not whole:
            document = linked_attention(model, run, layer, changes, untouched)
            return document.with_(title=title)
        if opened is None or opened.result is not selected:
            opened = open_layer(model, run, layer, changes, opened)
        return linked_whole(model, run, opened, untouched).with_(title=title)

    def _untouched(self, model: Model, run: Run, layer: int, *, whole: bool) -> Array:
        """What comes into a layer as a whole, or into its heads, where nothing before it is edited.

        # -> (n, d)
        """

        def entering(result: LayerResult) -> Array:
            return result.incoming if whole else result.attention_input

        first = first_edited_layer(
            tuple(each for each in run.edits if not isinstance(each, WordSwap))
        )
        plain = self.state.run(A)
        # A norm of the layer itself changes what comes into its heads.
        if first is None or first > layer or (whole and first == layer):
            return entering(run.layers[layer])
        if plain is not None and plain.sentence.ids == run.sentence.ids:
            return entering(plain.layers[layer])
        from core.storage.model_file import linked_layer

        document = linked_layer(model, layer + 1, ids=run.sentence.ids, whole=whole)
        assert document.X is not None
        return document.X

    # Looking

    def look(self, **changes: Any) -> None:
        """Change what is looked at."""
        self.update(look=replace(self.state.look, **changes))

    def select(self, layer: int, head: int) -> None:
        """Select a head."""
        self.look(layer=layer, head=head)

    def appear(self, shade: str, decimals: int, language: str) -> None:
        """Follow theme, decimals and language of the program."""
        self.update(shade=shade, decimals=decimals, language=language)

    def rename(self, title: str, notes: str) -> None:
        """Name a shipped model in another language."""
        self.update(title=title, notes=notes)

    def close(self) -> None:
        """Stop all activity."""
        self.cancel()
        self._layer_opener.stop()
        self._reasoner.stop()
