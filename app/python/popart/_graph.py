"""The ONNX model that a builder makes: tensors, nodes and their attributes."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Union

import onnx
from onnx import helper, numpy_helper
from tilescope import _source_lines

from . import _shapes
from ._errors import popart_exception
from ._operators import Operator
from ._tensors import TensorInfo, contiguous, info_of

Ids = Union[str, Iterable[str]]

#: The newest version of ONNX's file format that PopART writes.
_IR_VERSION = 4


def as_ids(ids: Ids) -> List[str]:
    """A list of ids, also of one."""
    return [ids] if isinstance(ids, str) else list(ids)


def copied(node: Any) -> Any:
    """A copy of a node, for another graph."""
    made = type(node)()
    made.CopyFrom(node)
    return made


class Graph:
    """The part of a model that one builder makes; builders of subgraphs know their parent."""

    def __init__(self, parent: Optional["Graph"] = None) -> None:
        self.model = onnx.ModelProto()
        self.model.ir_version = _IR_VERSION
        self.model.graph.name = "BuilderGraph"
        self.infos: Dict[str, TensorInfo] = {}
        self.constants: Dict[str, Any] = {}
        self.scopes: List[str] = []
        self.annotations: Dict[str, Any] = {}  #: attributes of all nodes made now
        self._parent = parent
        self._ids: set = parent._ids if parent else set()  # all builders share ids
        if parent:
            self.infos, self.constants = dict(parent.infos), dict(parent.constants)
            self.model.opset_import.extend(parent.model.opset_import)

    def load(self, model: onnx.ModelProto) -> None:
        """Continues a model made elsewhere."""
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        graph = self.model.graph
        for tensor in graph.initializer:
            self.constants[tensor.name] = tensor
            self._remember(tensor.name, TensorInfo(numpy_helper.to_array(tensor)))
        for value in graph.input:
            self._remember(value.name, info_of(value.type))
        for node in graph.node:
            self._infer(node)

    def _remember(self, name: str, info: Optional[TensorInfo]) -> None:
        self._ids.add(name)
        if info is not None:
            self.infos[name] = info

    def next_id(self, name: str, output: int = -1) -> str:
        """A new id in the present scope: "scope/Add:0", "scope/Add:0/1", ..."""
        base = "".join(f"{scope}/" for scope in self.scopes) + name
        if output >= 0:
            base += f":{output}"
        made, number = base, 0
        while made in self._ids:
            number += 1
            made = f"{base}/{number}"
        self._ids.add(made)
        return made

    def add_input(self, info: TensorInfo, name: str) -> str:
        """A graph input."""
        made = self.next_id(name)
        self.model.graph.input.append(info.value_info(made))
        self._remember(made, info)
        return made

    def add_weight(self, array: Any, name: str) -> str:
        """An initialiser, which is a graph input as well in PopART's version of ONNX."""
        values = contiguous(array)
        made = self.add_input(TensorInfo(values), name)
        tensor = numpy_helper.from_array(values, made)
        self.model.graph.initializer.append(tensor)
        self.constants[made] = self.model.graph.initializer[-1]
        return made

    def require(self, domain: str, version: int) -> None:
        """Declares an opset."""
        for opset in self.model.opset_import:
            if opset.domain == domain:
                if opset.version != version:
                    raise popart_exception(
                        f"Invalid opset {version} used to add an operation. Opset for domain "
                        f"{domain or 'ai.onnx'} already defined as {opset.version}")
                return
        self.model.opset_import.append(helper.make_opsetid(domain, version))

    def check_ids(self, operator: Operator, ids: List[str]) -> None:
        """Raises popart_exception for operands that do not exist, or too few or many of them."""
        least, most = operator.least_inputs, operator.most_inputs
        if not least <= len(ids) <= most:
            raise popart_exception(f"{operator.type} has invalid number of inputs {len(ids)}. Must "
                                   f"be between {least}..{most}")
        for name in ids:
            if name and name not in self._ids:
                known = ", ".join(sorted(self._ids))
                raise popart_exception(
                    f"Unknown tensor '{name}' (" +
                    (f"valid tensors are {known})." if known else "there are no valid tensors yet)."))

    def add_node(self, operator: Operator, inputs: List[str], count: int, attributes: List[Any],
                 name: str, version: int) -> List[str]:
        """A node with `count` results; returns their ids.

        Raises:
            popart_exception: for operands that do not suit the operator.
        """
        self.check_ids(operator, inputs)
        self.require(operator.domain, version)
        outputs = [self.next_id(operator.type, i) for i in range(count)]
        node = helper.make_node(operator.type, inputs, outputs, domain=operator.domain or None)
        if name or self.scopes:
            node.name = "/".join([*self.scopes, name or operator.type])
        if _source_lines.wanted() != "off":
            node.doc_string = _source_lines.documentation(_source_lines.here())
        node.attribute.extend(attributes)
        for key, value in self.annotations.items():
            node.attribute.append(helper.make_attribute(key, value))
        _shapes.complete(node, self.infos)
        self._infer(node)
        self.model.graph.node.append(node)
        return outputs

    def _infer(self, node: Any) -> None:
        try:
            found = _shapes.inferred(node, self.infos, self.constants,
                                     list(self.model.opset_import))
        except ValueError as error:
            raise popart_exception(str(error)) from None
        for name, info in zip(node.output, found):
            self._remember(name, info)
        if node.op_type == "Constant" and not node.domain:
            for attribute in node.attribute:
                if attribute.name == "value":
                    tensor = onnx.TensorProto()
                    tensor.CopyFrom(attribute.t)
                    tensor.name = node.output[0]
                    self.constants[node.output[0]] = tensor

    def node_of(self, ids: Ids) -> Any:
        """The node that makes these results, all of them."""
        wanted = set(as_ids(ids))
        for node in self.model.graph.node:
            if set(node.output) == wanted or (len(wanted) == 1 and wanted <= set(node.output)):
                return node
        raise popart_exception(f"Could not find a node with outputs {', '.join(sorted(wanted))}. "
                               "Must specify all outputs of a node")

    def attribute_of(self, name: str, ids: Ids) -> Any:
        """A node's attribute; None if it does not have it."""
        return next((a for a in self.node_of(ids).attribute if a.name == name), None)

    def annotate(self, ids: Ids, name: str, value: Any) -> None:
        """Gives a node an attribute."""
        node = self.node_of(ids)
        if any(attribute.name == name for attribute in node.attribute):
            raise popart_exception(f"Node already has attribute {name}.")
        node.attribute.append(helper.make_attribute(name, value))
