"""keras.Model in its three forms: functional, sequential and subclassed."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy

from . import _nest, _types
from ._data import Batch
from ._errors import NotSimulated
from ._functional import Input, InputLayer, KerasTensor, Network, Node, network
from ._graph import Graph, in_stage
from ._layer import Layer, unique_name
from ._lines import said_at
from ._model_files import load_model as _load_model
from ._model_files import save_model
from ._recording import call_model
from ._saving import load_weights, save_weights
from ._stages import (Called, FunctionalLayerPipelineStageAssignment, LayerPipelineStageAssignment)
from ._summary import print_model
from ._training import Training


class Model(Layer, Training):
    """A model; with inputs and outputs a functional one."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        functional = cls is Model and (args or "inputs" in kwargs)
        return super().__new__(Functional if functional else cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name, trainable = kwargs.pop("name", None), kwargs.pop("trainable", True)
        Layer.__init__(self, trainable=trainable, name=name, dtype=kwargs.pop("dtype", None))
        self._seen_shapes: Any = None
        self._called_stages: Set[Optional[int]] = set()  #: of the operations, in a subclass' call()
        self._set_up_training()
        if kwargs or any(arg is not self for arg in args):
            raise NotSimulated(f"{type(self).__name__}: a subclass that is given inputs and outputs")

    @property
    def layers(self) -> List[Layer]:
        """The layers of the model itself."""
        return list(self._parts)

    def get_layer(self, name: Optional[str] = None, index: Optional[int] = None) -> Layer:
        """A layer by name or number."""
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}.")

    def build(self, input_shape: Any = None) -> None:
        """Makes the weights by recording a call; `input_shape` has the batch in front."""
        if input_shape is None:
            raise ValueError("Input shape must be defined when calling build on a model")
        several = isinstance(input_shape, list) and isinstance(input_shape[0], (list, tuple))
        shapes = input_shape if several else [input_shape]
        kinds = [_types.DType(self.dtype)] * len(shapes)
        self._record_once([tuple(size or 1 for size in shape) for shape in shapes], kinds, several)
        self._seen_shapes = input_shape

    def _record_once(self, shapes: Sequence[Any], kinds: Sequence[Any], several: bool) -> None:
        graph = Graph("build")
        with graph.active():
            inputs = [graph.input("x", shape, kind) for shape, kind in zip(shapes, kinds)]
            call_model(self, inputs if several else inputs[0], False)
        self._called_stages = graph.stages()

    def _build_for(self, inputs: Any) -> None:
        """Layers make their weights when they are called."""
        self.built = True

    def _build_on(self, sample: Batch) -> None:
        """Makes the weights for such data, if they are not there yet."""
        if self._is_complete():
            return
        leaves = _nest.flatten(sample.x)
        nested = _nest.is_nested(sample.x)
        self._seen_shapes = [(None, *leaf.shape[1:]) for leaf in leaves] if nested else (
            None, *leaves[0].shape[1:])
        graph = Graph("build")
        with graph.active():
            x = _nest.map_structure(
                lambda leaf: graph.input("x", leaf.shape, _types.dtype_of(leaf.dtype)), sample.x)
            call_model(self, x, False)
        self._called_stages = graph.stages()

    def _is_complete(self) -> bool:
        return self._seen_shapes is not None

    def _input_names(self, count: int) -> List[str]:
        return [f"input_{number + 1}" for number in range(count)]

    def summary(self, line_length: Optional[int] = None, positions: Any = None,
                print_fn: Any = None, **unused: Any) -> None:
        """Prints the layers with the shapes of their results and their numbers of weights."""
        if not self._is_complete():
            raise ValueError("This model has not yet been built. Build the model first by calling "
                             "`build()` or by calling the model on a batch of data.")
        print_model(self, line_length, positions, print_fn)

    def save_weights(self, filepath: Any, overwrite: bool = True, **unused: Any) -> None:
        """Writes the values of all variables to a file, .npz or .h5."""
        save_weights(self, os.fspath(filepath))

    def load_weights(self, filepath: Any, **unused: Any) -> None:
        """Reads them again."""
        load_weights(self, os.fspath(filepath))

    def save(self, filepath: Any, overwrite: bool = True, include_optimizer: bool = True,
             **unused: Any) -> None:
        """Writes layers, weights and how the model is compiled to a folder or a .keras file."""
        save_model(self, os.fspath(filepath), include_optimizer)

    def _calls(self) -> List[Called]:
        """Stages as call() has them, with the model in place of its layers."""
        return [Called(self, stage, []) for stage in sorted(
            self._called_stages, key=lambda stage: -1 if stage is None else stage)]

    # Stages

    def get_pipeline_stage_assignment(self) -> List[Any]:
        """Objects that say which stage a layer's call is in."""
        raise NotSimulated("stage assignments of a subclassed model are not simulated; use "
                           "PipelineStage")

    def set_pipeline_stage_assignment(self, pipeline_stage_assignment: Any) -> None:
        """Takes such objects back."""
        self.get_pipeline_stage_assignment()


