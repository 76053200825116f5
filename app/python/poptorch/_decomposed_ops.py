"""Reductions, products and arrangements that torch.onnx has no form for."""
from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch

from ._aliases import untraced

Tensor = torch.Tensor


# Reductions


def _dims(x: Tensor, dim: Any) -> List[int]:
    if dim is None or dim == ():
        return list(range(x.dim()))
    return [dim] if isinstance(dim, int) else list(dim)


def _count_nonzero(x: Tensor, dim: Any = None) -> Tensor:
    return (x != 0).to(torch.int64).sum(_dims(x, dim))


def _nansum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return torch.where(x != x, torch.zeros_like(x), x).sum(_dims(x, dim), keepdim, dtype=dtype)


def _kth(x: Tensor, k: int, dim: int, keepdim: bool) -> Tuple[Tensor, Tensor]:
    """The k-th smallest, from 1, and its number."""
    values, numbers = torch.topk(x, k, dim, False)
    values, numbers = values.narrow(dim, k - 1, 1), numbers.narrow(dim, k - 1, 1)
    return (values, numbers) if keepdim else (values.squeeze(dim), numbers.squeeze(dim))


def _kthvalue(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    return torch.return_types.kthvalue(_kth(x, k, dim, keepdim))


def _median(x: Tensor, dim: Optional[int] = None, keepdim: bool = False) -> Any:
    if dim is None:
        return _kth(x.flatten(), (x.numel() + 1) // 2, 0, False)[0]
    return torch.return_types.median(_kth(x, (int(x.shape[dim]) + 1) // 2, dim, keepdim))


def _shifted(x: Tensor, dim: int, by: int, first: float) -> Tensor:
    """The elements `by` places further on; `first` fills the start."""
    filled = torch.full_like(x.narrow(dim, 0, by), first)
    return torch.cat([filled, x.narrow(dim, 0, int(x.shape[dim]) - by)], dim)


def _cumprod(x: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    dtype = torch.int64 if dtype is None and not x.is_floating_point() else dtype
    x = x if dtype is None else x.to(dtype)
    by = 1
    while by < int(x.shape[dim]):  # the products of 2, 4, 8, ... elements
        x = x * _shifted(x, dim, by, 1)
        by *= 2
    return x.clone() if by == 1 else x


def _cumsum(x: Tensor, dim: int, *, dtype: Any = None) -> Any:
    """Exporters add up truth values as such."""
    if x.dtype != torch.bool or dtype is not None:
        return NotImplemented
    return torch.cumsum(x.to(torch.int64), dim)


def _trace(x: Tensor) -> Tensor:
    return _diagonal(x).sum()


# Products


def _part_of(x: Tensor, beta: float, rest: Tensor) -> Tensor:
    """beta * x + rest; by zero, what x is does not matter."""
    return rest.expand(torch.broadcast_shapes(x.shape, rest.shape)).clone() if beta == 0 else beta * x + rest


def _addmv(x: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    return _part_of(x, beta, alpha * torch.matmul(mat, vec))


def _addr(x: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    return _part_of(x, beta, alpha * (vec1.unsqueeze(1) * vec2.unsqueeze(0)))


def _addbmm(x: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    return _part_of(x, beta, alpha * torch.matmul(batch1, batch2).sum(0))


def _inner(x: Tensor, other: Tensor) -> Tensor:
    if x.dim() == 0 or other.dim() == 0:
        return x * other
    result = torch.matmul(x.reshape(-1, x.shape[-1]), other.reshape(-1, x.shape[-1]).t())
    return result.reshape([*x.shape[:-1], *other.shape[:-1]])


def _multi_dot(matrices: Sequence[Tensor], *, out: Any = None) -> Tensor:
    result = matrices[0]
    for matrix in matrices[1:]:
        result = torch.matmul(result, matrix)
    return result


def _matrix_power(x: Tensor, n: int) -> Any:
    return _multi_dot([x] * n) if n > 0 else NotImplemented


def _kron(x: Tensor, other: Tensor) -> Any:
    if x.dim() != other.dim():
        return NotImplemented
    spread, tiled = x, other
    for d in range(x.dim()):
        spread, tiled = spread.unsqueeze(2 * d + 1), tiled.unsqueeze(2 * d)
    return (spread * tiled).reshape([int(a) * int(b) for a, b in zip(x.shape, other.shape)])


# Arrangements


def _cartesian_prod(*tensors: Tensor) -> Tensor:
    if len(tensors) == 1:
        return tensors[0].clone()
    with untraced():
        grids = torch.meshgrid(*[torch.arange(t.numel()) for t in tensors], indexing="ij")
        rows = [grid.reshape(-1).clone() for grid in grids]
    return torch.stack([t.index_select(0, row) for t, row in zip(tensors, rows)], 1)


def _meshgrid(*tensors: Any, indexing: Optional[str] = None) -> Any:
    """The first two change along each other's dimension; exporters have the order "ij" only."""
    given = list(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else list(tensors)
    if indexing != "xy" or any(tensor.dim() > 1 for tensor in given):
        return NotImplemented
    places = [1, 0, *range(2, len(given))] if len(given) > 1 else [0]
    sizes = [given[place].numel() for place in places]
    return tuple(tensor.reshape([-1 if d == place else 1 for d in range(len(given))]).expand(sizes)
                 for tensor, place in zip(given, places))


def _combinations(x: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    with untraced():
        rows = torch.tensor(list(choose(range(x.numel()), r)))
    return x.index_select(0, rows.reshape(-1)).reshape(rows.shape)


def _diag_embed(x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    size = int(x.shape[-1])
    whole = size + abs(offset)
    with untraced():
        mask = torch.diag_embed(torch.ones(size, dtype=torch.bool), offset)
    if whole > size:
        x = torch.cat([x, torch.zeros([*x.shape[:-1], whole - size], dtype=x.dtype)], -1)
    along = x.unsqueeze(-1) if offset >= 0 else x.unsqueeze(-2)
    result = torch.where(mask, along, torch.zeros([], dtype=x.dtype))
    if dim1 % result.dim() == result.dim() - 2 and dim2 % result.dim() == result.dim() - 1:
        return result
    return result.movedim((-2, -1), (dim1, dim2))


def _diagonal(x: Tensor, offset: int = 0) -> Tensor:
    """The diagonal of a matrix."""
    with untraced():
        rows = torch.arange(x.numel()).reshape(x.shape).diagonal(offset).clone()
    return x.reshape(-1).index_select(0, rows)


def _diag(x: Tensor, diagonal: int = 0) -> Tensor:
    return _diag_embed(x, diagonal) if x.dim() == 1 else _diagonal(x, diagonal)


def _diagflat(x: Tensor, offset: int = 0) -> Tensor:
    return _diag_embed(x.flatten(), offset)


def _fill_diagonal(x: Tensor, value: float, wrap: bool = False) -> Any:
    if x.dim() != 2 or wrap:
        return NotImplemented
    with untraced():
        mask = torch.zeros(x.shape, dtype=torch.bool).fill_diagonal_(True)
    return x.masked_fill(mask, value)


def _rot90(x: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    first, last = dims
    k %= 4
    if k == 0:
        return x.clone()
    if k == 2:
        return x.flip([first, last])
    return x.flip([last]).transpose(first, last) if k == 1 else x.transpose(first, last).flip([last])


def _at_least(tensor: Tensor, dims: int) -> Tensor:
    if dims >= 1 and tensor.dim() == 0:
        tensor = tensor.reshape(1)
    if dims >= 2 and tensor.dim() == 1:
        tensor = tensor.unsqueeze(0)
    return tensor.unsqueeze(2) if dims >= 3 and tensor.dim() == 2 else tensor


def _at_least_of(dims: int) -> Callable[..., Any]:

    def function(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return _at_least(tensors[0], dims)
        given = tensors[0] if len(tensors) == 1 else tensors
        return tuple(_at_least(tensor, dims) for tensor in given)

    return function


def _hstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    parts = [_at_least(t, 1) for t in tensors]
    return torch.cat(parts, 0 if parts[0].dim() == 1 else 1)


def _column_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    return torch.cat([t.reshape(-1, 1) if t.dim() < 2 else t for t in tensors], 1)


def _vstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    return torch.cat([_at_least(t, 2) for t in tensors], 0)


def _dstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    return torch.cat([_at_least(t, 3) for t in tensors], 2)


def _tensor_split(x: Tensor, indices_or_sections: Any, dim: int = 0) -> Any:
    sections = indices_or_sections
    if isinstance(sections, Tensor):
        return NotImplemented
    size = int(x.shape[dim])
    if isinstance(sections, int):
        each, longer = divmod(size, sections)
        sizes = [each + (i < longer) for i in range(sections)]
        ends = list(itertools.accumulate(sizes))
        starts = [0, *ends[:-1]]
    else:
        starts, ends = [0, *sections], [*sections, size]
    return tuple(x.narrow(dim, first, last - first) for first, last in zip(starts, ends))


def _broadcast_to(x: Tensor, *size: Any) -> Tensor:
    return x.expand(*size)


def _unflatten(x: Tensor, dim: int, sizes: Sequence[int], *more: Any) -> Any:
    dim %= x.dim()
    return x.reshape([*x.shape[:dim], *sizes, *x.shape[dim + 1:]])


def _channel_shuffle(x: Tensor, groups: int) -> Tensor:
    parts = x.reshape(x.shape[0], groups, int(x.shape[1]) // groups, *x.shape[2:])
    return parts.transpose(1, 2).reshape(x.shape)


def _pixel_unshuffle(x: Tensor, downscale_factor: int) -> Tensor:
    factor = downscale_factor
    *batch, channels, height, width = [int(size) for size in x.shape]
    parts = x.reshape(*batch, channels, height // factor, factor, width // factor, factor)
    first = len(batch)
    order = [*range(first), first, first + 2, first + 4, first + 1, first + 3]
    return parts.permute(order).reshape(*batch, channels * factor**2, height // factor,
                                        width // factor)


def _masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of the source one after the other, where the mask holds."""
    if x.shape != mask.shape:
        x, mask = torch.broadcast_tensors(x, mask)
    number = torch.cumsum(mask.reshape(-1).to(torch.int32), 0) - 1
    rows = number.clamp(0, source.numel() - 1)
    return torch.where(mask, source.reshape(-1).index_select(0, rows).reshape(x.shape), x)


def _fill(x: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value.to(x.dtype).expand(x.shape).clone()
    return torch.full_like(x, int(value) if isinstance(value, bool) else value)


def _put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    made = x.reshape(-1).index_put((index.reshape(-1), ), source.reshape(-1), accumulate)
    return made.reshape(x.shape)


def _searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False,
                  right: bool = False, side: Any = None, **named: Any) -> Any:
    if sorted_sequence.dim() != 1 or not isinstance(input, Tensor) or named:
        return NotImplemented
    value = input.unsqueeze(-1)
    before = sorted_sequence <= value if right or side == "right" else sorted_sequence < value
    return before.to(torch.int32).sum(-1).to(torch.int32 if out_int32 else torch.int64)


def _affine_grid(theta: Tensor, size: Sequence[int], align_corners: Optional[bool] = None) -> Any:
    if len(size) != 4:
        return NotImplemented
    with untraced():
        unit = torch.eye(2, 3).unsqueeze(0)
        base = torch.nn.functional.affine_grid(unit, [1, *size[1:]], bool(align_corners))
        base = torch.cat([base.reshape(-1, 2), torch.ones(int(size[2]) * int(size[3]), 1)], 1)
    made = torch.matmul(base, theta.transpose(1, 2))
    return made.reshape(int(size[0]), int(size[2]), int(size[3]), 2)


OPERATIONS: Dict[str, Callable[..., Any]] = {
    "atleast_1d": _at_least_of(1),
    "atleast_2d": _at_least_of(2),
    "atleast_3d": _at_least_of(3),
    "count_nonzero": _count_nonzero,
    "nansum": _nansum,
    "kthvalue": _kthvalue,
    "median": _median,
    "msort": lambda x: torch.sort(x, 0)[0],
    "cumprod": _cumprod,
    "cumsum": _cumsum,
    "trace": _trace,
    "addmv": _addmv,
    "addr": _addr,
    "addbmm": _addbmm,
    "inner": _inner,
    "vdot": lambda x, other: (x * other).sum(),
    "linalg_multi_dot": _multi_dot,
    "chain_matmul": lambda *matrices: _multi_dot(matrices),
    "matrix_power": _matrix_power,
    "linalg_matrix_power": _matrix_power,
    "kron": _kron,
    "cartesian_prod": _cartesian_prod,
    "meshgrid": _meshgrid,
    "combinations": _combinations,
    "diag": _diag,
    "diagflat": _diagflat,
    "diag_embed": _diag_embed,
    "fill_diagonal": _fill_diagonal,
    "fliplr": lambda x: x.flip([1]),
    "flipud": lambda x: x.flip([0]),
    "rot90": _rot90,
    "hstack": _hstack,
    "column_stack": _column_stack,
    "vstack": _vstack,
    "row_stack": _vstack,
    "dstack": _dstack,
    "tensor_split": _tensor_split,
    "broadcast_to": _broadcast_to,
    "unflatten": _unflatten,
    "channel_shuffle": _channel_shuffle,
    "pixel_unshuffle": _pixel_unshuffle,
    "fill": _fill,
    "masked_scatter": _masked_scatter,
    "put": _put,
    "searchsorted": _searchsorted,
    "affine_grid": _affine_grid,
}
