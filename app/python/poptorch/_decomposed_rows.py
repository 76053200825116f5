"""Look-ups and updates of rows that torch.onnx has no form for: bags, columns of images, reductions by
index."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import torch

from ._aliases import untraced
from ._errors import Error

Tensor = torch.Tensor


def _embedding_bag(input: Tensor, weight: Tensor, offsets: Optional[Tensor] = None,
                   max_norm: Optional[float] = None, norm_type: float = 2,
                   scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                   per_sample_weights: Optional[Tensor] = None, include_last_offset: bool = False,
                   padding_idx: Optional[int] = None) -> Tensor:
    if max_norm is not None or scale_grad_by_freq:
        raise Error("embedding_bag: max_norm and scale_grad_by_freq are not simulated; leave them out")
    rows = weight.index_select(0, input.reshape(-1))
    width = int(weight.shape[1])
    if input.dim() == 2:
        bags, each = (int(size) for size in input.shape)
        with untraced():
            number = torch.arange(bags).repeat_interleave(each)
            belongs = (number == torch.arange(bags).unsqueeze(1))
    else:
        assert offsets is not None
        bags = int(offsets.shape[0]) - int(include_last_offset)
        number = (torch.arange(input.numel()).unsqueeze(1) >= offsets[:bags]).to(torch.int64).sum(1)
        belongs = number - 1 == torch.arange(bags).unsqueeze(1)
    if padding_idx is not None:
        is_used = input.reshape(-1) != padding_idx % int(weight.shape[0])
        belongs = torch.logical_and(belongs, is_used)
    share = belongs.to(weight.dtype)
    if mode == "max":
        return _largest(rows, belongs, share, width)
    if per_sample_weights is not None:
        share = share * per_sample_weights.reshape(1, -1)
    result = torch.matmul(share, rows)
    return result if mode == "sum" else result / share.sum(1, keepdim=True).clamp(min=1)


def _largest(rows: Tensor, belongs: Tensor, share: Tensor, width: int) -> Tensor:
    """The largest of each bag; zero for an empty one."""
    least = torch.full([1], torch.finfo(rows.dtype).min, dtype=rows.dtype)
    kept = torch.where(belongs.unsqueeze(-1), rows.unsqueeze(0), least)
    is_empty = share.sum(1, keepdim=True) == 0
    return torch.where(is_empty, torch.zeros([1, width], dtype=rows.dtype), kept.amax(1))


def _pair(value: Any) -> Any:
    return (value, value) if isinstance(value, int) else tuple(value)


def _fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
          stride: Any = 1) -> Tensor:
    """Columns are added at the places from which unfold() takes them."""
    (height, width), kernel, dilation, padding, stride = (
        _pair(v) for v in (output_size, kernel_size, dilation, padding, stride))
    columns = input if input.dim() == 3 else input.unsqueeze(0)
    batch, size, count = (int(s) for s in columns.shape)
    channels = size // (kernel[0] * kernel[1])
    high, wide = height + 2 * padding[0], width + 2 * padding[1]
    with untraced():
        places = torch.arange(high * wide, dtype=torch.float64).reshape(1, 1, high, wide)
        taken = torch.nn.functional.unfold(places, kernel, dilation, 0, stride)
        rows = taken.reshape(-1).to(torch.int64)
    values = columns.reshape(batch * channels, kernel[0] * kernel[1] * count)
    image = torch.zeros([high * wide, batch * channels], dtype=input.dtype)
    image = image.index_put((rows, ), values.t(), accumulate=True)
    image = image.t().reshape(batch, channels, high, wide)
    image = image[:, :, padding[0]:padding[0] + height, padding[1]:padding[1] + width]
    return image if input.dim() == 3 else image.squeeze(0)


def _scatter_reduce(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *,
                    include_self: bool = True) -> Any:
    dim %= x.dim()
    src = src[tuple(slice(int(size)) for size in index.shape)]
    for d in range(x.dim()):
        if d != dim and int(x.shape[d]) != int(index.shape[d]):
            raise Error("scatter_reduce: an index with fewer rows than its operand is not simulated; "
                        "narrow the operand to them")
    if reduce in ("sum", "mean"):
        return _sums(x, dim, index, src, reduce == "mean", include_self)
    return _bests(x, dim, index, src, reduce, include_self)


def _sums(x: Tensor, dim: int, index: Tensor, src: Tensor, mean: bool, include_self: bool) -> Tensor:
    counts = torch.zeros_like(x).scatter_add(dim, index, torch.ones_like(src))
    start = x if include_self else torch.where(counts > 0, torch.zeros_like(x), x)
    total = start.scatter_add(dim, index, src)
    if not mean:
        return total
    number = counts + 1 if include_self else counts.clamp(min=1)
    return total / number if total.is_floating_point() else torch.div(total, number, rounding_mode="floor")


def _bests(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Any:
    """Each element of the result reduces all elements of the source along the dimension, of which only
    its own are not neutral."""
    if not x.is_floating_point() and x.dtype != torch.int32:  # bytes and truth values have other limits
        return _bests(x.to(torch.int32), dim, index, src.to(torch.int32), reduce, include_self).to(x.dtype)
    size = int(x.shape[dim])
    shape = [size if d == dim else 1 for d in range(x.dim())] + [1]
    own = index.movedim(dim, -1).unsqueeze(dim) == torch.arange(size).reshape(shape)
    limits = torch.finfo(x.dtype) if x.is_floating_point() else torch.iinfo(torch.int32)
    neutral = {"prod": 1, "amax": limits.min, "amin": limits.max}[reduce]
    values = torch.where(own, src.movedim(dim, -1).unsqueeze(dim), torch.full([1], neutral, dtype=x.dtype))
    before = x.unsqueeze(-1)
    if not include_self:
        found = own.to(x.dtype).amax(-1, True) > 0
        before = torch.where(found, torch.full([1], neutral, dtype=x.dtype), before)
    values = torch.cat([values, before], -1)
    if reduce != "prod":
        return values.amax(-1) if reduce == "amax" else values.amin(-1)
    from ._decompositions import product
    return product(values, -1)


ROWS: Dict[str, Callable[..., Any]] = {
    "embedding_bag": _embedding_bag,
    "fold": _fold,
    "scatter_reduce": _scatter_reduce,
}
