"""Operations that PopTorch adds to PyTorch.

Outside of a compiled model they compute the same result, or return their operand.
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
    """Marks a loss computed by the program itself, which training minimises.

    Args:
        x: any shape.
        reduction: 'sum', 'mean' or 'none'; the loss to train on must finally be a single number.

    Returns:
        A single number, or ``x`` with 'none'.

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
        The same tensors; use the returned ones.
    """
    kept = tuple(
        _each(part, lambda x: Note.apply(x, "__recompute_output", None, 0)) for part in tensors)
    return kept[0] if len(kept) == 1 else kept


def set_available_memory(tensor: torch.Tensor, available_memory_proportion: float) -> torch.Tensor:
    """Sets the share of tile memory, 0 to 1, for temporary data of the product or convolution that
    made a tensor.

    Returns:
        The tensor; use the returned one.

    Raises:
        ValueError: for a share below 0 or above 1.
    """
    share = float(available_memory_proportion)
    if not 0 <= share <= 1:
        raise ValueError(f"available_memory_proportion {share} is not a number from 0 to 1")
    return Note.apply(tensor, "__available_memory", share, None)


def nop(tensor: torch.Tensor) -> torch.Tensor:
    """An operation that returns its operand and is kept by the compiler."""
    return Nop.apply(tensor)


def serializedMatMul(lhs: torch.Tensor, rhs: torch.Tensor, mode: enums.MatMulSerializationMode,
                     factor: int = 0, keep_precision: bool = False) -> torch.Tensor:
    """A product that PopTorch splits into ``factor`` smaller ones; here it is not split."""
    assert isinstance(keep_precision, bool)
    assert isinstance(factor, int)
    assert isinstance(mode, enums.MatMulSerializationMode)
    say_once("poptorch.serializedMatMul has no effect: products are not split")
    return torch.matmul(lhs, rhs)


def ipu_print_tensor(tensor: torch.Tensor, title: str = "", *args: Any, **kwargs: Any
                     ) -> torch.Tensor:
    """Returns the tensor; PopTorch prints it from the device, which is not done here."""
    say_once("poptorch.ipu_print_tensor has no effect: nothing is printed from the machine")
    return tensor.clone()


def set_overlap_for_input(input_tensor: Tensors, mode: enums.OverlapMode) -> Any:
    """Which loops the transfer of an input may overlap; without effect, use numIOTiles."""
    assert isinstance(mode, enums.OverlapMode)
    if mode != enums.OverlapMode.NoOverlap:
        say_once("poptorch.set_overlap_for_input has no effect: whether transfers overlap "
                 "depends on TensorLocations.numIOTiles")
    return input_tensor


def set_overlap_for_output(output_tensor: Tensors, mode: enums.OverlapMode) -> Any:
    """Like :func:`set_overlap_for_input`, for an output."""
    assert isinstance(mode, enums.OverlapMode)
    if mode != enums.OverlapMode.NoOverlap:
        say_once("poptorch.set_overlap_for_output has no effect: whether transfers overlap "
                 "depends on TensorLocations.numIOTiles")
    return output_tensor


class _CustomOperation(torch.autograd.Function):
    @staticmethod
    def symbolic(graph: Any, name: str, domain: str, attributes: Dict[str, Any],
                 example: Any, *inputs: Any) -> Any:
        named = {}
        for key, value in attributes.items():
            kind = {bool: "i", int: "i", float: "f", str: "s"}.get(type(value))
            if kind is None:
                raise Error(f"custom_op attribute '{key}' is not a number or string")
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
    """An operation with one result, whose cost is declared in a file (named by the environment
    variable TILESCOPE_CUSTOM_OPERATIONS).

    The model is timed with it; its values cannot be computed, so calls are refused.

    Args:
        inputs: operands.
        name, domain, domain_version: of the operation.
        example_outputs: one tensor of the result's shape and type.
        attributes: numbers and strings.

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
    """Marks each convolution with the group that it is planned in."""

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

    Applies to convolutions called within the context, if none depends on another's result.
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
        """Tiles reserved for each convolution except the largest."""
        self._notes.append(("__multi_conv_reserved_tiles", None, int(value)))
        return self

    def cycleBackOff(self, value: float) -> "MultiConv":
        """Fraction by which the largest may be slower, for each of the others, to use fewer tiles."""
        self._notes.append(("__multi_conv_cycle_back_off", float(value), None))
        return self

    def partialsTypes(self, value: Any) -> "MultiConv":
        """Without effect: use Options().Precision.setPartialsType() for all operations."""
        say_once("poptorch.MultiConv.partialsTypes has no effect: "
                 "use Options().Precision.setPartialsType() for all operations")
        return self

    def enableConvDithering(self, value: Any) -> "MultiConv":
        """Without effect: plans start at the tiles assigned to them."""
        say_once("poptorch.MultiConv.enableConvDithering has no effect: plans start at the tiles "
                 "assigned to them")
        return self


class NameScope:
    """A context that prefixes the names of its operations."""

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
