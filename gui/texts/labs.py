"""Words about labs as a whole: their titles, their claims, and what can be wrong with a setting."""

from __future__ import annotations

from gui.texts.translation import label, label_words, mark, tr_marked

# In the menu, and above the picture: the title, and the claim that the lab lets one check.
TITLES = {
    "roles": mark("Roles at a table"),
    "plane": mark("Attention in the plane"),
    "softmax": mark("Scores become shares"),
    "sqrt-dk": mark("Why divide by √dₖ"),
    "order": mark("Blind to order"),
    "positions": mark("What positions look like"),
    "heads": mark("Several views at once"),
    "context": mark("Same word, different meaning"),
    "sequence": mark("RNN versus attention"),
    "sparse": mark("Fewer links than n²"),
    "cross": mark("Translation"),
    "decode": mark("One token at a time"),
    "block": mark("What each part adds"),
    "groups": mark("Shared keys and values"),
    "tiles": mark("Softmax in tiles"),
    "sinks": mark("Where the rest goes"),
    "sampling": mark("Drawing the next word"),
    "induction": mark("Continuing a pattern"),
    "circuits": mark("A head as two tables"),
    "worth": mark("What a head is worth"),
    "patches": mark("An image is a sentence"),
    "backward": mark("Gradients flow back"),
    "learn": mark("The matrices are learned"),
    "caution": mark("A heatmap is a clue"),
    "complexity": mark("Where the time goes"),
    "quiz": mark("Questions and misconceptions"),
}
CLAIMS = {
    "roles": mark("The query asks, the key answers, the value carries."),
    "plane": mark("An output is a weighted mean of the values."),
    "softmax": mark("Softmax turns scores into shares of one whole."),
    "sqrt-dk": mark(
        "The spread of dot products grows as √dₖ; dividing by √dₖ keeps the softmax from saturating."
    ),
    "order": mark("Without positions, attention does not see the order of the tokens."),
    "positions": mark(
        "Sinusoidal positions give every position its own pattern, and a shift rotates each "
        "pair of columns."
    ),
    "heads": mark(
        "Every head looks at the sentence in its own way; the output is the sum of what they contribute."
    ),
    "context": mark(
        "The same vector goes in, and a different one comes out, depending on its neighbours."
    ),
    "sequence": mark(
        "Between any two tokens, attention takes one step; an RNN takes as many as their distance."
    ),
    "sparse": mark(
        "Not every pair needs a link: a sparse pattern costs less, and layers pass on what one "
        "of them does not see."
    ),
    "cross": mark(
        "Cross-attention: queries from one sentence look at the keys and values of another."
    ),
    "decode": mark(
        "With a key–value cache, each new token costs one row instead of the whole table."
    ),
    "block": mark("Every part adds to the stream; a logit is the sum of what they add."),
    "groups": mark(
        "Query heads that share keys and values need a smaller cache; the output changes."
    ),
    "tiles": mark(
        "Attention needs no whole row of scores: running sums, block by block, give the same output."
    ),
    "sinks": mark(
        "A row of weights must sum to 1: where no key matches, the first token takes the rest, or a null key."
    ),
    "sampling": mark(
        "Temperature reshapes the shares of the next word, top-k and top-p cut them; the order matters."
    ),
    "induction": mark(
        "Two layers of attention can continue a pattern that they have seen once; either of them alone cannot."
    ),
    "circuits": mark(
        "W_Q W_Kᵀ is what a head looks for, W_V W_O what it adds: only the products have a meaning."
    ),
    "worth": mark(
        "Weights show where a head looks; to see what it is worth, switch it off or replace its "
        "output."
    ),
    "patches": mark("Cut a picture into patches, and attention reads it as a sentence."),
    "backward": mark("The gradient flows back along the same path that the numbers took forward."),
    "learn": mark("Nobody writes down W_Q, W_K and W_V: gradient descent finds them."),
    "caution": mark("Attention weights alone do not explain why the output is what it is."),
    "complexity": mark("What each stage costs, and how that grows with n, d and h."),
    "quiz": mark("What people often get wrong, each with an experiment that settles it."),
}

