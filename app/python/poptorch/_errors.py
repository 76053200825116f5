"""Errors as raised by PopTorch."""
from __future__ import annotations

import contextlib
from typing import Iterator


class Error(RuntimeError):
    """Anything that the compiler or the machine refuses.

    Attributes:
        type: PopTorch's name of the kind of error, such as
            ``'poplar_graph_memory_allocation_error'``.
        message: the text without kind and place.
        location: the calls in which it happened, one a line; may be empty.
    """

    def __init__(self, message: str, type: str = "poptorch_error", location: str = ""):
        self.type = type
        self.message = message
        self.location = location
        where = f"\nError raised in:\n{location}" if location else ""
        super().__init__(f"In include/poptorch_err/ExceptionHandling.hpp:76: '{type}': "
                         f"{message}{where}")


class NotSupported(Error, ValueError):
    """A value that PopTorch refuses, too."""


class RecoverableError(Error):
    """An error after which the program may continue once the machine has been reset.

    Attributes:
        recovery_action: the action that PopTorch recommends.
    """
    recovery_action = "IPU_RESET"


class UnrecoverableError(Error):
    """An error that ends the program."""


_COMPILATION = ("  [0] popart::Session::prepareDevice: Poplar compilation\n"
                "  [1] Compiler::compileAndPrepareDevice\n"
                "  [2] LowerToPopart::compile\n"
                "  [3] compileWithManualTracing")


def out_of_memory(text: str) -> Error:
    """The error of a model that does not fit the machine; ``text`` is Poplar's."""
    return Error(text, "poplar_graph_memory_allocation_error", _COMPILATION)


#: PopTorch's words, which programs look for, before those of the simulator.
_SAID_BY_POPTORCH = {
    "the model has no loss to train on": "Couldn't find a loss in graph:",
    "the model has several losses": "Multiple independent losses found in graph. Graph must have one final "
                                    "loss. Wrap final graph loss in poptorch.identity_loss.",
}


@contextlib.contextmanager
def as_poptorch_error() -> Iterator[None]:
    """A context that turns the simulator's errors into PopTorch's."""
    try:
        yield
    except ValueError as error:
        text = str(error)
        for own, theirs in _SAID_BY_POPTORCH.items():
            text = f"{theirs} {text}" if own in text else text
        raise Error(text, "popart_exception") from error
