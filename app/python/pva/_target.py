"""The machine, and the graph in figures."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, NoReturn

from ._errors import refuse
from ._memory import Architecture
from ._source import Source


class TargetType(Enum):
    """The kind of target that a graph was compiled for."""

    Unknown = 0
    Ipu = 1
    IpuModel = 2
    Cpu = 3


class Target:
    """The machine that was simulated, with all replicas."""

    Type: ClassVar[type[TargetType]] = TargetType

    def __init__(self, source: Source) -> None:
        self._source = source
        self._values = source.target

    @property
    def type(self) -> TargetType:
        """IpuModel for a run with the option ipuModel, else Ipu: the simulated one."""
        model = self._source.info["options"].get("ipuModel", "false") not in ("false", "off", "0", "")
        return TargetType.IpuModel if model else TargetType.Ipu

    @property
    def architecture(self) -> Architecture:
        """Generation of the IPU, a pva.IPU.Architecture."""
        return Architecture.__members__.get(self._values["architecture"].capitalize(), Architecture.Unknown)

    @property
    def numReplicas(self) -> int:
        """Replicas of the graph."""
        return self._source.replicas

    @property
    def ipusPerReplica(self) -> int:
        """IPUs of one replica."""
        return self._values["ipus"]

    @property
    def numIPUs(self) -> int:
        """IPUs of all replicas."""
        return self.ipusPerReplica * self.numReplicas

    @property
    def tilesPerIpu(self) -> int:
        """Tiles of an IPU."""
        return self._values["tilesPerIpu"]

    @property
    def tilesPerReplica(self) -> int:
        """Tiles of one replica."""
        return self.tilesPerIpu * self.ipusPerReplica

    @property
    def numTiles(self) -> int:
        """Tiles of all replicas."""
        return self.tilesPerReplica * self.numReplicas

    @property
    def bytesPerTile(self) -> int:
        """Memory of a tile, bytes."""
        return self._values["bytesPerTile"]

    @property
    def bytesPerIPU(self) -> int:
        """Memory of an IPU's tiles, bytes."""
        return self.bytesPerTile * self.tilesPerIpu

    @property
    def memoryPerReplica(self) -> int:
        """Memory of a replica's tiles, bytes."""
        return self.bytesPerTile * self.tilesPerReplica

    @property
    def totalMemory(self) -> int:
        """Memory of all tiles, bytes."""
        return self.bytesPerTile * self.numTiles

    @property
    def clockFrequency(self) -> float:
        """Clock of the tiles, Hz."""
        return self._values["clockHz"]

    @property
    def minSyncDelay(self) -> int:
        """Cycles from the last tile's request of an internal sync to its release."""
        return self._values["internalSyncCycles"]

    @property
    def relativeSyncDelayByTile(self) -> NoReturn:
        """Refused: all tiles wait equally long."""
        refuse("Target.relativeSyncDelayByTile", "all tiles of a simulated IPU wait equally long, see minSyncDelay.")


class Graph:
    """The compiled graph in figures."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def numComputeSets(self) -> int:
        """Compute sets."""
        return self._source.core.compute_set_count()

    @property
    def numVertices(self) -> int:
        """Vertices of all compute sets."""
        return self._source.info["vertices"]

    @property
    def numEdges(self) -> int:
        """Edges of these vertices."""
        return self._source.info["edges"]

    @property
    def numVars(self) -> int:
        """Variables, without those that the compiler adds for code and state."""
        core = self._source.core
        kinds = (core.variable(number)[1] for number in range(len(self._source.firstPieces) - 1))
        return sum(kind in ("variable", "constant") for kind in kinds)
