"""The script's lines that record operations, for profiles.

An operation is recorded when a program is made, in fit() or in a function of the script. Its line is the
innermost one of the script that is running then, unless that only repeats what the script has said
before: the call of a layer in a functional model, or the making of a layer of a Sequential.
"""
from __future__ import annotations

import contextlib
import threading
from typing import Iterator, List, Tuple

from tilescope import _source_lines
from tilescope._source_lines import Stack, here

__all__ = ["Stack", "here", "lines_now", "said_at"]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.said: List[Tuple[int, Stack]] = []  #: depths of the script's stack, and what is repeated


_thread = _Thread()


@contextlib.contextmanager
def said_at(lines: Stack) -> Iterator[None]:
    """A context that repeats what the script has said at other lines."""
    if not lines:
        yield
        return
    _thread.said.append((len(here()), lines))
    try:
        yield
    finally:
        _thread.said.pop()


def lines_now() -> Stack:
    """The lines of an operation that is recorded now, innermost first."""
    if _source_lines.wanted() == "off":
        return []
    running = here()
    if not _thread.said:
        return running
    depth, lines = _thread.said[-1]
    return [*running[:max(len(running) - depth, 0)], *lines]
