"""Operations on the bits of whole numbers, which are PopART's operators."""
from __future__ import annotations

from typing import Any, Callable, Dict

import torch

from ._functions import GRAPHCORE, add_node

Tensor = torch.Tensor

_ON_HOST = {"And": torch.bitwise_and, "Or": torch.bitwise_or, "Xor": torch.bitwise_xor}
_OF_BOOLS = {"And": torch.logical_and, "Or": torch.logical_or, "Xor": torch.logical_xor}


class _Bits(torch.autograd.Function):
    @staticmethod
    def symbolic(graph: Any, x: Any, other: Any, name: str) -> Any:
        result = add_node(graph, GRAPHCORE, f"Bitwise{name}", x, other)
        result.setType(x.type().with_sizes(None))
        return result

    @staticmethod
    def forward(context: Any, x: Tensor, other: Tensor, name: str) -> Tensor:  # type: ignore[override]
        return _ON_HOST[name](x, other)


class _Not(torch.autograd.Function):
    @staticmethod
    def symbolic(graph: Any, x: Any) -> Any:
        result = add_node(graph, GRAPHCORE, "BitwiseNot", x)
        result.setType(x.type())
        return result

    @staticmethod
    def forward(context: Any, x: Tensor) -> Tensor:  # type: ignore[override]
        return torch.bitwise_not(x)


def _binary(name: str) -> Callable[[Any, Any], Tensor]:

    def operation(x: Any, other: Any) -> Tensor:
        kind = torch.result_type(x, other)
        one, two = (t.to(kind) if isinstance(t, Tensor) else torch.tensor(t, dtype=kind)
                    for t in (x, other))
        if kind == torch.bool:
            return _OF_BOOLS[name](one, two)
        return _Bits.apply(one, two, name)

    return operation


def _inverted(x: Tensor) -> Any:
    return NotImplemented if x.dtype == torch.bool else _Not.apply(x)


BITS: Dict[str, Callable[..., Any]] = {"bitwise_not": _inverted, "__invert__": _inverted}
for _name in ("And", "Or", "Xor"):
    _word = _name.lower()
    for _form in (f"bitwise_{_word}", f"__{_word}__", f"__r{_word}__", f"__i{_word}__"):
        BITS[_form] = _binary(_name)
