"""Lines of an options file."""
from __future__ import annotations

import ast
from typing import Any, Dict, List, Tuple


#: Classes that a line may construct; a file must not call anything else.
_MADE = ("Stage", "Phase", "PipelinedExecution", "ShardedExecution", "SerialPhasedExecution",
         "ParallelPhasedExecution", "TensorLocationSettings")


def _value(node: ast.expr) -> Any:
    """A literal, or a name of poptorch or torch ("poptorch.OutputMode.All")."""
    if isinstance(node, (ast.Attribute, ast.Name)):
        import poptorch
        import torch
        parts: List[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if any(part.startswith("_") for part in parts):
            raise ValueError("names with a leading underscore cannot be given")
        if not isinstance(node, ast.Name) or node.id not in ("poptorch", "torch"):
            raise ValueError("only literals and names of poptorch and torch can be given")
        value: Any = {"poptorch": poptorch, "torch": torch}[node.id]
        for part in parts:
            value = getattr(value, part)
        return value
    if isinstance(node, ast.Call):
        function, args, kwargs = _call(node)
        made = isinstance(function, ast.Attribute) and isinstance(
            function.value, ast.Name) and function.value.id == "poptorch"
        if made and function.attr in _MADE:  # type: ignore[attr-defined]
            return _value(function)(*args, **kwargs)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
            owner = _value(function.value)
            if not function.attr.startswith("_"):
                return getattr(owner, function.attr)(*args, **kwargs)
        raise ValueError(f"only {', '.join(_MADE)} can be constructed here")
    return ast.literal_eval(node)


def _call(node: ast.Call) -> Tuple[ast.expr, List[Any], Dict[str, Any]]:
    return (node.func, [_value(arg) for arg in node.args],
            {str(keyword.arg): _value(keyword.value) for keyword in node.keywords})


def parse_call(text: str) -> Tuple[List[str], List[Any], Dict[str, Any]]:
    """The path of names, the arguments and the keyword arguments of a call.

    Raises:
        SyntaxError, ValueError: for anything other than a call with literals.
    """
    expression = ast.parse(text, mode="eval").body
    if not isinstance(expression, ast.Call):
        raise ValueError("a line is a call, such as deviceIterations(1)")
    function, args, kwargs = _call(expression)
    path: List[str] = []
    while isinstance(function, ast.Attribute):
        path.insert(0, function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        raise ValueError("a line is a call, such as deviceIterations(1)")
    names = [function.id, *path]
    if any(name.startswith("_") and name != "_Popart" for name in names):
        raise ValueError("names with a leading underscore are not options")
    return names, args, kwargs
