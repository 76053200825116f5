"""Operators as methods of an opset: names, attributes and numbers of outputs, from tables.

Those of ONNX are onnx's own schemas; those of Graphcore are the rows below.
"""
from __future__ import annotations

import functools
import inspect
from typing import Any, Dict, List, NamedTuple, Optional

from onnx import AttributeProto, TensorProto, defs, helper, numpy_helper

from ._enums import ENUMS
from ._errors import popart_exception

GRAPHCORE_DOMAIN = "ai.graphcore"
ONNX_VERSIONS = range(6, 12)

#: Words of C++, whose operators PopART gives a prefix.
_RESERVED = {name: f"logical_{name}" for name in ("and", "or", "not", "xor", "if")}

#: method, operator, outputs ("n": num_outputs says), attributes; "=" gives those that may be left
#: out their default, "-" none. Types: i a whole number, r a number, s a text, I, R and S lists of
#: them, G a graph.
_GRAPHCORE = """
abort               Abort               0
atan2               Atan2               1
bitwiseand          BitwiseAnd          1
bitwisenot          BitwiseNot          1
bitwiseor           BitwiseOr           1
bitwisexnor         BitwiseXnor         1
bitwisexor          BitwiseXor          1
call                Call                n  callee:G
copyvarupdate       CopyVarUpdate       1
ctcbeamsearchdecoder CtcBeamSearchDecoder 3 blank:i=0 beam_width:i=100 top_paths:i=1
ctcloss             Ctc                 1  reduction:s=Mean blank:i=0 outDataType:s=UNDEFINED
depthtospace        DepthToSpace        1  blocksize:i mode:s=DCR
detach              Detach              1
dynamicadd          DynamicAdd          1  axes:I sizes:I
dynamicslice        DynamicSlice        1  axes:I sizes:I noOverlap:i=0
dynamicupdate       DynamicUpdate       1  axes:I sizes:I noOverlap:i=0
dynamiczero         DynamicZero         1  axes:I sizes:I
expm1               Expm1               1
fmod                Fmod                1
gelu                Gelu                1
groupedgather       GroupedGather       1  axis:i=0 group_size:i=1
groupnormalization  GroupNormalization  3  num_groups:i epsilon:r=1e-05
identityloss        IdentityLoss        1  reduction:s=Mean
init                Init                1  shape:I data_type:i init_type:i batch_axis:i=-
l1loss              L1                  1  lambda_:r reduction:s=Mean
log1p               Log1p               1
lstm                LSTM                2  outputFullSequence:i=1
nllloss             Nll                 1  reduction:s=Mean ignoreIndex:i=- inputIsLogProbability:i=0
nop                 Nop                 1
printtensor         PrintTensor         1  print_gradient:i=1 title:s=-
reducemedian        ReduceMedian        2  axes:I=- keepdims:i=1
remainder           Remainder           1
replicatedallreduce ReplicatedAllReduce 1  commGroup:I=-
reshape             Reshape             1  shape:I
reverse             Reverse             1  dimensions:I
round               Round               1
scale               Scale               1  scale:r
scaledadd           ScaledAdd           1  scale0:r=1 scale1:r=1
scatterreduce       ScatterReduce       1  axis_size:i axis:i=-1 reduction:s=Sum
sequenceslice       SequenceSlice       1  zeroUnused:i=0
shapeddropout       ShapedDropout       1  shape:I ratio:r=0.5
subsample           Subsample           1  strides:I
swish               Swish               1
"""

_TYPES = {
    "i": AttributeProto.INT, "r": AttributeProto.FLOAT, "s": AttributeProto.STRING,
    "I": AttributeProto.INTS, "R": AttributeProto.FLOATS, "S": AttributeProto.STRINGS,
    "G": AttributeProto.GRAPH,
}


class Attribute(NamedTuple):
    """An attribute of an operator."""
    name: str
    type: int  #: an AttributeProto.AttributeType
    is_required: bool
    default: Any  #: None: the attribute is left out

    def parameter(self) -> inspect.Parameter:
        """The parameter of a method for it; Python reserves "lambda"."""
        name = "lambda_" if self.name == "lambda" else self.name
        default = inspect.Parameter.empty if self.is_required else self.default
        return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