SENTENCES: dict[str, str] = {
    "lab.absent": mark("There is no lab “{lab}”; there are {known}."),
    "lab.control": mark("This lab has no control “{control}”; it has {known}."),
    "lab.value.number": mark(
        "“{control}” cannot be {value}; it takes a number from {low} to {high}."
    ),
    "lab.value.whole": mark(
        "“{control}” cannot be {value}; it takes a whole number from {low} to {high}."
    ),
    "lab.value.option": mark("“{control}” cannot be {value}; it takes one of {known}."),
    "lab.value.switch": mark("“{control}” cannot be {value}; it takes true or false."),
    "lab.value.numbers": mark(
        "“{control}” cannot be {value}; it takes {count} numbers from {low} to {high}: [1, 2, …]."
    ),
    "lab.value.points": mark(
        "“{control}” cannot be {value}; it takes {count} points from {low} to {high}: [[1, 2], …]."
    ),
    "lab.value.order": mark(
        "“{control}” cannot be {value}; it takes the positions 0 to {high}, each once: [1, 0, …]."
    ),
    "lab.picture": mark("{path}: {reason}."),
    "lab.unfit": mark("This experiment does not fit the lab: {reason}."),
}
# Why an experiment does not fit, by the `reason` of "lab.unfit".
REASONS: dict[str, str] = {
    "picture.unreadable": mark(
        "this is not a picture that can be read; use PNG, JPEG, WebP, BMP or GIF"
    ),
    "picture.large": mark("the picture has more than 50 million pixels"),
    "picture.small": mark("the picture is less than 32 pixels wide or high"),
    "picture.narrow": mark("one side of the picture is more than 12 times as long as the other"),
    "cross.one": mark("its keys and values do not come from another sentence"),
    "tokens_12": mark("the lab allows at most 12 words in each sentence"),
    "lab.own": mark(
        "the lab works with its own numbers, which you set on the left; no experiment fits"
    ),
    "context": mark("its keys and values come from another sentence"),
    "tokens_2_8": mark("the lab needs from 2 to 8 tokens"),
    "tokens_2_12": mark("the lab needs from 2 to 12 tokens"),
    "tokens_2_16": mark("the lab needs from 2 to 16 tokens"),
    "tokens_16": mark("the lab takes up to 16 tokens"),
    "stack": mark(
        "the lab works on attention alone, and this experiment has layers of a Transformer"
    ),
    "no_stack": mark("the lab needs layers of a Transformer"),
    "stack_size": mark(
        "the lab takes 2 to 6 tokens, up to 4 layers of which one is on, and up to 32 words"
    ),
    "embeddings": mark("the lab needs vectors X with W_Q, W_K and W_V"),
    "narrow_heads": mark("the lab takes heads up to 8 wide, and up to 12 words or columns of Y"),
    "words_2_32": mark("the lab needs layers with a head that is on, and from 2 to 32 words"),
    "layers_4_heads_8": mark("the lab takes up to 4 layers, each with up to 8 heads"),
    "given_weights": mark("the lab needs queries and keys, and here the weights are given"),
    "heads_2_8": mark("the lab needs from 2 to 8 heads"),
    "tokens_2_64": mark("the lab needs from 2 to 64 tokens"),
}


def lab_title(lab_id: str) -> str:
    """What a lab is called."""
    return tr_marked(TITLES[lab_id])


def lab_claims(lab_id: str) -> str:
    """The claim of a lab, where labels are in both languages one line each."""
    return "\n".join(label_words(CLAIMS[lab_id]))


def lab_label(lab_id: str) -> str:
    """The same as a label, which may be said in both languages."""
    return label(TITLES[lab_id])


def lab_claim(lab_id: str) -> str:
    """What a lab lets one check, in a sentence."""
    return tr_marked(CLAIMS[lab_id])
