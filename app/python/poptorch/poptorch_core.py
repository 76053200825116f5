"""PopTorch's compiled module, as far as programs use it: its errors, and the check of options."""
from __future__ import annotations

import enum
from typing import Any, Dict, Type

from . import _option_log
from ._blocks import current_scopes
from ._errors import Error, RecoverableError, UnrecoverableError


def isCompilingWithDispatcher() -> bool:
    """Whether a model is being compiled."""
    return current_scopes() is not None


def _validateOptions(options: Dict[str, Any]) -> None:
    """Checks options by name, as of Options.toDict(), and logs them."""
    _option_log.check(options)


class TestErrorType(enum.IntEnum):
    """Kinds of errors that :func:`_throwTestError` raises."""
    Poptorch = 0
    Popart = 1
    PopartInternal = 2
    Poplibs = 3
    PoplarUnrecoverable = 4
    PoplarUnknown = 5
    PoplarRecoverableFullReset = 6
    PoplarLinkError = 7


_TYPES: Dict[TestErrorType, str] = {
    TestErrorType.Poptorch: "poptorch_cpp_error",
    TestErrorType.Popart: "popart_exception",
    TestErrorType.PopartInternal: "popart_internal_exception",
    TestErrorType.Poplibs: "poplibs_error",
    TestErrorType.PoplarUnrecoverable: "poplar_unrecoverable_runtime_error",
    TestErrorType.PoplarUnknown: "poplar_unknown_runtime_error",
    TestErrorType.PoplarRecoverableFullReset: "poplar_recoverable_runtime_error",
    TestErrorType.PoplarLinkError: "poplar_link_error",
}
_PLACE = "  [0] throwTestError::bottomLevel\n  [1] throwTestError::topLevel"


def _throwTestError(kind: TestErrorType) -> None:
    """Raises an error of a kind, for programs that try how they handle it."""
    made: Type[Error] = {
        TestErrorType.PoplarUnrecoverable: UnrecoverableError,
        TestErrorType.PoplarRecoverableFullReset: RecoverableError
    }.get(kind, Error)
    text = "an error for a test"
    if kind == TestErrorType.PoplarLinkError:
        text += "; output of the linker: -lfoo not found"
    error = made(text, _TYPES[kind], _PLACE)
    if isinstance(error, RecoverableError):
        error.recovery_action = "FULL_RESET"
    raise error
