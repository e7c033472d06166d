"""The frame of the labs: every kind of control, undo, clocks, jobs, spots, words."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractSlider, QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.base.errors import UserError
from core.labs.controls import Points
from core.labs.lab import LABS
from core.storage.examples import load_example
from gui.labs.knobs import ChoiceKnob, ClockKnob, SeedKnob, SliderKnob, SwitchKnob
from gui.labs.knobs_many import ButtonKnob, FieldsKnob, OpenerKnob, OrderKnob
from gui.labs.window import SIDES, LabWindow
from gui.texts.errors import error_message
from gui.texts.translation import use_language
from tests.gui.lab_rooms import SPELLED
from tests.gui.labs_kit import ID, Everything, everything, lab_window

__all__ = ["everything"]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(qtbot: QtBot, everything: Everything) -> LabWindow:
    with lab_window(ID) as window:
        yield window


def value(window: LabWindow, name: str) -> object:
    return window.session.state.setting[name]


def knob(window: LabWindow, name: str, kind: type) -> object:
    found = window.controls.knobs[name]
    assert isinstance(found, kind)
    return found


def test_a_slider_by_keys_and_by_its_field(window: LabWindow, qtbot: QtBot) -> None:
    slider = knob(window, "warmth", SliderKnob)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert value(window, "warmth") == 1.25
    qtbot.keyClick(slider.slider, Qt.Key.Key_End)
    assert value(window, "warmth") == 4.5
    slider.field.line.setFocus()
    slider.field.line.selectAll()
    qtbot.keyClicks(slider.field.line, "3,3")
    qtbot.keyClick(slider.field.line, Qt.Key.Key_Return)
    assert value(window, "warmth") == 3.3
    assert window.notice.text() == "total 6.55"


def test_a_number_out_of_range_is_refused_in_a_sentence(window: LabWindow, qtbot: QtBot) -> None:
    slider = knob(window, "warmth", SliderKnob)
    slider.field.line.selectAll()
    qtbot.keyClicks(slider.field.line, "7")
    qtbot.keyClick(slider.field.line, Qt.Key.Key_Return)
    assert value(window, "warmth") == 1.0
    assert slider.field.error.text() == "A number from 0.5 to 4.5."


def test_whole_numbers_on_a_log_slider_never_stand_still(window: LabWindow, qtbot: QtBot) -> None:
    slider = knob(window, "size", SliderKnob)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Home)
    seen = [value(window, "size")]
    for _ in range(4):
        qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
        seen.append(value(window, "size"))
    assert seen == [1, 2, 3, 4, 5]


def test_a_drag_is_one_undo_step(window: LabWindow) -> None:
    slider = knob(window, "warmth", SliderKnob).slider
    slider.sliderPressed.emit()
    for place in (3, 5, 9):
        slider.setSliderPosition(place)
        slider.triggerAction(QAbstractSlider.SliderAction.SliderMove)
    assert value(window, "warmth") == 0.5 + 9 * 0.25
    window.session.undo_stack.undo()
    assert value(window, "warmth") == 1.0


def test_a_clock_steps_plays_to_its_end_and_rewinds(window: LabWindow, qtbot: QtBot) -> None:
    clock = knob(window, "time", ClockKnob)
    clock.buttons["step_forward"].click()
    assert value(window, "time") == 1
    clock.buttons["play"].click()
    qtbot.waitUntil(lambda: value(window, "time") == 3 and not window.session.state.playing)
    clock.buttons["step_forward"].click()
    assert value(window, "time") == 3
    clock.buttons["go_first"].click()
    assert value(window, "time") == 0
    assert clock.caption.text() == "0 of 3"


def test_a_control_that_hangs_on_another_keeps_its_value_where_it_can(window: LabWindow) -> None:
    wide = knob(window, "wide", SwitchKnob)
    wide.box.click()
    window.session.set_value("time", 6)
    clock = knob(window, "time", ClockKnob)
    assert clock.slider.maximum() == 7
    wide.box.click()
    assert value(window, "time") == 0
    assert knob(window, "time", ClockKnob) is clock


def test_choices(window: LabWindow, qtbot: QtBot) -> None:
    few, many = knob(window, "kind", ChoiceKnob), knob(window, "many", ChoiceKnob)
    few.segments.buttons["green"].click()
    qtbot.keyClick(many.list, Qt.Key.Key_Down)
    assert (value(window, "kind"), value(window, "many")) == ("green", "option number 1")


def test_numbers_points_and_orders(window: LabWindow, qtbot: QtBot) -> None:
    for name, row, column in (("scores", 2, 0), ("arrows", 1, 0)):
        line = knob(window, name, FieldsKnob).fields[row][column].line
        line.selectAll()
        qtbot.keyClicks(line, "-1.5")
        qtbot.keyClick(line, Qt.Key.Key_Return)
    order = knob(window, "order", OrderKnob)
    order.buttons[0].click()
    order.buttons[2].click()
    assert value(window, "scores") == (2.0, -0.5, -1.5)
    assert value(window, "arrows") == ((1.0, 0.0), (-1.5, -2.0))
    assert value(window, "order") == (2, 1, 0)


def test_a_number_half_typed_goes_with_its_field(qtbot: QtBot) -> None:
    """Its control is no more when the field loses the keyboard."""
    with lab_window("plane") as window:
        points = next(
            knob for knob in window.controls.knobs.values() if isinstance(knob.control, Points)
        )
        line = points.fields[0][0].line
        line.setFocus()
        line.selectAll()
        qtbot.keyClicks(line, "0.25")
        assert line.hasFocus()
        window.session.open("softmax")
        assert window.session.state.lab == "softmax"


def test_seeds_buttons_jobs_and_files(window: LabWindow, qtbot: QtBot, tmp_path: Path) -> None:
    knob(window, "seed", SeedKnob).again.click()
    knob(window, "double", ButtonKnob).button.click()
    assert (value(window, "seed"), value(window, "warmth")) == (2, 2.0)
    knob(window, "slowly", ButtonKnob).button.click()
    qtbot.waitUntil(lambda: window.notice.text() == "total 105.25")
    assert window.session.state.working is None
    file = tmp_path / "extra.txt"
    opener = knob(window, "file", OpenerKnob)
    opener.ask = lambda parent, endings: file
    file.write_text("7", encoding="utf-8")
    opener.button.click()
    assert window.notice.text() == "total 12.25"
    file.write_text("seven", encoding="utf-8")
    opener.button.click()
    assert window.notice.text() == "total 12.25"
    assert "extra.txt" in window.message.text()


def test_spots_by_mouse(window: LabWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.picture, LEFT, pos=QPoint(20, 20))
    assert value(window, "kind") == "green"
    qtbot.mousePress(window.picture, LEFT, pos=QPoint(100, 205))
    qtbot.mouseMove(window.picture, QPoint(180, 205))
    qtbot.mouseMove(window.picture, QPoint(250, 205))
    qtbot.mouseRelease(window.picture, LEFT, pos=QPoint(250, 205))
    assert value(window, "warmth") == 2.5
    window.session.undo_stack.undo()
    assert value(window, "warmth") == 1.0


def test_spots_by_keys(window: LabWindow, qtbot: QtBot) -> None:
    window.picture.setFocus()
    with qtbot.waitSignal(window.picture.spoke) as spoke:
        qtbot.keyClick(window.picture, Qt.Key.Key_Tab)
    assert spoke.args == ["green spot"]
    qtbot.keyClick(window.picture, Qt.Key.Key_Return)
    qtbot.keyClick(window.picture, Qt.Key.Key_Tab)
    qtbot.keyClick(window.picture, Qt.Key.Key_Right)
    assert (value(window, "kind"), value(window, "warmth")) == ("green", 1.25)
    qtbot.keyClick(window.picture, Qt.Key.Key_Tab)
    assert window.session.state.shown.appearance.focus == ""


def test_reset_and_undo_give_back_the_first_setting(window: LabWindow) -> None:
    first = dict(window.session.state.setting.values)
    window.session.set_value("warmth", 2.0)
    window.session.set_value("kind", "green")
    window.session.reset()
    assert dict(window.session.state.setting.values) == first
    window.session.undo_stack.undo()
    assert value(window, "kind") == "green"
    while window.session.undo_stack.canUndo():
        window.session.undo_stack.undo()
    assert dict(window.session.state.setting.values) == first


def test_an_experiment_that_does_not_fit_is_refused(window: LabWindow) -> None:
    assert window.session.use(load_example("who-ate-whom"), ID)
    assert not window.session.use(load_example("eight-heads"), ID)
    assert "does not fit" in window.message.text()
    assert window.session.state.setting.document.tokens == load_example("who-ate-whom").tokens


def test_the_whole_screen_and_back(window: LabWindow, qtbot: QtBot) -> None:
    window.present()
    assert window.isFullScreen()
    assert not window.controls.isVisible()
    qtbot.keyClick(window.picture, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert window.controls.isVisible()


def test_a_clicker_steps_the_clock_and_in_a_hall_so_do_the_arrows(
    window: LabWindow, qtbot: QtBot
) -> None:
    steps = {"lab_forward": 1, "lab_back": -1}
    window.asked.connect(
        lambda name: window.session.step_clock(steps[name]) if name in steps else None
    )
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
        qtbot.keyClick(window.picture, key)
    assert value(window, "time") == 1
    qtbot.keyClick(window.picture, Qt.Key.Key_Right)
    assert value(window, "time") == 1
    window.present()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(window.picture, key)
    assert value(window, "time") == 2


def test_undo_belongs_to_the_lab_once_a_number_is_taken_over(
    window: LabWindow, qtbot: QtBot
) -> None:
    field = knob(window, "warmth", SliderKnob).field
    field.line.setFocus()
    field.line.selectAll()
    qtbot.keyClicks(field.line, "2")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert value(window, "warmth") == 2.0
    qtbot.keyClick(field.line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert value(window, "warmth") == 1.0
    assert field.line.text() == "1"


def test_what_changes_nothing_leaves_nothing_to_undo(
    window: LabWindow, everything: Everything
) -> None:
    window.session.reset()
    window.session.show(ID, everything.start())
    assert not window.session.undo_stack.canUndo()


def test_what_is_told_moves_nothing(window: LabWindow, qtbot: QtBot) -> None:
    before = window.picture.height()
    window.say("Written.")
    QApplication.processEvents()
    assert window.picture.height() == before


@pytest.mark.parametrize(
    ("name", "wrong", "code"),
    [
        ("warmth", 9, "lab.value.number"),
        ("size", 1.5, None),
        ("size", 0, "lab.value.whole"),
        ("time", -1, "lab.value.whole"),
        ("kind", "blue", "lab.value.option"),
        ("wide", 1, "lab.value.switch"),
        ("scores", [1, float("nan"), 2], "lab.value.numbers"),
        ("arrows", [[1, 2]], "lab.value.points"),
        ("order", [0, 0, 1], "lab.value.order"),
        ("seed", 10**9, "lab.value.whole"),
        ("nothing", 1, "lab.control"),
    ],
)
def test_values_that_do_not_fit_are_refused_with_what_would_be_right(
    everything: Everything, name: str, wrong: object, code: str | None
) -> None:
    if code is None:
        assert everything.start(None, {name: wrong})[name] == 2
        return
    with pytest.raises(UserError) as caught:
        everything.start(None, {name: wrong})
    assert caught.value.code == code
    assert "{" not in error_message(caught.value)


def test_settings_come_in_any_order(everything: Everything) -> None:
    for values in ({"time": 6, "wide": True}, {"wide": True, "time": 6}):
        setting = everything.start(None, values)
        assert (setting["time"], setting["wide"]) == (6, True)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_on_the_whole_screen_the_claim_is_one_line_no_larger_than_a_heading_of_the_picture(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    use_language(language)
    with lab_window(LABS[0], language) as window:
        monkeypatch.setattr(
            LabWindow, "isFullScreen", lambda _: True
        )  # the only screen here is a square
        window.resize(1280, 720)
        claim = window.claim
        qtbot.waitUntil(lambda: claim.width() == 1280 - 2 * SIDES)
        for lab_id in LABS:
            window.session.open(lab_id)
            assert claim.heightForWidth(claim.width()) <= 1.3 * claim.fontMetrics().height(), lab_id
            size, least = claim.font().pixelSize(), 720 / 36
            assert size == round(least * 13 / 12) if lab_id == "quiz" else size > least * 13 / 12, (
                lab_id
            )


def test_a_large_window_magnifies_its_picture_and_spots_stay_where_they_are_seen(
    window: LabWindow, qtbot: QtBot
) -> None:
    picture = window.picture
    window.resize(1240, 780)
    qtbot.waitUntil(lambda: picture.width() > 800)
    assert picture._unit == 1.0
    window.resize(2000, 1300)
    qtbot.waitUntil(lambda: picture.width() > 1500)
    assert picture._unit > 1.2
    assert picture._unit == pytest.approx(min(picture.width() / 1200, picture.height() / 700))
    (green,) = [spot for spot in picture.spots if spot.id == "green"]
    qtbot.mouseClick(picture, LEFT, pos=(green.area.center() * picture._unit).toPoint())
    assert value(window, "kind") == "green"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_words_beside_a_picture_spell_an_index_out(qtbot: QtBot, language: str) -> None:
    use_language(language)
    with lab_window(LABS[0], language) as window:
        indices = 0
        for lab_id in LABS:
            window.session.open(lab_id)
            knobs = window.controls.knobs.values()
            said = [label.text() for label in (window.claim, window.notice, window.attempt)]
            said += [text for one in knobs for text in (one.label.text(), one.toolTip())]
            assert not any(SPELLED.search(text) for text in said), lab_id
            indices += sum("<sub>" in text for text in said)
        assert indices >= 4


def test_the_bar_says_in_words_what_a_picture_alone_would_not(window: LabWindow) -> None:
    shown = {name: window._bar.widgetForAction(action) for name, action in window.actions_.items()}
    beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    worded = {
        name: button.text() for name, button in shown.items() if button.toolButtonStyle() == beside
    }
    assert worded == {
        "lab_lesson": "Lesson",
        "lab_hand_over": "Open in the main window",
        "lab_take": "From the main window",
    }
    assert window.actions_["lab_lesson"].toolTip().startswith("Play the lesson")


def test_what_the_picture_offers_is_not_offered_a_second_time(qtbot: QtBot) -> None:
    with lab_window("quiz") as window:
        session = window.session
        assert {"answer", "prove"} <= {
            control.id for control in session.lab.controls(session.state.setting)
        }
        assert not {"answer", "prove"} & set(window.controls.knobs)
        assert "seed" in window.controls.knobs
        session.set_value("answer", "1")
        assert {"answer", "prove"} <= {spot.control for spot in window.picture.spots}


def test_what_is_heard_in_chinese_has_chinese_colons(qtbot: QtBot) -> None:
    use_language("zh_CN")
    with lab_window("learn", "zh_CN") as window:
        names = [part.accessibleName() for part in window.controls.findChildren(QWidget)]
        heard = [name for name in (*names, window.picture.accessibleName()) if name]
        assert sum("：" in name for name in heard) >= 3
        assert not [name for name in heard if ": " in name]
