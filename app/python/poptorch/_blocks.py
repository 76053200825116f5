"""Blocks: the parts of a model that run in one place, as marked by the program."""
from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch

from ._known import OF_SHAPES

#: In the name of a scope: identifies the block to the compiled model.
MARKER = "tilescope-block-"
_NO_BLOCK = MARKER + "none"

#: Number of the operations before the first block.
BEFORE_BLOCKS = -1

#: Kinds of nodes that the machine does not compute; inputs are copied before a trace.
_NO_OPERATIONS = {*OF_SHAPES, "aten::clone", "aten::detach"}

_numbers = itertools.count()


class BlockScopes:
    """The blocks met during a trace.

    Scopes of modules become part of the names of exported nodes, so a block is a scope, too. One
    that begins within a module and does not end there continues after it: the marker is set again
    around the operations that follow.
    """

    def __init__(self, trains: bool = False) -> None:
        self.trains = trains  #: whether the model is being compiled for training
        self._stack: List[str] = []
        self._active: Optional[int] = None
        self._numbers: Dict[Tuple[str, Optional[int]], int] = {}
        self._unnamed = 0
        self._begins_late = False  #: operations come before the first block
        self._multi_convs = 0

    def next_name(self) -> str:
        """The name of an unnamed block: its number among those of the trace."""
        self._unnamed += 1
        return str(self._unnamed - 1)

    def next_multi_conv(self) -> int:
        """The number of a :class:`poptorch.MultiConv` among those of the trace."""
        self._multi_convs += 1
        return self._multi_convs - 1

    @property
    def blocks(self) -> Dict[int, Tuple[str, Optional[int]]]:
        """(name, IPU given by the block itself) of each block, by its number; the part before the
        first block is one of its own if there are operations in it."""
        before = {BEFORE_BLOCKS: ("", 0)} if self._begins_late else {}
        return {**before, **{number: block for block, number in self._numbers.items()}}

    @property
    def active(self) -> Optional[int]:
        """Number of the open block."""
        return self._active

    def enter_module(self, name: Optional[str]) -> int:
        """Opens a module's scope. Returns the argument for :meth:`leave_module`."""
        depth = len(self._stack)
        if name:
            # The name of a module is arbitrary and might contain the marker.
            self._push(name.replace(MARKER, MARKER.replace("-", "_")))
        return depth

    def leave_module(self, depth: int) -> None:
        """Closes the scope, and continues the open block."""
        while len(self._stack) > depth:
            self._pop()
        if depth > 0:
            self._mark()
        else:  # the model's end
            self._active = None

    def begin(self, name: str, ipu: Optional[int]) -> Optional[int]:
        """Begins a block. Returns the one that was open."""
        before = self._active
        if not self._numbers:
            self._begins_late = _has_operations()
        self._active = self._numbers.setdefault((name, ipu), len(self._numbers))
        self._mark()
        return before

    def resume(self, block: Optional[int]) -> None:
        """Ends the open block and continues with another, or none."""
        self._active = block
        self._mark()

    def _mark(self) -> None:
        wanted = _NO_BLOCK if self._active is None else f"{MARKER}{self._active}"
        seen = next((scope for scope in reversed(self._stack) if scope.startswith(MARKER)),
                    _NO_BLOCK)
        if seen == wanted:
            return
        if self._stack and self._stack[-1].startswith(MARKER):
            self._pop()
            self._mark()
            return
        self._push(wanted)

    def _push(self, scope: str) -> None:
        self._stack.append(scope)
        state = torch._C._get_tracing_state()
        if state is not None:
            # Names are made of the part after the colons.
            state.push_scope(f"poptorch.Block::{scope}" if scope.startswith(MARKER) else scope)

    def _pop(self) -> None:
        self._stack.pop()
        state = torch._C._get_tracing_state()
        if state is not None:
            state.pop_scope()


def _has_operations() -> bool:
    """Whether anything has been traced that the machine computes; numbers do not count."""
    state = torch._C._get_tracing_state()
    waiting = [state.graph()] if state is not None else []
    while waiting:
        for node in waiting.pop().nodes():
            makes = any(out.type().kind() == "TensorType" and out.type().sizes() for out in node.outputs())
            if makes and node.kind().startswith("aten::") and node.kind() not in _NO_OPERATIONS:
                return True
            waiting += list(node.blocks())
    return False


_current = threading.local()


def current_scopes() -> Optional[BlockScopes]:
    """The scopes of this thread's trace; None outside of traces."""
    return getattr(_current, "scopes", None)


def set_current_scopes(scopes: Optional[BlockScopes]) -> None:
    _current.scopes = scopes
    if scopes is not None:
        _current.asked = False


@contextlib.contextmanager
def on_machine(trains: bool) -> Iterator[None]:
    """A context in which the program is told that it runs on the IPU, without being traced."""
    _current.scopes = BlockScopes(trains)
    try:
        yield
    finally:
        _current.scopes = None


def isRunningOnIpu() -> bool:
    """Whether the code is being compiled for the IPU rather than run by PyTorch."""
    if current_scopes() is None:
        return False
    _current.asked = True
    return True


def has_asked() -> bool:
    """Whether the last trace of this thread has called isRunningOnIpu()."""
    return getattr(_current, "asked", False)


