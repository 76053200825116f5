"""The execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np

from tilescope import _core

from ._computesets import ComputeSet
from ._errors import refuse
from ._lists import place, shortened
from ._programs import Program
from ._source import Source


class CycleBounds(NamedTuple):
    """The earliest and the latest of the tiles, cycles of the profile's clock."""

    min: int
    max: int


class Cycles(NamedTuple):
    """When tiles begin and end a step."""

    cyclesFrom: CycleBounds
    cyclesTo: CycleBounds


class StepIpu(_core.StepIpu):
    """The activity of one IPU in a step; zeros if it does not take part.

    ``cycles`` until its slowest tile is done, ``dataIn`` and ``dataOut`` in bytes, ``activeTiles`` that take part.
    """

    __slots__ = ()

    def _tileCycles(self) -> np.ndarray:
        """Cycles of each of its tiles."""
        source: Source = self.owner._source
        tiles = source.target["tilesPerIpu"]
        return _cyclesByTile(source, self.program_id)[self.ipu * tiles:(self.ipu + 1) * tiles]

    def _until(self, cycles: np.ndarray) -> Cycles:
        first = self.start
        soonest = min(int(cycles.min()), self.cycles) if len(cycles) else self.cycles
        return Cycles(CycleBounds(first, first), CycleBounds(first + soonest, first + self.cycles))

    @property
    def activeCycles(self) -> Cycles:
        """When the participating tiles begin and end. They begin together."""
        cycles = self._tileCycles()
        return self._until(cycles[cycles > 0])

    @property
    def allCycles(self) -> Cycles:
        """The same for all its tiles; one that does not take part ends when it begins."""
        return self._until(self._tileCycles() if self.activeTiles else np.empty(0))

    @property
    def tileBalance(self) -> float:
        """Working cycles as a fraction of the step's cycles times all tiles: 0 to 1."""
        return self._share(self.owner._source.target["tilesPerIpu"])

    @property
    def activeTileBalance(self) -> float:
        """The same for the participating tiles."""
        return self._share(self.activeTiles)

    def _share(self, tiles: int) -> float:
        return self.tileCycles / (self.cycles * tiles) if self.cycles and tiles else 0.0

    def __repr__(self) -> str:
        return f"<StepIpu {self.ipu}: {self.cycles} cycles>"


def _cyclesByTile(source: Source, program: int) -> np.ndarray:
    """Cycles of each tile of a replica in one execution of a program; zeros if not known by tile."""
    of = source.program(program)
    if of._computeSet >= 0:
        return source.core.compute_set_cycles(of._computeSet)
    if of._exchange >= 0:
        return source.core.exchange_series(of._exchange, "cycles")
    return np.zeros(source.tilesOfReplica, dtype=np.int64)


class ComputeSetStep:
    """A compute set as executed by a step."""

    __slots__ = ("_of", "cyclesByTile")

    def __init__(self, of: ComputeSet, cycles: np.ndarray) -> None:
        self._of = of
        self.cyclesByTile = cycles
        """Cycles of each tile: an int64 array[tiles]."""

    @property
    def name(self) -> str:
        """The compute set's name."""
        return self._of.name

    @property
    def vertices(self) -> Any:
        """Its vertices, see ComputeSet.vertices."""
        return self._of.vertices


class ExecutionStep(_core.Step):
    """A program that was executed, or a sync.

    ``index`` is its place in the order of execution, ``run`` the run that it is part of, and ``ipus`` the activity of
    each IPU: a StepIpu for each IPU of a replica.
    """

    __slots__ = ()

    @property
    def program(self) -> Program:
        """What was executed."""
        return self.owner._source.program(self.program_id)

    @property
    def cyclesByTile(self) -> np.ndarray:
        """Cycles of each tile: an int64 array[tiles]; zeros in syncs and copies, which are timed by IPU."""
        source: Source = self.owner._source
        return source.byTile(_cyclesByTile(source, self.program_id))

    @property
    def computeSets(self) -> list[ComputeSetStep]:
        """The executed compute set; None for other programs."""
        program = self.program
        if program._computeSet < 0:
            return []
        return [ComputeSetStep(program._source.computeSet(program._computeSet), self.cyclesByTile)]

    def __repr__(self) -> str:
        return f"<ExecutionStep {self.index} {self.kind}>"


class Steps(Sequence):
    """Executed steps. Iterating keeps a thousand of them in memory at a time, however many there are."""

    def __init__(self, report: ExecutionReport, first: int, end: int) -> None:
        self._report = report
        self._first = first
        self._end = end

    def __len__(self) -> int:
        return self._end - self._first

    def __iter__(self) -> Iterator[ExecutionStep]:
        return self._between(self._first, self._end)

    def _between(self, first: int, end: int) -> Iterator[ExecutionStep]:
        return self._report._source.core.steps(first, end, self._report, ExecutionStep, StepIpu)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            at = range(*index.indices(len(self)))
            if at.step == 1:
                return Steps(self._report, self._first + at.start, self._first + max(at.start, at.stop))
            return [self[i] for i in at]
        found = self._first + place(index, len(self))
        return next(self._between(found, found + 1))

    def __repr__(self) -> str:
        return shortened(self, self._report._source.shown)


class Microseconds(NamedTuple):
    """When a run began and ended on the profile's clock."""

    start: float
    end: float


class Run:
    """One run of the engine."""

    def __init__(self, report: ExecutionReport, name: str, start: int, cycles: int, first: int, end: int) -> None:
        self.name = name
        """``Engine::run #0 (weightsFromHost)``."""
        self.steps = Steps(report, first, end)
        """Its steps."""
        clock = report._source.target["clockHz"] / 1e6
        self.microseconds = Microseconds(start / clock, (start + cycles) / clock)
        """When it began and ended, simulated time."""

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self.steps)} steps>"


class TotalCycles(NamedTuple):
    """Cycles of all runs together."""

    total: int


class ExecutionReport:
    """What was executed, in all runs."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @cached_property
    def steps(self) -> Steps:
        """Steps of all runs, in their order."""
        return Steps(self, 0, self._source.core.step_count())

    @cached_property
    def runs(self) -> list[Run]:
        """Runs of the engine, in their order."""
        return [Run(self, *row) for row in self._source.core.runs()]

    @property
    def totalCycles(self) -> TotalCycles:
        """Cycles until the last step ends."""
        return TotalCycles(self._source.core.total_cycles())

    def blocks(self, tile: int) -> NoReturn:
        """Refused: lightweight profiling's blocks are not simulated."""
        refuse("ExecutionReport.blocks", "blocks are not simulated, as every step has its times; see steps.")


class Block:
    """Lightweight profiling's block, which simulated profiles do not have: ExecutionReport.blocks() is refused."""

    def __init__(self) -> None:
        refuse("Block", "blocks are not simulated, as every step has its times; see ExecutionReport.steps.")
