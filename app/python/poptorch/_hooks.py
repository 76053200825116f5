"""Functions of the program that are called before and after each compilation."""
from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable, Dict

from torch.utils.hooks import RemovableHandle

_before: Dict[int, Callable[[], None]] = OrderedDict()
_after: Dict[int, Callable[[], None]] = OrderedDict()


def _register(hooks: Dict[int, Callable[[], None]], hook: Callable[[], None]) -> RemovableHandle:
    if not callable(hook):
        raise RuntimeError(f"a hook must be callable, not {hook!r}")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def registerPreCompileHook(hook: Callable[[], None]) -> RemovableHandle:
    """Calls a function without arguments before each compilation. Hooks are called in the order in which
    they were registered.

    Returns:
        A handle whose remove() ends this.

    Raises:
        RuntimeError: for anything that cannot be called.
    """
    return _register(_before, hook)


def registerPostCompileHook(hook: Callable[[], None]) -> RemovableHandle:
    """Like :func:`registerPreCompileHook`, after each compilation."""
    return _register(_after, hook)


class Hooked:
    """A context that calls the hooks."""

    def __enter__(self) -> None:
        for hook in list(_before.values()):
            hook()

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is None:
            for hook in list(_after.values()):
                hook()
