"""Compares the first micro-batch of a model's first call with PyTorch itself."""
from __future__ import annotations

import contextlib
import copy
import io
import os
import random
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy
import torch
from tilescope import _source_lines

from . import _tracing
from ._environment import named
from ._errors import Error
from ._half import in_float, limits_of_halves
from ._logging import logger, say_once
from ._products import fast_products
from ._trace_contexts import mode_of

#: The environment variable that turns the comparison on or off: "first" (default) or "off".
CHECK_VARIABLE = "TILESCOPE_POPTORCH_CHECK"

#: PyTorch runs the module again only if tracing, which also runs it, took no longer than this.
MOST_SECONDS = 5.0

#: And only if a copy of its parameters and buffers takes no more memory than this.
MOST_BYTES = 2**30

#: Allowed difference relative to the largest value: sums are computed in another order, and halves have 11 bits.
_FLOAT_TOLERANCE = 1e-3
_HALF_TOLERANCE = 5e-2

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class _Output(NamedTuple):
    """The results of a module, and where it was called."""
    scope: str
    kind: str
    line: str
    tensors: List[torch.Tensor]


class Expected(NamedTuple):
    """PyTorch's results of a micro-batch."""
    results: List[torch.Tensor]
    modules: List[_Output]  #: in the order in which they end
    half: bool


def is_wanted() -> bool:
    """Whether first calls are compared.

    Raises:
        poptorch.Error: if the environment variable is neither 'first' nor 'off'.
    """
    word = os.environ.get(CHECK_VARIABLE) or "first"
    if word not in ("first", "off"):
        raise Error(f"{named(CHECK_VARIABLE)}: '{word}' is neither 'first' (the first call of a model "
                    "is compared with PyTorch) nor 'off'")
    return word == "first"


def why_not(model: torch.nn.Module, seconds: float, drawing: List[str], asked: bool) -> str:
    """Why a model is not compared; empty if it is."""
    state = model.state_dict(keep_vars=True).values()
    size = sum(tensor.numel() * tensor.element_size() for tensor in state)
    if drawing:
        return f"'{drawing[0]}' draws random numbers, which differ from PyTorch's"
    if any(getattr(module, hooks, None) for module in model.modules() for hooks in _HOOKS):
        return "its hooks would be called again"
    if asked:
        return "forward() asks isRunningOnIpu()"
    if seconds > MOST_SECONDS:
        return f"it took {seconds:.1f} s to trace, more than {MOST_SECONDS:g}"
    if size > MOST_BYTES:
        return f"its {size / 2**20:.0f} MiB of parameters are more than {MOST_BYTES / 2**20:.0f}"
    return ""


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """A context that leaves the program's random numbers unchanged and discards its output."""
    own, arrays = random.getstate(), numpy.random.get_state()
    with torch.random.fork_rng(devices=[]), torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
        try:
            yield
        finally:
            random.setstate(own)
            numpy.random.set_state(arrays)


def _place_of_call() -> str:
    """The line of the program that calls a module: the last one outside torch."""
    own = os.path.dirname(torch.__file__)
    for path, line in _source_lines.places():
        if not path.startswith(own) and path != __file__:
            return f"{path}:{line}"
    return ""


def _recorded(model: torch.nn.Module, outputs: List[_Output]) -> None:
    """Records the results of modules below the outermost, and the place of their first calls."""
    places: Dict[str, str] = {}
    for scope, module in model.named_modules():
        if not scope:
            continue

        def before(_module: Any, _args: Any, scope: str = scope) -> None:
            places.setdefault(scope, _place_of_call())

        def after(called: Any, _args: Any, result: Any, scope: str = scope) -> None:
            outputs.append(_Output(scope, type(called).__name__, places[scope],
                                   [tensor.clone() for tensor in _tracing.Tree(result).tensors]))

        module.register_forward_pre_hook(before)
        module.register_forward_hook(after)


def expected(model: torch.nn.Module, names: List[str], values: List[Any],
             training: bool, mixed: bool) -> Optional[Expected]:
    """PyTorch's results of a micro-batch; None, with a message, if it cannot run the module. A mixed model has floats
    with limits of their own."""
    outputs: List[_Output] = []
    try:
        with _undisturbed():
            half = any(parameter.dtype == torch.float16 for parameter in model.parameters())
            copied = copy.deepcopy(model)
            if half:  # the CPU has few operations on halves
                copied = copied.float()
            tree = _tracing.Tree(dict(zip(names, values)))
            tensors = [tensor.detach().clone() for tensor in tree.tensors]
            if half:
                tensors = [t.float() if t.dtype == torch.float16 else t for t in tensors]
            _recorded(copied, outputs)
            forward = _tracing._ForwardOfTensors(copied, names, tree, False)
            with mode_of(copied, training), in_float(half), limits_of_halves(
                    half and not mixed), fast_products():
                result = _tracing.Tree(forward._call(tuple(tensors)))
            return Expected(result.tensors, outputs, half)
    except Exception as error:  # pylint: disable=broad-except  # any error of the program
        logger.info("the first call is not compared with PyTorch, which cannot run the module: %s: %s",
                    type(error).__name__, str(error).split("\n")[0])
        return None


