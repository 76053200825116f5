"""Checks values of options against the option table of the command line and jobs."""
from __future__ import annotations

from typing import Any

from tilescope._option_faces import check, text_of

from ._errors import Error

__all__ = ["check", "number", "refuse_groups_of_replicas", "text_of", "whole_number"]


def refuse_groups_of_replicas(*args: Any, **kwargs: Any) -> None:
    """What a parameter's replicaGrouping() and perReplica() do here."""
    raise Error("replicaGrouping, perReplica: replicas with weights of their own are not simulated; "
                "leave the call out, and all replicas share their weights")


def whole_number(key: str, value: Any) -> int:
    """A whole number within the bounds of a job's key, see :func:`check`."""
    check({key: text_of(value)})
    return int(value)


def number(key: str, value: Any) -> float:
    """Any number within the bounds of a job's key."""
    check({key: text_of(value)})
    return float(value)
