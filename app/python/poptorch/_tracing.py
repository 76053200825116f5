"""From a module and its arguments to an ONNX model, with the blocks on the way."""
from __future__ import annotations

import contextlib
import copy
import inspect
import io
import threading
import warnings
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import torch
import torch.onnx

from . import _symbolics
from ._blocks import BlockScopes, set_current_scopes
from ._errors import Error
from .ops import exported_domains


class Tree:
    """The shape of nested tuples, lists and dicts of tensors, and all that is no tensor."""

    def __init__(self, value: Any) -> None:
        self.tensors: List[torch.Tensor] = []
        self._rebuild = self._read(value)

    def rebuild(self, tensors: List[Any]) -> Any:
        """The same nest around other tensors."""
        return self._rebuild(iter(tensors))

    def _read(self, value: Any) -> Callable[[Iterator[Any]], Any]:
        if isinstance(value, torch.Tensor):
            self.tensors.append(value)
            return next
        if isinstance(value, dict):
            parts = {key: self._read(part) for key, part in value.items()}
            kind = type(value)
            return lambda it: kind(**{key: read(it) for key, read in parts.items()}) \
                if kind is not dict and kind.__name__ != "OrderedDict" \
                else kind((key, read(it)) for key, read in parts.items())
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            fields = [self._read(part) for part in value]
            made = type(value)
            return lambda it: made(*[read(it) for read in fields])
        if isinstance(value, (list, tuple)):
            items = [self._read(part) for part in value]
            sequence = type(value)
            return lambda it: sequence([read(it) for read in items])
        return lambda it: value


class Traced(NamedTuple):
    """An exported model."""
    onnx: bytes
    blocks: Dict[int, Tuple[str, Optional[int]]]  #: (name, IPU) by number
    outputs: Tree  #: what forward() returned
    output_shapes: List[torch.Size]
    output_types: List[torch.dtype]
    half: bool  #: the model has parameters of half precision


#: torch.onnx and its tracer have state of their own for all threads.
_exporting = threading.Lock()


def bind_arguments(model: torch.nn.Module, args: Tuple[Any, ...],
                   kwargs: Dict[str, Any]) -> Tuple[List[str], List[Any]]:
    """Names and values of forward()'s arguments, in its order; those with defaults that nobody
    gave are left out.

    Raises:
        TypeError: where they do not fit forward().
    """
    signature = inspect.signature(model.forward)
    bound = signature.bind(*args, **kwargs)
    names: List[str] = []
    values: List[Any] = []
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            names += [f"{name}_{i}" for i in range(len(value))]
            values += value
        elif kind is inspect.Parameter.VAR_KEYWORD:
            names += value
            values += value.values()
        else:
            names.append(name)
            values.append(value)
    return names, values


