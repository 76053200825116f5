"""Operators of PopART's that the simulator has in terms of others only."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Tuple

import numpy
from onnx import TensorProto, helper, numpy_helper

from ._graph import copied
from ._operators import GRAPHCORE_DOMAIN
from ._tensors import TensorInfo

Infos = Mapping[str, TensorInfo]

#: Parts of an operator: type, operands and attributes; the last one's result is the operator's.
_Parts = List[Tuple[str, List[str], Dict[str, Any]]]


class _Node:
    """A node to be replaced: its operands, attributes and the names of parts."""

    def __init__(self, proto: Any, infos: Infos) -> None:
        self.proto = proto
        self.infos = infos
        self.inputs = list(proto.input)
        self.attributes = {a.name: helper.get_attribute_value(a) for a in proto.attribute}
        self.others = [a for a in proto.attribute if a.name.startswith("__")]

    def type(self) -> int:
        """ONNX's number of the first operand's element type."""
        info = self.infos.get(self.inputs[0])
        return info.onnx_type() if info else int(TensorProto.FLOAT)

    def part(self, name: str) -> str:
        """The name of a part's result."""
        return f"{self.proto.output[0]}/{name}"

    def nodes(self, parts: _Parts) -> List[Any]:
        """Nodes for the parts, in the same place."""
        made = []
        for number, (kind, inputs, attributes) in enumerate(parts):
            last = number == len(parts) - 1
            output = self.proto.output[0] if last else self.part(str(number))
            name = (self.proto.name or self.proto.output[0]) if last else output
            domain, _, plain = kind.rpartition(":")
            node = helper.make_node(plain, inputs, [output], name=name, domain=domain or None,
                                    **attributes)
            node.attribute.extend(self.others)
            node.doc_string = self.proto.doc_string
            made.append(node)
        return made


def _constant(value: Any) -> Dict[str, Any]:
    return {"value": numpy_helper.from_array(numpy.asarray(value))}


def _reshape(node: _Node) -> _Parts:
    shape = numpy.array(node.attributes["shape"], numpy.int64)
    return [("Constant", [], _constant(shape)),
            ("Reshape", [node.inputs[0], node.part("0")], {})]


def _scaled_add(node: _Node) -> _Parts:
    scale = f"{GRAPHCORE_DOMAIN}:Scale"
    return [(scale, [node.inputs[0]], {"scale": node.attributes.get("scale0", 1.0)}),
            (scale, [node.inputs[1]], {"scale": node.attributes.get("scale1", 1.0)}),
            ("Add", [node.part("0"), node.part("1")], {})]


#: Operators, when they are replaced, and by what.
_RULES: Dict[str, Tuple[Callable[[_Node], bool], Callable[[_Node], _Parts]]] = {
    "Reshape": (lambda node: True, _reshape),
    "ScaledAdd": (lambda node: True, _scaled_add),
}


def _inlined(call: Any, infos: Infos) -> List[Any]:
    """The nodes of a call's graph, with names of their own; equal parts become functions again where
    the simulator outlines."""
    graph = next(a.g for a in call.attribute if a.name == "callee")
    names = dict(zip((value.name for value in graph.input), call.input))
    names.update(zip((value.name for value in graph.output), call.output))
    made = []
    for proto in graph.node:
        node = copied(proto)
        for output in node.output:
            names.setdefault(output, f"{call.output[0]}/{output}")
        node.name = f"{call.name or call.output[0]}/{node.name or node.output[0]}"
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names[name] for name in node.output]
        node.attribute.extend(a for a in call.attribute if a.name.startswith("__"))
        made.append(node)
    return lowered(made, infos)


def lowered(nodes: List[Any], infos: Infos) -> List[Any]:
    """The nodes, with those replaced that the simulator does not have; `infos` are types and shapes."""
    made: List[Any] = []
    for proto in nodes:
        replaces, parts = _RULES.get(proto.op_type, (None, None))
        if proto.domain == GRAPHCORE_DOMAIN and proto.op_type == "Call":
            made += _inlined(proto, infos)
            continue
        node = _Node(proto, infos)
        if proto.domain == GRAPHCORE_DOMAIN and replaces is not None and replaces(node):
            assert parts is not None
            made += node.nodes(parts(node))
        else:
            made.append(proto)
    return made


def statistics_of(nodes: List[Any]) -> set:
    """Operands of batch normalisations that are statistics, which training does not change."""
    return {name for node in nodes if node.op_type == "BatchNormalization" and not node.domain
            for name in list(node.input)[3:5]}
