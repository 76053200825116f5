"""Convolutions in two steps, and transposed ones."""
from __future__ import annotations

from typing import Any

from .._graph import Packing, Symbol
from ._dense import activated
from ._window import DepthwiseConv2D, Sizes, _Conv, _family, depthwise_weight, filters_first, sizes


class SeparableConv2D(DepthwiseConv2D):
    """A convolution of each channel on its own, then one over the channels."""
    regularized = ("depthwise", "pointwise", "bias")

    def __init__(self, filters: int, kernel_size: Sizes, strides: Sizes = 1, padding: str = "valid",
                 depth_multiplier: int = 1, use_bias: bool = True, **kwargs: Any) -> None:
        super().__init__(kernel_size, strides, padding, depth_multiplier, use_bias=False, **kwargs)
        self.outputs, self._biased = filters, use_bias

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        shape = (1, 1, self.filters, self.outputs)
        self.pointwise_kernel = self.add_weight("pointwise_kernel", shape)
        if self._biased:
            self.bias = self.add_weight("bias", (self.outputs, ), initializer="zeros")

    def call(self, inputs: Symbol) -> Any:
        graph, x, spatial, channels = self.image(inputs)
        deep = self.node(graph, x, spatial, depthwise_weight(graph, self.kernel), self.filters,
                         channels, "depthwise")
        to, back = filters_first(2)
        packing = Packing((self.pointwise_kernel, ), lambda a: a[0].transpose(to),
                          lambda a: [a.transpose(back)])
        operands = [deep, graph.weight(packing, (self.outputs, self.filters, 1, 1))]
        if self.bias is not None:
            operands.append(graph.symbol(self.bias))
        y = graph.emit("Conv", operands, (*deep.shape[:-1], self.outputs), deep.dtype, "", True,
                       kernel_shape=[1, 1])
        return activated(y, self.activation)


class _ConvTranspose(_Conv):
    """What a convolution does to gradients, as a layer."""

    def __init__(self, filters: int, kernel_size: Sizes, strides: Sizes = 1, padding: str = "valid",
                 output_padding: Any = None, **kwargs: Any) -> None:
        super().__init__(filters, kernel_size, strides, padding, **kwargs)
        self.output_padding = None if output_padding is None else sizes(output_padding, self.rank)

    def build(self, input_shape: Any) -> None:
        kernel, bias = self._initial
        self.kernel = self.add_weight("kernel", (*self.kernel_size, self.filters, input_shape[-1]),
                                      initializer=kernel)
        if self.use_bias:
            self.bias = self.add_weight("bias", (self.filters, ), initializer=bias)
        self.built = True

    def _length(self, i: int, length: int) -> int:
        """The size of a dimension, as Keras documents it."""
        reach, stride = (self.kernel_size[i] - 1) * self.dilation_rate[i] + 1, self.strides[i]
        same = self.padding == "same"
        if self.output_padding is not None:
            cut = 2 * (reach // 2) if same else 0
            return (length - 1) * stride + reach - cut + self.output_padding[i]
        return length * stride + (0 if same else max(reach - stride, 0))

    def call(self, inputs: Symbol) -> Any:
        graph, x, spatial, channels = self.image(inputs)
        to, back = filters_first(self.rank)
        packing = Packing((self.kernel, ), lambda a: a[0].transpose(to),
                          lambda a: [a.transpose(back)])
        weights = graph.weight(packing, (channels, self.filters, *self.kernel_size))
        output = [self._length(i, length) for i, length in enumerate(spatial)]
        # What is cut off; if that is odd, one more at the end, as TensorFlow does.
        cuts = [(length - 1) * stride + (size - 1) * dilation + 1 - out for length, stride, size, dilation, out in zip(
            spatial, self.strides, self.kernel_size, self.dilation_rate, output)]
        before = [max(cut, 0) // 2 for cut in cuts]
        after = [max(cut, 0) - first for cut, first in zip(cuts, before)]
        operands = [x, weights] + ([] if self.bias is None else [graph.symbol(self.bias)])
        y = graph.emit("ConvTranspose", operands, (x.shape[0], *output, self.filters), x.dtype, "",
                       True, kernel_shape=list(self.kernel_size), strides=list(self.strides),
                       dilations=list(self.dilation_rate), pads=before + after,
                       output_padding=[max(-cut, 0) for cut in cuts])
        return activated(y, self.activation)


Conv1DTranspose, Conv2DTranspose, Conv3DTranspose = (
    _family(_ConvTranspose, f"Conv{n}DTranspose", n) for n in (1, 2, 3))
SeparableConvolution2D = SeparableConv2D
__all__ = ["Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "SeparableConv2D",
           "SeparableConvolution2D"]
