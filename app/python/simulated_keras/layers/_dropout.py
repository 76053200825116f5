"""What is random in training."""
from __future__ import annotations

import math
from typing import Any, Dict, Optional, Sequence

import numpy

from .. import _ops, _types
from .._graph import Symbol
from .._layer import Layer


class Dropout(Layer):
    """Zeros at random in training."""
    supports_masking = True

    def __init__(self, rate: float, noise_shape: Any = None, seed: Optional[int] = None,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate, self.noise_shape = rate, noise_shape

    def noise_of(self, shape: Sequence[int]) -> Sequence[int]:
        """The sizes of what is drawn at random; one that is 1 is shared along its dimension."""
        if self.noise_shape is None:
            return shape
        return [size if wanted is None else int(wanted) for size, wanted in zip(shape, self.noise_shape)]

    def call(self, inputs: Symbol, training: Optional[bool] = None) -> Any:
        if not training or not self.rate:
            return inputs
        graph = inputs.graph
        rate = graph.constant(self.rate, _types.float32)
        drawn = tuple(self.noise_of(inputs.shape))
        if graph.only_infers:
            return self._by_comparison(inputs, drawn)
        if drawn == tuple(inputs.shape):
            return graph.emit("Dropout", [inputs, rate], inputs.shape, inputs.dtype, "",
                              inputs.channels_first)
        ones = graph.constant(numpy.ones(drawn, numpy.float32))
        return _ops.multiply(inputs, graph.emit("Dropout", [ones, rate], drawn, ones.dtype, "kept"))

    def _by_comparison(self, inputs: Symbol, drawn: Sequence[int]) -> Any:
        """Where nothing is trained, the machine's dropout passes everything on."""
        graph = inputs.graph
        ones = graph.constant(numpy.ones(drawn, numpy.float32))
        noise = graph.emit("RandomUniformLike", [ones], drawn, ones.dtype, "noise")
        kept = _ops.cast(_ops.greater_equal(noise, self.rate), ones.dtype)
        return _ops.multiply(inputs, _ops.multiply(kept, 1 / (1 - self.rate)))

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "rate": self.rate}


class SpatialDropout2D(Dropout):
    """Zeros at random of whole channels."""

    def noise_of(self, shape: Sequence[int]) -> Sequence[int]:
        return [shape[0], *[1] * (len(shape) - 2), shape[-1]]


SpatialDropout1D = SpatialDropout3D = SpatialDropout2D


class GaussianNoise(Layer):
    """Noise added in training."""
    supports_masking = True

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs: Symbol, training: Optional[bool] = None) -> Any:
        return _ops.add(inputs, normal_like(inputs, 0.0, self.stddev)) if training else inputs


class GaussianDropout(Layer):
    """Factors around one in training, with the deviation of a dropout's."""
    supports_masking = True

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs: Symbol, training: Optional[bool] = None) -> Any:
        if not training or not self.rate:
            return inputs
        return _ops.multiply(inputs, normal_like(inputs, 1.0, math.sqrt(self.rate / (1 - self.rate))))


def normal_like(x: Symbol, mean: float, deviation: float) -> Symbol:
    """Random numbers of a normal distribution."""
    return x.graph.emit("RandomNormalLike", [x], x.shape, x.dtype, "noise", x.channels_first, mean=float(mean),
                        scale=float(deviation))
