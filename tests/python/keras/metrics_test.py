"""Metrics of own loops: means over samples, whatever the sizes of batches and the weights of samples."""
import numpy
import pytest

from tensorflow import keras

METRICS = {
    "mse": (keras.metrics.MeanSquaredError, lambda y, p: ((y - p)**2).mean(-1)),
    "mae": (keras.metrics.MeanAbsoluteError, lambda y, p: numpy.abs(y - p).mean(-1)),
    "binary": (keras.metrics.BinaryAccuracy, lambda y, p: ((p > 0.5) == y).mean(-1)),
    "categorical": (keras.metrics.CategoricalAccuracy, lambda y, p: p.argmax(-1) == y.argmax(-1)),
}


def batches():
    random = numpy.random.default_rng(3)
    for count in (4, 3, 1):
        yield (random.integers(0, 2, (count, 3)).astype(numpy.float32), random.random((count, 3)).astype(numpy.float32),
               random.random(count).astype(numpy.float32))


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("name", METRICS)
def test_samples_count_alike_in_batches_of_any_size(name, weighed):
    kind, function = METRICS[name]
    metric, values, weights = kind(), [], []
    for wanted, found, weight in batches():
        metric.update_state(wanted, found, **({"sample_weight": weight} if weighed else {}))
        values.append(function(wanted, found))
        weights.append(weight)
    expected = numpy.average(numpy.concatenate(values), weights=numpy.concatenate(weights) if weighed else None)
    assert float(metric.result()) == pytest.approx(expected, rel=1e-5)
    metric.reset_state()
    assert float(metric.result()) == 0


def test_a_mean_of_numbers():
    mean = keras.metrics.Mean()
    mean.update_state([1.0, 2.0, 6.0])
    mean.update_state(3.0)
    assert float(mean.result()) == 3
    mean.reset_state()
    mean.update_state([1.0, 2.0, 6.0], sample_weight=[1, 0, 1])
    mean.update_state([4.0, 8.0], [0.5, 1.5])
    assert float(mean.result()) == pytest.approx((1 + 6 + 2 + 12) / 4)


LISTS = {
    "mse": (keras.metrics.MeanSquaredError, [0.0, 1.0], [1.0, 1.0], 0.5),
    "mae of rows": (keras.metrics.MeanAbsoluteError, [[0], [1]], [[1.0], [3.0]], 1.5),
    "binary": (keras.metrics.BinaryAccuracy, [[1], [1], [0], [0]], [[0.98], [1], [0], [0.6]], 0.75),
    "sparse": (keras.metrics.SparseCategoricalAccuracy, [[2], [1]], [[0.1, 0.6, 0.3], [0.05, 0.95, 0]], 0.5),
    "the kind that suits": (keras.metrics.Accuracy, [2, 1], [[0.1, 0.6, 0.3], [0.05, 0.95, 0]], 0.5),
    "a loss": (keras.losses.MeanSquaredError, [[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]], 0.5),
    "a loss of classes": (keras.losses.SparseCategoricalCrossentropy, [1, 2], [[0.05, 0.95, 0], [0.1, 0.8, 0.1]], 1.177),
    "a loss of shares": (keras.losses.CategoricalCrossentropy, [[0, 1, 0], [0, 0, 1]],
                         [[0.05, 0.95, 0], [0.1, 0.8, 0.1]], 1.177),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_values(name):
    """Among them the examples of Keras' documentation."""
    kind, wanted, found, expected = LISTS[name]
    assert float(kind()(wanted, found)) == pytest.approx(expected, abs=1e-3)


def test_lists_are_weighed():
    metric = keras.metrics.MeanSquaredError()
    metric.update_state([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]], sample_weight=[1, 0])
    assert float(metric.result()) == pytest.approx(0.5)


def test_classes_of_another_dimension_are_refused():
    labels, scores = numpy.zeros((2, 4)), numpy.ones((2, 3, 4), numpy.float32)
    with pytest.raises(ValueError, match="axis=1 is not simulated"):
        keras.losses.sparse_categorical_crossentropy(labels, scores, axis=1)
