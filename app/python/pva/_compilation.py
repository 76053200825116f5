"""The compilation."""

from __future__ import annotations

from functools import cached_property
from typing import NoReturn

from . import _computesets, _liveness, _memory, _operations, _variables
from ._errors import refuse
from ._lists import LazyList, place
from ._programs import Program
from ._source import Source
from ._target import Graph, Target


class CompilationReport:
    """The compiled graph: memory, programs, variables and their liveness.

    Memory and liveness are of one replica. Arrays by tile are of the whole device, with equal values for each replica.
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    @cached_property
    def target(self) -> Target:
        """The machine."""
        return Target(self._source)

    @cached_property
    def graph(self) -> Graph:
        """The graph in figures."""
        return Graph(self._source)

    @cached_property
    def tiles(self) -> LazyList[_memory.Tile]:
        """All tiles of the device."""
        return _memory.tiles(self._source)

    @cached_property
    def ipus(self) -> LazyList[_memory.IPU]:
        """All IPUs of the device."""
        return _memory.ipus(self._source)

    @property
    def tilesWithLivenessInfo(self) -> LazyList[_memory.Tile]:
        """Tiles with known liveness: all."""
        return self.tiles

    @cached_property
    def programs(self) -> LazyList[Program]:
        """All programs by id (their ``_id``)."""
        return LazyList(self._source.core.program_count(), self._source.program, self._source.shown)

    @cached_property
    def controlPrograms(self) -> list[Program]:
        """The control programs that an engine run selects by index."""
        return [self._source.program(number) for number in self._source.core.control_programs()]

    @cached_property
    def functionPrograms(self) -> list[Program]:
        """The roots of functions."""
        return [self._source.program(number) for number in self._source.core.functions()]

    @cached_property
    def computeSets(self) -> LazyList[_computesets.ComputeSet]:
        """All, by id."""
        return _computesets.computeSets(self._source)

    @cached_property
    def exchanges(self) -> LazyList[_computesets.Exchange]:
        """All exchanges inside IPUs and between them, by id."""
        return _computesets.exchanges(self._source)

    @cached_property
    def loweredVariables(self) -> _variables.LoweredVariables:
        """The parts of each variable on each tile."""
        return _variables.LoweredVariables(self._source)

    @cached_property
    def variables(self) -> LazyList[_variables.UnloweredVariable]:
        """Whole variables, including those for code and state, which are named after their categories."""
        return _variables.variables(self._source)

    @cached_property
    def livenessProgramSteps(self) -> LazyList[_liveness.LivenessProgramStep]:
        """Steps of the liveness order: programs that do something, depth first."""
        return _liveness.steps(self._source)

    @cached_property
    def alwaysLiveVariables(self) -> list[_variables.VariableSize]:
        """Variables that are live at every step, largest first."""
        return _liveness.sizes(self._source.core.always_live())

    def alwaysLiveVariablesForTile(self, tile: int) -> list[_variables.VariableSize]:
        """The same on a tile. Raises IndexError if there is no such tile."""
        ofReplica = place(tile, self._source.tiles) % self._source.tilesOfReplica
        return _liveness.sizes(self._source.core.always_live(tile=ofReplica))

    @cached_property
    def debugContexts(self) -> LazyList[_operations.DebugContext]:
        """Operations of the program."""
        return _operations.debugContexts(self._source)

    @property
    def timestamp(self) -> str:
        """When the profile was made, UTC: ``2024-05-01T12:00:00Z``."""
        return self._source.info["createdAt"]

    @property
    def engineOptions(self) -> dict[str, str]:
        """Poplar's engine options as given."""
        return dict(self._source.info["engineOptions"])

    @property
    def optimizationInfo(self) -> NoReturn:
        """Refused: counters of Poplar's own optimizations."""
        refuse("CompilationReport.optimizationInfo", "it counts optimizations of Poplar's compiler, which did not run.")

    @property
    def hostExchange(self) -> NoReturn:
        """Refused: see the stream copies among the programs."""
        refuse("CompilationReport.hostExchange", "copies from and to the host are programs, see StreamCopyMid.")
