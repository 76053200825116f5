"""Several processes, started by popdist, that train one model, and their communication."""
from __future__ import annotations

import hashlib
import sys
from typing import Any, Dict, List, Optional

import numpy

from ._errors import Error
from .options import Options


class Instances:
    """The processes of a training, each with ``Options.replicationFactor`` replicas of its own.

    All of them compute the same weight updates from the micro-batches of all processes, which they
    exchange, so that gradients are the mean (or sum) over all replicas, and weights are bit-identical
    to those of one process with all replicas.

    Raises:
        poptorch.Error: unless mpirun has started the number of processes in the options, and
            python3-mpi4py is installed.
    """

    def __init__(self, options: Options) -> None:
        self.count: int = options.Distributed.numProcesses
        self.index: int = options.Distributed.processId
        self._replicas: int = options.replication_factor
        self._iterations: int = options.device_iterations
        self._accumulation: int = options.Training.gradient_accumulation
        self._world = _world(self.count, self.index)

    @property
    def all_replicas(self) -> int:
        """Number of replicas in all instances."""
        return self.count * self._replicas

    def check_options(self, keys: Dict[str, str]) -> None:
        """Raises poptorch.Error unless all instances have the same job keys."""
        self._same("options or the optimizer's hyperparameters", keys)

    def inputs_of_all(self, own: Dict[str, numpy.ndarray],
                      rates: List[float]) -> Dict[str, numpy.ndarray]:
        """Inputs of a call, micro-batches first, of all instances: device iterations, then replicas
        (those of the first instance first), then micro-batches of an iteration. ``rates`` are the
        learning rates of the parameter groups.

        Raises:
            poptorch.Error: if the instances were called with different shapes or learning rates.
        """
        shapes = [(name, own[name].shape) for name in sorted(own)]
        self._same("shapes of inputs or the learning rate", (shapes, rates))
        return {name: self._together(own[name]) for name in sorted(own)}

    def _together(self, array: numpy.ndarray) -> numpy.ndarray:
        if not array.ndim:
            return array
        by_iteration = array.reshape(self._iterations, -1, *array.shape[1:])
        parts = self._world.allgather(by_iteration)
        return numpy.concatenate(parts, axis=1).reshape(-1, *array.shape[1:])

    def own_micro_batches(self, numbers: List[int]) -> List[int]:
        """Numbers of this instance's micro-batches among those of all instances."""
        of_instance = self._replicas * self._accumulation  # in each iteration
        return [
            number // of_instance * of_instance * self.count + self.index * of_instance +
            number % of_instance for number in numbers
        ]

    def check_weights(self, tensors: Dict[str, numpy.ndarray]) -> None:
        """Raises poptorch.Error unless all instances start with the same weights."""
        digest = hashlib.sha256()
        for name in sorted(tensors):
            digest.update(name.encode())
            digest.update(numpy.ascontiguousarray(tensors[name]).tobytes())
        self._same("weights", digest.hexdigest(),
                   "; give each the same seed (torch.manual_seed) before it creates the model, or "
                   "load the same state_dict()")

    def _same(self, what: str, mine: Any, remedy: str = "") -> None:
        everybody = self._world.allgather(mine)
        for other, theirs in enumerate(everybody):
            if theirs != everybody[0]:
                raise Error(f"{what} of instance {other} differ from those of instance 0{remedy}")


def _world(count: int, index: int) -> Any:
    """MPI's communicator of all instances."""
    try:
        from mpi4py import MPI  # only here, as this starts MPI
    except ImportError as error:
        raise Error(f"this is one of {count} instances that train together, and they exchange their "
                    "micro-batches by MPI: install python3-mpi4py, or give one instance all "
                    f"replicas with Options.replicationFactor() ({error})") from error
    world = MPI.COMM_WORLD
    if (world.Get_size(), world.Get_rank()) != (count, index):
        raise Error(f"Options.Distributed says that this is instance {index} of {count}, but MPI "
                    f"says {world.Get_rank()} of {world.Get_size()}: start the program with "
                    f"mpirun -np {count}")
    _end_together(world)
    return world


def _end_together(world: Any) -> None:
    """Makes an instance that fails end all of them, as the others would wait for it forever."""
    print_error = sys.excepthook

    def end(*error: Any) -> None:
        print_error(*error)
        sys.stderr.flush()
        world.Abort(1)

    sys.excepthook = end


def instances_of(options: Options, training: bool) -> Optional[Instances]:
    """The processes that train together; None if this one works alone, as always in inference."""
    if not training or options.Distributed.numProcesses <= 1:
        return None
    return Instances(options)
