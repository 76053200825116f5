"""Makes torch.onnx write the stacks of operations into a model, see tilescope._source_lines."""
from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Set

import torch
from tilescope import _source_lines
from tilescope._source_lines import Source, Stack, here

from ._errors import Error

__all__ = ["Recorder", "Source", "Stack", "here"]

#: Position of the argument of torch._C.Graph._export_onnx that says whether to leave documentation out.
_STRIPS = 5


def _wanted() -> str:
    try:
        return _source_lines.wanted()
    except ValueError as error:
        raise Error(str(error)) from None


class Recorder:
    """Notes the files of the stacks in a model while it is exported."""

    def __init__(self) -> None:
        self.paths: Set[str] = set()

    @contextlib.contextmanager
    def documents(self) -> Iterator[None]:
        """Makes torch.onnx write stacks into the documentation of nodes, without the log that comes with
        its own option for it."""
        name = "_export_onnx"
        original = getattr(torch._C.Graph, name, None)
        if _wanted() == "off" or original is None:
            yield
            return

        def with_documents(graph: Any, *arguments: Any, **more: Any) -> Any:
            for node in graph.nodes():
                self.paths |= _source_lines.paths_in([node.sourceRange()])
            changed = [*arguments[:_STRIPS], False, *arguments[_STRIPS + 1:]]
            return original(graph, *changed, **more)

        setattr(torch._C.Graph, name, with_documents)
        try:
            yield
        finally:
            setattr(torch._C.Graph, name, original)

    def source(self, excluded: List[str], anchors: Dict[str, Stack]) -> Source:
        """What is known of the program once the model is exported."""
        return _source_lines.source(self.paths, excluded, anchors)
