"""IPUInfeedQueue and IPUOutfeedQueue: what the host sends and what it reads back."""
from __future__ import annotations

import enum
import threading
import time
from collections import deque
from typing import Any, Deque, Iterator, List, Optional

import numpy

from . import _nest
from ._dataset import Dataset, DatasetIterator
from ._graph import current_graph
from ._tensor import Tensor

_PAUSE = 0.001  #: seconds that an empty pass over a queue waits, so that others may run


class IPUOutfeedMode(enum.Enum):
    """Which results are kept."""
    ALL = "all"
    LAST = "get_last"


class IPUInfeedQueue:
    """The stream of a data set to a program."""

    def __init__(self, dataset: Dataset, device_ordinal: Any = None, prefetch_depth: Any = None,
                 optimise_latency: bool = False, **unused: Any) -> None:
        self._dataset = dataset
        self._iterator: Optional[DatasetIterator] = None

    @property
    def initializer(self) -> None:
        """Starts at the data's beginning."""
        self._iterator = iter(self._dataset)

    @property
    def deleter(self) -> None:
        """Forgets the stream."""
        self._iterator = None

    def iterator(self) -> DatasetIterator:
        """The stream's present state."""
        if self._iterator is None:
            self._iterator = iter(self._dataset)
        return self._iterator

    def _dequeue(self) -> Any:
        return next(self.iterator())

    dequeue = _dequeue


class IPUOutfeedQueue:
    """Results of a program, in the order of its iterations. Other threads may read it: they get the
    results of whole runs."""

    def __init__(self, outfeed_mode: Any = None, device_ordinal: Any = None, buffer_depth: int = 3,
                 optimise_latency: bool = False, **unused: Any) -> None:
        word = getattr(outfeed_mode, "name", None) or str(outfeed_mode or "ALL")
        self._last_only = word.upper() == "LAST"
        self._structure: Any = None
        self._rows: Deque[List[numpy.ndarray]] = deque()
        self._lock = threading.Lock()

    def enqueue(self, tensors: Any) -> Any:
        """Sends a tensor, a tuple or a dict to the host, once in each iteration."""
        if current_graph() is None:
            raise RuntimeError("IPUOutfeedQueue.enqueue() is for functions that strategy.run() runs")
        from ._loops import write_feed
        return write_feed(self, tensors)

    def _take(self, structure: Any, rows: List[List[numpy.ndarray]]) -> None:
        """Appends the results of a run."""
        with self._lock:
            self._structure = (structure, )
            self._rows.extend(rows[-1:] if self._last_only else rows)

    def dequeue(self, wait_for_completion: bool = False) -> Any:
        """All results since the last time, stacked; only the last one in the mode LAST."""
        with self._lock:
            if self._structure is None:
                raise ValueError("Trying to dequeue an outfeed which has not been enqueued.")
            structure, rows = self._structure[0], list(self._rows)
            self._rows.clear()
        leaves = [numpy.stack(column) for column in zip(*rows)] if rows else [
            numpy.empty((0, )) for _ in _nest.flatten(structure)]
        return _nest.pack(structure, [Tensor(leaf[-1] if self._last_only else leaf)
                                      for leaf in leaves])

    def __iter__(self) -> Iterator[Any]:
        if self._last_only:
            raise RuntimeError("An outfeed in the mode LAST cannot be iterated.")
        with self._lock:
            rows = list(self._rows)
            self._rows.clear()
            structure = self._structure[0] if self._structure else None
        if not rows:
            time.sleep(_PAUSE)
        return iter([_nest.pack(structure, [Tensor(leaf) for leaf in row]) for row in rows])

    @property
    def enqueued(self) -> bool:
        """Whether a program has sent anything."""
        return self._structure is not None

    @property
    def deleter(self) -> None:
        """Forgets what is there."""
        self._rows.clear()
