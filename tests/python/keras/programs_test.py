"""Small programs with the calls that public programs for IPUs have."""
from threading import Thread

import numpy
import pytest

import keras
import tensorflow as tf
from tensorflow.keras import ipu as keras_ipu
from tensorflow.keras import layers, optimizers
from tensorflow.python import ipu
from tensorflow.python.data.ops.dataset_ops import Dataset
from tensorflow.python.ipu import config, ipu_outfeed_queue, ipu_strategy, utils


def configured(ipus, **values):
    cfg = config.IPUConfig()
    cfg.auto_select_ipus = ipus
    for name, value in values.items():
        setattr(cfg, name, value)
    cfg.configure_ipu_system()
    return ipu_strategy.IPUStrategy()


def digits(count=320):
    random = numpy.random.default_rng(1)
    labels = random.integers(0, 10, count).astype(numpy.uint8)
    x = random.random((10, 28, 28))[labels] + random.normal(0, 0.1, (count, 28, 28))
    return x, labels


def dataset_of_digits():
    slices = tf.data.Dataset.from_tensor_slices(digits()).cache().shuffle(320).batch(32, drop_remainder=True)
    return slices.map(lambda d, l: (tf.cast(d, tf.float32), tf.cast(l, tf.int32)))


def classifier():
    return keras.Sequential([layers.Flatten(), layers.Dense(32, activation="relu"),
                             layers.Dense(10, activation="softmax")])


def test_four_stages_of_convolutions():
    dataset = Dataset.from_tensor_slices((tf.random.uniform([2, 16, 16, 3], dtype=tf.float32),
                                          tf.random.uniform([2], maxval=10, dtype=tf.int32)))
    dataset = dataset.batch(batch_size=2, drop_remainder=True).shuffle(1000).cache().repeat()
    dataset = dataset.prefetch(tf.data.experimental.AUTOTUNE)
    strategy = configured(4, allow_recompute=True, selection_order=config.SelectionOrder.ZIGZAG)
    utils.move_variable_initialization_to_cpu()
    with strategy.scope():
        x = inputs = layers.Input(shape=(16, 16, 3), dtype=tf.float32, batch_size=2)
        for stage in range(3):
            with keras_ipu.PipelineStage(stage):
                x = layers.Conv2D(3, 1)(x)
        with keras_ipu.PipelineStage(3):
            x = layers.Dense(10)(layers.Flatten()(x))
        model = tf.keras.Model(inputs, x)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=8)
        model.compile(steps_per_execution=16, loss="sparse_categorical_crossentropy", optimizer=optimizers.SGD(0.01))
        history = model.fit(dataset, steps_per_epoch=16, verbose=0)
    assert numpy.isfinite(history.history["loss"]).all()


def test_a_subclass_with_stages_in_its_call():
    class Stages(keras.Model):
        def __init__(self):
            super().__init__(self)
            self.first, self.shared = layers.Dense(8), layers.Dense(8)
            self.join, self.last = layers.Concatenate(), layers.Dense(1)

        def call(self, inputs):
            with keras.ipu.PipelineStage(0):
                x = self.first(inputs)  # of rows: 28 results of one number are 28 classes
            with keras.ipu.PipelineStage(1):
                one, two = self.shared(x), self.shared(x)
            with keras.ipu.PipelineStage(2):
                x = self.join([self.shared(one), two])
            with keras.ipu.PipelineStage(3):
                return self.last(x)

    with configured(2).scope():
        model = Stages()
        model.compile(loss=keras.losses.SparseCategoricalCrossentropy(), optimizer="rmsprop", metrics=["accuracy"],
                      steps_per_execution=32)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=16, device_mapping=[0, 1, 1, 0])
        history = model.fit(dataset_of_digits().repeat(), epochs=2, steps_per_epoch=32, verbose=0)
    assert len(history.history["accuracy"]) == 2 and model._stages() == 4


def test_the_size_of_the_data_says_the_steps():
    dataset = dataset_of_digits().prefetch(16)
    with configured(1).scope():
        model = classifier()
        updates = dataset.cardinality() // 5
        steps = updates * 5
        dataset = dataset.take(steps)
        model.compile(loss=keras.losses.SparseCategoricalCrossentropy(), optimizer="rmsprop", metrics=["accuracy"],
                      steps_per_execution=steps)
        model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=5)
        history = model.fit(dataset, epochs=2, verbose=0)
        assert int(steps) == 10 and int(model.optimizer.iterations) == 4
    assert history.history["loss"][1] < history.history["loss"][0]


