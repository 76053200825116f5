"""Masks: which steps of sequences count, and how recurrent layers leave the others out."""
from __future__ import annotations

from typing import Any

import numpy

from .. import _ops, _types
from .._graph import Graph, Symbol
from .._layer import Layer, as_float


def backwards(x: Symbol) -> Symbol:
    """The steps in the opposite order."""
    graph: Graph = x.graph
    first, axis, end = graph.integers([-1]), graph.integers([1]), graph.integers([-x.shape[1] - 1])
    return graph.emit("Slice", [x, first, end, axis, first], x.shape, x.dtype, "backwards")


def differs(x: Symbol, value: float) -> Symbol:
    """Where elements are not a value."""
    graph = x.graph
    same = _ops.equal(x, graph.constant(value, x.dtype))
    return graph.emit("Not", [same], x.shape, _types.bool_, "mask")


class Places:
    """The steps that count in each sequence, moved to its beginning and back.

    A recurrent layer that skips steps makes the same of the others as one that takes these first:
    what follows them is not looked at.
    """

    def __init__(self, mask: Symbol) -> None:
        graph = mask.graph
        batch, steps = (int(size) for size in mask.shape)
        kept = _ops.cast(mask, _types.float32)
        axis = graph.constant(numpy.int32(1))
        counts = graph.emit("CumSum", [kept, axis], kept.shape, kept.dtype, "count")
        number = numpy.arange(1, steps + 1, dtype=numpy.float32)
        rows = _ops.reshape(counts, (batch, steps, 1))
        at = _ops.equal(rows, number.reshape(1, 1, steps))
        #: [sequence, step, place]: where the last step that counts has gone; no one before the first
        self._last = _ops.cast(at, _types.float32)
        self._own = _ops.multiply(self._last, _ops.reshape(kept, (batch, steps, 1)))

    def packed(self, x: Symbol) -> Symbol:
        """The steps that count, one after the other, then zeros."""
        return _ops.matmul(self._own, x, transpose_a=True)

    def spread(self, y: Symbol) -> Symbol:
        """A result for each step: of the last one that counts, zeros before the first."""
        return _ops.matmul(self._last, y)


class Masking(Layer):
    """Steps whose features are all a value do not count in the layers that follow."""
    supports_masking = True

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        found = _ops.cast(differs(inputs, self.mask_value), _types.float32)
        return _ops.greater(_ops.reduce_max(found, -1), 0.0)

    def call(self, inputs: Symbol) -> Any:
        x = as_float(inputs)
        kept = _ops.cast(self.compute_mask(inputs, None), x.dtype)
        return _ops.multiply(x, _ops.expand_dims(kept, -1))

    def get_config(self) -> Any:
        return {**super().get_config(), "mask_value": self.mask_value}
