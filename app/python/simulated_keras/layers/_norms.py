"""Normalisations."""
from __future__ import annotations

from typing import Any, Dict, Optional

import numpy

from .._graph import Packing, Symbol
from .._layer import Layer, as_float

_FUSED = (4, 5)  #: numbers of dimensions for which BatchNormalization is one operator in Keras 2.6


def _one_axis(axis: Any) -> int:
    return int(axis[0]) if isinstance(axis, (list, tuple)) else int(axis)


class BatchNormalization(Layer):
    """Statistics of each channel over the batch, and moving ones in inference."""
    supports_masking = True

    def __init__(self, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3,
                 center: bool = True, scale: bool = True, beta_initializer: Any = "zeros",
                 gamma_initializer: Any = "ones", moving_mean_initializer: Any = "zeros",
                 moving_variance_initializer: Any = "ones", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.momentum, self.epsilon = _one_axis(axis), momentum, epsilon
        self._initial = {"gamma": (gamma_initializer, scale), "beta": (beta_initializer, center),
                         "moving_mean": (moving_mean_initializer, False),
                         "moving_variance": (moving_variance_initializer, False)}
        self._kept = (scale, center)

    def build(self, input_shape: Any) -> None:
        if self.axis not in (-1, len(input_shape) - 1):
            raise TypeError(f"BatchNormalization: axis {self.axis} is not simulated; the channels "
                            "are last")
        for name, (initializer, trained) in self._initial.items():
            setattr(self, name, self.add_weight(name, (input_shape[-1], ), initializer=initializer,
                                                trainable=trained))
        self.built = True

    def _all(self) -> Any:
        """Without the scale and offset that are left out; the machine has them as constants."""
        left_out = [name for name, kept in zip(("gamma", "beta"), self._kept) if not kept]
        hidden = {id(getattr(self, name)) for name in left_out if self.built}
        return [entry for entry in super()._all() if id(entry[0]) not in hidden]

    def call(self, inputs: Symbol, training: Optional[bool] = None) -> Any:
        graph = inputs.graph
        x = graph.channels_first(as_float(inputs))
        names = ("gamma", "beta", "moving_mean", "moving_variance")
        trains = training and self.trainable
        parts = [graph.symbol(getattr(self, name)) for name in names[:3]]
        parts.append(self._moving_variance(x) if trains else graph.symbol(self.moving_variance))
        operands = [x.value, *[part.value for part in parts]]
        if not trains:
            return graph.emit("BatchNormalization", operands, x.shape, x.dtype, "",
                              x.channels_first, epsilon=float(self.epsilon))
        made = graph.emit_all("BatchNormalization", operands, 3, epsilon=float(self.epsilon),
                              momentum=float(self.momentum), training_mode=1)
        graph.moving.update(part.value for part in parts[2:])
        return Symbol(graph, made[0], x.shape, x.dtype, x.channels_first)

    def _moving_variance(self, x: Symbol) -> Symbol:
        """Of the batch itself, except of images and volumes, which TensorFlow's fused operator takes;
        the machine's is an estimate from n samples, larger by n / (n - 1)."""
        count = int(numpy.prod(x.shape)) // int(x.shape[-1])
        share = 1.0 if len(x.shape) in _FUSED or count < 2 else (count - 1) / count
        packing = Packing((self.moving_variance, ), lambda arrays: arrays[0] / numpy.float32(share),
                          lambda array: [array * numpy.float32(share)])
        return x.graph.weight(packing, self.moving_variance.shape)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "axis": [self.axis], "momentum": self.momentum,
                "epsilon": self.epsilon, "scale": self._kept[0], "center": self._kept[1]}


SyncBatchNormalization = BatchNormalization


class LayerNormalization(Layer):
    """Statistics of the last dimension."""
    supports_masking = True

    def __init__(self, axis: Any = -1, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
                 beta_initializer: Any = "zeros", gamma_initializer: Any = "ones", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon = _one_axis(axis), epsilon
        self._initial, self._kept = (gamma_initializer, beta_initializer), (scale, center)
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        if self.axis not in (-1, len(input_shape) - 1):
            raise TypeError("LayerNormalization: only the last axis is simulated")
        shape = (input_shape[-1], )
        if self._kept[0]:
            self.gamma = self.add_weight("gamma", shape, initializer=self._initial[0])
        if self._kept[1]:
            self.beta = self.add_weight("beta", shape, initializer=self._initial[1])
        self.built = True

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        x = graph.plain(as_float(inputs))
        width = int(x.shape[-1])
        parts = [numpy.ones(width, numpy.float32) if self.gamma is None else self.gamma,
                 numpy.zeros(width, numpy.float32) if self.beta is None else self.beta]
        operands = [x, *[graph.symbol(part) for part in parts]]
        return graph.emit("LayerNormalization", operands, x.shape, x.dtype, axis=-1,
                          epsilon=float(self.epsilon))


class GroupNormalization(Layer):
    """Statistics of groups of channels."""
    supports_masking = True

    def __init__(self, groups: int = 32, channels_axis: int = -1, epsilon: float = 1e-3,
                 axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.groups, self.epsilon = groups, epsilon
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        channels = input_shape[-1]
        self.groups = channels if self.groups == -1 else self.groups
        self.gamma = self.add_weight("gamma", (channels, ), initializer="ones")
        self.beta = self.add_weight("beta", (channels, ), initializer="zeros")
        self.built = True

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        x = graph.channels_first(as_float(inputs))
        operands = [x, graph.symbol(self.gamma), graph.symbol(self.beta)]
        return graph.emit("ai.graphcore/GroupNormalization", operands, x.shape, x.dtype, "",
                          x.channels_first, num_groups=self.groups, epsilon=float(self.epsilon))


GroupNorm = GroupNormalization