class Operator(NamedTuple):
    """An operator of an opset."""
    type: str
    domain: str
    attributes: List[Attribute]
    least_inputs: int
    most_inputs: int
    outputs: Optional[int]  #: None: the caller says how many

    def signature(self) -> inspect.Signature:
        """Of the method: operands, number of outputs, attributes, a name for messages."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter("args", kind)] if self.most_inputs else []
        if self.outputs is None:
            parameters.append(inspect.Parameter("num_outputs", kind))
        parameters += [attribute.parameter() for attribute in self.attributes]
        optional = [p for p in parameters if p.default is not inspect.Parameter.empty]
        needed = [p for p in parameters if p.default is inspect.Parameter.empty]
        return inspect.Signature(
            [*needed, *optional, inspect.Parameter("debugContext", kind, default="")])


def _attributes_of(schema: Any) -> List[Attribute]:
    """PopART's order: required ones first, by name; how to pad automatically comes last."""
    found = []
    for name, attribute in schema.attributes.items():
        number = int(attribute.type.value)
        if number == AttributeProto.SPARSE_TENSOR:
            continue
        default = attribute.default_value
        value = helper.get_attribute_value(default) if default.name else None
        found.append(Attribute(name, number, bool(attribute.required),
                               value.decode() if isinstance(value, bytes) else value))
    return sorted(found, key=lambda a: (not a.is_required, a.name == "auto_pad", a.name.lower()))


def _from_schema(schema: Any) -> Operator:
    fixed = schema.min_output == schema.max_output
    attributes = _attributes_of(schema)
    if schema.max_input == 0 and len(attributes) == 1:  # a constant needs its value
        attributes = [attributes[0]._replace(is_required=True)]
    return Operator(schema.name, "", attributes, schema.min_input, schema.max_input,
                    schema.max_output if fixed else None)


@functools.lru_cache(maxsize=None)
def onnx_operators(version: int) -> Dict[str, Operator]:
    """The operators of an opset of ONNX, by the name of their method."""
    newest: Dict[str, Any] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.since_version <= version:
            known = newest.get(schema.name)
            if known is None or known.since_version < schema.since_version:
                newest[schema.name] = schema
    return {
        _RESERVED.get(name.lower(), name.lower()): _from_schema(schema)
        for name, schema in newest.items() if not schema.deprecated
    }


def _attribute_from(text: str) -> Attribute:
    name, _, rest = text.partition(":")
    letter, given, default = rest.partition("=")
    kind = _TYPES[letter]
    value: Any = None if default in ("", "-") else default
    if value is not None and letter in "ir":
        value = int(default) if letter == "i" else float(default)
    return Attribute(name.rstrip("_"), kind, not given, value)


@functools.lru_cache(maxsize=None)
def graphcore_operators() -> Dict[str, Operator]:
    """Graphcore's own operators, by the name of their method."""
    most = 1 << 20  # operands are checked when the model is read
    operators = {}
    for line in _GRAPHCORE.strip().splitlines():
        method, kind, outputs, *attributes = line.split()
        operators[method] = Operator(kind, GRAPHCORE_DOMAIN,
                                     [_attribute_from(text) for text in attributes], 0,
                                     0 if kind == "Init" else most,
                                     None if outputs == "n" else int(outputs))
    return operators


def attribute_proto(attribute: Attribute, value: Any) -> Any:
    """ONNX's attribute with a value; None for one that is left out."""
    if value is None or (isinstance(value, (list, tuple)) and not value):
        return None
    return helper.make_attribute(attribute.name, _converted(attribute, value))


def _converted(attribute: Attribute, value: Any) -> Any:
    """A value as ONNX's attribute takes it: numbers of element types, names of reductions."""
    kind = attribute.type
    if kind == AttributeProto.TENSOR:
        return numpy_helper.from_array(value)
    if kind == AttributeProto.GRAPH:
        return value._graph_proto()
    if kind == AttributeProto.STRING:
        return getattr(value, "name", value)
    if kind == AttributeProto.INT:
        if isinstance(value, (str, ENUMS["DataType"])):
            return _type_number(getattr(value, "name", value))
        return int(value)
    if kind == AttributeProto.FLOAT:
        return float(value)
    number = float if kind == AttributeProto.FLOATS else int
    items = value if hasattr(value, "__iter__") else [value]
    return [item if isinstance(item, str) else number(item) for item in items]


def _type_number(name: str) -> int:
    if name not in TensorProto.DataType.keys():
        raise popart_exception(f"No data type is called '{name}'")
    return int(TensorProto.DataType.Value(name))
