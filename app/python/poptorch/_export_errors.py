"""What torch.onnx says of a model that it cannot export, in a few words and with the program's line."""
from __future__ import annotations

import re
from types import TracebackType
from typing import Optional

import torch
from tilescope import _source_lines

from ._errors import Error

#: Where the advice of torch.onnx to its own users begins, or its description of the graph.
_ADVICE = re.compile(r"\W*(Please feel free to request|\[Caused by)")
_OPERATOR = re.compile(r"Exporting the operator '?(?:aten::)?([\w:]+?)'? to ONNX opset")
_UNSUPPORTED = re.compile(r"^Unsupported: ONNX export of (?:operator )?")
_FRAME = re.compile(r"^(.+)\((\d+)\): ", re.MULTILINE)


def refusal(error: Exception) -> Error:
    """The error that names the operator and the line that uses it."""
    text = str(error)
    said = _ADVICE.split(text, maxsplit=1)[0]
    operator = _OPERATOR.search(said)
    if operator:
        said = f"operator {operator[1]} is not simulated"
    elif _UNSUPPORTED.match(said):
        said = f"operator {_UNSUPPORTED.sub('', said)} is not simulated"
    else:
        return Error(f"the model cannot be exported: {text}", "poptorch_cpp_error")
    return Error(f"the model cannot be exported: {said}{_place(error.__traceback__, text)}; replace it, or "
                 "compute it outside of the model", "poptorch_cpp_error")


def _place(trace: Optional[TracebackType], text: str) -> str:
    """The innermost line of the user's program in the stack of the node that was being exported."""
    stacks = [text]
    while trace is not None:
        stacks += [value.sourceRange() for value in trace.tb_frame.f_locals.values()
                   if isinstance(value, torch._C.Node)]
        trace = trace.tb_next
    for path, line in (frame for stack in reversed(stacks) for frame in _FRAME.findall(stack)):
        path = path.strip().removeprefix("(node defined in ")
        if not _source_lines.is_library(path, ()):
            return f" (in {path}:{line}: {_source_lines.text_of(path, int(line))})"
    return ""
