"""What is said about the stages of Transformer blocks and of the next word. Free of Qt.

The keys are those of `STAGE_TEXTS`; {symbol} is the stage's own symbol.
"""

from __future__ import annotations

from gui.texts.translation import mark

_LAYER = mark(
    "Each token's numbers less their mean, divided by their standard deviation: they are compared "
    "with each other, whatever their size was. γ and β, where given, scale and shift them."
)
_RMS = mark(
    "Each token's numbers divided by the root of their mean square: they are compared with each "
    "other, whatever their size was. γ, where given, scales them."
)
_LAYER_AFTER = mark(
    "After the sum each token's numbers are brought back to mean 0 and variance 1. γ and β, "
    "where given, scale and shift them."
)
_RMS_AFTER = mark(
    "After the sum each token's numbers are brought back to mean square 1. γ, where given, scales "
    "them."
)
_NORMS = {"sentence": _LAYER, "sentence:rms": _RMS}
_NORMS_AFTER = {"sentence:post": _LAYER_AFTER, "sentence:rms post": _RMS_AFTER}
_COOLED = mark(
    "Softmax of the logits divided by the temperature {temperature}: below 1 the best word "
    "gains, above 1 the others do. For each token they add up to 1."
)
_GUESS = mark("Ask which class fits the sentence, then compare with the last token.")
_NOTE = {
    "note": mark(
        "Work out the mean and the standard deviation of one token together, then one number. What "
        "is the mean afterwards?"
    ),
    "note:rms": mark(
        "Square the numbers of one token and take their mean together. What is it afterwards?"
    ),
    "note:rms post": mark(
        "Square the numbers of one token and take their mean together. What is it afterwards?"
    ),
}

