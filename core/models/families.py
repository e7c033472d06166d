"""Families of models: what differs between them, one row each."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

PARTS = ("query", "key", "value", "qkv", "output", "up", "gate", "down")  # with matrices


@dataclass(frozen=True, slots=True)
class Names:
    """Names of tensors, without their prefix and without ".weight" and ".bias"; "" where there is
    none. Those of a layer follow `layer`.
    """

    word: str
    layer: str  # "{}" is the number of the layer, from 0
    output: str
    attention_norm: str
    up: str
    down: str
    mlp_norm: str
    query: str = ""
    key: str = ""
    value: str = ""
    qkv: str = ""  # query, key and value side by side in place of the three
    gate: str = ""
    position: str = ""
    token_type: str = ""
    embedding_norm: str = ""
    final_norm: str = ""
    head: str = ""  # from the last vectors to the vocabulary


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the table."""

    names: Names
    prefixes: tuple[str, ...] = ("",)  # what may stand before all names
    pre: bool = False  # norms before the sub-layers, not after them
    causal: bool = False
    rms: bool = False  # RMSNorm, without beta
    rotary: bool = False
    halves: bool = False  # rotary columns p and p + k/2 turn together, not 2p and 2p + 1
    transposed: bool = False  # matrices as (in, out)
    biases: tuple[str, ...] = PARTS
    activation: str = "gelu"  # where the configuration does not say, as for `eps` and `tied`
    eps: float = 1e-12
    tied: bool = False  # whether W_U are the word vectors
    padded: bool = False  # positions count from the number of the padding token + 1


_BERT = Names(
    word="embeddings.word_embeddings",
    position="embeddings.position_embeddings",
    token_type="embeddings.token_type_embeddings",
    embedding_norm="embeddings.LayerNorm",
    layer="encoder.layer.{}.",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    output="attention.output.dense",
    attention_norm="attention.output.LayerNorm",
    up="intermediate.dense",
    down="output.dense",
    mlp_norm="output.LayerNorm",
)
_DISTILBERT = Names(
    word="embeddings.word_embeddings",
    position="embeddings.position_embeddings",
    embedding_norm="embeddings.LayerNorm",
    layer="transformer.layer.{}.",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    output="attention.out_lin",
    attention_norm="sa_layer_norm",
    up="ffn.lin1",
    down="ffn.lin2",
    mlp_norm="output_layer_norm",
)
_GPT2 = Names(
    word="wte",
    position="wpe",
    layer="h.{}.",
    qkv="attn.c_attn",
    output="attn.c_proj",
    attention_norm="ln_1",
    up="mlp.c_fc",
    down="mlp.c_proj",
    mlp_norm="ln_2",
    final_norm="ln_f",
    head="lm_head",
)
_LLAMA = Names(
    word="embed_tokens",
    layer="layers.{}.",
    query="self_attn.q_proj",
    key="self_attn.k_proj",
    value="self_attn.v_proj",
    output="self_attn.o_proj",
    attention_norm="input_layernorm",
    up="mlp.up_proj",
    gate="mlp.gate_proj",
    down="mlp.down_proj",
    mlp_norm="post_attention_layernorm",
    final_norm="norm",
    head="lm_head",
)
_LLAMA_FAMILY = Family(
    _LLAMA,
    ("model.", ""),
    pre=True,
    causal=True,
    rms=True,
    rotary=True,
    halves=True,
    biases=(),
    activation="silu",
    eps=1e-6,
)
# By `model_type` of config.json.
FAMILIES = {
    "bert": Family(_BERT, ("", "bert.")),
    "distilbert": Family(_DISTILBERT, ("", "distilbert.")),
    "roberta": Family(_BERT, ("", "roberta."), padded=True),
    "gpt2": Family(
        _GPT2,
        ("", "transformer."),
        pre=True,
        causal=True,
        transposed=True,
        activation="gelu_new",
        eps=1e-5,
        tied=True,
    ),
    "llama": _LLAMA_FAMILY,
    "qwen2": replace(_LLAMA_FAMILY, biases=("query", "key", "value")),
    "mistral": _LLAMA_FAMILY,
}

# Names in GGUF files, where they are the same in all families but for the norms.
_GGUF = {
    "word": "token_embd",
    "position": "position_embd",
    "token_type": "token_types",
    "embedding_norm": "token_embd_norm",
    "layer": "blk.{}.",
    "query": "attn_q",
    "key": "attn_k",
    "value": "attn_v",
    "qkv": "attn_qkv",
    "output": "attn_output",
    "up": "ffn_up",
    "gate": "ffn_gate",
    "down": "ffn_down",
    "final_norm": "output_norm",
    "head": "output",
}
_GGUF_PRE = {"attention_norm": "attn_norm", "mlp_norm": "ffn_norm"}
_GGUF_POST = {"attention_norm": "attn_output_norm", "mlp_norm": "layer_output_norm"}
GGUF_FAMILIES = ("bert", "gpt2", "llama", "qwen2")  # those that have a name of their own there


def gguf_family(name: str) -> Family:
    """The row of a family for GGUF files: other names, and matrices always (out, in).

    Writers of such files put the rotary columns of Llama into pairs, and no other's.
    """
    family = FAMILIES[name]
    known = _GGUF | (_GGUF_PRE if family.pre else _GGUF_POST)
    used = {
        each.name: known[each.name] for each in fields(Names) if getattr(family.names, each.name)
    }
    return replace(
        family,
        names=Names(**used),
        prefixes=("",),
        transposed=False,
        halves=family.halves and name != "llama",
        padded=False,
    )
