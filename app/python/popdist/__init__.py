"""Instances of a program: the processes that mpirun (or ``poprun``, which calls it) has started.

Each of the ``getNumInstances()`` instances has replicas of its own. Instances that train one model do so together: they
send each other their micro-batches by MPI (python3-mpi4py), so that gradients include all replicas. Each instance
computes every weight update completely; only the simulated machine divides the work.
"""
from __future__ import annotations

import functools
import os
from typing import Any, Callable, Iterable, Optional

__all__ = [
    "checkNumIpusPerReplica", "execute_on_instances", "getDeviceId", "getInstanceIndex",
    "getNumInstances", "getNumIpusPerReplica", "getNumLocalReplicas", "getNumTotalReplicas",
    "getReplicaIndexOffset", "init", "isPopdistEnvSet"
]


def _number(default: int, *variables: str) -> int:
    for variable in variables:
        text = os.environ.get(variable)
        if text:
            try:
                return int(text)
            except ValueError:
                raise ValueError(f"environment variable {variable}: '{text}' is not a whole "
                                 "number") from None
    return default


def init() -> None:
    """Initialises popdist; nothing to do here."""


def isPopdistEnvSet() -> bool:
    """Whether instances were started by mpirun or poprun, or the number of replicas is set."""
    return any(name in os.environ
               for name in ("POPDIST_NUM_TOTAL_REPLICAS", "OMPI_COMM_WORLD_SIZE"))


def getNumInstances() -> int:
    """Number of instances."""
    return _number(1, "POPDIST_NUM_INSTANCES", "OMPI_COMM_WORLD_SIZE")


def getInstanceIndex() -> int:
    """Number of this instance, from 0."""
    return _number(0, "POPDIST_INSTANCE_INDEX", "OMPI_COMM_WORLD_RANK")


def getNumTotalReplicas() -> int:
    """Replicas of all instances."""
    return _number(getNumInstances(), "POPDIST_NUM_TOTAL_REPLICAS")


def getNumLocalReplicas() -> int:
    """Replicas of this instance.

    Raises:
        ValueError: if the instances cannot share them evenly.
    """
    total, instances = getNumTotalReplicas(), getNumInstances()
    if total % instances:
        raise ValueError(f"{instances} instances cannot share {total} replicas evenly")
    return _number(total // instances, "POPDIST_NUM_LOCAL_REPLICAS")


def getReplicaIndexOffset() -> int:
    """Number of this instance's first replica."""
    return getInstanceIndex() * getNumLocalReplicas()


def getNumIpusPerReplica() -> int:
    """IPUs per replica, as given to poprun."""
    return _number(1, "POPDIST_NUM_IPUS_PER_REPLICA")


def checkNumIpusPerReplica(num_ipus: int) -> None:
    """Raises ValueError if another number was given to poprun."""
    if "POPDIST_NUM_IPUS_PER_REPLICA" in os.environ and num_ipus != getNumIpusPerReplica():
        raise ValueError(f"the model uses {num_ipus} IPUs per replica, but poprun was given "
                         f"{getNumIpusPerReplica()}")


def getDeviceId(num_ipus: Optional[int] = None) -> int:
    """Number of this instance's device."""
    return getInstanceIndex()


def execute_on_instances(instances: Iterable[int]) -> Callable[[Callable], Callable]:
    """A decorator: the function runs on these instances only, and returns None on others."""
    chosen = set(instances)

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs) if getInstanceIndex() in chosen else None

        return call

    return decorate
