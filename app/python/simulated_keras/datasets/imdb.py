"""Reviews of films as lists of the words' ranks."""
from __future__ import annotations

from typing import Any, List, Optional

import numpy

from ._files import Split, load_split


def load_data(path: str = "imdb.npz", num_words: Optional[int] = None, skip_top: int = 0,
              maxlen: Optional[int] = None, seed: int = 113, start_char: Optional[int] = 1,
              oov_char: Optional[int] = 2, index_from: int = 3, **unused: Any) -> Split:
    """Reviews and whether they are kind; rarer words than `num_words` become `oov_char`."""
    parts = load_split(path, "the file imdb.npz (x_train, y_train, x_test, y_test)", True)
    generator = numpy.random.RandomState(seed)
    made = []
    for x, y in parts:
        order = numpy.arange(len(x))
        generator.shuffle(order)
        rows, labels = _begun(x[order], start_char, index_from), y[order]
        if maxlen:
            kept = [i for i, row in enumerate(rows) if len(row) < maxlen]
            rows, labels = [rows[i] for i in kept], labels[kept]
        made.append((rows, labels))
    limit = num_words or max(max(row) for rows, _ in made for row in rows) + 1
    return tuple((_objects(_limited(rows, skip_top, limit, oov_char)), labels)  # type: ignore
                 for rows, labels in made)


def _begun(x: Any, start: Optional[int], offset: int) -> List[List[int]]:
    lead = [] if start is None else [start]
    return [lead + [int(word) + offset for word in row] for row in x]


def _limited(rows: List[List[int]], low: int, high: int, other: Optional[int]) -> List[List[int]]:
    if other is None:
        return [[word for word in row if low <= word < high] for row in rows]
    return [[word if low <= word < high else other for word in row] for row in rows]


def _objects(rows: List[List[int]]) -> numpy.ndarray:
    array = numpy.empty(len(rows), dtype=object)
    array[:] = rows
    return array