class Functional(Model):
    """A model between some inputs and outputs."""

    def __init__(self, inputs: Any = None, outputs: Any = None, name: Optional[str] = None,
                 trainable: bool = True, **unused: Any) -> None:
        super().__init__(name=name or unique_name("model"), trainable=trainable)
        self._nested_inputs, self._nested_outputs = inputs, outputs
        self._network: Network = network(_nest.flatten(inputs), outputs)
        self._parts = self._network.layers()
        self.built = True

    inputs = property(lambda self: self._network.inputs)
    outputs = property(lambda self: _nest.flatten(self._nested_outputs))
    input = property(lambda self: self._nested_inputs)
    output = property(lambda self: self._nested_outputs)
    input_names = property(lambda self: [x.node.layer.name for x in self.inputs])
    output_names = property(lambda self: [x.node.layer.name for x in self.outputs])

    def _is_complete(self) -> bool:
        return True

    def build(self, input_shape: Any = None) -> None:
        """Nothing: the weights are there."""

    def _input_names(self, count: int) -> List[str]:
        return list(self.input_names)

    def call(self, inputs: Any, training: Optional[bool] = None) -> Any:
        """Repeats the layers' calls."""
        if isinstance(inputs, dict):
            inputs = [inputs[name] for name in self.input_names]
        values = _nest.flatten(inputs)
        if len(values) != len(self.inputs):
            raise ValueError(f'Layer "{self.name}" expects {len(self.inputs)} input(s), but it '
                             f"received {len(values)} input tensors.")
        return self._network.run(values, training)

    def _nodes_run(self) -> List[Node]:
        return [node for node in self._network.nodes if not isinstance(node.layer, InputLayer)]

    def _calls(self) -> List[Called]:
        return [Called(node.layer, node.stage, [x.node.layer for x in node.tensors()])
                for node in self._nodes_run()]

    def get_pipeline_stage_assignment(self) -> List[Any]:
        """An object for each call, in the order of execution."""
        return [FunctionalLayerPipelineStageAssignment(node.layer, node.index, node.stage)
                for node in self._nodes_run()]

    def set_pipeline_stage_assignment(self, pipeline_stage_assignment: Any) -> None:
        """Takes the objects back."""
        given = list(pipeline_stage_assignment)
        nodes = self._nodes_run()
        if len(given) != len(nodes):
            raise _length_error(len(given), len(nodes))
        if not all(isinstance(entry, FunctionalLayerPipelineStageAssignment) for entry in given):
            raise ValueError("All elements of `pipeline_stage_assignment` must be instances of "
                             "FunctionalLayerPipelineStageAssignment.")
        stages = {(entry.layer, entry.node_index): entry.pipeline_stage for entry in given}
        for node in nodes:
            node.stage = stages[node.layer, node.index]
        self._reset_programs()
        self._stages()

    def reset_pipeline_stage_assignment(self) -> None:
        """Forgets all stages."""
        for node in self._nodes_run():
            node.stage = None
        self._reset_programs()


def _length_error(given: int, wanted: int) -> ValueError:
    return ValueError(f"The length of the provided `pipeline_stage_assignment` ({given}) does not "
                      f"match the number of layers in the model ({wanted}).")


