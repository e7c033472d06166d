"""Families of models: what differs between them, one row each."""

from __future__ import annotations

from dataclasses import dataclass, replace

# The names of tensors, without prefixes and ".weight" or ".bias"; those below `layer` follow it.
# {} stands for the number of the layer, "-" for a part that the family lacks.
_NAMES = """
               bert                            distilbert               gpt2        llama                    gguf
word           embeddings.word_embeddings      embeddings.word_embeddings wte       embed_tokens             token_embd
position       embeddings.position_embeddings  embeddings.position_embeddings wpe   -                        position_embd
token_type     embeddings.token_type_embeddings -                       -           -                        token_types
embedding_norm embeddings.LayerNorm            embeddings.LayerNorm     -           -                        token_embd_norm
layer          encoder.layer.{}.               transformer.layer.{}.    h.{}.       layers.{}.               blk.{}.
query          attention.self.query            attention.q_lin          -           self_attn.q_proj         attn_q
key            attention.self.key              attention.k_lin          -           self_attn.k_proj         attn_k
value          attention.self.value            attention.v_lin          -           self_attn.v_proj         attn_v
qkv            -                               -                        attn.c_attn -                        attn_qkv
output         attention.output.dense          attention.out_lin        attn.c_proj self_attn.o_proj         attn_output
attention_norm attention.output.LayerNorm      sa_layer_norm            ln_1        input_layernorm          attn_norm
up             intermediate.dense              ffn.lin1                 mlp.c_fc    mlp.up_proj              ffn_up
gate           -                               -                        -           mlp.gate_proj            ffn_gate
down           output.dense                    ffn.lin2                 mlp.c_proj  mlp.down_proj            ffn_down
mlp_norm       output.LayerNorm                output_layer_norm        ln_2        post_attention_layernorm ffn_norm
final_norm     -                               -                        ln_f        norm                     output_norm
head           -                               -                        lm_head     lm_head                  output
"""
_COLUMNS, *_ROWS = (line.split() for line in _NAMES.strip().splitlines())
_TABLE = {
    family: {part: names[column] for part, *names in _ROWS if names[column] != "-"}
    for column, family in enumerate(_COLUMNS)
}
PARTS = ("query", "key", "value", "qkv", "output", "up", "gate", "down")  # with matrices


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the table."""

    names: dict[str, str]
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

    def has(self, part: str) -> bool:
        """Whether its models have a part."""
        return part in self.names


_LLAMA = Family(
    _TABLE["llama"],
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
    "bert": Family(_TABLE["bert"], ("", "bert.")),
    "distilbert": Family(_TABLE["distilbert"], ("", "distilbert.")),
    "roberta": Family(_TABLE["bert"], ("", "roberta."), padded=True),
    "gpt2": Family(
        _TABLE["gpt2"],
        ("", "transformer."),
        pre=True,
        causal=True,
        transposed=True,
        tied=True,
        activation="gelu_new",
        eps=1e-5,
    ),
    "llama": _LLAMA,
    "qwen2": replace(_LLAMA, biases=("query", "key", "value")),
    "mistral": _LLAMA,
}
GGUF_FAMILIES = ("bert", "gpt2", "llama", "qwen2")  # those that have a name of their own there
_GGUF_POST = {"attention_norm": "attn_output_norm", "mlp_norm": "layer_output_norm"}


def gguf_family(name: str) -> Family:
    """The row of a family for GGUF files: other names, and matrices always (out, in).

    Writers of such files put the rotary columns of Llama into pairs, and no other's.
    """
    family = FAMILIES[name]
    known = _TABLE["gguf"] | ({} if family.pre else _GGUF_POST)
    return replace(
        family,
        names={part: known[part] for part in family.names},
        prefixes=("",),
        transposed=False,
        halves=family.halves and name != "llama",
        padded=False,
    )
