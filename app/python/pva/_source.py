"""The profile behind all objects of a report, and the data that they share."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tilescope import _core

from ._lists import PrintLength

if TYPE_CHECKING:
    from ._computesets import ComputeSet, VertexType
    from ._programs import Program
    from ._variables import EquivalenceClass

Array = np.ndarray


class Source:
    """A profile. Parts are read on first use; programs and the like are created once.

    The file contains the tiles of one replica. Arrays by tile are of the whole device, repeated for each replica.
    """

    def __init__(self, path: str) -> None:
        self.core = _core.Profile(path)
        self.path = path
        self.shown = PrintLength()
        self._programs: dict[int, Program] = {}
        self._computeSets: dict[int, ComputeSet] = {}
        self.curveOf = lru_cache(maxsize=64)(self._curveOf)

    @cached_property
    def info(self) -> dict[str, Any]:
        """The run and its main figures."""
        return self.core.info

    @cached_property
    def target(self) -> dict[str, Any]:
        """The machine of one replica and its constants."""
        return self.core.target

    @cached_property
    def replicas(self) -> int:
        """Replicas of the graph, at least one."""
        return max(1, self.info["replicas"] or 1)

    @cached_property
    def tilesOfReplica(self) -> int:
        """Number of tiles with values in the file."""
        return self.target["ipus"] * self.target["tilesPerIpu"]

    @cached_property
    def tiles(self) -> int:
        """Tiles of the whole device."""
        return self.tilesOfReplica * self.replicas

    def byTile(self, values: Array) -> Array:
        """An array[tiles of a replica] as an array[tiles]."""
        return values if self.replicas == 1 else np.tile(values, self.replicas)

    @cached_property
    def tileMemory(self) -> dict[str, Array]:
        """Bytes of each tile of a replica by kind of total."""
        return self.core.tile_memory()

    @cached_property
    def categoryMemory(self) -> dict[tuple[str, str, bool], Array]:
        """Bytes of each tile of a replica by (category, region, overlapped?)."""
        return {(category, region, overlapped): values
                for category, region, overlapped, values in self.core.category_memory()}

    @cached_property
    def physicalTiles(self) -> Array:
        """Physical number of each tile on its IPU."""
        return self.core.physical_tiles()

    @cached_property
    def vertexTypes(self) -> list[VertexType]:
        """Vertex types by id."""
        from ._computesets import VertexType
        return [VertexType(name, size) for name, size in self.core.vertex_types()]

    @cached_property
    def stepPrograms(self) -> Array:
        """Program of each liveness step."""
        return self.core.step_programs()

    def _curveOf(self, tile: int | None = None, ipu: int | None = None) -> Array:
        return self.core.liveness_curve(tile=tile, ipu=ipu)

    @cached_property
    def equivalenceClasses(self) -> list[EquivalenceClass]:
        """Liveness classes by id; the last one is that of always-live variables."""
        from ._variables import EquivalenceClass, Interval
        starts, ends, first = (a.tolist() for a in self.core.liveness_classes())
        classes = [EquivalenceClass(i, [Interval(starts[k], ends[k]) for k in range(first[i], first[i + 1])])
                   for i in range(len(first) - 1)]
        classes.append(EquivalenceClass(len(classes), [Interval(0, len(self.stepPrograms))]))
        return classes

    @cached_property
    def firstPieces(self) -> Array:
        """Number of the first lowered variable of each variable, and the total at the end."""
        return self.core.first_pieces()

    def program(self, number: int) -> Program:
        """The program with an id; -1 represents a sync. The same object each time."""
        found = self._programs.get(number)
        if found is None:
            from ._programs import makeProgram
            found = self._programs[number] = makeProgram(self, number)
        return found

    def computeSet(self, number: int) -> ComputeSet:
        """The compute set with an id; the same object each time."""
        found = self._computeSets.get(number)
        if found is None:
            from ._computesets import ComputeSet
            found = self._computeSets[number] = ComputeSet(self, number)
        return found
