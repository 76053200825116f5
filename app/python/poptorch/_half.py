"""Half precision: models with halves run in float while they are traced, as PyTorch's CPU has few operations on halves."""
from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional

import torch
from torch.overrides import TorchFunctionMode

from ._mixed import as_meant, standing_for


class _InFloat(TorchFunctionMode):
    """Casts to half, and tensors that are half without being parameters, are float."""

    def __torch_function__(self, function: Callable[..., Any], types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        named = {key: self._changed(value) for key, value in (kwargs or {}).items()}
        if function is torch.Tensor.half:
            function = torch.Tensor.float
        return function(*self._changed(args), **named)

    def _changed(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.float() if value.dtype == torch.float16 else value
        if value is torch.float16:
            return torch.float32
        if type(value) in (list, tuple):
            return type(value)(self._changed(part) for part in value)
        return value


def in_float(half: bool) -> ContextManager[Any]:
    """A context in which a model with half parameters, which are float for now, computes in float."""
    return _InFloat() if half else contextlib.nullcontext()


_FINFO = torch.finfo

#: The threads that are told the limits of halves, once for each context; and the lock to change them.
_told: List[int] = []
_changing = threading.Lock()


class _Limits(type):
    """What is asked of torch.finfo as a type."""

    def __call__(cls, dtype: Optional[torch.dtype] = None) -> Any:
        kind = torch.get_default_dtype() if dtype is None else dtype
        return _FINFO(torch.float16 if kind == torch.float32 and threading.get_ident() in _told else kind)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, _FINFO)


class _FinfoOfHalves(metaclass=_Limits):
    """Stands for torch.finfo while a thread is told the limits of halves."""


@contextlib.contextmanager
def limits_of_halves(half: bool) -> Iterator[None]:
    """Makes torch.finfo() tell this thread the limits of halves for float, which stands for them: a mask of the least
    float would be infinite."""
    if not half:
        yield
        return
    thread = threading.get_ident()
    with _changing:
        _told.append(thread)
        torch.finfo = _FinfoOfHalves  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        with _changing:
            _told.remove(thread)
            if not _told:
                torch.finfo = _FINFO  # type: ignore[misc]


@contextlib.contextmanager
def floats_in(model: torch.nn.Module, half: bool, mixed: bool = False) -> Iterator[None]:
    """Makes a model with halves compute in float for a while. The model itself is given float parameters
    and buffers, as not every module can be copied; those that stand for its own if it is mixed."""
    made: Dict[int, torch.Tensor] = {}

    def once(tensor: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
        if tensor is None or not tensor.is_floating_point() or (tensor.dtype == torch.float32 and not mixed):
            return tensor
        if id(tensor) not in made:
            value = standing_for(tensor.detach()) if mixed else tensor.detach().float()
            made[id(tensor)] = torch.nn.Parameter(value, tensor.requires_grad) if isinstance(
                tensor, torch.nn.Parameter) else value
        return made[id(tensor)]

    def same(value: Any) -> Any:
        """Also where a module keeps them besides, as recurrent networks do; other values as they are."""
        if isinstance(value, torch.Tensor):
            return made.get(id(value), value)
        if type(value) not in (list, tuple):
            return value
        parts = [same(part) for part in value]
        return value if all(one is other for one, other in zip(parts, value)) else type(value)(parts)

    modules = list(model.modules()) if half else []
    dicts: List[Dict[str, Any]] = [own for module in modules for own in (module._parameters, module._buffers)]
    before = [(own, dict(own)) for own in dicts]
    try:
        for own in dicts:
            own.update({name: once(tensor) for name, tensor in own.items()})
        for own in [module.__dict__ for module in modules]:
            changed = {name: same(value) for name, value in own.items()}
            before.append((own, {name: value for name, value in own.items() if changed[name] is not value}))
            own.update(changed)
        with in_float(half and not mixed):
            yield
    finally:
        for own, values in before:
            own.update(values)
        for own in [part for module in modules if mixed for part in (module.__dict__, module._buffers)]:
            own.update({name: as_meant(value) for name, value in own.items()})  # what forward() keeps
