"""Loops and conditions within a model."""
from __future__ import annotations

from typing import Any, Callable, List

import torch

from ._blocks import current_scopes
from ._errors import Error
from ._logging import say_once


def _by_value(inputs: Any, what: str) -> List[torch.Tensor]:
    """Copies of operands, so that bodies may change them."""
    if not isinstance(inputs, list):
        raise ValueError(f"{what} to be a list. (Object is not list)")
    for number, tensor in enumerate(inputs):
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(f"{what} to be a list of tensors. (Object contained in list at index "
                             f"{number} is not torch.tensor)")
    return [tensor.clone() for tensor in inputs]


def _only_in_inference(name: str) -> None:
    scopes = current_scopes()
    if scopes is not None and scopes.trains:
        raise Error(f"poptorch.{name}() is only supported in inference.", "poptorch_cpp_error")


def _as_list(made: Any) -> List[torch.Tensor]:
    return list(made) if isinstance(made, (list, tuple)) else [made]


def for_loop(trip_count: int, body: Callable[..., Any], inputs: List[torch.Tensor]
             ) -> List[torch.Tensor]:
    """Calls ``body`` ``trip_count`` times, each time with the previous results; the first time with
    copies of the inputs. The compiled model contains all calls, one after the other.

    Raises:
        ValueError: if ``inputs`` is not a list of tensors.
        poptorch.Error: in a model that is trained.
    """
    values = _by_value(inputs, "poptorch.for_loop expects input tensors (arg 2)")
    _only_in_inference("for_loop")
    for _ in range(trip_count):
        values = _as_list(body(*values))
    return values


def cond(condition: torch.Tensor, then_body: Callable[..., Any], then_inputs: List[torch.Tensor],
         else_body: Callable[..., Any], else_inputs: List[torch.Tensor]) -> List[torch.Tensor]:
    """The results of ``then_body`` if the condition, one truth value, holds, else those of
    ``else_body``. The compiled model contains both and selects; its time is that of both.

    Raises:
        ValueError: if the inputs are not lists of tensors.
        poptorch.Error: in a model that is trained, or if the bodies have different results.
    """
    first = _by_value(then_inputs, "poptorch.cond expects then_inputs (arg 2)")
    other = _by_value(else_inputs, "poptorch.cond expects else_inputs (arg 4)")
    _only_in_inference("cond")
    if current_scopes() is None:
        return _as_list(then_body(*first) if bool(condition) else else_body(*other))
    say_once("poptorch.cond: a simulation does not know which body runs; both are timed, and the "
             "results of one are selected")
    made, otherwise = _as_list(then_body(*first)), _as_list(else_body(*other))
    if [t.shape for t in made] != [t.shape for t in otherwise]:
        raise Error("poptorch.cond: both bodies must have results of the same shapes, not "
                    f"{[list(t.shape) for t in made]} and {[list(t.shape) for t in otherwise]}")
    holds = condition.reshape(())
    return [torch.where(holds, one, two) for one, two in zip(made, otherwise)]
