"""The menus View, Labs and Help."""

from __future__ import annotations

from functools import partial

from core.labs.lab import LABS
from gui.app.actions import Action, Records, Submenu
from gui.app.main_window import MainWindow
from gui.painting.text_size import PERCENTS, next_percent
from gui.texts.labs import lab_claim, lab_title
from gui.texts.translation import language_name, languages, mark, tr

MOST_DECIMALS = 8


def _add_decimals(by: int, window: MainWindow) -> None:
    decimals = window.session.state.decimals + by
    window.session.set_preferences(decimals=min(max(decimals, 0), MOST_DECIMALS))


def _resize_text(by: int, window: MainWindow) -> None:
    window.session.set_preferences(
        text_size=next_percent(window.session.state.preferences.text_size, by)
    )


def _switch(action_id: str, text: str, name: str, *, line: bool = False) -> Action[MainWindow]:
    """A preference that is on or off."""

    def is_on(window: MainWindow) -> bool:
        return bool(getattr(window.session.state.preferences, name))

    return Action(
        action_id,
        text,
        lambda w: w.session.set_preferences(**{name: not is_on(w)}),
        "view",
        checked=is_on,
        line=line,
    )


def _choice(name: str, value: str, text: str, icon: str = "") -> Action[MainWindow]:
    """One value of a preference."""
    return Action(
        f"{name}_{value}",
        text,
        lambda w: w.session.set_preferences(**{name: value}),
        name,
        icon=icon,
        checked=lambda w: getattr(w.session.state.preferences, name) == value,
        group=name,
    )


def _has_both_labels(window: MainWindow) -> bool:
    return window.session.state.preferences.labels == "both"


def _toggle_labels(window: MainWindow) -> None:
    window.session.set_preferences(labels="one" if _has_both_labels(window) else "both")


def _toggle_presentation(window: MainWindow) -> None:
    presentation = window.presentation
    (presentation.stop if presentation.is_running else presentation.start)()


def _lab(lab_id: str) -> Action[MainWindow]:
    return Action(
        f"lab_{lab_id}",
        "",
        lambda w: w.labs.open(lab_id),
        "labs",
        name=lambda _: lab_title(lab_id),
        tip=lambda _: lab_claim(lab_id),
    )


def _show_about(window: MainWindow) -> None:
    from gui.dialogs.help import AboutDialog

    AboutDialog(window).open()


_PANELS: Records[MainWindow] = (
    Submenu("view", mark("&View")),
    Action(
        "present",
        mark("Present"),
        _toggle_presentation,
        "view",
        ("F5", "Shift+F5"),
        "present",
        checked=lambda w: w.presentation.is_running,
        toolbar=("present", 0),
        tip=lambda _: tr("Show the experiment to an audience, full screen"),
    ),
    Action("check", mark("Check my work"), lambda w: w.show_check(), "view", ("Ctrl+K",)),
    Action(
        "class_window",
        mark("Class…"),
        lambda w: w.classroom.open(),
        "view",
        ("Ctrl+Shift+K",),
        tip=lambda _: tr("Read the answers of a class: which mistakes, and how often"),
    ),
    Action("code_panel", mark("Code of this step"), lambda w: w.show_code(), "view", ("Ctrl+U",)),
    Action("lesson_panel", mark("Lesson"), lambda w: w.show_lesson(), "view", ("Ctrl+Shift+L",)),
    Action(
        "notes",
        mark("Title and notes…"),
        lambda w: w.stage.show_notes(),
        "view",
        ("Ctrl+Shift+N",),
    ),
)

_DIAGRAM: Records[MainWindow] = (
    Action(
        "zoom_in",
        mark("Zoom in"),
        lambda w: w.diagram.zoom_in(),
        "view",
        ("Ctrl++", "Ctrl+="),
        "zoom_in",
        line=True,
    ),
    Action(
        "zoom_out",
        mark("Zoom out"),
        lambda w: w.diagram.zoom_out(),
        "view",
        ("Ctrl+-",),
        "zoom_out",
    ),
    Action("fit", mark("Fit the diagram"), lambda w: w.diagram.fit(), "view", ("Ctrl+0",), "fit"),
)

