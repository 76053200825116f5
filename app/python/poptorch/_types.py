"""Element types of a model's results.

A model is traced in float, as PyTorch's CPU has few operations on halves. Which results are halves follows
from running forward() on tensors that have types and shapes only.
"""
from __future__ import annotations

import contextlib
import copy
from typing import Any, Callable, List, Optional

import torch
from torch.overrides import TorchFunctionMode

try:
    from torch._subclasses.fake_tensor import FakeCopyMode, FakeTensorMode
except ImportError:  # before PyTorch 1.13
    FakeCopyMode = FakeTensorMode = None

#: Types that an IPU does not have, and those that stand for them.
_ON_IPU = {torch.int64: torch.int32, torch.float64: torch.float32}

#: Makes forward() of a model with tensors instead of its arguments.
Forward = Callable[[torch.nn.Module], Callable[[List[torch.Tensor]], List[torch.Tensor]]]


def type_on_machine(dtype: torch.dtype) -> torch.dtype:
    """The type in which the machine returns a result."""
    return _ON_IPU.get(dtype, dtype)


def _has_half(tensors: List[torch.Tensor]) -> bool:
    return any(tensor.dtype == torch.float16 for tensor in tensors)


class _AsOperand(TorchFunctionMode):
    """Products have the type of their operand, whatever that of the weights."""

    _NAMES = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
              "conv_transpose3d")

    def __torch_function__(self, function: Any, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        if getattr(function, "__name__", "") in self._NAMES and args:
            kind = args[0].dtype
            args = [a.to(kind) if isinstance(a, torch.Tensor) else a for a in args]
        return function(*args, **(kwargs or {}))


class _WithoutValues(TorchFunctionMode):
    """Makes tensors of the program such without values, as parameters and operands are."""

    def __init__(self, mode: Any) -> None:
        super().__init__()
        self._mode = mode

    def __torch_function__(self, function: Any, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        return function(*self._faked(args), **{key: self._faked(value) for key, value in (kwargs or {}).items()})

    def _faked(self, value: Any) -> Any:
        if type(value) is torch.Tensor and value.device.type != "meta":
            return self._mode.from_tensor(value)
        return type(value)(self._faked(part) for part in value) if type(value) in (list, tuple) else value


class _Seen(TorchFunctionMode):
    """Notes whether a function has made real tensors other than halves."""

    def __init__(self) -> None:
        super().__init__()
        self.has_others = False

    def __torch_function__(self, function: Any, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        made = function(*args, **(kwargs or {}))
        for one in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(one, torch.Tensor) and one.is_floating_point() and one.dtype != torch.float16:
                self.has_others = True
        return made


def computes_in_half(model: torch.nn.Module, tensors: List[torch.Tensor], forward: Forward) -> bool:
    """Whether a model has parameters of half precision, or no real ones and makes nothing but halves of halves."""
    if _has_half(list(model.parameters())):
        return True
    state: List[Any] = [*model.parameters(), *model.buffers()]
    reals = [tensor for tensor in [*tensors, *state] if tensor.is_floating_point()]
    if not reals or not all(tensor.dtype == torch.float16 for tensor in reals):
        return False
    seen = _Seen()
    return _without_values(model, tensors, forward, seen) is not None and not seen.has_others


def has_halves(model: torch.nn.Module, tensors: List[torch.Tensor]) -> bool:
    """Whether a model has halves: as parameters, or if no parameter is real, as operands or buffers."""
    parameters = [parameter for parameter in model.parameters() if parameter.is_floating_point()]
    return _has_half(parameters or [*tensors, *model.buffers()])


def _without_values(model: torch.nn.Module, tensors: List[torch.Tensor], forward: Forward,
                    seen: Optional[_Seen] = None) -> Optional[List[torch.dtype]]:
    """The types of the results; None if PyTorch cannot tell, as for products of half and float."""
    if FakeTensorMode is None:
        return None
    mode = FakeTensorMode(allow_fallback_kernels=False)
    try:
        with FakeCopyMode(mode):
            copied = copy.deepcopy(model)
        given = [mode.from_tensor(tensor) for tensor in tensors]
        with torch.no_grad(), mode, _WithoutValues(mode), _AsOperand(), seen or contextlib.nullcontext():
            return [made.dtype for made in forward(copied)(given)]
    except Exception:  # pylint: disable=broad-except  # any error of the program
        return None


def result_types(model: torch.nn.Module, tensors: List[torch.Tensor], traced: List[torch.Tensor],
                 forward: Forward) -> List[torch.dtype]:
    """The types of the results of a model whose trace has the results `traced`. Where halves and floats
    meet in a product, the operand's type is the result's."""
    kinds = [result.dtype for result in traced]
    state: List[Any] = [*model.parameters(), *model.buffers()]
    if _has_half(tensors) or _has_half(state):
        found = _without_values(model, tensors, forward)
        if found is not None and len(found) == len(kinds):
            kinds = found
        else:
            given = [t for t in tensors if t.is_floating_point()] or state
            real = (torch.float16 if all(t.dtype == torch.float16 for t in given
                                         if t.is_floating_point()) else torch.float32)
            kinds = [real if kind == torch.float32 else kind for kind in kinds]
    return [type_on_machine(kind) for kind in kinds]
