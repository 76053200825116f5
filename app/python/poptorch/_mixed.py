"""Models of halves that compute in float in parts, as norms and softmaxes may.

PyTorch's CPU has few operations on halves. While such a model is traced, floats stand for halves and doubles for
floats, so that PyTorch's own rules tell the type of each result; the program sees the types that it means.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Iterator

import torch
from torch.overrides import TorchFunctionMode

from ._aliases import TRACED, untraced, value_of
from ._known import known_while_tracing

#: The type that stands for another one, and the one that is meant by it.
_STANDS = {torch.float16: torch.float32, torch.float32: torch.float64}
_MEANT = {torch.float32: torch.float16, torch.float64: torch.float32}

_CASTS = {torch.Tensor.half: torch.Tensor.float, torch.Tensor.float: torch.Tensor.double}

#: Functions that are exported with a cast of their result for one of their operand.
_CAST_FIRST = ("softmax", "log_softmax", "softmin")

#: Functions of operands of several types, by name without underscores. Exporters do not promote all of them, and take
#: what has no dimension for constants of the default type.
_PROMOTED = frozenset("""
    add addcdiv addcmul atan2 cat concat copysign div divide eq fmod ge gt hstack iadd idiv imul isub itruediv le
    lerp lt maximum minimum mul multiply ne pow radd rdiv remainder rmul rpow rsub rtruediv stack sub subtract true_divide
    truediv vstack where""".split())

_JOINED = ("cat", "concat", "hstack", "stack", "vstack")


def standing_for(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the type that stands for that of the operand."""
    return tensor.to(_STANDS.get(tensor.dtype, tensor.dtype))


def meant_by(dtype: torch.dtype) -> torch.dtype:
    """The type that one stands for."""
    return _MEANT.get(dtype, dtype)


def _tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors_in(part)
    elif isinstance(value, dict):
        yield from _tensors_in(list(value.values()))


def _promoted(args: Any, changes_first: bool) -> Any:
    """Operands of one real type, by PyTorch's rules: that of the first one if it is changed."""
    reals = [tensor for tensor in _tensors_in(args) if tensor.is_floating_point()]
    tell = reals[:1] if changes_first else [tensor for tensor in reals if tensor.dim()] or reals
    kind = torch.float64 if any(tensor.dtype == torch.float64 for tensor in tell) else torch.float32
    return _each(args, lambda tensor: tensor.to(kind) if tensor.is_floating_point() and tensor.dtype != kind else tensor)


def _each(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    return type(value)(_each(part, change) for part in value) if type(value) in (list, tuple) else value


def _are_floats_without_dimension(args: Any) -> bool:
    tensors = list(_tensors_in(args))
    return bool(tensors) and all(one.dim() == 0 and one.dtype == torch.float64 for one in tensors)


def _as_rows(args: Any) -> Any:
    """Numbers as tensors of one element."""

    def row(number: Any) -> Any:
        if type(number) not in (int, float):
            return number
        with untraced():
            return torch.tensor([number], dtype=torch.float64)

    return [_each(row(value), lambda tensor: tensor.reshape(1)) for value in args]


class Mixed(TorchFunctionMode):
    """Traces a model whose parameters and operands stand for others."""

    def __init__(self, operands: Iterable[torch.Tensor]) -> None:
        super().__init__()
        for tensor in operands:
            tensor.__dict__[TRACED] = True

    def __torch_function__(self, function: Callable[..., Any], types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        given = self._standing([list(args), kwargs or {}])
        made = self._called(_CASTS.get(function, function), given[0], given[1])
        if isinstance(made, torch.dtype):
            return meant_by(made)
        for tensor in _tensors_in(made):
            tensor.__dict__[TRACED] = True
        return made

    def _standing(self, value: Any) -> Any:
        if isinstance(value, torch.dtype):
            return _STANDS.get(value, value)
        if isinstance(value, torch.Tensor):
            if value.dtype not in _STANDS or TRACED in value.__dict__:
                return value
            if torch._C._get_tracing_state() is not None and not known_while_tracing(value_of(value)):
                return value  # made where no mode sees it
            with untraced():
                return standing_for(value)
        if type(value) in (list, tuple):
            return type(value)(self._standing(part) for part in value)
        return {key: self._standing(part) for key, part in value.items()} if type(value) is dict else value

    def _called(self, function: Callable[..., Any], args: Any, kwargs: Dict[str, Any]) -> Any:
        if getattr(function, "__name__", "") in _CAST_FIRST and kwargs.get("dtype") is not None:
            args = [args[0].to(kwargs.pop("dtype")), *args[1:]]
        name = getattr(function, "__name__", "")
        if name.strip("_") in _PROMOTED:
            changes = name.startswith("__i") or (name.endswith("_") and not name.startswith("_"))
            args = _promoted(args, changes)
            if not changes and not kwargs and name not in _JOINED and _are_floats_without_dimension(args):
                return function(*_as_rows(args)).reshape(())
        if name in ("std", "var") and not kwargs and len(args) == 1:
            return function(args[0].flatten(), 0, keepdim=True).reshape(())
        made = function(*args, **kwargs)
        if not isinstance(made, torch.Tensor) or made.dtype != torch.float32 or any(
                isinstance(value, torch.dtype) for value in [*args, *kwargs.values()]):
            return made
        operands = list(_tensors_in([args, kwargs]))
        if function is torch.Tensor.float or any(one.is_floating_point() for one in operands):
            return made
        # Made of no real tensor it is of the default type, for which a double stands.
        try:
            if not operands:
                return function(*args, **kwargs, dtype=torch.float64)
            doubles = [one.double() if isinstance(one, torch.Tensor) else one for one in args]
            return self._called(function, doubles, kwargs)
        except (TypeError, RuntimeError):
            return made
