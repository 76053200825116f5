"""What is not simulated, said in one way, and TensorFlow's classes of errors."""
from __future__ import annotations

import difflib
import types
from typing import Any, Callable, Iterable, List


class NotSimulated(NotImplementedError):
    """Raised for what TensorFlow has and the simulation has not."""


class OpError(Exception):
    """Base of TensorFlow's run-time errors."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidArgumentError(OpError):
    """An argument that does not suit an operation."""


class FailedPreconditionError(OpError):
    """A program that cannot run as it is configured."""


class ResourceExhaustedError(OpError):
    """A model that does not fit the machine."""


class OutOfRangeError(OpError):
    """A data set that has ended."""


def refuse_unknown(where: str, known: Iterable[str]) -> Callable[[str], Any]:
    """A module's ``__getattr__``: unknown names say that they are not simulated."""
    names: List[str] = [name for name in known if not name.startswith("_")]

    def missing(name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        near = difflib.get_close_matches(name, names, 1)
        hint = f"; near is {where}.{near[0]}" if near else ""
        raise AttributeError(f"{where}.{name} is not simulated{hint}")

    return missing


def make_module(name: str, doc: str, **members: Any) -> types.ModuleType:
    """A module with these members, which refuses all others."""
    module = types.ModuleType(name, doc)
    module.__dict__.update(members)
    module.__path__ = []  # type: ignore[attr-defined]
    module.__getattr__ = refuse_unknown(name, members)  # type: ignore[method-assign]
    return module
