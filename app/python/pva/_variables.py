"""Lowered variables: the part of a variable on one tile, each with its own number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ._errors import refuse
from ._lists import LazyList, place, shortened
from ._source import Source

# Number of variables whose pieces are created at a time during iteration.
_BATCH = 64


class Interval(NamedTuple):
    """Liveness steps [start, end)."""

    start: int
    end: int


class EquivalenceClass(NamedTuple):
    """Steps over which the variables of a class are live."""

    id: int
    steps: list[Interval]
    """Ordered intervals that do not touch."""


class BriefVariable(NamedTuple):
    """An item of LoweredVariables.allBriefVars."""

    id: int
    bytes: int
    tileId: int
    equivalenceClass: EquivalenceClass


class VariableSize:
    """A variable with live bytes.

    Two are equal if they belong to the same variable of a report. Code, vertex state and the like are variables too,
    named after their category.
    """

    __slots__ = ("_id", "name", "size")

    def __init__(self, number: int, name: str, size: int) -> None:
        self._id = number
        self.name = name
        """Its debug name."""
        self.size = size
        """Bytes, of one replica."""

    def __eq__(self, other: object) -> bool:
        return getattr(other, "_id", None) == self._id and type(other) in (VariableSize, UnloweredVariable)

    def __hash__(self) -> int:
        return hash(self._id)

    def __repr__(self) -> str:
        return f"<VariableSize {self.name}: {self.size} bytes>"


class UnloweredVariable:
    """A whole variable, on all its tiles."""

    __slots__ = ("_id", "name", "category", "type", "shape", "bytes", "alwaysLive", "_class")

    def __init__(self, source: Source, number: int) -> None:
        self._id = number
        (self.name, self.category, self.alwaysLive, self._class, self.type, self.shape, _,
         self.bytes) = source.core.variable(number)

    __eq__ = VariableSize.__eq__
    __hash__ = VariableSize.__hash__

    @property
    def size(self) -> int:
        """Bytes on all tiles of a replica."""
        return self.bytes

    def __repr__(self) -> str:
        return f"<Variable {self.name}: {self.bytes} bytes>"


class LoweredVariable:
    """The part of a variable on one tile."""

    __slots__ = ("_source", "_id", "_variable", "tileId", "bytes", "_offset")

    def __init__(self, source: Source, number: int, variable: int, tile: int, size: int, offset: int | None) -> None:
        self._source = source
        self._id = number
        self._variable = variable
        self.tileId = tile
        """Its tile."""
        self.bytes = size
        """Its bytes."""
        self._offset = offset

    @property
    def unloweredVar(self) -> UnloweredVariable:
        """The whole variable."""
        return unlowered(self._source, self._variable)

    @property
    def hasUnloweredVar(self) -> bool:
        """False for code, vertex state and other variables added by the compiler."""
        return self.category in ("variable", "constant")

    @property
    def name(self) -> str:
        """Its debug name, or that of its category."""
        return self.unloweredVar.name

    @property
    def category(self) -> str:
        """The storage category: ``variable``, ``vertexCode``."""
        return self.unloweredVar.category

    @property
    def alwaysLive(self) -> bool:
        """Whether its memory is not shared with others."""
        return self.unloweredVar.alwaysLive

    @property
    def equivalenceClass(self) -> EquivalenceClass:
        """When it is live; at all steps if it is always live."""
        return self._source.equivalenceClasses[self.unloweredVar._class]

    @property
    def offset(self) -> int:
        """Its address on the tile, from the start of the tile's memory, bytes."""
        if self._offset is None:
            numbers, _, _, _, offsets = self._source.core.tile_pieces(self.tileId)
            self._offset = int(offsets[np.searchsorted(numbers, self._id)])
        if self._offset < 0:
            refuse("LoweredVariable.offset", f"variable '{self.name}' was given no address on tile {self.tileId}.")
        return self._offset

    @property
    def alignment(self) -> NoReturn:
        """Refused: alignments are not recorded."""
        refuse("LoweredVariable.alignment", "only the resulting offsets are recorded.")

    def __repr__(self) -> str:
        return f"<LoweredVariable {self._id} {self.name}: {self.bytes} bytes on tile {self.tileId}>"