BLOCK_TEXTS: dict[str, dict[str, str]] = {
    "embedding_norm": {
        "name": mark("Input norm"),
        "title": mark("{symbol} — how do the numbers of each token compare?"),
        **_NORMS,
        "next": mark("the numbers of each token are normalised"),
        **_NOTE,
    },
    "attention_norm": {
        "name": mark("Attention norm"),
        "title": mark("{symbol} — what does attention see of each token?"),
        "title:post": mark("{symbol} — the tokens after attention, on one scale"),
        "title:rms post": mark("{symbol} — the tokens after attention, on one scale"),
        **_NORMS,
        **_NORMS_AFTER,
        "next": mark("the numbers of each token are normalised"),
        **_NOTE,
    },
    "mlp_norm": {
        "name": mark("MLP norm"),
        "title": mark("{symbol} — what does the MLP see of each token?"),
        "title:post": mark("{symbol} — the tokens after the MLP, on one scale"),
        "title:rms post": mark("{symbol} — the tokens after the MLP, on one scale"),
        **_NORMS,
        **_NORMS_AFTER,
        "next": mark("the numbers of each token are normalised"),
        **_NOTE,
    },
    "final_norm": {
        "name": mark("Final norm"),
        "title": mark("{symbol} — the tokens after the last layer, on one scale"),
        **_NORMS,
        "next": mark("the numbers of each token are normalised once more"),
        **_NOTE,
    },
    "attention_residual": {
        "name": mark("Attention residual"),
        "title": mark("{symbol} — what has attention added to each token?"),
        "sentence": mark(
            "What came into the layer is kept, and the output of attention is added to it."
        ),
        "next": mark("the output of attention is added to what came in"),
        "note": mark("Compare what came in with Y: which token does attention change most?"),
    },
    "mlp_hidden": {
        "name": mark("MLP hidden"),
        "title": mark("{symbol} — how well does each token fit each neuron?"),
        "sentence": mark(
            "Each hidden neuron has its weights in W_1. Its number is large where the token fits "
            "them. Every token is computed on its own."
        ),
        "next": mark("each token meets each hidden neuron"),
        "note": mark(
            "Attention mixes tokens, the MLP does not: change one token and ask which others "
            "change here."
        ),
    },
    "mlp_gate": {
        "name": mark("MLP gate"),
        "title": mark("{symbol} — how far does each gate open?"),
        "sentence": mark(
            "The token times W_gate. After the activation it decides how much of each hidden "
            "number passes."
        ),
        "next": mark("each token sets the gates of the hidden neurons"),
        "note": mark("A gate far below 0 closes: ask which hidden numbers will be lost."),
    },
    "mlp_active": {
        "name": mark("Activation"),
        "title": mark("{symbol} — which neurons are active?"),
        "sentence:relu": mark("ReLU: what is below 0 becomes 0, everything else stays."),
        "sentence:gelu": mark(
            "GELU: each number times the probability that a standard normal number is smaller. "
            "Far below 0 nothing is left, far above everything."
        ),
        "sentence:gelu_tanh": mark(
            "GELU, approximated by tanh: far below 0 nothing is left, far above 0 the number stays."
        ),
        "sentence:silu": mark(
            "SiLU: each number times its sigmoid. Far below 0 nothing is left, far above 0 the "
            "number stays."
        ),
        "sentence:gate": mark(
            "The activation of the gate times the hidden number: where the gate is closed, nothing "
            "passes."
        ),
        "next": mark("the activation of each number"),
        "next:gate": mark("each hidden number passes its gate"),
        "note": mark(
            "Count the active neurons of one token. Without the activation the two matrices of "
            "the MLP would be one."
        ),
    },
    "mlp_out": {
        "name": mark("MLP output"),
        "title": mark("{symbol} — what does the MLP write for each token?"),
        "sentence": mark(
            "Each hidden neuron has what it writes in W_2. The active ones write as much as their "
            "numbers say, and it is added up."
        ),
        "next": mark("the active neurons write their output"),
        "note": mark("Find the neuron that contributes most to one number of one token."),
    },
    "mlp_residual": {
        "name": mark("MLP residual"),
        "title": mark("{symbol} — what has the MLP added to each token?"),
        "sentence": mark(
            "What came into the MLP is kept, and its output is added. This is the layer's output."
        ),
        "next": mark("the output of the MLP is added to what came in"),
        "note": mark("Which of the two has changed this token more, attention or the MLP?"),
    },
    "logits": {
        "name": mark("Logits"),
        "title": mark("{symbol} — how well does each word fit?"),
        "sentence": mark("Each token times W_U: one number for each word of the vocabulary."),
        "next": mark("each token is compared with each word of the vocabulary"),
        "note": mark(
            "Which word has the largest number for the last token? Logits are no probabilities "
            "yet: they may have any sign."
        ),
    },
    "probabilities": {
        "name": mark("Probabilities"),
        "title": mark("{symbol} — which word comes next?"),
        "sentence": mark(
            "Softmax over the vocabulary: for each token the probabilities of all words add up to "
            "1. They say which word follows it."
        ),
        "title:classes": mark("{symbol} — how probable is each class?"),
        "title:classes temperature": mark("{symbol} — how probable is each class?"),
        "sentence:classes": mark(
            "Softmax over the vocabulary, whose words are classes: for each token their "
            "probabilities add up to 1."
        ),
        "sentence:classes temperature": _COOLED,
        "sentence:temperature": _COOLED,
        "next": mark("the softmax over the vocabulary"),
        "note": mark("Ask what the next word should be, then compare with the last token."),
        "note:classes": _GUESS,
        "note:classes temperature": _GUESS,
    },
}

# The names of the entered tensors of blocks.
BLOCK_INPUT_NAMES = {
    "embedding_norm.gamma": mark("Input norm, scale γ"),
    "embedding_norm.beta": mark("Input norm, shift β"),
    "attention_norm.gamma": mark("Attention norm, scale γ"),
    "attention_norm.beta": mark("Attention norm, shift β"),
    "mlp_norm.gamma": mark("MLP norm, scale γ"),
    "mlp_norm.beta": mark("MLP norm, shift β"),
    "W_1": mark("MLP weights to hidden"),
    "b_1": mark("MLP bias of hidden"),
    "W_gate": mark("MLP gate weights"),
    "b_gate": mark("MLP gate bias"),
    "W_2": mark("MLP weights to output"),
    "b_2": mark("MLP bias of output"),
    "final_norm.gamma": mark("Final norm, scale γ"),
    "final_norm.beta": mark("Final norm, shift β"),
    "W_U": mark("Vocabulary weights"),
    "b_U": mark("Vocabulary bias"),
}
