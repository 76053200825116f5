"""Detects what a trace does not record: branches on values, and changes in place."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from tilescope import _source_lines
from torch.overrides import TorchFunctionMode

from ._aliases import TRACED, Aliases, refuse_lost, stand_in, untraced, value_of
from ._call_forms import changes_first, is_basic, with_first, with_truths_as_masks
from ._decompositions import TABLE, decomposed, form_in_place
from ._errors import Error
from ._functions import detached
from ._known import known_while_tracing
from ._nested import MIXED, OF_COPY, tensors_in
from ._norms import Norms
from ._resizing import RESIZED, resize
from ._user_functions import Calls, refuse_other_gradients

#: Functions that pass a tensor's value to Python, and how they appear in programs.
_READ_BY_PYTHON = {
    "__bool__": "a condition",
    "__int__": "int()",
    "__float__": "float()",
    "__complex__": "complex()",
    "__index__": "an index",
    "__contains__": "in",
    "item": "item()",
    "tolist": "tolist()",
    "numpy": "numpy()",
    "__array__": "numpy",
    "equal": "torch.equal()",
    "allclose": "torch.allclose()",
    "is_nonzero": "torch.is_nonzero()",
    "__reduce_ex__": "copy() or pickle",
}

#: Getter and setter of Tensor.data, whose value a trace would take for a constant.
_DATA, _GIVE_DATA = torch.Tensor.data.__get__, torch.Tensor.data.__set__

#: PopTorch's message (poptorch/source/dispatch_tracer/RegisterAtenOverloads.cpp); the place is
#: appended.
_ITEM = ("aten::item is only supported in eager mode, but was intercepted in a static graph. This "
         "means an IPU to CPU copy was triggered before the end of the graph, for example by "
         "calling tensor.item(). Please ensure that any such copies are removed.")


#: PopTorch's message for elements chosen by a mask (IndexOps.cpp); the place is appended.
_MASK = ("Indexing using boolean or byte tensor masks is unsupported because it would produce dynamic output "
         "shapes based on the mask values. The IPU cannot support dynamic output shapes.")


def _place() -> str:
    """File, line and text of the program's line that is being traced."""
    own = (os.path.dirname(torch.__file__), os.path.dirname(__file__))
    for path, line in _source_lines.places():
        if not path.startswith(own):
            return f"{path}:{line}: {_source_lines.text_of(path, line)}"
    return "an unknown place"


def _refuse_masks(index: Any) -> None:
    for mask in tensors_in(index):
        if mask.dtype == torch.bool and not known_while_tracing(value_of(mask)):
            raise Error(f"{_MASK} In {_place()}", "poptorch_cpp_error")


@dataclasses.dataclass
class _Before:
    """An operand before a call."""
    version: int
    #: In training, of itself and its base: the value in the trace, and whether it had a gradient.
    values: List[Tuple[torch.Tensor, Any, bool]]


