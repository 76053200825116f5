"""Losses and weights of trainings are those of PyTorch for the same network, weights and data."""
import numpy
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
from torch import nn  # noqa: E402

import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402

from trained import (Flat, batches_of, convolution, cross_entropy_of_probabilities, dense,  # noqa: E402
                     tensor, train, weights_of)

TOLERANCE = 2e-3


def alike(found, wanted, tolerance=TOLERANCE):
    assert len(found) == len(wanted)
    for own, other in zip(found, wanted):
        numpy.testing.assert_allclose(own, other, atol=tolerance, rtol=tolerance)


def digits(random, count, classes=10):
    """Blurred patterns of classes, as images."""
    labels = random.integers(0, classes, count)
    patterns = random.random((classes, 28, 28))
    x = patterns[labels] + random.normal(0, 0.1, (count, 28, 28))
    return x.astype(numpy.float32), labels.astype(numpy.int32)


def of_layers(*layers):
    """A module with the weights of Keras' dense layers, with a rectifier between them."""
    parts = []
    for layer in layers:
        parts += [dense(*layer.get_weights()), nn.ReLU()]
    return nn.Sequential(Flat(), *parts[:-1])


def test_a_functional_model_with_one_hot_labels(strategy, random):
    x, labels = digits(random, 256)
    y = keras.utils.to_categorical(labels, 10)
    inputs = keras.Input(shape=(28, 28, 1))
    h = keras.layers.Flatten()(inputs)
    h = keras.layers.Dense(32, activation="relu")(h)
    model = keras.Model(inputs, keras.layers.Dense(10, activation="softmax")(h))
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
    own = nn.Sequential(of_layers(*model.layers[2:]), nn.Softmax(1))
    history = model.fit(x[..., None], y, epochs=2, batch_size=32, shuffle=False, verbose=0)
    optimizer = torch.optim.SGD(own.parameters(), lr=0.01)
    losses = train(own, optimizer, cross_entropy_of_probabilities, batches_of(x, y, 32, 2))
    alike(history.history["loss"], [numpy.mean(losses[:8]), numpy.mean(losses[8:])])
    alike(model.get_weights(), weights_of(own))
    results = own(tensor(x)).detach().numpy()
    alike(model.predict(x[..., None]), results)
    loss, accuracy = model.evaluate(x[..., None], y, verbose=0)
    assert loss == pytest.approx(float(cross_entropy_of_probabilities(tensor(results), tensor(y))), abs=TOLERANCE)
    assert accuracy == pytest.approx((results.argmax(1) == labels).mean(), abs=1e-6)


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.01),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.001, alpha=0.9, eps=1e-7),
    "adam": lambda p: torch.optim.Adam(p, lr=0.001, eps=1e-7),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_sequential_model_with_scores_and_numbers_of_classes(strategy, random, name):
    x, y = digits(random, 320)
    dataset = tf.data.Dataset.from_tensor_slices((x.astype(numpy.float64), y)).batch(32, drop_remainder=True)
    dataset = dataset.map(lambda d, l: (tf.cast(d, tf.float32), tf.cast(l, tf.int32)))
    model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(24, activation="relu"),
                              keras.layers.Dense(10)])
    model.build((None, 28, 28))
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), optimizer=name,
                  metrics=["accuracy"])
    own = of_layers(*model.layers[1:])
    history = model.fit(dataset.repeat().prefetch(2), epochs=1, steps_per_epoch=10, verbose=0)
    losses = train(own, OPTIMIZERS[name](own.parameters()),
                   lambda p, y: nn.functional.cross_entropy(p, y.long()), batches_of(x, y, 32))
    alike(history.history["loss"], [numpy.mean(losses)])
    alike(model.get_weights(), weights_of(own))


def test_momentum_and_a_changed_learning_rate(strategy, random):
    x = random.normal(size=(64, 6)).astype(numpy.float32)
    y = random.normal(size=(64, 2)).astype(numpy.float32)
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(6, ))])
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "mse")
    own = nn.Sequential(dense(*model.get_weights()))
    optimizer = torch.optim.SGD(own.parameters(), lr=0.05, momentum=0.9)
    model.fit(x, y, batch_size=16, shuffle=False, verbose=0)
    train(own, optimizer, nn.functional.mse_loss, batches_of(x, y, 16))
    alike(model.get_weights(), weights_of(own))
    # A rate of zero leaves only what the velocity moves, which differs between the two: Keras has
    # the rate in the velocity. From rest both are the same.
    model.compile(keras.optimizers.SGD(0.05), "mse")
    model.optimizer.learning_rate = 0.0
    before = model.get_weights()
    model.fit(x, y, batch_size=16, shuffle=False, verbose=0)
    alike(model.get_weights(), before, 0)


