"""keras.metrics: what is computed of each micro-batch on the machine and averaged on the host."""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import numpy

from . import _ops, _types, losses
from ._layer import unique_name


def _matches(found: Any, wanted: Any) -> Any:
    return _ops.cast(_ops.equal(found, wanted), _types.float32)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Whether a probability is on the right side of the threshold."""
    said = _ops.cast(_ops.greater(y_pred, threshold), _types.float32)
    y_true = _ops.cast(y_true, _types.float32)
    if len(y_true.shape) < len(said.shape):
        y_true = _ops.expand_dims(y_true, -1)
    return _ops.reduce_mean(_matches(said, y_true), -1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Whether the most probable class is that of the largest label."""
    return _matches(_ops.argmax(y_pred, -1, _types.int32), _ops.argmax(y_true, -1, _types.int32))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Whether the most probable class is the label."""
    y_true, y_pred = losses.with_shapes(y_true, y_pred)
    if len(y_true.shape) == len(y_pred.shape):
        y_true = _ops.squeeze(y_true, -1)
    return _matches(_ops.argmax(y_pred, -1, _types.int32), _ops.cast(y_true, _types.int32))


def accuracy_for(y_true: Any, y_pred: Any) -> Callable[..., Any]:
    """The kind of accuracy that suits the shapes."""
    if y_pred.shape[-1] == 1:
        return binary_accuracy
    sparse = len(y_true.shape) < len(y_pred.shape) or y_true.shape[-1] == 1
    return sparse_categorical_accuracy if sparse else categorical_accuracy


def _of_weights(each: Any, weights: Any) -> Tuple[Any, Any]:
    """A value for each weight, and the weights with the dimensions of these."""
    if len(weights.shape) < len(each.shape):
        each = _ops.reduce_mean(each, tuple(range(len(weights.shape), len(each.shape))))
    return each, losses.of_ranks(weights, each)


class Metric:
    """A mean of values; `function` makes them of labels and results."""
    function: Optional[Callable[..., Any]] = None

    def __init__(self, name: Optional[str] = None, dtype: Any = None) -> None:
        self.name = name or unique_name(type(self).__name__)
        self.reset_state()

    def reset_state(self) -> None:
        """Begins a new mean."""
        self._total, self._count = 0.0, 0.0

    reset_states = property(lambda self: self.reset_state)

    def of_samples(self, y_true: Any, y_pred: Any) -> Any:
        """The values of samples, or their mean."""
        assert self.function is not None
        return type(self).function(*losses.fit_ranks(y_true, y_pred))  # type: ignore[misc]

    def of_batch(self, y_true: Any, y_pred: Any) -> Any:
        """The value of a micro-batch, one number."""
        return _ops.reduce_mean(self.of_samples(y_true, y_pred))

    def value_of(self, result: numpy.ndarray) -> float:
        """The value of a micro-batch as the machine returns it."""
        return float(result)

    def add(self, values: numpy.ndarray) -> None:
        """Takes the values of some micro-batches."""
        self._total += float(numpy.sum(values, dtype=numpy.float64))
        self._count += numpy.size(values)

    def update_state(self, y_true: Any, y_pred: Any = None, sample_weight: Any = None) -> None:
        """Takes the samples' labels and results on the host; those of a Mean are numbers."""
        values = y_true if y_pred is None else self.of_samples(y_true, y_pred)
        if sample_weight is None:
            self.add(numpy.asarray(values, numpy.float64))
            return
        values, weights = (numpy.asarray(part, numpy.float64) for part in
                           _of_weights(*losses.with_shapes(values, sample_weight)))
        weights = numpy.broadcast_to(weights, values.shape)
        self._total += float((values * weights).sum())
        self._count += float(weights.sum())

    def result(self) -> Any:
        """The mean so far."""
        from ._tensor import Tensor
        mean = self._total / self._count if self._count else 0.0
        return Tensor(numpy.float32(mean))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.update_state(*args, **kwargs)
        return self.result()


