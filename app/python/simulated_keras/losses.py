"""keras.losses: each as a function with a value per sample, and as a class with their mean."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional, Tuple

from . import _ops, _types
from ._graph import Graph, Symbol
from ._tensor import Tensor

_EPSILON = 1e-7  #: keras.backend.epsilon()
_LEAST_SQUARE = 1e-12  #: of a vector's length, for tf.math.l2_normalize
_NLL = "ai.graphcore/Nll"


def with_shapes(*values: Any) -> Tuple[Any, ...]:
    """The values, lists of numbers as tensors."""
    return tuple(value if hasattr(value, "shape") else Tensor(value) for value in values)


def _pair(y_true: Any, y_pred: Any) -> Tuple[Any, Any]:
    """Both in float32 and of one shape; labels may lack the last dimension."""
    y_true, y_pred = with_shapes(y_true, y_pred)
    y_true = _ops.cast(y_true, _types.float32)
    if len(y_true.shape) == len(y_pred.shape) - 1 and y_pred.shape[-1] == 1:
        y_true = _ops.expand_dims(y_true, -1)
    return y_true, y_pred


def fit_ranks(y_true: Any, y_pred: Any) -> Tuple[Any, Any]:
    """Results without their last dimension where the labels have one less, as losses and metrics
    of compile() take them; labels of one dimension count as columns."""
    y_true, y_pred = with_shapes(y_true, y_pred)
    labels = max(len(y_true.shape), 2)
    if len(y_pred.shape) == labels + 1 and y_pred.shape[-1] == 1:
        y_pred = _ops.squeeze(y_pred, -1)
    return y_true, y_pred


def of_ranks(weights: Any, each: Any) -> Any:
    """Weights with the dimensions of what they weigh: more of size one, or without the last one."""
    while len(weights.shape) > len(each.shape) and weights.shape[-1] == 1:
        weights = _ops.squeeze(weights, -1)
    while len(weights.shape) < len(each.shape):
        weights = _ops.expand_dims(weights, -1)
    return weights


def masked_weights(y_pred: Any, weights: Any) -> Any:
    """Weights of samples, without those that a mask of the results leaves out."""
    mask = getattr(y_pred, "mask", None)
    if mask is None:
        return weights
    kept = _ops.cast(mask, _types.float32)
    return kept if weights is None else _ops.multiply(of_ranks(_ops.cast(weights, _types.float32), kept), kept)


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean square of the differences."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _ops.reduce_mean(_ops.square(_ops.subtract(y_pred, y_true)), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean size of the differences."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _ops.reduce_mean(_ops.abs(_ops.subtract(y_pred, y_true)), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """The mean size of the differences in per cent of the labels."""
    y_true, y_pred = _pair(y_true, y_pred)
    size = _ops.maximum(_ops.abs(y_true), _EPSILON)
    return _ops.multiply(_ops.reduce_mean(_ops.divide(_ops.abs(_ops.subtract(y_true, y_pred)), size), -1), 100.0)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """The mean square of the differences of logarithms."""
    one, other = (_ops.log(_ops.add(_ops.maximum(x, _EPSILON), 1.0)) for x in _pair(y_true, y_pred))
    return _ops.reduce_mean(_ops.square(_ops.subtract(one, other)), -1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Half the square of small differences, the size of large ones."""
    y_true, y_pred = _pair(y_true, y_pred)
    size = _ops.abs(_ops.subtract(y_pred, y_true))
    least = _ops.minimum(size, delta)
    return _ops.reduce_mean(_ops.multiply(least, _ops.subtract(size, _ops.multiply(least, 0.5))), -1)


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """The logarithm of the differences' hyperbolic cosine."""
    y_true, y_pred = _pair(y_true, y_pred)
    size = _ops.abs(_ops.subtract(y_pred, y_true))
    tail = _ops.log(_ops.add(_ops.exp(_ops.multiply(size, -2.0)), 1.0))
    return _ops.reduce_mean(_ops.subtract(_ops.add(size, tail), math.log(2)), -1)


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Of two rows of probabilities."""
    y_true, y_pred = _pair(y_true, y_pred)
    one, other = (_ops.clip_by_value(x, _EPSILON, 1.0) for x in (y_true, y_pred))
    return _ops.reduce_sum(_ops.multiply(one, _ops.log(_ops.divide(one, other))), -1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """Of counts and their expected values."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _ops.reduce_mean(_ops.subtract(y_pred, _ops.multiply(y_true, _ops.log(_ops.add(y_pred, _EPSILON)))), -1)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """With labels -1 and 1, or 0 and 1."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _ops.reduce_mean(_ops.relu(_ops.subtract(1.0, _ops.multiply(_signs(y_true), y_pred))), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The square of it for each element."""
    y_true, y_pred = _pair(y_true, y_pred)
    each = _ops.relu(_ops.subtract(1.0, _ops.multiply(_signs(y_true), y_pred)))
    return _ops.reduce_mean(_ops.square(each), -1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """How far the best wrong class comes within one of the right one."""
    y_true, y_pred = _pair(y_true, y_pred)
    right = _ops.reduce_sum(_ops.multiply(y_true, y_pred), -1)
    wrong = _ops.reduce_max(_ops.multiply(_ops.subtract(1.0, y_true), y_pred), -1)
    return _ops.relu(_ops.add(_ops.subtract(wrong, right), 1.0))


def cosine_similarity(y_true: Any, y_pred: Any) -> Any:
    """The cosine of the angle, negative, so that it is smaller the more they are alike."""
    one, other = (_ops.divide(x, _ops.sqrt(_ops.maximum(_ops.reduce_sum(_ops.square(x), -1, True), _LEAST_SQUARE)))
                  for x in _pair(y_true, y_pred))
    return _ops.negative(_ops.reduce_sum(_ops.multiply(one, other), -1))


def _signs(y_true: Any) -> Any:
    """Labels -1 and 1; Keras takes those that are all 0 or 1 for such."""
    has_negative = _ops.cast(_ops.less(_ops.reduce_min(y_true), 0.0), _types.float32)
    zeros_and_ones = _ops.subtract(_ops.multiply(y_true, 2.0), 1.0)
    return _ops.add(_ops.multiply(y_true, has_negative),
                    _ops.multiply(zeros_and_ones, _ops.subtract(1.0, has_negative)))


def _operand_of(graph: Graph, x: Symbol, kind: str) -> Optional[Symbol]:
    """What an activation made a tensor of, if one did."""
    made_by, operands = graph.maker(x)
    if made_by != kind:
        return None
    return Symbol(graph, operands[0], x.shape, x.dtype, x.channels_first)


def binary_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False,
                        label_smoothing: float = 0.0) -> Any:
    """Of probabilities, or of what a sigmoid makes probabilities of."""
    y_true, y_pred = _pair(y_true, y_pred)
    if label_smoothing:
        y_true = _ops.add(_ops.multiply(y_true, 1 - label_smoothing), label_smoothing / 2)
    graph = _ops.graph_of(y_pred)
    scores = y_pred if from_logits else graph and _operand_of(graph, y_pred, "Sigmoid")
    if scores is not None:
        # Products with truth values, whose slopes add up to the sigmoid's at zero, too.
        upper = _ops.multiply(scores, _ops.cast(_ops.greater_equal(scores, 0.0), _types.float32))
        tail = _ops.log(_ops.add(_ops.exp(_ops.subtract(scores, _ops.multiply(upper, 2.0))), 1.0))
        linear = _ops.subtract(upper, _ops.multiply(scores, y_true))
        return _ops.reduce_mean(_ops.add(linear, tail), -1)
    p = _ops.clip_by_value(y_pred, _EPSILON, 1 - _EPSILON)
    yes = _ops.multiply(y_true, _ops.log(p))
    no = _ops.multiply(_ops.subtract(1.0, y_true), _ops.log(_ops.subtract(1.0, p)))
    return _ops.negative(_ops.reduce_mean(_ops.add(yes, no), -1))


def categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False,
                             label_smoothing: float = 0.0) -> Any:
    """With a probability of each class as label."""
    y_true, y_pred = with_shapes(y_true, y_pred)
    y_true = _ops.cast(y_true, _types.float32)
    if label_smoothing:
        share = label_smoothing / int(y_pred.shape[-1])
        y_true = _ops.add(_ops.multiply(y_true, 1 - label_smoothing), share)
    graph = _ops.graph_of(y_pred)
    scores = y_pred if from_logits else graph and _operand_of(graph, y_pred, "Softmax")
    if scores is not None:
        logarithms = _ops.log_softmax(scores)
    else:
        total = _ops.reduce_sum(y_pred, -1, True)
        p = _ops.clip_by_value(_ops.divide(y_pred, total), _EPSILON, 1 - _EPSILON)
        logarithms = _ops.log(p)
    return _ops.negative(_ops.reduce_sum(_ops.multiply(y_true, logarithms), -1))


def sparse_categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False,
                                    axis: int = -1) -> Any:
    """With the number of the class as label."""
    y_true, y_pred = with_shapes(y_true, y_pred)
    if axis not in (-1, len(y_pred.shape) - 1):
        raise ValueError(f"sparse_categorical_crossentropy: axis={axis} is not simulated; classes are the last "
                         "dimension")
    graph = _ops.graph_of(y_pred, y_true)
    if graph is None:
        labels = _ops.one_hot(_ops.cast(y_true, _types.int32), int(y_pred.shape[-1]))
        return categorical_crossentropy(labels, y_pred, from_logits)
    p, labels = graph.plain(graph.symbol(y_pred)), graph.symbol(y_true)
    if len(labels.shape) == len(p.shape):
        labels = _ops.squeeze(labels, -1)
    labels = _ops.cast(labels, _types.int32)
    if from_logits:
        p = _ops.softmax(p)
    elif graph.maker(p)[0] != "Softmax":
        p = _ops.softmax(_ops.log(_ops.clip_by_value(p, _EPSILON, 1 - _EPSILON)))

    def emit(reduction: str, shape: Any) -> Symbol:
        return graph.emit(_NLL, [p, labels], shape, p.dtype, "loss", reduction=reduction)

    each = emit("none", labels.shape)
    each.mean_form = lambda: emit("mean", ())  # type: ignore[attr-defined]
    return each


