"""What models print, save and call, and the profiles of their programs."""
import json
from pathlib import Path

import numpy
import pytest

import tensorflow as tf
from tensorflow import keras


def small(**options):
    model = keras.Sequential([keras.layers.Dense(3, activation="relu", input_shape=(4, )),
                              keras.layers.Dense(1)], **options)
    model.compile("sgd", "mse", metrics=["mae"])
    return model


X = numpy.linspace(-1, 1, 64, dtype=numpy.float32).reshape(16, 4)
Y = X.sum(1, keepdims=True)


def test_the_summary(strategy, capsys):
    small(name="little").summary()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == 'Model: "little"' and lines[1] == "_" * 65 and lines[3] == "=" * 65
    assert lines[2].split() == ["Layer", "(type)", "Output", "Shape", "Param", "#"]
    assert lines[4].split()[-4:] == ["(Dense)", "(None,", "3)", "15"]
    assert lines[8:11] == ["Total params: 19", "Trainable params: 19", "Non-trainable params: 0"]


def test_lines_of_fit_and_evaluate(strategy, capsys):
    model = small()
    model.fit(X, Y, batch_size=4, epochs=2)
    model.evaluate(X, Y, batch_size=4)
    lines = capsys.readouterr().out.replace("\r", "\n").splitlines()
    done = [line for line in lines if line.startswith("4/4 [" + "=" * 30 + "] - ")]
    assert "Epoch 1/2" in lines and "Epoch 2/2" in lines and len(done) == 3
    assert all("/step - loss: " in line and " - mae: " in line for line in done)
    model.fit(X, Y, batch_size=4, verbose=2)
    assert capsys.readouterr().out.splitlines()[1].startswith("4/4 - 0s - loss: ")


@pytest.mark.parametrize("suffix", [".npz", ".h5", ""])
def test_weights_in_files(strategy, tmp_path, suffix):
    if suffix == ".h5":
        pytest.importorskip("h5py", reason="h5py is not installed (python3-h5py)")
    model, other = small(), small()
    model.save_weights(tmp_path / f"weights{suffix}")
    other.load_weights(tmp_path / f"weights{suffix}")
    for own, loaded in zip(model.get_weights(), other.get_weights()):
        assert (own == loaded).all()
    with pytest.raises(ValueError, match="weight list of length 1"):
        other.set_weights(other.get_weights()[:1])


def test_weights_in_a_file_of_keras(strategy, monkeypatch):
    """A group for each layer, those without weights too; h5py is stood in for."""
    from types import SimpleNamespace

    from simulated_keras import _saving

    class Group(dict):
        def __init__(self, attrs, **values):
            super().__init__(**values)
            self.attrs = attrs

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

    def norm():
        return keras.Sequential([keras.layers.Flatten(input_shape=(2, 2)), keras.layers.BatchNormalization(),
                                 keras.layers.Dense(1)])

    given = [[numpy.full(4, number, numpy.float32) for number in range(4)],
             [numpy.ones((4, 1), numpy.float32), numpy.zeros(1, numpy.float32)]]
    groups = {"flat": Group({"weight_names": []})}
    for name, arrays in zip(("norm", "last"), given):
        names = [f"{name}/{number}" for number in range(len(arrays))]
        groups[name] = Group({"weight_names": [text.encode() for text in names]}, **dict(zip(names, arrays)))
    file = Group({"layer_names": [b"flat", b"norm", b"last"]}, **groups)
    monkeypatch.setattr(_saving, "_h5py", lambda: SimpleNamespace(File=lambda path, mode: file))
    model = norm()
    model.load_weights("weights.h5")
    assert [float(array.flat[0]) for array in model.layers[1].get_weights()] == [0, 1, 2, 3]
    assert (model.layers[2].get_weights()[0] == 1).all()


def test_the_optimizer_s_state_outlives_a_change_of_shape(strategy):
    """Two calls with other batch sizes are as one training of one optimizer."""
    results = []
    for sizes in ((8, 8), (8, 4)):
        keras.backend.clear_session()
        model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones", input_shape=(4, ))])
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse")
        for size in sizes:
            model.fit(X[:size], Y[:size] + 1, batch_size=size, shuffle=False, verbose=0)
        moved = model.get_weights()[1]
        results.append(float(moved))
    model.compile(keras.optimizers.SGD(0.1), "mse")
    assert abs(results[0] - results[1]) < 0.5 and results[1] > 0.2


