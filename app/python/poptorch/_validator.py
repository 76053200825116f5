"""Checks values of options against the option table of the command line and jobs."""
from __future__ import annotations

from typing import Any

from tilescope._option_faces import check, text_of

__all__ = ["check", "number", "text_of", "whole_number"]


def whole_number(key: str, value: Any) -> int:
    """A whole number within the bounds of a job's key, see :func:`check`."""
    check({key: text_of(value)})
    return int(value)


def number(key: str, value: Any) -> float:
    """Any number within the bounds of a job's key."""
    check({key: text_of(value)})
    return float(value)
