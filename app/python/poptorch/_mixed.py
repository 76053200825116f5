"""Models of halves that compute in float in parts, as norms and softmaxes may.

PyTorch's CPU has few operations on halves. While such a model is traced, floats stand for halves and doubles for
floats, so that PyTorch's own rules tell the type of each result; the program sees the types that it means.
"""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterable, Optional, Tuple

import torch
from torch.overrides import TorchFunctionMode

from ._aliases import untraced, value_of
from ._known import known_while_tracing
from ._nested import MIXED, tensors_in

#: The type that stands for another one, and the one that is meant by it.
_STANDS = {torch.float16: torch.float32, torch.float32: torch.float64}
_MEANT = {torch.float32: torch.float16, torch.float64: torch.float32}

_CASTS = {torch.Tensor.half: torch.Tensor.float, torch.Tensor.float: torch.Tensor.double}

#: Functions that are exported with a cast of their result for one of their operand.
_CAST_FIRST = ("softmax", "log_softmax", "softmin")

#: Functions of operands of several types, by name without underscores. Exporters do not promote all of them, and take
#: what has no dimension for constants of the default type.
_PROMOTED = frozenset("""
    add addcdiv addcmul atan2 cat clamp clamp_max clamp_min clip concat copysign div divide eq fmod ge gt hstack
    iadd idiv imul isub itruediv le lerp lt maximum minimum mul multiply ne pow radd rdiv remainder rmul rpow rsub
    rtruediv stack sub subtract true_divide truediv vstack where""".split())

_JOINED = ("cat", "concat", "hstack", "stack", "vstack")

#: Functions that take numbers or tensors for their further operands, but not both.
_BOUNDED = ("clamp", "clamp_max", "clamp_min", "clip")


