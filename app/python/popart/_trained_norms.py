"""Batch normalisations that train with the statistics of their batch.

Up to operator set 13 the number of outputs says that they do. The simulator's entry for Python takes
normalisations of a model's own graph for fixed ones unless an attribute of set 14 says otherwise, but
leaves functions of the model alone, so each of them becomes a call of a function.
"""
from __future__ import annotations

from typing import Any, Dict, Tuple

import onnx
from onnx import helper

_DOMAIN = "ai.tilescope.popart"
#: The first version of ONNX's file format with functions.
_IR_VERSION = 8
_OPERANDS = ["x", "scale", "shift", "mean", "variance"]
_RESULTS = ["y", "runningMean", "runningVariance", "batchMean", "batchVariance"]


def trains(node: Any) -> bool:
    """Whether a node is a batch normalisation by the statistics of its batch."""
    return node.op_type == "BatchNormalization" and not node.domain and sum(
        1 for name in node.output if name) > 1


def _function(model: onnx.ModelProto, node: Any, name: str) -> onnx.FunctionProto:
    results = _RESULTS[:len(node.output)]
    body = helper.make_node(node.op_type, _OPERANDS, results)
    body.attribute.extend(a for a in node.attribute if not a.name.startswith("__"))
    opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    return helper.make_function(_DOMAIN, name, _OPERANDS, results, [body],
                                [helper.make_opsetid("", opset)])


def wrap(model: onnx.ModelProto) -> None:
    """Makes normalisations that train calls of functions, one for all with equal attributes."""
    known: Dict[Tuple[Any, ...], str] = {}
    for node in model.graph.node:
        if not trains(node):
            continue
        own = [a for a in node.attribute if not a.name.startswith("__")]
        key = (len(node.output), *sorted(a.SerializeToString() for a in own))
        if key not in known:
            known[key] = f"TrainedNorm{len(known)}"
            model.functions.append(_function(model, node, known[key]))
        node.domain, node.op_type = _DOMAIN, known[key]
        for attribute in own:
            node.attribute.remove(attribute)
    if known:
        model.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
        model.ir_version = max(model.ir_version, _IR_VERSION)
