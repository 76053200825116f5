"""Attributes with which a program places operations and says how they run."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Optional

from onnx import AttributeProto, helper

from ._enums import ENUMS
from ._errors import popart_exception
from ._graph import Graph, Ids, as_ids

_Recompute = ENUMS["RecomputeType"]

#: Attributes that are set for single operations, ``method(ids, value)``, or for all made in a
#: context, ``with method(value)``.
_PLACES = {
    "virtualGraph": "__ipu_number",
    "pipelineStage": "__pipeline_stage",
    "executionPhase": "__execution_phase",
    "recomputeOutput": "__recompute_output_in_backward_pass",
    "schedulePriority": "__schedule_priority",
}
#: Attributes of single operations only.
_OF_NODES = {
    "setAvailableMemoryProportion": "__available_memory",
    "setPartialsType": "__partials_type",
    "excludePatterns": "__exclude_patterns",
}
#: Suffixes of methods that read a node's attribute, by its type.
_READERS = {
    "Int64": AttributeProto.INT, "Int64Vector": AttributeProto.INTS,
    "Float": AttributeProto.FLOAT, "FloatVector": AttributeProto.FLOATS,
    "String": AttributeProto.STRING, "StringVector": AttributeProto.STRINGS,
    "Bool": AttributeProto.INT,
}


def _plain(value: Any) -> Any:
    """Enumerations as numbers."""
    return int(value) if isinstance(value, tuple(ENUMS.values())) else value


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value


class Annotations:
    """The builder's methods for attributes of operations."""

    _graph: Graph

    @contextlib.contextmanager
    def _within(self, name: str, value: Any) -> Iterator[None]:
        before = dict(self._graph.annotations)
        self._graph.annotations[name] = _plain(value)
        try:
            yield
        finally:
            self._graph.annotations = before

    def _mark(self, attribute: str, ids: Ids, value: Any) -> None:
        if isinstance(ids, str):
            self._graph.annotate(ids, attribute, _plain(value))
            return
        for one in {self._graph.node_of(i).output[0] for i in as_ids(ids)}:
            self._graph.annotate(one, attribute, _plain(value))

    @contextlib.contextmanager
    def nameScope(self, name: str) -> Iterator[None]:
        """Operations and tensors made within it have names that begin with "name/"."""
        self._graph.scopes.append(name)
        try:
            yield
        finally:
            self._graph.scopes.pop()

    def getNameScope(self, name: str = "") -> str:
        """A name within the present scopes."""
        return "".join(f"{scope}/" for scope in self._graph.scopes) + name

    @contextlib.contextmanager
    def outlineAttributes(self, attributes: Dict[str, Any]) -> Iterator[None]:
        """Only operations with the same attributes share a function."""
        with self._within("__outline_attribute", [f"{key}:{value}" for key, value in
                                                  attributes.items()]):
            yield

    def recomputeOutputInBackwardPass(self, ids: Ids,
                                      value: Any = _Recompute["Recompute"]) -> None:
        """Whether these results are computed again in the backward pass."""
        self._mark(_PLACES["recomputeOutput"], ids, value)

    def getRecomputeOutputInBackwardPass(self, ids: Ids) -> bool:
        """Whether :meth:`recomputeOutputInBackwardPass` has said so."""
        attribute = self._graph.attribute_of(_PLACES["recomputeOutput"], ids)
        return attribute is not None and attribute.i == _Recompute["Recompute"]

    def checkpointOutput(self, ids: List[str]) -> List[str]:
        """Keeps these results for the backward pass; use the ids that are returned instead."""
        kept = []
        for one in ids:
            made = self.aiOnnx.identity([one], "Checkpoint")  # type: ignore[attr-defined]
            self._mark(_PLACES["recomputeOutput"], made, _Recompute["Checkpoint"])
            kept.append(made)
        return kept

    def getPartialsType(self, ids: Ids) -> str:
        """The type of partial sums: that of :meth:`setPartialsType`, or FLOAT."""
        attribute = self._graph.attribute_of(_OF_NODES["setPartialsType"], ids)
        return "FLOAT" if attribute is None else str(attribute.s.decode())

    def setSerializeMatMul(self, ids: Ids, mode: str, factor: int = 0,
                           keep_precision: bool = False) -> None:
        """Splits a product into several, one after the other; without effect."""
        self._mark("__serialize_matmul_mode", ids, mode)
        self._mark("__serialize_matmul_factor", ids, factor)
        self._mark("__serialize_matmul_keep_precision", ids, int(keep_precision))

    def setInplacePreferences(self, ids: Ids, preferences: Dict[str, float]) -> None:
        """Which variants in place are preferred; without effect."""

    def addNodeAttribute(self, attributeName: str, attributeValue: Any,
                         nodeOutputNames: Ids) -> None:
        """Gives the node that makes these tensors an attribute."""
        self._graph.annotate(nodeOutputNames, attributeName, _plain(attributeValue))

    def nodeHasAttribute(self, attributeName: str, nodeOutputNames: Ids) -> bool:
        """Whether the node has an attribute."""
        return self._graph.attribute_of(attributeName, nodeOutputNames) is not None

    def getAllNodeAttributeNames(self, nodeOutputNames: Ids) -> List[str]:
        """Names of a node's attributes."""
        return [attribute.name for attribute in self._graph.node_of(nodeOutputNames).attribute]

    def removeNodeAttribute(self, attributeName: str, nodeOutputNames: Ids) -> None:
        """Takes an attribute from a node."""
        attribute = self._graph.attribute_of(attributeName, nodeOutputNames)
        if attribute is None:
            raise popart_exception(
                f"Cannot remove attribute {attributeName} as it does not exist.")
        self._graph.node_of(nodeOutputNames).attribute.remove(attribute)

    def _read(self, kind: Optional[int], name: str, ids: Ids) -> Any:
        attribute = self._graph.attribute_of(name, ids)
        if attribute is None:
            raise popart_exception(f"Node does not have an attribute {name}.")
        if kind is not None and attribute.type != kind:
            wanted = AttributeProto.AttributeType.Name(kind).lower()
            raise popart_exception(f"Attribute {name} is not of type {wanted}.")
        return _text(helper.get_attribute_value(attribute))

    def _place(self, name: str, ids: Optional[Ids]) -> int:
        if ids is not None:
            return int(self._read(None, name, ids))
        if name not in self._graph.annotations:
            raise popart_exception(f"Attribute {name} not found")
        return int(self._graph.annotations[name])