def convolutional():
    inputs = keras.Input(shape=(28, 28, 1))
    h = keras.layers.Conv2D(4, kernel_size=(3, 3), activation="relu")(inputs)
    h = keras.layers.MaxPooling2D(pool_size=(2, 2))(h)
    h = keras.layers.Conv2D(6, 3, strides=2, padding="same", activation="relu")(h)
    h = keras.layers.Flatten()(h)
    return keras.Model(inputs, keras.layers.Dense(10, activation="softmax")(h))


def convolutional_in_torch(model):
    first, second, last = (layer.get_weights() for layer in model.layers if layer.weights)
    # 13 places and a stride of 2: "same" puts one zero on each side.
    return nn.Sequential(convolution(*first), nn.ReLU(), nn.MaxPool2d(2),
                         convolution(*second, stride=2, padding=1), nn.ReLU(), Flat(), dense(*last),
                         nn.Softmax(1))


@pytest.mark.parametrize("strategy, steps", [(1, 1), (1, 4), (2, 4)], indirect=["strategy"])
def test_convolutions_executions_and_replicas(strategy, random, steps):
    replicas = strategy_ipus()
    x, labels = digits(random, 128)
    y = keras.utils.to_categorical(labels, 10)
    model = convolutional()
    model.compile("sgd", "categorical_crossentropy", steps_per_execution=steps)
    own = convolutional_in_torch(model)
    history = model.fit(x[..., None], y, batch_size=16, shuffle=False, verbose=0)
    losses = train(own, torch.optim.SGD(own.parameters(), lr=0.01), cross_entropy_of_probabilities,
                   batches_of(x[:, None], y, 16), replicas, mean=True)
    alike(history.history["loss"], [numpy.mean(losses)])
    alike(model.get_weights(), weights_of(own))


def strategy_ipus():
    from simulated_keras import _system
    return _system.attached_ipus()


def stages_of_a_list():
    model = keras.Sequential([keras.layers.Dense(8, input_shape=(16, )), keras.layers.Dense(16),
                              keras.layers.Dense(16), keras.layers.Dense(1)])
    model.set_pipeline_stage_assignment([0, 0, 1, 1])
    return model


def stages_of_contexts():
    from tensorflow.python import ipu
    x = inputs = keras.layers.Input((16, ))
    with ipu.keras.PipelineStage(0):
        x = keras.layers.Dense(16)(keras.layers.Dense(8)(x))
    with keras.ipu.PipelineStage(1):
        x = keras.layers.Dense(1)(keras.layers.Dense(16)(x))
    return keras.Model(inputs=inputs, outputs=x)


@pytest.mark.parametrize("strategy", [2], indirect=True)
@pytest.mark.parametrize("make", [stages_of_a_list, stages_of_contexts])
@pytest.mark.parametrize("method", ["sum", "mean"])
def test_pipelines_add_up_gradients(strategy, random, make, method):
    x = random.random((64, 16)).astype(numpy.float32)
    y = random.random((64, 1)).astype(numpy.float32)
    model = make()
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=8,
                                 gradient_accumulation_reduction_method=method)
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.001), steps_per_execution=16)
    own = nn.Sequential(*[dense(*layer.get_weights()) for layer in model.layers if layer.weights])
    history = model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
    losses = train(own, torch.optim.SGD(own.parameters(), lr=0.001), nn.functional.mse_loss,
                   batches_of(x, y, 4), 8, mean=method == "mean")
    alike(history.history["loss"], [numpy.mean(losses)])
    alike(model.get_weights(), weights_of(own))
    alike(model.predict(x, batch_size=4), own(tensor(x)).detach().numpy())


@pytest.mark.parametrize("strategy", [2], indirect=True)
@pytest.mark.parametrize("method", ["sum", "mean"])
def test_accumulated_gradients_are_averaged_over_replicas(strategy, random, method):
    x = random.random((64, 5)).astype(numpy.float32)
    y = random.random((64, 3)).astype(numpy.float32)
    model = keras.Sequential([keras.layers.Dense(3, input_shape=(5, ))])
    model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=2,
                                            gradient_accumulation_reduction_method=method)
    model.compile("sgd", "mse", steps_per_execution=4)
    own = nn.Sequential(dense(*model.get_weights()))
    history = model.fit(x, y, batch_size=8, shuffle=False, verbose=0)
    share = 2 if method == "sum" else 1  # train() averages over all four batches of an update
    optimizer = torch.optim.SGD(own.parameters(), lr=0.01 * share)
    losses = train(own, optimizer, nn.functional.mse_loss, batches_of(x, y, 8), 4, mean=True)
    alike(model.get_weights(), weights_of(own))
    alike(history.history["loss"], [numpy.mean(losses)])


