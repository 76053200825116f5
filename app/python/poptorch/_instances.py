"""Several processes that train one model, as popdist starts them: what they tell each other."""
from __future__ import annotations

import hashlib
import sys
from typing import Any, Dict, List, Optional

import numpy

from ._errors import Error
from .options import Options


class Instances:
    """The processes of a training, each with ``Options.replicationFactor`` replicas of its own.

    Every one of them computes the same weight updates: with the micro-batches of all of them, which
    they send each other, so that gradients are the mean (or sum) over all replicas, and weights are
    the same to the last bit as those of one process with all replicas.

    Raises:
        poptorch.Error: unless mpirun has started as many as the options say, and python3-mpi4py is
            there to talk with.
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
        """Of all instances."""
        return self.count * self._replicas

    def check_options(self, keys: Dict[str, str]) -> None:
        """Raises poptorch.Error unless all instances have the same job keys."""
        self._same("options or the optimizer's numbers", keys)

    def inputs_of_all(self, own: Dict[str, numpy.ndarray],
                      rates: List[float]) -> Dict[str, numpy.ndarray]:
        """Inputs of a call, micro-batches first, of all instances: device iterations, then replicas
        (those of the first instance first), then micro-batches of an iteration. ``rates`` are the
        learning rates of the parameter groups.

        Raises:
            poptorch.Error: if the instances were called with other shapes or at other rates.
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
        """What this instance calls its micro-batches, as all instances together number them."""
        of_instance = self._replicas * self._accumulation  # in each iteration
        return [
            number // of_instance * of_instance * self.count + self.index * of_instance +
            number % of_instance for number in numbers
        ]

    def check_weights(self, tensors: Dict[str, numpy.ndarray]) -> None:
        """Raises poptorch.Error unless all instances begin with the same weights."""
        digest = hashlib.sha256()
        for name in sorted(tensors):
            digest.update(name.encode())
            digest.update(numpy.ascontiguousarray(tensors[name]).tobytes())
        self._same("weights", digest.hexdigest(),
                   "; give each the same seed (torch.manual_seed) before it makes the model, or "
                   "load the same state_dict()")

    def _same(self, what: str, mine: Any, remedy: str = "") -> None:
        everybody = self._world.allgather(mine)
        for other, theirs in enumerate(everybody):
            if theirs != everybody[0]:
                raise Error(f"{what} of instance {other} are not those of instance 0{remedy}")


def _world(count: int, index: int) -> Any:
    """MPI's communicator of all instances."""
    try:
        from mpi4py import MPI  # only here: it starts MPI
    except ImportError as error:
        raise Error(f"this is one of {count} instances that train together, and they exchange their "
                    "micro-batches by MPI: install python3-mpi4py, or give one instance all "
                    f"replicas by Options.replicationFactor() ({error})") from error
    world = MPI.COMM_WORLD
    if (world.Get_size(), world.Get_rank()) != (count, index):
        raise Error(f"Options.Distributed says that this is instance {index} of {count}, but MPI "
                    f"says {world.Get_rank()} of {world.Get_size()}: start the program with "
                    f"mpirun -np {count}")
    _end_together(world)
    return world


def _end_together(world: Any) -> None:
    """An instance that fails ends all: the others would wait for it without end."""
    print_error = sys.excepthook

    def end(*error: Any) -> None:
        print_error(*error)
        sys.stderr.flush()
        world.Abort(1)

    sys.excepthook = end


def instances_of(options: Options, training: bool) -> Optional[Instances]:
    """The processes that train together; none where this one works alone, as all do in
    inference."""
    if not training or options.Distributed.numProcesses <= 1:
        return None
    return Instances(options)