def input_names(names: List[str], values: List[Any]) -> List[str]:
    """A name for each tensor within the arguments."""
    result: List[str] = []
    for name, value in zip(names, values):
        count = len(Tree(value).tensors)
        result += [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
    return result


@contextlib.contextmanager
def _scoped_forward(scopes: BlockScopes) -> Iterator[None]:
    """Modules push their scopes by way of ``scopes``, so that blocks outlive them."""
    original = torch.nn.Module._slow_forward

    def slow_forward(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        names = torch.jit._trace._trace_module_map
        if torch._C._get_tracing_state() is None or names is None:
            return original(module, *args, **kwargs)
        depth = scopes.enter_module(names.get(module))
        try:
            return module.forward(*args, **kwargs)
        finally:
            scopes.leave_module(depth)

    torch.nn.Module._slow_forward = slow_forward  # type: ignore[assignment]
    set_current_scopes(scopes)
    try:
        yield
    finally:
        torch.nn.Module._slow_forward = original  # type: ignore[assignment]
        set_current_scopes(None)


@contextlib.contextmanager
def _distinct_initialisers() -> Iterator[None]:
    """Parameters of equal values stay apart, as they may change."""
    name = "_jit_pass_onnx_deduplicate_initializers"
    original = getattr(torch._C, name, None)
    if original is None:
        yield
        return
    setattr(torch._C, name, lambda graph, parameters, training: original(graph, parameters, True))
    try:
        yield
    finally:
        setattr(torch._C, name, original)


@contextlib.contextmanager
def _unchanged(model: torch.nn.Module) -> Iterator[None]:
    """Buffers and random numbers are as before in the end: tracing runs the model once."""
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            with torch.no_grad():
                for buffer, value in buffers:
                    if not torch.equal(buffer, value):
                        buffer.copy_(value)


@contextlib.contextmanager
def _training_mode(model: torch.nn.Module, training: bool) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def _as_float(value: torch.Tensor) -> torch.Tensor:
    return value.float() if value.dtype == torch.float16 else value


def _type_on_machine(dtype: torch.dtype, half: bool) -> torch.dtype:
    """A model with half parameters is traced in float and computed in half."""
    return torch.float16 if half and dtype == torch.float32 else dtype


class _ForwardOfTensors:
    """forward() with tensors in the place of nested arguments, and with a tuple of tensors as its
    result."""

    def __init__(self, model: torch.nn.Module, names: List[str], arguments: Tree) -> None:
        self._forward = model.forward
        self._signature = inspect.signature(model.forward)
        self._names = names
        self._arguments = arguments
        self.result: Optional[Tree] = None

    def __call__(self, *tensors: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        positional: List[Any] = []
        named: Dict[str, Any] = {}
        parameters = self._signature.parameters
        for name, value in zip(self._names, self._arguments.rebuild(list(tensors))):
            kind = parameters[name].kind if name in parameters else None
            variadic = kind is None and any(
                p.kind is inspect.Parameter.VAR_POSITIONAL and name.startswith(p.name + "_")
                for p in parameters.values())
            if variadic or kind is inspect.Parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[name] = value
        self.result = Tree(self._forward(*positional, **named))
        if not self.result.tensors:
            raise Error("the model's forward() returns no tensor")
        return tuple(self.result.tensors)


def trace(model: torch.nn.Module, names: List[str], values: List[Any], training: bool) -> Traced:
    """Runs the model once on arguments of one micro-batch and exports what it did.

    Raises:
        poptorch.Error: for operations that have no form in ONNX, with torch's words.
    """
    half = any(p.dtype == torch.float16 for p in model.parameters())
    traced = copy.deepcopy(model).float() if half else model
    arguments = Tree(values)
    tensors = [_as_float(tensor.detach()) for tensor in arguments.tensors]
    scopes = BlockScopes()
    forward = _ForwardOfTensors(traced, names, arguments)
    file = io.BytesIO()
    own = traced.__dict__.get("forward")
    with _exporting, _unchanged(traced), _training_mode(traced, training), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        object.__setattr__(traced, "forward", forward)
        exported_domains.clear()
        try:
            with _scoped_forward(scopes), _distinct_initialisers(), _symbolics.Registered():
                torch.onnx.export(traced,
                                  tuple(tensors),
                                  file,
                                  training=torch.onnx.TrainingMode.PRESERVE,
                                  do_constant_folding=False,
                                  opset_version=_symbolics.OPSET,
                                  input_names=input_names(names, values),
                                  custom_opsets=exported_domains)
        except (torch.onnx.errors.OnnxExporterError, torch.onnx.CheckerError) as error:
            raise Error(f"the model cannot be exported: {error}", "poptorch_cpp_error") from error
        except RuntimeError as error:
            if "2GB" not in str(error):
                raise
            raise Error("the model cannot be exported: its parameters are more than 2 GB",
                        "poptorch_cpp_error") from error
        finally:
            if own is None:
                del traced.__dict__["forward"]
            else:
                object.__setattr__(traced, "forward", own)
    result = forward.result
    assert result is not None
    return Traced(file.getvalue(), scopes.blocks, result,
                  [tensor.shape for tensor in result.tensors],
                  [_type_on_machine(tensor.dtype, half) for tensor in result.tensors], half)
