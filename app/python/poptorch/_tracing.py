"""Traces a module with its arguments to an ONNX model with blocks."""
from __future__ import annotations

import contextlib
import inspect
import io
import threading
import warnings
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import torch
import torch.onnx

from . import _source, _symbolics
from ._aliases import unnamed_values, untraced
from ._blocks import BlockScopes, on_machine
from ._changes import Changes
from ._errors import Error
from ._export_errors import exported_or_refused
from ._functions import exported_domains
from ._half import floats_in, limits_of_halves
from ._logging import say_once
from ._mixed import Mixed, meant_by, standing_for
from ._products import fast_products
from ._trace_contexts import (all_persistent, changes_as_results, distinct_initialisers, mode_of, scoped_forward,
                              state_of, unchanged, unchecked_distributions, without_checkpoints)
from ._types import computes_in_half, has_halves, result_types, type_on_machine
from ._watch import Watch


class Tree:
    """The structure of nested tuples, lists and dicts of tensors, with everything but the tensors."""

    def __init__(self, value: Any) -> None:
        self.tensors: List[torch.Tensor] = []
        self.paths: List[Tuple[Any, ...]] = []  #: of each tensor: keys and indices, outermost first
        self.constants: Dict[Tuple[Any, ...], Any] = {}  #: numbers and strings by path
        self._rebuild = self._read(value, ())

    def rebuild(self, tensors: List[Any]) -> Any:
        """The same structure with other tensors."""
        return self._rebuild(iter(tensors))

    def tensors_like(self, other: "Tree") -> List[torch.Tensor]:
        """The tensors in the order of another tree with the same keys.

        Raises:
            poptorch.Error: if it has other keys, or other numbers or strings.
        """
        own = dict(zip(self.paths, self.tensors))
        for path in [*own, *other.paths]:
            if (path in own) != (path in other.paths):
                raise Error(f"the model was compiled {'without' if path in own else 'with'} input "
                            f"'{_written(path)}'; call destroy() first to compile again")
        for path, value in other.constants.items():
            if self.constants.get(path, value) != value:
                raise Error(f"argument '{_written(path)}' is {self.constants[path]!r} now, but the "
                            f"model was compiled with {value!r}: only tensors may change between "
                            "calls; call destroy() first to compile again")
        return [own[path] for path in other.paths]

    def _read(self, value: Any, path: Tuple[Any, ...]) -> Callable[[Iterator[Any]], Any]:
        if isinstance(value, torch.Tensor):
            self.tensors.append(value)
            self.paths.append(path)
            return next
        if isinstance(value, dict):
            parts = {key: self._read(part, (*path, key)) for key, part in value.items()}
            kind = type(value)
            return lambda it: kind(**{key: read(it) for key, read in parts.items()}) \
                if kind is not dict and kind.__name__ != "OrderedDict" \
                else kind((key, read(it)) for key, read in parts.items())
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            fields = [self._read(part, (*path, i)) for i, part in enumerate(value)]
            made = type(value)
            return lambda it: made(*[read(it) for read in fields])
        if isinstance(value, (list, tuple)):
            items = [self._read(part, (*path, i)) for i, part in enumerate(value)]
            sequence = type(value)
            return lambda it: sequence([read(it) for read in items])
        if isinstance(value, (bool, int, float, str)):
            self.constants[path] = value
        return lambda it: value


def _written(path: Tuple[Any, ...]) -> str:
    return "".join([str(path[0]), *(f"[{key!r}]" for key in path[1:])]) if path else "?"


class Traced(NamedTuple):
    """An exported model."""
    onnx: bytes
    blocks: Dict[int, Tuple[str, Optional[int]]]  #: (name, IPU) by number
    inputs: Tree  #: arguments by name
    outputs: Tree  #: results of forward()
    #: Of the results of forward(), and of the inputs that it changed.
    output_shapes: List[torch.Size]
    output_types: List[torch.dtype]
    changed_inputs: List[int]  #: by number, those that forward() changed in place
    state: List[Tuple[str, List[int]]]  #: parameters and buffers that it changed, with their shapes
    losses: List[int]  #: by number, the results that are single numbers
    counted: Dict[str, int]  #: batches that it counted, by the counter's name
    half: bool  #: the model computes in half precision
    lines: _source.Recorder  #: of the program
    mixed: bool  #: halves and floats are each computed as such


#: torch.onnx and its tracer have state shared by all threads.
_exporting = threading.Lock()


