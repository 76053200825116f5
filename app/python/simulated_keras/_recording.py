"""The programs of fit(), evaluate() and predict(), recorded from a model."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple

import numpy

from . import _nest, _ops, _types
from ._data import Batch
from ._graph import Graph, Symbol, in_stage
from ._layer import Layer, training_mode
from ._program import mark_loss
from .layers._window import _Spatial


class Recorded(NamedTuple):
    """A graph with the names of its inputs, in the order of a batch's leaves."""
    graph: Graph
    inputs: List[str]
    results: Any  #: the model's results, nested


def takes_images(layer: Layer) -> bool:
    """Whether a layer or one within it slides a window: images come with their channels first."""
    return isinstance(layer, _Spatial) or any(takes_images(part) for part in layer._parts)


def _declare(graph: Graph, names: List[str], value: Any) -> Any:
    """Inputs for arrays of a micro-batch."""
    rest = iter(names)

    def one(array: numpy.ndarray) -> Symbol:
        return graph.input(next(rest), array.shape, _types.dtype_of(array.dtype))

    return _nest.map_structure(one, value)


def call_model(model: Any, x: Any, training: bool) -> Any:
    """The model's results, named without the model itself."""
    model._build_for(x)
    kwargs = {"training": training} if "training" in model._call_arguments() else {}
    with training_mode(training):
        return model.call(x, **kwargs)


def record(model: Any, mode: str, sample: Batch, last_stage: Any, share: float = 1.0) -> Recorded:
    """Records a micro-batch; the results are those of the model, or loss and metrics. Training
    minimises a share of the loss, which is what is returned then."""
    graph = Graph(model.name, mode == "train", takes_images(model))
    with graph.active():
        x = _declare(graph, model._input_names(len(_nest.flatten(sample.x))), sample.x)
        given = list(graph.inputs)
        results = call_model(model, x, mode == "train")
        with in_stage(last_stage):
            if mode == "predict":
                for leaf in _nest.flatten(results):
                    graph.output(leaf)
            else:
                graph.images_first = False
                given += _add_loss(graph, model, results, sample, share)
    return Recorded(graph, given, results)


def _add_loss(graph: Graph, model: Any, results: Any, sample: Batch, share: float) -> List[str]:
    """Makes loss and metrics the outputs; the names of the inputs for labels."""
    before = set(graph.inputs)
    labels = _declare(graph, ["labels"] * len(_nest.flatten(sample.y)), sample.y)
    weights = None if sample.weights is None else _declare(
        graph, ["sampleWeights"] * len(_nest.flatten(sample.weights)), sample.weights)
    with graph.scope("loss"):
        loss = model._total_loss(labels, results, weights)
        for penalty in graph.penalties.values():
            loss = _ops.add(loss, penalty)
        loss = loss if share == 1 else _ops.multiply(loss, share)
    graph.outputs.append(mark_loss(graph, loss))
    for name, metric in model._metric_values(labels, results, weights).items():
        with graph.scope(name):
            graph.output(metric)
    return [name for name in graph.inputs if name not in before]


def key_of(sample: Batch) -> Dict[str, Any]:
    """What a program depends on: shapes and types of a micro-batch."""
    return {"shapes": [None if leaf is None else (leaf.shape, leaf.dtype.name)
                       for leaf in _nest.flatten(list(sample))]}
