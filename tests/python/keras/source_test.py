"""Lines of Keras scripts in profiles."""
import json

import pytest

import tilescope

SCRIPT = '''
import numpy
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.python import ipu


def block(x):
    x = layers.Dense(8, activation="relu")(x)
    return layers.Dense(8, name="named")(x)


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(8)
        self.last = layers.Dense(4)

    def call(self, inputs):
        y = tf.nn.relu(self.first(inputs))
        return self.last(y)


def made(kind):
    if kind == "own":
        return Own()
    if kind == "functional":
        inputs = keras.Input((16, ))
        x = block(inputs)
        return keras.Model(inputs, layers.Dense(4)(x))
    model = keras.Sequential()
    model.add(layers.Dense(8, activation="relu"))
    model.add(layers.Dense(4))
    return model


def strategy():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()


def run(kind):
    with strategy().scope():
        model = made(kind)
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse", steps_per_execution=2)
        model.fit(numpy.ones((8, 16), "float32"), numpy.ones((8, 4), "float32"), batch_size=4, verbose=0)


def run_loop():
    machine = strategy()
    with machine.scope():
        model, optimizer = made("sequential"), keras.optimizers.SGD(0.1)

        @tf.function(experimental_compile=True)
        def step(x, y):
            with tf.GradientTape() as tape:
                error = model(x) - y
                loss = tf.reduce_mean(error * error)
            optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables),
                                          model.trainable_variables))
            return loss

        machine.run(step, args=[tf.ones((4, 16)), tf.ones((4, 4))])
'''

#: What each kind of model must show: texts of lines with cycles forward and backward.
MODELS = {
    "sequential": ("model.add(layers.Dense(8", "model.add(layers.Dense(4"),
    "functional": ("x = layers.Dense(8", "return layers.Dense(8", "return keras.Model(inputs, layers"),
    "own": ("y = tf.nn.relu(self.first", "return self.last(y)"),
}


def line_of(text):
    return 1 + SCRIPT[:SCRIPT.index(text)].count("\n")


def costs(tmp_path, monkeypatch, function, *args):
    """Forward, backward and update cycles of each line of the script."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    names = {}
    exec(compile(SCRIPT, str(path), "exec"), names)  # pylint: disable=exec-used
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true"}))
    names[function](*args)
    (profile, ) = tmp_path.rglob("profile.pop")
    rows = tilescope.open(profile).query(
        "SELECT path, sum(forwardCycles), sum(backwardCycles), sum(updateCycles) FROM report_source "
        "WHERE kind IS NULL GROUP BY path").itertuples(index=False, name=None)
    return {int(place.rsplit(":", 1)[1]): cycles for place, *cycles in rows if "script.py" in place}


@pytest.mark.parametrize("kind", MODELS)
def test_layers_have_the_lines_of_the_script(kind, tmp_path, monkeypatch, assert_sums):
    cost = costs(tmp_path, monkeypatch, "run", kind)
    assert_sums(*tmp_path.rglob("profile.pop"))
    for text in MODELS[kind]:
        assert cost[line_of(text)][0] > 0 and cost[line_of(text)][1] > 0, text
    assert cost[line_of("model.fit(")][0] > 0  # the loss
    assert sum(cost[line_of("model.compile(keras.optimizers.SGD")]) > 0


def test_operations_of_a_loop_have_its_lines(tmp_path, monkeypatch, assert_sums):
    cost = costs(tmp_path, monkeypatch, "run_loop")
    assert_sums(*tmp_path.rglob("profile.pop"))
    for text in ("error = model(x) - y", "loss = tf.reduce_mean", "model.add(layers.Dense(8"):
        assert cost[line_of(text)][0] > 0 and cost[line_of(text)][1] > 0, text


def test_lines_are_left_out_on_request(tmp_path, monkeypatch):
    monkeypatch.setenv("TILESCOPE_SOURCE", "off")
    with pytest.raises(tilescope.ProfileError, match="no such column"):
        costs(tmp_path, monkeypatch, "run", "own")