class Block(torch.nn.Module):
    """A context whose operations form a block.

    Args:
        user_id: name of the block; without it a number, after :meth:`useAutoId`.
        ipu_id: IPU of the block, where the execution strategy names none.

    >>> with poptorch.Block("encoder", ipu_id=1):
    ...     x = self.encoder(x)
    """

    _numbers_blocks = False

    @staticmethod
    def useAutoId() -> None:
        """Numbers unnamed blocks, starting at 0."""
        Block._numbers_blocks = True

    @staticmethod
    def start(user_id: Optional[str] = None, ipu_id: Optional[int] = None) -> None:
        """Begins a block that ends where the next one begins."""
        block = Block(user_id, ipu_id)
        scopes = current_scopes()
        if scopes is not None:
            scopes.begin(block._name(scopes), block._ipu_id)

    def __init__(self, user_id: Optional[str] = None, ipu_id: Optional[int] = None) -> None:
        super().__init__()
        self._user_id = user_id
        self._ipu_id = ipu_id
        self._before: Optional[int] = None

    def _name(self, scopes: BlockScopes) -> str:
        if self._user_id is not None:
            return str(self._user_id)
        if Block._numbers_blocks:
            return scopes.next_name()
        assert self._ipu_id is not None, (
            "a block needs a name or an IPU: give user_id or ipu_id, or call "
            "poptorch.Block.useAutoId() first")
        return f"ipu{self._ipu_id}"

    def __enter__(self) -> "Block":
        scopes = current_scopes()
        if scopes is not None:
            self._before = scopes.begin(self._name(scopes), self._ipu_id)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        scopes = current_scopes()
        if scopes is not None:
            scopes.resume(self._before)


class _BeginsBlock:
    """A hook before a layer's forward()."""

    def __init__(self, user_id: Optional[str], ipu_id: Optional[int]) -> None:
        self.user_id = user_id
        self.ipu_id = ipu_id
        self._number = next(_numbers)

    def __call__(self, module: torch.nn.Module, inputs: Any) -> None:
        own = self.user_id is None and self.ipu_id is not None and not Block._numbers_blocks
        # Unnamed blocks are apart, also on the same IPU.
        Block.start(f"ipu{self.ipu_id}/{self._number}" if own else self.user_id, self.ipu_id)

    def __repr__(self) -> str:
        return f"BeginBlock(user_id={self.user_id}, ipu_id={self.ipu_id})"


class _FunctionInBlock:
    """A function with a block that begins when it is called."""

    def __init__(self, function: Callable[..., Any], user_id: Any, ipu_id: Optional[int]) -> None:
        self._function, self._user_id, self._ipu_id = function, user_id, ipu_id

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        Block.start(self._user_id, self._ipu_id)
        return self._function(*args, **kwargs)


def _block_of(module: torch.nn.Module) -> Optional[_BeginsBlock]:
    hooks = module._forward_pre_hooks.values()
    return next((hook for hook in hooks if isinstance(hook, _BeginsBlock)), None)


def module_repr(m: torch.nn.Module) -> str:
    """The module's representation, with the blocks of :func:`BeginBlock`."""
    blocks = [(part, _block_of(part)) for part in m.modules()]
    named = [part for part, block in blocks if block is not None]
    for part, block in blocks:
        if block is not None:
            part.__dict__["_get_name"] = f"{block!r}: {part._get_name()}".__str__
    try:
        return repr(m)
    finally:
        for part in named:
            del part.__dict__["_get_name"]


def BeginBlock(layer_to_call: Any, user_id: Optional[str] = None,
               ipu_id: Optional[int] = None) -> Any:
    """Begins a block when a layer or function is called; it ends where the next one begins.

    Args:
        layer_to_call: a torch.nn.Module, which is changed and returned, or a function, for which a
            wrapper is returned.
        user_id: name of the block.
        ipu_id: IPU of the block, where the execution strategy names none.

    Raises:
        poptorch.Error: if a block already begins there.
    """
    from ._errors import Error
    if not isinstance(layer_to_call, torch.nn.Module):
        return _FunctionInBlock(layer_to_call, user_id, ipu_id)
    if _block_of(layer_to_call) is not None:
        raise Error("module has already been assigned to a block; call poptorch.removeBlocks() first",
                    "poptorch_error")
    layer_to_call.register_forward_pre_hook(_BeginsBlock(user_id, ipu_id))
    return layer_to_call


def BlockFunction(user_id: Optional[str] = None,
                  ipu_id: Optional[int] = None) -> Callable[[Callable], Callable]:
    """A decorator: a block begins when the function is called, and ends where the next begins."""
    if user_id is not None and not isinstance(user_id, str):
        raise TypeError("BlockFunction needs parentheses: @BlockFunction(\"name\")")

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def begin_and_call(*args: Any, **kwargs: Any) -> Any:
            Block.start(user_id, ipu_id)
            return function(*args, **kwargs)

        return begin_and_call

    return decorate


def removeBlocks(module: torch.nn.Module) -> None:
    """Removes the blocks of :func:`BeginBlock` from a module and all its submodules."""
    for part in module.modules():
        for key, hook in list(part._forward_pre_hooks.items()):
            if isinstance(hook, _BeginsBlock):
                del part._forward_pre_hooks[key]
