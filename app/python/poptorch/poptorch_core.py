"""PopTorch's compiled module, as far as programs import it: its errors and the check of options."""
from __future__ import annotations

from typing import Any, Dict

from ._blocks import current_scopes
from ._errors import Error, RecoverableError, UnrecoverableError  # noqa: F401


def isCompilingWithDispatcher() -> bool:
    """Whether a model is being compiled."""
    return current_scopes() is not None
