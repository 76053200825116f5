"""Inputs, parameters and buffers that a forward() changes in place."""
from __future__ import annotations

from typing import Dict, List

import torch

from ._aliases import untraced, value_of
from ._errors import Error
from ._watch import Watch


class Changes:
    """Which of the given tensors a forward() has changed in place."""

    def __init__(self, watch: Watch, tensors: Dict[str, torch.Tensor]) -> None:
        values = {name: value_of(tensor).unique() for name, tensor in tensors.items()}
        with untraced():
            watch.refresh(list(tensors.values()))  # they own their memory, whichever is used first
            self._before = [(name, tensor, values[name], tensor.detach().clone())
                            for name, tensor in tensors.items()]

    def tensors(self) -> List[torch.Tensor]:
        return [tensor for _, tensor, _, _ in self._before]

    def bring_up_to_date(self, watch: Watch) -> None:
        watch.refresh(self.tensors())

    def made(self, watch: Watch) -> Dict[str, torch.Tensor]:
        """By name, the tensors that have a new value in the trace.

        Raises:
            poptorch.Error: for a tensor that has changed without being traced.
        """
        changed = {}
        for name, tensor, value, copy in self._before:
            watch.refresh(tensor)
            if value_of(tensor).unique() != value and watch.has_changed(tensor):
                changed[name] = tensor
            elif not watch.norms.updates(tensor) and not _same(tensor, copy):
                raise Error(f"tensor '{name}' is changed in forward() without PyTorch's operations "
                            "(by NumPy, say), which cannot be traced", "poptorch_cpp_error")
        return changed


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    with untraced():
        if torch.equal(one, other):
            return True
        return bool(((one == other) | ((one != one) & (other != other))).all())
