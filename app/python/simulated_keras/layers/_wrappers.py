"""Layers around a layer, and products of two operands."""
from __future__ import annotations

from typing import Any, Dict, Optional

from .. import _ops
from .._graph import Symbol
from .._layer import Layer


class TimeDistributed(Layer):
    """A layer applied to each step: steps and samples together are its batch."""
    supports_masking = True

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(layer, Layer):
            raise ValueError(f"Please initialize `TimeDistributed` layer with a `tf.keras.layers.Layer` instance. "
                             f"Received: {layer}")
        self.layer = layer

    def build(self, input_shape: Any) -> None:
        self.layer._build_for(_OfShape((None, *input_shape[2:])))
        self.built = True

    def call(self, inputs: Symbol, training: Optional[bool] = None) -> Any:
        batch, steps = inputs.shape[0], inputs.shape[1]
        flat = _ops.reshape(inputs, (batch * steps, *inputs.shape[2:]))
        y = self.layer(flat, training=training)
        return _ops.reshape(y, (batch, steps, *y.shape[1:]))

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "layer": {"class_name": type(self.layer).__name__,
                                                  "config": self.layer.get_config()}}


class _OfShape:
    """Stands for an operand while weights are made."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


class Dot(Layer):
    """Products of two operands along a dimension of each."""

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def call(self, inputs: Any) -> Any:
        x, y = inputs
        rank = len(x.shape)
        if rank not in (2, 3) or len(y.shape) != rank:
            raise TypeError("Dot: only operands of two or of three dimensions are simulated")
        given = [self.axes] * 2 if isinstance(self.axes, int) else list(self.axes)
        first, second = (axis % rank for axis in given)
        if self.normalize:
            x, y = _normalized(x, first), _normalized(y, second)
        if rank == 2:
            return _ops.reduce_sum(_ops.multiply(x, y), 1, True)
        x = x if first == 2 else _ops.swap_last(x)
        return _ops.matmul(x, _ops.swap_last(y) if second == 2 else y)


def _normalized(x: Symbol, axis: int) -> Any:
    squares = _ops.reduce_sum(_ops.square(x), axis, True)
    return _ops.divide(x, _ops.sqrt(_ops.maximum(squares, 1e-12)))
