"""Tensors with values, variables, and what all kinds of tensors have in common."""
from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, Optional

import numpy

from . import _types


class TensorLike:
    """Arithmetic of anything that stands for a tensor; :mod:`_ops` has the operations."""

    __array_priority__ = 100  # numpy leaves mixed arithmetic to this class
    shape: Any
    dtype: Any

    def __len__(self) -> int:
        if not len(self.shape):
            raise TypeError("a tensor without dimensions has no length")
        return int(self.shape[0])

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def get_shape(self) -> Any:
        """The shape."""
        return self.shape


def _binary(name: str, swapped: bool = False) -> Callable[[Any, Any], Any]:
    def call(self: Any, other: Any) -> Any:
        from . import _ops
        function = getattr(_ops, name)
        return function(other, self) if swapped else function(self, other)
    return call


def _unary(name: str) -> Callable[[Any], Any]:
    def call(self: Any) -> Any:
        from . import _ops
        return getattr(_ops, name)(self)
    return call


for _method, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"),
                       ("truediv", "divide"), ("pow", "pow"), ("matmul", "matmul"),
                       ("floordiv", "floordiv"), ("mod", "floormod")):
    setattr(TensorLike, f"__{_method}__", _binary(_name))
    setattr(TensorLike, f"__r{_method}__", _binary(_name, True))
for _method, _name in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                       ("ge", "greater_equal")):
    setattr(TensorLike, f"__{_method}__", _binary(_name))
for _method, _name in (("neg", "negative"), ("abs", "abs")):
    setattr(TensorLike, f"__{_method}__", _unary(_name))


def _getitem(self: Any, key: Any) -> Any:
    from . import _ops
    return _ops.strided_slice(self, key)


setattr(TensorLike, "__getitem__", _getitem)


class Tensor(TensorLike):
    """A value on the host."""

    def __init__(self, value: Any, dtype: Any = None, name: Optional[str] = None) -> None:
        array = numpy.asarray(value)
        if dtype is not None:
            array = array.astype(_types.dtype_of(dtype).as_numpy_dtype)
        elif array.dtype == numpy.float64 and not isinstance(value, (numpy.ndarray, numpy.generic)):
            array = array.astype(numpy.float32)  # numbers of Python
        elif array.dtype == numpy.int64 and not isinstance(value, (numpy.ndarray, numpy.generic)):
            array = array.astype(numpy.int32)
        self._value = array
        self.name = name or "tensor"

    @property
    def shape(self) -> _types.TensorShape:  # type: ignore[override]
        """Sizes of the dimensions."""
        return _types.TensorShape(self._value.shape)

    @property
    def dtype(self) -> _types.DType:  # type: ignore[override]
        """The element type."""
        return _types.dtype_of(self._value.dtype)

    def numpy(self) -> Any:
        """The value; a number of numpy for a tensor without dimensions."""
        return self._value[()] if not self._value.ndim else self._value

    def __array__(self, dtype: Any = None) -> numpy.ndarray:
        return self._value if dtype is None else self._value.astype(dtype)

    def __iter__(self) -> Any:
        return (Tensor(part) for part in self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return int(self._value)

    def __index__(self) -> int:
        return int(self._value)

    def __float__(self) -> float:
        return float(self._value)

    def __eq__(self, other: object) -> Any:
        return Tensor(self._value == numpy.asarray(other))

    def __ne__(self, other: object) -> Any:
        return Tensor(self._value != numpy.asarray(other))

    __hash__ = object.__hash__

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec) if spec else str(self)

    def __str__(self) -> str:
        return f"tf.Tensor({self._value}, shape={tuple(self.shape)}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return (f"<tf.Tensor: shape={tuple(self.shape)}, dtype={self.dtype.name}, "
                f"numpy={self._value!r}>")


_numbers = itertools.count()


class Variable(TensorLike):
    """A tensor that programs change. Its value is on the host until a program takes it; the program
    that changed it last is asked when the value is read."""

    def __init__(self, initial_value: Any, trainable: bool = True, name: Optional[str] = None,
                 dtype: Any = None, **unused: Any) -> None:
        value = initial_value() if callable(initial_value) else initial_value
        self._value = numpy.array(Tensor(value, dtype).numpy())
        self._path = name or f"Variable_{next(_numbers)}"
        self.trainable = trainable
        self.regularizer: Any = None
        self.version = 0  #: grows with every change
        self._fetch: Optional[Callable[[], None]] = None  #: of the program with a newer value

    @property
    def name(self) -> str:
        """The name with TensorFlow's number of the output."""
        return f"{self._path}:0"

    @property
    def path(self) -> str:
        """The name without that number."""
        return self._path

    @property
    def shape(self) -> _types.TensorShape:  # type: ignore[override]
        """Sizes of the dimensions."""
        return _types.TensorShape(self._value.shape)

    @property
    def dtype(self) -> _types.DType:  # type: ignore[override]
        """The element type."""
        return _types.dtype_of(self._value.dtype)

    def numpy(self) -> Any:
        """The present value."""
        if self._fetch is not None:
            self._fetch()
        return self._value[()] if not self._value.ndim else self._value

    def value(self) -> Tensor:
        """The present value as a tensor."""
        return Tensor(numpy.array(self.numpy()))

    read_value = value

    def __array__(self, dtype: Any = None) -> numpy.ndarray:
        value = numpy.asarray(self.numpy())
        return value if dtype is None else value.astype(dtype)

    def assign(self, value: Any, **unused: Any) -> "Variable":
        """Sets the value."""
        from ._graph import refuse_in_trace
        refuse_in_trace(f"Variable.assign() of {self.name}")
        array = numpy.asarray(value, self._value.dtype)
        if array.shape != self._value.shape:
            raise ValueError(f"Cannot assign value to variable '{self.name}': Shape mismatch. The "
                             f"variable shape {self._value.shape}, and the assigned value shape "
                             f"{array.shape} are incompatible.")
        if self._fetch is not None:
            self._fetch()
        self._value = numpy.array(array)
        self.version += 1
        return self

    def assign_add(self, value: Any, **unused: Any) -> "Variable":
        """Adds to the value."""
        return self.assign(numpy.asarray(self.numpy()) + numpy.asarray(value))

    def assign_sub(self, value: Any, **unused: Any) -> "Variable":
        """Subtracts from the value."""
        return self.assign(numpy.asarray(self.numpy()) - numpy.asarray(value))

    def hold(self, fetch: Callable[[], None]) -> None:
        """Says that a program has a newer value, which `fetch` brings."""
        if self._fetch is not None and self._fetch != fetch:
            self._fetch()
        self._fetch = fetch

    def receive(self, value: numpy.ndarray) -> None:
        """The value that a program brings."""
        self._value = numpy.array(value.reshape(self._value.shape), self._value.dtype)
        self._fetch = None
        self.version += 1

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return (f"<tf.Variable '{self.name}' shape={tuple(self.shape)} dtype={self.dtype.name}, "
                f"numpy={self.numpy()!r}>")


def plain_value(value: Any) -> Any:
    """The array of an eager tensor; anything else as it is."""
    return value.numpy() if isinstance(value, (Tensor, Variable)) else value


def as_keyed(values: Dict[str, Any]) -> Dict[str, Any]:
    """The values of a dict as plain numbers, for logs."""
    return {key: float(numpy.asarray(plain_value(value))) for key, value in values.items()}
