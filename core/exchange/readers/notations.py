"""The table of notations: signs and names by which programs write, print and annotate matrices."""

from __future__ import annotations

import re

# Prompts at the beginning of a line, by program.
PROMPTS: tuple[tuple[str, str], ...] = (
    ("IPython, Jupyter", r"(?:In|Out) ?\[\d+\] ?:(?!=)|\.\.\.:"),
    ("Wolfram", r"In\[\d+\] ?:=|Out\[\d+\](?://\w+)? ?="),
    ("Python", r">>>|\.\.\.(?=[ ]+[\[({\w])"),
    ("Julia, Octave, Sage, Scala, Java", r"(?:julia|sage|scala|jshell|octave(?::\d+)?)>|sage:"),
    ("Maxima", r"\(%[io]\d+\)"),
    ("output in comments", r"(?:#|//|;)=?>|##(?=\s)|=>"),
    ("MATLAB, R, quoted mail", r">>|>(?=\s)"),
)
PROMPT = re.compile(r"^[ \t]*(?:" + "|".join(pattern for _, pattern in PROMPTS) + ")", re.MULTILINE)
BULLET = re.compile(r"^[ \t]*(?:[*•‣▪◦·–-]|\d{1,2}[.)])[ ]+(?=[^\W\d_]|[\[({`$])", re.MULTILINE)

# Comments: beside a row they go, above a matrix they are its label.
LINE_COMMENT = re.compile(r"[ \t]*(?:#+|//+|%+|--+|;+)(?=[ \t\[({])(?!\t)")
TRAILING_COMMENT = re.compile(
    r"(?:(?<=[\s,;\])}])(?:#|//|--[ ])|←|⟵|◀|<--"
    r"|(?:(?<=[\])}][ \t])|(?<=[ \t]{2}))<-(?=[ \t]+(?:[\"'“]|[^\W\d_]+(?:[ \t:\"]|$)))"
    r"|(?<=[\])};,\\])[ \t]*%|(?<=[^\d.\s][ \t])%(?=[^\n]*[^\W\d_])"
    r"|(?<=[ ]{2})%(?=[^\n]*[^\W\d_])"
    r"|(?<=[\d.][ ])%(?=[ ]+[^\W\d_]{3})).*"
)
BLOCK_COMMENTS = (("/*", "*/"), ("(*", "*)"), ("<!--", "-->"), ("%{", "%}"))

# Functions whose arguments are the items of a list, by the last part of their name in lower case.
LISTS = frozenset(
    """c of aslist arrayof listof mutablelistof doublearrayof floatarrayof intarrayof array
    list tuple vector seq vec rbind vstack stack vcat cat matrix densematrix densevector
    tensor from""".split()  # noqa: SIM905
)
JOINS = LISTS - {"array", "matrix", "densematrix", "densevector", "tensor"}  # take no sizes
COLUMNS = frozenset(["c_", "cbind", "hcat", "column_stack"])
# Functions that give back what is in their brackets, by the words of their names: asarray,
# from_row_slice, newDense. Any other function computes: its result is not the list it is given.
GIVES_BACK = re.compile(
    r"(?:array|arr|ndarray|matrix|mat|tensor|vector|vec|list|tuple|seq|set|dict|map|data|frame"
    r"|series|tibble|table|structure|parameter|constant|variable|embedding|weights?|buffer"
    r"|float|double|bfloat|half|u?int|long|real|numeric|number|complex|numpy|dense|nested|ordered"
    r"|rows?|column_stack|major|slice|shape|bind|stack|cat|join|as|of|to|from|with|new|make|create"
    r"|build|convert|copy|clone|register|requires|grad|static|get|push|append|return|pretrained"
    r"|print|println|printf|pprint|display|disp|show|log|write|echo|format|imshow|matshow|heatmap"
    r"|assert|expect|equals?|all|close|almost|json|dumps|loads|savez|load|state|zip|init|value"
    r"|form|hcat|vcat|device|[rcnv]|mk|\dd?|[_!])+"
)
NAMED_LISTS = frozenset(
    ["list", "dict", "map", "hashmap", "savez", "of", "mapof", "hashmapof", "mutablemapof"]
)
FRAMES = frozenset(["dataframe", "frame", "tibble", "table"])  # their lists are columns
# Names whose brackets hold sizes, places or settings.
SIZES = frozenset(
    """shape xlim ylim xticks yticks subplots size sizes dim dims axis axes view zeros ones
    randn rand random full empty eye arange linspace range figsize stride strides device
    placeholder randint normal uniform expand unsqueeze permutation torch.size slice index
    indices idx pages section eq ref cite""".split()  # noqa: SIM905
)
# Methods that change no number.
HARMLESS = frozenset(
    """astype float double half to cuda cpu numpy detach clone copy requires_grad_ tolist type
    float32 float64 value data array unsqueeze""".split()  # noqa: SIM905
)
TYPES = frozenset(
    """f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 usize isize float double int number float32
    float64 int32 int64 complex128 real str string bool num any""".split()  # noqa: SIM905
)

# LaTeX
ENVIRONMENT = re.compile(
    r"\\(?P<edge>begin|end)\{(?P<name>[bpBvV]?(?:small)?matrix\*?|array|tabular[x*]?|cases)\}"
    r"(?:[ \t]*\[[^\[\]\n]{0,9}\])?"
)

# Names of tensors in attention, as pages and code write them.
TENSOR_NAME = re.compile(
    r"(?:[a-z]\w*[._])*(?:[qkvoxeapsz]|w(?:[_^]?\{?[qkvo]\}?)?|b_?[qkvo]|(?:w_?|b_?)?(?:quer(?:y|ies)|keys?"
    r"|values?|out(?:puts?)?|scores?|logits|mask|embeddings?|inputs?|weights?|bias|attn|attention|context"
    r"|positions?|pe)|[qkv]_?proj|(?:in|out|c)_?proj|proj(?:ection)?)(?:[._]?(?:weights?|bias|matrix|mat|\d+))*'?",
    re.IGNORECASE,
)
LINEAR_WEIGHT = re.compile(
    r"(?:[\w.]*[._])?(?:[qkvo](?:_?proj)?|w_?[qkvo]|(?:in|out|query|key|value)(?:_?proj)?"
    r"|(?:query|key|value|to_[qkv]|linear|fc|dense)_?\w*)[._]weight(?:\.data)?|in_proj_weight|[\w.]*linear\d*\.weight",
    re.IGNORECASE,
)
