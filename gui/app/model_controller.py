"""Open the model window; it follows language and theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QTimer, QUrl
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu, QWidget

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.files import exists, is_folder, write_bytes
from core.lesson.model import LocalizedText
from gui.app.export_actions import ask_path
from gui.app.secondary_windows import WindowController, bring_to_front, write_picture
from gui.session.session import Session
from gui.session.state import State
from gui.storage.experiment_files import ExperimentFiles, file_name
from gui.texts.translation import tr
from gui.widgets.drops import local_paths

if TYPE_CHECKING:
    from core.models.shipped import ShippedModel
    from gui.model_window.session import Opening
    from gui.model_window.state import ModelState, Setting
    from gui.model_window.window import ModelWindow

KEEP_MS = 1000  # from a change to its copy on the disk
WEIGHTS = (".gguf", ".safetensors")
WEIGHTS_STAGE = "weights"


def is_model(path: Path) -> bool:
    """Whether a folder or file looks like a trained model."""
    if is_folder(path):
        return exists(path / "config.json")
    return path.suffix.lower() in WEIGHTS


class ModelController(WindowController):
    """One window for all models. `ask_folder`, `ask_file` and `ask_picture` are replaced by tests."""

    window: ModelWindow | None

    def __init__(
        self,
        session: Session,
        window: QMainWindow,
        files: ExperimentFiles,
        perform: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._session, self._main, self._files, self._perform = session, window, files, perform
        self.ask_folder, self.ask_file, self.ask_picture = _ask_folder, _ask_file, ask_path
        self._keeper = QTimer(self, singleShot=True, interval=KEEP_MS)
        self._keeper.timeout.connect(self.keep)

    def show_state(self, old: State | None, new: State) -> None:
        """Follow theme, decimals and language."""
        if self.window is None:
            return
        session = self.window.session
        session.appear(new.shade, new.decimals, new.language)
        if old is not None and old.language != new.language:
            known = {each.id: each for each in _shipped_models()}.get(session.state.source)
            if known is not None:
                named = self._shipped(known)
                session.rename(named.title, named.notes)

    # Opening

    def accepts(self, urls: Sequence[QUrl]) -> bool:
        """Whether dragged URLs are a folder or file that looks like a model."""
        return _dropped_model(urls) is not None

    def dropped(self, urls: Sequence[QUrl]) -> bool:
        """Open a dropped model after the drop: work during it would block the other program."""
        path = _dropped_model(urls)
        if path is not None:
            QTimer.singleShot(0, self, partial(self.open, path))
        return path is not None

    def open(self, source: str | Path | None = None) -> None:
        """Show the window, with a model: the given one, else the last or the first shipped one."""
        window = self._ready()
        bring_to_front(window)
        if source is not None:
            self._open(source)
        elif window.session.state.model is None:
            self._open_last()

    def _open_last(self) -> None:
        """Open the last model with its sentences and edits, else the first shipped one."""
        from gui.model_window.recent_models import last_model

        last, shipped = last_model(), [each.id for each in _shipped_models()]
        if last is not None and (exists(last[0]) or last[0] in shipped):
            self._open(*last)
        elif shipped:
            self._open(shipped[0])

    def choose_folder(self) -> None:
        """Ask for a folder with a model and open it."""
        self._choose(self.ask_folder)

    def choose_file(self) -> None:
        """Ask for a file of weights and open it."""
        self._choose(self.ask_file)

    def _choose(self, ask: Callable[[QWidget, Path], Path | None]) -> None:
        window = self._ready()
        bring_to_front(window)
        path = ask(window, self._folder())
        if path is not None:
            self._open(path)

    def fill_menu(self, menu: QMenu) -> None:
        """List the shipped models, the recent ones, and the ways to another one."""
        from core.models.shipped import place_name

        for each in _shipped_models():
            action = menu.addAction(_title(each, self._session.state.language))
            action.triggered.connect(partial(self.open, each.id))
        menu.addSeparator()
        for path in self.recent():
            action = menu.addAction(place_name(Path(path)) or Path(path).name)
            action.setToolTip(path)
            action.setEnabled(exists(path))
            action.triggered.connect(partial(self.open, path))
        menu.addSeparator()
        menu.addAction(tr("Open a &folder…")).triggered.connect(self.choose_folder)
        menu.addAction(tr("Open a &file…")).triggered.connect(self.choose_file)

    @staticmethod
    def recent() -> list[str]:
        """The folders and files that were opened, the last first."""
        from gui.model_window.recent_models import recent_models

        return recent_models()

    def _open(self, source: str | Path, setting: Setting | None = None) -> None:
        from gui.model_window.session import Opening

        assert self.window is not None
        shipped = {each.id: each for each in _shipped_models()}
        known = shipped.get(str(source))
        if known is not None:
            self.window.session.open(replace(self._shipped(known), setting=setting))
            return
        path = Path(source).absolute()
        self.window.session.open(Opening(path, setting=setting))

    def _shipped(self, model: ShippedModel) -> Opening:
        from gui.model_window.session import Opening

        language = self._session.state.language
        snapshots = tuple((step, model.folder / file) for step, file in model.snapshots)
        text, notes = (LocalizedText(each).of(language) for each in (model.text, model.notes))
        return Opening(model.id, _title(model, language), text, notes, snapshots)

    def _remember(self, old: ModelState, new: ModelState) -> None:
        """List a model that was opened; keep sentences and edits soon after a change."""
        from gui.model_window.recent_models import remember_model

        if new.model is None:
            return
        if new.source != old.source and exists(new.source):
            remember_model(new.source)
        if (new.source, new.setting) != (old.source, old.setting):
            self._keeper.start()

    def keep(self) -> None:
        """Write what the window would restore."""
        from gui.model_window.recent_models import save_last_model

        self._keeper.stop()
        state = None if self.window is None else self.window.session.state
        if state is not None and state.model is not None:
            save_last_model(state.source, state.setting)

    def _folder(self) -> Path:
        found = (Path(path).parent for path in self.recent())
        return next((path for path in found if is_folder(path)), self._files.folder())

    def _ready(self) -> ModelWindow:
        if self.window is None:
            from gui.model_window.session import ModelSession
            from gui.model_window.state import ModelState
            from gui.model_window.window import ModelWindow

            state = self._session.state
            session = ModelSession(ModelState(state.language, state.shade, state.decimals))
            self.window = ModelWindow(session, self.fill_menu)
            self.window.asked.connect(self._asked)
            session.changed.connect(self._remember)
            self.window.dropped.connect(self.open)
            self.window.left.connect(self._left)
        return self.window

    def _left(self) -> None:
        self.keep()
        super()._left()

    # Requests of the window

    def _asked(self, name: str) -> None:
        tasks: dict[str, Callable[[ModelWindow], None]] = {
            "model_open": lambda window: window.choice.showMenu(),
            "model_present": lambda window: window.toggle_present(),
            "model_hand_over": self._hand_over,
            "model_layer": partial(self._hand_over, whole=True),
            "model_picture": self._write_picture,
            "model_help": lambda _: self._perform("help"),
            "model_quit": lambda _: self._perform("quit"),
        }
        if self.window is not None:
            tasks[name](self.window)

    def _hand_over(self, window: ModelWindow, *, whole: bool = False) -> None:
        """Open the attention of the selected layer, or the whole layer, in the main window."""
        if not self._files.maybe_save():
            return
        try:
            document = window.session.layer_document(whole=whole)
        except UserError as problem:
            window.refuse(problem)
            return
        if document is None:
            return
        if not self._session.attempt(partial(self._session.open_document, document)):
            return
        look = window.session.state.look
        stage = f"L1.{WEIGHTS_STAGE}" if whole else WEIGHTS_STAGE
        self._session.go_to_stage(stage)
        self._session.set_focus(Cell(stage, look.query or 0, look.key or 0, look.head))
        bring_to_front(self._main)

    def _write_picture(self, window: ModelWindow) -> None:
        """Write what the window shows as a picture; it holds no weights of the model."""
        from gui.export.paint_devices import picture_writer
        from gui.model_window.picture import SIZE, paint_model

        state = window.session.state
        name = self._files.folder() / f"{file_name(state.title)}.png"
        chosen = self.ask_picture(window, name, tr("Pictures") + " (*.png *.svg *.pdf)")
        paint = partial(paint_model, area=QRectF(0.0, 0.0, *SIZE), state=state)
        write_picture(
            window,
            self._files,
            chosen,
            lambda path: write_bytes(path, picture_writer(path)(paint, SIZE, state.title)),
        )


def _shipped_models() -> tuple[ShippedModel, ...]:
    """The models that ship; imported when first used, for a faster start."""
    from core.models.shipped import shipped_models

    return shipped_models()


def _dropped_model(urls: Sequence[QUrl]) -> Path | None:
    return next(filter(is_model, local_paths(urls)), None)


def _title(model: ShippedModel, language: str) -> str:
    return LocalizedText(model.title).of(language) or model.id


def _ask_folder(parent: QWidget, folder: Path) -> Path | None:
    chosen = QFileDialog.getExistingDirectory(parent, tr("Open the folder of a model"), str(folder))
    return Path(chosen) if chosen else None


def _ask_file(parent: QWidget, folder: Path) -> Path | None:
    kinds = tr("Trained models") + " (*.gguf *.safetensors)"
    chosen, _ = QFileDialog.getOpenFileName(parent, tr("Open a model"), str(folder), kinds)
    return Path(chosen) if chosen else None
