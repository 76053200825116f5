"""Tensors within a model that are kept by calls (Options.anchorTensor)."""
from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import torch

from . import _jobs, enums
from ._compiled import Executable
from ._errors import Error, as_poptorch_error
from ._instances import Instances


def stacked(values: torch.Tensor, shape: torch.Size, replicas: int, accumulation: int
            ) -> torch.Tensor:
    """Micro-batches one after the other in the first dimension. With a number of `replicas`, the sum of
    each replica's instead, which has `accumulation` of them in an iteration."""
    if replicas:
        values = values.reshape(-1, replicas, accumulation, *shape).sum((0, 2))
    count = values.shape[0]
    if len(shape) == 0:
        return values.reshape(() if count == 1 else (count, ))
    return values.reshape(count * shape[0], *shape[1:])


#: PopART's prefixes of a weight's gradient and of the weight after an update.
_GRADIENT, _UPDATED = "Gradient___", "UpdatedVar___"


class Anchors(Executable):
    """The tensors that a call keeps, and their values after it."""

    _instances: Optional[Instances]

    def getTensorNames(self) -> List[str]:
        """Names of weights, in training of their gradients ("Gradient___" and the weight's name) and of
        what they are after an update ("UpdatedVar___" and the name), of inputs and of results of
        operations in the compiled model, for :meth:`poptorch.Options.anchorTensor`."""
        names = list(self._program().program.tensor_names())
        return names + [_UPDATED + name[len(_GRADIENT):] for name in names if name.startswith(_GRADIENT)]

    def _anchor_names(self) -> List[str]:
        return [long_name for long_name, _, _ in self._anchored().values()]

    def _anchored(self) -> Dict[str, Tuple[str, Optional[enums.OutputMode], int]]:
        """The anchors; PopTorch's names of weights begin with "model.". After a call a weight is what
        its last update has made of it."""
        weights = {name: weight.requires_grad for name, weight in self._user_model.named_parameters()}

        def plain(name: str) -> str:
            prefix, mark, weight = name.rpartition("___")
            own = weight[len("model."):] if weight.startswith("model.") else weight
            known = own if weight not in weights and own in weights else weight
            if prefix + mark == _UPDATED and self._training and weights.get(known):
                return known
            return f"{prefix}{mark}{known}"

        return {short: (plain(name), mode, every)
                for short, (name, mode, every) in self._options.anchored_tensors.items()}

    def _wanted_of_anchors(self) -> Dict[str, List[int]]:
        """Micro-batches of each kept tensor."""
        wanted: Dict[str, set] = {}
        for long_name, mode, every in self._anchored().values():
            wanted.setdefault(long_name, set()).update(self._numbers(mode, every))
        return {name: sorted(numbers) for name, numbers in wanted.items()}

    def _numbers(self, mode: Optional[enums.OutputMode], every: int) -> List[int]:
        """Micro-batches of an output mode, by default that of the outputs."""
        numbers = _jobs.wanted_micro_batches(self._options, self._training, mode, every)
        return numbers if self._instances is None else self._instances.own_micro_batches(numbers)

    def getAnchoredTensor(self, short_name: str) -> torch.Tensor:
        """The value after the last call of a tensor named by Options.anchorTensor(), which may be any
        of :meth:`getTensorNames`. A gradient is that of each micro-batch, before gradients are
        accumulated or summed over replicas, times the loss scaling.

        Raises:
            poptorch.Error: for an unknown name, or before the first call.
        """
        anchors = self._anchored()
        if short_name not in anchors:
            raise Error(f"No tensor with name {short_name} found.")
        long_name, mode, every = anchors[short_name]
        program = self._program().program
        with as_poptorch_error():
            if long_name in program.weights():
                return torch.from_numpy(program.weight(long_name))
            array = program.anchored(long_name)
        kept, own = self._wanted_of_anchors()[long_name], self._numbers(mode, every)
        array = array[[kept.index(number) for number in own]]
        return stacked(torch.from_numpy(array), torch.Size(array.shape[1:]), *self._summed(mode))

    def _summed(self, mode: Optional[enums.OutputMode] = None) -> Tuple[int, int]:
        """For :func:`stacked`, whether and how an output mode adds up."""
        sums = (mode or self._options.output_mode) == enums.OutputMode.Sum
        accumulation = self._options.Training.gradient_accumulation if self._training else 1
        return self._options.replication_factor if sums else 0, accumulation
