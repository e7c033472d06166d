"""The message templates of all error codes."""

from __future__ import annotations

from gui.texts import answer_errors, labs, model_errors
from gui.texts.translation import mark

SENTENCES: dict[str, str] = {
    "unforeseen": mark("This could not be done: an unexpected error occurred."),
    "busy": mark("Another computation is still running; try again when it is done."),
    "given_up": mark("Stopped; nothing was changed."),
    "memory.short": mark(
        "This needs {needed} MB of memory, and only {available} MB are free; use fewer tokens "
        "or heads, or close other programs."
    ),
    "screen.absent": mark(
        "There is no screen to open a window on. Use “render” to make pictures without one."
    ),
    # Numbers that were typed in
    "number.empty": mark("A number is missing: type one, such as 0.5 or −2."),
    "number.unreadable": mark("“{text}” is not a number. Type one such as 0.5, −2 or 1.5e3."),
    "number.infinite": mark("“{text}” is not a finite number. Type one such as 0.5, −2 or 1.5e3."),
    "number.date": mark(
        "“{text}” is a date, not a number. Spreadsheets turn 1/8 or 1-2 into dates: enter it as "
        "text."
    ),
    "number.too_large": mark(
        "“{text}” exceeds the largest number that can be stored, about 1.8×10³⁰⁸."
    ),
    # Arrays
    "shape": mark("{where} is {actual}; it must be {expected} ({axes})."),
    "shape.empty": mark("{where} contains no numbers; it needs at least one row and one column."),
    "not_finite": mark("{where} is {value}; it must be a finite number."),
    "rows.ragged": mark(
        "{where}: row {row} has {actual} entries, but row 1 has {expected}; all rows must have "
        "the same length."
    ),
    "array.ragged": mark(
        "The rows differ in length; every row of a matrix must have the same number of entries."
    ),
    "array.not_numeric": mark("A matrix can contain only numbers."),
    "array.not_bool": mark("A mask can contain only true and false."),
    "array.too_large": mark("A number exceeds the largest that can be stored, about 1.8×10³⁰⁸."),
    # The experiment as a whole
    "document.no_tokens": mark("There are no tokens; tokens must have at least one."),
    "document.no_heads": mark("There are no heads; heads must have at least one."),
    "document.too_large": mark(
        "Heads × queries × keys is {h} × {n} × {m}; at most {limit} scores can be computed here."
    ),
    "kind.unknown": mark("{where} is “{kind}”, which is unknown; it can be {known}."),
    "source.X_missing": mark("X is missing: with source “embeddings” it has one row per token."),
    "source.qkv_with_X": mark(
        "X is not used with source “qkv”: remove X, or set source to “embeddings”."
    ),
    "source.unused": mark("{name} is not used with source “{source}”: remove it."),
    "context.no_tokens": mark("The context has no tokens; context.tokens must have at least one."),
    "context.X_missing": mark(
        "context.X is missing: with source “embeddings” it has one row per token of the context."
    ),
    "context.with_qkv": mark(
        "context.{name} is not used with source “qkv”: remove it; K and V have one row per "
        "token of the context."
    ),
    "context.absent": mark(
        "This experiment has no context: its keys and values come from the tokens themselves."
    ),
    "tensor.absent": mark("This experiment has no {name}."),
    # Roles of matrices on a page
    "role.unknown": mark("“{role}” is not a role; it can be {known}."),
    "role.missing": mark(
        "Which matrices are {known}? Give X, W_Q, W_K and W_V, or Q, K and V, or the weights A."
    ),
    "role.shape": mark("{name} is {actual}; it must be {expected} ({axes})."),
    "role.twice": mark("Which matrix is {role}? Two have this role."),
    "role.transposed": mark(
        "{known}: is it written so that X is multiplied by it, or transposed, as nn.Linear "
        "stores weights? Choose with W_Q or W_Q.T."
    ),
    "role.name": mark("There is no matrix “{name}”; there are {known}."),
    "role.layer": mark("There is no layer {actual}; layers are numbered from 1 to {limit}."),
    "role.heads": mark(
        "{name} holds W_Q, W_K and W_V of all heads. How many heads are there? Possible: {known}."
    ),
    "role.norm": mark("Which norm is {name} of? Choose it under “Use as”, or name it in the text."),
    "role.vocabulary": mark("The vocabulary has {actual} words; W_U has {expected} columns."),
    "role.none": mark("No matrix was found."),
    # Stacks
    "stack.part_alone": mark("“{name}” belongs to a stack, but there are no layers; remove it."),
    "stack.in_layers": mark("With layers, “{name}” belongs into each layer; remove it here."),
    "stack.source": mark("A stack starts from embeddings; source “{source}” cannot have layers."),
    "stack.context": mark("A stack cannot have a context yet; remove context."),
    "stack.which_layer": mark(
        "Heads and their sizes belong to a layer of the stack; choose a layer."
    ),
    "layers.last": mark("The last layer cannot be removed."),
    "block.source": mark(
        "Only an experiment that starts from the vectors of one sentence can become a block."
    ),
    "output.missing": mark(
        "There is no vocabulary: only an experiment with an output has a next word."
    ),
    "stack.no_layers": mark("layers is empty; a stack needs at least one layer."),
    "stack.version": mark("A file with layers has version 2, not {version}; set version to 2."),
    "layer.no_heads": mark("There are no heads; a layer must have at least one."),
    "layer.width": mark(
        "W_O is missing: h · d_v = {h} · {v} = {c}, but d_model = {d}; add W_O ({c} × {d})."
    ),
    "layer.slopes": mark(
        "positional.slopes has {actual} numbers, but the layer has h = {h}; each head needs one."
    ),
    "layer.norm_without_mlp": mark("norm.mlp is given, but the layer has no mlp; remove it."),
    "mlp.bias_without_gate": mark("b_gate is given without W_gate: add W_gate, or remove b_gate."),
    "norm.rms_beta": mark("beta is given, but the kind “rms” has none; remove it."),
    "norm.eps": mark("eps is {value}; it must be 0 or more, and finite."),
    "output.no_vocabulary": mark("The vocabulary is empty; it must have at least one word."),
    "output.vocabulary": mark(
        "W_U is {actual}; it must be {d} × {u}: one column for each word of the vocabulary."
    ),
    "sampling.temperature": mark("temperature is {value}; it must be greater than 0, and finite."),
    "sampling.top_k": mark("top_k is {value}; it must be at least 1, or null."),
    "sampling.top_p": mark("top_p is {value}; it must be greater than 0 and at most 1, or null."),
    "sampling.seed": mark("seed is {value}; it must be a whole number from 0 to 2⁵³ − 1."),
    "head.kv_from_alone": mark("kv_from is only for heads in layers; remove it."),
    "head.kv_from_range": mark(
        "kv_from is {kv_from}; heads are counted from 0, and the layer has h = {h}."
    ),
    "head.kv_from_borrows": mark(
        "kv_from is {kv_from}, but that head borrows its keys and values itself; name a head with "
        "W_K and W_V of its own."
    ),
    "head.kv_from_own": mark(
        "{name} is given beside kv_from {kv_from}; remove {name}, or remove kv_from."
    ),
    # Heads and output
    "head.incomplete": mark(
        "{where} is incomplete: it needs W_Q, W_K and W_V, or Q, K and V, or A."
    ),
    "head.missing": mark("{name} is missing in {where}; source “{source}” needs it."),
    "head.unexpected": mark(
        "{where} has {name}, which is not used with source “{source}”; remove it."
    ),
    "output.height": mark(
        "W_O is {actual}; it must have {expected} rows: {h} heads with d_v = {v} columns each."
    ),
    "output.bias_without_weights": mark("b_O is given without W_O: add W_O, or remove b_O."),
    "output.without_values": mark(
        "W_O is given without V: add V to each head, or remove W_O and b_O."
    ),
    "bias.needs_weights": mark(
        "Biases belong to the weights W_Q, W_K, W_V, which this experiment does not have."
    ),
    # Positions, mask, scale
    "positional.needs_embeddings": mark(
        "The positional encoding “{kind}” is added to X, but here Q, K and V are entered directly; "
        "choose none, rotary or alibi."
    ),
    "positional.base": mark("positional.base is {value}; it must be a finite number above 0."),
    "positional.P_missing": mark(
        "positional.P is missing: a learned encoding has one row per token."
    ),
    "base": mark("The base is {value}; it must be a finite number above 0."),
    "softmax.base": mark("{where} is {base}; it must be “e”, 2, 3 or 10."),
    "mask.negative": mark("{where} is {value}; a reach counts tokens and cannot be below 0."),
    "mask.allow_missing": mark(
        "mask.allow is missing: a custom mask has a row and a column for each token."
    ),
    "window.negative": mark("{side} is {value}; a reach counts tokens and cannot be below 0."),
    # What-if values
    "pin.stage": mark("{where} names the stage “{stage}”; it can be {known}."),
    "pin.index": mark(
        "{where} points at {index} in stage {stage}, which is {shape}: each index counts from 0 "
        "along one axis."
    ),
    "pin.twice": mark("{where} pins {index} in stage {stage} a second time; keep one of the two."),
    # Attention called from Python
    "groups": mark(
        "{heads} query heads cannot share {groups} key and value heads evenly; choose a divisor of {heads}."
    ),
    "scale": mark("The scale is {value}; it must be a finite number."),
    "softcap": mark("The soft cap is {value}; it must be a finite number above 0."),
    "mask.type": mark(
        "A mask holds true and false, or decimal numbers to be added; this one holds {actual}."
    ),
    "mask.not_finite": mark(
        "A mask to be added holds NaN or +∞; it can hold finite numbers and −∞."
    ),
    # Sizes
    "tokens.last": mark("The last token cannot be removed."),
    "heads.last": mark("The last head cannot be removed."),
    "size.too_small": mark("{axis} cannot be {size}; it must be at least 1."),
    "size.range": mark("{axis} must be a whole number from 1 to {most}."),
    "size.table": mark("The table has {actual} columns; {axis} can be {most} at most."),
    "size.scores": mark("With h = {h}, at most {most} tokens fit into memory."),
    "size.new": mark("That would add {actual} new numbers; at most {most} can be added at a time."),
    "size.no_d": mark("Without X and W_O there is no d_model to change."),
    # Files
    "file.unreadable": mark("{path} cannot be read: {reason}."),
    "file.unwritable": mark("{path} cannot be written: {reason}."),
    "drop.several": mark("Only {path} was opened; files open one at a time."),
    "recent.missing": mark(
        "{path} no longer exists; it was removed from the list of recent files."
    ),
    "file.too_large": mark("{path} is larger than 128 megabytes and cannot be read here."),
    "file.empty": mark("The file is empty; save it again, or choose another."),
    "file.encoding": mark(
        "The file is not UTF-8 text (line {line}, byte {byte} of the file); save it as UTF-8."
    ),
    "file.syntax": mark("The file is not valid JSON at line {line}, column {column}: {reason}."),
    "file.too_deep": mark(
        "The lists in the file are nested too deeply; a matrix is a list of rows, a row is a "
        "list of numbers."
    ),
    "file.too_many": mark(
        "The file has more numbers than can be read here; at most {limit} are allowed."
    ),
    "file.not_experiment": mark("The file is not an experiment: its format must be “{expected}”."),
    "file.foreign": mark(
        "This is not a file of this program: experiments (.attn.json) and lessons (.lesson.json) can be opened, "
        "numbers (.csv, .npy, .npz, .xlsx, .json) imported."
    ),
    "file.numbers": mark(
        "This is a file of numbers, not an experiment; open one and import them with File ▸ Import (Ctrl+I)."
    ),
    "file.newer": mark(
        "The file has version {version}, but this program knows versions up to {known}; use a newer one."
    ),
    "file.other_version": mark(
        "An experiment with source “{source}” has version {own}, not {version}; set version to {own}."
    ),
    "file.version": mark("version is {version}; it must be {known}."),
    "file.unknown_key": mark("{where} has the unknown key “{key}”; it can have {known}."),
    "file.missing_key": mark("The key “{key}” is missing in {where}."),
    "file.duplicate_key": mark(
        "The key “{key}” appears a second time (line {line}); keep one of the two."
    ),
    "file.type": mark("{where} is {actual}; it must be {expected}."),
    "file.not_finite": mark(
        "{where} is NaN, infinite or beyond 1.8×10³⁰⁸; it must be a finite number."
    ),
    **answer_errors.SENTENCES,
    # Command line and examples
    "example.unknown": mark("There is no example “{id}”; there are {known}."),
    "stage.absent": mark("This experiment has no stage “{stage}”; it has {known}."),
    "worksheet.too_large": mark(
        "This experiment has {size} numbers to work out, too many for a worksheet; at most "
        "{limit} are possible."
    ),
    "output.input": mark("{path} is the experiment itself; write to another file."),
    "output.ending": mark("{path} must end in {known}, which decides what is written."),
    # Expressions in a cell
    "number.undefined": mark(
        "“{text}” has no real value. Type a number such as 0.5, 1/3 or sqrt(2)/2."
    ),
    # Pasted text
    "paste.empty": mark(
        "There are no numbers here; copy a matrix, for example cells of a spreadsheet, and "
        "paste it."
    ),
    "paste.too_large": mark(
        "This text is longer than {limit} characters, too long to paste; open it as a file."
    ),
    "paste.too_many": mark("This text has too many numbers or rows to paste; open it as a file."),
    "paste.laboured": mark(
        "More than {limit} different expressions, such as 1/3 + √2, would have to be evaluated; "
        "enter their values instead."
    ),
    "paste.ragged": mark(
        "Row {row} has {actual} entries, but row 1 has {expected}; all rows must have the same "
        "length."
    ),
    "paste.elided": mark(
        "Row {row} has “…” where numbers were left out; copy the whole matrix (in NumPy: "
        "np.set_printoptions(threshold=np.inf))."
    ),
    "paste.several": mark(
        "These are {actual} matrices; copy one at a time, or read them all with New from text "
        "(Ctrl+Alt+N)."
    ),
    "paste.axes": mark(
        "These lists have {actual} levels; a matrix is a list of rows, a row a list of numbers."
    ),
    "paste.bracket": mark(
        "The bracket “{text}” has no partner; copy the matrix from its first bracket to its last."
    ),
    "paste.leftover": mark("“{text}” next to the matrix cannot be read; copy only the matrix."),
    "paste.commas": mark(
        "“{text}” has a decimal comma, but other numbers have a decimal point; use one of the two throughout."
    ),
    "paste.ambiguous": mark(
        "“{text}” may be one number or two; write a decimal point, or a space after the comma."
    ),
    "paste.sparse": mark(
        "A sparse matrix is written as places and values; print it in full, for example with "
        "to_dense, toarray or full."
    ),
    "paste.header": mark(
        "Is “{text}” a header of numbers, or are these entries? Put a word into the header, or "
        "remove it."
    ),
    "paste.doubt": mark(
        "Which numbers does “{text}” mean? Write them with a decimal point and without "
        "thousands separators."
    ),
    "paste.transposed": mark(
        "Should {name} be transposed? torch stores the weight of a Linear layer as (outputs, "
        "inputs)."
    ),
    "paste.order": mark(
        "Does “{text}” fill its matrix by rows or by columns? Write each row in its own brackets."
    ),
    "paste.sizes": mark("{actual} numbers do not fill a matrix of {expected}; copy all of them."),
    "paste.quotes": mark("A double quote is not closed; close it or remove it."),
    "cell.covered": mark(
        "Numbers that are still to be predicted cannot be changed; step forward to reveal them "
        "first."
    ),
    "cell.ahead": mark(
        "This number has not been reached yet. Type one to pin it, or step further first."
    ),
    "paste.computed": mark(
        "The matrix is {actual}, but this one is computed and stays {expected}."
    ),
    "paste.vector": mark("The matrix is {actual}, but a bias is a single row."),
    "paste.output": mark(
        "W_O cannot have {actual} rows: all {h} heads must have the same number of columns."
    ),
    "paste.heads": mark(
        "Matrix {head} is {actual}, but the first is {expected}; all must have the same size."
    ),
    # Files of other programs
    "import.ending": mark("Numbers cannot be read from this type of file; it can be {known}."),
    "import.empty": mark("It contains no numbers; at least one row and one column are needed."),
    "import.encoding": mark("The text is neither UTF-8 nor UTF-16; save it as UTF-8."),
    "import.damaged": mark("The file is damaged, or its type does not match its name ({detail})."),
    "import.nothing": mark("It contains no table of real numbers."),
    "import.numbers": mark("{name} contains no table of real numbers."),
    "import.axes": mark("{name} is {actual}; a matrix has 2 axes, one matrix per head has 3."),
    "import.too_large": mark("The file unpacks to more than {limit}, which is too large to read."),
    "import.table": mark("There is no “{name}”; there are {known}."),
    "import.range": mark("“{text}” is not a range of cells such as B2:E5."),
    "import.formula": mark(
        "{text} contains a formula without a stored value; open the workbook in a spreadsheet "
        "program and save it."
    ),
    "memory": mark("There is not enough memory for this."),
    # Out
    "export.unknown": mark("There is no format “{format}”; there are {known}."),
    "export.too_large": mark(
        "The experiment is too large for {format}: {size} numbers; at most {limit} are possible."
    ),
    "export.model_size": mark(
        "The {format} file of this model's layer would have {size} MB; at most {limit} MB are allowed. "
        "Choose a shorter text, fewer steps or a smaller size."
    ),
    "output.folder": mark("{path} contains other files; choose a new folder."),
    # Pictures, animations, slides and pages
    "export.page_size": mark(
        "Q, K and the values of {n} tokens do not fit into a page of 1 MB. Choose a shorter text."
    ),
    "export.page_numbers": mark(
        "The numbers of this experiment do not fit into a page of 1 MB. Choose a smaller "
        "experiment; for a layer of a model, its attention alone."
    ),
    "export.steps": mark("There are no steps {text}; steps are numbered from 1 to {limit}."),
    "export.too_many": mark(
        "{actual} steps are too many for one file of this type and size; at most {limit} are "
        "possible. Choose fewer or larger steps."
    ),
    "export.scenes": mark("There are no scenes {text}; scenes are numbered from 1 to {limit}."),
    "export.no_scenes": mark("This lesson has no scenes yet; add one, or export the experiment."),
    "export.one_picture": mark(
        "A {format} file holds one picture, but {count} scenes were requested; choose one, or a "
        "format with pages: PDF."
    ),
    "export.too_many_frames": mark(
        "{actual} frames are too many for one file of this size; at most {limit} are possible. "
        "Choose fewer steps, fewer frames per second, a smaller size, or no motion."
    ),
    "export.no_video": mark(
        "Video needs the component “{name}”, which is not installed; install it with pip, or "
        "choose GIF or WebP."
    ),
    # Lesson files
    "file.not_lesson": mark("The file is not a lesson: its format must be “{expected}”."),
    "lesson.unknown": mark("There is no lesson “{id}”; there are {known}."),
    "lesson.too_long": mark("The lesson has {count} scenes; at most {limit} can be opened."),
    "lesson.first": mark(
        "{where} does not name an experiment; the first scene needs one (example, file or inline)."
    ),
    "lesson.source": mark("{where} must have exactly one of the keys example, file and inline."),
    "lesson.language": mark(
        "{where}: “{key}” is not a language code; use one such as en, zh_CN or fr."
    ),
    "lesson.path": mark(
        "{where} is “{file}”; it must be a path inside the lesson’s folder, such as mine.attn.json."
    ),
    "lesson.no_folder": mark(
        "{where} is “{file}”, but this lesson is not in a folder yet; save it first."
    ),
    "lesson.place": mark(
        "{where} is not a place in an experiment; use one such as mask, scale.kind or "
        "heads[0].Q[1][0]."
    ),
    "lesson.nothing_there": mark(
        "{where} points to nothing: the experiment before it has no such place."
    ),
    "lesson.view": mark("{where} must name one or two different panels."),
    "lesson.picture": mark("{where} must be a PNG or JPEG picture of at most 4 MB, as base64."),
    "lesson.below": mark("{where} is {value}; it must be at least {least}."),
    "lesson.beyond": mark("{where} is {value}; here it can be {least} to {most}."),
    **labs.SENTENCES,
    **model_errors.SENTENCES,
}