class Mean(Metric):
    """The mean of numbers."""

    def update_state(self, values: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        super().update_state(values, None, sample_weight)


def _of(name: str, function: Callable[..., Any], called: str) -> type:
    def __init__(self: Any, name: str = called, dtype: Any = None) -> None:
        Metric.__init__(self, name, dtype)
    return type(name, (Metric, ), {"function": staticmethod(function), "__init__": __init__,
                                   "__doc__": f"The mean of {function.__name__}.",
                                   "__module__": __name__})


BinaryAccuracy = _of("BinaryAccuracy", binary_accuracy, "binary_accuracy")
CategoricalAccuracy = _of("CategoricalAccuracy", categorical_accuracy, "categorical_accuracy")
SparseCategoricalAccuracy = _of("SparseCategoricalAccuracy", sparse_categorical_accuracy,
                                "sparse_categorical_accuracy")
MeanSquaredError = _of("MeanSquaredError", losses.mean_squared_error, "mean_squared_error")
MeanAbsoluteError = _of("MeanAbsoluteError", losses.mean_absolute_error, "mean_absolute_error")


class Accuracy(Metric):
    """The kind of accuracy that suits labels and results."""

    def __init__(self, name: str = "accuracy", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def of_samples(self, y_true: Any, y_pred: Any) -> Any:
        y_true, y_pred = losses.with_shapes(y_true, y_pred)
        return accuracy_for(y_true, y_pred)(*losses.fit_ranks(y_true, y_pred))


class _Function(Metric):
    """A function of one's own."""

    def __init__(self, function: Callable[..., Any], name: Optional[str] = None) -> None:
        super().__init__(name or getattr(function, "__name__", "metric"))
        self._function = function

    def of_samples(self, y_true: Any, y_pred: Any) -> Any:
        return self._function(*losses.fit_ranks(y_true, y_pred))


class Weighed(Metric):
    """A mean over samples by their weights, of which the machine returns the sums of both."""

    def __init__(self, metric: Metric) -> None:
        super().__init__(metric.name)
        self._metric = metric

    def of_weighed(self, y_true: Any, y_pred: Any, weights: Any) -> Any:
        """The sums of a micro-batch."""
        each = self._metric.of_samples(y_true, y_pred)
        each, weights = _of_weights(each, _ops.cast(weights, _types.float32))
        return _ops.stack([_ops.reduce_sum(_ops.multiply(each, weights)), _ops.reduce_sum(weights)])

    def value_of(self, result: numpy.ndarray) -> float:
        return float(result[0] / result[1]) if result[1] else 0.0

    def add(self, values: numpy.ndarray) -> None:
        sums = numpy.asarray(values, numpy.float64).reshape(-1, 2).sum(0)
        self._total += float(sums[0])
        self._count += float(sums[1])


_BY_NAME = {"mse": losses.mean_squared_error, "mean_squared_error": losses.mean_squared_error,
            "mae": losses.mean_absolute_error, "mean_absolute_error": losses.mean_absolute_error,
            "binary_accuracy": binary_accuracy, "categorical_accuracy": categorical_accuracy,
            "sparse_categorical_accuracy": sparse_categorical_accuracy,
            "binary_crossentropy": losses.binary_crossentropy,
            "categorical_crossentropy": losses.categorical_crossentropy,
            "sparse_categorical_crossentropy": losses.sparse_categorical_crossentropy}


def get(identifier: Any) -> Metric:
    """The metric for a name, a function or an object."""
    if isinstance(identifier, Metric):
        return identifier
    if identifier in ("accuracy", "acc"):
        return Accuracy(identifier)
    if callable(identifier):
        return _Function(identifier)
    if identifier in _BY_NAME:
        return _Function(_BY_NAME[identifier], identifier)
    raise ValueError(f"Unknown metric function: {identifier}; simulated are accuracy, "
                     f"{', '.join(_BY_NAME)}")


def get_all(metrics: Any) -> List[Metric]:
    """Those of compile()."""
    given = metrics if isinstance(metrics, (list, tuple)) else [] if metrics is None else [metrics]
    return [get(metric) for metric in given]
