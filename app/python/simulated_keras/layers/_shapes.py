"""Layers that move elements: flatten, reshape, padding, cropping, merges."""
from __future__ import annotations

import functools
from typing import Any, Dict, List, Sequence

from .. import _ops, _types
from .._graph import Symbol
from .._layer import Layer
from ._window import sizes


class Flatten(Layer):
    """One dimension after the batch."""

    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        x = graph.plain(inputs)
        if len(x.shape) == 2:
            return x
        count = 1
        for size in x.shape[1:]:
            count *= size
        return graph.emit("Flatten", [x], (x.shape[0], count), x.dtype)


class Reshape(Layer):
    """Other sizes after the batch."""
    is_one_operation = True

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Symbol) -> Any:
        return _ops.reshape(inputs, (inputs.shape[0], *self.target_shape))

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "target_shape": self.target_shape}


class Permute(Layer):
    """Dimensions after the batch in another order, counted from one."""
    is_one_operation = True

    def __init__(self, dims: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs: Symbol) -> Any:
        return _ops.transpose(inputs, (0, *self.dims))


class RepeatVector(Layer):
    """The same features n times."""

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        x = _ops.expand_dims(inputs, 1)
        shape = (inputs.shape[0], self.n, inputs.shape[1])
        return graph.emit("Expand", [x, graph.integers(shape)], shape, x.dtype)


def _pairs(value: Any, rank: int) -> List[Sequence[int]]:
    """(before, after) of each dimension."""
    if isinstance(value, int):
        return [(value, value)] * rank
    if rank == 1:
        return [tuple(value)]
    return [(v, v) if isinstance(v, int) else tuple(v) for v in value]


class ZeroPadding2D(Layer):
    """Zeros around an image."""
    rank = 2

    def __init__(self, padding: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.padding = _pairs(padding, self.rank)

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        x = graph.channels_first(inputs)
        pads = [0, 0, *[before for before, _ in self.padding],
                0, 0, *[after for _, after in self.padding]]
        spatial = [size + sum(pair) for size, pair in zip(x.shape[1:-1], self.padding)]
        return graph.emit("Pad", [x, graph.integers(pads)], (x.shape[0], *spatial, x.shape[-1]),
                          x.dtype, "", x.channels_first)


class ZeroPadding1D(ZeroPadding2D):
    """Zeros around a sequence."""
    rank = 1


class ZeroPadding3D(ZeroPadding2D):
    """Zeros around a volume."""
    rank = 3


class Cropping2D(Layer):
    """An image without its border."""
    is_one_operation = True
    rank = 2

    def __init__(self, cropping: Any = 0, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cropping = _pairs(cropping, self.rank)

    def call(self, inputs: Symbol) -> Any:
        keys = [slice(before, size - after)
                for (before, after), size in zip(self.cropping, inputs.shape[1:])]
        return inputs[(slice(None), *keys)]


class Cropping1D(Cropping2D):
    """A sequence without its ends."""
    rank = 1


class Cropping3D(Cropping2D):
    """A volume without its border."""
    rank = 3


class UpSampling2D(Layer):
    """Each element several times."""
    rank = 2

    def __init__(self, size: Any = 2, data_format: Any = None, interpolation: str = "nearest",
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if interpolation != "nearest":
            raise TypeError(f"UpSampling: interpolation '{interpolation}' is not simulated")
        self.size = sizes(size, self.rank)

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        x = graph.channels_first(inputs)
        spatial = [length * factor for length, factor in zip(x.shape[1:-1], self.size)]
        stored = (x.shape[0], x.shape[-1], *spatial)
        return graph.emit("Resize", [x, "", "", graph.integers(stored)],
                          (x.shape[0], *spatial, x.shape[-1]), x.dtype, "", True, mode="nearest",
                          coordinate_transformation_mode="asymmetric", nearest_mode="floor")


class UpSampling1D(UpSampling2D):
    """The same of sequences."""
    rank = 1


class UpSampling3D(UpSampling2D):
    """The same of volumes."""
    rank = 3


class _Merge(Layer):
    """Base of layers with several operands of the same shape."""
    is_one_operation = True
    supports_masking = True

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Steps that count in all operands that have a mask."""
        given = [m for m in mask or [] if m is not None]
        if not given:
            return None
        kept = functools.reduce(_ops.multiply, [_ops.cast(m, _types.float32) for m in given])
        return _ops.greater(kept, 0.0)

    def merge(self, parts: Sequence[Symbol]) -> Any:
        """The result."""
        raise NotImplementedError

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError("A merge layer should be called on a list of at least 2 inputs. Got "
                             f"{inputs}")
        return self.merge(inputs)


class Add(_Merge):
    """The sum."""

    def merge(self, parts: Sequence[Symbol]) -> Any:
        return functools.reduce(_ops.add, parts)


class Subtract(_Merge):
    """The difference."""

    def merge(self, parts: Sequence[Symbol]) -> Any:
        return _ops.subtract(*parts)


class Multiply(_Merge):
    """The product."""

    def merge(self, parts: Sequence[Symbol]) -> Any:
        return functools.reduce(_ops.multiply, parts)


class Average(_Merge):
    """The mean."""

    def merge(self, parts: Sequence[Symbol]) -> Any:
        return _ops.multiply(functools.reduce(_ops.add, parts), 1 / len(parts))


class Maximum(_Merge):
    """The largest of each element."""

    def merge(self, parts: Sequence[Symbol]) -> Any:
        return functools.reduce(_ops.maximum, parts)


class Minimum(_Merge):
    """The least of each element."""

    def merge(self, parts: Sequence[Symbol]) -> Any:
        return functools.reduce(_ops.minimum, parts)


class Concatenate(_Merge):
    """One after the other along a dimension."""

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def merge(self, parts: Sequence[Symbol]) -> Any:
        return _ops.concat(list(parts), self.axis)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


def _function(kind: type) -> Any:
    def apply(inputs: Any, **kwargs: Any) -> Any:
        return kind(**kwargs)(inputs)
    apply.__doc__ = f"The layer {kind.__name__} applied to operands."
    return apply


add, subtract, multiply = _function(Add), _function(Subtract), _function(Multiply)
average, maximum, minimum = _function(Average), _function(Maximum), _function(Minimum)
concatenate = _function(Concatenate)
