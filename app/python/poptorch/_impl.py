"""Names of PopTorch's internals that programs use."""
from __future__ import annotations


def isDispatchTracing() -> bool:
    """Whether tensors of a model that is being compiled are on a device of their own: they never are, so
    that a program creates tensors as it does on the host."""
    return False
