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
import torch.utils.checkpoint

from . import _source, _symbolics
from ._aliases import unnamed_values, untraced
from ._blocks import BlockScopes, on_machine, set_current_scopes
from ._changes import Changes
from ._errors import Error
from ._export_errors import exported_or_refused
from ._half import floats_in, limits_of_halves
from ._logging import say_once
from ._products import fast_products
from ._watch import Watch
from ._functions import exported_domains
from ._types import computes_in_half, result_types


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


def state_of(model: torch.nn.Module) -> Dict[str, torch.Tensor]:
    """Parameters and buffers by name, those with several names by the first one."""
    parameters: Dict[str, torch.Tensor] = {}
    buffers: Dict[str, torch.Tensor] = {}
    seen = set()
    for prefix, module in model.named_modules():  # once for both, as each call needs them
        for found, own in ((parameters, module._parameters), (buffers, module._buffers)):
            for name, tensor in own.items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    found[f"{prefix}.{name}" if prefix else name] = tensor
    return {**parameters, **buffers}


#: torch.onnx and its tracer have state shared by all threads.
_exporting = threading.Lock()


def input_names(names: List[str], values: List[Any]) -> List[str]:
    """A name for each tensor within the arguments."""
    result: List[str] = []
    for name, value in zip(names, values):
        count = len(Tree(value).tensors)
        result += [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
    return result


@contextlib.contextmanager
def _scoped_forward(scopes: BlockScopes) -> Iterator[None]:
    """Makes modules push their scopes through ``scopes``, so that blocks outlive them."""
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
    """Keeps parameters with equal values separate, as they may change."""
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
    """Restores parameters, buffers and random numbers at the end, as tracing runs the model once."""
    before = [(tensor, tensor._version, tensor.detach().clone())
              for tensor in state_of(model).values()]
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            with torch.no_grad():
                for tensor, version, value in before:
                    if tensor._version != version or not torch.equal(tensor, value):
                        tensor.copy_(value)


@contextlib.contextmanager
def _mode_of(model: torch.nn.Module, training: bool) -> Iterator[None]:
    """Puts a model in the wrong mode, with all its submodules, into the other mode; in a model in the
    right mode, submodules in another mode keep theirs. In an inference, norms keep theirs, as in
    PopTorch: those in training mode use the statistics of the data, and change none."""
    modes = [(module, module.training) for module in model.modules()]
    if model.training != training:
        model.train(training)
    norms = [] if training else [module for module, mode in modes if mode and _is_batch_norm(module)]
    tracking = [norm.track_running_stats for norm in norms]
    if any(tracking):
        say_once("a batch normalisation is in training mode: it normalises by the statistics of the data, "
                 "not by its running statistics. Call eval() before an inference")
    for norm in norms:
        norm.training, norm.track_running_stats = True, False
    try:
        yield
    finally:
        for norm, tracks in zip(norms, tracking):
            norm.track_running_stats = tracks
        for module, mode in modes:
            module.training = mode


def _is_batch_norm(module: torch.nn.Module) -> bool:
    return isinstance(module, torch.nn.modules.batchnorm._BatchNorm)


@contextlib.contextmanager
def _all_persistent(model: torch.nn.Module) -> Iterator[None]:
    """Makes all buffers persistent, as torch.onnx treats those not in state_dict() as constants."""
    before = [(module, module._non_persistent_buffers_set) for module in model.modules()]
    for module, _ in before:
        module._non_persistent_buffers_set = set()
    try:
        yield
    finally:
        for module, names in before:
            module._non_persistent_buffers_set = names


@contextlib.contextmanager
def _unchecked_distributions() -> Iterator[None]:
    """Keeps torch.distributions from reading its parameters to check them."""
    kind = torch.distributions.Distribution
    before = kind._validate_args
    kind.set_default_validate_args(False)
    try:
        yield
    finally:
        kind.set_default_validate_args(before)


class _Once:
    """Stands for torch.utils.checkpoint.CheckpointFunction: what is kept is the compiler's affair."""

    @staticmethod
    def apply(function: Callable[..., Any], preserves: bool, *args: Any) -> Any:
        """The function's result, without a gradient if no argument has one, as in PyTorch."""
        passes = any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args)
        with torch.set_grad_enabled(passes and torch.is_grad_enabled()):
            return function(*args)


