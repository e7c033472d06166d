"""The terms of the program and what they mean; the guide lists them, tooltips explain them."""

from __future__ import annotations

from gui.texts.translation import mark, tr, tr_marked

# Id of a term: its name, its meaning. The guide has the same texts, which a test compares.
TERMS = {
    "token": (
        mark("Token"),
        mark(
            "A piece of text that the model treats as one unit: a word, a part of a word or a "
            "character."
        ),
    ),
    "embedding": (
        mark("Embedding"),
        mark("The vector of numbers that stands for a token: its row of X."),
    ),
    "query": (mark("Query (Q)"), mark("What a token is looking for: its row of X times W_Q.")),
    "key": (mark("Key (K)"), mark("What a token offers to be found by: its row of X times W_K.")),
    "value": (
        mark("Value (V)"),
        mark("What a token passes on when it is attended to: its row of X times W_V."),
    ),
    "score": (
        mark("Score"),
        mark("The dot product of a query and a key: how well they match. Also called a logit."),
    ),
    "scaled": (
        mark("Scaled dot-product attention"),
        mark(
            "softmax(QKᵀ/√d_k)·V: the scores are divided by √d_k, the softmax turns them into "
            "weights, and the output is the weighted mean of the values."
        ),
    ),
    "softmax": (
        mark("Softmax"),
        mark(
            "Turns a row of scores into positive numbers that add up to 1: each exponential is "
            "divided by the sum of all."
        ),
    ),
    "weight": (
        mark("Attention weight"),
        mark(
            "The share of its attention that a query gives to a key. The weights of one query are "
            "a probability distribution over the keys."
        ),
    ),
    "probability": (
        mark("Probability distribution"),
        mark(
            "Numbers from 0 to 1 that add up to 1. Attention weights have this form: each is the "
            "probability with which a key would be drawn."
        ),
    ),
    "mask": (
        mark("Mask"),
        mark(
            "Says which keys a query may attend to. Masked scores become −∞, so their weights are "
            "0."
        ),
    ),
    "causal": (
        mark("Causal mask"),
        mark("A token may attend to itself and to earlier tokens only."),
    ),
    "autoregressive": (
        mark("Autoregressive"),
        mark(
            "Generating a text one token at a time, each from the tokens before it. Such a model "
            "needs a causal mask."
        ),
    ),
    "self": (
        mark("Self-attention"),
        mark("Queries, keys and values all come from the same sentence."),
    ),
    "cross": (
        mark("Cross-attention"),
        mark("Queries come from one sentence, keys and values from another, the context."),
    ),
    "head": (
        mark("Head"),
        mark("One attention computation with its own W_Q, W_K and W_V: an attention head."),
    ),
    "multihead": (
        mark("Multi-head attention"),
        mark("Several heads side by side. Their results are concatenated and multiplied by W_O."),
    ),
    "d_model": (mark("d_model"), mark("The width of X: how many numbers stand for one token.")),
    "d_k": (
        mark("d_k"),
        mark(
            "The width of a query and a key: how many products a score adds up. The scores are "
            "divided by √d_k."
        ),
    ),
    "d_v": (mark("d_v"), mark("The width of a value, and so of the result of one head.")),
    "position": (
        mark("Positional encoding"),
        mark(
            "Tells the model where a token is. Without it, attention does not see the order of "
            "the tokens."
        ),
    ),
    "sinusoidal": (
        mark("Sinusoidal positions"),
        mark("Sines and cosines of the position, added to X."),
    ),
    "rotary": (
        mark("Rotary positions (RoPE)"),
        mark(
            "Pairs of numbers in queries and keys are rotated by an angle that grows with the "
            "position."
        ),
    ),
    "alibi": (
        mark("ALiBi"),
        mark(
            "Attention with linear biases: each score is lowered in proportion to the distance "
            "between query and key."
        ),
    ),
    "dense": (mark("Dense attention"), mark("Every query attends to every key: n² scores.")),
    "sparse": (
        mark("Sparse attention"),
        mark("Each query attends only to a chosen pattern of keys."),
    ),
    "cache": (
        mark("Key–value cache"),
        mark("Keys and values of earlier tokens, kept so that they need not be computed again."),
    ),
    "grouped": (
        mark("Grouped-query attention"),
        mark(
            "Several query heads share one head of keys and values, which makes the cache smaller. "
            "One for all heads is multi-query attention."
        ),
    ),
    "sink": (
        mark("Attention sink"),
        mark("A token, often the first, that gets the attention of queries that no key matches."),
    ),
    "temperature": (
        mark("Temperature"),
        mark(
            "Divides the logits before the softmax: below 1 the most probable word gains, "
            "above 1 the shares even out."
        ),
    ),
    "cuts": (
        mark("Top-k and top-p"),
        mark(
            "Which words can be drawn next: the k most probable ones; the fewest whose "
            "shares together reach p."
        ),
    ),
    "patch": (mark("Patch"), mark("A small square of an image, treated as a token.")),
    "residual": (
        mark("Residual connection"),
        mark(
            "Adds the input of a layer to its output. A Transformer has one around each attention "
            "layer and one around each MLP."
        ),
    ),
    "norm": (
        mark("Layer normalisation"),
        mark(
            "Rescales each token's numbers to mean 0 and variance 1. It is used together with the "
            "residual connection."
        ),
    ),
    "whatif": (
        mark("What-if value"),
        mark("A number typed instead of a computed one; everything after it is computed from it."),
    ),
}


def explanation(term: str) -> str:
    """The name and the meaning of one of TERMS, as a tooltip."""
    name, meaning = TERMS[term]
    return tr("{name}: {text}", name=tr_marked(name), text=tr_marked(meaning))
