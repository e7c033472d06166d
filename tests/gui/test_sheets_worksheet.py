"""Worksheets and keys: what stands on them, against plain loops; the PDF files read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document.create import Sizes, create
from core.document.document import Document
from core.document.edits import with_pin
from core.document.orientation import COLUMNS, ROWS, Orientation
from core.storage.examples import load_example
from gui.export.options import Cancelled
from gui.export.worksheets.blocks import (
    SectionHeading,
    Sentence,
    StageFormula,
    TableGroup,
    WorkedSums,
    WorksheetOptions,
)
from gui.export.worksheets.files import key_path, page_count, worksheet_files
from gui.export.worksheets.matrix_drawing import HEIGHT, split_table
from gui.export.worksheets.printing import PaperLayout, fill_pages
from gui.export.worksheets.worksheet import Worksheet
from gui.texts.translation import current_language, languages, use_language
from tests.core.documents import make
from tests.gui.sheets_kit import (
    answers,
    blocks_of,
    bottom,
    by_seed,
    close,
    everything,
    example,
    grids,
    pages,
    value,
)

OUT = Path("sheet.pdf")
VARIETIES = [
    everything(),
    make(1, positional="sinusoidal", mask="window"),
    make(2, positional="rotary", scale="factor", source="qkv"),
    make(4, positional="alibi", slopes=True, scale="none", mask="custom"),
    make(5, positional="learned", output=True),
]


def computed(document: Document) -> list[str]:
    """The ids of the stages that are worked out."""
    return [stage.id for stage in run(document).plan if not stage.entered]


@pytest.mark.parametrize("document", VARIETIES)
@pytest.mark.parametrize("decimals", [0, 2, 4])
def test_the_key_holds_what_plain_loops_give(document: Document, decimals: int) -> None:
    expected = answers(document, 7)
    key = Worksheet(document, WorksheetOptions(decimals=decimals, seed=7), 7).key()
    tables = iter(grids(key))
    for stage_id in computed(document):
        matrices = expected[stage_id]
        headwise = isinstance(matrices[0][0], list)
        for matrix in matrices if headwise else [matrices]:
            cells = next(tables).cells
            for row, texts in zip(matrix, cells, strict=True):
                assert all(
                    close(text, number, decimals) for text, number in zip(texts, row, strict=False)
                ), stage_id
                if stage_id in ("exp", "weights"):
                    assert len(texts) == len(row) + 1
    assert next(tables, None) is None


def test_maxima_and_sums_of_rows_stand_beside_them() -> None:
    document = everything()
    expected = answers(document, 2)
    tables = {
        (grid.name, grid.detail): grid
        for grid in grids(Worksheet(document, WorksheetOptions(seed=2), 2).key())
    }
    for head in range(3):
        detail = f"Head {head + 1}"
        for row in range(5):
            highest = tables["exp", detail].cells[row][-1]
            assert close(highest, max(expected["masked"][head][row]), 2)
            assert close(tables["A", detail].cells[row][-1], sum(expected["exp"][head][row]), 2)


def test_every_cell_of_the_key_has_its_sum() -> None:
    document = everything()
    key = Worksheet(document, WorksheetOptions(sums="all"), 0).key()
    sums = [line for block in blocks_of(key, WorkedSums) for line, _ in block.pairs]
    results = [span.text for line in sums for span in line if span.role == "result"]
    cells = [text for grid in grids(key) for row in grid.cells for text in row]
    assert len(sums) == len(results) == len(cells)
    assert sorted(results) == sorted(cells)


def printed(stage: str, rows: list[list[float]], before: list[list[float]]) -> str:
    """A table of the key as it is read: row by row, the maximum or the sum of each behind it."""
    leads: dict[str, Callable[[list[float]], float]] = {"exp": max, "weights": sum}
    numbers = [
        [*row, leads[stage](source)] if stage in leads else row
        for row, source in zip(rows, before, strict=True)
    ]
    texts = (f"{number:.2f}" for row in numbers for number in row)
    return "".join("0.00" if text == "-0.00" else text.replace("-", "−") for text in texts)


def test_ten_sheets_each_with_the_right_key_in_print(qapp: QApplication) -> None:
    document = example()
    files = worksheet_files(document, WorksheetOptions(sheets=10, seed=1, key="separate"), OUT)
    sheets, keys = by_seed(files[OUT]), by_seed(files[key_path(OUT)])
    assert list(sheets) == list(keys) == list(range(1, 11))
    assert len(set(sheets.values())) == 10
    for seed, text in keys.items():
        expected = answers(document, seed)
        before = expected["scores"][0]
        for stage in ("scores", "scaled", "exp", "weights", "heads", "Y"):
            rows = expected[stage] if stage == "Y" else expected[stage][0]
            assert printed(stage, rows, before) in text, (seed, stage)
            before = rows


def test_a_table_is_printed_row_by_row(qapp: QApplication) -> None:
    """Q and K of the sheet as given, A of the key as it comes out, in the order in which one reads."""
    document = example()
    files = worksheet_files(document, WorksheetOptions(seed=4), OUT)
    text = "".join(pages(files[OUT]))
    sheet = Worksheet(document, WorksheetOptions(seed=4), 4)
    for grid in (*grids(sheet.questions())[:3], *grids(sheet.key())):
        assert "".join(cell for row in grid.cells for cell in row) in text


@pytest.mark.parametrize("key", ["after", "separate", "none"])
def test_where_the_keys_go(qapp: QApplication, key: str) -> None:
    files = worksheet_files(example(), WorksheetOptions(sheets=2, seed=1, key=key), OUT)
    main = pages(files[OUT])
    of_keys = ["Answerkey" in page for page in main]
    assert set(files) == ({OUT, key_path(OUT)} if key == "separate" else {OUT})
    assert of_keys == sorted(of_keys), "keys stand behind all sheets"
    assert any(of_keys) == (key == "after")
    assert sum("Yourname" in page for page in main) == 2
    if key == "separate":
        assert all("Answerkey" in page for page in pages(files[key_path(OUT)]))


def test_both_languages_one_after_the_other(qapp: QApplication) -> None:
    use_language("zh_CN")
    text = pages(
        worksheet_files(
            example(), WorksheetOptions(seed=1, languages=languages(), key="none"), OUT
        )[OUT]
    )
    assert current_language() == "zh_CN"
    english, chinese = (page for page in text if "Yourname" in page or "姓名" in page)
    assert "roundto2decimals" in english
    assert "四舍五入到2位小数" in chinese
    assert "小猫" in english
    assert "小猫吃鱼" in chinese


@pytest.mark.parametrize(
    ("decimals", "words"), [(0, "whole numbers"), (1, "1 decimal."), (3, "3 decimals.")]
)
def test_the_rounding_is_said(decimals: int, words: str) -> None:
    part = Worksheet(example(), WorksheetOptions(decimals=decimals), 0).questions()
    assert any(words in block.text for block in blocks_of(part, Sentence))


def test_blank_tables_are_as_large_as_their_stage() -> None:
    document = everything()
    blank = [
        grid
        for grid in grids(Worksheet(document, WorksheetOptions(), 0).questions())
        if grid.kind == "blank"
    ]
    shapes = []
    for stage_id in computed(document):
        *heads, rows, columns = document.stage_shape(stage_id)
        shapes += [(rows, columns + (stage_id in ("exp", "weights")))] * (heads[0] if heads else 1)
    assert [(len(grid.rows), len(grid.columns)) for grid in blank] == shapes
    assert all(text == "" for grid in blank for row in grid.cells for text in row)


def test_everything_that_one_needs_is_given() -> None:
    document = everything()
    part = Worksheet(document, WorksheetOptions(), 0).questions()
    given = [grid for grid in grids(part) if grid.kind == "given"]
    assert [grid.name for grid in given] == [
        "X",
        *["W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"] * 3,
        "W_O",
        "b_O",
        "M",
    ]
    assert document.X is not None
    assert [[value(text) for text in row] for row in given[0].cells] == document.X.tolist()
    assert given[-1].cells[0] == ("0", "−∞", "−∞", "−∞", "−∞")
    assert any("Head 2: head 1 is off" in block.text for block in blocks_of(part, Sentence))
    assert (
        len(blocks_of(part, StageFormula))
        == len(computed(document))
        == len(blocks_of(part, SectionHeading)) - 1
    )


def test_what_if_values_are_printed_in_the_tables() -> None:
    document = with_pin(example(), Cell("weights", 1, 2), 0.25)
    sheet = Worksheet(document, WorksheetOptions(), 0)
    blank = next(grid for grid in grids(sheet.questions()) if grid.name == "A")
    assert [(i, j) for i in range(3) for j in range(4) if blank.cells[i][j]] == [(1, 2)]
    assert blank.cells[1][2] == "0.25"
    assert any(
        "printed in a table" in block.text for block in blocks_of(sheet.questions(), Sentence)
    )
    key = next(grid for grid in grids(sheet.key()) if grid.name == "A")
    assert key.cells[1][2] == "0.25"


def test_with_tokens_as_columns_tables_are_turned() -> None:
    document = everything()
    rows = grids(Worksheet(document, WorksheetOptions(), 0).key())
    columns = grids(Worksheet(document, WorksheetOptions(orientation=COLUMNS), 0).key())
    for grid, turned in zip(rows, columns, strict=True):
        assert turned.cells == tuple(zip(*grid.cells, strict=True))
        assert (turned.rows, turned.columns) == (grid.columns, grid.rows)
        assert turned.tail == {"column": "row", "": ""}[grid.tail]


def test_the_same_seed_gives_the_same_bytes(qapp: QApplication) -> None:
    for path in (OUT, Path("sheet.tex")):
        first, again, other = (
            worksheet_files(everything(), WorksheetOptions(seed=seed), path)[path]
            for seed in (5, 5, 6)
        )
        assert first == again
        assert first != other


@pytest.mark.parametrize(
    "document", [*VARIETIES, make(sizes={"n": 24, "d": 30, "h": 2, "k": 2, "v": 3})]
)
def test_nothing_hangs_over_the_edge_of_a_page(qapp: QApplication, document: Document) -> None:
    sheet = Worksheet(document, WorksheetOptions(decimals=4, sums="all"), 0)
    short = Worksheet(document, WorksheetOptions(decimals=4), 0)
    for part in (sheet.questions(), sheet.key(), short.key()):
        for page in PaperLayout(4, scale=part.scale).pages(part):
            assert page
            for before, after in pairwise(page):
                assert before[0] + before[1].height <= after[0] + 1e-6
            assert bottom(page) <= HEIGHT / part.scale + 1e-6
            assert not page[-1][1].keep or len(page) == 1, "a heading at the foot of a page"


def test_progress_is_told_and_can_be_stopped(qapp: QApplication) -> None:
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> bool:
        told.append((done, total))
        return done < 3

    with pytest.raises(Cancelled):
        worksheet_files(
            example(), WorksheetOptions(sheets=4, seed=1, languages=languages()), OUT, tell
        )
    assert told == [(0, 16), (1, 16), (2, 16), (3, 16)]
    assert current_language() == "en"


def test_too_large_a_sheet_is_refused(qapp: QApplication) -> None:
    large = make(sizes={"n": 70, "d": 2, "h": 1, "k": 2, "v": 2})
    with pytest.raises(UserError) as caught:
        worksheet_files(large, WorksheetOptions(), OUT)
    assert caught.value.code == "worksheet.too_large"


def test_grids_stand_in_their_own_block() -> None:
    """Every stage has one row of tables with room to work in."""
    part = Worksheet(everything(), WorksheetOptions(), 0).questions()
    assert [block.work_space for block in blocks_of(part, TableGroup)] == [False] + [True] * len(
        computed(everything())
    )


@pytest.mark.parametrize("orientation", [ROWS, COLUMNS])
def test_one_letter_for_one_thing(orientation: Orientation) -> None:
    """Tables are labelled as the sums beside them write their numbers; what differs has different names."""
    document = make(positional="learned", mask="causal", context=4)
    sheet = Worksheet(document, WorksheetOptions(orientation=orientation, sums="all"), 0)
    (heads, *_) = (grid for grid in grids(sheet.key()) if grid.name in ("A·V", "V·A"))
    labels = heads.rows if orientation.columns else heads.columns
    assert labels == ("z₁", "z₂", "z₃", "z₄")
    sums = [
        "".join(span.text for span in line)
        for block in blocks_of(sheet.key(), WorkedSums)
        for line, _ in block.pairs
    ]
    assert sum(text.startswith("z") for text in sums) == document.h * document.n * document.v
    given, blank = (
        [grid.name for grid in grids(sheet.questions()) if grid.kind == kind]
        for kind in ("given", "blank")
    )
    assert {"X_C", "P_C", "M"} <= set(given)
    assert not any("context" in name for name in [*given, *blank])
    assert "M" not in blank


@pytest.mark.parametrize("example", ["cat-eats-fish", "apple-released-iphone"])
@pytest.mark.parametrize("key", ["after", "none"])
def test_how_long_it_will_be_is_told_before(qapp: QApplication, example: str, key: str) -> None:
    document, options = load_example(example), WorksheetOptions(sheets=2, key=key)
    (data,) = worksheet_files(document, options, OUT).values()
    assert abs(page_count(document, options) - len(pages(data))) <= len(pages(data)) * 0.1


def test_a_tall_table_leaves_no_page_empty_that_has_a_title(qapp: QApplication) -> None:
    document = load_example("eight-heads")
    for orientation in (ROWS, COLUMNS):
        sheet = Worksheet(document, WorksheetOptions(decimals=3, orientation=orientation), 0)
        first = fill_pages(PaperLayout(3).pieces(sheet.questions()))[0]
        assert bottom(first) > HEIGHT / 2
    whole = next(grid for grid in grids(sheet.questions()) if grid.name == "X")
    assert [len(part.rows) for part in split_table(whole, 3, first=True)[::2]] == [32, 32]


def sentence(d: int = 4) -> Document:
    """Four tokens, two heads, numbers as a new experiment has them."""
    return create(("The", "dog", "chases", "cats"), "embeddings", Sizes(d, 2, 2, 2), "graded", 1)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_four_tokens_and_two_heads_fit_four_pages(qapp: QApplication, language: str) -> None:
    options = WorksheetOptions(points=1, points_per="cell", languages=(language,))
    (data,) = worksheet_files(sentence(), options, OUT).values()
    text = pages(data)
    assert len(text) == page_count(sentence(), options) == 4
    words = {"en": ("Studentnumber", "Answerkey"), "zh_CN": ("学号", "答案")}[language]
    assert words[0] in text[0]
    assert words[1] in text[3]
    assert words[1] not in "".join(text[:3])


@pytest.mark.parametrize("per", ["stage", "cell"])
def test_points_of_stages_add_up_to_the_total(qapp: QApplication, per: str) -> None:
    """Ten stages; cells: Q, K, V, A·V 16 each, QKᵀ and scaled 32, exp and A 40, C and Y 16."""
    options = WorksheetOptions(points=3, points_per=per, key="none")
    (data,) = worksheet_files(sentence(), options, OUT).values()
    text = "".join(pages(data))
    found = [int(number) for number in re.findall(r"Points:____/(\d+)", text)]
    (total,) = (int(number) for number in re.findall(r"Totalpoints:____/(\d+)", text))
    cells = 4 * 16 + 2 * 32 + 2 * 40 + 2 * 16
    assert len(found) == 10
    assert sum(found) == total == (30 if per == "stage" else 3 * cells)


def test_a_pinned_cell_gives_no_points(qapp: QApplication) -> None:
    document = with_pin(example(), Cell("weights", 1, 2), 0.25)
    options = WorksheetOptions(points=1, points_per="cell", stages=("weights",), key="none")
    (data,) = worksheet_files(document, options, OUT).values()
    assert "Totalpoints:____/11" in pages(data)[0]  # 3 × 3 weights and 3 sums, one is given


def test_only_chosen_stages_are_asked_and_what_they_read_is_given() -> None:
    document = everything()
    expected = answers(document, 7)
    options = WorksheetOptions(seed=7, decimals=2, stages=("weights", "heads"))
    sheet = Worksheet(document, options, 7)
    tables = grids(sheet.questions())
    blank = [grid.name for grid in tables if grid.kind == "blank"]
    given = [grid for grid in tables if grid.kind == "given"]
    assert blank == ["A"] * 3 + ["A·V"] * 3
    assert [grid.name for grid in given] == ["V"] * 3 + ["exp"] * 3
    for grid, matrix in zip(given, [*expected["V"], *expected["exp"]], strict=True):
        for texts, row in zip(grid.cells, matrix, strict=True):
            assert all(close(text, number, 4) for text, number in zip(texts, row, strict=True))
    assert [grid.name for grid in grids(sheet.key())] == blank
    headings = [block.text for block in blocks_of(sheet.questions(), SectionHeading)]
    assert [text[:2] for text in headings[1:]] == ["1 ", "2 "]


def test_rounded_sums_are_said_to_be_rounded() -> None:
    said = "after ≈, the numbers as printed do not give the result exactly"
    for sums in ("one", "all", "none"):
        key = Worksheet(sentence(), WorksheetOptions(sums=sums), 0).key()
        lines = [
            "".join(span.text for span in line)
            for block in blocks_of(key, WorkedSums)
            for line, _ in block.pairs
        ]
        assert any("≈" in line for line in lines) == (sums != "none")
        assert any(said in block.text for block in blocks_of(key, Sentence)) == (sums != "none")


def test_a_short_key_works_out_one_cell_of_each_stage() -> None:
    """Of the last token, which sees all keys; the maximum and the sum of its row are worked out, too."""
    document = everything()
    key = Worksheet(document, WorksheetOptions(), 0).key()
    assert len(grids(key)) == len(grids(Worksheet(document, WorksheetOptions(sums="all"), 0).key()))
    lines = [
        "".join(span.text for span in line)
        for block in blocks_of(key, WorkedSums)
        for line, _ in block.pairs
    ]
    assert len(lines) == len(set(computed(document)) - {"concat"}) + 2
    assert sum("鱼" in line for line in lines) >= 7
    assert sum(line.startswith("max(") for line in lines) == 1


def test_several_sheets_are_numbered(qapp: QApplication) -> None:
    (data,) = worksheet_files(
        example(), WorksheetOptions(sheets=3, seed=8, key="none"), OUT
    ).values()
    text = pages(data)
    assert [f"Worksheet{n}·seed{n + 7}" in "".join(text) for n in range(1, 5)] == [True] * 3 + [
        False
    ]


def test_the_box_of_a_result_is_whole(qapp: QApplication) -> None:
    """Rows of sums are slices of one document; the upper edge of a box lies above its row."""
    key = Worksheet(example(), WorksheetOptions(sums="all"), 0).key()
    layout = PaperLayout(2, scale=1.0)
    piece = next(piece for piece in layout.pieces(key) if piece.top and piece.columns)
    image = QImage(1600, 200, QImage.Format.Format_Grayscale8)
    image.fill(255)
    with QPainter(image) as painter:
        painter.scale(2, 2)
        piece.paint(painter, 10.0)
    dark = [sum(image.pixelColor(x, y).lightness() < 128 for x in range(1600)) for y in range(200)]
    rows = [y for y, count in enumerate(dark) if count > 20]
    assert rows[0] < 2 * 10.0 + 2
