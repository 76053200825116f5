"""Tiles and their memory."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, NamedTuple, NoReturn
from enum import Enum

from tilescope import _core

from ._computesets import VertexType
from ._errors import refuse
from ._lists import LazyList
from ._source import Source


class GapBytes(NamedTuple):
    """Bytes with and without the gaps between variables."""

    includingGaps: int
    excludingGaps: int


class RegionBytes(NamedTuple):
    """Bytes of a storage category in a region of a tile's memory."""

    nonOverlapped: int
    """Of variables with addresses of their own."""
    overlapped: int
    """Of variables that share addresses with others that are live at other times."""


class CategoryBytes(NamedTuple):
    """Bytes of a storage category on a tile."""

    total: int
    nonInterleaved: RegionBytes
    interleaved: RegionBytes
    overflowed: RegionBytes


# Categories of the original that TileScope does not use.
EMPTY_CATEGORIES = ("globalMessage", "hostMessage", "multiple", "outputEdge", "rearrangement", "sharedCodeStorage",
                    "sharedDataStorage")


class Categories:
    """Bytes of a tile by storage category: a CategoryBytes each, by its name."""

    __slots__ = ("_source", "_tile")

    def __init__(self, source: Source, tile: int) -> None:
        self._source = source
        self._tile = tile

    def _bytes(self, name: str) -> CategoryBytes:
        def of(region: str, overlapped: bool) -> int:
            values = self._source.categoryMemory.get((name, region, overlapped))
            return 0 if values is None else int(values[self._tile])

        regions = [RegionBytes(of(region, False), of(region, True))
                   for region in ("nonInterleaved", "interleaved", "overflowed")]
        return CategoryBytes(sum(part for region in regions for part in region), *regions)

    def __getattr__(self, name: str) -> CategoryBytes:
        if name in _core.Profile.categories() or name in EMPTY_CATEGORIES:
            return self._bytes(name)
        raise AttributeError(f"there is no storage category '{name}': {', '.join(dir(self))}")

    def __dir__(self) -> list[str]:
        return [*_core.Profile.categories(), *EMPTY_CATEGORIES]


class VertexMemory:
    """Code of a vertex type on a tile."""

    __slots__ = ("type", "codeBytes")

    def __init__(self, kind: VertexType, codeBytes: int) -> None:
        self.type = kind
        """The VertexType."""
        self.codeBytes = codeBytes
        """Bytes of its code on this tile."""

    def _refused(self, name: str) -> NoReturn:
        refuse(f"VertexMemory.{name}", "vertex state is only recorded in total, see ComputeSet.vertices.")

    @property
    def copyPtrBytes(self) -> NoReturn:
        """Refused."""
        self._refused("copyPtrBytes")

    @property
    def edgePtrBytes(self) -> NoReturn:
        """Refused."""
        self._refused("edgePtrBytes")

    @property
    def descriptorBytes(self) -> NoReturn:
        """Refused."""
        self._refused("descriptorBytes")

    @property
    def vertexDataBytes(self) -> NoReturn:
        """Refused."""
        self._refused("vertexDataBytes")

    @property
    def paddingBytes(self) -> NoReturn:
        """Refused."""
        self._refused("paddingBytes")


class TileMemory:
    """Memory of a tile."""

    __slots__ = ("_source", "_tile")

    def __init__(self, source: Source, tile: int) -> None:
        self._source = source
        self._tile = tile

    def _of(self, key: str) -> int:
        return int(self._source.tileMemory[key][self._tile])

    @property
    def total(self) -> GapBytes:
        """Bytes in use; including gaps: up to the highest address."""
        return GapBytes(self._of("includingGaps"), self._of("excludingGaps"))

    @property
    def overflowed(self) -> GapBytes:
        """Bytes beyond the tile's memory; not zero if the model does not fit."""
        beyond = self._of("includingGaps") - self._source.target["bytesPerTile"]
        return GapBytes(max(0, beyond), self._of("overflowed"))

    @property
    def nonInterleaved(self) -> int:
        """Bytes in elements that are not interleaved."""
        return self._of("nonInterleaved")

    @property
    def interleaved(self) -> int:
        """Bytes in interleaved elements."""
        return self._of("interleaved")

    @property
    def alwaysLiveBytes(self) -> int:
        """Bytes of variables that are always live."""
        return self._of("alwaysLive")

    @property
    def notAlwaysLiveBytes(self) -> int:
        """Bytes of the other variables at the step with most of them."""
        return self._of("maxNotAlwaysLive")

    @property
    def category(self) -> Categories:
        """Bytes by storage category."""
        return Categories(self._source, self._tile)

    @property
    def vertices(self) -> list[VertexMemory]:
        """Vertex types with code on the tile."""
        kinds = self._source.vertexTypes
        return [VertexMemory(kinds[kind], size) for kind, size in self._source.core.tile_vertices(self._tile)]


class Tile:
    """A tile of the device."""

    __slots__ = ("_source", "_id")

    def __init__(self, source: Source, number: int) -> None:
        self._source = source
        self._id = number

    @property
    def id(self) -> int:
        """Its number within the whole device."""
        return self._id

    @property
    def ipu(self) -> int:
        """The number of its IPU."""
        return self._id // self._source.target["tilesPerIpu"]

    @property
    def physicalId(self) -> int:
        """Its physical number on its IPU."""
        return int(self._source.physicalTiles[self._id % self._source.tilesOfReplica])

    @property
    def memory(self) -> TileMemory:
        """Its memory, which is the same in every replica."""
        return TileMemory(self._source, self._id % self._source.tilesOfReplica)

    def __repr__(self) -> str:
        return f"<Tile {self._id}>"


class Architecture(Enum):
    """Generations of the IPU."""

    Unknown = 0
    Ipu1 = 1
    Ipu2 = 2
    Ipu21 = 3


class IpuMemory(NamedTuple):
    """Memory of an IPU."""

    total: GapBytes
    """Over its tiles."""
    alwaysLiveBytes: int


class IPU:
    """An IPU of the device."""

    Architecture: ClassVar[type[Architecture]] = Architecture

    def __init__(self, source: Source, number: int) -> None:
        self._source = source
        self.id = number
        """Its number."""

    @cached_property
    def tiles(self) -> LazyList[Tile]:
        """Its tiles."""
        source = self._source
        count = source.target["tilesPerIpu"]
        first = self.id * count
        return LazyList(count, lambda at: Tile(source, first + at), source.shown)

    @property
    def memory(self) -> IpuMemory:
        """Sums over its tiles."""
        source = self._source
        count = source.target["tilesPerIpu"]
        first = self.id % source.target["ipus"] * count

        def total(key: str) -> int:
            return int(source.tileMemory[key][first:first + count].sum())

        return IpuMemory(GapBytes(total("includingGaps"), total("excludingGaps")), total("alwaysLive"))

    def __repr__(self) -> str:
        return f"<IPU {self.id}>"


def tiles(source: Source) -> LazyList[Tile]:
    """All tiles of the device."""
    return LazyList(source.tiles, lambda number: Tile(source, number), source.shown)


def ipus(source: Source) -> LazyList[IPU]:
    """All IPUs of the device."""
    return LazyList(source.target["ipus"] * source.replicas, lambda number: IPU(source, number), source.shown)
