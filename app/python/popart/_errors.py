"""Errors as PopART raises them."""
from __future__ import annotations

import contextlib
from typing import Iterator


class popart_exception(RuntimeError):
    """Anything that PopART refuses; its text is ``args[0]``."""


class popart_internal_exception(popart_exception):
    """A fault of PopART itself."""


class popart_runtime_error(popart_exception):
    """A call at the wrong time, or with wrong values."""


class poplar_exception(RuntimeError):
    """An error of Poplar."""


class poplibs_exception(RuntimeError):
    """An error of PopLibs."""


class OutOfMemoryException(popart_exception):
    """A model that does not fit the machine; the text is Poplar's."""

    def __init__(self, text: str, profile: str = "") -> None:
        super().__init__(text)
        self._profile = profile

    def getSummaryReport(self) -> str:
        """The text of the error, which names the fullest tiles."""
        return str(self)

    def getProfilePath(self) -> str:
        """The profile that was written; "" if none was asked for."""
        return self._profile


def refused(what: str, instead: str) -> popart_exception:
    """The error of something that is not simulated, with what to do instead."""
    return popart_exception(f"{what} is not simulated; {instead}")


@contextlib.contextmanager
def as_popart_exception() -> Iterator[None]:
    """A context that turns the simulator's errors into PopART's."""
    try:
        yield
    except ValueError as error:
        raise popart_exception(str(error)) from error
