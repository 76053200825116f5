"""Half precision: models with halves run in float while they are traced, as PyTorch's CPU has few operations on halves."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional

import torch
from torch.overrides import TorchFunctionMode


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


@contextlib.contextmanager
def floats_in(model: torch.nn.Module, half: bool) -> Iterator[None]:
    """Makes a model with halves compute in float for a while. The model itself is given float parameters
    and buffers, as not every module can be copied."""
    made: Dict[int, torch.Tensor] = {}

    def once(tensor: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
        if tensor is None or not tensor.is_floating_point() or tensor.dtype == torch.float32:
            return tensor
        if id(tensor) not in made:
            value = tensor.detach().float()
            made[id(tensor)] = torch.nn.Parameter(value, tensor.requires_grad) if isinstance(
                tensor, torch.nn.Parameter) else value
        return made[id(tensor)]

    dicts: List[Dict[str, Any]] = [] if not half else [
        own for module in model.modules() for own in (module._parameters, module._buffers)]
    before = [dict(own) for own in dicts]
    try:
        for own in dicts:
            own.update({name: once(tensor) for name, tensor in own.items()})
        with in_float(half):
            yield
    finally:
        for own, values in zip(dicts, before):
            own.update(values)
