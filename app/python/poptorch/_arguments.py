"""Arguments of a call: those of forward(), and the same as when the model was compiled."""
from __future__ import annotations

import inspect
from typing import Any, Dict, List, Tuple

import torch

from ._errors import Error

Bound = Tuple[List[str], List[Any]]  #: names and values

_KIND = inspect.Parameter


def bind(model: torch.nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Bound:
    """Names and values of forward()'s arguments, in its order, without those left at defaults that are
    no tensors.

    Raises:
        poptorch.Error: if one without a default is missing.
        TypeError: if they do not match forward() otherwise.
    """
    signature = inspect.signature(model.forward)
    given = dict(signature.bind_partial(*args, **kwargs).arguments)
    for name, parameter in signature.parameters.items():
        variadic = parameter.kind in (_KIND.VAR_POSITIONAL, _KIND.VAR_KEYWORD)
        if name not in given and not variadic and parameter.default is _KIND.empty:
            raise Error(f"Mandatory parameter {name} missing from the arguments of forward()")
        if name not in given and isinstance(parameter.default, torch.Tensor):
            given[name] = parameter.default
    given = {name: given[name] for name in signature.parameters if name in given}
    names: List[str] = []
    values: List[Any] = []
    for name, value in given.items():
        kind = signature.parameters[name].kind
        if kind is _KIND.VAR_POSITIONAL:
            names += [f"{name}_{i}" for i in range(len(value))]
            values += value
        elif kind is _KIND.VAR_KEYWORD:
            names += value
            values += value.values()
        else:
            names.append(name)
            values.append(value)
    return names, values


def check_same(model: torch.nn.Module, compiled: Bound, given: Bound) -> None:
    """Checks the arguments of a call against those for which the model was compiled.

    Raises:
        poptorch.Error: naming the argument that is missing, or of another type, shape or value.
    """
    before, now = dict(zip(*compiled)), dict(zip(*given))
    parameters = inspect.signature(model.forward).parameters
    _check_count(parameters, before, now)
    missing = [name for name in before if name not in now and name not in parameters]
    if missing:
        raise Error(f"Missing arguments: {', '.join(missing)}.{_REMEDY}")
    added = [name for name in now if name not in before and name not in parameters]
    if added:
        raise Error(f"Unexpected arguments: {', '.join(added)}.{_REMEDY}")
    for name in [*before, *(name for name in now if name not in before)]:
        _check(name, _value(parameters, before, name), _value(parameters, now, name))


_REMEDY = " The model was compiled for the former; call destroy() first to compile it again."


def _value(parameters: Any, values: Dict[str, Any], name: str) -> Any:
    return values[name] if name in values else parameters[name].default


def _check_count(parameters: Any, before: Dict[str, Any], now: Dict[str, Any]) -> None:
    """The number of positional arguments, where any number of them is allowed."""
    for name, parameter in parameters.items():
        if parameter.kind is not _KIND.VAR_POSITIONAL:
            continue
        fixed = [p for p in parameters.values()
                 if p.kind in (_KIND.POSITIONAL_ONLY, _KIND.POSITIONAL_OR_KEYWORD)]
        counts = [sum(key.startswith(f"{name}_") and key not in parameters for key in values)
                  for values in (before, now)]
        if counts[0] != counts[1]:
            raise Error("Number of positional arguments mismatch: expected "
                        f"{len(fixed) + counts[0]} arguments but got {len(fixed) + counts[1]}.{_REMEDY}")


def _check(name: str, before: Any, now: Any) -> None:
    """Compares a value, and those in it."""
    if isinstance(before, torch.Tensor) and isinstance(now, torch.Tensor):
        for what, expected, got in (("Type", before.dtype, now.dtype),
                                    ("Shape", before.shape, now.shape)):
            if expected != got:
                raise Error(f"{what} mismatch for {name}: expected {expected} but got {got}.{_REMEDY}")
        return
    if type(before) is not type(now):
        raise Error(f"Type mismatch for {name}: expected {type(before)} but got {type(now)}.{_REMEDY}")
    if isinstance(before, dict):
        parts = {key: (before.get(key), now.get(key)) for key in [*before, *now]}
        for key, (one, other) in parts.items():
            _check(f"{name}[{key!r}]", one, other)
    elif isinstance(before, (list, tuple)):
        if len(before) != len(now):
            raise Error(f"Length mismatch for {name}: expected {len(before)} but got "
                        f"{len(now)}.{_REMEDY}")
        for i, (one, other) in enumerate(zip(before, now)):
            _check(f"{name}[{i}]", one, other)
    elif isinstance(before, (bool, int, float, str)) and before != now:
        raise Error(f"Value mismatch for {name}: expected {before!r} but got {now!r}.{_REMEDY}")