def test_gradient_accumulation_without_a_pipeline(strategy, random):
    x = random.random((64, 5)).astype(numpy.float32)
    y = random.random((64, 3)).astype(numpy.float32)
    model = keras.Sequential([keras.layers.Dense(3, input_shape=(5, ))])
    model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=4)
    model.compile("sgd", "mse", steps_per_execution=8)
    own = nn.Sequential(dense(*model.get_weights()))
    model.fit(x, y, batch_size=8, shuffle=False, verbose=0)
    train(own, torch.optim.SGD(own.parameters(), lr=0.01), nn.functional.mse_loss,
          batches_of(x, y, 8), 4)
    alike(model.get_weights(), weights_of(own))


def test_a_subclassed_model_with_train_on_batch(strategy, random):
    class Two(keras.Model):
        def __init__(self):
            super().__init__()
            self.first = keras.layers.Dense(7, activation="relu")
            self.second = keras.layers.Dense(1, activation="sigmoid")

        def call(self, inputs, training=False):
            return self.second(self.first(inputs))

    x = random.normal(size=(32, 5)).astype(numpy.float32)
    y = (x.sum(1) > 0).astype(numpy.float32)[:, None]
    model = Two()
    model.build((None, 5))
    model.compile(keras.optimizers.SGD(learning_rate=0.1), "binary_crossentropy", metrics=["accuracy"])
    own = nn.Sequential(dense(*model.first.get_weights()), nn.ReLU(), dense(*model.second.get_weights()),
                        nn.Sigmoid())
    found = [model.train_on_batch(x, y)[0] for _ in range(3)]
    wanted = train(own, torch.optim.SGD(own.parameters(), lr=0.1), nn.functional.binary_cross_entropy,
                   [(x, y)] * 3)
    alike(found, wanted)
    alike(model.get_weights(), weights_of(own))
    alike([model(x).numpy()], [own(tensor(x)).detach().numpy()])


