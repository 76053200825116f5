"""Functions with a gradient written by the program itself.

A trace records what they compute, and the machine differentiates that: it is an error if their own
gradient differs.
"""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import torch
from torch.autograd.function import FunctionMeta

from ._aliases import untraced
from ._errors import Error

#: Allowed difference of gradients computed in float in two ways, relative to the largest element.
_TOLERANCE = 1e-3


class Calls:
    """A context that intercepts every call of a torch.autograd.Function, even through an apply()
    that the program has taken from its class before.

    PyTorch reads ``_backward_cls`` of a class before it reads the operands, and ``forward`` before
    it calls that: here the metaclass provides both. ``begins()`` is called first, then
    ``forward(function, original, context, *args)`` instead of the class's own.
    """

    def __init__(self, begins: Callable[[], None], forward: Callable[..., Any]) -> None:
        self._begins, self._forward = begins, forward

    def __enter__(self) -> None:
        self._answer("_backward_cls", self._backward)
        self._answer("forward", self._watched)

    def __exit__(self, *_: Any) -> None:
        del FunctionMeta._backward_cls, FunctionMeta.forward

    def _answer(self, name: str, get: Callable[[Any], Any]) -> None:

        def put(function: Any, value: Any) -> None:
            delattr(FunctionMeta, name)  # otherwise this would be called again
            setattr(function, name, value)
            self._answer(name, get)

        setattr(FunctionMeta, name, property(get, put))

    @staticmethod
    def _own(function: Any, name: str) -> Any:
        for base in function.__mro__:
            if name in base.__dict__:
                found = base.__dict__[name]
                return found.__get__(None, function) if isinstance(found, staticmethod) else found
        raise AttributeError(name)

    def _backward(self, function: Any) -> Any:
        self._begins()
        return self._own(function, "_backward_cls")

    def _watched(self, function: Any) -> Any:
        original = self._own(function, "forward")
        return lambda context, *args: self._forward(function, original, context, *args)


class _Context:
    """The context argument of forward()."""

    def __init__(self, count: int) -> None:
        self.needs_input_grad = (True, ) * count
        self.saved_tensors: Tuple[torch.Tensor, ...] = ()

    def save_for_backward(self, *tensors: torch.Tensor) -> None:
        self.saved_tensors = tensors

    def _nothing(self, *values: Any) -> None:
        pass

    mark_dirty = mark_non_differentiable = set_materialize_grads = save_for_forward = _nothing


def _copies(args: Tuple[Any, ...]) -> Tuple[List[Any], List[torch.Tensor]]:
    """Copies of the operands, which may be changed in place, and the tensors to differentiate by."""
    copies = [a.detach().clone().requires_grad_(a.is_floating_point())
              if isinstance(a, torch.Tensor) else a for a in args]
    tensors = [(c, a) for c, a in zip(copies, args) if isinstance(c, torch.Tensor) and
               c.requires_grad]
    wanted = [c for c, a in tensors if a.requires_grad] or [c for c, _ in tensors]
    return [c.clone() if isinstance(c, torch.Tensor) else c for c in copies], wanted


def _gradients(results: Any, wanted: List[torch.Tensor]) -> List[Optional[torch.Tensor]]:
    """Gradients of a sum of the results in which their elements have different weights."""
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
    """Checks that a Function's backward() is the derivative of its forward(), for these operands.

    Raises:
        poptorch.Error: if it is not.
    """
    floats = [a for a in args if isinstance(a, torch.Tensor) and a.is_floating_point()]
    if not floats:
        return
    # Tensors changed in place do not tell that they have a gradient; input data have none either.
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
                    "another gradient with detach(), such as x + (y - x).detach() for that of x; in "
                    f"{place}", "poptorch_cpp_error")
