"""Functions that torch.onnx has no form for, or a wrong one, in terms of others.

Named after torch's functions and methods, with the same arguments. NotImplemented: torch.onnx has a
correct form for these arguments.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional, Sequence, Union

import torch

from ._aliases import untraced, value_of
from ._bits import BITS
from ._call_forms import along_all, as_filled, as_numbers, promoted, runs_along_nothing
from ._decomposed_ctc import ctc_loss
from ._decomposed_elements import ELEMENTS
from ._decomposed_layers import LAYERS
from ._decomposed_losses import LOSSES
from ._decomposed_more import MORE, PROPERTIES
from ._decomposed_norms import NORMS, trains
from ._decomposed_ops import OPERATIONS
from ._decomposed_pools import POOLS
from ._decomposed_random import FILLS, RANDOM
from ._decomposed_rows import ROWS
from ._decomposed_sizes import SIZES
from ._errors import Error
from ._functions import detached
from ._known import known_while_tracing

Tensor = torch.Tensor


def _atan2(y: Tensor, other: Tensor) -> Tensor:
    """By the quotient whose divisor is the larger, so that its slope is right on the axes."""
    kind = torch.result_type(y, other)
    if not kind.is_floating_point:
        kind = torch.get_default_dtype()
    y, x = y.to(kind), other.to(kind)
    zero = torch.zeros_like(y * x)
    is_steep = torch.abs(y) > torch.abs(x)
    over, under = torch.where(is_steep, x + zero, y + zero), torch.where(is_steep, y + zero, x + zero)
    angle = torch.atan(over / torch.where(under == 0, zero + 1, under))
    beyond = torch.where(y < 0, zero - math.pi, zero + math.pi)
    steep = torch.where(y < 0, zero - math.pi / 2, zero + math.pi / 2) - angle
    return torch.where(is_steep, steep, torch.where(x < 0, angle + beyond, angle))


def _logit(x: Tensor, eps: Optional[float] = None) -> Tensor:
    if eps is not None:
        x = x.clamp(eps, 1 - eps)
    return torch.log(x / (1 - x))


def _trunc(x: Tensor) -> Tensor:
    return torch.sign(x) * torch.floor(torch.abs(x)) if x.is_floating_point() else x.clone()


def _fmod(x: Tensor, other: Any) -> Tensor:
    kind = torch.result_type(x, other)
    quotient = _trunc(x / other)
    return x - other * (quotient if kind.is_floating_point else quotient.to(kind))


def _threshold(x: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:
    if inplace:
        return NotImplemented
    return torch.where(x > threshold, x, torch.full_like(x, value))


def _asinh(x: Tensor) -> Tensor:
    # Of |x|, as the logarithm's argument would cancel for large negative x; keeps the slope at zero.
    is_negative = x < 0
    size = torch.where(is_negative, -x, x)
    square = size * size
    result = torch.log1p(size + square / (1 + torch.sqrt(square + 1)))
    return torch.where(is_negative, -result, result)


def _bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    left, right = input1.reshape(-1, input1.shape[-1]), input2.reshape(-1, input2.shape[-1])
    result = torch.einsum("ni,kij,nj->nk", left, weight, right)
    result = result.reshape(*input1.shape[:-1], weight.shape[0])
    return result if bias is None else result + bias


def _chunk(x: Tensor, chunks: int, dim: int = 0) -> Any:
    size = int(x.shape[dim])
    if size % chunks == 0:
        return NotImplemented
    return _pieces(x, -(-size // chunks), dim)


def _clamp(x: Tensor, min: Any = None, max: Any = None) -> Any:
    """Bounds that are tensors have a gradient where they are the result."""
    if not (isinstance(min, Tensor) or isinstance(max, Tensor)) or not trains():
        return NotImplemented
    for bound, is_beyond in ((min, torch.lt), (max, torch.gt)):
        if bound is not None:
            if not isinstance(bound, Tensor):
                with untraced():
                    bound = torch.tensor(bound, dtype=x.dtype)
            x = torch.where(is_beyond(x, bound), bound, x)
    return x


def _best_of(largest: bool) -> Callable[..., Any]:
    kind = torch.return_types.max if largest else torch.return_types.min

    def best(x: Tensor, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
        """Of equal elements, the one whose index is returned gets the whole gradient."""
        if not isinstance(dim, int) or isinstance(dim, bool) or named or not trains() or (
                x.dim() == 0 or not x.is_floating_point()):
            return NotImplemented
        values, numbers = torch.topk(x, 1, dim, largest)
        if not keepdim:
            values, numbers = values.squeeze(dim), numbers.squeeze(dim)
        return kind((values, numbers))

    return best


def _best_of_all(name: str) -> Callable[..., Any]:

    def best(x: Tensor, dim: Any = (), keepdim: bool = False, **named: Any) -> Any:
        if dim not in ((), []) or x.dim() == 0:
            return NotImplemented
        return getattr(x, name)(list(range(x.dim())), keepdim)

    return best


def _pow(x: Any, exponent: Any, **named: Any) -> Any:
    """The gradient of x^0 is zero everywhere, including at zero."""
    if isinstance(exponent, Tensor) or exponent != 0 or not trains():
        return NotImplemented
    return torch.ones_like(x)


def _split(x: Tensor, split_size: Any = None, dim: int = 0, *, split_size_or_sections: Any = None) -> Any:
    each = split_size if split_size is not None else split_size_or_sections
    if not isinstance(each, int) or int(x.shape[dim]) % each == 0:
        return NotImplemented
    return _pieces(x, each, dim)


def _pieces(x: Tensor, each: int, dim: int) -> Any:
    size = int(x.shape[dim])
    return tuple(x.narrow(dim, first, min(each, size - first)) for first in range(0, size, each))


def _roll(x: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    if dims is None or dims == ():
        return _roll(x.flatten(), shifts, 0).reshape(x.shape)
    pairs = zip(shifts, dims) if isinstance(dims, (list, tuple)) else [(shifts, dims)]
    x = x.clone()  # even if nothing moves
    for shift, dim in pairs:
        if not -x.dim() <= dim < x.dim():
            raise IndexError(f"Dimension out of range (expected to be in range of [{-x.dim()}, {x.dim() - 1}], "
                             f"but got {dim})")
        size = int(x.shape[dim])
        first = int(shift) % size
        if first:
            x = torch.cat([x.narrow(dim, size - first, first), x.narrow(dim, 0, size - first)], dim)
    return x


def _flip(x: Tensor, *dims: Any, **named: Any) -> Any:
    given = (named["dims"], ) if "dims" in named else dims
    return x.clone() if given in ((), ((), ), ([], )) else NotImplemented


def _sort(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Truth values in the order of numbers."""
    if x.dtype != torch.bool:
        return NotImplemented
    values, numbers = torch.sort(x.to(torch.int32), *args, **kwargs)
    return torch.return_types.sort((values.to(torch.bool), numbers))


