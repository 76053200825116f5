"""Whole models in files, weighted metrics and the losses of Keras."""
import json

import numpy as np
import pytest

from tensorflow import keras
from tensorflow.keras import layers

X = np.random.default_rng(1).random((12, 6)).astype(np.float32)
Y = np.random.default_rng(2).random((12, 3)).astype(np.float32)


class Scale(layers.Layer):
    def __init__(self, by, **kwargs):
        super().__init__(**kwargs)
        self.by = by

    def call(self, inputs):
        return inputs * self.by


def sequential():
    return keras.Sequential([layers.Dense(5, activation="tanh", kernel_regularizer=keras.regularizers.l2(0.01)),
                             layers.Dropout(0.0), layers.Dense(3, kernel_initializer=keras.initializers.Constant(0.2))])


def functional():
    inputs = keras.Input((6, ), name="features")
    shared = layers.Dense(4, activation=keras.activations.relu, name="shared")
    left, right = shared(inputs), shared(inputs * 0.5)
    rows = layers.Reshape((2, 2))(layers.Add()([left, right]))
    rows = layers.Bidirectional(layers.LSTM(3))(rows)
    inner = keras.Sequential([layers.Dense(3, input_shape=(6, ))], name="inner")
    return keras.Model(inputs, inner(layers.Concatenate()([rows[:, :3], right[:, :3]])))


MODELS = {"sequential": sequential, "functional": functional}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", ["folder", "one.keras"])
def test_a_loaded_model_goes_on_training(kind, name, strategy, tmp_path):
    model = MODELS[kind]()
    model.compile(keras.optimizers.Adam(0.05, beta_1=0.8), keras.losses.Huber(delta=0.5), metrics=["mae"],
                  steps_per_execution=3)
    model.fit(X, Y, batch_size=4, epochs=2, verbose=0, shuffle=False)
    model.save(tmp_path / name)
    loaded = keras.models.load_model(tmp_path / name)
    assert [layer.name for layer in loaded.layers] == [layer.name for layer in model.layers]
    np.testing.assert_array_equal(loaded.predict(X, batch_size=4), model.predict(X, batch_size=4))
    histories = [m.fit(X, Y, batch_size=4, epochs=2, verbose=0, shuffle=False).history for m in (model, loaded)]
    assert list(histories[0]) == ["loss", "mae"]
    np.testing.assert_allclose(histories[0]["loss"], histories[1]["loss"], rtol=1e-6)
    assert loaded.optimizer.get_config() == model.optimizer.get_config()


def test_stages_are_kept(tmp_path):
    from tensorflow.python import ipu
    inputs = keras.Input((6, ))
    with ipu.keras.PipelineStage(0):
        x = layers.Dense(4)(inputs)
    with ipu.keras.PipelineStage(1):
        x = layers.Dense(3)(x)
    keras.Model(inputs, x).save(tmp_path / "model")
    loaded = keras.models.load_model(tmp_path / "model")
    assert [entry.pipeline_stage for entry in loaded.get_pipeline_stage_assignment()] == [0, 1]


def test_layers_of_ones_own_are_given_to_load(strategy, tmp_path):
    model = keras.Sequential([layers.Dense(3, input_shape=(6, )), Scale(2.0)])
    model.save(tmp_path / "model", include_optimizer=False)
    with pytest.raises(ValueError, match="Unknown layer: Scale"):
        keras.models.load_model(tmp_path / "model")
    loaded = keras.models.load_model(tmp_path / "model", {"Scale": Scale})
    np.testing.assert_array_equal(loaded.predict(X, batch_size=4), model.predict(X, batch_size=4))


class Own(keras.Model):
    def call(self, inputs):
        return inputs


@pytest.mark.parametrize("save, said", [
    (lambda path: Own().save(path), "subclassed model"),
    (lambda path: sequential().save(path / "model.h5"), "in .h5 files"),
    (lambda path: keras.Sequential([layers.Lambda(lambda x: x)]).save(path), "lambda"),
])
def test_what_a_file_cannot_hold_is_refused_by_name(save, said, tmp_path):
    with pytest.raises(NotImplementedError, match=said):
        save(tmp_path)


