"""Where the values of anchors come from, and the model that makes them."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy
import onnx
from onnx import helper, numpy_helper
from tilescope import _source_lines

from . import _trained_norms
from ._errors import popart_exception
from ._graph import Graph, copied
from ._lowered import lowered, statistics_of
from ._operators import GRAPHCORE_DOMAIN
from ._stages import add_stages
from ._tensors import TensorInfo

GRADIENT = "Gradient___"
ACCUMULATOR = "Accum___"
_PLACES = ("__ipu_number", "__pipeline_stage", "__execution_phase")


class Source(NamedTuple):
    """Where an anchor's values come from.

    Of `kind` "input": from the caller; "constant": from the model; "output": from the model's output
    `key`; "kept": from the gradient `key` of each micro-batch; "accumulated": from its sums.
    """
    kind: str
    key: str
    info: TensorInfo


class Anchored:
    """A model whose outputs are the anchors.

    Args:
        graph: the model.
        anchors: ids of the anchors.
        loss: in training, the id of the loss.

    Raises:
        popart_exception: naming an anchor that does not exist or is not simulated.
    """

    def __init__(self, graph: Graph, anchors: Sequence[str], loss: Optional[str]) -> None:
        self._graph = Graph()
        self._graph.load(graph.model)
        self._trains = loss is not None
        self._weights = {tensor.name for tensor in self._graph.model.graph.initializer}
        self._inputs = {value.name for value in self._graph.model.graph.input} - self._weights
        self.zeros: Dict[str, str] = {}  #: names of added zeros, by the tensor they are added to
        self.outputs: List[str] = []
        self.sources = {name: self._source(name) for name in anchors}
        self.loss = ""  #: the simulator's name of the loss
        if loss is not None:
            self.loss = self._behind_identities(loss)
            self._output(loss)
        elif not anchors:
            raise popart_exception("User must specify an anchor tensor when doing inference.")
        self._declare_outputs()

    @property
    def kept(self) -> List[str]:
        """Gradients that the simulator keeps."""
        return sorted({source.key for source in self.sources.values()
                       if source.kind in ("kept", "accumulated")})

    def serialized(self, shards: bool = False) -> bytes:
        """The model for the simulator, where `shards` of it take turns on a micro-batch."""
        model = onnx.ModelProto()
        model.CopyFrom(self._graph.model)
        nodes = lowered(list(model.graph.node), self._graph.infos)
        copies = [copied(node) for node in nodes]
        if shards:
            add_stages(copies)
        del model.graph.node[:]
        model.graph.node.extend(copies)
        _trained_norms.wrap(model)
        return bytes(model.SerializeToString())

    def source(self, anchors: Dict[str, _source_lines.Stack]) -> _source_lines.Source:
        """What the profile keeps of the script."""
        paths = _source_lines.paths_in(node.doc_string for node in self._graph.model.graph.node)
        return _source_lines.source(paths, anchors=anchors)

    def trained(self, weights: Sequence[str]) -> Optional[set]:
        """Weights that training changes, and the zeros, whose gradients it computes."""
        if not self._trains:
            return None
        fixed = statistics_of(list(self._graph.model.graph.node))
        return {*weights, *self.zeros.values()} - fixed

    def live_nodes(self) -> List[Any]:
        """Nodes that outputs depend on."""
        wanted, live = set(self.outputs), []
        for node in reversed(self._graph.model.graph.node):
            if wanted.intersection(node.output):
                live.append(node)
                wanted.update(node.input)
        return live

    def _info(self, name: str) -> TensorInfo:
        if name not in self._graph.infos:
            raise popart_exception(f"Anchor tensor '{name}' not found in the model")
        return self._graph.infos[name]

    def _source(self, name: str) -> Source:
        for prefix, kind in ((GRADIENT, "kept"), (ACCUMULATOR, "accumulated")):
            if name.startswith(prefix):
                return self._gradient(name[len(prefix):], kind)
        info = self._info(name)
        if name in self._inputs:
            return Source("input", name, info)
        if name in self._weights and info.is_real():
            return Source("output", self._output(self._read(name, info)), info)
        if name in self._graph.constants:
            return Source("constant", name, info)
        return Source("output", self._output(name), info)

    def constant(self, name: str) -> numpy.ndarray:
        """The value of a constant."""
        return numpy_helper.to_array(self._graph.constants[name])

    def _output(self, name: str) -> str:
        if name not in self.outputs:
            self.outputs.append(name)
        return name

    def _declare_outputs(self) -> None:
        outputs = self._graph.model.graph.output
        del outputs[:]
        outputs.extend(self._graph.infos[name].value_info(name) for name in self.outputs)

    def _gradient(self, name: str, kind: str) -> Source:
        if not self._trains:
            raise popart_exception(f"Anchor tensor '{GRADIENT}{name}' not found: there are no "
                                   "gradients in inference")
        info = self._info(name)
        if not info.is_real():
            raise popart_exception(f"Anchor tensor '{GRADIENT}{name}' not found: '{name}' is not of "
                                   "floating-point numbers")
        weight = name if name in self._weights else self._zero(name, info)
        return Source(kind, GRADIENT + weight, info)

    def _readers(self, name: str) -> List[Any]:
        return [node for node in self._graph.model.graph.node if name in node.input]

    def _insert(self, node: Any, reader: Optional[Any]) -> None:
        """Adds a node before its reader, on the same IPU."""
        if reader is not None:
            node.attribute.extend(a for a in reader.attribute if a.name in _PLACES)
        nodes = list(self._graph.model.graph.node)
        at = next((i for i, other in enumerate(nodes) if other is reader or other == reader),
                  len(nodes))
        nodes.insert(at, node)
        copies = [copied(each) for each in nodes]
        del self._graph.model.graph.node[:]
        self._graph.model.graph.node.extend(copies)

    def _read(self, weight: str, info: TensorInfo) -> str:
        """A result that is the weight as a micro-batch finds it."""
        made = self._graph.next_id(f"{weight}/read")
        self._graph.infos[made] = info
        self._graph.require(GRAPHCORE_DOMAIN, 1)
        readers = self._readers(weight)
        self._insert(helper.make_node("ReadVariable", [weight], [made], name=made,
                                      domain=GRAPHCORE_DOMAIN), readers[0] if readers else None)
        return made

    def _zero(self, name: str, info: TensorInfo) -> str:
        """Zeros added to a tensor: their gradient is the tensor's."""
        if name in self.zeros:
            return self.zeros[name]
        readers = self._readers(name)
        if not readers:
            raise popart_exception(f"Anchor tensor '{GRADIENT}{name}' not found: nothing reads "
                                   f"'{name}'")
        zero = self._graph.add_weight(numpy.zeros(info.shape(), info.numpy_type()), f"{name}/zero")
        total = self._graph.next_id(f"{name}/plus")
        self._graph.infos[total] = info
        add = helper.make_node("Add", [name, zero], [total], name=total)
        first = copied(readers[0])
        for reader in readers:
            reader.input[:] = [total if each == name else each for each in reader.input]
        first.input[:] = readers[0].input
        self._insert(add, first)
        self.zeros[name] = zero
        return zero

    def _behind_identities(self, name: str) -> str:
        """The simulator's name of a result: that of its operand for one that is only passed on."""
        for node in reversed(self._graph.model.graph.node):
            passes = node.op_type in ("Identity", "Nop") or (
                node.op_type == "IdentityLoss" and not self._info(node.input[0]).shape())
            if passes and node.output[0] == name:
                name = node.input[0]
        return name
