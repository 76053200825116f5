"""Automatic casting to half and float. It is accepted and changes nothing: operations have the types
of the model."""
from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, Optional

from ._logging import say_once


class Policy:
    """Lists of operations: computed in half, in float, in the higher type of their operands, or in
    the lower one."""

    def __init__(self, fp16: Iterable[str] = (), fp32: Iterable[str] = (),
                 promote: Iterable[str] = (), demote: Iterable[str] = ()) -> None:
        self.fp16, self.fp32 = list(fp16), list(fp32)
        self.promote, self.demote = list(promote), list(demote)


default = Policy()


class autocast:
    """A context or decorator for PopTorch's casting; without effect."""

    def __init__(self, enabled: bool = True) -> None:
        self._enabled = enabled

    def __enter__(self) -> "autocast":
        if self._enabled:
            say_once("poptorch.autocasting has no effect: operations have the types of the model")
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> Optional[bool]:
        return None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return call