class Loss:
    """A loss function and how its values are reduced."""
    function: Optional[Callable[..., Any]] = None
    options: Tuple[str, ...] = ()

    def __init__(self, reduction: str = "auto", name: Optional[str] = None, **options: Any) -> None:
        unknown = set(options) - set(self.options)
        if unknown:
            raise TypeError(f"{type(self).__name__}: arguments {sorted(unknown)} are not simulated")
        self.reduction, self.name, self._given = reduction, name, options

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """A value for each sample."""
        assert self.function is not None
        return type(self).function(y_true, y_pred, **self._given)  # type: ignore[misc]

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        each = self.call(*fit_ranks(y_true, y_pred))
        if sample_weight is not None:
            each = _ops.multiply(each, of_ranks(_ops.cast(sample_weight, _types.float32), each))
        return self.reduced(each)

    def reduced(self, each: Any) -> Any:
        """Values of samples as one number."""
        if self.reduction == "none":
            return each
        return (_ops.reduce_sum if self.reduction == "sum" else _ops.reduce_mean)(each)


def _of(name: str, function: Callable[..., Any], *options: str) -> type:
    return type(name, (Loss, ), {"function": staticmethod(function), "options": options,
                                 "__doc__": f"The class of {function.__name__}.",
                                 "__module__": __name__})


MeanSquaredError = _of("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = _of("MeanAbsoluteError", mean_absolute_error)
BinaryCrossentropy = _of("BinaryCrossentropy", binary_crossentropy, "from_logits", "label_smoothing")
CategoricalCrossentropy = _of("CategoricalCrossentropy", categorical_crossentropy, "from_logits",
                              "label_smoothing")
SparseCategoricalCrossentropy = _of("SparseCategoricalCrossentropy",
                                    sparse_categorical_crossentropy, "from_logits")


MeanAbsolutePercentageError = _of("MeanAbsolutePercentageError", mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _of("MeanSquaredLogarithmicError", mean_squared_logarithmic_error)
Huber = _of("Huber", huber, "delta")
LogCosh = _of("LogCosh", log_cosh)
KLDivergence = _of("KLDivergence", kl_divergence)
Poisson = _of("Poisson", poisson)
Hinge = _of("Hinge", hinge)
SquaredHinge = _of("SquaredHinge", squared_hinge)
CategoricalHinge = _of("CategoricalHinge", categorical_hinge)
CosineSimilarity = _of("CosineSimilarity", cosine_similarity)


class Reduction:
    """Names of reductions."""
    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"


class _Function(Loss):
    """A function of one's own."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(name=getattr(function, "__name__", "loss"))
        self._function = function

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self._function(y_true, y_pred)


_BY_NAME = {"mse": mean_squared_error, "mean_squared_error": mean_squared_error,
            "mae": mean_absolute_error, "mean_absolute_error": mean_absolute_error,
            "binary_crossentropy": binary_crossentropy,
            "categorical_crossentropy": categorical_crossentropy,
            "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
            "mape": mean_absolute_percentage_error,
            "mean_absolute_percentage_error": mean_absolute_percentage_error,
            "msle": mean_squared_logarithmic_error,
            "mean_squared_logarithmic_error": mean_squared_logarithmic_error,
            "huber": huber, "huber_loss": huber, "log_cosh": log_cosh, "logcosh": log_cosh,
            "kl_divergence": kl_divergence, "kullback_leibler_divergence": kl_divergence,
            "kld": kl_divergence, "poisson": poisson, "hinge": hinge, "squared_hinge": squared_hinge,
            "categorical_hinge": categorical_hinge, "cosine_similarity": cosine_similarity}
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error


def get(identifier: Any) -> Loss:
    """The loss for a name, a function, a class or an object."""
    if isinstance(identifier, Loss):
        return identifier
    if isinstance(identifier, type) and issubclass(identifier, Loss):
        return identifier()
    if callable(identifier):
        return _Function(identifier)
    if identifier in _BY_NAME:
        return _Function(_BY_NAME[identifier])
    found = globals().get(str(identifier))
    if isinstance(found, type) and issubclass(found, Loss):
        return found()
    raise ValueError(f"Unknown loss function: {identifier}; simulated are {', '.join(_BY_NAME)}")
