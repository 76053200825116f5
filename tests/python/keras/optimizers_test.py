"""Optimizers update weights by the formulas of tf.keras 2.6 (the documentation of the operators ResourceApply...).

Epsilon is so large that its place shows, and the learning rate changes, which shows where it is in a velocity.
"""
import numpy
import pytest

from tensorflow import keras

RATE, EPSILON, STEPS = 0.05, 0.02, 8


def sgd(momentum=0.0, nesterov=False):
    def step(rate, g, state, _count):
        state["v"] = momentum * state.get("v", 0) - rate * g
        return momentum * state["v"] - rate * g if nesterov else state["v"]
    return step


def adam(amsgrad=False):
    def step(rate, g, state, count):
        state["m"] = 0.9 * state.get("m", 0) + 0.1 * g
        state["v"] = 0.999 * state.get("v", 0) + 0.001 * g**2
        state["most"] = numpy.maximum(state.get("most", 0), state["v"])
        rate *= numpy.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        return -rate * state["m"] / (numpy.sqrt(state["most" if amsgrad else "v"]) + EPSILON)
    return step


def rmsprop(momentum=0.0, centered=False):
    def step(rate, g, state, _count):
        state["ms"] = 0.9 * state.get("ms", 0) + 0.1 * g**2
        state["mg"] = 0.9 * state.get("mg", 0) + 0.1 * g
        size = state["ms"] - state["mg"]**2 if centered else state["ms"]
        if not momentum:
            return -rate * g / (numpy.sqrt(size) + EPSILON)
        state["mom"] = momentum * state.get("mom", 0) + rate * g / numpy.sqrt(size + EPSILON)
        return -state["mom"]
    return step


def by_value(bound):
    return lambda gradients: [numpy.clip(g, -bound, bound) for g in gradients]


def by_norm(bound):
    return lambda gradients: [g * bound / max(bound, numpy.linalg.norm(g)) for g in gradients]


def by_global_norm(bound):
    def clip(gradients):
        norm = numpy.sqrt(sum((g**2).sum() for g in gradients))
        return [g * bound / max(bound, norm) for g in gradients]
    return clip


OPTIMIZERS = {
    "sgd": (keras.optimizers.SGD, {}, sgd()),
    "momentum": (keras.optimizers.SGD, {"momentum": 0.9}, sgd(0.9)),
    "nesterov": (keras.optimizers.SGD, {"momentum": 0.9, "nesterov": True}, sgd(0.9, True)),
    "nesterov alone": (keras.optimizers.SGD, {"nesterov": True}, sgd()),
    "adam": (keras.optimizers.Adam, {"epsilon": EPSILON}, adam()),
    "amsgrad": (keras.optimizers.Adam, {"epsilon": EPSILON, "amsgrad": True}, adam(True)),
    "rmsprop": (keras.optimizers.RMSprop, {"epsilon": EPSILON}, rmsprop()),
    "rmsprop moving": (keras.optimizers.RMSprop, {"epsilon": EPSILON, "momentum": 0.8}, rmsprop(0.8)),
    "rmsprop centered": (keras.optimizers.RMSprop, {"epsilon": EPSILON, "centered": True}, rmsprop(0, True)),
    "rmsprop both": (keras.optimizers.RMSprop, {"epsilon": EPSILON, "momentum": 0.8, "centered": True},
                     rmsprop(0.8, True)),
}
BOUNDS = {"clipvalue": (0.2, by_value), "clipnorm": (0.5, by_norm), "global_clipnorm": (0.6, by_global_norm)}


def halving(updates):
    return keras.optimizers.schedules.ExponentialDecay(RATE, updates, 0.5)


def gradients_of(weights, x, y):
    """Of the mean squared error of x kernel + bias."""
    error = 2 * (x @ weights[0] + weights[1] - y) / y.size
    return [x.T @ error, error.sum(0)]


