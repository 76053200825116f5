"""Compute sets and their vertices."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np

from ._errors import refuse
from ._lists import LazyList
from ._source import Source


class VertexType(NamedTuple):
    """A codelet with its template arguments."""

    name: str
    """The name in PopLibs: ``poplin::ConvPartial1x1Out<...>``."""
    size: int
    """Bytes of state of one vertex; for vertices with lists, which differ, the rounded average over the profile."""


class VertexInstances:
    """Vertices of one type in a compute set."""

    __slots__ = ("type", "countByTile", "stateBytesByTile")

    def __init__(self, kind: VertexType, counts: np.ndarray, state: np.ndarray) -> None:
        self.type = kind
        """The VertexType."""
        self.countByTile = counts
        """Vertices on each tile: an int64 array[tiles]."""
        self.stateBytesByTile = state
        """Their actual bytes of state on each tile: an int64 array[tiles]."""

    @property
    def estimatedCycles(self) -> NoReturn:
        """Refused, as in the original: cycles are kept by compute set and tile."""
        refuse("VertexInstances.estimatedCycles", "cycles are kept by compute set and tile, see estimatedCyclesByTile.")

    def __repr__(self) -> str:
        return f"<VertexInstances {self.type.name}: {int(self.countByTile.sum())}>"


class ComputeSet:
    """Vertices that run at the same time; one compute set for each such group."""

    def __init__(self, source: Source, number: int) -> None:
        self._source = source
        self._id = number
        self._name, self._operation = source.core.compute_set(number)

    @property
    def name(self) -> str:
        """Its debug name."""
        return self._name

    # Not kept: all compute sets of a large machine would fill memory.
    @property
    def vertices(self) -> list[VertexInstances]:
        """One item for each vertex type."""
        source = self._source
        return [VertexInstances(source.vertexTypes[kind], source.byTile(counts), source.byTile(state))
                for kind, counts, state in source.core.compute_set_vertices(self._id)]

    @property
    def estimatedCyclesByTile(self) -> np.ndarray:
        """Cycles of one execution: an int64 array[tiles]."""
        return self._source.byTile(self._source.core.compute_set_cycles(self._id))

    @property
    def cyclesByTile(self) -> np.ndarray:
        """The same: a simulated compute set takes the estimated cycles."""
        return self.estimatedCyclesByTile

    def __repr__(self) -> str:
        return f"<ComputeSet {self.name}>"


class Exchange:
    """Data moved between the tiles of an IPU before a compute set or by a copy."""

    def __init__(self, source: Source, number: int) -> None:
        self._source = source
        self._id = number
        self.name, _, self.runBytes = source.core.exchange(number)

    def _series(self, what: str) -> np.ndarray:
        return self._source.byTile(self._source.core.exchange_series(self._id, what))

    @property
    def bytesReceivedByTile(self) -> np.ndarray:
        """Bytes received by each tile: an int64 array[tiles]."""
        return self._series("received")

    @property
    def bytesSentByTile(self) -> np.ndarray:
        """Bytes sent by each tile, counted for each receiver: an int64 array[tiles]."""
        return self._series("sent")

    @property
    def codeBytesByTile(self) -> np.ndarray:
        """Exchange code, bytes: an int64 array[tiles]; zeros if counted at an equal exchange."""
        return self._series("code")

    @property
    def estimatedCyclesByTile(self) -> np.ndarray:
        """Cycles of one execution: an int64 array[tiles]."""
        return self._series("cycles")

    def __repr__(self) -> str:
        return f"<Exchange {self.name}>"


def computeSets(source: Source) -> LazyList[ComputeSet]:
    """All, by id."""
    return LazyList(source.core.compute_set_count(), source.computeSet, source.shown)


def exchanges(source: Source) -> LazyList[Exchange]:
    """All, by id."""
    return LazyList(source.core.exchange_count(), lambda number: Exchange(source, number), source.shown)
