"""tf.range(): numbers on the host, and the loop of a program."""
from __future__ import annotations

from typing import Any

import numpy

from . import _types
from ._graph import Symbol, current_graph
from ._tensor import Tensor


def tf_range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None,
             name: Any = None) -> Any:
    """Numbers from start to limit; in a program something that a `for` can go over."""
    first, last = (0, start) if limit is None else (start, limit)
    if current_graph() is None:
        numbers = numpy.arange(int(first), int(last), int(delta))
        return Tensor(numbers, dtype or _types.int32)
    from ._loops import DeviceRange
    if any(isinstance(value, Symbol) for value in (first, last, delta)):
        from ._graph import refuse
        refuse("a loop whose length a tensor says")
    return DeviceRange(len(range(int(first), int(last), int(delta))))