def _difference(ours: numpy.ndarray, theirs: torch.Tensor, half: bool) -> str:
    """A description of the first difference; empty if they agree."""
    wanted = theirs.detach().to(torch.float64).reshape(-1).numpy()
    got = ours.astype(numpy.float64).reshape(-1)
    if got.size != wanted.size:
        return f"{got.size} elements for {wanted.size}"
    if not theirs.is_floating_point():
        if half or numpy.array_equal(got, wanted):  # rounding of halves may change decisions
            return ""
        wrong = got != wanted
    else:
        finite = numpy.isfinite(wanted)
        scale = numpy.abs(wanted[finite]).max(initial=0.0)
        tolerance = (_HALF_TOLERANCE if half else _FLOAT_TOLERANCE) * scale
        if half and scale > torch.finfo(torch.float16).max:
            return ""
        with numpy.errstate(invalid="ignore"):
            same = numpy.where(finite, numpy.abs(got - wanted) <= max(tolerance, 1e-6),
                               (got == wanted) | (numpy.isnan(got) & numpy.isnan(wanted)))
        wrong = ~same
    if not wrong.any():
        return ""
    at = int(numpy.flatnonzero(wrong)[0])
    index = [int(i) for i in numpy.unravel_index(at, theirs.shape)] if theirs.dim() else []
    return (f"{got[at]:.6g} for {wanted[at]:.6g} at {index}, and {int(wrong.sum())} of {wrong.size} "
            "elements differ in total")


def first_difference(wanted: Expected, results: List[numpy.ndarray]) -> Optional[Tuple[int, str]]:
    """The number of the first result of a micro-batch that differs from PyTorch's, and how."""
    for number, (ours, theirs) in enumerate(zip(results, wanted.results)):
        said = _difference(ours, theirs, wanted.half)
        if said:
            return number, said
    return None


def _of_scope(name: str, scope: str) -> bool:
    """Whether an operation belongs to a module. The exporter names modules of a list or Sequential by
    their full name ("body/body.0/Conv") or its last part ("body/0/Conv")."""
    parts = scope.split(".")
    path = "/".join(parts)
    whole = "/".join(".".join(parts[max(0, i - 1):i + 1]) if part.isdecimal() else part
                     for i, part in enumerate(parts))
    return name.lstrip("/").startswith((path + "/", whole + "/"))


def first_module(wanted: Expected, made: List[Tuple[str, numpy.ndarray]]) -> str:
    """The first module whose results differ from PyTorch's, with the line that calls it; empty if none is found."""
    called = [output.scope for output in wanted.modules]
    for output in wanted.modules:
        if called.count(output.scope) != 1 or len(output.tensors) != 1:
            continue
        theirs = output.tensors[0]
        own = [array for name, array in made
               if _of_scope(name, output.scope) and array.shape == tuple(theirs.shape)]
        if own and _difference(own[-1], theirs, wanted.half):
            return f"module '{output.scope}' ({output.kind}), called in {output.line}"
    return ""


class Check:
    """The comparison of a model's first call."""

    def __init__(self, model: torch.nn.Module, wanted: Expected) -> None:
        self._model = model
        self._wanted = wanted
        self._added = False

    def numbers(self, numbers: List[int]) -> List[int]:
        """The micro-batches of the call, with the first one added if missing."""
        self._added = 0 not in numbers
        return [0, *numbers] if self._added else numbers

    def finish(self, program: Any, inputs: Dict[str, numpy.ndarray], numbers: List[int],
               arrays: List[numpy.ndarray]) -> List[numpy.ndarray]:
        """Compares, and returns the results without the added micro-batch."""
        row = 0 if self._added else numbers.index(0)
        found = first_difference(self._wanted, [array[row] for array in arrays])
        if found is not None:
            report(self._model, *found, first_module(self._wanted, program.forward(inputs)))
        return [array[1:] for array in arrays] if self._added else arrays


def begin(model: torch.nn.Module, names: List[str], values: List[Any], training: bool, program: Any,
          seconds: float, asked: bool, mixed: bool) -> Optional[Check]:
    """Runs PyTorch on a micro-batch before the machine does; None if that is not wanted, or, with a
    message, if it is meaningless or takes too long."""
    if not is_wanted():
        return None
    reason = why_not(model, seconds, program.drawing(), asked)
    if reason:
        logger.info("the first call of %s is not compared with PyTorch: %s", type(model).__name__,
                    reason)
        return None
    wanted = expected(model, names, values, training, mixed)
    return None if wanted is None else Check(model, wanted)


def report(model: torch.nn.Module, number: int, said: str, module: str) -> None:
    """Warns of a difference."""
    where = f"; the first to differ is {module}" if module else (
        "; each module that can be compared agrees with PyTorch, so that it is between them: "
        f"forward() of {type(model).__name__} in {_line_of(model)}")
    say_once(f"the first call differs from PyTorch: result {number} has {said}{where}. "
             f"{CHECK_VARIABLE}=off turns the comparison off")


def _line_of(model: torch.nn.Module) -> str:
    code = getattr(type(model).forward, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else type(model).__name__