_NUMBERS: Records[MainWindow] = (
    Action(
        "more_decimals",
        mark("More decimals"),
        partial(_add_decimals, 1),
        "view",
        ("Ctrl+.",),
        enabled=lambda w: w.session.state.decimals < MOST_DECIMALS,
        line=True,
    ),
    Action(
        "fewer_decimals",
        mark("Fewer decimals"),
        partial(_add_decimals, -1),
        "view",
        ("Ctrl+Shift+.",),
        enabled=lambda w: w.session.state.decimals > 0,
    ),
    _switch("toggle_columns", mark("Tokens as columns"), "columns"),
    _switch("show_ahead", mark("Show numbers not reached yet"), "show_ahead"),
    _switch("code_line", mark("Code line below the sum"), "code_line"),
    _switch("motion", mark("Motion"), "motion"),
    _switch("next_steps", mark("Suggestions below the stage view"), "next_steps"),
)

_THEME: Records[MainWindow] = (
    Submenu("theme", mark("&Theme"), "view"),
    _choice("theme", "system", mark("System theme")),
    _choice("theme", "light", mark("Light"), "theme_light"),
    _choice("theme", "dark", mark("Dark"), "theme_dark"),
    _choice("theme", "contrast", mark("High contrast")),
    _choice("theme", "chalkboard", mark("Chalkboard")),
)

_TEXT_SIZE: Records[MainWindow] = (
    Submenu("text_size", mark("Te&xt size"), "view"),
    Action(
        "text_larger",
        mark("&Larger"),
        partial(_resize_text, 1),
        "text_size",
        ("Alt+=", "Alt++"),
        enabled=lambda w: w.session.state.preferences.text_size < PERCENTS[-1],
    ),
    Action(
        "text_smaller",
        mark("&Smaller"),
        partial(_resize_text, -1),
        "text_size",
        ("Alt+-",),
        enabled=lambda w: w.session.state.preferences.text_size > PERCENTS[0],
    ),
    Action(
        "text_normal",
        mark("&Normal"),
        lambda w: w.session.set_preferences(text_size=PERCENTS[0]),
        "text_size",
        ("Alt+0",),
        enabled=lambda w: w.session.state.preferences.text_size != PERCENTS[0],
    ),
)

_LAYOUT: Records[MainWindow] = (
    Action(
        "heatmap_large",
        mark("Heatmap over the whole right side"),
        lambda w: w.dock_layout.toggle_large_heatmap(),
        "view",
        ("Ctrl+Shift+H",),
        "expand",
        checked=lambda w: w.dock_layout.is_heatmap_large,
        line=True,
    ),
    Action(
        "heatmap_window",
        mark("Heatmap in its own window"),
        lambda w: w.dock_layout.toggle_heatmap_window(),
        "view",
        ("Ctrl+Alt+H",),
        "window",
        checked=lambda w: w.dock_layout.has_heatmap_window,
    ),
    # The window inserts the switches of its docks above this one.
    Action(
        "reset_layout",
        mark("Reset panel layout"),
        lambda w: w.dock_layout.reset(),
        "view",
        icon="reset",
        line=True,
    ),
)

_LABS_AND_HELP: Records[MainWindow] = (
    Submenu("labs", mark("La&bs"), tips=True),
    *map(_lab, LABS),
    Submenu("help", mark("&Help")),
    Action("start_page", mark("Start page"), lambda w: w.start_page.show(), "help"),
    Action("help", mark("User guide"), lambda w: w.show_guide(), "help", ("F1",), "help"),
    Action("keys", mark("Keys and marks"), lambda w: w.show_keys(), "help", ("Shift+F1",)),
    Action("about", mark("About Attention Stepper"), _show_about, "help", line=True),
)


def _language_menu() -> Records[MainWindow]:
    """The records of the language menu, with one for each language that is installed."""
    return (
        Submenu("language", mark("&Language"), "view", line=True),
        _choice("language", "system", mark("System default")),
        *(_choice("language", code, language_name(code)) for code in languages()),
        Action(
            "toggle_labels",
            mark("Labels in both languages"),
            _toggle_labels,
            "language",
            checked=_has_both_labels,
            line=True,
        ),
    )


def view_menu() -> Records[MainWindow]:
    """The records of View and its submenus, Labs and Help."""
    return (
        *_PANELS,
        *_DIAGRAM,
        *_NUMBERS,
        *_language_menu(),
        *_THEME,
        *_TEXT_SIZE,
        *_LAYOUT,
        *_LABS_AND_HELP,
    )
