"""The builder of models."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy
import onnx

from ._annotations import Annotations
from ._errors import popart_exception, refused
from ._graph import Graph
from ._multi_conv import GraphcoreOpset
from ._operators import (GRAPHCORE_DOMAIN, ONNX_VERSIONS, Operator, graphcore_operators,
                         onnx_operators)
from ._opsets import Opset
from ._tensors import TensorInfo

defaultAiOnnxOpset = 10
defaultAiGraphcoreOpset = 1


def model_of(given: Union[bytes, str, os.PathLike, onnx.ModelProto]) -> onnx.ModelProto:
    """A model given as a serialised one, or as the name of its file.

    Raises:
        popart_exception: if it cannot be read.
    """
    if isinstance(given, onnx.ModelProto):
        return given
    try:
        if isinstance(given, bytes):
            return onnx.load_model_from_string(given)
        return onnx.load(os.fspath(given))
    except Exception as error:  # protobuf's own, which is of no public class
        raise popart_exception(f"Failed to load a ModelProto: {error}") from None


class Builder(Annotations):
    """Makes a model, an operation at a time.

    >>> builder = popart.Builder()
    >>> x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 8]))
    >>> y = builder.aiOnnx.relu([x])

    Args:
        modelProtoOrFilename: a model to continue.
        opsets: versions by domain, by default {"ai.onnx": 10, "ai.graphcore": 1}.
        builderCore: unused.
    """

    def __init__(self, modelProtoOrFilename: Any = None, opsets: Optional[Dict[str, int]] = None,
                 builderCore: Any = None, *, _parent: Optional["Builder"] = None) -> None:
        self._graph = Graph(_parent._graph if _parent else None)
        self._version: Optional[int] = opsets["ai.onnx"] if opsets else (
            _parent._version if _parent else None)
        if modelProtoOrFilename is not None:
            self._load(model_of(modelProtoOrFilename))
        if self._version is not None and self._version not in ONNX_VERSIONS:
            raise ValueError(f"Unsupported or unrecognized ai.Onnx version: {self._version}")
        self.aiGraphcore = GraphcoreOpset(self, "AiGraphcore", defaultAiGraphcoreOpset,
                                          graphcore_operators())
        self.aiGraphcoreOpset1 = self.aiGraphcore

    def _load(self, model: onnx.ModelProto) -> None:
        self._graph.load(model)
        for opset in model.opset_import:
            if opset.domain in ("", "ai.onnx"):
                self._version = opset.version

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("aiOnnx"):
            raise AttributeError(f"popart.Builder has no attribute '{name}'")
        return self._onnx(name)

    def _onnx(self, name: str) -> Opset:
        """The opset of ONNX; the first one that is used is that of the model."""
        wanted = name[len("aiOnnxOpset"):]
        version = (self._version or defaultAiOnnxOpset) if name == "aiOnnx" else (
            int(wanted) if wanted.isdecimal() else 0)
        if version not in ONNX_VERSIONS:
            raise AttributeError(f"popart.Builder has no opset '{name}'")
        if self._version is None:
            self._version = version
        if version != self._version:
            raise RuntimeError(f"Invalid opset '{name}' selected. Opset for domain ai.onnx already "
                               f"defined as {self._version}")
        return Opset(self, "AiOnnx", version, onnx_operators(version))

    def _add_node(self, operator: Operator, inputs: List[str], count: int, attributes: List[Any],
                  name: Any) -> List[str]:
        version = defaultAiGraphcoreOpset if operator.domain == GRAPHCORE_DOMAIN else (
            self._version or defaultAiOnnxOpset)
        return self._graph.add_node(operator, inputs, count, attributes, str(name), version)

    # Tensors

    def addInputTensor(self, *args: Any, **kwargs: Any) -> str:
        """An input of one micro-batch: addInputTensor(TensorInfo, name), or (type, shape, name);
        InputSettings may stand before the name, without effect."""
        names = [kwargs[key] for key in ("debugContext", "debugPrefix") if key in kwargs]
        given = [*args, *(kwargs[key] for key in ("tensorInfo", "dataType", "shape")
                          if key in kwargs)]
        if isinstance(given[0], TensorInfo):
            info, rest = given[0], given[1:]
        else:
            info, rest = TensorInfo(given[0], given[1]), given[2:]
        names += [item for item in rest if isinstance(item, str)]
        return self._graph.add_input(info, (names[0] if names else "") or "input")

    def addUntypedInputTensor(self, debugContext: str = "") -> str:
        """Refused: an input needs its element type and shape."""
        raise refused("addUntypedInputTensor", "give the input's type and shape to addInputTensor")

    def addInputTensorFromParentGraph(self, tensorId: str) -> None:
        """Reads a tensor of the builder around this one; it is there without this call."""
        if tensorId not in self._graph.infos:
            raise popart_exception(f"Failed to add unrecognised Tensor {tensorId} from higher scope")

    def addInitializedInputTensor(self, initVal: Any, *args: Any, **kwargs: Any) -> str:
        """A weight; training changes it if the loss depends on it."""
        settings = [*(a for a in args if not isinstance(a, str)),
                    *(kwargs[key] for key in ("variableSettings", ) if key in kwargs)]
        if any(getattr(setting, "is_grouped", False) for setting in settings):
            raise refused("a weight that differs between replicas",
                          "leave the VariableSettings out")
        names = [*(a for a in args if isinstance(a, str)),
                 *(kwargs[key] for key in ("debugContext", "debugPrefix") if key in kwargs)]
        return self._graph.add_weight(numpy.asarray(initVal), (names or [""])[0] or "init_input")

    def addOutputTensor(self, outputName: str) -> None:
        """Makes a tensor an output of the model."""
        graph = self._graph
        info = graph.infos.get(outputName)
        graph.model.graph.output.append(
            info.value_info(outputName) if info else
            onnx.helper.make_empty_tensor_value_info(outputName))

    def reshape_const(self, aiOnnx: Opset, args: Sequence[str], shape: Sequence[int],
                      debugContext: str = "") -> str:
        """A reshape to a constant shape."""
        constant = aiOnnx.constant(numpy.array(shape, numpy.int64), debugContext + "_const")
        return str(aiOnnx.reshape([args[0], constant], debugContext))

    def customOp(self, opName: str, opVersion: int, domain: str, inputs: Sequence[str],
                 attributes: Dict[str, Any], numOutputs: int = 1, name: str = "") -> List[str]:
        """An operation of another domain, which the environment variable TILESCOPE_CUSTOM_OPERATIONS
        declares (see `tilescope run --custom-operations`)."""
        operator = Operator(opName, domain, [], 0, len(inputs), numOutputs)
        made = [onnx.helper.make_attribute(key, value) for key, value in attributes.items()]
        return self._graph.add_node(operator, list(inputs), numOutputs, made, name, opVersion)

    def createSubgraphBuilder(self) -> "Builder":
        """A builder of a graph that an operation of this one contains."""
        return Builder(_parent=self)

    def setGraphName(self, name: str) -> None:
        """Names the graph."""
        self._graph.model.graph.name = name

    def _graph_proto(self) -> onnx.GraphProto:
        return self._graph.model.graph

    # What is known

    def getModelProto(self) -> bytes:
        """The model, serialised."""
        model = self._graph.model
        if not any(opset.domain in ("", "ai.onnx") for opset in model.opset_import):
            self._graph.require("", self._version or defaultAiOnnxOpset)
        return bytes(model.SerializeToString())

    def saveModelProto(self, filename: str) -> None:
        """Writes the model to a file."""
        with open(filename, "wb") as file:
            file.write(self.getModelProto())

    def saveInitializersExternally(self, ids: Sequence[str], filename: str) -> None:
        """Refused: weights stay in the model."""
        raise refused("saveInitializersExternally", "weights stay in the model")

    def getInputTensorIds(self) -> List[str]:
        """Ids of inputs and weights."""
        return [value.name for value in self._graph.model.graph.input]

    def getOutputTensorIds(self) -> List[str]:
        """Ids of outputs."""
        return [value.name for value in self._graph.model.graph.output]

    def getValueTensorIds(self) -> List[str]:
        """Ids of results of operations."""
        return [name for node in self._graph.model.graph.node for name in node.output]

    def getTrainableTensorIds(self) -> List[str]:
        """Ids of weights."""
        return [tensor.name for tensor in self._graph.model.graph.initializer]

    def isInitializer(self, id: str) -> bool:
        """Whether it is the id of a weight."""
        return id in self.getTrainableTensorIds()

    def _info(self, id: str) -> TensorInfo:
        if id not in self._graph.infos:
            raise popart_exception(f"{id} is not an known tensor. Must be one of "
                                   f"{' '.join(sorted(self._graph.infos))}")
        return self._graph.infos[id]

    def getTensorShape(self, id: str) -> List[int]:
        """The shape of a tensor."""
        return self._info(id).shape()

    def getTensorDtypeString(self, id: str) -> str:
        """The element type of a tensor, as numpy calls it."""
        return self._info(id).data_type_lcase()
