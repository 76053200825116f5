"""Running statistics of normalisations, whose changes a trace does not record.

A BatchNormalization updates its statistics on the machine if its result is used; exporters drop
operations with unused results. The updates of dropped ones, and those of instance normalisations,
are traced like any other change of buffers.
"""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

import torch

from ._aliases import Aliases, stand_in, untraced, value_of
from ._errors import Error
from ._known import OF_SHAPES

class _Call(NamedTuple):
    """A call of a batch normalisation that trains."""
    x: torch.Tensor  #: at the time of the call
    mean: torch.Tensor
    variance: torch.Tensor
    momentum: float
    result: Any  #: in the trace


def _read_by(values: List[Any]) -> Dict[int, Any]:
    """The given values in a trace and all values that their contents depend on, by number."""
    read: Dict[int, Any] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value.unique() in read:
            continue
        read[value.unique()] = value
        node = value.node()
        if node.kind() in OF_SHAPES:
            continue
        waiting += list(node.inputs())
        for block in node.blocks():
            waiting += list(block.outputs())
    return read


class Norms:
    """The normalisations of a trace."""

    def __init__(self, aliases: Aliases) -> None:
        self._aliases = aliases
        self._calls: List[_Call] = []
        self._updated: Dict[int, torch.Tensor] = {}  #: by operators on the machine, by id

    def updates(self, buffer: torch.Tensor) -> bool:
        """Whether a normalisation on the machine updates this buffer."""
        return id(buffer) in self._updated

    def note(self, result: torch.Tensor, x: torch.Tensor, running_mean: Optional[torch.Tensor],
             running_var: Optional[torch.Tensor], weight: Any = None, bias: Any = None,
             training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> None:
        """Records a call of batch_norm()."""
        if not training or running_mean is None or running_var is None:
            return
        self._calls.append(
            _Call(stand_in(x), running_mean, running_var, momentum, value_of(result)))
        for buffer in (running_mean, running_var):
            self._updated[id(buffer)] = buffer

    def update_unused(self, results: List[torch.Tensor]) -> None:
        """Adds the updates of calls whose results are not used.

        Raises:
            poptorch.Error: if the normalisation is also called with a used result, or with the
                result of another call.
        """
        if not self._calls:
            return
        read = _read_by([value_of(tensor) for tensor in results])
        unused = [call for call in self._calls if call.result.unique() not in read]
        used = {id(call.mean) for call in self._calls if call.result.unique() in read}
        operands = _read_by([value_of(call.x) for call in unused])
        for call in unused:
            if id(call.mean) in used or call.result.unique() in operands:
                raise Error("a batch normalisation is called several times or with another's "
                            "result, and not all results are used: the order of such updates is "
                            "not simulated. Use them all", "poptorch_cpp_error")
            # Its result may still be used for its shape, which is that of the operand.
            call.result.replaceAllUsesWith(value_of(call.x))
            self._move(call.mean, call.variance, call.momentum, call.x)

    def update_of_instances(self, x: torch.Tensor, running_mean: Optional[torch.Tensor] = None,
                            running_var: Optional[torch.Tensor] = None, weight: Any = None,
                            bias: Any = None, use_input_stats: bool = True, momentum: float = 0.1,
                            eps: float = 1e-5) -> None:
        """Updates the statistics of an instance_norm() that is about to be called."""
        if use_input_stats and running_mean is not None and running_var is not None:
            self._move(running_mean, running_var, momentum, stand_in(x), of_instances=True)

    def _move(self, mean: torch.Tensor, variance: torch.Tensor, momentum: float, x: torch.Tensor,
              of_instances: bool = False) -> None:
        """Updates running statistics with those of the data."""
        axes = [d for d in range(x.dim()) if d != 1 and not (of_instances and d == 0)]
        for buffer, new in ((mean, x.mean(axes)), (variance, x.var(axes, True))):
            new = new.mean(0) if of_instances else new
            self._aliases.refresh(buffer)
            moved = buffer * (1 - momentum) + new * momentum
            with untraced():
                buffer.copy_(moved)
            torch._C._set_value_trace(buffer, value_of(moved))
            self._aliases.changed(buffer)