def _placing(attribute: str) -> Callable[..., Any]:
    def place(self: Annotations, ids: Any = 0, value: Any = None) -> Any:
        if value is None and not isinstance(ids, (str, set, list, tuple)):
            return self._within(attribute, ids)
        return self._mark(attribute, ids, 0 if value is None else value)

    return place


def _marking(attribute: str) -> Callable[..., None]:
    def mark(self: Annotations, nodeOutputName: Ids, value: Any) -> None:
        self._mark(attribute, nodeOutputName, value)

    return mark


def _reading(kind: int) -> Callable[..., Any]:
    def read(self: Annotations, attributeName: str, nodeOutputNames: Ids) -> Any:
        return self._read(kind, attributeName, nodeOutputNames)

    return read


def _getting(attribute: str) -> Callable[..., int]:
    return lambda self, ids=None: self._place(attribute, ids)


def _having(attribute: str) -> Callable[..., bool]:
    return lambda self: attribute in self._graph.annotations


def _add(name: str, method: Callable[..., Any], says: str) -> None:
    method.__name__, method.__doc__ = name, says
    setattr(Annotations, name, method)


for _name, _attribute in _PLACES.items():
    _title = _name[0].upper() + _name[1:]
    _add(_name, _placing(_attribute), f"Sets {_attribute} of operations, or of all in a context.")
    _add(f"get{_title}", _getting(_attribute), f"The {_attribute} of a node, or of the context.")
    _add(f"has{_title}", _having(_attribute), f"Whether the context sets {_attribute}.")
for _name, _attribute in _OF_NODES.items():
    _add(_name, _marking(_attribute), f"Sets {_attribute} of an operation.")
for _name, _kind in _READERS.items():
    _add(f"get{_name}NodeAttribute", _reading(_kind), "The value of a node's attribute.")
