"""A walk through the real window: actions, keys, clicks, dialogs, labs, drawn by chance from a seed."""

from __future__ import annotations

import traceback
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from random import Random

from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from core.explain.timeline import Grain
from core.labs.lab import LABS
from core.lesson.lesson import LESSONS
from core.storage.archive import dumps
from core.storage.examples import EXAMPLES, load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.session.state import Preferences
from tests.gui.window_kit import all_actions
from tests.soak.answering import TYPED, PlayedAsk, Player, type_text
from tests.soak.laws import broken_laws
from tests.soak.measuring import Cost, below, cost, settle
from tests.soak.watching import Watch

Key, Modifier = Qt.Key, Qt.KeyboardModifier
NOT_BY_ID = {"quit"}
KEYS = (
    Key.Key_Right,
    Key.Key_Left,
    Key.Key_Up,
    Key.Key_Down,
    Key.Key_PageDown,
    Key.Key_PageUp,
    Key.Key_Home,
    Key.Key_End,
    Key.Key_Tab,
    Key.Key_Backtab,
    Key.Key_Space,
    Key.Key_Return,
    Key.Key_Escape,
    Key.Key_Delete,
    Key.Key_F2,
    Key.Key_F5,
    Key.Key_1,
    Key.Key_2,
    Key.Key_3,
    Key.Key_9,
    Key.Key_B,
    Key.Key_W,
    Key.Key_L,
    Key.Key_P,
    Key.Key_Z,
    Key.Key_Y,
    Key.Key_C,
    Key.Key_V,
    Key.Key_X,
    Key.Key_A,
    Key.Key_R,
    Key.Key_Plus,
    Key.Key_Minus,
    Key.Key_Period,
    Key.Key_0,
)
MODIFIERS = (
    Modifier.NoModifier,
    Modifier.NoModifier,
    Modifier.NoModifier,
    Modifier.ControlModifier,
    Modifier.ShiftModifier,
    Modifier.ControlModifier | Modifier.ShiftModifier,
)
PASTED = (
    "1\t2\t3\n4\t5\t6",
    "[[0.1, 0.2], [0.3, -0.4]]",
    "\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}",
    "not numbers",
    "",
)
SIZES = ((1280, 720), (1920, 1080), (800, 600), (1024, 768))
ROUND = 1000  # actions between two returns to the beginning


class _Nowhere(QObject):
    """What would be opened in another program."""

    @Slot(QUrl)
    def swallow(self, _url: QUrl) -> None:
        """Nothing happens."""


