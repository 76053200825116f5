"""Functions with a gradient that the program has written itself.

A trace has what they compute, and the machine differentiates that: it is an error where their own
gradient is another.
"""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import torch

from ._aliases import untraced
from ._errors import Error

#: Of gradients in float that two ways compute, relative to the largest element.
_TOLERANCE = 1e-3


class _Context:
    """What a forward() writes to."""

    def __init__(self, count: int) -> None:
        self.needs_input_grad = (True, ) * count
        self.saved_tensors: Tuple[torch.Tensor, ...] = ()

    def save_for_backward(self, *tensors: torch.Tensor) -> None:
        self.saved_tensors = tensors

    def _nothing(self, *values: Any) -> None:
        pass

    mark_dirty = mark_non_differentiable = set_materialize_grads = save_for_forward = _nothing


def _copies(args: Tuple[Any, ...]) -> Tuple[List[Any], List[torch.Tensor]]:
    """Operands with memory of their own, which may be changed in place, and what gradients are of."""
    copies = [a.detach().clone().requires_grad_(a.is_floating_point())
              if isinstance(a, torch.Tensor) else a for a in args]
    tensors = [(c, a) for c, a in zip(copies, args) if isinstance(c, torch.Tensor) and
               c.requires_grad]
    wanted = [c for c, a in tensors if a.requires_grad] or [c for c, _ in tensors]
    return [c.clone() if isinstance(c, torch.Tensor) else c for c in copies], wanted


def _gradients(results: Any, wanted: List[torch.Tensor]) -> List[Optional[torch.Tensor]]:
    """Of some sum of the results, by which their elements weigh differently."""
    parts = results if isinstance(results, tuple) else (results, )
    made = [p for p in parts if isinstance(p, torch.Tensor) and p.requires_grad]
    if not made:
        return [None] * len(wanted)
    weights = [torch.linspace(0.5, 1.5, p.numel(), dtype=p.dtype).reshape(p.shape) for p in made]
    return list(torch.autograd.grad(made, wanted, weights, allow_unused=True))


def _are_equal(one: Optional[torch.Tensor], other: Optional[torch.Tensor]) -> bool:
    if one is None or other is None:
        given = other if one is None else one
        return given is None or not bool(given.any())
    scale = float(other.abs().max()) if other.numel() else 0.0
    return torch.allclose(one, other, rtol=_TOLERANCE, atol=_TOLERANCE * scale, equal_nan=True)


def refuse_other_gradients(function: Any, args: Tuple[Any, ...], place: str) -> None:
    """Looks whether a Function's backward() is the derivative of its forward(), for these operands.

    Raises:
        poptorch.Error: if it is not.
    """
    floats = [a for a in args if isinstance(a, torch.Tensor) and a.is_floating_point()]
    if not floats:
        return
    # Those that were changed in place do not say that they have a gradient; data have none either.
    is_known = any(a.requires_grad for a in floats)
    numbers = torch.get_rng_state()
    with untraced(), torch.enable_grad():
        copies, wanted = _copies(args)
        own = _gradients(function.apply(*copies), wanted)
        torch.set_rng_state(numbers)
        copies, wanted = _copies(args)
        traced = _gradients(function.forward(_Context(len(args)), *copies), wanted)
        torch.set_rng_state(numbers)
    if not all(_are_equal(*pair) for pair in zip(own, traced)
               if is_known or pair[0] is not None):
        raise Error(f"backward() of the autograd.Function '{function.__name__}' is not the "
                    "derivative of what its forward() computes; only that is simulated. Write "
                    "another gradient by detach(), as x + (y - x).detach() for that of x; in "
                    f"{place}", "poptorch_cpp_error")