def standing_for(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the type that stands for that of the operand."""
    return tensor.to(_STANDS.get(tensor.dtype, tensor.dtype))


def meant_by(dtype: torch.dtype) -> torch.dtype:
    """The type that one stands for."""
    return _MEANT.get(dtype, dtype)


def as_meant(value: Any, within: Tuple[int, ...] = ()) -> Any:
    """A nested value of a mixed trace as the program means it; lists and dicts remain the same ones."""
    if isinstance(value, torch.Tensor):
        return value.to(meant_by(value.dtype)) if MIXED in value.__dict__ else value
    if type(value) not in (list, tuple, dict) or id(value) in within:
        return value
    within = (*within, id(value))
    for key, part in value.items() if type(value) is dict else enumerate(value):
        meant = as_meant(part, within)
        if meant is part:
            continue
        if type(value) is tuple:
            return tuple(as_meant(one, within) for one in value)
        value[key] = meant
    return value


def _promoted(args: Any, changes_first: bool) -> Any:
    """Operands of one real type, by PyTorch's rules: that of the first one if it is changed."""
    reals = [tensor for tensor in tensors_in(args) if tensor.is_floating_point()]
    tell = reals[:1] if changes_first else [tensor for tensor in reals if tensor.dim()] or reals
    kind = torch.float64 if any(tensor.dtype == torch.float64 for tensor in tell) else torch.float32
    return _each(args, lambda one: one.to(kind) if one.is_floating_point() and one.dtype != kind else one)


def _each(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) is dict:
        return {key: _each(part, change) for key, part in value.items()}
    return type(value)(_each(part, change) for part in value) if type(value) in (list, tuple) else value


def _are_floats_without_dimension(operands: Any) -> bool:
    """Whether the real ones among operands are floats, and none of them has a dimension."""
    reals = [tensor for tensor in tensors_in(operands) if tensor.is_floating_point()]
    return bool(reals) and all(one.dim() == 0 and one.dtype == torch.float64 for one in reals)


def _called_on_rows(function: Callable[..., Any], name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
    """The result of a function whose real operands have no dimension: they get one."""
    are_single = all(tensor.dim() == 0 for tensor in tensors_in([args, kwargs]))

    def row(operand: Any) -> Any:
        if isinstance(operand, torch.Tensor):
            is_mask = operand.dtype == torch.bool and name == "where"
            operand = operand if is_mask or operand.is_floating_point() else operand.double()
            return operand.reshape(1) if operand.dim() == 0 else operand
        if type(operand) not in (int, float) or name.strip("_") in _BOUNDED:
            return operand
        with untraced():
            return torch.tensor([operand], dtype=torch.float64)

    made = function(*(row(operand) for operand in args),
                    **{key: row(value) if isinstance(value, torch.Tensor) else value for key, value in kwargs.items()})
    return made.reshape(()) if are_single else made


def _changed_as_row(function: Callable[..., Any], name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
    """The same of a function that changes its first operand, or one that is given for its result."""
    if torch._C._get_tracing_state() is None:
        return function(*args, **kwargs)
    rest = {key: value for key, value in kwargs.items() if key != "out"}
    target = kwargs.get("out", args[0])
    other = name if "out" in kwargs else f"__{name[3:]}" if name.startswith("__i") else name[:-1]
    made = _called_on_rows(getattr(torch, other, None) or getattr(torch.Tensor, other), other, args, rest)
    with untraced(gradients=True):
        changed = function(*args, **kwargs)
    torch._C._set_value_trace(target, value_of(made.to(target.dtype)))
    return changed


def _type_named(kind: Any) -> Optional[torch.dtype]:
    """The type that Tensor.type() is told as a text or a class of tensors; None for anything else."""
    if kind in (torch.Tensor, "torch.Tensor"):
        return torch.get_default_dtype()
    if isinstance(kind, str) and kind.startswith("torch.") and kind.count(".") == 1:
        kind = getattr(torch, kind.split(".")[1], None)
    dtype = getattr(kind, "dtype", None)
    return dtype if isinstance(dtype, torch.dtype) else None


def _typed(tensor: torch.Tensor, dtype: Any = None, **others: Any) -> Any:
    """Tensor.type() of a tensor that stands for another, or is to."""
    if dtype is None:
        with untraced():
            return torch.empty(0, dtype=meant_by(tensor.dtype)).type()
    named = _type_named(dtype)
    return tensor.type(dtype, **others) if named is None else tensor.to(_STANDS.get(named, named))


def _as_double(operand: Any) -> Any:
    if isinstance(operand, torch.Tensor):
        return operand.double()
    with untraced():
        return torch.tensor(operand, dtype=torch.float64)


class Mixed(TorchFunctionMode):
    """Traces a model whose parameters and operands stand for others."""

    def __init__(self, operands: Iterable[torch.Tensor]) -> None:
        super().__init__()
        for tensor in operands:
            tensor.__dict__[MIXED] = True

    def __torch_function__(self, function: Callable[..., Any], types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        given = self.standing([list(args), kwargs or {}])
        made = _typed(*given[0], **given[1]) if function is torch.Tensor.type else self._called(
            _CASTS.get(function, function), given[0], given[1])
        if isinstance(made, torch.dtype):
            return meant_by(made)
        for tensor in tensors_in(made):
            tensor.__dict__[MIXED] = True
        return made

    def standing(self, value: Any) -> Any:
        """Nested operands, with what stands for the program's own tensors and types."""
        if isinstance(value, torch.dtype):
            return _STANDS.get(value, value)
        if isinstance(value, torch.Tensor):
            if value.dtype not in _STANDS or MIXED in value.__dict__:
                return value
            if torch._C._get_tracing_state() is not None and not known_while_tracing(value_of(value)):
                return value  # made where no mode sees it
            with untraced():
                return standing_for(value)
        if type(value) in (list, tuple):
            return type(value)(self.standing(part) for part in value)
        return {key: self.standing(part) for key, part in value.items()} if type(value) is dict else value

    def in_trace(self, result: torch.Tensor) -> torch.Tensor:
        """What stands for a result of forward(), which may be a tensor of the program."""
        made = self.standing(result)
        value_of(made)  # makes it a constant of the trace if it has no value there
        return made

    def _called(self, function: Callable[..., Any], args: Any, kwargs: Dict[str, Any]) -> Any:
        if getattr(function, "__name__", "") in _CAST_FIRST and kwargs.get("dtype") is not None:
            args = [args[0].to(kwargs.pop("dtype")), *args[1:]]
        name = getattr(function, "__name__", "")
        if name.strip("_") in _PROMOTED:
            changes = name.startswith("__i") or (name.endswith("_") and not name.startswith("_"))
            out = {"out": kwargs.pop("out")} if "out" in kwargs else {}
            args, kwargs = _promoted([args, kwargs], changes)
            called = _changed_as_row if changes or out else _called_on_rows
            if name not in _JOINED and _are_floats_without_dimension([args, kwargs]):
                return called(function, name, args, {**kwargs, **out})
            kwargs = {**kwargs, **out}
        if name in ("std", "var") and not kwargs and len(args) == 1:
            return function(args[0].flatten(), 0, keepdim=True).reshape(())
        made = function(*args, **kwargs)
        if not isinstance(made, torch.Tensor) or made.dtype != torch.float32 or any(
                isinstance(value, torch.dtype) for value in [*args, *kwargs.values()]):
            return made
        operands = list(tensors_in([args, kwargs]))
        if function is torch.Tensor.float or any(one.is_floating_point() for one in operands):
            return made
        return self._of_default_type(function, made, args, kwargs)

    def _of_default_type(self, function: Callable[..., Any], made: torch.Tensor, args: Any,
                         kwargs: Dict[str, Any]) -> torch.Tensor:
        """What was made of no real tensor is of the default type, for which a double stands."""
        if getattr(function, "__name__", "") == "where":
            named = {key: value if key == "condition" else _as_double(value) for key, value in kwargs.items()}
            return function(*args[:1], *map(_as_double, args[1:]), **named)
        state = torch._C._get_tracing_state()
        try:
            if not any(True for _ in tensors_in([args, kwargs])):
                return function(*args, **kwargs, dtype=torch.float64)
            doubles = [one.double() if isinstance(one, torch.Tensor) else one for one in args]
            return self._called(function, doubles, kwargs)
        except (TypeError, RuntimeError):
            torch._C._set_tracing_state(state)  # which an error within the tracer ends
            is_known = state is not None and known_while_tracing(value_of(made))
            with untraced() if is_known else contextlib.nullcontext():
                return made.double()
