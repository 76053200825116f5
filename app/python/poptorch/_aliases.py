"""Values in a trace of tensors that share memory.

torch's tracer gives each tensor a value of its own: when a tensor is changed in place, its views,
or the tensor it is a view of, keep their old values. Here all tensors of a storage stay in step.
"""
from __future__ import annotations

import contextlib
import itertools
import weakref
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

import torch

from ._errors import Error
from ._nested import OF_COPY

_EPOCH = "_tilescope_epoch"

#: Marks tensors made while tracing, in their __dict__; others are the program's.
TRACED = "_tilescope_traced"
#: The same as the epoch of tensors within a part that is traced by itself.
_EPOCH_WITHIN = "_tilescope_epoch_within"

#: Nodes whose results may have their operand's memory, after constants.
_OF_SAME_MEMORY = frozenset(f"aten::{name}" for name in "alias detach lift_fresh to".split())
_VIEWS = frozenset(f"aten::{name}" for name in """
    as_strided diagonal expand flatten narrow permute reshape select slice squeeze t transpose unfold unsqueeze
    view""".split())

_REAL = {"Half", "Float", "Double"}

#: A tensor's storage without a type; torch has renamed the method.
_memory_of: Callable[[torch.Tensor], Any] = getattr(torch.Tensor, "untyped_storage", None) or (
    torch.Tensor._storage)  # type: ignore[attr-defined]


@contextlib.contextmanager
def untraced(gradients: bool = False) -> Iterator[None]:
    """A context whose operations are not traced; with ``gradients``, their results know whether
    they have one, if the program has not turned gradients off."""
    state = torch._C._get_tracing_state()
    torch._C._set_tracing_state(None)
    try:
        with torch.set_grad_enabled(gradients and torch.is_grad_enabled()):
            yield
    finally:
        torch._C._set_tracing_state(state)


@contextlib.contextmanager
def unnamed_values() -> Iterator[None]:
    """Keeps the tracer from naming values after variables of Python, which takes long and renames
    parameters that are called like a variable of this package."""
    name = "_create_interpreter_name_lookup_fn"
    before = getattr(torch.jit._trace, name)
    setattr(torch.jit._trace, name, lambda *_: lambda _: "")
    try:
        yield
    finally:
        setattr(torch.jit._trace, name, before)


def value_of(tensor: torch.Tensor) -> Any:
    """A tensor's value in the trace."""
    return torch._C._get_value_trace(tensor)


def _constant_of(tensor: torch.Tensor) -> Any:
    """The constant in the trace that a tensor is, as those of torch.from_numpy() are; None if it is none."""
    if torch._C._get_tracing_state() is None:
        return None
    node = value_of(tensor).node()
    while node.kind() in _OF_SAME_MEMORY or node.kind() in _VIEWS:
        node = next(node.inputs()).node()
    is_tensor = node.kind() == "prim::Constant" and node.hasAttribute("value") and node.kindOf("value") == "t"
    return node if is_tensor else None


def _is_mixed() -> bool:
    """Whether doubles stand for floats, by copies of all tensors that are made unseen."""
    with untraced():
        return torch.empty((), dtype=torch.float32).element_size() == 8


def stand_in(tensor: torch.Tensor) -> torch.Tensor:
    """Another tensor with the same value in the trace, and memory of its own."""
    with untraced():
        other = tensor.detach().clone()
    torch._C._set_value_trace(other, value_of(tensor))
    return other


def _is_of_copy(tensor: torch.Tensor, operands: Iterable[torch.Tensor]) -> bool:
    if not tensor._is_view():
        return False
    own = value_of(tensor).type().scalarType()  # modes do not tell the type of the memory
    for operand in operands if own in _REAL else ():
        kind = value_of(operand).type().scalarType()
        is_unseen = TRACED not in operand.__dict__ or kind == "Half"
        if OF_COPY in operand.__dict__ or (is_unseen and kind in _REAL and kind != own):
            return True
    return False


def refuse_lost(tensor: torch.Tensor, is_changed: bool, place: Callable[[], str]) -> None:
    """Refuses to change a tensor by a change of its copy, which stands for it in a model of halves, or the reverse."""
    if not is_changed or OF_COPY in tensor.__dict__:
        raise Error("a tensor that PyTorch makes unseen (as torch.from_numpy() and torch.Tensor() do), or a view of "
                    "it, is changed in place in a model of halves, which is not simulated: clone() it first in "
                    f"{place()}", "poptorch_cpp_error")