def trained(weights, batches, step, clip=lambda gradients: gradients, rate=lambda update: RATE * 0.5**(update / 2)):
    states = [{} for _ in weights]
    for update, (x, y) in enumerate(batches):
        changes = clip(gradients_of(weights, x, y))
        weights = [w + step(rate(update), g, state, update + 1) for w, g, state in zip(weights, changes, states)]
    return weights


def one_layer(random):
    """A model, its data, and its batches."""
    x, y = random.normal(size=(16 * STEPS, 3)), random.normal(size=(16 * STEPS, 4))
    model = keras.Sequential([keras.layers.Dense(4, input_shape=(3, ))])
    batches = [(x[i:i + 16], y[i:i + 16]) for i in range(0, len(x), 16)]
    return model, (x.astype(numpy.float32), y.astype(numpy.float32)), batches


def check(model, data, wanted):
    model.fit(*data, batch_size=16, shuffle=False, verbose=0)
    for own, other in zip(model.get_weights(), wanted):
        numpy.testing.assert_allclose(own, other, atol=2e-5, rtol=2e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_formulas(strategy, random, name):
    kind, numbers, step = OPTIMIZERS[name]
    model, data, batches = one_layer(random)
    wanted = trained(model.get_weights(), batches, step)
    model.compile(kind(halving(2), **numbers), "mse")
    check(model, data, wanted)


@pytest.mark.parametrize("numbers", [{"learning_rate": halving(2)}, {"learning_rate": RATE, "decay": 0.3}],
                         ids=["schedule", "decay"])
def test_rates_within_an_execution(strategy, random, numbers):
    """Each update has its own, however many updates an execution has."""
    model, data, batches = one_layer(random)
    rates = {"rate": lambda update: RATE / (1 + 0.3 * update)} if "decay" in numbers else {}
    wanted = trained(model.get_weights(), batches, sgd(), **rates)
    model.compile(keras.optimizers.SGD(**numbers), "mse", steps_per_execution=4)
    check(model, data, wanted)
    assert int(model.optimizer.iterations) == STEPS


@pytest.mark.parametrize("kind, step", [(keras.optimizers.SGD, sgd()), (keras.optimizers.Adam, None)],
                         ids=["sgd", "adam"])
@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_of_gradients(strategy, random, name, kind, step):
    bound, clip = BOUNDS[name]
    model, data, batches = one_layer(random)
    numbers = {} if step else {"epsilon": EPSILON}
    wanted = trained(model.get_weights(), batches, step or adam(), clip(bound))
    free = trained(model.get_weights(), batches, step or adam())
    assert numpy.abs(wanted[0] - free[0]).max() > 1e-3
    model.compile(kind(halving(2), **{name: bound}, **numbers), "mse")
    check(model, data, wanted)


@pytest.mark.parametrize("strategy", [2], indirect=True)
def test_bounds_of_gradients_of_replicas(strategy, random):
    """Of their sum: the bound is applied after it, as Keras does."""
    model, data, batches = one_layer(random)
    pairs = [(numpy.concatenate([a[0], b[0]]), numpy.concatenate([a[1], b[1]]))
             for a, b in zip(batches[::2], batches[1::2])]
    rate = lambda update: RATE
    wanted = trained(model.get_weights(), pairs, sgd(), by_global_norm(0.3), rate)
    model.compile(keras.optimizers.SGD(RATE, global_clipnorm=0.3), "mse", steps_per_execution=2)
    check(model, data, wanted)


def test_numbers_of_an_optimizer_are_named():
    optimizer = keras.optimizers.RMSprop(centered=True, clipnorm=1.5)
    config = optimizer.get_config()
    assert config["centered"] is True and config["clipnorm"] == 1.5 and "clipvalue" not in config
    with pytest.raises(ValueError, match="both `clipnorm` and `global_clipnorm`"):
        keras.optimizers.SGD(clipnorm=1.0, global_clipnorm=1.0)
    with pytest.raises(ValueError, match="clipvalue should be a positive number"):
        keras.optimizers.SGD(clipvalue=-1.0)
