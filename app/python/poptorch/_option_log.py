"""Logs the options of a model by PopART's and PopTorch's names (POPTORCH_LOG_LEVEL=DEBUG)."""
from __future__ import annotations

import enum
from typing import Any, Dict

from ._errors import Error
from ._logging import logger

_PLAIN = (bool, int, float, str, type(None))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, enum.Enum) else str(value)


def _log(name: str, value: Any) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            logger.debug("poptorch.Options set %s[%s] to %s", name, key, _text(part))
    elif isinstance(value, (list, tuple, set)):
        for part in value:
            logger.debug("poptorch.Options added %s to %s", _text(part), name)
    else:
        logger.debug("poptorch.Options set %s to value %s", name, _text(value))


def check(options: Dict[str, Any]) -> None:
    """Logs all options.

    Raises:
        poptorch.Error: for a value of a type that no option has.
    """
    for name, value in options.items():
        if not isinstance(value, (*_PLAIN, enum.Enum, dict, list, tuple, set)):
            if type(value).__module__.startswith("torch") and type(value).__name__ != "Tensor":
                continue
            raise Error(f"Unknown value type {type(value)} for option {name}")
        _log(name, value)
        if name == "cachePath":
            _log("enableEngineCaching", bool(value))
