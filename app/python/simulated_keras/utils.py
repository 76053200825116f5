"""keras.utils and keras.preprocessing: helpers of scripts."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy

from .initializers import seed_all

__all__ = ["normalize", "pad_sequences", "set_random_seed", "to_categorical"]


def to_categorical(y: Any, num_classes: Optional[int] = None,
                   dtype: str = "float32") -> numpy.ndarray:
    """A one at the place of each class."""
    labels = numpy.asarray(y, int)
    shape = labels.shape[:-1] if labels.ndim > 1 and labels.shape[-1] == 1 else labels.shape
    count = num_classes or int(labels.max()) + 1
    return numpy.eye(count, dtype=dtype)[labels.reshape(-1)].reshape(*shape, count)


def normalize(x: Any, axis: int = -1, order: int = 2) -> numpy.ndarray:
    """Vectors of length one."""
    norm = numpy.atleast_1d(numpy.linalg.norm(x, order, axis))
    norm[norm == 0] = 1
    return numpy.asarray(x) / numpy.expand_dims(norm, axis)


def set_random_seed(seed: int) -> None:
    """Makes Python's, numpy's and the package's random numbers repeatable."""
    import random
    random.seed(seed)
    numpy.random.seed(seed)
    seed_all(seed)


def pad_sequences(sequences: Sequence[Any], maxlen: Optional[int] = None, dtype: Any = "int32",
                  padding: str = "pre", truncating: str = "pre",
                  value: float = 0.0) -> numpy.ndarray:
    """Rows of one length: shorter ones filled, longer ones cut, before or behind."""
    length = maxlen if maxlen is not None else max(len(row) for row in sequences)
    result = numpy.full((len(sequences), length), value, dtype)
    for target, row in zip(result, sequences):
        kept = list(row)[-length:] if truncating == "pre" else list(row)[:length]
        if kept:
            target[(slice(-len(kept), None) if padding == "pre" else slice(len(kept)))] = kept
    return result
