"""Liveness of variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ._lists import LazyList, place
from ._programs import Program
from ._source import Source
from ._variables import VariableSize

_Rows = list[tuple[int, str, int]]


class LiveMemory:
    """Variables that are live at a step and not always."""

    def __init__(self, total: Callable[[], int], rows: Callable[[], _Rows]) -> None:
        self._total = total
        self._rows = rows

    @property
    def bytes(self) -> int:
        """Their bytes, of one replica."""
        return self._total()

    @cached_property
    def variables(self) -> list[VariableSize]:
        """The variables, largest first."""
        return sizes(self._rows())


class LivenessProgramStep:
    """A step of the liveness order: a program that does something."""

    def __init__(self, source: Source, number: int) -> None:
        self._source = source
        self._step = number

    @property
    def program(self) -> Program:
        """The program run by the step."""
        return self._source.program(int(self._source.stepPrograms[self._step]))

    def _live(self, tile: int | None = None, ipu: int | None = None) -> LiveMemory:
        source, step = self._source, self._step
        return LiveMemory(lambda: int(source.curveOf(tile, ipu)[step]),
                          lambda: source.core.not_always_live(step, tile=tile, ipu=ipu))

    @property
    def notAlwaysLiveMemory(self) -> LiveMemory:
        """Over all tiles of a replica."""
        return self._live()

    def notAlwaysLiveMemoryForTile(self, tile: int) -> LiveMemory:
        """On a tile. Raises IndexError if there is no such tile."""
        return self._live(tile=place(tile, self._source.tiles) % self._source.tilesOfReplica)

    def notAlwaysLiveMemoryForIpu(self, ipu: int) -> LiveMemory:
        """On an IPU. Raises IndexError if there is no such IPU."""
        ofReplica = self._source.target["ipus"]
        return self._live(ipu=place(ipu, ofReplica * self._source.replicas) % ofReplica)

    def __repr__(self) -> str:
        return f"<LivenessProgramStep {self._step} {self.program.name}>"


def sizes(rows: _Rows) -> list[VariableSize]:
    """Rows from the extension module as objects."""
    return [VariableSize(*row) for row in rows]


def steps(source: Source) -> LazyList[LivenessProgramStep]:
    """All, in their order."""
    return LazyList(len(source.stepPrograms), lambda number: LivenessProgramStep(source, number), source.shown)
