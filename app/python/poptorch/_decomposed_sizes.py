"""Paddings and interpolations that torch.onnx has no form for, or another meaning of."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence

import torch

from ._aliases import untraced
from ._decomposed_pools import adaptive_pool

Tensor = torch.Tensor


def _pad(x: Tensor, pad: Sequence[int], mode: str = "constant", value: Optional[float] = None
         ) -> Any:
    if mode != "circular":
        return NotImplemented
    for i in range(len(pad) // 2):
        dim = x.dim() - 1 - i
        before, after = int(pad[2 * i]), int(pad[2 * i + 1])
        first, size = max(0, -before), int(x.shape[dim])
        x = x.narrow(dim, first, size - max(0, -after) - first)  # what is left is repeated
        size = int(x.shape[dim])
        parts = [x.narrow(dim, size - before, before)] if before > 0 else []
        parts.append(x)
        if after > 0:
            parts.append(x.narrow(dim, 0, after))
        x = torch.cat(parts, dim)
    return x


def _pad_sequence(sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0) -> Tensor:
    longest = max(int(rows.shape[0]) for rows in sequences)
    padded = [torch.nn.functional.pad(rows, [0, 0] * (rows.dim() - 1) + [0, longest - int(rows.shape[0])],
                                      value=padding_value) for rows in sequences]
    return torch.stack(padded, 0 if batch_first else 1)


def _sizes(x: Tensor, size: Any, scale_factor: Any) -> List[int]:
    """Of the result, without batch and channels."""
    count = x.dim() - 2
    if size is not None:
        return [int(one) for one in size] if isinstance(size, (list, tuple)) else [int(size)] * count
    scales = scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * count
    return [math.floor(float(one) * scale) for one, scale in zip(x.shape[2:], scales)]


def _nearest_exact(x: Tensor, size: Any, scale_factor: Any, recomputes: Any) -> Tensor:
    """The element in whose middle, or next to it, that of the result is."""
    for dim, wanted in enumerate(_sizes(x, size, scale_factor), 2):
        given = scale_factor[dim - 2] if isinstance(scale_factor, (list, tuple)) else scale_factor
        length = int(x.shape[dim])
        with untraced():
            step = torch.tensor(length / wanted if given is None or recomputes else 1 / given)
            places = ((torch.arange(wanted) + 0.5) * step).floor().long().clamp(max=length - 1)
        x = x.index_select(dim, places)
    return x


def _interpolate(input: Tensor, size: Any = None, scale_factor: Any = None,
                 mode: str = "nearest", align_corners: Any = None,
                 recompute_scale_factor: Any = None, antialias: bool = False) -> Any:
    """By areas: the mean of each window, whose number is a constant here. With aligned corners by a size: where a
    scale does not give a whole one, ONNX aligns the last element with what lies beyond."""
    if antialias:
        return NotImplemented
    if mode == "area":
        return adaptive_pool("avg", input.dim() - 2)(input, _sizes(input, size, scale_factor))
    if mode == "nearest-exact":
        return _nearest_exact(input, size, scale_factor, recompute_scale_factor)
    if not align_corners or scale_factor is None:
        return NotImplemented
    return torch.nn.functional.interpolate(input, _sizes(input, size, scale_factor), None, mode, True)


SIZES: Dict[str, Callable[..., Any]] = {
    "pad": _pad,
    "pad_sequence": _pad_sequence,
    "interpolate": _interpolate,
}
