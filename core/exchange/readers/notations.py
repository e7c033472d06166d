"""The table of notations: signs and names by which programs write, print and annotate matrices."""

from __future__ import annotations

import re

# Prompts at the beginning of a line, by program.
PROMPTS: tuple[tuple[str, str], ...] = (
    ("IPython, Jupyter", r"(?:In|Out) ?\[\d+\] ?:(?!=)|\.\.\.:"),
    ("Wolfram", r"In\[\d+\] ?:=|Out\[\d+\](?://\w+)? ?="),
    ("Python", r">>>|\.\.\.(?=[ ]+[\[({\w])"),
    ("Julia, Octave, Sage, Scala, Java", r"(?:julia|sage|scala|jshell|octave(?::\d+)?)>"),
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
    [
        "c",
        "of",
        "aslist",
        "arrayof",
        "listof",
        "mutablelistof",
        "doublearrayof",
        "floatarrayof",
        "intarrayof",
        "array",
        "list",
        "tuple",
        "vector",
        "seq",
        "vec",
        "rbind",
        "vstack",
        "stack",
        "vcat",
        "cat",
        "matrix",
        "densematrix",
        "densevector",
        "tensor",
        "from",
    ]
)
JOINS = LISTS - {"array", "matrix", "densematrix", "densevector", "tensor"}  # take no sizes
COLUMNS = frozenset(["c_", "cbind", "hcat", "column_stack"])
NAMED_LISTS = frozenset(
    ["list", "dict", "map", "hashmap", "savez", "of", "mapof", "hashmapof", "mutablemapof"]
)
FRAMES = frozenset(["dataframe", "frame", "tibble", "table"])  # their lists are columns
# Functions that compute: the contents of their brackets are not their result.
OPERATIONS = frozenset(
    [
        "exp",
        "log",
        "ln",
        "sqrt",
        "softmax",
        "softmax_row",
        "tanh",
        "relu",
        "sigmoid",
        "gelu",
        "sin",
        "cos",
        "abs",
        "sum",
        "mean",
        "std",
        "var",
        "norm",
        "normalize",
        "normalise",
        "round",
        "transpose",
        "t",
        "inv",
        "inverse",
        "pinv",
        "linalg.inv",
        "matmul",
        "mm",
        "bmm",
        "dot",
        "outer",
        "kron",
        "diag",
        "cumsum",
        "cumprod",
        "sort",
        "argsort",
        "argmax",
        "max",
        "min",
        "sign",
        "square",
        "power",
        "pow",
        "negative",
        "add",
        "subtract",
        "multiply",
        "divide",
        "crossprod",
        "scale",
        "layernorm",
        "layer_norm",
        "permute",
        "flip",
        "rot90",
        "roll",
        "tril",
        "triu",
        "where",
        "mod",
        "floor",
        "ceil",
        "reshape",
        "concatenate",
        "hstack",
        "swapaxes",
        "det",
        "rank",
        "trace",
        "eig",
        "svd",
        "qr",
    ]
)
# Names whose brackets hold sizes, places or settings.
SIZES = frozenset(
    [
        "shape",
        "xlim",
        "ylim",
        "xticks",
        "yticks",
        "subplots",
        "size",
        "sizes",
        "dim",
        "dims",
        "axis",
        "axes",
        "view",
        "zeros",
        "ones",
        "randn",
        "rand",
        "random",
        "full",
        "empty",
        "eye",
        "arange",
        "linspace",
        "range",
        "figsize",
        "stride",
        "strides",
        "device",
        "placeholder",
        "randint",
        "normal",
        "uniform",
        "expand",
        "unsqueeze",
        "permutation",
        "torch.size",
        "slice",
        "index",
        "indices",
        "idx",
        "pages",
        "section",
        "eq",
        "ref",
        "cite",
    ]
)
# Methods that change no number.
HARMLESS = frozenset(
    [
        "astype",
        "float",
        "double",
        "half",
        "to",
        "cuda",
        "cpu",
        "numpy",
        "detach",
        "clone",
        "copy",
        "requires_grad_",
        "tolist",
        "type",
        "float32",
        "float64",
        "value",
        "data",
        "array",
        "unsqueeze",
    ]
)
TYPES = frozenset(
    [
        "f16",
        "f32",
        "f64",
        "i8",
        "i16",
        "i32",
        "i64",
        "u8",
        "u16",
        "u32",
        "u64",
        "usize",
        "isize",
        "float",
        "double",
        "int",
        "number",
        "float32",
        "float64",
        "int32",
        "int64",
        "complex128",
        "real",
        "str",
        "string",
        "bool",
        "num",
        "any",
    ]
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
