"""Opsets of a builder: operators as methods (``builder.aiOnnx.matmul([a, b])``)."""
from __future__ import annotations

import difflib
from typing import Any, Callable, Dict, List

from ._errors import refused
from ._operators import Operator, attribute_proto

#: Operators of PopART's that are not ONNX nodes of their own, and what to do instead.
_REFUSED = {
    "packedDataBlock": "add the operations of its callback to the builder itself",
}


class Opset:
    """The operators of a domain in a version.

    A method takes the ids of its operands, the number of outputs where the operator leaves it open,
    the operator's attributes and a name; it returns the id of the result, or a list if an operator
    has several.
    """

    def __init__(self, builder: Any, title: str, version: int,
                 operators: Dict[str, Operator]) -> None:
        self._builder = builder
        self._title = title
        self._operators = operators
        self.version = version

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._operators]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operator = self.__dict__.get("_operators", {}).get(name)
        if name in _REFUSED:
            raise refused(f"operator '{name}'", _REFUSED[name])
        if operator is None:
            near = difflib.get_close_matches(name, self.__dict__.get("_operators", ()), 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise AttributeError(f"{self.__dict__.get('_title')} has no operator '{name}'{hint}")
        return _method(self._builder, name, operator)

    def __str__(self) -> str:
        return f"{self._title}{self.version}"


def _method(builder: Any, name: str, operator: Operator) -> Callable[..., Any]:
    signature = operator.signature()

    def add(*args: Any, **kwargs: Any) -> Any:
        for old, new in (("debugPrefix", "debugContext"), ("lambda", "lambda_")):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        count = operator.outputs if operator.outputs is not None else values["num_outputs"]
        protos = [attribute_proto(attribute, values[attribute.parameter().name])
                  for attribute in operator.attributes]
        ids = builder._add_node(operator, list(values.get("args", ())), count,
                                [proto for proto in protos if proto is not None],
                                values["debugContext"])
        return ids[0] if operator.outputs == 1 else ids

    add.__name__ = name
    add.__doc__ = f"Adds {operator.type}{signature}."
    add.__signature__ = signature  # type: ignore[attr-defined]
    return add
