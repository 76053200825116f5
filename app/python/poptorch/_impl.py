"""Names of PopTorch's internals that programs use."""
from __future__ import annotations

import torch

from ._aliases import value_of
from ._blocks import current_scopes
from ._errors import Error


def isDispatchTracing() -> bool:
    """Whether tensors of a model that is being compiled are on a device of their own: they never are, so
    that a program creates tensors as it does on the host."""
    return False


def getIpuTensorId(x: torch.Tensor) -> int:
    """A number that identifies a tensor's value in the model that is being compiled.

    Raises:
        poptorch.Error: outside of models.
    """
    if current_scopes() is None or torch._C._get_tracing_state() is None:
        raise Error("You may only call getIpuTensorId on an IPU tensor")
    return int(value_of(x).unique())