def _argsort(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    return torch.argsort(x.to(torch.int32), *args, **kwargs) if x.dtype == torch.bool else NotImplemented


def _aminmax(x: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    if x.dim() > 0 or dim is None:
        return NotImplemented
    made = x.reshape(1) if keepdim else x.clone()
    return torch.return_types.aminmax((made, made))


def _repeat_interleave(x: Tensor, repeats: Any, dim: Optional[int] = None, **named: Any) -> Any:
    if isinstance(repeats, Tensor) and not known_while_tracing(value_of(repeats)):
        raise Error("repeat_interleave: how often elements repeat is only known when the model runs, and so is the "
                    "size of the result; use constants")
    if dim is None:
        return _repeat_interleave(x.flatten(), repeats, 0)
    with untraced():
        rows = torch.arange(int(x.shape[dim])).repeat_interleave(repeats)
    return x.index_select(dim, rows)


def _tile(x: Tensor, *counts: Any, dims: Any = ()) -> Tensor:
    counts = counts or (dims, )
    if len(counts) == 1 and isinstance(counts[0], (list, tuple)):
        counts = tuple(counts[0])
    return x.repeat([*[1] * (x.dim() - len(counts)), *counts]) if x.dim() or counts else x.clone()


def _take_along_dim(x: Tensor, indices: Tensor, dim: Optional[int] = None) -> Tensor:
    if dim is None:
        return torch.gather(x.flatten(), 0, indices.flatten())
    shape = list(x.shape)
    other = list(indices.shape)
    for d in range(x.dim()):
        if d != dim % x.dim():
            shape[d] = other[d] = max(int(x.shape[d]), int(indices.shape[d]))
    return torch.gather(x.expand(shape), dim, indices.expand(other))


def _index_copy(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    from_front = x.movedim(dim, 0)
    rows = index.reshape(-1)
    values = source.movedim(dim, 0) if source.dim() else source.reshape(1)
    values = values.expand(rows.shape[0], *from_front.shape[1:])
    return from_front.index_put((rows, ), values).movedim(0, dim)


def _index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    values = source.movedim(dim, 0) if source.dim() else source.reshape(1)
    values = values * alpha if alpha != 1 else values
    result = x.movedim(dim, 0).index_put((index.reshape(-1), ), values, accumulate=True)
    return result.movedim(0, dim)


def _index_fill(x: Tensor, dim: int, index: Tensor, value: Union[float, Tensor]) -> Tensor:
    from_front = x.movedim(dim, 0)
    rows = index.reshape(-1)
    if not isinstance(value, Tensor):
        with untraced():
            value = torch.tensor(value, dtype=x.dtype)
    values = value.to(x.dtype).expand(rows.shape[0], *from_front.shape[1:])
    return from_front.index_put((rows, ), values).movedim(0, dim)


def _scatter_by(name: str) -> Callable[..., Any]:
    """Supports a source larger than the index, which selects the elements that are used."""

    def scatter(x: Tensor, dim: int, index: Tensor, src: Any = None, *, reduce: Any = None,
                **value: Any) -> Any:
        if reduce == "multiply" and isinstance(src, Tensor):
            part = src[tuple(slice(size) for size in index.shape)]
            return ROWS["scatter_reduce"](x, dim, index, part, "prod")
        if not isinstance(src, Tensor) or (src.shape == index.shape and reduce != "add"):
            return NotImplemented
        part = src[tuple(slice(size) for size in index.shape)]
        if reduce == "add":
            return x.scatter_add(dim, index, part)
        if reduce is not None:
            return NotImplemented
        return getattr(x, name)(dim, index, part, **value)

    return scatter


def _prod(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if not (trains() and x.is_floating_point()) or dtype is not None:
        return NotImplemented
    if dim is None:
        return product(x.flatten(), 0)
    return product(x, dim, keepdim)


def product(x: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """prod() without a division in its gradient."""
    if int(x.shape[dim]) == 1:
        x = x.clone()  # not a view
    while int(x.shape[dim]) > 1:
        size = int(x.shape[dim])
        half = size // 2
        parts = [x.narrow(dim, 0, half) * x.narrow(dim, half, half)]
        if size % 2:
            parts.append(x.narrow(dim, size - 1, 1))
        x = torch.cat(parts, dim)
    return x if keepdim else x.squeeze(dim)


def _embedding(indices: Tensor, weight: Tensor, padding_idx: Optional[int] = None,
               max_norm: Optional[float] = None, norm_type: float = 2.0,
               scale_grad_by_freq: bool = False, sparse: bool = False) -> Any:
    if max_norm is not None:
        raise Error("embedding: max_norm, which changes the weights in forward(), is not simulated; "
                    "leave it out")
    if padding_idx is None or not (weight.requires_grad and torch.is_grad_enabled()):
        return NotImplemented
    found = torch.nn.functional.embedding(indices, weight)
    is_padding = indices.unsqueeze(-1) == padding_idx % weight.shape[0]
    return torch.where(is_padding, detached(found), found)


def _addcdiv(x: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return x + value * tensor1 / tensor2


def _elements(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A view computed from the indices of its elements."""

    def decomposed(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        with untraced():
            rows = function(torch.arange(x.numel()).reshape(x.shape), *args, **kwargs).clone()
        return x.reshape(-1).index_select(0, rows.reshape(-1)).reshape(rows.shape)

    return decomposed


TABLE: Dict[str, Callable[..., Any]] = {
    **ELEMENTS,
    **LAYERS,
    **LOSSES,
    **MORE,
    **NORMS,
    **OPERATIONS,
    **POOLS,
    **RANDOM,
    **ROWS,
    **SIZES,
    **BITS,
    "ctc_loss": ctc_loss,
    "exp2": lambda x: torch.exp(x * math.log(2)),
    "sinh": lambda x: (torch.expm1(x) - torch.expm1(-x)) * 0.5,
    "cosh": lambda x: (torch.exp(x) + torch.exp(-x)) * 0.5,
    "asinh": _asinh,
    "acosh": lambda x: torch.log(x + torch.sqrt(x * x - 1)),
    "atanh": lambda x: torch.log1p(2 * x / (1 - x)) * 0.5,  # also near zero
    "trunc": _trunc,
    "fix": _trunc,
    "frac": lambda x: x - _trunc(x),
    "threshold": _threshold,
    "_threshold": _threshold,
    "logit": _logit,
    "special_logit": _logit,
    "deg2rad": lambda x: x * (math.pi / 180),
    "rad2deg": lambda x: x * (180 / math.pi),
    "positive": lambda x: x,
    "atan2": _atan2,
    "arctan2": _atan2,
    "hypot": lambda x, other: torch.sqrt(x * x + other * other),
    "fmod": _fmod,
    "prod": _prod,
    "clamp": _clamp,
    "clip": _clamp,
    "clamp_min": _clamp,
    "clamp_max": lambda x, max: _clamp(x, None, max),
    "max": _best_of(True),
    "min": _best_of(False),
    "amax": _best_of_all("amax"),
    "amin": _best_of_all("amin"),
    "pow": _pow,
    "__pow__": _pow,
    "embedding": _embedding,
    "addcdiv": _addcdiv,
    "bilinear": _bilinear,
    "chunk": _chunk,
    "split": _split,
    "roll": _roll,
    "flip": _flip,
    "aminmax": _aminmax,
    "sort": _sort,
    "argsort": _argsort,
    "t": lambda x: NotImplemented if x.dim() == 2 else x.view(x.shape),
    "repeat_interleave": _repeat_interleave,
    "tile": _tile,
    "take_along_dim": _take_along_dim,
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _index_fill,
    "scatter": _scatter_by("scatter"),
    "scatter_add": _scatter_by("scatter_add"),
}

#: Views; their results still share memory with the operand.
VIEWS: Dict[str, Callable[..., Tensor]] = {
    "diagonal": _elements(torch.Tensor.diagonal),
    "unfold": _elements(torch.Tensor.unfold),
    "as_strided": _elements(torch.Tensor.as_strided),
}


def form_in_place(name: str) -> Optional[Callable[..., Any]]:
    """What computes the new value of the first operand of a method such as "add_"."""
    return FILLS.get(name) or TABLE.get(name[:-1])


def decomposed(name: str, function: Callable[..., Any], args: Any, kwargs: Dict[str, Any]) -> Any:
    """The result of a call; NotImplemented if the function is not decomposed."""
    if name in VIEWS and function is not torch.nn.functional.unfold:
        made = VIEWS[name](*args, **kwargs)
        with untraced(), torch.set_grad_enabled(made.requires_grad):
            result = function(*args, **kwargs)
        torch._C._set_value_trace(result, value_of(made))
        return result
    if name == "__get__":
        form = next((form for attribute, form in PROPERTIES if attribute == function), None)
        return NotImplemented if form is None else form(args[0])
    if runs_along_nothing(name, args, kwargs):
        return as_numbers(_formed(name, function, (args[0].reshape(1), *args[1:]), kwargs))
    real, named = along_all(name, *as_filled(name, promoted(name, args), kwargs))
    if real is args and named is kwargs:
        return TABLE[name](*args, **kwargs) if name in TABLE else NotImplemented
    return _formed(name, function, real, named)


def _formed(name: str, function: Callable[..., Any], args: Any, kwargs: Dict[str, Any]) -> Any:
    """The result of a call in another form than the program's, of a function that changes nothing."""
    made = TABLE[name](*args, **kwargs) if name in TABLE else NotImplemented
    return function(*args, **kwargs) if made is NotImplemented else made
