"""Slices whose start is computed: PopART's DynamicSlice and DynamicUpdate."""
from __future__ import annotations

from typing import Any, Tuple

import torch

from ._errors import Error
from ._functions import GRAPHCORE, add_node


def _rows(start: torch.Tensor, size: int, most: int) -> torch.Tensor:
    """Numbers of the rows. A trace runs with any values, so that a start may be beyond the end."""
    first = start.detach().reshape(1).clamp(0, max(0, most - size))
    return first.long() + torch.arange(size)


class _DynamicSlice(torch.autograd.Function):
    @staticmethod
    def symbolic(graph: Any, x: Any, start: Any, dim: int, size: int) -> Any:
        result = add_node(graph, GRAPHCORE, "DynamicSlice", x, start, axes_i=[dim], sizes_i=[size])
        sizes = x.type().sizes()
        if sizes is not None:
            result.setType(x.type().with_sizes([*sizes[:dim], size, *sizes[dim + 1:]]))
        return result

    @staticmethod
    def forward(context: Any, x: torch.Tensor, start: torch.Tensor, dim: int,  # type: ignore[override]
                size: int) -> torch.Tensor:
        context.rows = _rows(start, size, x.shape[dim])
        context.shape, context.dim = x.shape, dim
        return x.index_select(dim, context.rows)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Tuple[torch.Tensor, None, None, None]:  # type: ignore[override]
        whole = torch.zeros(context.shape, dtype=gradient.dtype)
        return whole.index_copy(context.dim, context.rows, gradient), None, None, None


class _DynamicUpdate(torch.autograd.Function):
    @staticmethod
    def symbolic(graph: Any, x: Any, start: Any, part: Any, dim: int, size: int) -> Any:
        result = add_node(graph, GRAPHCORE, "DynamicUpdate", x, start, part, axes_i=[dim],
                          sizes_i=[size])
        result.setType(x.type())
        return result

    @staticmethod
    def forward(context: Any, x: torch.Tensor, start: torch.Tensor, part: torch.Tensor,  # type: ignore[override]
                dim: int, size: int) -> torch.Tensor:
        context.rows, context.dim = _rows(start, size, x.shape[dim]), dim
        return x.index_copy(dim, context.rows, part)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        part = gradient.index_select(context.dim, context.rows)
        rest = gradient.index_fill(context.dim, context.rows, 0)
        return rest, None, part, None, None


def _check_size(size: int) -> None:
    if size == 0:
        raise Error("The start and end of a slice must be different.")
    if size < 0:
        raise Error("Taking a slice of a tensor with the end less than the start is not supported.")


def dynamic_slice(tensor: torch.Tensor, dim: int, start: torch.Tensor, size: int, step: int
                  ) -> torch.Tensor:
    """A slice with a computed start.

    Args:
        tensor: any shape.
        dim: the dimension that is sliced.
        start: one whole number.
        size: elements of ``dim`` that the slice spans; a divisor of the dimension.
        step: distance of the elements taken from these.

    Raises:
        poptorch.Error: for any other size or step.
    """
    _check_size(size)
    dim = dim % tensor.dim()
    whole = tensor.shape[dim]
    if whole % size:
        raise Error(f"The size of the slice ({size}) must be a factor of the slicing dimension "
                    f"({whole}).")
    if step <= 0:
        raise Error(f"poptorch.dynamic_slice: the step {step} must be 1 or more")
    part = _DynamicSlice.apply(tensor, start, dim, size)
    if step == 1:
        return part
    return part.index_select(dim, torch.arange(0, size, step))


def dynamic_update(input: torch.Tensor, src: torch.Tensor, dim: int, start: torch.Tensor, size: int
                   ) -> torch.Tensor:
    """The tensor with a slice that has a computed start replaced by ``src``.

    Raises:
        poptorch.Error: for a size of 0 or less, or if both tensors do not have the same type and number
            of dimensions.
    """
    _check_size(size)
    if input.dtype != src.dtype:
        raise Error(f"input and src tensor must have same dtype. ({input.dtype} vs "
                    f"{_type_on_ipu(src.dtype)})")
    if input.dim() != src.dim():
        raise Error("input and src tensors must have same dimensionality. "
                    f"({input.dim()}) vs ({src.dim()})")
    return _DynamicUpdate.apply(input, start, src, dim % input.dim(), size)


def _type_on_ipu(dtype: torch.dtype) -> torch.dtype:
    return torch.int32 if dtype == torch.int64 else dtype