def test_batch_normalisation_trains_and_keeps_statistics(strategy, random):
    x = random.normal(2, 3, (64, 6, 6, 3)).astype(numpy.float32)
    y = random.normal(size=(64, 2)).astype(numpy.float32)
    model = keras.Sequential([keras.layers.Conv2D(4, 3, input_shape=(6, 6, 3)),
                              keras.layers.BatchNormalization(), keras.layers.Flatten(),
                              keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    norm = nn.BatchNorm2d(4, eps=1e-3, momentum=0.01)
    own = nn.Sequential(convolution(*model.layers[0].get_weights()), norm, Flat(),
                        dense(*model.layers[3].get_weights()))
    model.fit(x, y, batch_size=16, shuffle=False, verbose=0)
    train(own, torch.optim.SGD(own.parameters(), lr=0.01), nn.functional.mse_loss,
          batches_of(x.transpose(0, 3, 1, 2), y, 16))
    gamma, beta, mean, variance = model.layers[1].get_weights()
    alike([gamma, beta, mean, variance],
          [t.detach().numpy() for t in (norm.weight, norm.bias, norm.running_mean, norm.running_var)])
    alike(model.predict(x), own.eval()(tensor(x.transpose(0, 3, 1, 2))).detach().numpy())


@pytest.mark.parametrize("strategy", [2], indirect=True)
def test_metrics_are_those_of_all_replicas(strategy, random):
    x, y = digits(random, 64)
    model = keras.Sequential([keras.layers.Flatten(input_shape=(28, 28)), keras.layers.Dense(10)])
    model.compile(tf.keras.optimizers.SGD(0.0), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"], steps_per_execution=2)
    own = of_layers(model.layers[1])
    scores = own(tensor(x)).detach()
    wanted = [float(nn.functional.cross_entropy(scores, tensor(y).long())),
              float((scores.argmax(1) == tensor(y)).float().mean())]
    history = model.fit(x, y, batch_size=16, verbose=0).history
    alike([history["loss"][0], history["accuracy"][0]], wanted)
    alike(model.evaluate(x, y, batch_size=16, verbose=0), wanted)


PENALTIES = {
    "l2": (keras.regularizers.l2(0.02), lambda w: 0.02 * (w * w).sum()),
    "L1": (keras.regularizers.L1(0.003), lambda w: 0.003 * w.abs().sum()),
    "l1_l2": ("l1_l2", lambda w: 0.01 * (w.abs() + w * w).sum()),
    "own": (lambda w: 0.1 * tf.reduce_mean(tf.square(w)), lambda w: 0.1 * (w * w).mean()),
}


@pytest.mark.parametrize("name", PENALTIES)
def test_regularizers_of_dense_layers(strategy, random, name):
    x = random.random((64, 6)).astype(numpy.float32)
    y = random.random((64, 3)).astype(numpy.float32)
    regularizer, penalty = PENALTIES[name]
    model = keras.Sequential([keras.layers.Dense(8, kernel_regularizer=regularizer, input_shape=(6, )),
                              keras.layers.Dense(3, bias_regularizer=regularizer)])
    model.compile("sgd", "mse", metrics=["mse"])
    own = nn.Sequential(dense(*model.layers[0].get_weights()), dense(*model.layers[1].get_weights()))
    errors = []

    def loss(found, wanted):
        errors.append(float(nn.functional.mse_loss(found, wanted).detach()))
        return nn.functional.mse_loss(found, wanted) + penalty(own[0].weight) + penalty(own[1].bias)

    assert float(sum(model.losses)) == pytest.approx(float(penalty(own[0].weight) + penalty(own[1].bias)), abs=1e-5)
    history = model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0).history
    losses = train(own, torch.optim.SGD(own.parameters(), lr=0.01), loss, batches_of(x, y, 16, 3))
    alike(history["loss"], [numpy.mean(losses[i:i + 4]) for i in (0, 4, 8)])
    alike(history["mse"], [numpy.mean(errors[i:i + 4]) for i in (0, 4, 8)])
    alike(model.get_weights(), weights_of(own))


def test_regularizers_of_convolutions_in_a_pipeline(random):
    from tensorflow.python import ipu
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 2
    config.configure_ipu_system()
    x, y = digits(random, 64)
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Conv2D(4, 3, strides=2, kernel_regularizer=keras.regularizers.l2(0.05),
                                                      input_shape=(28, 28, 1)),
                                  keras.layers.Flatten(), keras.layers.Dense(10, kernel_regularizer="l2")])
        model.set_pipeline_stage_assignment([0, 1, 1])
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), steps_per_execution=4)
        own = nn.Sequential(convolution(*model.layers[0].get_weights(), stride=2), Flat(),
                            dense(*model.layers[2].get_weights()))

        def loss(found, wanted):
            return (nn.functional.cross_entropy(found, wanted.long()) + 0.05 * own[0].weight.square().sum()
                    + 0.01 * own[2].weight.square().sum())

        history = model.fit(x[..., None], y, batch_size=16, shuffle=False, verbose=0).history
        losses = train(own, torch.optim.SGD(own.parameters(), lr=0.01), loss, batches_of(x[:, None], y, 16), 4)
        alike(history["loss"], [numpy.mean(losses)])
        alike(model.get_weights(), weights_of(own))


@pytest.mark.parametrize("weighs_samples", [False, True])
def test_class_weights(strategy, random, weighs_samples):
    x, y = digits(random, 64)
    of_classes = {number: 0.25 * (number + 1) for number in range(10)}
    of_samples = random.random(64).astype(numpy.float32) if weighs_samples else None
    model = keras.Sequential([keras.layers.Flatten(input_shape=(28, 28)), keras.layers.Dense(10)])
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    own = of_layers(model.layers[1])
    weights = numpy.array([of_classes[number] for number in y], numpy.float32)
    weights = weights * of_samples if weighs_samples else weights

    def loss(found, wanted):
        each = nn.functional.cross_entropy(found, wanted[:, 0].long(), reduction="none")
        return (each * wanted[:, 1]).mean()

    history = model.fit(x, y, batch_size=16, shuffle=False, verbose=0, class_weight=of_classes,
                        sample_weight=of_samples).history
    losses = train(own, torch.optim.SGD(own.parameters(), lr=0.01), loss,
                   batches_of(x, numpy.stack([y, weights], 1), 16))
    alike(history["loss"], [numpy.mean(losses)])
    alike(model.get_weights(), weights_of(own))
    with pytest.raises(ValueError, match="no weight for the class"):
        model.fit(x, y, batch_size=16, verbose=0, class_weight={0: 1.0})