def test_reviews_with_an_lstm():
    from ipu_tensorflow_addons.keras.layers import LSTM, Embedding
    random = numpy.random.default_rng(2)
    words = random.integers(1, 50, (64, 12)).astype(numpy.int32)
    dataset = tf.data.Dataset.from_tensor_slices((words, (words[:, -1] > 25).astype(numpy.int64))).repeat()
    dataset = dataset.map(lambda x, y: (x, tf.cast(y, tf.int32))).batch(16, drop_remainder=True)
    with configured(1).scope():
        inputs = layers.Input(shape=(12), dtype=tf.int32, batch_size=16)
        x = LSTM(16, dropout=0.2)(Embedding(50, 8)(inputs))
        x = layers.Dense(1, activation="sigmoid")(layers.Dense(4, activation="relu")(x))
        model = tf.keras.Model(inputs, x)
        model.compile(steps_per_execution=8, loss="binary_crossentropy", optimizer=optimizers.Adam(0.01))
        history = model.fit(dataset, steps_per_epoch=32, epochs=3, verbose=0)
    assert history.history["loss"][-1] < 0.6 < history.history["loss"][0]


@tf.function(jit_compile=True)
def training_loop(iterator, steps, outfeed, model, optimizer):
    for _ in tf.range(steps):
        features, labels = next(iterator)
        with tf.GradientTape() as tape:
            predictions = model(features, training=True)
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, predictions))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        outfeed.enqueue(loss)


def test_a_loop_that_is_run_again_and_again():
    strategy = configured(1)
    with strategy.scope():
        model, optimizer = classifier(), tf.keras.optimizers.SGD(0.05)
        iterator = iter(dataset_of_digits().repeat())
        queue = ipu_outfeed_queue.IPUOutfeedQueue()
        means = []
        for _ in range(0, 40, 10):
            strategy.run(training_loop, args=(iterator, 10, queue, model, optimizer))
            means.append(sum(queue) / 10)
        assert f"{means[0]}".startswith("tf.Tensor(") and float(means[-1]) < float(means[0])
        found = model(numpy.asarray(digits()[0], numpy.float32))  # the weights that the loop has trained
        assert (numpy.argmax(found, 1) == digits()[1]).mean() > 0.5


def test_a_thread_reads_while_the_device_runs():
    strategy = configured(1)
    queue, seen, running = ipu_outfeed_queue.IPUOutfeedQueue(), [], [True]

    def read():
        while len(seen) < 200:
            for loss in queue:
                seen.append((float(loss), running[0]))

    with strategy.scope():
        model, optimizer = classifier(), tf.keras.optimizers.SGD(0.05)
        thread = Thread(target=read)
        thread.start()
        strategy.run(training_loop, args=(iter(dataset_of_digits().repeat()), 200, queue, model, optimizer))
        running[0] = False
        thread.join()
    assert sum(early for _, early in seen) > 50


@pytest.mark.parametrize("name", ["/device:IPU:0", "/device:CPU:0"])
def test_devices_have_names(name):
    with tf.device(name):
        assert tf.matmul(tf.constant([[2.0]]), tf.constant([[3.0]])).numpy() == 6
    assert ipu.config.DeviceConnectionType.ON_DEMAND


def test_two_replicas_of_a_pipeline(capsys):
    x, labels = digits(512)
    x, y = numpy.expand_dims(x.astype("float32"), -1), keras.utils.to_categorical(labels, 10)
    cfg = ipu.config.IPUConfig()
    cfg.device_connection.type = ipu.config.DeviceConnectionType.ON_DEMAND
    cfg.auto_select_ipus = 4
    cfg.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        inputs = keras.Input(shape=(28, 28, 1))
        with keras.ipu.PipelineStage(0):
            h = layers.MaxPooling2D(pool_size=(2, 2))(layers.Conv2D(4, kernel_size=(3, 3), activation="relu")(inputs))
        with keras.ipu.PipelineStage(1):
            h = layers.Dropout(0.5)(layers.Flatten()(h))
            h = layers.Dense(10, activation="softmax")(h)
        model = keras.Model(inputs, h)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=8,
                                     pipeline_schedule=ipu.ops.pipelining_ops.PipelineSchedule.Grouped)
        model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"], steps_per_execution=8)
        model.summary()
        model.fit(x, y, epochs=2, batch_size=16)
        model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"], steps_per_execution=16)
        model.evaluate(x, y, batch_size=16)
    said = capsys.readouterr()
    assert said.out.count("16/16 [" + 30 * "=") == 3 and "[(None, 28, 28, 1)]" in said.out
    assert model._replicas() == 2