def unlowered(source: Source, number: int) -> UnloweredVariable:
    """The variable with an id; the same object each time."""
    known: dict[int, UnloweredVariable] = source.__dict__.setdefault("_variables", {})
    found = known.get(number)
    if found is None:
        found = known[number] = UnloweredVariable(source, number)
    return found


class VariablePieces(Sequence):
    """The lowered variables of some variables, ordered by variable and tile."""

    def __init__(self, source: Source, variables: Iterable[int]) -> None:
        self._source = source
        self._variables = np.fromiter(variables, dtype=np.int64)
        first = source.firstPieces
        self._ends = np.cumsum(first[self._variables + 1] - first[self._variables])

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def __iter__(self) -> Iterator[LoweredVariable]:
        for variable in self._variables.tolist():
            yield from _of(self._source, *self._source.core.variable_pieces(variable, variable + 1))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = place(index, len(self))
        which = int(np.searchsorted(self._ends, at, side="right"))
        variable = int(self._variables[which])
        before = int(self._ends[which - 1]) if which else 0
        return pieceOf(self._source, int(self._source.firstPieces[variable]) + at - before)

    def __repr__(self) -> str:
        return shortened(self, self._source.shown)


def _of(source: Source, numbers: np.ndarray, variables: np.ndarray, tiles: np.ndarray, sizes: np.ndarray,
        offsets: np.ndarray | None = None) -> Iterator[LoweredVariable]:
    known = offsets.tolist() if offsets is not None else [None] * len(numbers)
    for row in zip(numbers.tolist(), variables.tolist(), tiles.tolist(), sizes.tolist(), known):
        yield LoweredVariable(source, *row)


def pieceOf(source: Source, number: int) -> LoweredVariable:
    """The lowered variable with a number; raises IndexError if there is none."""
    return LoweredVariable(source, number, *source.core.piece(number), None)


class BriefVariables(Sequence):
    """All lowered variables in brief. Iterating keeps only a few in memory at a time."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def __len__(self) -> int:
        return int(self._source.firstPieces[-1])

    def __iter__(self) -> Iterator[BriefVariable]:
        source = self._source
        classes = source.equivalenceClasses
        for first in range(0, len(source.firstPieces) - 1, _BATCH):
            numbers, variables, tiles, sizes = source.core.variable_pieces(first, first + _BATCH)
            ofVariable = [classes[unlowered(source, first + i)._class]
                          for i in range(min(_BATCH, len(source.firstPieces) - 1 - first))]
            for number, variable, tile, size in zip(numbers.tolist(), variables.tolist(), tiles.tolist(),
                                                    sizes.tolist()):
                yield BriefVariable(number, size, tile, ofVariable[variable - first])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        found = pieceOf(self._source, place(index, len(self)))
        return BriefVariable(found._id, found.bytes, found.tileId, found.equivalenceClass)

    def __repr__(self) -> str:
        return shortened(self, self._source.shown)


class LoweredVariables:
    """All lowered variables of a replica."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @cached_property
    def allBriefVars(self) -> BriefVariables:
        """Each with its tile, bytes and class of liveness only."""
        return BriefVariables(self._source)

    def forTile(self, tile: int) -> list[LoweredVariable]:
        """Those on a tile, with their addresses. Raises IndexError if there is no such tile."""
        ofReplica = place(tile, self._source.tiles) % self._source.tilesOfReplica
        return list(_of(self._source, *self._source.core.tile_pieces(ofReplica)))

    def __len__(self) -> int:
        return len(self.allBriefVars)

    def __iter__(self) -> Iterator[LoweredVariable]:
        return iter(VariablePieces(self._source, range(len(self._source.firstPieces) - 1)))


def variables(source: Source) -> LazyList[UnloweredVariable]:
    """All whole variables, by id."""
    return LazyList(len(source.firstPieces) - 1, lambda number: unlowered(source, number), source.shown)