@pytest.mark.parametrize("change", [
    lambda text: text[:50], lambda text: text.replace('"Dense"', '"_Dense"'),
    lambda text: text.replace('"calls"', '"colls"'), lambda text: "[1, 2]",
    lambda text: text.replace('"result": [', '"result": [99, '), lambda text: text.replace('"shape": [', '"shape": [-1, ')])
def test_damaged_files_are_refused(change, tmp_path):
    functional().save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    assert json.loads(file.read_text())["version"] == 1
    file.write_text(change(file.read_text()))
    with pytest.raises((ValueError, NotImplementedError)):
        keras.models.load_model(tmp_path / "model")


def test_a_file_that_is_none_says_so(tmp_path):
    (tmp_path / "weights.h5").write_bytes(b"no model")
    with pytest.raises(OSError, match="load_weights"):
        keras.models.load_model(tmp_path / "weights.h5")
    with pytest.raises(OSError, match="No file or directory"):
        keras.models.load_model(tmp_path / "nothing")


def test_weighted_metrics(strategy):
    model = keras.Sequential([layers.Dense(3, input_shape=(6, ))])
    model.compile(keras.optimizers.SGD(0.0), "mse", metrics=["mae"], weighted_metrics=["mae", "mse"],
                  steps_per_execution=3)
    weights = np.arange(12, dtype=np.float32)
    found = model.evaluate(X, Y, 4, 0, sample_weight=weights, return_dict=True)
    error = np.abs(model.predict(X, batch_size=4) - Y)
    wanted = {"loss": ((error**2).mean(1) * weights).mean(), "mae": error.mean(),
              "mae_1": (error.mean(1) * weights).sum() / weights.sum(),
              "mse": ((error**2).mean(1) * weights).sum() / weights.sum()}
    assert found == pytest.approx(wanted, rel=1e-4)
    once = model.train_on_batch(X, Y, sample_weight=weights, return_dict=True)
    assert once == pytest.approx(wanted, rel=1e-4)


PROBABILITIES = Y / Y.sum(1, keepdims=True)
LOSSES = {
    "mape": (Y, lambda y, p: np.abs((y - p) / y).mean() * 100),
    "msle": (Y, lambda y, p: ((np.log1p(y) - np.log1p(np.maximum(p, 1e-7)))**2).mean()),
    "huber": (Y * 4, lambda y, p: np.where(abs(y - p) < 1, (y - p)**2 / 2, abs(y - p) - 0.5).mean()),
    "log_cosh": (Y * 4, lambda y, p: np.log(np.cosh(p - y)).mean()),
    "kl_divergence": (PROBABILITIES, lambda y, p: (y * np.log(y / np.clip(p, 1e-7, 1))).sum(1).mean()),
    "poisson": (np.round(Y * 4), lambda y, p: (p - y * np.log(p + 1e-7)).mean()),
    "hinge": (np.sign(Y - 0.5), lambda y, p: np.maximum(1 - y * p, 0).mean()),
    "categorical_hinge": (np.eye(3)[Y.argmax(1)], lambda y, p: np.maximum(
        1 + ((1 - y) * p).max(1) - (y * p).sum(1), 0).mean()),
    "cosine_similarity": (Y - 0.3, lambda y, p: -((y * p).sum(1) / np.linalg.norm(y, axis=1) /
                                                  np.linalg.norm(p, axis=1)).mean()),
    "smooth binary_crossentropy": (np.round(Y), lambda y, p: -(
        (0.8 * y + 0.1) * np.log(p) + (0.9 - 0.8 * y) * np.log(1 - p)).mean()),
    "squared_hinge": (np.round(Y), lambda y, p: (np.maximum(1 - (2 * y - 1) * p, 0)**2).mean()),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_those_of_keras(name, strategy):
    labels, function = LOSSES[name]
    model = keras.Sequential([layers.Dense(3, activation="sigmoid", input_shape=(6, ))])
    smooth = keras.losses.BinaryCrossentropy(label_smoothing=0.2)
    model.compile(keras.optimizers.SGD(0.002), smooth if name.startswith("smooth") else name, steps_per_execution=3)
    for _ in range(3):
        before = model.predict(X, batch_size=4).astype(np.float64)
        assert model.evaluate(X, labels, 4, 0) == pytest.approx(function(labels, before), rel=1e-4)
        model.fit(X, labels, 4, 1, 0)
    assert function(labels, model.predict(X, batch_size=4)) < function(labels, before)
