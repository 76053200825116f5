"""Paddings and interpolations that torch.onnx has no form for, or another meaning of."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence

import torch

from ._aliases import untraced
from ._decomposed_pools import adaptive_pool
from ._errors import Error

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


def _is_rounded(x: Tensor, scale_factor: Any) -> bool:
    """Whether the scales in ONNX's type give other sizes than PyTorch's."""
    scales = scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * (x.dim() - 2)
    with untraced():
        single = torch.tensor(scales, dtype=torch.float32).tolist()
    return _sizes(x, None, single) != _sizes(x, None, scales)


def _nearest(x: Tensor, size: Any, scale_factor: Any, mode: str, recomputes: Any) -> Any:
    """The elements that PyTorch takes of a row of their numbers. For the mode "nearest", ONNX divides by a scale, which
    may be rounded to others."""
    sizes, chosen = _sizes(x, size, scale_factor), []
    is_exported = mode == "nearest" and (size is not None or not _is_rounded(x, scale_factor))
    for dim, wanted in enumerate(sizes, 2):
        given = scale_factor[dim - 2] if isinstance(scale_factor, (list, tuple)) else scale_factor
        with untraced():
            row = torch.arange(int(x.shape[dim]), dtype=torch.float32).reshape(1, 1, -1)  # scales are of this type
            scales = {"size": wanted} if given is None or recomputes else {"scale_factor": given}
            places = torch.nn.functional.interpolate(row, **scales, mode=mode).reshape(-1).long()
            by_size = torch.nn.functional.interpolate(row, wanted, mode=mode).reshape(-1).long()
            scale = torch.tensor(scales.get("scale_factor", wanted / row.numel()), dtype=torch.float64)
            divided = [(torch.arange(wanted, dtype=kind) / one.to(kind)).floor().long()
                       for kind in (torch.float32, torch.float64) for one in (scale, scale.float())]
            exact = torch.div(torch.arange(wanted) * row.numel(), wanted, rounding_mode="floor")
            is_exported = is_exported and all(torch.equal(places, other) for other in (by_size, exact, *divided))
            chosen.append(places)
    if is_exported:
        return NotImplemented
    for dim, places in enumerate(chosen, 2):
        x = x.index_select(dim, places)
    return x


def _interpolate(input: Tensor, size: Any = None, scale_factor: Any = None,
                 mode: str = "nearest", align_corners: Any = None,
                 recompute_scale_factor: Any = None, antialias: bool = False) -> Any:
    """By areas: the mean of each window, whose number is a constant here. With aligned corners by a size: where a
    scale does not give a whole one, ONNX aligns the last element with what lies beyond."""
    if antialias or (size is None) == (scale_factor is None):
        return NotImplemented
    if mode == "area":
        return adaptive_pool("avg", input.dim() - 2)(input, _sizes(input, size, scale_factor))
    if mode in ("nearest", "nearest-exact"):
        return _nearest(input, size, scale_factor, mode, recompute_scale_factor)
    if scale_factor is None or not (align_corners or _is_rounded(input, scale_factor)):
        return NotImplemented
    if not align_corners and not recompute_scale_factor:
        raise Error("interpolate: scale_factor in single precision gives other sizes than in double; give the size, or "
                    "recompute_scale_factor=True")
    return torch.nn.functional.interpolate(input, _sizes(input, size, scale_factor), None, mode, align_corners)


SIZES: Dict[str, Callable[..., Any]] = {
    "pad": _pad,
    "pad_sequence": _pad_sequence,
    "interpolate": _interpolate,
}
