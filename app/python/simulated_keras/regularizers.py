"""keras.regularizers: penalties for large weights, which are added to the loss."""
from __future__ import annotations

from typing import Any, Dict

from . import _ops


class Regularizer:
    """Base of all, and of one's own: a number for a tensor of weights."""

    def __call__(self, x: Any) -> Any:
        raise NotImplementedError

    def get_config(self) -> Dict[str, Any]:
        """The arguments."""
        return {}


class L1L2(Regularizer):
    """Factors of the sums of sizes and of squares."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = float(l1 or 0), float(l2 or 0)

    def __call__(self, x: Any) -> Any:
        total: Any = 0.0
        for factor, measure in ((self.l1, _ops.abs), (self.l2, _ops.square)):
            if factor:
                total = _ops.add(total, _ops.multiply(_ops.reduce_sum(measure(x)), factor))
        return total

    def get_config(self) -> Dict[str, Any]:
        return {"l1": self.l1, "l2": self.l2}


class L1(L1L2):
    """A factor of the sum of sizes."""

    def __init__(self, l1: float = 0.01) -> None:
        super().__init__(l1=l1)

    def get_config(self) -> Dict[str, Any]:
        return {"l1": self.l1}


class L2(L1L2):
    """A factor of the sum of squares."""

    def __init__(self, l2: float = 0.01) -> None:
        super().__init__(l2=l2)

    def get_config(self) -> Dict[str, Any]:
        return {"l2": self.l2}


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Both, each with a factor."""
    return L1L2(l1, l2)


l1, l2 = L1, L2

_BY_NAME: Dict[str, Any] = {"l1": L1, "l2": L2, "l1_l2": l1_l2, "L1": L1, "L2": L2, "L1L2": l1_l2}


def get(identifier: Any) -> Any:
    """The regularizer for a name, an object or a function; None for None."""
    if identifier is None or callable(identifier):
        return identifier
    if identifier in _BY_NAME:
        return _BY_NAME[identifier]()
    raise ValueError(f"Unknown regularizer: {identifier}; simulated are {', '.join(_BY_NAME)}")