def input_names(names: List[str], values: List[Any]) -> List[str]:
    """A name for each tensor within the arguments."""
    result: List[str] = []
    for name, value in zip(names, values):
        count = len(Tree(value).tensors)
        result += [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
    return result


def _as_float(value: torch.Tensor) -> torch.Tensor:
    return value.float() if value.dtype == torch.float16 else value


class _ForwardOfTensors:
    """forward() with tensors instead of nested arguments, and with a tuple of tensors as its result:
    those that it returns, then those that it has changed in place."""

    def __init__(self, model: torch.nn.Module, names: List[str], arguments: Tree,
                 trains: bool, mixed: bool = False) -> None:
        self._model = model
        self._mixed = mixed
        self._trains = trains
        self._forward = model.forward
        self._signature = inspect.signature(model.forward)
        self._names = names
        self._arguments = arguments
        self.result: Optional[Tree] = None
        self.changed_inputs: List[int] = []
        self.state: List[Tuple[str, List[int]]] = []
        self.losses: List[int] = []
        self.counted: Dict[str, int] = {}

    def __call__(self, *tensors: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        counters = _counters(self._model)
        buffers_before = dict(self._model.named_buffers())
        with untraced():
            before = {name: int(tensor) for name, tensor in counters.items()}
        types = Mixed([*tensors, *state_of(self._model).values()]) if self._mixed else None
        with torch.set_grad_enabled(self._trains), types or contextlib.nullcontext(), Watch(
                self._trains, types.standing if types else None) as watch, changes_as_results():
            inputs = Changes(watch, {str(i): tensor for i, tensor in enumerate(tensors)})
            state = Changes(watch, {name: tensor
                                    for name, tensor in state_of(self._model).items()
                                    if name not in counters})
            self.result = Tree(self._call(tensors))
            if types is not None:
                self.result.tensors = [types.in_trace(tensor) for tensor in self.result.tensors]
        _refuse_other_buffers(self._model, buffers_before)
        watch.refresh(self.result.tensors)
        changed = inputs.made(watch)
        state.bring_up_to_date(watch)
        watch.norms.update_unused([*self.result.tensors, *changed.values(), *state.tensors()])
        buffers = state.made(watch)
        with untraced():
            self.counted = {name: int(tensor) - before[name]
                            for name, tensor in counters.items()}
            self.losses = [i for i, tensor in enumerate(self.result.tensors)
                           if tensor.numel() == 1 and tensor.is_floating_point()]
            self.state = [(name, list(tensor.shape)) for name, tensor in buffers.items()]
        self.changed_inputs = [int(number) for number in changed]
        results = (*self.result.tensors, *changed.values(), *buffers.values())
        if not results:
            raise Error("the model's forward() returns no tensor")
        return results

    def _call(self, tensors: Tuple[torch.Tensor, ...]) -> Any:
        positional: List[Any] = []
        named: Dict[str, Any] = {}
        parameters = self._signature.parameters
        has_more = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters.values())
        values = self._arguments.rebuild(list(tensors))
        for name in self._names:
            value = values[name]
            kind = parameters[name].kind if name in parameters else None
            variadic = kind is None and any(
                p.kind is inspect.Parameter.VAR_POSITIONAL and name.startswith(p.name + "_")
                for p in parameters.values())
            before_more = has_more and kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            if variadic or before_more or kind is inspect.Parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[name] = value
        return self._forward(*positional, **named)


def _refuse_other_buffers(model: torch.nn.Module, before: Dict[str, torch.Tensor]) -> None:
    """Refuses a forward() that has removed or replaced buffers."""
    after = dict(model.named_buffers())
    for name, buffer in before.items():
        if name not in after:
            raise Error(f"Buffer {name} is removed from the model when calling the forward method.",
                        "poptorch_cpp_error")
        if after[name] is not buffer:
            raise Error(f"Buffer {name} is reassigned within the model when calling the forward method. "
                        f"This is not supported. Consider using self.{name}.copy_(src) to copy data from "
                        "a source tensor, where src is the name of the source tensor.",
                        "poptorch_cpp_error")


def _counters(model: torch.nn.Module) -> Dict[str, torch.Tensor]:
    """The batch counters of batch normalisations."""
    return {
        f"{prefix}.num_batches_tracked" if prefix else "num_batches_tracked":
        module.num_batches_tracked
        for prefix, module in model.named_modules()
        if isinstance(getattr(module, "num_batches_tracked", None), torch.Tensor)
    }


def trace(model: torch.nn.Module, names: List[str], values: List[Any], training: bool) -> Traced:
    """Runs the model once on arguments of one micro-batch and exports its operations.

    Raises:
        poptorch.Error: for operations without a form in ONNX, with torch's message, and for
            branches on values.
    """
    if not any(p.dtype == torch.float64 for p in model.parameters()):
        values = _without_doubles(values)
    refused = ""
    if has_halves(model, Tree(values).tensors):
        try:
            return _trace(model, names, values, training, mixed=True)
        except Exception as error:  # pylint: disable=broad-except  # whatever PyTorch refuses of types that differ
            refused = (str(error).strip() or type(error).__name__).splitlines()[0]
    try:
        traced = _trace(model, names, values, training)
        if refused:
            say_once("halves and floats cannot be told apart in this model, and all of it is computed in half: "
                     f"{refused}")
        return traced
    except RuntimeError as error:
        if "Half" not in str(error):
            raise
    say_once("the model has operations on halves with float parameters, which PyTorch cannot run on "
             "the CPU: they are computed in float")
    return _trace(model, names, values, training, floats=True)


def _without_doubles(values: List[Any]) -> List[Any]:
    """Arguments as the machine takes them, which has no float64."""
    tree = Tree(values)
    return list(tree.rebuild([tensor.float() if tensor.dtype == torch.float64 else tensor
                              for tensor in tree.tensors]))


def _trace(model: torch.nn.Module, names: List[str], values: List[Any], training: bool,
           floats: bool = False, mixed: bool = False) -> Traced:
    """The same; `floats`: casts to half are casts to float; `mixed`: halves and floats are each computed as such."""
    traced = model
    arguments = Tree(dict(zip(names, values)))
    for tensor in arguments.tensors:
        if tensor.numel() == 0:
            raise Error(f"Zero-sized tensors are unsupported (Got shape {list(tensor.shape)})",
                        "poptorch_cpp_error")
    half = mixed or _without_values(model, names, arguments, training, computes_in_half)
    standing = standing_for if mixed else _as_float
    tensors = [standing(tensor.detach().clone()) for tensor in arguments.tensors]
    scopes = BlockScopes(training)
    forward = _ForwardOfTensors(traced, names, arguments, training, mixed)
    file = io.BytesIO()
    lines = _source.Recorder()
    own = traced.__dict__.get("forward")
    with _exporting, floats_in(traced, half or floats, mixed), limits_of_halves(
            half and not mixed), unchanged(traced), mode_of(traced, training), all_persistent(
                traced), fast_products(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        object.__setattr__(traced, "forward", forward)
        exported_domains.clear()
        try:
            with scoped_forward(scopes), distinct_initialisers(), _symbolics.Registered(
            ), unchecked_distributions(), without_checkpoints(), unnamed_values(), lines.documents():
                exported_or_refused(lambda: torch.onnx.export(traced,
                                                              tuple(tensors),
                                                              file,
                                                              training=torch.onnx.TrainingMode.PRESERVE,
                                                              do_constant_folding=False,
                                                              opset_version=_symbolics.OPSET,
                                                              input_names=input_names(names, values),
                                                              custom_opsets=exported_domains))
        finally:
            if own is None:
                del traced.__dict__["forward"]
            else:
                object.__setattr__(traced, "forward", own)
    result = forward.result
    assert result is not None
    changed = [arguments.tensors[i] for i in forward.changed_inputs]
    types = [type_on_machine(meant_by(tensor.dtype)) for tensor in result.tensors] if mixed else _without_values(
        model, names, arguments, training, result_types, result.tensors)
    return Traced(file.getvalue(), scopes.blocks, arguments, result,
                  [tensor.shape for tensor in [*result.tensors, *changed]],
                  [*types, *(tensor.dtype for tensor in changed)],
                  forward.changed_inputs, forward.state, forward.losses, forward.counted, half,
                  lines, mixed)


def _without_values(model: torch.nn.Module, names: List[str], arguments: Tree, training: bool,
                    told: Callable[..., Any], *more: Any) -> Any:
    """What is told of types, for which forward() may run again, without values."""

    def forward(copied: torch.nn.Module) -> Callable[[List[torch.Tensor]], List[torch.Tensor]]:
        call = _ForwardOfTensors(copied, names, arguments, False)
        return lambda tensors: Tree(call._call(tuple(tensors))).tensors

    with on_machine(training), unchecked_distributions(), without_checkpoints():
        return told(model, arguments.tensors, *more, forward)
