"""Writes ONNX models in protobuf's wire format, so that no package for either is needed.

Field numbers are those of onnx.proto3, as published with the ONNX standard.
"""
from __future__ import annotations

import struct
from typing import Any, Dict, Iterable, List, Sequence, Tuple, Union

import numpy

#: TensorProto.DataType by numpy's name of the type.
ELEMENT_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9,
                 "float16": 10}

#: The first operator set with LayerNormalization.
OPERATOR_SET = 17
GRAPHCORE_DOMAIN = "ai.graphcore"

_IR_VERSION = 8
_VARINT, _BYTES, _FIXED32 = 0, 2, 5

Attribute = Union[int, float, str, Sequence[int], Sequence[str]]


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1  # negative numbers take ten bytes
    encoded = bytearray()
    while number > 0x7f:
        encoded.append(number & 0x7f | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _integer(field: int, number: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(int(number))


def _chunk(field: int, content: Union[bytes, str]) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def _real(field: int, number: float) -> bytes:
    return _varint(field << 3 | _FIXED32) + struct.pack("<f", number)


def _attribute(name: str, value: Attribute) -> bytes:
    head = _chunk(1, name)
    if isinstance(value, (bool, int, numpy.integer)):
        return head + _integer(3, int(value)) + _integer(20, 2)
    if isinstance(value, float):
        return head + _real(2, value) + _integer(20, 1)
    if isinstance(value, str):
        return head + _chunk(4, value) + _integer(20, 3)
    if value and isinstance(value[0], str):
        return head + b"".join(_chunk(9, str(text)) for text in value) + _integer(20, 8)
    return head + b"".join(_integer(8, int(number)) for number in value) + _integer(20, 7)


def node(kind: str, name: str, inputs: Iterable[str], outputs: Iterable[str],
         attributes: Dict[str, Attribute], documentation: str = "") -> bytes:
    """A NodeProto; `kind` is an operator, with its domain before a slash unless it is ONNX's."""
    domain, _, operator = kind.rpartition("/")
    parts = [_chunk(1, text) for text in inputs] + [_chunk(2, text) for text in outputs]
    parts += [_chunk(3, name), _chunk(4, operator)]
    parts += [_chunk(5, _attribute(key, value)) for key, value in attributes.items()]
    if documentation:
        parts.append(_chunk(6, documentation))
    if domain:
        parts.append(_chunk(7, domain))
    return b"".join(parts)


def tensor(name: str, array: numpy.ndarray) -> bytes:
    """A TensorProto with its values."""
    dims = b"".join(_integer(1, size) for size in array.shape)
    kind = _integer(2, ELEMENT_TYPES[array.dtype.name])
    return dims + kind + _chunk(8, name) + _chunk(9, numpy.ascontiguousarray(array).tobytes())


def value_info(name: str, shape: Sequence[int], dtype: str) -> bytes:
    """A ValueInfoProto of a tensor."""
    dims = b"".join(_chunk(1, _integer(1, size)) for size in shape)
    kind = _integer(1, ELEMENT_TYPES[dtype]) + _chunk(2, dims)
    return _chunk(1, name) + _chunk(2, _chunk(1, kind))


def model(name: str, nodes: List[bytes], initializers: List[bytes], inputs: List[bytes],
          outputs: List[bytes]) -> bytes:
    """A serialised ModelProto."""
    sets: List[Tuple[str, int]] = [("", OPERATOR_SET), (GRAPHCORE_DOMAIN, 1)]
    parts: List[Any] = [_chunk(1, item) for item in nodes] + [_chunk(2, name)]
    parts += [_chunk(5, item) for item in initializers]
    parts += [_chunk(11, item) for item in inputs] + [_chunk(12, item) for item in outputs]
    opsets = b"".join(_chunk(8, _chunk(1, domain) + _integer(2, version))
                      for domain, version in sets)
    return _integer(1, _IR_VERSION) + opsets + _chunk(7, b"".join(parts))
