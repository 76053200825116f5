"""Functions that PyTorch itself composes of others, which torch.onnx does not take apart, and less
frequent ones."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import torch

from ._aliases import untraced
from ._decomposed_elements import ELEMENTS
from ._decomposed_norms import vector_norm
from ._decomposed_ops import OPERATIONS, _diagonal
from ._decomposed_rows import ROWS
from ._errors import Error

Tensor = torch.Tensor


def _last(x: Tensor, dim: int) -> Tensor:
    """The tensor with a dimension moved to the end."""
    dim %= max(x.dim(), 1)
    return x.permute([d for d in range(x.dim()) if d != dim] + [dim])


def _back(x: Tensor, dim: int) -> Tensor:
    """The last dimension moved to a place."""
    order = list(range(x.dim() - 1))
    order.insert(dim % x.dim(), x.dim() - 1)
    return x.permute(order)


# Parts of a tensor


def _split_along(dim_of: Callable[[Tensor], int]) -> Callable[..., Any]:

    def split(x: Tensor, indices_or_sections: Any) -> Any:
        return OPERATIONS["tensor_split"](x, _checked(x, indices_or_sections, dim_of(x)), dim_of(x))

    return split


def _checked(x: Tensor, sections: Any, dim: int) -> Any:
    if isinstance(sections, int) and int(x.shape[dim]) % sections:
        raise RuntimeError(f"split: the size {int(x.shape[dim])} is not divisible by {sections}")
    return sections


def _replaced(x: Tensor, part: Tensor, rows: Callable[[Tensor], Tensor]) -> Tensor:
    """The tensor with the elements of a view of it replaced by those of another tensor."""
    with untraced():
        view = rows(torch.arange(x.numel()).reshape(x.shape))
        source = torch.arange(x.numel())
        source[view.reshape(-1)] = torch.arange(x.numel(), x.numel() + part.numel()).reshape(part.shape).expand(
            view.shape).reshape(-1)
    both = torch.cat([x.reshape(-1), part.to(x.dtype).reshape(-1)])
    return both.index_select(0, source).reshape(x.shape)


def _select_scatter(x: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    return _replaced(x, src, lambda places: places.select(dim, index))


def _slice_scatter(x: Tensor, src: Tensor, dim: int = 0, start: Optional[int] = None,
                   end: Optional[int] = None, step: int = 1) -> Tensor:
    keys = [slice(None)] * (dim % x.dim()) + [slice(start, end, step)]
    return _replaced(x, src, lambda places: places[tuple(keys)])


def _diagonal_scatter(x: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return _replaced(x, src, lambda places: places.diagonal(offset, dim1, dim2))


def _diagonal_of(x: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    with untraced():
        places = torch.arange(x.numel()).reshape(x.shape).diagonal(offset, dim1, dim2).clone()
    return x.reshape(-1).index_select(0, places.reshape(-1)).reshape(places.shape)


def _block_diag(*blocks: Tensor) -> Tensor:
    parts = [b.reshape(1, -1) if b.dim() < 2 else b for b in blocks]
    width, before, rows = sum(int(p.shape[1]) for p in parts), 0, []
    for part in parts:
        own = int(part.shape[1])
        rows.append(torch.nn.functional.pad(part, (before, width - before - own)))
        before += own
    return torch.cat(rows, 0)


def _renorm(x: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    others = [d for d in range(x.dim()) if d != dim % x.dim()]
    size = vector_norm(x, p, others, True)
    return x * torch.where(size > maxnorm, maxnorm / (size + 1e-7), torch.ones_like(size))


# Reductions by an index


def _index_reduce(x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *,
                  include_self: bool = True) -> Tensor:
    shape = [-1 if d == dim % x.dim() else 1 for d in range(x.dim())]
    spread = index.reshape(shape).expand(source.shape)
    return ROWS["scatter_reduce"](x, dim, spread, source, reduce, include_self=include_self)


# Differences and sums along a dimension


def _diff(x: Tensor, n: int = 1, dim: int = -1, prepend: Optional[Tensor] = None,
          append: Optional[Tensor] = None) -> Tensor:
    if n == 0:
        return x.clone()
    parts = [part for part in (prepend, x, append) if part is not None]
    x = torch.cat(parts, dim) if len(parts) > 1 else x
    for _ in range(n):
        size = int(x.shape[dim])
        later, earlier = x.narrow(dim, 1, size - 1), x.narrow(dim, 0, size - 1)
        x = later ^ earlier if x.dtype == torch.bool else later - earlier
    return x


def _trapezoids(y: Tensor, x: Optional[Tensor], dx: float, dim: int) -> Tensor:
    size = int(y.shape[dim])
    height = y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)
    if x is None:
        return height * (dx / 2)
    width = _diff(x, dim=-1 if x.dim() == 1 else dim)
    if x.dim() == 1 and y.dim() > 1:
        width = width.reshape([-1 if d == dim % y.dim() else 1 for d in range(y.dim())])
    return height * width / 2


def _trapezoid(y: Tensor, x: Optional[Tensor] = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    if int(y.shape[dim]) < 2:
        return y.sum(dim) * 0
    return _trapezoids(y, x, dx, dim).sum(dim)


def _cumulative_trapezoid(y: Tensor, x: Optional[Tensor] = None, *, dx: float = 1,
                          dim: int = -1) -> Tensor:
    return torch.cumsum(_trapezoids(y, x, dx, dim), dim)


def _logcumsumexp(x: Tensor, dim: int) -> Tensor:
    """Each result of the elements up to its own, the others left out."""
    size = int(x.shape[dim])
    rows = _last(x, dim).unsqueeze(-2)
    later = torch.ones(size, size, dtype=torch.bool).triu(1)
    lowest = torch.full([1], torch.finfo(x.dtype).min, dtype=x.dtype)
    return _back(torch.logsumexp(torch.where(later, lowest, rows), -1), dim)


def _cumulative_best(largest: bool) -> Callable[..., Any]:
    kind = torch.return_types.cummax if largest else torch.return_types.cummin  # type: ignore[attr-defined]

    def best(x: Tensor, dim: int) -> Any:
        if not x.is_floating_point() and x.dtype != torch.int32:  # bytes and truth values have other limits
            values, places = best(x.to(torch.int32), dim)
            return kind([values.to(x.dtype), places])
        size = int(x.shape[dim])
        rows = _last(x, dim).unsqueeze(-2)
        later = torch.ones(size, size, dtype=torch.bool).triu(1)
        limits = torch.finfo(x.dtype) if x.is_floating_point() else torch.iinfo(torch.int32)
        least = torch.full([1], limits.min if largest else limits.max, dtype=x.dtype)
        rows = torch.where(later, least, rows)
        values = rows.amax(-1) if largest else rows.amin(-1)
        places = torch.where(rows == values.unsqueeze(-1), torch.arange(size), torch.tensor([-1])).amax(-1)
        return kind([_back(values, dim), _back(places, dim)])

    return best


# Statistics


def _nanmean(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    axes = list(range(x.dim())) if dim is None else dim
    is_number = x == x
    total = torch.where(is_number, x, torch.zeros_like(x)).sum(axes, keepdim)
    return total / is_number.to(x.dtype).sum(axes, keepdim)


def _outer(x: Tensor, vec2: Tensor) -> Any:
    """Exporters give the result the first operand's type."""
    return x[:, None] * vec2 if x.dtype != vec2.dtype else NotImplemented


