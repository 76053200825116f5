"""Arrays and callbacks that feed a call and receive its results."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy

from ._errors import popart_exception
from ._tensors import TensorInfo


def _checked(array: Any, info: TensorInfo, name: str, count: int, how: str,
             direction: str) -> numpy.ndarray:
    """An array of the caller's, after checks of its layout, type and number of elements."""
    values = numpy.asarray(array)
    if not values.flags.c_contiguous:
        raise popart_exception(
            f"PyStepIO is unable to use the numpy {direction} array for tensor '{name}' as it is "
            "not c-contiguous (a data conversion here could have an impact on performance and "
            "hence is not allowed)")
    if values.dtype != info.numpy_type():
        raise popart_exception(f"Type discrepancy for tensor {name}. User provided : "
                               f"{values.dtype} and expected : {info.numpy_type()}")
    wanted = info.nelms() * count
    if values.size != wanted:
        raise popart_exception(f"Unexpected number of {direction} elements for Tensor {name}. "
                               f"Expected {wanted}, but received {values.size}.\n{how}")
    return values


class PyStepIO:
    """Arrays of a call, by id: inputs of all its micro-batches, and anchors to fill."""

    def __init__(self, inputs: Dict[str, Any], outputs: Dict[str, Any]) -> None:
        self._inputs, self._outputs = dict(inputs), dict(outputs)

    def enableRuntimeAsserts(self, enabled: bool) -> None:
        """Whether sizes are checked; they always are."""

    def _input(self, name: str, info: TensorInfo, count: int, how: str) -> numpy.ndarray:
        """An input's values for `count` micro-batches."""
        if name not in self._inputs:
            raise popart_exception(f"No tensor {name} provided in PyStepIO's inputs")
        return _checked(self._inputs[name], info, name, count, how, "input")

    def _output(self, name: str, info: TensorInfo, values: numpy.ndarray, how: str) -> None:
        """Fills an anchor's array with all values of a call."""
        self._check_output(name)
        array = _checked(self._outputs[name], info, name, len(values), how, "output")
        array.reshape(-1)[:] = values.reshape(-1)

    def _check_output(self, name: str) -> None:
        if name not in self._outputs:
            raise popart_exception(f"No tensor {name} provided in PyStepIO's outputs")


class PyStepIOCallback:
    """Functions that are asked for each micro-batch of an input, and for an array to fill with each
    value of an anchor.

    Args:
        input: takes an id and whether it is only a prefetch, which may be answered with None.
        input_complete: called with the id when the array has been read.
        output: takes an id.
        output_complete: called with the id when the array has been filled.
    """

    def __init__(self, input_callback: Callable[[str, bool], Any],
                 input_complete_callback: Callable[[str], Any],
                 output_callback: Callable[[str], Any],
                 output_complete_callback: Callable[[str], Any]) -> None:
        self._ask, self._read = input_callback, input_complete_callback
        self._take, self._filled = output_callback, output_complete_callback

    def _input(self, name: str, info: TensorInfo, count: int, how: str) -> numpy.ndarray:
        parts = []
        for _ in range(count):
            array: Optional[Any] = self._ask(name, True)
            if array is None:
                array = self._ask(name, False)
            if array is None:
                raise popart_exception(f"The input callback returned no array for tensor {name}")
            parts.append(_checked(array, info, name, 1, how, "input").reshape(-1).copy())
            self._read(name)
        return numpy.concatenate(parts)

    def _output(self, name: str, info: TensorInfo, values: numpy.ndarray, how: str) -> None:
        for value in values:
            array = _checked(self._take(name), info, name, 1, how, "output")
            array.reshape(-1)[:] = value.reshape(-1)
            self._filled(name)

    def _check_output(self, name: str) -> None:
        pass


class PyWeightsIO:
    """Arrays of weights, by id."""

    def __init__(self, weights: Dict[str, Any]) -> None:
        self._weights = dict(weights)
