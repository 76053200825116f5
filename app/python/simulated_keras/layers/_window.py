"""Sliding windows: convolutions and pools in one, two and three dimensions."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple, Union

from .. import _ops, _types, activations
from .._graph import Graph, Packing, Symbol
from .._layer import Layer, as_float, refuse_extras
from ._dense import activated

Sizes = Union[int, Sequence[int]]


def sizes(value: Sizes, count: int) -> Tuple[int, ...]:
    """One number for each dimension."""
    return (int(value), ) * count if isinstance(value, int) else tuple(int(v) for v in value)


class Window(NamedTuple):
    """Where a window stands, and how many places it has."""
    pads: List[int]  #: before in each dimension, then after
    output: Tuple[int, ...]


def window(spatial: Sequence[int], size: Sequence[int], strides: Sequence[int],
           dilations: Sequence[int], padding: str) -> Window:
    """Padding as TensorFlow defines it: "same" puts the odd zero behind."""
    before, after, output = [], [], []
    for length, width, stride, dilation in zip(spatial, size, strides, dilations):
        reach = (width - 1) * dilation + 1
        missing = 0
        if padding == "same":
            missing = max((-(-length // stride) - 1) * stride + reach - length, 0)
        elif padding == "causal":
            missing = reach - 1
        front = missing if padding == "causal" else missing // 2
        if length + missing < reach:
            raise ValueError(f"Negative dimension size caused by subtracting {reach} from {length}")
        before.append(front)
        after.append(missing - front)
        output.append((length + missing - reach) // stride + 1)
    return Window(before + after, tuple(output))


class _Spatial(Layer):
    """Base of layers over images; `data_format` says where the channels are."""
    rank = 2

    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last"):
            raise TypeError(f"{type(self).__name__}: data_format '{data_format}' is not simulated; "
                            "leave it out (the machine has its channels first in any case)")

    def image(self, inputs: Symbol) -> Tuple[Graph, Symbol, Tuple[int, ...], int]:
        """Graph, operand with channels first, its spatial sizes and its channels."""
        if len(inputs.shape) != self.rank + 2:
            raise ValueError(f"Input 0 of layer {self.name} is incompatible with the layer: expected "
                             f"ndim={self.rank + 2}, found ndim={len(inputs.shape)}. Full shape "
                             f"received: {tuple(inputs.shape)}")
        graph = inputs.graph
        x = graph.channels_first(as_float(inputs))
        return graph, x, tuple(x.shape[1:-1]), x.shape[-1]


def filters_first(rank: int) -> Any:
    """Orders of a kernel: Keras' [window, inputs, outputs] and ONNX's [outputs, inputs, window]."""
    to = (rank + 1, rank, *range(rank))
    back = (*range(2, rank + 2), 1, 0)
    return to, back


class _Conv(_Spatial):
    """A convolution."""
    regularized = ("kernel", "bias")

    def __init__(self, filters: int, kernel_size: Sizes, strides: Sizes = 1, padding: str = "valid",
                 data_format: Any = None, dilation_rate: Sizes = 1, groups: int = 1,
                 activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, bias_regularizer: Any = None,
                 activity_regularizer: Any = None, kernel_constraint: Any = None,
                 bias_constraint: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, kernel_regularizer=kernel_regularizer,
                         bias_regularizer=bias_regularizer, **kwargs)
        refuse_extras(self, activity_regularizer=activity_regularizer,
                      kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
        self.filters, self.padding, self.groups = filters, padding.lower(), groups
        self.kernel_size = sizes(kernel_size, self.rank)
        self.strides = sizes(strides, self.rank)
        self.dilation_rate = sizes(dilation_rate, self.rank)
        self.activation, self.use_bias = activations.get(activation), use_bias
        self._initial = (kernel_initializer, bias_initializer)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        kernel, bias = self._initial
        shape = (*self.kernel_size, input_shape[-1] // self.groups, self.filters)
        self.kernel = self.add_weight("kernel", shape, initializer=kernel)
        if self.use_bias:
            self.bias = self.add_weight("bias", (self.filters, ), initializer=bias)
        self.built = True

    def call(self, inputs: Symbol) -> Any:
        graph, x, spatial, _ = self.image(inputs)
        y = self.convolve(graph, x, spatial, self.kernel, self.filters, self.groups, "")
        return activated(y, self.activation)

    def convolve(self, graph: Graph, x: Symbol, spatial: Sequence[int], kernel: Any, channels: int,
                 groups: int, part: str) -> Symbol:
        """A node over the layer's window."""
        to, back = filters_first(self.rank)
        packing = Packing((kernel, ), lambda arrays: arrays[0].transpose(to),
                          lambda array: [array.transpose(back)])
        return self.node(graph, x, spatial, graph.weight(packing, [kernel.shape[i] for i in to]),
                         channels, groups, part)

    def node(self, graph: Graph, x: Symbol, spatial: Sequence[int], weights: Symbol, channels: int,
             groups: int, part: str) -> Symbol:
        """The Conv node, with the layer's bias unless it is only a part of the layer."""
        place = window(spatial, self.kernel_size, self.strides, self.dilation_rate, self.padding)
        operands = [x, weights]
        if self.bias is not None and not part:
            operands.append(graph.symbol(self.bias))
        return graph.emit("Conv", operands, (x.shape[0], *place.output, channels), x.dtype, part,
                          True, kernel_shape=list(self.kernel_size), strides=list(self.strides),
                          dilations=list(self.dilation_rate), pads=place.pads, group=groups)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "filters": self.filters, "kernel_size": self.kernel_size,
                "strides": self.strides, "padding": self.padding, "groups": self.groups,
                "dilation_rate": self.dilation_rate, "use_bias": self.use_bias,
                "activation": activations.name_of(self.activation)}