class Sequential(Model):
    """One layer after the other."""

    def __init__(self, layers: Optional[Sequence[Any]] = None, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self._layer_stages: Dict[Layer, Optional[int]] = {}
        self._entry: Optional[KerasTensor] = None
        for layer in layers or []:
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Appends a layer, or says what comes in."""
        if isinstance(layer, KerasTensor) and isinstance(layer.node.layer, InputLayer):  # type: ignore
            layer = layer.node.layer  # type: ignore[union-attr]
        if isinstance(layer, InputLayer):
            self._entry, self._seen_shapes = layer.tensor, layer.tensor.shape
            return
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Received: {layer}")
        if not self._parts and self._entry is None and layer._batch_input_shape is not None:
            kind = "int32" if type(layer).__name__ == "Embedding" else layer.dtype
            self._entry = Input(batch_shape=layer._batch_input_shape, dtype=kind)
            self._seen_shapes = self._entry.shape
        self._parts.append(layer)
        self._layer_stages[layer] = layer._stage
        self._reset_programs()
        if self._entry is not None:
            self._connect()

    def pop(self) -> None:
        """Drops the last layer."""
        self._layer_stages.pop(self._parts.pop())
        self._reset_programs()

    def _connect(self) -> Any:
        """The layers' results for the known input, which makes their weights."""
        assert self._entry is not None
        return self.call(self._entry)

    def build(self, input_shape: Any = None) -> None:
        if input_shape is not None and self._entry is None:
            self._entry = Input(batch_shape=input_shape)
            self._seen_shapes = self._entry.shape
            self._connect()

    def _build_on(self, sample: Batch) -> None:
        """The first data say what comes in."""
        if self._entry is None:
            leaf = _nest.flatten(sample.x)[0]
            self._entry = Input(shape=leaf.shape[1:], dtype=leaf.dtype)
            self._seen_shapes = self._entry.shape
            self._connect()

    def call(self, inputs: Any, training: Optional[bool] = None) -> Any:
        """The layers one after the other."""
        x = inputs
        for layer in self._parts:
            kwargs = {}
            if training is not None and "training" in layer._call_arguments():
                kwargs["training"] = training
            with in_stage(self._layer_stages[layer]), said_at(layer.made_at):
                x = layer(x, **kwargs)
        return x

    @property
    def inputs(self) -> Any:
        """What comes in, if it is known."""
        return None if self._entry is None else [self._entry]

    @property
    def outputs(self) -> Any:
        """What goes out, if it is known."""
        return None if self._entry is None else [self._connect()]

    input = property(lambda self: self._entry)
    output = property(lambda self: self._connect())

    def _calls(self) -> List[Called]:
        before = [None, *self._parts[:-1]]
        return [Called(layer, self._layer_stages[layer], [] if last is None else [last])
                for layer, last in zip(self._parts, before)]

    def get_pipeline_stage_assignment(self) -> List[Any]:
        """An object for each layer."""
        return [LayerPipelineStageAssignment(layer, self._layer_stages[layer])
                for layer in self._parts]

    def set_pipeline_stage_assignment(self, pipeline_stage_assignment: Any) -> None:
        """A stage for each layer, as numbers or objects."""
        given: List[Any] = list(pipeline_stage_assignment)
        if len(given) != len(self._parts):
            raise _length_error(len(given), len(self._parts))
        for layer, entry in zip(self._parts, given):
            stage = entry if isinstance(entry, (int, numpy.integer)) else entry.pipeline_stage
            self._layer_stages[layer] = None if stage is None else int(stage)
        self._reset_programs()
        self._stages()

    def reset_pipeline_stage_assignment(self) -> None:
        """Forgets all stages."""
        self._layer_stages = {layer: None for layer in self._parts}
        self._reset_programs()


def shapes_of(layer: Layer) -> Tuple[Any, ...]:
    """The shapes of the results of a layer's last call; empty if there was none."""
    if not layer._nodes:
        return ()
    results = _nest.flatten(layer._nodes[-1].results)
    return tuple(tuple(x.shape) for x in results)


def load_model(filepath: Any, custom_objects: Any = None, compile: bool = True,  # noqa: A002
               **unused: Any) -> Any:
    """A model of Model.save(), compiled as it was."""
    return _load_model(os.fspath(filepath), dict(custom_objects or {}), compile)