# The sentence where one value is special: its key, the value (one of something, no name), the
# sentence.
VARIANTS: dict[str, tuple[str, object, str]] = {
    "file.too_large": (
        "limit",
        1_000_000,  # of answer files
        mark("{path} is larger than 1 MB, the limit for answers."),
    ),
    "rows.ragged": (
        "actual",
        1,
        mark(
            "{where}: row {row} has 1 entry, but row 1 has {expected}; all rows must have the "
            "same length."
        ),
    ),
    "output.height": (
        "h",
        1,
        mark("W_O is {actual}; it must have as many rows as the only head has columns, d_v = {v}."),
    ),
    "size.table": (
        "along",
        "rows",
        mark("The table has {actual} rows; {axis} can be {most} at most."),
    ),
    "groups": (
        "heads",
        1,
        mark(
            "One query head cannot be shared among {groups} key and value heads; there can be "
            "only one."
        ),
    ),
    "paste.ragged": (
        "actual",
        1,
        mark(
            "Row {row} has 1 entry, but row 1 has {expected}; all rows must have the same length."
        ),
    ),
    "paste.output": (
        "actual",
        1,
        mark("W_O cannot have 1 row: all {h} heads must have the same number of columns."),
    ),
    "import.numbers": ("name", "", mark("The array contains no table of real numbers.")),
    "import.axes": (
        "name",
        "",
        mark("The array is {actual}; a matrix has 2 axes, one matrix per head has 3."),
    ),
}

TYPES = {
    "array": mark("a list"),
    "bool": mark("true or false"),
    "float": mark("a number"),
    "int": mark("a whole number"),
    "null": mark("null"),
    "object": mark("an object"),
    "str": mark("a string"),
}

REASONS = {
    "missing": mark("there is no such file or folder"),
    "folder": mark("it is a folder"),
    "denied": mark("permission denied"),
    "full": mark("the disk is full"),
    "name": mark("the name is too long"),
    "loop": mark("the symbolic link leads back to itself"),
    "special": mark("it is a pipe or a device, not a file"),
    "extra": mark("something follows the end of the contents"),
    "comma": mark("there is an extra comma"),
    "delimiter": mark("a comma or a closing bracket is missing"),
    "colon": mark("a colon is missing"),
    "key": mark("a key in double quotes is expected"),
    "value": mark("a value is missing, or there is an extra comma"),
    "string": mark("a string is not closed, or runs past the end of the line"),
    "escape": mark("a backslash is followed by a character that JSON does not allow"),
    "syntax": mark("something here is not JSON"),
    **labs.REASONS,
    **model_errors.REASONS,
}
