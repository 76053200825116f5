"""Sequences whose items are created on access."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class PrintLength:
    """Number of items in the text of a list; see Report.listPrintLength()."""

    def __init__(self, items: int = 10) -> None:
        self.items = items


class LazyList(Sequence, Generic[T]):
    """``count`` items, each created by ``make(index)`` on every access.

    Raises IndexError for an index out of range.
    """

    __slots__ = ("_count", "_make", "_shown")

    def __init__(self, count: int, make: Callable[[int], T], shown: PrintLength | None = None) -> None:
        self._count = count
        self._make = make
        self._shown = shown or PrintLength()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._count))]
        return self._make(place(index, self._count))

    def __iter__(self) -> Iterator[T]:
        return map(self._make, range(self._count))

    def __repr__(self) -> str:
        return shortened(self, self._shown)


def place(index: int, count: int) -> int:
    """``index`` counted from the start; raises IndexError if it is out of range for a list of ``count`` items."""
    found = index + count if index < 0 else index
    if not 0 <= found < count:
        raise IndexError(f"there is no item {index} in a list of {count}")
    return found


def shortened(items: Sequence[Any], shown: PrintLength) -> str:
    """The text of a list: its first items, and the number of further ones."""
    texts = [repr(items[i]) for i in range(min(len(items), shown.items))]
    if len(items) > shown.items:
        texts.append(f"... {len(items) - shown.items} more")
    return f"[{', '.join(texts)}]"