def test_callbacks(strategy):
    seen = []

    class Own(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            seen.append((epoch, sorted(logs)))

        def on_batch_end(self, batch, logs=None):
            seen.append(batch)

    model = small()
    history = model.fit(X, Y, batch_size=8, epochs=2, verbose=0, callbacks=[Own()], validation_split=0.5)
    names = ["loss", "mae", "val_loss", "val_mae"]
    assert seen == [1, (0, names), 1, (1, names)] and sorted(history.history) == names
    stop = keras.callbacks.EarlyStopping(monitor="loss", patience=1)
    rates = keras.callbacks.LearningRateScheduler(lambda epoch: 0.0)
    assert len(model.fit(X, Y, batch_size=8, epochs=9, verbose=0, callbacks=[stop, rates]).epoch) == 2


def test_a_rate_that_falls_on_a_plateau(strategy):
    """Keras waits `patience` epochs, then rests for `cooldown` ones."""
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(4, ))])
    model.compile(keras.optimizers.SGD(0.4), "mse")
    losses = iter([3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0])
    told = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: logs.update(told=next(losses)))
    plateau = keras.callbacks.ReduceLROnPlateau("told", factor=0.5, patience=2, cooldown=1, min_lr=0.15)
    history = model.fit(X, Y, batch_size=8, epochs=10, verbose=0, callbacks=[told, plateau])
    assert history.history["lr"] == pytest.approx([0.4] * 4 + [0.2] * 2 + [0.15] * 4)
    losses = iter([9.0, 9.0])
    model.optimizer.learning_rate = 0.4
    again = model.fit(X, Y, batch_size=8, epochs=2, verbose=0, callbacks=[told, plateau])
    assert again.history["lr"] == pytest.approx([0.4] * 2)  # nothing is left of the first training
    with pytest.raises(ValueError, match="factor >= 1.0"):
        keras.callbacks.ReduceLROnPlateau(factor=1.0)


@pytest.mark.parametrize("make", [keras.callbacks.EarlyStopping, keras.callbacks.ReduceLROnPlateau])
def test_a_value_that_is_not_there_changes_nothing(strategy, make):
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(4, ))])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    history = model.fit(X, Y, batch_size=8, epochs=4, verbose=0, callbacks=[make(patience=1)])
    assert len(history.epoch) == 4 and float(model.optimizer.learning_rate) == pytest.approx(0.1)


def test_callbacks_for_each_step_or_each_execution(strategy):
    model = small()
    for asynchronous, wanted in ((False, [2, 4]), (True, [1, 2, 3, 4])):
        model.compile("sgd", "mse", steps_per_execution=2)
        model.set_asynchronous_callbacks(asynchronous)
        seen = []
        count = keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: seen.append(batch))
        model.fit(X, Y, batch_size=4, verbose=0, callbacks=[count])
        assert seen == wanted


def test_several_inputs_and_outputs(strategy):
    a, b = keras.Input((4, ), name="a"), keras.Input((2, ), name="b")
    joined = keras.layers.concatenate([a, b])
    first, second = keras.layers.Dense(1, name="first")(joined), keras.layers.Dense(2, name="second")(joined)
    model = keras.Model(inputs=[a, b], outputs=[first, second])
    model.compile("sgd", loss={"first": "mse", "second": "mae"}, loss_weights=[1.0, 0.5])
    history = model.fit([X, X[:, :2]], [Y, X[:, :2]], batch_size=8, verbose=0)
    assert numpy.isfinite(history.history["loss"]).all()
    one, two = model.predict({"a": X, "b": X[:, :2]}, batch_size=8)
    assert one.shape == (16, 1) and two.shape == (16, 2)


def test_operations_between_layers_and_nested_models(strategy):
    inner = small(name="inner")
    inputs = keras.Input((4, ))
    model = keras.Model(inputs, tf.square(inner(inputs)) * 2.0 + inner(inputs))
    wanted = inner.predict(X, batch_size=16)
    numpy.testing.assert_allclose(model.predict(X, batch_size=16), 2 * wanted**2 + wanted, atol=2e-3)
    assert len(model.trainable_variables) == 4


def test_frozen_layers_stay(strategy):
    model = small()
    model.layers[0].trainable = False
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.fit(X, Y, batch_size=8, verbose=0)
    same = [(old == new).all() for old, new in zip(before, model.get_weights())]
    assert sorted(same) == [False, False, True, True]


def test_profiles(strategy, monkeypatch):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true", "autoReport.directory": "out"}))
    model = small()
    model.fit(X, Y, batch_size=8, verbose=0)
    model.evaluate(X, Y, batch_size=8, verbose=0)
    found = sorted(str(path.parent) for path in Path("out").rglob("profile.pop"))
    assert len(found) == 2 and found[0].startswith("out/test_function") and found[1].startswith("out/train_function")
    import tilescope
    profile = tilescope.open(Path(found[1]) / "profile.pop")
    assert profile.info["mode"] == "training" and profile.info["model"] == model.name
    names = {variable.name for variable in __import__("pva").openReport(Path(found[1]) / "profile.pop")
             .compilation.alwaysLiveVariables}
    assert any(model.layers[0].name in name for name in names)


def test_a_model_that_does_not_fit(strategy, monkeypatch):
    from tensorflow.python import ipu
    monkeypatch.setenv("TF_POPLAR_FLAGS", "--use_ipu_model")
    config = ipu.config.IPUConfig()
    config.auto_select_ipus, config.ipu_model.tiles_per_ipu = 1, 4
    config.configure_ipu_system()
    model = keras.Sequential([keras.layers.Dense(1000, input_shape=(1000, )), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(tf.errors.ResourceExhaustedError, match="memory"):
        model.fit(numpy.zeros((1, 1000), numpy.float32), numpy.zeros((1, 1), numpy.float32), batch_size=1, verbose=0)