class Watch(TorchFunctionMode):
    """A context around a traced forward().

    A branch on a value is an error that names its line. Tensors that share memory remain views of
    each other when they are changed in place.
    """

    def __init__(self, trains: bool, standing: Optional[Callable[[torch.Tensor], torch.Tensor]] = None) -> None:
        """``standing``: makes what stands for a tensor of the program, if types stand for others."""
        super().__init__()
        self._trains = trains
        self._standing = standing
        self._aliases = Aliases()
        self.norms = Norms(self._aliases)
        self._calls = Calls(self._function_begins, self._function)
        #: Tensors computed without gradients, by id, until they are read.
        self._without_gradient: Dict[int, torch.Tensor] = {}
        self._inside = False
        self._passes_gradient = True  #: of the Function being called

    def __enter__(self) -> "Watch":
        get, put = torch._C._TensorBase.__getitem__, torch._C._TensorBase.__setitem__
        # Modes do not intercept all subscripts.
        torch.Tensor.__getitem__ = lambda x, i: self._part(get, x, i)  # type: ignore[assignment]
        torch.Tensor.__setitem__ = lambda x, i, y: self.__torch_function__(put, (), (x, i, y))  # type: ignore[assignment]
        self._get_item, self._set_item = get, put
        self._reduce = torch.Tensor.__reduce_ex__
        torch.Tensor.__reduce_ex__ = lambda x, protocol: self._reduced(x, protocol)  # type: ignore[assignment]
        self._calls.__enter__()
        super().__enter__()
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        super().__exit__(kind, value, trace)
        del torch.Tensor.__getitem__, torch.Tensor.__setitem__
        torch.Tensor.__reduce_ex__ = self._reduce  # type: ignore[assignment]
        self._calls.__exit__()

    def refresh(self, value: Any) -> Any:
        """Tensors with up-to-date values, for use outside of this context."""
        for tensor in tensors_in(value):
            self._aliases.refresh(tensor)
            if torch.is_grad_enabled():
                self._stop_gradient(tensor)
        return value

    def has_changed(self, tensor: torch.Tensor) -> bool:
        """Whether it was changed in place. A new value in the trace alone does not tell: broadcast_tensors() gives
        its operand one."""
        return self._aliases.has_changed(tensor)

    def __torch_function__(self, function: Any, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        if self._is_past():
            return function(*args, **(kwargs or {}))
        self._inside = True
        try:
            return self._seen(function, args, kwargs or {})
        finally:
            self._inside = False

    def _part(self, get: Callable[..., Any], x: torch.Tensor, index: Any) -> Any:
        stands, own = MIXED in x.__dict__, x
        if self._standing is not None and not self._is_past():
            x, stands = self._standing(x), True
        made = self.__torch_function__(get, (), (x, index))
        if x is not own and is_basic(index):
            made.__dict__[OF_COPY] = True
        if TRACED in x.__dict__:
            made.__dict__[TRACED] = True
        if stands:
            made.__dict__[MIXED] = True
        return made

    def _mark(self, made: torch.Tensor) -> None:
        """Marks what a function has made that other modes do not see."""
        if self._standing is not None:
            made.__dict__[MIXED] = True

    def _is_past(self) -> bool:
        """Whether the current operation is not the program's, or not traced."""
        return self._inside or torch._C._get_tracing_state() is None

    def _function_begins(self) -> None:
        """Called when a Function is about to read its operands, which are not known yet."""
        if self._is_past():
            return
        self._passes_gradient = torch.is_grad_enabled()  # it is off within forward()
        self._inside = True
        try:
            self.refresh(self._aliases.stale() + list(self._without_gradient.values()))
        finally:
            self._inside = False

    def _function(self, function: Any, original: Callable[..., Any], context: Any, *args: Any
                  ) -> Any:
        """function.forward(context, *args)"""
        if self._is_past():
            return original(context, *args)
        operands = list(tensors_in(args))
        before = [tensor._version for tensor in operands]
        self._inside = True
        try:
            is_own = function.__module__.split(".")[0] == __package__
            if self._trains and self._passes_gradient and not is_own:
                refuse_other_gradients(function, args, _place())
            result = original(context, *args) if is_own else self._by_itself(original, context, *args)
        finally:
            self._inside = False
        for tensor in tensors_in(result):
            self._aliases.see(tensor)
            self._mark(tensor)
            if self._trains and not self._passes_gradient:
                self._without_gradient[id(tensor)] = tensor
        if [tensor._version for tensor in operands] != before:
            raise Error(f"'{function.__name__}' changes its operand in place, which is not "
                        f"simulated in an autograd.Function: return another tensor; in {_place()}",
                        "poptorch_cpp_error")
        return result

    def _by_itself(self, forward: Callable[..., Any], *args: Any) -> Any:
        """What a Function computes; its gradient is that of the whole."""
        outer = self._aliases, self._trains
        self._aliases, self._trains, self._inside = Aliases(within=True), False, False
        try:
            return self.refresh(forward(*args))
        finally:
            self._aliases, self._trains = outer
            self._inside = True

    def _seen(self, function: Callable[..., Any], args: Any, kwargs: Dict[str, Any]) -> Any:
        if function == _DATA:
            return self._called(torch.Tensor.detach, args, {})
        if function == _GIVE_DATA:
            raise Error("assignments to Tensor.data cannot be traced; use copy_() in "
                        f"{_place()}", "poptorch_cpp_error")
        name = getattr(function, "__name__", "")
        args, kwargs = with_truths_as_masks(name, *with_first(name, args, kwargs))
        if name == "__setitem__":
            return self._put(*args)
        if name in ("__getitem__", "masked_select"):
            _refuse_masks([args[1:2], kwargs.get("mask")])
        if name in _READ_BY_PYTHON:
            self._read_by_python(name, args)
        if name in RESIZED:
            return resize(self._aliases, name, _place(), *args, **kwargs)
        if name == "copy_":
            return self._copy(*args, **kwargs)
        if name in ("index_put", "index_put_"):
            return self._index_put(name, *args, **kwargs)
        return self._called(function, args, kwargs)

    def _called(self, function: Callable[..., Any], args: Any, kwargs: Dict[str, Any]) -> Any:
        operands = list(tensors_in(args)) + list(tensors_in(kwargs))
        self.refresh(operands)
        name = getattr(function, "__name__", "")
        if args and isinstance(args[0], torch.Tensor) and changes_first(name):
            args = (args[0], *self._aliases.apart(args[0], args[1:]))
            kwargs = {key: self._aliases.apart(args[0], value) for key, value in kwargs.items()}
            operands = list(tensors_in(args)) + list(tensors_in(kwargs))
        if changes_first(name) or "out" in kwargs or any(value is True for value in [*args, *kwargs.values()]):
            for tensor in operands:  # also if inplace
                self._aliases.keep_constants(tensor)
        before = [self._before(tensor) for tensor in operands]
        if name == "instance_norm":
            self.norms.update_of_instances(*args, **kwargs)
        result = self._decomposed(name, function, args, kwargs)
        if result is NotImplemented:
            result = function(*args, **kwargs)
            changes = changes_first(name) or kwargs.get("inplace") is True
            if changes and args and all(isinstance(one, torch.Tensor) for one in (args[0], result)):
                refuse_lost(args[0], result is args[0] or args[0]._version != before[0].version, _place)
            if name == "batch_norm":
                self.norms.note(result, *args, **kwargs)
            else:
                self._note(operands, before)
        for tensor in tensors_in(result):
            self._aliases.see(tensor, operands)
            if not self._trains:
                continue
            if not torch.is_grad_enabled() or name == "detach":
                self._without_gradient[id(tensor)] = tensor
        return result

    def _stop_gradient(self, tensor: torch.Tensor) -> None:
        """Stops the gradient of tensors that were detached or computed with gradients off."""
        if self._without_gradient.pop(id(tensor), None) is None:
            return
        if tensor.requires_grad or not tensor.is_floating_point():  # of a Function with a gradient
            return
        torch._C._set_value_trace(tensor, value_of(detached(tensor)))

    def _decomposed(self, name: str, function: Callable[..., Any], args: Any,
                    kwargs: Dict[str, Any]) -> Any:
        """The result of a function for which torch.onnx has no form."""
        out = kwargs.get("out")
        if isinstance(out, torch.Tensor) and name in TABLE:
            rest = {key: value for key, value in kwargs.items() if key != "out"}
            made = self._decomposed(name, function, args, rest)
            return self._put_out(name, out, function(*args, **rest) if made is NotImplemented else made)
        form = form_in_place(name) if name.endswith("_") else None
        try:
            if form is not None:
                made = form(*args, **kwargs)
                if made is not NotImplemented:
                    self._replace(args[0], made, lambda: function(*args, **kwargs))
                    return args[0]
            return decomposed(name, function, args, kwargs)
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            with untraced(gradients=True):
                function(*args, **kwargs)  # whose own error is the better one
            raise Error(f"{name}() of operands or arguments such as these is not simulated in {_place()}",
                        "poptorch_cpp_error") from error

    def _before(self, tensor: torch.Tensor) -> "_Before":
        if tensor.is_inference():  # which does not tell whether it was changed in place
            raise Error(f"tensors of torch.inference_mode() are not simulated: use torch.no_grad() for {_place()}",
                        "poptorch_cpp_error")
        base = self._aliases.base(tensor)
        if not self._trains:
            return _Before(tensor._version, [])
        return _Before(tensor._version, [(t, value_of(t), t.requires_grad) for t in (tensor, base)])

    def _note(self, operands: List[torch.Tensor], before: List["_Before"]) -> None:
        """Finds the operands that a function has changed."""
        for tensor, was in zip(operands, before):
            if tensor._version != was.version:
                self._changed(tensor, was)

    def _changed(self, tensor: torch.Tensor, was: "_Before") -> None:
        """Called after a tensor was changed in place and has its new value in the trace. A change
        that autograd does not see does not affect the tensor's gradient, which bypasses it."""
        refuse_lost(tensor, tensor._version != was.version, _place)
        passes = torch.is_grad_enabled() and any(t is tensor and had for t, _, had in was.values)
        if not passes:
            self._go_past(tensor, was)
        self._aliases.changed(tensor)
        base = self._aliases.base(tensor)
        if not passes and base is not tensor:
            self._go_past(base, was)

    @staticmethod
    def _go_past(tensor: torch.Tensor, was: "_Before") -> None:
        for before, value, had_gradient in was.values:
            if before is not tensor or not had_gradient or not tensor.is_floating_point():
                continue
            old, new = stand_in(tensor), stand_in(tensor)
            torch._C._set_value_trace(old, value)
            made = old + detached(new - old)
            torch._C._set_value_trace(tensor, value_of(made))
            return

    def _reduced(self, tensor: torch.Tensor, protocol: int) -> Any:
        """A copy by Python, which modes do not intercept either."""
        if not self._is_past():
            self._read_by_python("__reduce_ex__", (tensor, ))
        return self._reduce(tensor, protocol)

    def _read_by_python(self, name: str, args: Any) -> None:
        for tensor in tensors_in(args):
            self._aliases.refresh(tensor)
            if not known_while_tracing(value_of(tensor)):
                raise Error(f"{_ITEM} The value of a tensor is read by {_READ_BY_PYTHON[name]} in "
                            f"{_place()}", "poptorch_cpp_error")

    def _put_out(self, name: str, out: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
        """The result of a function in the tensor given for it, which gets its sizes if it has no elements."""
        with untraced():
            wanted, given = list(made.shape), list(out.shape)
        if wanted != given and 0 in given:
            resize(self._aliases, "resize_", _place(), out, wanted)
        elif wanted != given:
            raise Error(f"{name}(): the tensor given as out has the sizes {given} and the result {wanted}; give one of "
                        f"these sizes in {_place()}", "poptorch_cpp_error")
        return self._copy(out, made)

    def _copy(self, target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False
              ) -> torch.Tensor:
        """target.copy_(source)"""
        self.refresh([target, source])
        shape = target.shape
        if not isinstance(source, torch.Tensor):
            source = torch.tensor(source, dtype=target.dtype)
        cast = source.to(target.dtype) if source.dtype != target.dtype else source
        made = cast.expand(shape) if cast.shape != shape else cast.clone()
        value, was = value_of(made), self._before(target)
        self._aliases.keep_constants(target)
        with untraced(gradients=True):
            if source.dim() == 0:
                target.fill_(source)  # allowed even if elements share memory
            else:
                target.copy_(source)
        torch._C._set_value_trace(target, value)
        self._changed(target, was)
        return target

    def _put(self, target: torch.Tensor, index: Any, value: Any) -> None:
        """target[index] = value"""
        refuse_lost(target, True, _place)
        self.refresh([target, index, value])
        if not isinstance(value, torch.Tensor):
            with untraced():
                value = torch.tensor(value, dtype=target.dtype)
        if is_basic(index):
            view = self._get_item(target, index)
            self._aliases.see(view)
            self._mark(view)
            while value.dim() > view.dim() and value.shape[0] == 1:
                value = value[0]
            self._copy(view, value)
            return
        parts = index if isinstance(index, tuple) else (index, )
        if len(parts) == 1 and isinstance(parts[0], torch.Tensor) and parts[0].dtype == torch.bool:
            self._put_where(target, parts[0], value)
            return
        # Finds the indices of the replaced elements with the same subscript.
        with untraced():
            numbers = torch.arange(target.numel()).reshape(target.shape)
        rows = self._get_item(numbers, index)
        values = value.to(target.dtype).expand(rows.shape).reshape(-1)
        made = target.reshape(-1).index_put((rows.reshape(-1), ), values).reshape(target.shape)
        self._replace(target, made, lambda: self._set_item(target, index, value))

    def _index_put(self, name: str, target: torch.Tensor, indices: Any, values: torch.Tensor,
                   accumulate: bool = False) -> torch.Tensor:
        """Exporters support neither values to be broadcast nor masks of rows."""
        self.refresh([target, indices, values])
        with untraced():
            chosen = target.detach()[tuple(indices)].shape
        only = indices[0] if len(indices) == 1 else None
        if only is not None and only.dtype == torch.bool and not accumulate:
            result = target if name == "index_put_" else target.clone()
            self._put_where(result, only, values)
            return result
        if any(part.dtype == torch.bool for part in tensors_in(indices)):  # (exporters may end the process)
            _refuse_masks(indices)
            with untraced():
                indices = [place for part in indices for place in
                           (part.nonzero(as_tuple=True) if part is not None and part.dtype == torch.bool else (part, ))]
        return self._called(getattr(torch.Tensor, name),
                            (target, indices, values.expand(chosen), accumulate), {})

    def _put_where(self, target: torch.Tensor, mask: torch.Tensor, value: torch.Tensor) -> None:
        shape = list(mask.shape) + [1] * (target.dim() - mask.dim())
        if value.numel() == 1 or list(value.shape) == list(target.shape[mask.dim():]):
            each = value.reshape(()) if value.numel() == 1 else value  # the same for all that are chosen
            made = torch.where(mask.reshape(shape), each.to(target.dtype), target)
        else:
            if not known_while_tracing(value_of(mask)):
                raise Error("elements selected by a mask that is computed in the model are "
                            "replaced by several values: their number is only known when it runs. "
                            f"Use torch.where() in {_place()}", "poptorch_cpp_error")
            with untraced():
                rows = torch.arange(target.numel()).reshape(target.shape)[mask].reshape(-1)
                chosen = target.detach()[mask].shape
            values = value.to(target.dtype).expand(chosen).reshape(-1)
            made = target.reshape(-1).index_put((rows, ), values).reshape(target.shape)
        self._replace(target, made, lambda: self._set_item(target, mask, value))

    def _replace(self, target: torch.Tensor, made: torch.Tensor, change: Callable[[], Any]) -> None:
        """Sets the value of a tensor that `change` changes in place."""
        value, was = value_of(made), self._before(target)
        self._aliases.keep_constants(target)
        with untraced(gradients=True):
            change()
        torch._C._set_value_trace(target, value)
        self._changed(target, was)


def line_of_program() -> str:
    """The program's current line, for messages."""
    return _place()