def _cov(x: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    if fweights is not None or aweights is not None:
        return NotImplemented
    rows = x.reshape(1, -1) if x.dim() < 2 else x
    rows = rows if rows.is_floating_point() else rows.to(torch.get_default_dtype())
    rows = rows - rows.mean(1, keepdim=True)
    made = torch.matmul(rows, rows.transpose(0, 1)) / max(int(rows.shape[1]) - correction, 0)
    return made.reshape(()) if made.numel() == 1 else made


def _corrcoef(x: Tensor) -> Tensor:
    found = _cov(x)
    if found.dim() == 0:
        return found / found
    deviation = _diagonal(found).sqrt()
    return (found / deviation.unsqueeze(0) / deviation.unsqueeze(1)).clamp(-1, 1)


def _quantile(x: Tensor, q: Any, dim: Optional[int] = None, keepdim: bool = False, *,
              interpolation: str = "linear") -> Any:
    if isinstance(q, Tensor) or interpolation != "linear":
        return NotImplemented
    flat = dim is None
    rows = _last(x.reshape(-1) if flat else x, 0 if dim is None else dim)
    rows = torch.sort(rows, -1)[0]
    place = q * (int(rows.shape[-1]) - 1)
    low = math.floor(place)
    first, second = rows[..., low], rows[..., min(low + 1, int(rows.shape[-1]) - 1)]
    made = first + (second - first) * (place - low)
    if not keepdim:
        return made
    return made.reshape([1] * x.dim()) if dim is None else made.unsqueeze(dim)


def _histc(x: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    if min == max:
        return NotImplemented
    values = x.reshape(-1)
    place = ((values - min) * (bins / (max - min))).floor().clamp(0, bins - 1)
    is_within = (values >= min) & (values <= max)
    own = place.unsqueeze(-1) == torch.arange(bins).to(x.dtype)
    return (own & is_within.unsqueeze(-1)).to(x.dtype).sum(0)


# Products and distances


def _vecdot(x: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    return (x * other).sum(dim)


def _dist(x: Tensor, other: Tensor, p: float = 2) -> Tensor:
    return vector_norm((x - other).reshape(-1), p)


def _pdist(x: Tensor, p: float = 2.0) -> Tensor:
    count = int(x.shape[0])
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    one, other = (torch.tensor([pair[side] for pair in pairs], dtype=torch.long) for side in (0, 1))
    return vector_norm(x.index_select(0, one) - x.index_select(0, other), p, 1)


def _vander(increasing: bool) -> Callable[..., Tensor]:

    def vander(x: Tensor, N: Optional[int] = None, **given: Any) -> Tensor:
        x = x.reshape(1) if x.dim() == 0 else x
        x = x if x.is_floating_point() else x.to(torch.int64)
        count = int(x.shape[-1]) if N is None else N
        powers: List[Tensor] = [torch.ones_like(x)]
        while len(powers) < count:
            powers.append(powers[-1] * x)
        upwards = increasing or bool(given.get("increasing"))
        return torch.stack(powers[:count] if upwards else powers[:count][::-1], -1)

    return vander


# Elements


def _isin(elements: Union[Tensor, float], test_elements: Any, *, assume_unique: bool = False,
          invert: bool = False) -> Tensor:
    wanted = test_elements if isinstance(test_elements, Tensor) else torch.tensor([test_elements])
    x = elements if isinstance(elements, Tensor) else torch.tensor(elements)
    found = (x.unsqueeze(-1) == wanted.reshape(-1)).any(-1)
    return torch.logical_not(found) if invert else found


def _signbit(x: Tensor) -> Tensor:
    if not x.is_floating_point():
        return x < 0
    return torch.where(x == 0, 1 / x, x) < 0


#: Of the fit of erfc() by Press et al., Numerical Recipes, 6.2: its logarithm in 1 / (1 + z / 2), within 1.2e-7.
_LOG_ERFC = (-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
             -0.82215223, 0.17087277)


def _log_ndtr(x: Tensor) -> Tensor:
    """By the logarithm of the tail, as a difference from one would lose it."""
    size = torch.where(x < 0, -x, x) * math.sqrt(0.5)
    t = 1 / (1 + size * 0.5)
    sum_of = torch.full_like(t, _LOG_ERFC[-1])
    for factor in reversed(_LOG_ERFC[:-1]):
        sum_of = sum_of * t + factor
    tail = torch.log(t) - size * size + sum_of
    return torch.where(x < 0, tail - math.log(2), torch.log1p(-0.5 * torch.exp(tail)))


def _ndtr(x: Tensor) -> Tensor:
    return 0.5 * ELEMENTS["erfc"](-x * math.sqrt(0.5))


def _shifted(name: str) -> Callable[..., Tensor]:

    def shift(x: Tensor, other: Any) -> Tensor:
        return x << other if name == "left" else x >> other

    return shift


def _gradient(x: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> Any:
    dims = range(x.dim()) if dim is None else [dim] if isinstance(dim, int) else dim
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [1 if spacing is None else spacing] * len(dims)
    if edge_order != 1 or not all(isinstance(step, (int, float)) for step in steps):
        raise Error("gradient: tensors as spacing and an edge_order of 2 are not simulated; use numbers and an "
                    "edge_order of 1")
    if len(steps) != len(dims):
        raise TypeError("gradient: not one spacing for each dimension")
    made = []
    for axis, step in zip(dims, steps):
        size = int(x.shape[axis])
        if size < 2:
            raise Error("gradient: a dimension of one element has no differences")
        first = x.narrow(axis, 1, 1) - x.narrow(axis, 0, 1)
        inner = (x.narrow(axis, 2, size - 2) - x.narrow(axis, 0, size - 2)) / 2
        last = x.narrow(axis, size - 1, 1) - x.narrow(axis, size - 2, 1)
        parts = [first, inner, last] if size > 2 else [first, last]
        made.append(torch.cat(parts, axis) / step)
    return tuple(made)


MORE: Dict[str, Callable[..., Any]] = {
    "hsplit": _split_along(lambda x: 0 if x.dim() == 1 else 1),
    "vsplit": _split_along(lambda x: 0),
    "dsplit": _split_along(lambda x: 2),
    "ravel": lambda x: x.reshape(-1),
    "adjoint": lambda x: x.transpose(-2, -1),
    "swapdims": lambda x, dim0, dim1: x.transpose(dim0, dim1),
    "select_scatter": _select_scatter,
    "slice_scatter": _slice_scatter,
    "diagonal_scatter": _diagonal_scatter,
    "block_diag": _block_diag,
    "renorm": _renorm,
    "index_reduce": _index_reduce,
    "diff": _diff,
    "gradient": _gradient,
    "trapezoid": _trapezoid,
    "trapz": _trapezoid,
    "cumulative_trapezoid": _cumulative_trapezoid,
    "logcumsumexp": _logcumsumexp,
    "cummax": _cumulative_best(True),
    "cummin": _cumulative_best(False),
    "nanmean": _nanmean,
    "outer": _outer,
    "ger": _outer,
    "cov": _cov,
    "corrcoef": _corrcoef,
    "quantile": _quantile,
    "histc": _histc,
    "linalg_vecdot": _vecdot,
    "vecdot": _vecdot,
    "linalg_diagonal": _diagonal_of,
    "dist": _dist,
    "pdist": _pdist,
    "vander": _vander(False),
    "linalg_vander": _vander(True),
    "isin": _isin,
    "isposinf": lambda x: x == math.inf,
    "isneginf": lambda x: x == -math.inf,
    "isreal": lambda x: torch.ones_like(x, dtype=torch.bool),
    "signbit": _signbit,
    "special_ndtr": _ndtr,
    "special_log_ndtr": _log_ndtr,
    "bitwise_left_shift": _shifted("left"),
    "bitwise_right_shift": _shifted("right"),
}

#: Attributes of tensors that are views.
PROPERTIES: List[Any] = [
    (torch.Tensor.mT.__get__, lambda x: x.transpose(-2, -1)),  # type: ignore[attr-defined]
    (torch.Tensor.mH.__get__, lambda x: x.transpose(-2, -1)),  # type: ignore[attr-defined]
    (torch.Tensor.H.__get__, lambda x: x.transpose(0, 1)),  # type: ignore[attr-defined]
]
