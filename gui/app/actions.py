"""Every action of the window, by id: its name, keys, icon, and what it asks of the session."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QWidget

from core.explain.focus import has_heads
from core.explain.timeline import Grain
from gui.painting.icons import icon
from gui.painting.text_size import PERCENTS
from gui.painting.theme import THEMES, colours
from gui.session.state import State
from gui.texts.names import COPY_FORMATS
from gui.texts.translation import language_name, languages, mark, tr, tr_marked
from gui.widgets.shortcut_filter import REDO, UNDO

# Copies of the matrix in focus, of one head or of all, by action; the values are forms of core.exchange.
COPY_MATRIX = {f"copy_as_{form}": form for form in COPY_FORMATS}
COPY_HEADS = {f"copy_heads_as_{form}": form for form in COPY_FORMATS}


class Spec(Struct, frozen=True):
    """One action. A `group` makes it checkable and exclusive; `checkable` alone makes it a switch."""

    id: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    checkable: bool = False
    group: str = ""


SPECS: tuple[Spec, ...] = (
    Spec("new", mark("&New…"), ("Ctrl+N",), "new"),
    Spec("open", mark("&Open…"), ("Ctrl+O",), "open"),
    Spec("import", mark("&Import…"), ("Ctrl+I",), "table"),
    Spec("save", mark("&Save"), ("Ctrl+S",), "save"),
    Spec("save_as", mark("Save &as…"), ("Ctrl+Shift+S",), "save_as"),
    Spec("export_picture", mark("&Picture…"), ("Ctrl+E",), "export"),
    Spec("export_film", mark("&Animation…")),
    Spec("export_slides", mark("&Slides…")),
    Spec("export_page", mark("&Web page…")),
    Spec("export_xlsx", mark("&Excel workbook with formulas…"), ("Ctrl+Shift+E",)),
    Spec("export_py", mark("&NumPy script…")),
    Spec("export_torch", mark("Py&Torch script…")),
    Spec("export_ipynb", mark("&Jupyter notebook…")),
    Spec("export_tex", mark("&LaTeX document…")),
    Spec("export_npz", mark("NumPy a&rrays…")),
    Spec("export_json", mark("JS&ON…")),
    Spec("export_csv", mark("&Folder of CSV files…")),
    Spec("copy_picture", mark("&Copy picture"), ("Ctrl+Shift+C",), "copy"),
    Spec("export_worksheet", mark("Wor&ksheets…")),
    Spec("export_report", mark("&Report…")),
    Spec("lesson_new", mark("&New lesson"), (), "new"),
    Spec("lesson_open", mark("&Open lesson…"), (), "open"),
    Spec("lesson_save", mark("&Save lesson"), (), "save"),
    Spec("lesson_save_as", mark("Save lesson &as…"), (), "save_as"),
    Spec("lesson_close", mark("&Close lesson"), (), "close"),
    Spec("quit", mark("&Quit"), ("Ctrl+Q",)),
    Spec("undo", mark("Undo"), UNDO, "undo"),
    Spec("redo", mark("Redo"), REDO, "redo"),
    Spec("clip_copy", mark("Cop&y"), ("Ctrl+C",), "copy"),
    Spec("clip_paste", mark("P&aste"), ("Ctrl+V",)),
    Spec("clip_whole", mark("Paste as the whole &matrix"), ("Ctrl+Shift+V",)),
    Spec("select_all", mark("Select a&ll"), ("Ctrl+A",)),
    Spec("nudge_up", mark("Increase the focused value"), ("Ctrl+Up",)),
    Spec("nudge_down", mark("Decrease the focused value"), ("Ctrl+Down",)),
    Spec("copy_sum_text", mark("Copy the worked &sum"), ("Ctrl+Shift+W",), "copy"),
    Spec("copy_sum_latex", mark("Copy the worked sum as La&TeX")),
    *(
        Spec(action_id, COPY_FORMATS[form])
        for action_id, form in (COPY_MATRIX | COPY_HEADS).items()
    ),
    Spec("unpin_all", mark("Remove all what-if values"), (), "unpin"),
    Spec("preferences", mark("&Preferences…"), ("Ctrl+,",), "settings"),
    Spec("step_forward", mark("Step forward"), ("Right", "PgDown"), "step_forward"),
    Spec("step_back", mark("Step back"), ("Left", "PgUp"), "step_back"),
    Spec("stage_forward", mark("Next stage"), ("Ctrl+Right",), "stage_forward"),
    Spec("stage_back", mark("Previous stage"), ("Ctrl+Left",), "stage_back"),
    Spec("go_first", mark("First step"), ("Home",), "go_first"),
    Spec("go_last", mark("Last step"), ("End",), "go_last"),
    Spec("scene_forward", mark("On in the lesson"), ("PgDown",)),
    Spec("scene_back", mark("Back in the lesson"), ("PgUp",)),
    Spec("group_forward", mark("Next group of scenes"), ("Ctrl+PgDown",)),
    Spec("group_back", mark("Previous group of scenes"), ("Ctrl+PgUp",)),
    Spec("add_scene", mark("Add scene"), ("Ctrl+L",), "add"),
    Spec("drop_live_edits", mark("Drop the live edits"), ("Backspace",), "reset"),
    Spec("live_edits", mark("Live edits again"), ()),
    Spec("play", mark("Play"), ("Space",), "play", checkable=True),
    Spec("grain_stage", mark("Stage"), (), "", group="grain"),
    Spec("grain_row", mark("Row"), (), "", group="grain"),
    Spec("grain_cell", mark("Cell"), (), "", group="grain"),
    Spec("predict", mark("Predict, then reveal"), ("Ctrl+R",), "", checkable=True),
    Spec("speed_0.5", mark("½ ×"), (), "", group="speed"),
    Spec("speed_1.0", mark("1 ×"), (), "", group="speed"),
    Spec("speed_2.0", mark("2 ×"), (), "", group="speed"),
    Spec("speed_4.0", mark("4 ×"), (), "", group="speed"),
    Spec("focus_up", mark("Focus the cell above"), ("Shift+Up",)),
    Spec("focus_down", mark("Focus the cell below"), ("Shift+Down",)),
    Spec("focus_left", mark("Focus the cell on the left"), ("Shift+Left",)),
    Spec("focus_right", mark("Focus the cell on the right"), ("Shift+Right",)),
    Spec("toggle_positional", mark("Positions"), (), "position", checkable=True),
    Spec("toggle_mask", mark("Mask"), (), "mask", checkable=True),
    Spec("toggle_scale", mark("÷√dₖ"), (), "scale", checkable=True),
    Spec("toggle_head", mark("Head on"), (), "head_on", checkable=True),
    Spec("add_head", mark("Add a head"), (), "add"),
    Spec("duplicate_head", mark("Duplicate the head"), (), "duplicate"),
    Spec("remove_head", mark("Remove the head"), (), "remove"),
    Spec("pin_run", mark("Pin this run"), (), "pin"),
    Spec("unpin_run", mark("Unpin the run"), (), "unpin"),
    Spec("zoom_in", mark("Zoom in"), ("Ctrl++", "Ctrl+="), "zoom_in"),
    Spec("zoom_out", mark("Zoom out"), ("Ctrl+-",), "zoom_out"),
    Spec("text_larger", mark("&Larger"), ("Alt+=", "Alt++")),
    Spec("text_smaller", mark("&Smaller"), ("Alt+-",)),
    Spec("text_normal", mark("&Normal"), ("Alt+0",)),
    Spec("notes", mark("Title and notes…"), ("Ctrl+Shift+N",)),
    Spec("fit", mark("Fit the diagram"), ("Ctrl+0",), "fit"),
    Spec("more_decimals", mark("More decimals"), ("Ctrl+.",)),
    Spec("fewer_decimals", mark("Fewer decimals"), ("Ctrl+Shift+.",)),
    Spec("language_system", mark("As the system"), (), "", group="language"),
    Spec("toggle_labels", mark("Labels in both languages"), (), "", checkable=True),
    Spec("theme_system", mark("Theme of the system"), (), "", group="theme"),
    Spec("theme_light", mark("Light"), (), "theme_light", group="theme"),
    Spec("theme_dark", mark("Dark"), (), "theme_dark", group="theme"),
    Spec("theme_contrast", mark("High contrast"), (), "", group="theme"),
    Spec("theme_chalkboard", mark("Chalkboard"), (), "", group="theme"),
    Spec("toggle_columns", mark("Tokens as columns"), (), "", checkable=True),
    Spec("motion", mark("Motion"), (), "", checkable=True),
    Spec("check", mark("Check my work"), ("Ctrl+K",)),
    Spec("code_panel", mark("Code of this step"), ("Ctrl+U",)),
    Spec("code_line", mark("Code line below the sum"), (), "", checkable=True),
    Spec("lesson_panel", mark("Lesson"), ("Ctrl+Shift+L",)),
    Spec("reset_layout", mark("Panels back in place"), (), "reset"),
    Spec("present", mark("Present"), ("F5", "Shift+F5"), "present", checkable=True),
    Spec("help", mark("User guide"), ("F1",), "help"),
    Spec("keys", mark("Keys and marks"), ("Shift+F1",)),
    Spec("about", mark("About Attention Stepper"), ()),
    *(
        Spec(f"head_{number}", mark("Look at head {number}"), (str(number),))
        for number in range(1, 10)
    ),
)
# Keys of clickers: they belong to the lesson while one is being played, to single steps otherwise.
CLICKER = {"PgDown", "PgUp"}
STEPPING = ("step_forward", "step_back")
# What is called otherwise with tokens as columns.
COLUMN_TEXTS = {"grain_row": mark("Column")}


def all_specs() -> tuple[Spec, ...]:
    """Every action, with one for each language that is installed."""
    choices = (
        Spec(f"language_{code}", language_name(code), (), "", group="language")
        for code in languages()
    )
    return (*SPECS, *choices)


class Actions(QObject):
    """Makes the actions and keeps their names, checks and availability true to the state.

    Each is triggered as `on(id)`: the window decides what that means.
    """

    def __init__(self, window: QWidget, on: Callable[[str], None]) -> None:
        super().__init__(window)
        self._on = on
        self._groups: dict[str, QActionGroup] = {}
        self._specs = all_specs()
        self._all = {spec.id: self._make(spec, window) for spec in self._specs}

    def __getitem__(self, action_id: str) -> QAction:
        return self._all[action_id]

    def _make(self, spec: Spec, window: QWidget) -> QAction:
        action = QAction(window)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
        action.setCheckable(spec.checkable or bool(spec.group))
        action.setIconVisibleInMenu(
            not action.isCheckable()
        )  # there it would take the place of the tick
        action.setAutoRepeat(not spec.checkable)  # a key that is held down must not go to and fro
        if spec.group:
            group = self._groups.setdefault(spec.group, QActionGroup(self))
            group.addAction(action)
        action.triggered.connect(self._triggered)
        window.addAction(action)
        return action

    def _triggered(self) -> None:
        sender = self.sender()
        if isinstance(sender, QAction):
            self._on(sender.objectName())

    def show_state(self, old: State | None, new: State) -> None:
        """Names, icons, checks and availability."""
        if old is None or (old.language, old.orientation) != (new.language, new.orientation):
            self._name_all(new)
        if old is None or old.shade != new.shade:
            self._paint_icons(new)
        if old is None or (old.shade, old.playing) != (new.shade, new.playing):
            self._paint("play", "pause" if new.playing else "play", new)
        if old is None or (old.scene_index is None) != (new.scene_index is None):
            self._give_keys(new.scene_index is not None)
        self._check_all(new)
        self._check_lesson(new)

    def _give_keys(self, playing: bool) -> None:
        """A key belongs to one action at a time."""
        for spec in self._specs:
            if spec.id in STEPPING:
                kept = [key for key in spec.keys if not playing or key not in CLICKER]
                self[spec.id].setShortcuts([QKeySequence(key) for key in kept])

    def _check_lesson(self, state: State) -> None:
        open_, playing = state.lesson is not None, state.scene_index is not None
        for action_id in (
            "scene_forward",
            "scene_back",
            "group_forward",
            "group_back",
            "drop_live_edits",
        ):
            self[action_id].setEnabled(playing)
        self["live_edits"].setEnabled(state.scene_index in state.live_edits)
        for action_id in ("lesson_save", "lesson_save_as", "lesson_close"):
            self[action_id].setEnabled(open_)

    def _name_all(self, state: State) -> None:
        for spec in self._specs:
            number = {"number": spec.id[-1]} if spec.id.startswith("head_") else {}
            text = COLUMN_TEXTS.get(spec.id, spec.text) if state.orientation.columns else spec.text
            self[spec.id].setText(tr_marked(text, **number))
            self[spec.id].setToolTip(self._tip(spec))

    def _tip(self, spec: Spec) -> str:
        name = self[spec.id].text().replace("&", "")
        keys = [
            QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in spec.keys
        ]
        return tr("{name} ({keys})", name=name, keys=" · ".join(keys)) if keys else name

    def _paint_icons(self, state: State) -> None:
        for spec in self._specs:
            if spec.icon and spec.id != "play":
                self._paint(spec.id, spec.icon, state)

    def _paint(self, action_id: str, name: str, state: State) -> None:
        theme = colours(state.shade)
        self[action_id].setIcon(icon(name, theme.text, theme.ghost))

    def _check_all(self, state: State) -> None:
        document, preferences = state.document, state.preferences
        checks = {
            "play": state.playing,
            "toggle_positional": document.positional.kind != "none",
            "toggle_mask": document.mask.kind != "none",
            "toggle_scale": document.scale.kind != "none",
            "toggle_head": document.heads[state.cursor.head].enabled,
            "motion": preferences.motion,
            "toggle_columns": preferences.columns,
            "toggle_labels": preferences.labels == "both",
            "code_line": preferences.code_line,
            "predict": state.predict,
            **{f"grain_{grain}": preferences.grain is grain for grain in Grain},
            **{f"speed_{speed}": preferences.speed == speed for speed in (0.5, 1.0, 2.0, 4.0)},
            **{
                f"language_{name}": preferences.language == name
                for name in ("system", *languages())
            },
            **{f"theme_{name}": preferences.theme == name for name in ("system", *THEMES)},
        }
        for action_id, on in checks.items():
            self[action_id].setChecked(on)
        for number in range(1, 10):
            self[f"head_{number}"].setEnabled(number <= document.h)
        self["remove_head"].setEnabled(document.h > 1)
        headwise = document.h > 1 and has_heads(state.focus.tensor)
        for action_id in COPY_HEADS:
            self[action_id].setEnabled(headwise)
        self["unpin_all"].setEnabled(bool(document.pins))
        self["unpin_run"].setEnabled(state.compared is not None)
        self["more_decimals"].setEnabled(state.decimals < 8)
        self["fewer_decimals"].setEnabled(state.decimals > 0)
        self["text_larger"].setEnabled(preferences.text_size < PERCENTS[-1])
        self["text_smaller"].setEnabled(preferences.text_size > PERCENTS[0])
        self["text_normal"].setEnabled(preferences.text_size != PERCENTS[0])

    def name_undo(self, undo: str, redo: str) -> None:
        """What undo and redo would do, and whether there is anything to do."""
        self["undo"].setText(tr("Undo: {what}", what=undo) if undo else tr("Undo"))
        self["redo"].setText(tr("Redo: {what}", what=redo) if redo else tr("Redo"))
        self["undo"].setEnabled(bool(undo))
        self["redo"].setEnabled(bool(redo))
