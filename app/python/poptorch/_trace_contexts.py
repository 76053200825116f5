"""What is changed of PyTorch and of a model while it is traced; each is a context that restores it."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator

import torch
import torch.utils.checkpoint

from ._blocks import BlockScopes, set_current_scopes
from ._logging import say_once


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


@contextlib.contextmanager
def scoped_forward(scopes: BlockScopes) -> Iterator[None]:
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
def distinct_initialisers() -> Iterator[None]:
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
def unchanged(model: torch.nn.Module) -> Iterator[None]:
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
def mode_of(model: torch.nn.Module, training: bool) -> Iterator[None]:
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
def all_persistent(model: torch.nn.Module) -> Iterator[None]:
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
def unchecked_distributions() -> Iterator[None]:
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
def without_checkpoints() -> Iterator[None]:
    before = torch.utils.checkpoint.CheckpointFunction
    torch.utils.checkpoint.CheckpointFunction = _Once
    try:
        yield
    finally:
        torch.utils.checkpoint.CheckpointFunction = before


@contextlib.contextmanager
def changes_as_results() -> Iterator[None]:
    """Makes the tracer record in-place changes of a tensor as results of their own."""
    torch._C._tracer_set_force_outplace(True)
    try:
        yield
    finally:
        if torch._C._get_tracing_state() is not None:  # an error has ended it
            torch._C._tracer_set_force_outplace(False)
