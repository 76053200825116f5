"""Pooling with arguments that torch.onnx has no form for, or another meaning of."""
from __future__ import annotations

import functools
import math
from typing import Any, Callable, Dict, List, Sequence, Union

import torch

from ._aliases import untraced

Tensor = torch.Tensor


def _each(value: Any, count: int) -> List[int]:
    """A number for each dimension."""
    numbers = [int(n) for n in value] if isinstance(value, (list, tuple)) else [int(value)]
    return numbers * count if len(numbers) == 1 else numbers


def _after(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool) -> int:
    """The padding after the data for as many windows as PyTorch has: all begin within the data or
    the padding before it. Negative if windows do not reach its end."""
    extent = dilation * (kernel - 1) + 1
    steps = (size + 2 * padding - extent) / stride
    windows = (math.ceil(steps) if ceil else math.floor(steps)) + 1
    if ceil and (windows - 1) * stride >= size + padding:
        windows -= 1
    return (windows - 1) * stride + extent - size - padding


def _padded(x: Tensor, before: Sequence[int], after: Sequence[int], value: float) -> Tensor:
    pads = [pad for pair in zip(reversed(before), reversed(after)) for pad in pair]
    return torch.nn.functional.pad(x, pads, value=value)


def _also_of_one(name: str, count: int, form: Callable[..., Any]) -> Callable[..., Any]:
    """A form of a pool that is one of a single sample without a batch, too, which exporters do not expect."""

    @functools.wraps(form)
    def pool(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        if x.dim() != count + 1:
            return form(x, *args, **kwargs)
        made = form(x.unsqueeze(0), *args, **kwargs)
        if made is NotImplemented:
            made = getattr(torch.nn.functional, name)(x.unsqueeze(0), *args, **kwargs)
        return tuple(part.squeeze(0) for part in made) if isinstance(made, tuple) else made.squeeze(0)

    return pool


def _max_pool(name: str, count: int) -> Callable[..., Any]:
    """ONNX has a last window that begins in the padding after the data."""

    def pool(x: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
             ceil_mode: bool = False, return_indices: bool = False) -> Any:
        if not ceil_mode or return_indices:
            return NotImplemented
        kernel = _each(kernel_size, count)
        step = _each(stride, count) if stride else kernel
        before, spread = _each(padding, count), _each(dilation, count)
        after = [_after(int(size), *rest, True)
                 for size, *rest in zip(x.shape[-count:], kernel, step, before, spread)]
        padded = _padded(x, before, after, -math.inf)
        return getattr(torch.nn.functional, name)(padded, kernel, step, 0, spread)

    return _also_of_one(name, count, pool)


def _avg_pool(name: str, count: int) -> Callable[..., Any]:

    def pool(x: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor_override: Union[int, None] = None) -> Any:
        """The mean of whole windows, times what PyTorch's divisor makes of it."""
        if divisor_override is None and not ceil_mode:
            return NotImplemented
        mean_of = getattr(torch.nn.functional, name)
        kernel = _each(kernel_size, count)
        step = _each(stride, count) if stride else kernel
        before = _each(padding, count)
        after = [_after(int(size), *rest, 1, ceil_mode)
                 for size, *rest in zip(x.shape[-count:], kernel, step, before)]
        mean = mean_of(_padded(x, before, after, 0.0), kernel, step)
        with untraced():
            ones = torch.ones([1, 1, *map(int, x.shape[-count:])])
            divisor = {} if divisor_override is None else {"divisor_override": divisor_override}
            own = mean_of(ones, kernel, step, before, ceil_mode, count_include_pad, **divisor)
            factor = own / mean_of(_padded(ones, before, after, 0.0), kernel, step)
            factor = factor.reshape(factor.shape[-count:]).to(x.dtype)
        return mean * factor

    return _also_of_one(name, count, pool)


def adaptive_pool(kind: str, count: int) -> Callable[..., Any]:
    """By a pool if the sizes divide those of the data, else a window after the other."""

    def adaptive(x: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        given = output_size if isinstance(output_size, (list, tuple)) else [output_size] * count
        sizes = [int(size) for size in x.shape[-count:]]
        wanted = [size if one is None else int(one) for one, size in zip(given, sizes)]
        if return_indices or len(wanted) != count:
            return NotImplemented
        if x.dim() == count + 1:  # one sample, which exporters do not expect
            return adaptive(x.unsqueeze(0), output_size).squeeze(0)
        if all(size % one == 0 for one, size in zip(wanted, sizes)):
            kernel = [size // one for one, size in zip(wanted, sizes)]
            return getattr(torch.nn.functional, f"{kind}_pool{count}d")(x, kernel, kernel)
        for dim, one in enumerate(wanted, x.dim() - count):
            x = _by_windows(x, dim, one, torch.Tensor.mean if kind == "avg" else torch.Tensor.amax)
        return x

    return adaptive


def _by_windows(x: Tensor, dim: int, count: int, reduced: Callable[..., Tensor]) -> Tensor:
    """Windows of as equal sizes as possible along a dimension; they may share elements."""
    size = int(x.shape[dim])
    ends = [(size * i // count, -(-size * (i + 1) // count)) for i in range(count)]
    return torch.cat([reduced(x.narrow(dim, first, last - first), dim, True) for first, last in ends], dim)


POOLS: Dict[str, Callable[..., Any]] = {
    **{f"adaptive_{kind}_pool{count}d": adaptive_pool(kind, count)
       for kind in ("avg", "max") for count in (1, 2, 3)},
    "max_pool1d": _max_pool("max_pool1d", 1),
    "max_pool2d": _max_pool("max_pool2d", 2),
    "max_pool3d": _max_pool("max_pool3d", 3),
    "avg_pool1d": _avg_pool("avg_pool1d", 1),
    "avg_pool2d": _avg_pool("avg_pool2d", 2),
    "avg_pool3d": _avg_pool("avg_pool3d", 3),
}