def _positions(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
    """For each element of a view, its number among the base's elements."""
    if base.dtype != view.dtype:
        raise Error(f"a tensor of {base.dtype} is viewed as {view.dtype} and changed in place, "
                    "which is not simulated; clone the view")
    numbers = torch.full((base.storage().size(), ), -1, dtype=torch.int64)
    own = numbers.as_strided(base.shape, base.stride(), base.storage_offset())
    own.copy_(torch.arange(base.numel()).reshape(base.shape))
    found = numbers.as_strided(view.shape, view.stride(), view.storage_offset()).clone()
    if bool((found < 0).any()):
        raise Error("a view that is changed reaches beyond the tensor it was made from, which is "
                    "not simulated; clone it")
    return found


def _refuse_overlap(base: torch.Tensor, view: torch.Tensor) -> None:
    with untraced():
        positions = _positions(base, view).flatten()
        if positions.unique().numel() != positions.numel():
            raise Error("a view that contains elements several times, as made by unfold() and "
                        "expand(), is changed in place: the result is undefined in PyTorch; clone "
                        "the view first")


def _refuse_other_order(target: torch.Tensor, value: torch.Tensor) -> None:
    """Refuses to change a target by a view that has its elements in other places."""
    with untraced():
        numbers = torch.arange(target.storage().size())
        own, read = (numbers.as_strided(t.shape, t.stride(), t.storage_offset())
                     for t in (target, value))
        if not torch.equal(own, read) and bool(
                torch.isin(read.flatten(), own.flatten()).any()):
            raise Error("a tensor is changed in place by a view that has its elements in other "
                        "places: the result is undefined in PyTorch; clone the view first")


class _Form:
    """How a view is read from its base, and how the base is computed from the changed view."""

    def __init__(self, base: torch.Tensor, view: torch.Tensor) -> None:
        with untraced():
            positions = _positions(base, view)
            numbers = torch.arange(base.numel()).reshape(base.shape)
            self.read, self.write = (self._reshaped(base, view, positions, numbers)
                                     or self._permuted(base, positions, numbers)
                                     or self._narrowed(base, view, positions, numbers)
                                     or self._picked(base, view, positions))

    @staticmethod
    def _reshaped(base: torch.Tensor, view: torch.Tensor, positions: torch.Tensor,
                  numbers: torch.Tensor) -> Any:
        if not torch.equal(positions.flatten(), numbers.flatten()):
            return None
        return (lambda b: b.reshape(view.shape)), (lambda b, v: v.reshape(base.shape))

    @staticmethod
    def _permuted(base: torch.Tensor, positions: torch.Tensor, numbers: torch.Tensor) -> Any:
        most = 4  # dimensions whose permutations are tried
        if positions.shape.numel() != base.numel() or positions.dim() != base.dim() or (
                base.dim() > most):
            return None
        for order in itertools.permutations(range(base.dim())):
            moved = numbers.permute(order)
            if moved.shape == positions.shape and torch.equal(moved, positions):
                back = [order.index(d) for d in range(len(order))]
                return (lambda b: b.permute(order)), (lambda b, v: v.permute(back))
        return None

    @staticmethod
    def _narrowed(base: torch.Tensor, view: torch.Tensor, positions: torch.Tensor,
                  numbers: torch.Tensor) -> Any:
        for dim, size in enumerate(base.shape):
            count = view.numel() * size // max(1, base.numel())
            first = int(positions.min()) // torch.Size(base.shape[dim + 1:]).numel() % size
            if not 0 < count <= size - first:
                continue
            part = numbers.narrow(dim, first, count)
            if part.numel() != positions.numel() or not torch.equal(part.flatten(),
                                                                    positions.flatten()):
                continue

            def write(b: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
                parts = [v.reshape(part.shape)]
                if first:
                    parts.insert(0, b.narrow(dim, 0, first))
                if first + count < size:
                    parts.append(b.narrow(dim, first + count, size - first - count))
                return torch.cat(parts, dim) if len(parts) > 1 else parts[0]

            return (lambda b: b.narrow(dim, first, count).reshape(view.shape)), write
        return None

    @staticmethod
    def _picked(base: torch.Tensor, view: torch.Tensor, positions: torch.Tensor) -> Any:
        rows = positions.flatten()
        return ((lambda b: b.reshape(-1).index_select(0, rows).reshape(view.shape)),
                (lambda b, v: b.reshape(-1).index_put((rows, ), v.reshape(-1)).reshape(base.shape)))


class _Storage:
    """Memory shared by tensors."""

    def __init__(self, base: torch.Tensor) -> None:
        self._base = weakref.ref(base)
        self._kept: Optional[torch.Tensor] = None
        self.views: Dict[int, Any] = {}  #: weak references by id
        self.epoch = 0  #: how often it was changed

    @property
    def base(self) -> Optional[torch.Tensor]:
        """The tensor whose value is always up to date."""
        return self._base()

    def keep(self) -> None:
        """Keeps the base alive, since its views may outlive it."""
        self._kept = self._base()


class Aliases:
    """The tensors of a trace by their memory."""

    _traces = 0

    def __init__(self, within: bool = False) -> None:
        """``within``: of a part that is traced by itself, beside those of the whole."""
        self._key = _EPOCH_WITHIN if within else _EPOCH
        Aliases._traces += 1
        self._trace = Aliases._traces
        self._storages: Dict[int, _Storage] = {}

    @staticmethod
    def _pointer(tensor: torch.Tensor) -> int:
        # Asked of every operand: numel() would be traced, storage() makes an object of Python's.
        if tensor.layout != torch.strided or tensor.data_ptr() == 0:  # as without elements
            return 0
        return _memory_of(tensor).data_ptr()

    def _epoch(self, tensor: torch.Tensor) -> Optional[int]:
        trace, epoch = tensor.__dict__.get(self._key, (0, 0))
        return epoch if trace == self._trace else None

    def _mark(self, tensor: torch.Tensor, epoch: int) -> None:
        tensor.__dict__[self._key] = (self._trace, epoch)

    def _storage(self, tensor: torch.Tensor) -> Optional[_Storage]:
        pointer = self._pointer(tensor)
        if pointer == 0:
            return None
        storage = self._storages.get(pointer)
        if storage is None or storage.base is None:
            storage = self._storages[pointer] = _Storage(tensor)
        elif storage.base is not tensor:
            storage.keep()
            storage.views[id(tensor)] = weakref.ref(tensor)
        return storage

    def stale(self) -> List[torch.Tensor]:
        """Tensors whose memory has changed since their value in the trace was made."""
        found = []
        for storage in self._storages.values():
            for view in (reference() for reference in storage.views.values()):
                epoch = None if view is None else self._epoch(view)
                if view is not None and epoch is not None and epoch < storage.epoch:
                    found.append(view)
        return found

    def see(self, tensor: torch.Tensor, operands: Iterable[torch.Tensor] = ()) -> None:
        """To be called for a tensor that has just been made of the operands."""
        if _is_of_copy(tensor, operands):
            tensor.__dict__[OF_COPY] = True
        tensor.__dict__[TRACED] = True
        storage = self._storage(tensor)
        if storage is not None and self._epoch(tensor) is None:
            self._mark(tensor, storage.epoch)

    def is_shared(self, tensor: torch.Tensor) -> bool:
        """Whether another tensor has its memory."""
        storage = self._storage(tensor)
        return storage is not None and (storage.base is not tensor or
                                        any(view() is not None for view in storage.views.values()))

    def forget(self, tensor: torch.Tensor) -> None:
        """To be called before a tensor that shares no memory gets another."""
        self._storages.pop(self._pointer(tensor), None)

    def keep_constants(self, tensor: torch.Tensor) -> None:
        """To be called before a tensor may change: the trace has constants by reference, which would change with it."""
        storage = self._storage(tensor)
        if storage is None:
            return
        for one in [tensor, storage.base, *(reference() for reference in storage.views.values())]:
            constant = None if one is None else _constant_of(one)
            if constant is not None:
                if one is storage.base and value_of(one).node().kind() in _VIEWS and _is_mixed():
                    refuse_lost(one, False, lambda: "the model")
                storage.keep()
                with untraced():
                    constant.t_("value", constant.t("value").clone())

    def refresh(self, tensor: torch.Tensor) -> None:
        """To be called before a tensor is read: updates its value after changes of its memory."""
        storage = self._storage(tensor)
        if storage is None:
            return
        epoch = self._epoch(tensor)
        base = storage.base
        if epoch is None and storage.epoch > 0 and _constant_of(tensor) is not None:
            epoch = 0  # made by a function that no mode sees
        if base is not None and base is not tensor and epoch is not None and epoch < storage.epoch:
            read = _Form(base, tensor).read(stand_in(base))
            torch._C._set_value_trace(tensor, value_of(read))
        self._mark(tensor, storage.epoch)

    def has_changed(self, tensor: torch.Tensor) -> bool:
        """Whether its memory was changed in place."""
        storage = self._storage(tensor)
        return storage is not None and storage.epoch > 0

    def apart(self, target: torch.Tensor, value: Any) -> Any:
        """Nested operands unchanged, except that those which share memory with `target`, which is
        about to be changed, get memory of their own: a trace does not record that they are read
        first."""
        if isinstance(value, (list, tuple)):
            return type(value)(self.apart(target, part) for part in value)
        if not isinstance(value, torch.Tensor) or value is target or (
                self._pointer(value) != self._pointer(target)) or self._pointer(value) == 0:
            return value
        _refuse_other_order(target, value)
        return stand_in(value)

    def base(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor of which the given one is a view, or the given one itself."""
        storage = self._storage(tensor)
        base = None if storage is None else storage.base
        return tensor if base is None else base

    def changed(self, tensor: torch.Tensor) -> None:
        """To be called after a tensor was changed in place and has its new value."""
        storage = self._storage(tensor)
        if storage is None:
            return
        base = storage.base
        assert base is not None
        storage.epoch += 1
        if base is not tensor:
            _refuse_overlap(base, tensor)
            written = _Form(base, tensor).write(stand_in(base), stand_in(tensor))
            torch._C._set_value_trace(base, value_of(written))
            self._mark(base, storage.epoch)
        self._mark(tensor, storage.epoch)