class DepthwiseConv2D(_Conv):
    """A convolution of each channel on its own."""
    regularized = ("depthwise", "bias")

    def __init__(self, kernel_size: Sizes, strides: Sizes = 1, padding: str = "valid",
                 depth_multiplier: int = 1, depthwise_initializer: Any = "glorot_uniform",
                 **kwargs: Any) -> None:
        super().__init__(0, kernel_size, strides, padding, kernel_initializer=depthwise_initializer,
                         **kwargs)
        self.depth_multiplier = depth_multiplier

    def build(self, input_shape: Any) -> None:
        kernel, bias = self._initial
        shape = (*self.kernel_size, input_shape[-1], self.depth_multiplier)
        self.kernel = self.add_weight("depthwise_kernel", shape, initializer=kernel)
        self.filters = input_shape[-1] * self.depth_multiplier
        if self.use_bias:
            self.bias = self.add_weight("bias", (self.filters, ), initializer=bias)
        self.built = True

    def call(self, inputs: Symbol) -> Any:
        graph, x, spatial, channels = self.image(inputs)
        weights = depthwise_weight(graph, self.kernel)
        y = self.node(graph, x, spatial, weights, self.filters, channels, "")
        return activated(y, self.activation)


def depthwise_weight(graph: Graph, kernel: Any) -> Symbol:
    """[height, width, channels, multiplier] as filters of one input channel each."""
    height, width, channels, multiplier = kernel.shape

    def pack(arrays: List[Any]) -> Any:
        return arrays[0].transpose(2, 3, 0, 1).reshape(channels * multiplier, 1, height, width)

    def unpack(array: Any) -> List[Any]:
        apart = array.reshape(channels, multiplier, height, width)
        return [apart.transpose(2, 3, 0, 1)]

    return graph.weight(Packing((kernel, ), pack, unpack),
                        (channels * multiplier, 1, height, width))


class _Pool(_Spatial):
    """A pool over a window."""
    operator = "MaxPool"

    def __init__(self, pool_size: Sizes = 2, strides: Any = None, padding: str = "valid",
                 data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.pool_size = sizes(pool_size, self.rank)
        self.strides = self.pool_size if strides is None else sizes(strides, self.rank)
        self.padding = padding.lower()

    def call(self, inputs: Symbol) -> Any:
        graph, x, spatial, channels = self.image(inputs)
        place = window(spatial, self.pool_size, self.strides, (1, ) * self.rank, self.padding)
        return graph.emit(self.operator, [x], (x.shape[0], *place.output, channels), x.dtype, "",
                          True, kernel_shape=list(self.pool_size), strides=list(self.strides),
                          pads=place.pads)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "pool_size": self.pool_size, "strides": self.strides,
                "padding": self.padding}


class _GlobalPool(_Spatial):
    """A pool over the whole image."""
    operator = "GlobalMaxPool"

    def __init__(self, data_format: Any = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.keepdims = keepdims

    def call(self, inputs: Symbol) -> Any:
        graph, x, _, channels = self.image(inputs)
        shape = (x.shape[0], *(1, ) * self.rank, channels)
        if self.keepdims:
            return graph.emit(self.operator, [x], shape, x.dtype, "", True)
        y = graph.emit(self.operator, [x], shape, x.dtype, "pool", True)
        return graph.emit("Flatten", [y], (x.shape[0], channels), x.dtype)


def _family(base: type, name: str, rank: int, **more: Any) -> type:
    members = {"rank": rank, "__doc__": f"{name}.", "__module__": __name__, **more}
    return type(name, (base, ), members)


Conv1D, Conv2D, Conv3D = (_family(_Conv, f"Conv{n}D", n) for n in (1, 2, 3))
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
MaxPooling1D, MaxPooling2D, MaxPooling3D = (
    _family(_Pool, f"MaxPooling{n}D", n) for n in (1, 2, 3))
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AveragePooling1D, AveragePooling2D, AveragePooling3D = (
    _family(_Pool, f"AveragePooling{n}D", n, operator="AveragePool") for n in (1, 2, 3))
GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D = (
    _family(_GlobalPool, f"GlobalMaxPooling{n}D", n) for n in (1, 2, 3))
GlobalAveragePooling2D, GlobalAveragePooling3D = (
    _family(_GlobalPool, f"GlobalAveragePooling{n}D", n, operator="GlobalAveragePool")
    for n in (2, 3))


class GlobalAveragePooling1D(_GlobalPool):
    """The mean of the steps that count."""
    rank, operator, supports_masking = 1, "GlobalAveragePool", True

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        return None

    def call(self, inputs: Symbol, mask: Any = None) -> Any:
        if mask is None:
            return super().call(inputs)
        kept = _ops.expand_dims(_ops.cast(mask, _types.float32), -1)
        total = _ops.reduce_sum(_ops.multiply(as_float(inputs), kept), 1, self.keepdims)
        return _ops.divide(total, _ops.reduce_sum(kept, 1, self.keepdims))