@contextlib.contextmanager
def _without_checkpoints() -> Iterator[None]:
    before = torch.utils.checkpoint.CheckpointFunction
    torch.utils.checkpoint.CheckpointFunction = _Once
    try:
        yield
    finally:
        torch.utils.checkpoint.CheckpointFunction = before


@contextlib.contextmanager
def _changes_as_results() -> Iterator[None]:
    """Makes the tracer record in-place changes of a tensor as results of their own."""
    torch._C._tracer_set_force_outplace(True)
    try:
        yield
    finally:
        if torch._C._get_tracing_state() is not None:  # an error has ended it
            torch._C._tracer_set_force_outplace(False)


def _as_float(value: torch.Tensor) -> torch.Tensor:
    return value.float() if value.dtype == torch.float16 else value


class _ForwardOfTensors:
    """forward() with tensors instead of nested arguments, and with a tuple of tensors as its result:
    those that it returns, then those that it has changed in place."""

    def __init__(self, model: torch.nn.Module, names: List[str], arguments: Tree,
                 trains: bool) -> None:
        self._model = model
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
        with torch.set_grad_enabled(self._trains), Watch(
                self._trains) as watch, _changes_as_results():
            inputs = Changes(watch, {str(i): tensor for i, tensor in enumerate(tensors)})
            state = Changes(watch, {name: tensor
                                    for name, tensor in state_of(self._model).items()
                                    if name not in counters})
            self.result = Tree(self._call(tensors))
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
    try:
        return _trace(model, names, values, training)
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
           floats: bool = False) -> Traced:
    """The same; `floats`: casts to half are casts to float."""
    traced = model
    arguments = Tree(dict(zip(names, values)))
    for tensor in arguments.tensors:
        if tensor.numel() == 0:
            raise Error(f"Zero-sized tensors are unsupported (Got shape {list(tensor.shape)})",
                        "poptorch_cpp_error")
    half = _without_values(model, names, arguments, training, computes_in_half)
    tensors = [_as_float(tensor.detach().clone()) for tensor in arguments.tensors]
    scopes = BlockScopes(training)
    forward = _ForwardOfTensors(traced, names, arguments, training)
    file = io.BytesIO()
    lines = _source.Recorder()
    own = traced.__dict__.get("forward")
    with _exporting, floats_in(traced, half or floats), limits_of_halves(half), _unchanged(traced), _mode_of(
            traced, training), _all_persistent(traced), fast_products(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        object.__setattr__(traced, "forward", forward)
        exported_domains.clear()
        try:
            with _scoped_forward(scopes), _distinct_initialisers(), _symbolics.Registered(
            ), _unchecked_distributions(), _without_checkpoints(), unnamed_values(), lines.documents():
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
    return Traced(file.getvalue(), scopes.blocks, arguments, result,
                  [tensor.shape for tensor in [*result.tensors, *changed]],
                  [*_without_values(model, names, arguments, training, result_types, result.tensors),
                   *(tensor.dtype for tensor in changed)],
                  forward.changed_inputs, forward.state, forward.losses, forward.counted, half,
                  lines)


def _without_values(model: torch.nn.Module, names: List[str], arguments: Tree, training: bool,
                    told: Callable[..., Any], *more: Any) -> Any:
    """What is told of types, for which forward() may run again, without values."""

    def forward(copied: torch.nn.Module) -> Callable[[List[torch.Tensor]], List[torch.Tensor]]:
        call = _ForwardOfTensors(copied, names, arguments, False)
        return lambda tensors: Tree(call._call(tuple(tensors))).tensors

    with on_machine(training), _unchecked_distributions(), _without_checkpoints():
        return told(model, arguments.tensors, *more, forward)