class Walk:
    """Walks so far as it is told; `costs` are looks taken at the same resting place after each round."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = Random(seed)
        self.folder = folder
        self.trail: deque[str] = deque(maxlen=25)
        self.counts: Counter[str] = Counter()
        self.costs: list[Cost] = []
        self.faults: dict[
            str, str
        ] = {}  # the last line of what went wrong, and all of it with the steps before
        self._nowhere = _Nowhere()
        for scheme in ("file", "http", "https"):
            QDesktopServices.setUrlHandler(scheme, self._nowhere, "swallow")  # type: ignore[arg-type]  # bytes, it says, and refuses them
        self._prepare_files()
        self.window = self._window()
        self.player = Player(self.chance)
        self._moves: tuple[tuple[int, Callable[[], str]], ...] = (
            (30, self._action),
            (25, self._key),
            (25, self._click),
            (6, self._type),
            (4, self._drag),
            (4, self._wheel),
            (3, self._paste),
            (3, self._look),
            (3, self._lab),
            (2, self._resize),
            (2, self._open_example),
            (1, self._open_lesson),
            (4, self._step_far),
        )

    def _prepare_files(self) -> None:
        (self.folder / "given.attn.json").write_bytes(dumps(load_example(EXAMPLES[1])))
        (self.folder / "broken.attn.json").write_bytes(
            b'{"format": "self-attention-experiment", "version": 1'
        )

    def _window(self) -> MainWindow:
        window = build_window(language="en")
        window.files.ask = PlayedAsk(self.chance, self.folder)
        window.labs.ask = _no_path
        window.resize(*SIZES[0])
        window.show()
        window.activateWindow()
        return window

    # Walking

    def walk(self, actions: int) -> None:
        """So many actions, with a look at each return to the beginning."""
        with Watch() as watch:
            self.player.start()
            for number in range(1, actions + 1):
                self._move(watch)
                self._look_for_faults(watch)
                if number % ROUND == 0 or number == actions:
                    self.rest()
                    self._look_for_faults(watch)
                    self.costs.append(self.look())
            self.player.stop()

    def _move(self, watch: Watch) -> None:
        weights = [weight for weight, _ in self._moves]
        move = self.chance.choices([move for _, move in self._moves], weights)[0]
        name = move.__name__.lstrip("_")
        self.trail.append(name)
        self.counts[name] += 1
        try:
            self.trail[-1] = f"{name} {move()}"
        except Exception as error:
            # A press may delete the widget that the release was meant for.
            if not (isinstance(error, RuntimeError) and "already deleted" in str(error)):
                watch.found.append("".join(traceback.format_exception(error)))
        QApplication.processEvents()

    def _look_for_faults(self, watch: Watch) -> None:
        for text in (*watch.found, *broken_laws(self.window.session.state)):
            steps = "\n  ".join(self.trail)
            self.faults.setdefault(text.strip().splitlines()[-1], f"after\n  {steps}\n{text}")
        watch.found.clear()

    def look(self) -> Cost:
        """What the window costs now."""
        return cost()

    def rest(self) -> None:
        """Back to the beginning: what is open is closed, the first example is shown as after the first start."""
        while (
            dialog := QApplication.activeModalWidget() or QApplication.activePopupWidget()
        ) is not None:
            dialog.close()  # which may ask whether what was typed there is to be kept: that is answered, too
        self.player.stop()
        window, session = self.window, self.window.session
        window.presentation.stop()
        window.labs.close()
        window.guide.close()
        window.classroom.close()
        session.lesson_player.close()
        session.stop_comparing()
        session.answers.set_predicting(False)
        session.play(False)
        session.open_document(load_example(EXAMPLES[0]))
        session.answers.reset_score()
        session.set_preferences(
            **{name: getattr(Preferences(), name) for name in Preferences.__dataclass_fields__}
        )
        session.set_language("en")
        session.set_preferences(grain=Grain.STAGE, motion=False)
        window.perform("reset_layout")
        window.message_bar.hide()
        window.diagram.fit()
        window.resize(*SIZES[0])
        QGuiApplication.clipboard().clear()
        settle()
        self.player.start()

    def close(self) -> None:
        """The window goes."""
        self.rest()
        self.player.stop()
        self.window.close()
        self.window.deleteLater()
        for scheme in ("file", "http", "https"):
            QDesktopServices.unsetUrlHandler(scheme)
        settle()

    # Moves; each says what it was

    def _action(self) -> str:
        action_id = self.chance.choice(
            [spec.id for spec in all_actions() if spec.menu != "labs" and spec.id not in NOT_BY_ID]
        )
        self.trail[-1] = f"action {action_id}"
        self.window.actions_[action_id].trigger()
        return action_id

    def _key(self) -> str:
        key, modifier = self.chance.choice(KEYS), self.chance.choice(MODIFIERS)
        widget = QApplication.focusWidget() or QApplication.activeWindow() or self.window
        self.trail[-1] = said = f"key {modifier.name}+{key.name} at {named(widget)}"
        QTest.keyClick(widget, key, modifier)
        return said

    def _click(self) -> str:
        widget = self._widget()
        button = self.chance.choices(
            (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton), (6, 1)
        )[0]
        twice = self.chance.random() < 0.2
        place = self._place(widget)
        self.trail[-1] = said = (
            f"click {named(widget)} at {place.x()},{place.y()} {button.name} {twice}"
        )
        QTest.mouseMove(widget, place)
        (QTest.mouseDClick if twice else QTest.mouseClick)(
            widget, button, self.chance.choice(MODIFIERS[:5]), place
        )
        return said

    def _type(self) -> str:
        widget = QApplication.focusWidget() or self.window
        text = self.chance.choice(TYPED)
        self.trail[-1] = said = f"type {text!r} at {named(widget)}"
        type_text(widget, text)
        if (field := QApplication.focusWidget()) is not None:
            QTest.keyClick(field, self.chance.choice((Key.Key_Return, Key.Key_Tab, Key.Key_Escape)))
        return said

    def _drag(self) -> str:
        widget = self._widget()
        start, end = self._place(widget), self._place(widget)
        self.trail[-1] = said = f"drag {named(widget)}"
        QTest.mousePress(widget, Qt.MouseButton.LeftButton, Modifier.NoModifier, start)
        QTest.mouseMove(widget, (start + end) / 2)
        QTest.mouseMove(widget, end)
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, Modifier.NoModifier, end)
        return said

    def _wheel(self) -> str:
        handle = self.window.windowHandle()
        widget = self._widget()
        self.trail[-1] = said = f"wheel {named(widget)}"
        place = widget.mapTo(widget.window(), self._place(widget))
        turn = QPoint(0, self.chance.choice((-120, 120)))
        if widget.window() is self.window and handle is not None:
            QTest.wheelEvent(handle, place, turn, QPoint(), self.chance.choice(MODIFIERS))
        return said

    def _paste(self) -> str:
        text = self.chance.choice(PASTED)
        QGuiApplication.clipboard().setText(text)
        QTest.keyClick(
            QApplication.focusWidget() or self.window, Key.Key_V, Modifier.ControlModifier
        )
        return repr(text)

    def _look(self) -> str:
        names = [
            s.id
            for s in all_actions()
            if s.id.startswith(("theme_", "language_", "text_", "toggle_labels"))
        ]
        name = self.chance.choice(names)
        self.window.perform(name)
        return name

    def _lab(self) -> str:
        lab = self.chance.choice(tuple(LABS))
        self.trail[-1] = said = f"lab {lab}"
        self.window.labs.open(lab)
        room = self.window.labs.window
        assert room is not None
        QApplication.processEvents()
        for _ in range(3):
            widgets = _seen(room)
            buttons = [w for w in widgets if isinstance(w, QAbstractButton) and w.isEnabled()]
            widget = self.chance.choice(
                buttons if self.chance.random() < 0.5 and buttons else widgets or [room]
            )
            self.trail[-1] = said = f"{said}; {named(widget)}"
            QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=self._place(widget))
            QApplication.processEvents()
            if self.window.labs.window is not room:
                return said
        if self.chance.random() < 0.3:
            room.close()
        return said

    def _resize(self) -> str:
        size = self.chance.choice(SIZES)
        self.window.resize(*size)
        return str(size)

    def _open_example(self) -> str:
        name = self.chance.choice(EXAMPLES)
        self.window.session.open_document(load_example(name))
        return name

    def _open_lesson(self) -> str:
        name = self.chance.choice(tuple(LESSONS))
        self.trail[-1] = f"lesson {name}"
        self.window.lesson_files.open_shipped(name)
        return name

    def _step_far(self) -> str:
        by, grain = self.chance.choice((-7, -3, 3, 7)), self.chance.choice(tuple(Grain))
        self.window.session.step(by, grain)
        return f"{by} {grain}"

    # Where

    def _widget(self) -> QWidget:
        """Something that can be seen, of the window in front."""
        front = QApplication.activeWindow() or self.window
        seen = [widget for widget in _seen(front) if not widget.visibleRegion().isEmpty()]
        return self.chance.choice(seen or [front])

    def _place(self, widget: QWidget) -> QPoint:
        """A point of a widget that is not outside its window."""
        seen = widget.visibleRegion().boundingRect() or widget.rect()
        x, y = (self.chance.randrange(max(1, side)) for side in (seen.width(), seen.height()))
        return seen.topLeft() + QPoint(x, y)


def named(widget: QWidget) -> str:
    """What a widget is, for the trail."""
    return f"{type(widget).__name__}({widget.objectName() or widget.accessibleName()[:30]})"


def _seen(room: QWidget) -> list[QWidget]:
    return [one for one in below(room) if isinstance(one, QWidget) and one.isVisible()]


def _no_path(parent: QWidget, suggestion: Path, kind: str) -> Path | None:
    return None
