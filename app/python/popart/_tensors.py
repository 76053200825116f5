"""Shapes and element types of tensors."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence, Union

import numpy
from onnx import TensorProto, TypeProto, helper, numpy_helper

from ._enums import ENUMS
from ._errors import popart_exception

DataType = ENUMS["DataType"]


def _numpy_types() -> Dict[str, numpy.dtype]:
    """numpy's element types by ONNX's names, as onnx converts them."""
    names = [name for name in DataType.__members__ if name not in ("STRING", "UNDEFINED")]
    empty = {name: TensorProto(data_type=TensorProto.DataType.Value(name), dims=[0])
             for name in names}
    return {name: numpy_helper.to_array(tensor).dtype for name, tensor in empty.items()}


_NUMPY_TYPES = _numpy_types()
#: The first name for each of numpy's types.
_NAMES = {kind: name for name, kind in reversed(list(_NUMPY_TYPES.items()))}


def type_name(given: Any) -> str:
    """PopART's (and ONNX's) name of an element type: "FLOAT16" of that name in any case, of a
    DataType, or of numpy's float16."""
    if isinstance(given, DataType):
        return str(given.name)
    if isinstance(given, str) and given.upper() in _NUMPY_TYPES:
        return given.upper()
    try:
        return _NAMES[numpy.dtype(given)]
    except (TypeError, KeyError):
        raise popart_exception(f"No data type is called '{given}'") from None


class TensorInfo:
    """Element type and shape of a tensor.

    >>> popart.TensorInfo("FLOAT", [2, 3])
    >>> popart.TensorInfo(numpy.zeros([2, 3], numpy.float32))
    """

    def __init__(self, data_type: Any, shape: Union[Sequence[int], None] = None) -> None:
        if isinstance(data_type, numpy.ndarray):
            data_type, shape = data_type.dtype, data_type.shape
        self._type = type_name(data_type)
        self._shape = [int(size) for size in shape or ()]

    def shape(self) -> List[int]:
        """Sizes of all dimensions."""
        return list(self._shape)

    def data_type(self) -> Any:
        """The element type, a DataType."""
        return DataType[self._type]

    def data_type_lcase(self) -> str:
        """The element type as numpy calls it: "float32"."""
        return str(self.numpy_type())

    def numpy_type(self) -> numpy.dtype:
        """numpy's element type."""
        return _NUMPY_TYPES[self._type]

    def onnx_type(self) -> int:
        """ONNX's number of the element type."""
        return int(TensorProto.DataType.Value(self._type))

    def nelms(self) -> int:
        """Number of elements."""
        return int(numpy.prod(self._shape, dtype=numpy.int64))

    def is_real(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self.numpy_type().kind == "f"

    def value_info(self, name: str) -> Any:
        """ONNX's description of a value of this kind."""
        return helper.make_tensor_value_info(name, self.onnx_type(), self._shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorInfo) and (self._type, self._shape) == (other._type,
                                                                               other._shape)

    def __repr__(self) -> str:
        return f"{self._type} {self._shape}"


def info_of(type_proto: TypeProto) -> Union[TensorInfo, None]:
    """The TensorInfo of ONNX's description; None if type or a size is open."""
    tensor = type_proto.tensor_type
    if not tensor.elem_type or not tensor.HasField("shape"):
        return None
    if not all(dim.HasField("dim_value") for dim in tensor.shape.dim):
        return None
    return TensorInfo(str(TensorProto.DataType.Name(tensor.elem_type)),
                      [dim.dim_value for dim in tensor.shape.dim])


def contiguous(array: Any) -> numpy.ndarray:
    """An array, row-major, that PopART has an element type for."""
    return numpy.ascontiguousarray(array).reshape(numpy.shape(array))
