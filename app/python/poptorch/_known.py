"""What is known of values while a model is traced."""
from __future__ import annotations

from typing import Any, Set

#: Nodes whose results depend only on shapes, not on the values of their operands.
OF_SHAPES = {
    "aten::size", "aten::numel", "aten::dim", "aten::zeros_like", "aten::ones_like",
    "aten::empty_like", "aten::full_like", "aten::new_zeros", "aten::new_ones", "aten::new_empty",
    "prim::Constant", "aten::len"
}

#: Nodes whose results cannot be known while tracing.
_RANDOM = {
    "aten::rand", "aten::randn", "aten::randint", "aten::randperm", "aten::rand_like",
    "aten::randn_like", "aten::randint_like"
}


def known_while_tracing(value: Any) -> bool:
    """Whether a value in the trace follows from shapes and constants."""
    seen: Set[str] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value.debugName() in seen:
            continue
        seen.add(value.debugName())
        kind = value.node().kind()
        if kind in OF_SHAPES:
            continue
        if kind in ("prim::Param", "prim::PythonOp") or kind in _RANDOM:
            return False
        waiting += list(value.node().inputs())
    return True
