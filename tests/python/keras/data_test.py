"""tf.data, data sets of Keras, and helpers."""
import numpy
import pytest

import tensorflow as tf
from tensorflow import keras

Dataset = tf.data.Dataset


def values(dataset):
    return [element.tolist() for element in dataset.as_numpy_iterator()]


def test_slices_batches_and_repeats():
    slices = Dataset.from_tensor_slices(numpy.arange(5))
    assert values(slices) == [0, 1, 2, 3, 4] and len(slices) == 5
    assert values(slices.batch(2)) == [[0, 1], [2, 3], [4]] and len(slices.batch(2)) == 3
    assert values(slices.batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert values(slices.repeat(2).take(7).skip(3)) == [3, 4, 0, 1]
    assert int(slices.repeat().cardinality()) == tf.data.INFINITE_CARDINALITY == -1
    assert values(slices.filter(lambda x: x % 2 == 0)) == [0, 2, 4]
    assert slices.batch(2).element_spec == tf.TensorSpec((None, ), tf.int64)
    assert slices.batch(2, drop_remainder=True).element_spec.shape == (2, )
    with pytest.raises(TypeError, match="infinite"):
        len(slices.repeat())


def test_data_sets_of_data_sets():
    numbers = Dataset.range(7)
    assert list(numbers.skip(5).enumerate(3).as_numpy_iterator()) == [(3, 5), (4, 6)]
    both = numbers.take(2).concatenate(Dataset.range(8, 9))
    assert values(both) == [0, 1, 8] and len(both) == 3
    assert int(numbers.concatenate(numbers.repeat()).cardinality()) == tf.data.INFINITE_CARDINALITY
    assert int(numbers.take(1).concatenate(numbers.unbatch()).cardinality()) == tf.data.UNKNOWN_CARDINALITY
    pairs, triples = (numbers.batch(size, drop_remainder=True) for size in (2, 3))
    assert pairs.concatenate(triples).element_spec.shape == (None, )
    for other in (Dataset.from_tensors(1.0), Dataset.zip((numbers, numbers))):
        with pytest.raises(TypeError, match="have different types"):
            numbers.concatenate(other)
    with pytest.raises(NotImplementedError, match="different ranks"):
        numbers.concatenate(pairs)
    shards = [numbers.shard(3, index) for index in range(3)]
    assert [values(shard) for shard in shards] == [[0, 3, 6], [1, 4], [2, 5]] and [len(s) for s in shards] == [3, 2, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="index must be in the range"):
        numbers.shard(2, 2)
    assert values(numbers.take(4).flat_map(Dataset.range)) == [0, 0, 1, 0, 1, 2]
    assert int(numbers.reduce(numpy.int64(0), lambda state, x: state + x)) == 21
    assert values(numbers.apply(lambda dataset: dataset.take(1))) == [0]
    with pytest.raises(AttributeError, match="tf.data.Dataset.window is not simulated"):
        numbers.window(3)


def test_data_sets_in_turn():
    """The example of TensorFlow's reference: two at a time, blocks of four."""
    def six(x):
        return Dataset.from_tensors(x).repeat(6)

    found = values(Dataset.range(1, 6).interleave(six, cycle_length=2, block_length=4))
    assert found == [1] * 4 + [2] * 4 + [1] * 2 + [2] * 2 + [3] * 4 + [4] * 4 + [3] * 2 + [4] * 2 + [5] * 6


def test_shuffling_keeps_all_elements_and_changes_each_epoch():
    shuffled = Dataset.from_tensor_slices(numpy.arange(50)).shuffle(10)
    first, second = values(shuffled), values(shuffled)
    assert sorted(first) == sorted(second) == list(range(50)) and first != second
    assert all(element < number + 10 for number, element in enumerate(first))


def test_map_gets_parts_and_may_return_a_list():
    pairs = Dataset.from_tensor_slices({"a": numpy.ones((2, 3)), "b": numpy.zeros(2, numpy.uint8)})
    assert pairs.element_spec["b"].dtype == tf.uint8
    two = Dataset.from_tensors(tf.constant(1.0, shape=[4])).map(lambda x: [x, x])
    assert [spec.shape for spec in two.element_spec] == [(4, ), (4, )]
    cast = Dataset.from_tensor_slices((numpy.ones((2, 3)), numpy.ones(2))).map(
        lambda x, y: (tf.cast(x, tf.float32), tf.cast(y, tf.int32)))
    assert [spec.dtype for spec in cast.element_spec] == [tf.float32, tf.int32]


def test_a_generator_and_a_cache():
    made = []

    def numbers():
        for number in range(3):
            made.append(number)
            yield number, [number, number]

    dataset = Dataset.from_generator(numbers, output_signature=(
        tf.TensorSpec((), tf.int32), tf.TensorSpec((2, ), tf.float32))).cache()
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY
    for _ in range(2):
        elements = list(dataset)
    assert [int(x) for x, _ in elements] == [0, 1, 2] and made == [0, 1, 2]
    assert elements[2][1].numpy().tolist() == [2.0, 2.0]


def test_a_model_trains_on_a_generator(strategy):
    def rows():
        while True:
            yield numpy.ones(3), [1.0]

    dataset = Dataset.from_generator(rows, (tf.float32, tf.float32), ((3, ), (1, )))
    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    history = model.fit(dataset.batch(4, drop_remainder=True), epochs=2, steps_per_epoch=3, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]


def test_missing_files_say_what_to_put_where(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="mnist.npz: no such file. Nothing is downloaded here: put MNIST"):
        keras.datasets.mnist.load_data()


def test_reviews(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "datasets").mkdir()
    rows = numpy.empty(3, dtype=object)
    rows[:] = [[1, 2, 30], [4], [5, 6]]
    numpy.savez(tmp_path / "datasets" / "imdb.npz", x_train=rows, y_train=numpy.array([0, 1, 0]),
                x_test=rows, y_test=numpy.array([0, 1, 0]))
    (x, y), _ = keras.datasets.imdb.load_data(num_words=10)
    assert sorted(x, key=len) == [[1, 7], [1, 8, 9], [1, 4, 5, 2]] and len(y) == 3
    padded = keras.preprocessing.sequence.pad_sequences(x, maxlen=3)
    assert padded.shape == (3, 3) and sorted(padded.tolist()) == [[0, 1, 7], [1, 8, 9], [4, 5, 2]]


def test_arithmetic_of_tensors():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert (2 * x + 1).numpy().tolist() == [[3, 5], [7, 9]] and float(tf.reduce_mean(x)) == 2.5
    assert tf.matmul(x, x, transpose_b=True).numpy().tolist() == [[5, 11], [11, 25]]
    assert (x[0] @ tf.constant([[1.0], [1.0]])).numpy().tolist() == [3] and len(x) == 2
    assert tf.cast(x, tf.int32).dtype == tf.int32 and tf.argmax(x, 1).numpy().tolist() == [1, 1]
    assert sum(tf.constant([1, 2, 3])).numpy() == 6 and tf.__version__.startswith("2")
    assert keras.utils.to_categorical([1, 0], 3).tolist() == [[0, 1, 0], [1, 0, 0]]
