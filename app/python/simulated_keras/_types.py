"""Element types and shapes."""
from __future__ import annotations

from typing import Any, Iterable, List, Optional, Union

import numpy


class DType:
    """An element type, as ``tf.float32``."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def as_numpy_dtype(self) -> Any:
        """numpy's class of numbers."""
        return numpy.dtype(self.name).type

    @property
    def is_floating(self) -> bool:
        """Whether it holds fractions."""
        return self.name.startswith("float")

    @property
    def is_integer(self) -> bool:
        """Whether it holds whole numbers."""
        return "int" in self.name

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return numpy.dtype(self.name).itemsize

    def __eq__(self, other: object) -> bool:
        try:
            return other is not None and dtype_of(other).name == self.name
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"tf.{self.name}"


def dtype_of(value: Any) -> DType:
    """The type for a DType, a name, or one of numpy's types."""
    if isinstance(value, DType):
        return value
    name = "bool" if value is bool else numpy.dtype(value).name
    return DType(name)


float16, float32, float64 = DType("float16"), DType("float32"), DType("float64")
int8, int16, int32, int64 = DType("int8"), DType("int16"), DType("int32"), DType("int64")
uint8, uint16, uint32, uint64 = DType("uint8"), DType("uint16"), DType("uint32"), DType("uint64")
bool_ = DType("bool")
string = DType("str")


def device_name(dtype: DType) -> str:
    """The type in which the machine holds these elements, by numpy's name."""
    if dtype.name == "float16":
        return "float16"
    return "float32" if dtype.is_floating else "bool" if dtype.name == "bool" else "int32"


class TensorShape(tuple):
    """Sizes of dimensions; None where a size is open."""

    def __new__(cls, sizes: Optional[Iterable[Any]]) -> "TensorShape":
        return super().__new__(cls, [None if size is None else int(size) for size in sizes or ()])

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self)

    @property
    def ndims(self) -> int:
        """The number of dimensions."""
        return len(self)

    @property
    def dims(self) -> List[Optional[int]]:
        """The sizes."""
        return list(self)

    def as_list(self) -> List[Optional[int]]:
        """The sizes."""
        return list(self)

    def is_fully_defined(self) -> bool:
        """Whether no size is open."""
        return None not in self

    def num_elements(self) -> Optional[int]:
        """The product of the sizes."""
        return int(numpy.prod(self)) if self.is_fully_defined() else None

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return TensorShape(part) if isinstance(key, slice) else part

    def __str__(self) -> str:
        return str(tuple(self))

    def __repr__(self) -> str:
        return f"TensorShape({list(self)})"


class TensorSpec:
    """Shape and element type of a data set's tensors."""

    def __init__(self, shape: Any = (), dtype: Any = float32, name: Optional[str] = None) -> None:
        self.shape, self.dtype, self.name = TensorShape(shape), dtype_of(dtype), name

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, TensorSpec) and self.shape == other.shape and
                self.dtype == other.dtype)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={tuple(self.shape)}, dtype={self.dtype!r}, name={self.name!r})"


ShapeLike = Union[TensorShape, Iterable[Optional[int]]]
