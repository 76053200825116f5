"""What torch.onnx says of a model that it cannot export, in a few words and with the program's line."""
from __future__ import annotations

import contextlib
import gc
import os
import re
from types import TracebackType
from typing import Callable, Optional, Set

import torch
from tilescope import _source_lines

from ._errors import Error

#: Where the advice of torch.onnx to its own users begins, or its description of the graph.
_ADVICE = re.compile(r"\W*(Please feel free to request|\[Caused by)")
_OPERATOR = re.compile(r"Exporting the operator '?(?:aten::)?([\w:]+?)'? to ONNX opset")
_UNSUPPORTED = re.compile(r"^Unsupported: ONNX export of (?:operator )?")
#: An operator with an argument that its form in ONNX does not have.
_DESCRIPTORS = re.compile(r"mismatch between the number of arguments .* at symbolic function '(\w+)'")

#: An operator with an argument of a type that torch's tracer does not expect, such as a truth value.
_UNEXPECTED = re.compile(r"INTERNAL ASSERT FAILED.*We don't have an op for (?:aten::)?(\w+)", re.DOTALL)

#: torch.onnx's own files.
_EXPORTER = os.path.dirname(torch.onnx.__file__) + os.sep


def exported_or_refused(export: Callable[[], None]) -> None:
    """Calls it; what torch.onnx cannot export becomes an error with the operator and the line that uses it."""
    refused: Optional[Error] = None
    try:
        export()
    except (torch.onnx.errors.OnnxExporterError, torch.onnx.CheckerError) as error:
        refused = _refusal(error)
        _end_frames(error)
    except Exception as error:
        operator = _DESCRIPTORS.search(str(error)) or _UNEXPECTED.search(str(error))
        if operator:
            refused = _refused(f"arguments of operator {operator[1]} are not simulated", error)
        elif isinstance(error, RuntimeError) and not isinstance(error, Error) and "2GB" in str(error):
            refused = Error("the model cannot be exported: its parameters exceed 2 GB", "poptorch_cpp_error")
        _end_frames(error)
        if refused is None:
            raise
    if refused is not None:
        gc.collect()
        raise refused


def _end_frames(error: Optional[BaseException]) -> None:
    """Ends the frames of torch.onnx, wherever the error is kept. They have parts of a graph, which torch would take
    for those of a later graph in the same place."""
    seen: Set[int] = set()  # an error may be its own cause
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename.startswith(_EXPORTER):
                with contextlib.suppress(RuntimeError):  # one that still runs
                    trace.tb_frame.clear()
            trace = trace.tb_next
        error = error.__cause__ or error.__context__


def _refusal(error: Exception) -> Error:
    text = str(error)
    said = _ADVICE.split(text, maxsplit=1)[0]
    operator = _OPERATOR.search(said)
    if operator:
        said = f"operator {operator[1]} is not simulated"
    elif _UNSUPPORTED.match(said):
        said = f"operator {_UNSUPPORTED.sub('', said)} is not simulated"
    else:
        return Error(f"the model cannot be exported: {text}", "poptorch_cpp_error")
    return _refused(said, error)


def _refused(what: str, error: Exception) -> Error:
    trace = error.__traceback__
    place = _place(trace and trace.tb_next, str(error))  # (below this function, whose frame lives longer)
    return Error(f"the model cannot be exported: {what}{place}; replace it, or compute it outside of the model",
                 "poptorch_cpp_error")


def _place(trace: Optional[TracebackType], text: str) -> str:
    """The innermost line of the user's program in the stack of the node that was being exported."""
    stacks = [text]
    while trace is not None:
        stacks += [value.sourceRange() for value in trace.tb_frame.f_locals.values()
                   if isinstance(value, torch._C.Node)]
        trace = trace.tb_next
    for path, line in (frame for stack in reversed(stacks) for frame in _source_lines.frames_in(stack)):
        path = path.strip().removeprefix("(node defined in ")
        if not _source_lines.is_library(path, ()):
            return f" (in {path}:{line}: {_source_lines.text_of(path, int(line))})"
    return ""
