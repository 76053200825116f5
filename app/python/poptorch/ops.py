"""Operations that PopTorch adds to PyTorch.

Outside of a compiled model they compute what they stand for, or hand their operand on.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import torch
from torch.overrides import TorchFunctionMode

from . import enums
from ._errors import Error
from ._functions import IdentityLoss, Nop, Note, add_node
from ._logging import say_once

Tensors = Union[torch.Tensor, Sequence[Any], Dict[Any, Any]]

_REDUCTIONS = ("sum", "mean", "none")


def identity_loss(x: torch.Tensor, reduction: str) -> torch.Tensor:
    """Marks a loss that the program computes itself: training makes it small.

    Args:
        x: any shape.
        reduction: 'sum', 'mean' or 'none'; a loss to train on is one number in the end.

    Returns:
        One number, or ``x`` with 'none'.

    Raises:
        poptorch.Error: for any other reduction.
    """
    if reduction not in _REDUCTIONS:
        raise Error(f"Unsupported reduction type! '{reduction}' is none of sum, mean, none")
    return IdentityLoss.apply(x, reduction, True)


def _each(tensors: Tensors, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(tensors, torch.Tensor):
        return change(tensors)
    if isinstance(tensors, dict):
        return type(tensors)((key, _each(value, change)) for key, value in tensors.items())
    if isinstance(tensors, (list, tuple)):
        return type(tensors)(_each(part, change) for part in tensors)
    return tensors


def recomputationCheckpoint(*tensors: Tensors) -> Any:
    """Keeps results for the backward pass that recomputation would compute again.

    Args:
        tensors: tensors, or lists, tuples and dicts of them.

    Returns:
        The same; use what is returned.
    """
    kept = tuple(
        _each(part, lambda x: Note.apply(x, "__recompute_output", None, 0)) for part in tensors)
    return kept[0] if len(kept) == 1 else kept


def set_available_memory(tensor: torch.Tensor, available_memory_proportion: float) -> torch.Tensor:
    """Sets the share of tile memory, 0 to 1, for temporary data of the product or convolution that
    made a tensor.

    Returns:
        The tensor; use what is returned.

    Raises:
        ValueError: for a share below 0 or above 1.
    """
    share = float(available_memory_proportion)
    if not 0 <= share <= 1:
        raise ValueError(f"available_memory_proportion {share} is no number from 0 to 1")
    return Note.apply(tensor, "__available_memory", share, None)


def nop(tensor: torch.Tensor) -> torch.Tensor:
    """An operation that hands its operand on, and that the compiler keeps."""
    return Nop.apply(tensor)


def serializedMatMul(lhs: torch.Tensor, rhs: torch.Tensor, mode: enums.MatMulSerializationMode,
                     factor: int = 0, keep_precision: bool = False) -> torch.Tensor:
    """A product that PopTorch cuts in ``factor`` smaller ones; here it stays whole."""
    assert isinstance(keep_precision, bool)
    assert isinstance(factor, int)
    assert isinstance(mode, enums.MatMulSerializationMode)
    say_once("poptorch.serializedMatMul has no effect: products stay whole")
    return torch.matmul(lhs, rhs)


def dynamic_slice(tensor: torch.Tensor, dim: int, start: torch.Tensor, size: int, step: int
                  ) -> torch.Tensor:
    """A slice whose beginning is computed.

    Args:
        tensor: any shape.
        dim: the dimension that is cut.
        start: one whole number.
        size: elements of ``dim`` that the slice spans.
        step: of these each so many.
    """
    if size <= 0 or step <= 0:
        raise ValueError("poptorch.dynamic_slice: size and step are 1 or more")
    count = torch.arange(0, size, step)
    return torch.index_select(tensor, dim, start.reshape(1) + count)


def dynamic_update(input: torch.Tensor, src: torch.Tensor, dim: int, start: torch.Tensor, size: int
                   ) -> torch.Tensor:
    """The tensor with a slice, which begins where it is computed, replaced by ``src``."""
    if size <= 0:
        raise ValueError("poptorch.dynamic_update: size is 1 or more")
    return torch.index_copy(input, dim, start.reshape(1) + torch.arange(size), src)


def ipu_print_tensor(tensor: torch.Tensor, title: str = "", *args: Any, **kwargs: Any
                     ) -> torch.Tensor:
    """Hands a tensor on; PopTorch prints it from the device, which is not done here."""
    say_once("poptorch.ipu_print_tensor has no effect: nothing is printed from the machine")
    return tensor.clone()


def set_overlap_for_input(input_tensor: Tensors, mode: enums.OverlapMode) -> Any:
    """Which loops the transfer of an input may overlap; say it for all by numIOTiles."""
    assert isinstance(mode, enums.OverlapMode)
    if mode != enums.OverlapMode.NoOverlap:
        say_once("poptorch.set_overlap_for_input has no effect: transfers overlap as "
                 "TensorLocations.numIOTiles says")
    return input_tensor


def set_overlap_for_output(output_tensor: Tensors, mode: enums.OverlapMode) -> Any:
    """The same for an output."""
    assert isinstance(mode, enums.OverlapMode)
    if mode != enums.OverlapMode.NoOverlap:
        say_once("poptorch.set_overlap_for_output has no effect: transfers overlap as "
                 "TensorLocations.numIOTiles says")
    return output_tensor


def for_loop(trip_count: int, body: Callable[..., Any], inputs: List[torch.Tensor]
             ) -> List[torch.Tensor]:
    """Calls ``body`` so many times, each with what the time before returned. The compiled model has
    all of them, one after the other.

    Raises:
        ValueError: if ``inputs`` is no list.
    """
    if not isinstance(inputs, list):
        raise ValueError("poptorch.for_loop expects input tensors to be a list")
    for _ in range(trip_count):
        made = body(*inputs)
        inputs = list(made) if isinstance(made, (list, tuple)) else [made]
    return inputs


class _CustomOperation(torch.autograd.Function):
    @staticmethod
    def symbolic(graph: Any, name: str, domain: str, attributes: Dict[str, Any],
                 example: Any, *inputs: Any) -> Any:
        named = {}
        for key, value in attributes.items():
            kind = {bool: "i", int: "i", float: "f", str: "s"}.get(type(value))
            if kind is None:
                raise Error(f"custom_op attribute '{key}' is no number or text")
            named[f"{key}_{kind}"] = value
        result = add_node(graph, domain, name, *inputs, **named)
        result.setType(example.type())
        return result

    @staticmethod
    def forward(context: Any, name: str, domain: str, attributes: Dict[str, Any],  # type: ignore[override]
                example: torch.Tensor, *inputs: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(example)


def custom_op(inputs: Sequence[torch.Tensor], name: str, domain: str, domain_version: int,
              example_outputs: Sequence[torch.Tensor],
              attributes: Optional[Dict[str, Any]] = None) -> List[torch.Tensor]:
    """An operation whose cost a file declares (the environment variable
    TILESCOPE_CUSTOM_OPERATIONS names it), with one result.

    The model is timed with it; its values cannot be computed, so that calls are refused.

    Args:
        inputs: operands.
        name, domain, domain_version: of the operation.
        example_outputs: one tensor of the result's shape and type.
        attributes: numbers and texts.

    Returns:
        A list with the result.

    Raises:
        poptorch.Error: if there is more than one result.
    """
    if len(example_outputs) != 1:
        raise Error(f"custom_op '{name}' has {len(example_outputs)} results; only one is simulated")
    return [_CustomOperation.apply(name, domain, attributes or {}, example_outputs[0], *inputs)]


def ctc_beam_search_decoder(*args: Any, **kwargs: Any) -> None:
    """Refused: the decoder is not simulated within a model."""
    raise Error("ctc_beam_search_decoder is not simulated in a model; decode on the host, or time "
                "the operation alone with 'tilescope op ctc'")


class _Together(TorchFunctionMode):
    """Says of each convolution which others it is planned with."""

    _CONVOLUTIONS = (torch.conv1d, torch.conv2d, torch.conv3d)

    def __init__(self, note: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self._note = note

    def __torch_function__(self, function: Any, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        return self._note(result) if function in self._CONVOLUTIONS else result


class MultiConv:
    """Convolutions that are planned together and run at the same time, each on tiles of its own.

    Those that are called within the context, if none needs another's result.
    """

    def __init__(self) -> None:
        self._notes: List[Tuple[str, Optional[float], Optional[int]]] = []
        self._proportions: Tuple[float, ...] = ()
        self._mode: Optional[_Together] = None
        self._seen = 0

    def __enter__(self) -> "MultiConv":
        from ._blocks import current_scopes
        scopes = current_scopes()
        if scopes is not None:
            number = scopes.next_multi_conv()
            self._seen = 0
            self._mode = _Together(lambda result: self._noted(result, number))
            self._mode.__enter__()
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._mode is not None:
            self._mode.__exit__(kind, value, traceback)
            self._mode = None

    def _noted(self, result: torch.Tensor, number: int) -> torch.Tensor:
        result = Note.apply(result, "__multi_conv", None, number)
        for key, value, count in self._notes:
            result = Note.apply(result, key, value, count)
        if self._proportions:
            share = self._proportions[min(self._seen, len(self._proportions) - 1)]
            result = Note.apply(result, "__available_memory", share, None)
        self._seen += 1
        return result

    def availableMemoryProportions(self, value: Union[float, Sequence[float]]) -> "MultiConv":
        """Share of tile memory, 0 to 1, of all convolutions, or of each in order."""
        shares = (value, ) if isinstance(value, (int, float)) else tuple(value)
        self._proportions = tuple(float(share) for share in shares)
        return self

    def planType(self, value: enums.MultiConvPlanType) -> "MultiConv":
        """At the same time, or one after the other."""
        self._notes.append(("__multi_conv_plan_type", None, int(value)))
        return self

    def perConvReservedTiles(self, value: int) -> "MultiConv":
        """Tiles that are kept for each convolution but the largest."""
        self._notes.append(("__multi_conv_reserved_tiles", None, int(value)))
        return self

    def cycleBackOff(self, value: float) -> "MultiConv":
        """By what share the largest may be slower, for each of the others, to take fewer tiles."""
        self._notes.append(("__multi_conv_cycle_back_off", float(value), None))
        return self

    def partialsTypes(self, value: Any) -> "MultiConv":
        """Without effect: Options().Precision.setPartialsType() says it for all operations."""
        say_once("poptorch.MultiConv.partialsTypes has no effect: "
                 "Options().Precision.setPartialsType() says it for all operations")
        return self

    def enableConvDithering(self, value: Any) -> "MultiConv":
        """Without effect: plans begin at the tiles that they are given."""
        say_once("poptorch.MultiConv.enableConvDithering has no effect: plans begin at the tiles "
                 "that they are given")
        return self


class NameScope:
    """A context whose operations have a name before their own."""

    def __init__(self, name: str) -> None:
        assert isinstance(name, str), "Parameter to NameScope must be a string"
        self._name = name
        self._depth: Optional[int] = None

    def __enter__(self) -> "NameScope":
        from ._blocks import current_scopes
        scopes = current_scopes()
        if scopes is not None:
            self._depth = scopes.enter_module(f"poptorch.NameScope::{self._name}")
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        from ._blocks import current_scopes
        scopes = current_scopes()
        if scopes is not None and self._depth is not None:
            scopes.leave_module(self._depth)


class CPU:
    """A part of a model that PopTorch runs on the host: refused in a compiled model."""

    def __init__(self, layer_to_call: Callable[..., Any], ID: str) -> None:
        self._layer, self._id = layer_to_call, ID

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from ._blocks import isRunningOnIpu
        if isRunningOnIpu():
            raise Error(f"poptorch.CPU '{self._id}': operations on the host within a model are not "
                        "simulated; call the layer before or after the model")
        return self._layer(*args, **kwargs)

    def execute(self) -> None:
        """Part of PopTorch's own protocol; nothing to do here."""


def fps(src: torch.Tensor, ptr: List[int], ratio: float = 0.5, random_start: bool = False) -> None:
    """Refused: furthest point sampling is not simulated."""
    raise Error("poptorch.fps is not simulated")


def nearest(x: torch.Tensor, y: torch.Tensor, batch_x: Any = None, batch_y: Any = None) -> None:
    """Refused: clustering to the nearest point is not simulated."""
    raise Error("poptorch.nearest is not simulated")


def cond(condition: Any, then_body: Any, then_inputs: Any, else_body: Any, else_inputs: Any) -> None:
    """Refused: the simulated machine runs no conditional parts."""
    raise Error("poptorch.cond is not simulated: a simulation cannot know which part runs")
