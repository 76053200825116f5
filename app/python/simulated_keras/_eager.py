"""Layers that are called on values: a program for that call alone."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy

from . import _nest, _types
from ._data import array_of
from ._graph import Graph
from ._program import Program
from ._recording import takes_images
from ._tensor import Tensor, Variable


def _is_value(leaf: Any) -> bool:
    return isinstance(leaf, (numpy.ndarray, Tensor, Variable))


def _cache_of(layer: Any) -> Dict[str, Any]:
    cache: Dict[str, Any] = layer.__dict__.setdefault("_eager_programs", {})
    return cache


def run_layer(layer: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """The results of a layer for arrays; in training mode, too, nothing is trained."""
    leaves = [array_of(leaf) for leaf in _nest.flatten([list(args), kwargs]) if _is_value(leaf)]
    training = bool(kwargs.get("training", False))
    key = f"{[(leaf.shape, leaf.dtype.name) for leaf in leaves]} {training}"
    cache = _cache_of(layer)
    if key not in cache:
        cache[key] = _recorded(layer, args, kwargs, training)
    program, names, results = cache[key]
    made = program.run(dict(zip(names, [leaf[None] for leaf in leaves])), [0])
    return _nest.pack(results, [Tensor(array[0]) for array in made])


def _recorded(layer: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], training: bool) -> Any:
    graph = Graph(layer.name, False, takes_images(layer))
    graph.only_infers = True
    names: List[str] = []

    def declare(leaf: Any) -> Any:
        if not _is_value(leaf):
            return leaf
        array = array_of(leaf)
        x = graph.input("x", array.shape, _types.dtype_of(array.dtype))
        names.append(x.value)
        return x

    with graph.active():
        own = _nest.map_structure(declare, list(args))
        results = layer(*own, **_nest.map_structure(declare, kwargs))
        for leaf in _nest.flatten(results):
            graph.output(leaf)
    return Program(graph, layer.name, {"mode": "inference"}), names, results
