"""Element types and shapes of results: by ONNX's inference, and rules for Graphcore's operators."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy
from onnx import checker, helper, numpy_helper, shape_inference

from ._operators import GRAPHCORE_DOMAIN
from ._tensors import TensorInfo, info_of

Infos = List[Optional[TensorInfo]]
Attributes = Dict[str, Any]

#: Constants with more elements than this do not decide shapes.
_MOST_DECIDING = 1024


def _loss(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    """One number, or one for each row of labels, or element without those."""
    if attributes.get("reduction") != b"NoReduction":
        return [TensorInfo(operands[0].data_type(), [])]
    return [TensorInfo(operands[0].data_type(), operands[-1].shape())]


def _group_norm(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    statistics = TensorInfo("FLOAT", [operands[0].shape()[0] * attributes["num_groups"]])
    return [operands[0], statistics, statistics]


def _subsample(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    sizes = zip(operands[0].shape(), attributes["strides"])
    return [TensorInfo(operands[0].data_type(), [-(-size // stride) for size, stride in sizes])]


def _dynamic_slice(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    shape = operands[0].shape()
    for axis, size in zip(attributes["axes"], attributes["sizes"]):
        shape[axis] = size
    return [TensorInfo(operands[0].data_type(), shape)]


def _reshape(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    shape = list(attributes["shape"])
    if -1 in shape:
        known = -int(numpy.prod(shape, dtype=numpy.int64))
        shape[shape.index(-1)] = operands[0].nelms() // known
    return [TensorInfo(operands[0].data_type(), shape)]


def _call(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    return [info_of(output.type) for output in attributes["callee"].output]


def _broadcast(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    shape = numpy.broadcast_shapes(*(tuple(operand.shape()) for operand in operands))
    return [TensorInfo(operands[0].data_type(), shape)]


def _like_first(operands: List[TensorInfo], attributes: Attributes) -> Infos:
    return [operands[0]] if operands else []


_RULES: Dict[str, Callable[[List[TensorInfo], Attributes], Infos]] = {
    "Nll": _loss, "L1": _loss, "IdentityLoss": _loss, "Ctc": _loss,
    "GroupNormalization": _group_norm, "Subsample": _subsample, "DynamicSlice": _dynamic_slice,
    "Reshape": _reshape, "Call": _call,
    **dict.fromkeys(("Atan2", "Fmod", "Remainder", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
                     "BitwiseXnor", "ScaledAdd"), _broadcast),
}


def _one_hot(node: Any, known: Mapping[str, TensorInfo], constants: Mapping[str, Any]) -> Infos:
    """ONNX's own inference leaves out the size of the new dimension."""
    indices, depth, values = node.input
    if indices not in known or values not in known or depth not in constants:
        return [None]
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    shape = known[indices].shape()
    axis = attributes.get("axis", -1)
    shape.insert(axis if axis >= 0 else axis + len(shape) + 1, int(numpy_helper.to_array(constants[depth]).item()))
    return [TensorInfo(known[values].data_type(), shape)]


def complete(node: Any, known: Mapping[str, TensorInfo]) -> None:
    """Gives a recurrent layer the size of its state, which PopART takes from the weights."""
    recurrent = node.op_type in ("LSTM", "GRU", "RNN") and not node.domain
    if recurrent and not any(a.name == "hidden_size" for a in node.attribute):
        weights = known.get(node.input[2])
        if weights is not None:
            node.attribute.append(helper.make_attribute("hidden_size", weights.shape()[-1]))


def inferred(node: Any, known: Mapping[str, TensorInfo], constants: Mapping[str, Any],
             opsets: List[Any]) -> Infos:
    """What a node's results are; None where it cannot be told. `known` are its operands, `constants`
    those that are constants, as TensorProtos.

    Raises:
        ValueError: for operands that do not suit the operator.
    """
    if node.domain == GRAPHCORE_DOMAIN:
        operands = [known[name] for name in node.input if name in known]
        if len(operands) != len(node.input):
            return [None] * len(node.output)
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        results = _RULES.get(node.op_type, _like_first)(operands, attributes)
        return [*results, *[None] * len(node.output)][:len(node.output)]
    return _by_onnx(node, known, constants, opsets)


def _by_onnx(node: Any, known: Mapping[str, TensorInfo], constants: Mapping[str, Any],
             opsets: List[Any]) -> Infos:
    if node.op_type == "OneHot":
        return _one_hot(node, known, constants)
    names = dict.fromkeys(name for name in node.input if name)
    if any(name not in known for name in names):
        return [None] * len(node.output)
    small = [constants[name] for name in names
             if name in constants and numpy.prod(constants[name].dims) <= _MOST_DECIDING]
    inputs = [known[name].value_info(name) for name in names]
    graph = helper.make_graph([node], "node", inputs,
                              [helper.make_empty_tensor_value_info(name) for name in node.output],
                              small)
    model = helper.make_model(graph, opset_imports=opsets)
    try:
        done = shape_inference.infer_shapes(model, strict_mode=True)
    except (shape_inference.InferenceError, checker.ValidationError) as error:
        raise ValueError(f"{node.op_type} '{node.name or node.output[0]}': {error}") from None
    return [info_of(output.type) for output in done.graph.output]
