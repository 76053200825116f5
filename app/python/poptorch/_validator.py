"""Checks values of options against the option table of the command line and jobs."""
from __future__ import annotations

from typing import Any, Dict

from tilescope import _simulator


def text_of(value: Any) -> str:
    """A value as written in jobs."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def check(keys: Dict[str, str]) -> None:
    """Raises ValueError, with the option table's message, for values out of bounds."""
    for key, value in keys.items():
        _simulator.check_option(key, value)


def whole_number(key: str, value: Any) -> int:
    """A whole number within the bounds of a job's key, see :func:`check`."""
    check({key: text_of(value)})
    return int(value)


def number(key: str, value: Any) -> float:
    """Any number within the bounds of a job's key."""
    check({key: text_of(value)})
    return float(value)
