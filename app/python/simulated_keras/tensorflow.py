"""The module `tensorflow`: the names that scripts for IPUs use."""
from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, Optional, Sequence

import numpy

from . import _nest, _ops, _types, ipu as _ipu, keras
from ._dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from ._errors import (FailedPreconditionError, InvalidArgumentError, OpError, OutOfRangeError,
                      ResourceExhaustedError, make_module, refuse_unknown)
from ._graph import Symbol
from ._loops import tf_function as function
from ._ops import (abs, add, add_n, argmax, cast, clip_by_value, concat, cos, divide, equal, exp,
                   expand_dims, floor, gather, greater, greater_equal, identity, less, less_equal,
                   matmul, maximum, minimum, multiply, negative, one_hot, pow, reduce_max,
                   reduce_mean, reduce_min, reduce_sum, reshape, sigmoid, sin, sqrt, square, squeeze,
                   stack, stop_gradient, subtract, tanh, transpose)
from ._range import tf_range as range
from ._system import logger
from ._tape import GradientTape
from ._tensor import Tensor, TensorLike, Variable
from ._types import (DType, TensorShape, TensorSpec, float16, float32, float64, int8, int16, int32,
                     int64, string, uint8, uint16, uint32, uint64)
from ._types import bool_ as bool
from .initializers import random_state, seed_all

__version__ = "2.6.3"
newaxis = None


def constant(value: Any, dtype: Any = None, shape: Any = None,
             name: Optional[str] = "Const") -> Tensor:
    """A value; `shape` repeats a single number."""
    tensor = Tensor(value, dtype)
    if shape is None:
        return tensor
    array = numpy.asarray(tensor)
    return Tensor(numpy.full(shape, array) if array.size == 1 else array.reshape(shape))


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None,
                      name: Optional[str] = None) -> Any:
    """A tensor of a value."""
    return value if isinstance(value, Symbol) else Tensor(value, dtype)


def zeros(shape: Any, dtype: Any = float32, name: Optional[str] = None) -> Tensor:
    """All zeros."""
    return Tensor(numpy.zeros(shape), dtype)


def ones(shape: Any, dtype: Any = float32, name: Optional[str] = None) -> Tensor:
    """All ones."""
    return Tensor(numpy.ones(shape), dtype)


def fill(dims: Any, value: Any, name: Optional[str] = None) -> Tensor:
    """One value everywhere."""
    return Tensor(numpy.full(dims, value))


def shape(input: Any, out_type: Any = int32, name: Optional[str] = None) -> Tensor:  # noqa: A002
    """The sizes of the dimensions."""
    return Tensor(numpy.array(tuple(input.shape)), out_type)


def is_tensor(x: Any) -> Any:
    """Whether it is a tensor."""
    return isinstance(x, TensorLike)


@contextlib.contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A context that names a device; where something runs, the strategy says."""
    yield


def _uniform(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32,
             seed: Optional[int] = None, name: Optional[str] = None) -> Tensor:
    """Uniform random numbers on the host."""
    kind = _types.dtype_of(dtype)
    random = random_state(seed)
    if kind.is_integer:
        return Tensor(random.randint(minval, maxval, shape), kind)
    return Tensor(random.uniform(minval, 1 if maxval is None else maxval, shape), kind)


def _normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = float32,
            seed: Optional[int] = None, name: Optional[str] = None) -> Tensor:
    """Normally distributed random numbers on the host."""
    return Tensor(random_state(seed).normal(mean, stddev, shape), dtype)


def _set_verbosity(level: Any) -> None:
    logger.setLevel(level)


random = make_module("tensorflow.random", "Random numbers.", uniform=_uniform, normal=_normal,
                     set_seed=seed_all)
data = make_module(
    "tensorflow.data", "Data sets.", Dataset=Dataset, AUTOTUNE=AUTOTUNE,
    INFINITE_CARDINALITY=INFINITE_CARDINALITY, UNKNOWN_CARDINALITY=UNKNOWN_CARDINALITY,
    experimental=make_module("tensorflow.data.experimental", "Its older names.", AUTOTUNE=AUTOTUNE,
                             cardinality=Dataset.cardinality))
nn = make_module("tensorflow.nn", "Functions of networks.", relu=_ops.relu, softmax=_ops.softmax,
                 log_softmax=_ops.log_softmax, sigmoid=_ops.sigmoid, tanh=_ops.tanh,
                 softplus=_ops.softplus, gelu=keras.activations.gelu)
math = make_module("tensorflow.math", "Arithmetic.", add=add, subtract=subtract, multiply=multiply,
                   divide=divide, exp=exp, log=_ops.log, sqrt=sqrt, square=square, abs=abs, pow=pow,
                   reduce_mean=reduce_mean, reduce_sum=reduce_sum, reduce_max=reduce_max,
                   reduce_min=reduce_min, argmax=argmax, equal=equal, greater=greater, less=less,
                   maximum=maximum, minimum=minimum, tanh=tanh, sigmoid=sigmoid,
                   floormod=_ops.floormod)
nest = make_module("tensorflow.nest", "Nested tensors.", flatten=_nest.flatten,
                   map_structure=_nest.map_structure)
errors = make_module("tensorflow.errors", "Errors.", OpError=OpError,
                     InvalidArgumentError=InvalidArgumentError, OutOfRangeError=OutOfRangeError,
                     FailedPreconditionError=FailedPreconditionError,
                     ResourceExhaustedError=ResourceExhaustedError)
logging = make_module("tensorflow.compat.v1.logging", "Its log.", set_verbosity=_set_verbosity,
                      INFO=20, WARN=30, ERROR=40, info=logger.info, warning=logger.warning)
compat = make_module("tensorflow.compat", "Older names.", v1=make_module(
    "tensorflow.compat.v1", "Those of TensorFlow 1.", logging=logging))
optimizers, losses, metrics, initializers = (keras.optimizers, keras.losses, keras.metrics,
                                             keras.initializers)

__all__ = [name for name in dir() if not name.startswith("_") and name not in (
    "annotations", "Any", "Dict", "Iterator", "Optional", "Sequence", "contextlib", "numpy", "logger",
    "make_module", "refuse_unknown", "random_state", "seed_all", "logging")]
__getattr__ = refuse_unknown("tensorflow", __all__)


def modules() -> Dict[str, Any]:
    """All modules below tensorflow by their paths."""
    found: Dict[str, Any] = {"data": data, "data.experimental": data.experimental, "nn": nn,
                             "math": math, "random": random, "nest": nest, "errors": errors,
                             "compat": compat, "compat.v1": compat.v1,
                             "compat.v1.logging": logging, "keras": keras}
    below = keras.modules()
    found.update({f"keras.{path}": module for path, module in below.items()})
    dataset_ops = make_module("tensorflow.python.data.ops.dataset_ops", "Data sets.",
                              Dataset=Dataset, DatasetV2=Dataset)
    ops = make_module("tensorflow.python.data.ops", "Data sets.", dataset_ops=dataset_ops)
    python = make_module("tensorflow.python", "TensorFlow's inner modules.", ipu=_ipu, keras=keras,
                         data=make_module("tensorflow.python.data", "Data sets.", ops=ops))
    found.update({"python": python, "python.ipu": _ipu, "python.keras": keras,
                  "python.data": python.data, "python.data.ops": ops,
                  "python.data.ops.dataset_ops": dataset_ops})
    found.update({f"python.ipu.{path}": module for path, module in _ipu.modules().items()})
    found.update({f"python.keras.{path}": module for path, module in below.items()})
    return found
