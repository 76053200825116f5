"""Nested lists, tuples and dicts of tensors."""
from __future__ import annotations

from typing import Any, Callable, List


def is_nested(value: Any) -> bool:
    """Whether the value has parts."""
    from ._types import TensorShape
    return isinstance(value, (list, tuple, dict)) and not isinstance(value, TensorShape)


def flatten(value: Any) -> List[Any]:
    """The leaves in order; those of a dict by its sorted keys, as TensorFlow has them."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flatten(value[key])]
    if is_nested(value):
        return [leaf for part in value for leaf in flatten(part)]
    return [value]


def map_structure(function: Callable[..., Any], value: Any, *more: Any) -> Any:
    """The same structure with a function of each leaf, and of those at its place in `more`."""
    if isinstance(value, dict):
        made = {key: map_structure(function, value[key], *[other[key] for other in more])
                for key in sorted(value)}
        return {key: made[key] for key in value}
    if is_nested(value):
        parts = [map_structure(function, *of) for of in zip(value, *more)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return function(value, *more)


def pack(structure: Any, leaves: List[Any]) -> Any:
    """The structure with other leaves, in the order of :func:`flatten`."""
    rest = iter(leaves)
    return map_structure(lambda _: next(rest), structure)
