"""Names, symbols and labels of stages, tensors, heads, tokens, axes, rows, columns and cells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from unicodedata import bidirectional

from core.base.cell import Cell
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.document.parts import is_stage, layer_id, split_layer, stage_axes, tensor_axes
from core.stages import SPECS, spec_of
from core.stages.activation import MLP_HIDDEN, MLP_OUT
from core.stages.scale import SCALE
from gui.texts.glyphs import drawable_text, glyph_settings
from gui.texts.stage_sentences import INPUT_NAMES, STAGE_TEXTS
from gui.texts.translation import gloss, label, label_words, mark, tr, tr_marked

STAGE_NAMES = {name: texts["name"] for name, texts in STAGE_TEXTS.items()}

# Symbols in plain text, for running text and narrow labels.
STAGE_SYMBOLS = {name: spec.short for name, spec in SPECS.items()}

# With tokens as columns, factors change places.
COLUMN_STAGE_SYMBOLS = {name: spec.column_short for name, spec in SPECS.items()}

EMPTY_TOKEN = "␣"

# The role, and so the colour, of stages and tensors.
ROLES = {name: spec.role for name, spec in SPECS.items() if spec.role}
ROLES |= {f"{kind}_{name}": ROLES[name] for kind in "Wb" for name in "QKV"}


def stage_name(stage_id: str) -> str:
    """The name of a stage in the current language, in a stack with its layer."""
    return _in_layer(stage_id, tr_marked(STAGE_NAMES[split_layer(stage_id)[1]]))


def _in_layer(name: str, words: str) -> str:
    """The words for a stage or tensor after its layer, if it has one."""
    layer = split_layer(name)[0]
    return words if layer is None else tr("Layer {number}: {name}", number=layer, name=words)


def stage_label(stage_id: str) -> str:
    """The same as a label, which may be in two languages."""
    return _in_layer(stage_id, label(STAGE_NAMES[split_layer(stage_id)[1]]))


def stage_words(stage_id: str) -> tuple[str, ...]:
    """The label in each language, the current one first, for places with two lines."""
    return label_words(STAGE_NAMES[split_layer(stage_id)[1]])


def stage_gloss(stage_id: str) -> str:
    """The label next to a sentence that names the stage; empty unless labels are in two languages."""
    return gloss(STAGE_NAMES[split_layer(stage_id)[1]])


def stage_symbol(
    stage_id: str, scale_kind: str = "sqrt_dk", orientation: Orientation = ROWS
) -> str:
    """The symbol of a stage as short plain text, ×c for scores with a factor of the user's."""
    if scale_kind == "factor" and spec_of(stage_id).kind is SCALE:
        return "×c"
    symbols = COLUMN_STAGE_SYMBOLS if orientation.columns else STAGE_SYMBOLS
    return symbols[split_layer(stage_id)[1]]


def symbol_here(document: Document, stage_id: str, orientation: Orientation = ROWS) -> str:
    """The symbol of a stage with the scale and base of this experiment."""
    return spec_of(stage_id).kind.short_symbol(document, stage_id, orientation.columns)


def raised_layer(document: Document, stage_id: str, beside: int | None) -> str:
    """The layer of a stage, raised, beside stages of another layer: ⁽¹⁾; "" for the same one."""
    layer = split_layer(stage_id)[0]
    if layer in (None, beside) or len(document.layers) < 2:
        return ""
    return f"⁽{str(layer).translate(_SUPERSCRIPTS)}⁾"


def role_of(name: str, otherwise: str = "plain") -> str:
    """The role of a stage or tensor, with or without the prefix of a layer."""
    return ROLES.get(split_layer(name)[1], otherwise)


_SUBLAYERS = {"attention": mark("Attention"), "mlp": mark("MLP"), "output": mark("Next word")}


def sublayer_title(name: str, document: Document) -> str:
    """The title of "attention", "mlp" or, after the layers, "output"."""
    output = document.output
    if name == "output" and (output is None or not output.continues(document.tokens)):
        return tr("Output")
    return tr_marked(_SUBLAYERS[name])


