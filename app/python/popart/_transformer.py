"""Changes of whole models before a session takes them."""
from __future__ import annotations

from typing import Any, Callable, Iterator, Sequence

import numpy
import onnx
from onnx import helper, numpy_helper

from ._builder import model_of
from ._errors import popart_exception, refused
from ._graph import copied
from ._tensors import TensorInfo

#: Conversions of all tensors of an element type.
_CONVERSIONS = {
    "convertFloatsToHalfs": ("FLOAT", "FLOAT16"),
    "convertDoublesToFloats": ("DOUBLE", "FLOAT"),
    "convertDoublesToHalfs": ("DOUBLE", "FLOAT16"),
    "convertUINT8ToINT32": ("UINT8", "INT32"),
    "convertUINT16ToINT32": ("UINT16", "INT32"),
    "convertINT8ToINT32": ("INT8", "INT32"),
    "convertINT16ToINT32": ("INT16", "INT32"),
}
#: A batch normalisation has so many outputs if it trains.
_TRAINED_OUTPUTS = 5


class GraphTransformer:
    """Changes a model, given serialised or as a file.

    >>> transformer = popart.GraphTransformer("model.onnx")
    >>> transformer.convertFloatsToHalfs()
    >>> builder = popart.Builder(transformer.getModelProto())
    """

    def __init__(self, modelProtoOrFilename: Any) -> None:
        self._model = onnx.ModelProto()
        self._model.CopyFrom(model_of(modelProtoOrFilename))

    def getModelProto(self) -> bytes:
        """The model, serialised."""
        return bytes(self._model.SerializeToString())

    def removeUnusedInputs(self) -> None:
        """Removes inputs and weights that no operation reads."""
        graph = self._model.graph
        read = {name for node in graph.node for name in node.input}
        for values in (graph.input, graph.initializer):
            for value in [value for value in values if value.name not in read]:
                values.remove(value)

    def prepareNodesForTraining(self) -> None:
        """Makes batch normalisations train with the statistics of their batch."""
        for node in self._model.graph.node:
            if node.op_type == "BatchNormalization" and not node.domain:
                first = node.output[0]
                node.output.extend(f"{first}/statistic{number}"
                                   for number in range(len(node.output), _TRAINED_OUTPUTS))

    def convertINT64ToINT32(self, clip: bool = False) -> None:
        """Makes inputs of the caller 32-bit whole numbers; those within the model have 32 bits on the
        device anyway."""
        weights = {tensor.name for tensor in self._model.graph.initializer}
        for value in self._model.graph.input:
            if value.name not in weights:
                _retype(value.type, onnx.TensorProto.INT64, onnx.TensorProto.INT32)

    def convertInitializersToConstants(self, ids: Sequence[str]) -> None:
        """Makes weights constants, which training does not change.

        Raises:
            popart_exception: for the id of no weight.
        """
        graph = self._model.graph
        weights = {tensor.name: tensor for tensor in graph.initializer}
        for name in ids:
            if name not in weights:
                raise popart_exception(f"'{name}' is not an initializer of the model")
        nodes = [helper.make_node("Constant", [], [name], name=name, value=weights[name])
                 for name in ids]
        nodes += [copied(node) for node in graph.node]
        del graph.node[:]
        graph.node.extend(nodes)
        for values in (graph.input, graph.initializer):
            for value in [value for value in values if value.name in ids]:
                values.remove(value)

    def convertAllFixedPointInitializersToConstants(self) -> None:
        """Makes all weights of whole numbers constants."""
        self.convertInitializersToConstants(
            [tensor.name for tensor in self._model.graph.initializer
             if numpy_helper.to_array(tensor).dtype.kind in "iu"])

    def saveInitializersExternally(self, ids: Sequence[str], filename: str) -> None:
        """Refused: weights stay in the model."""
        raise refused("saveInitializersExternally", "weights stay in the model")

    def _tensors(self) -> Iterator[Any]:
        yield from self._model.graph.initializer
        for node in self._model.graph.node:
            yield from (a.t for a in node.attribute if a.HasField("t"))

    def _convert(self, old: int, new: int, kind: numpy.dtype) -> None:
        graph = self._model.graph
        for tensor in self._tensors():
            if tensor.data_type == old:
                array = numpy_helper.to_array(tensor).astype(kind)
                tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        for values in (graph.input, graph.output, graph.value_info):
            for value in values:
                _retype(value.type, old, new)
        for node in graph.node:
            for attribute in node.attribute:
                if node.op_type == "Cast" and attribute.name == "to" and attribute.i == old:
                    attribute.i = new


def _retype(type_proto: Any, old: int, new: int) -> None:
    if type_proto.tensor_type.elem_type == old:
        type_proto.tensor_type.elem_type = new


def _conversion(name: str, old: str, new: str) -> Callable[[GraphTransformer], None]:
    before, after = TensorInfo(old, []), TensorInfo(new, [])

    def convert(self: GraphTransformer) -> None:
        self._convert(before.onnx_type(), after.onnx_type(), after.numpy_type())

    convert.__name__, convert.__doc__ = name, f"Makes all tensors of {old} ones of {new}."
    return convert


for _name, _types in _CONVERSIONS.items():
    setattr(GraphTransformer, _name, _conversion(_name, *_types))
