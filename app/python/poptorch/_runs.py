"""One call of a compiled program: its results, and the time that it takes."""
from __future__ import annotations

import time
from typing import Any, Dict, List

import numpy
import torch
from libpvti._recorder import recorder as _pvti

from . import _jobs, _tracing, enums
from ._anchors import Anchors, stacked
from ._compiled import Compiled
from ._errors import Error, as_poptorch_error


class Runs(Anchors):
    """Runs the program, or waits as long as the machine takes."""

    _zero: List[float]  #: start of the first call, empty before it
    _call_start: float

    def _run_program(self, compiled: Compiled, inputs: Dict[str, numpy.ndarray],
                     wanted: List[int]) -> List[numpy.ndarray]:
        """A call that takes as long as on the machine, on the clock of the program's tracepoints."""
        start = time.perf_counter()
        self._begin_first_call()
        with as_poptorch_error():
            arrays = compiled.program.run(inputs, wanted, self._wanted_of_anchors())
        _pvti.shift(compiled.figures["callSeconds"] - (time.perf_counter() - start))
        return arrays

    def _begin_first_call(self) -> None:
        if not self._zero:
            self._zero.append(_pvti.now())

    def _result(self, array: numpy.ndarray, shape: torch.Size,
                kind: torch.dtype) -> torch.Tensor:
        return stacked(torch.from_numpy(array), shape, *self._summed()).to(kind)

    def _zeros(self, compiled: Compiled) -> List[torch.Tensor]:
        """Results of a call that computes nothing."""
        sums = self._options.output_mode == enums.OutputMode.Sum
        count = self._options.replication_factor if sums else len(
            _jobs.wanted_micro_batches(self._options, self._training))
        return [
            torch.zeros((count * shape[0], *shape[1:]) if len(shape) else
                        (() if count == 1 else (count, )), dtype=kind)
            for shape, kind in zip(compiled.shapes_out, compiled.types_out)
        ]

    def _wait(self, compiled: Compiled) -> List[torch.Tensor]:
        """Waits as long as the simulated machine takes, and returns zeros."""
        results = self._zeros(compiled)
        self._begin_first_call()
        left = compiled.figures["callSeconds"] - (time.perf_counter() - self._call_start)
        if left > 0:
            time.sleep(left)
        return results


def without_backward(result: Any) -> Any:
    """Results whose backward() says that it has nothing to do."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise Error(
            "backward() cannot be called explicitly on outputs of a PopTorch model. If you're "
            "using a trainingModel, the backwards pass is performed automatically when "
            "invoking the model. If you're using an inferenceModel, you should use a "
            "trainingModel instead.")

    for tensor in _tracing.Tree(result).tensors:
        tensor.backward = refuse  # type: ignore[assignment]
    return result