def layers_title(numbers: Sequence[int]) -> str:
    """The title of one layer or of several that follow each other."""
    if len(numbers) == 1:
        return tr("Layer {number}", number=numbers[0])
    return tr("Layers {first}–{last}", first=numbers[0], last=numbers[-1])


def layer_name(document: Document, stage_id: str) -> str:
    """The layer of a stage in a stack of several, else ""."""
    number = split_layer(stage_id)[0]
    return layers_title((number,)) if number is not None and len(document.layers) > 1 else ""


def head_name(index: int, name: str) -> str:
    """A head's number, and its name if it has one."""
    if name:
        return tr("Head {number}: {name}", number=index + 1, name=drawable_text(tr_marked(name)))
    return tr("Head {number}", number=index + 1)


def head_label(index: int, name: str) -> str:
    """The same as a label, which may be in two languages."""
    if name:
        return label(
            mark("Head {number}: {name}"), number=index + 1, name=drawable_text(label(name))
        )
    return label(mark("Head {number}"), number=index + 1)


def visible_token(token: str) -> str:
    """A token as displayed: stripped, ␣ for an empty one, codes for characters that no font has."""
    return drawable_text(token.strip()) or EMPTY_TOKEN


def visible_tokens(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tokens as displayed; cached, since a sentence may have thousands."""
    return _visible(tokens, glyph_settings())


@lru_cache(maxsize=64)
def _visible(tokens: tuple[str, ...], _way: object) -> tuple[str, ...]:
    return tuple(map(visible_token, tokens))


def token_name(tokens: tuple[str, ...], index: int) -> str:
    """A token in a sentence: with its position if it occurs twice, isolated if right to left."""
    shown = visible_tokens(tokens)
    token, twice = shown[index], shown.count(shown[index]) > 1
    if any(bidirectional(letter) in ("R", "AL") for letter in token):
        token = f"\u2068{token}\u2069"
    return f"{token} ({index + 1})" if twice else token


def first_tokens(document: Document, most: int, between: str) -> str:
    """The first tokens on one line, then an arrow and those of the context."""
    both = (
        (document.tokens,) if document.context is None else (document.tokens, document.key_tokens)
    )
    return "   ←   ".join(_shortened(tokens, most, between) for tokens in both)


def _shortened(tokens: tuple[str, ...], most: int, between: str) -> str:
    return between.join(map(visible_token, tokens[:most])) + (" …" if len(tokens) > most else "")


def query_axis(orientation: Orientation = ROWS) -> str:
    """The label of the query axis of an attention matrix, with its direction."""
    return label(mark("query →") if orientation.columns else mark("query ↓"))


def key_axis(orientation: Orientation = ROWS) -> str:
    """The label of the key axis of an attention matrix, with its direction."""
    return label(mark("key ↓") if orientation.columns else mark("key →"))


THEME_NAMES = {
    "light": mark("Light"),
    "dark": mark("Dark"),
    "contrast": mark("High contrast"),
    "chalkboard": mark("Chalkboard"),
}


def power_sign(document: Document) -> str:
    """The softmax power as a sign between matrices: eˣ, 2ˣ."""
    return f"{document.softmax.base}ˣ"


_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_OF_AXIS = {"v": "v", "c": "c", "o": "y", "f": MLP_HIDDEN.letter}
_LETTERS = {"Q": "q", "K": "k", "V": "v", "X": "x", "P": "p", "Y": "y", "W": "x"}


def subscript(number: int) -> str:
    """A number in subscript digits."""
    return str(number).translate(_SUBSCRIPTS)


def axes_of(tensor: str) -> tuple[str, str]:
    """The axis letters of a tensor's rows and columns; "" for the single row of a vector."""
    axes = stage_axes(tensor) if is_stage(tensor) else tensor_axes(tensor)
    axes = tuple(axis for axis in axes if axis != "h")
    return (axes[0], axes[1]) if len(axes) == 2 else ("", axes[0])


_NORM_LETTERS = {"gamma": "γ", "beta": "β"}


def symbol(tensor: str, document: Document, orientation: Orientation = ROWS) -> str:
    """A tensor's symbol as short plain text: QKᵀ, L1.W_Q, L1.γ LN₁."""
    if is_stage(tensor):
        return symbol_here(document, tensor, orientation)
    return layer_id(split_layer(tensor)[0], short_symbol(tensor, document, orientation))


def short_symbol(tensor: str, document: Document, orientation: Orientation = ROWS) -> str:
    """The symbol without the layer, where that is known: W_1, γ LN₂."""
    if is_stage(tensor):
        return symbol_here(document, tensor, orientation)
    norm, _, part = tensor.rpartition(".")
    if part in _NORM_LETTERS:
        return f"{_NORM_LETTERS[part]} {symbol_here(document, norm, orientation)}"
    return split_layer(tensor)[1]


def long_name(tensor: str) -> str:
    """The name of a stage or tensor in the current language, in a stack with its layer."""
    name = split_layer(tensor)[1]
    if name not in INPUT_NAMES:
        return stage_name(tensor)
    return _in_layer(tensor, tr_marked(INPUT_NAMES[name]))


def long_label(tensor: str) -> str:
    """The same as a label, which may be in two languages."""
    name = split_layer(tensor)[1]
    if name not in INPUT_NAMES:
        return stage_label(tensor)
    return _in_layer(tensor, label(INPUT_NAMES[name]))


def header(tensor: str, axis: str, index: int, document: Document) -> str:
    """The label of one row or column: its token, or a letter with a number, such as q₁."""
    labels = document.labels(axis)
    if labels is not None:
        return visible_token(labels[index])
    if axis:
        return f"{_letter(tensor, axis)}{subscript(index + 1)}"
    name = split_layer(tensor)[1]  # the only row of a vector
    return _letter(name, axis) if "." in name else name[0]


def place_name(tensor: str, axis: str, index: int, document: Document) -> str:
    """The name of a row or column in a sentence: of equal tokens also the position."""
    labels = document.labels(axis)
    if labels is not None:
        return token_name(labels, index)
    return header(tensor, axis, index, document)


def header_tip(tensor: str, axis: str, index: int, document: Document) -> str:
    """The tooltip of a label: for joined heads also the head and its column."""
    text = header(tensor, axis, index, document)
    if axis != "c":
        return text
    document = document.scope(tensor)
    head, column = divmod(index, document.v)
    return f"{text} · {head_label(head, document.heads[head].name)} · {header('heads', 'v', column, document)}"


def _letter(tensor: str, axis: str) -> str:
    tensor = split_layer(tensor)[1]
    if tensor in SPECS:
        # As worked sums call its numbers; turned vectors have the letter of those before them.
        spec = spec_of(tensor)
        return spec.letter.rstrip("′") if spec.headwise else spec.letter
    if axis in _OF_AXIS:
        return "g" if tensor.endswith("_gate") else _OF_AXIS[axis]
    if "." in tensor:
        return _NORM_LETTERS[tensor.partition(".")[2]]
    if tensor in ("W_2", "b_2"):
        return MLP_OUT.letter
    if axis == "d" and tensor.startswith("W"):
        return "x"
    return _LETTERS[tensor.removeprefix("W_").removeprefix("b_")[0]]


def cell_name(cell: Cell, document: Document, orientation: Orientation = ROWS) -> str:
    """Tensor, row and column of a cell as displayed, such as QKᵀ(吃, 鱼), KᵀQ(鱼, 吃) or b_Q(q₁)."""
    rows, columns = axes_of(cell.tensor)
    column = place_name(cell.tensor, columns, cell.column, document)
    if not rows:
        return f"{cell.tensor}({column})"
    row, column = orientation.pair(place_name(cell.tensor, rows, cell.row, document), column)
    name = symbol(cell.tensor, document, orientation)
    layer = split_layer(cell.tensor)[0] if is_stage(cell.tensor) else None
    return tr(
        "{tensor}({row}, {column})",
        tensor=layer_id(layer, name),
        row=row,
        column=column,
    )


# Program names of the notations of core.exchange.write.
COPY_FORMATS = {
    "tsv": "TSV",
    "csv": "CSV",
    "numpy": "NumPy",
    "pytorch": "PyTorch",
    "latex": "LaTeX",
    "markdown": "Markdown",
    "matlab": "MATLAB",
}
