"""Where names are found, and what names say that are not simulated."""
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import keras
import tensorflow as tf
from tensorflow.python import ipu

from conftest import FRAMEWORKS


@pytest.mark.parametrize("path", [
    "tensorflow.keras", "tensorflow.keras.layers", "tensorflow.keras.optimizers", "tensorflow.keras.datasets.mnist",
    "tensorflow.keras.preprocessing.sequence", "tensorflow.keras.applications.resnet50", "tensorflow.keras.utils",
    "tensorflow.python.keras.datasets.mnist", "tensorflow.python.data.ops.dataset_ops", "tensorflow.python.ipu.config",
    "tensorflow.python.ipu.ipu_strategy", "tensorflow.python.ipu.ops.pipelining_ops", "tensorflow.python.ipu.loops",
    "tensorflow.python.ipu.ipu_outfeed_queue", "tensorflow.python.ipu.ipu_infeed_queue", "tensorflow.python.ipu.utils",
    "keras.layers", "keras.models", "keras.callbacks", "ipu_tensorflow_addons.keras.layers"])
def test_modules_can_be_imported(path):
    assert importlib.import_module(path) is sys.modules[path]


def test_names_of_the_same():
    from ipu_tensorflow_addons.keras.layers import LSTM, Embedding
    from tensorflow.keras import ipu as keras_ipu
    assert tf.keras is keras and tf.optimizers.SGD is keras.optimizers.SGD
    assert ipu.keras.PipelineStage is keras_ipu.PipelineStage is keras.ipu.PipelineStage
    assert ipu.ipu_strategy.IPUStrategy is ipu.ipu_strategy.IPUStrategyV1
    assert LSTM is keras.layers.LSTM and Embedding is keras.layers.Embedding
    assert tf.python.ipu is ipu


@pytest.mark.parametrize("module, name, near", [
    (tf, "einsum", ""), (keras.layers, "Dens", "keras.layers.Dense"), (keras, "Modell", "keras.Model"),
    (keras.optimizers, "Ftrl", ""), (ipu, "serving", ""), (tf.random, "gamma", "")])
def test_unknown_names(module, name, near):
    with pytest.raises(AttributeError, match=f"{name} is not simulated") as error:
        getattr(module, name)
    assert near in str(error.value)


REFUSED = {
    "activity_regularizer": lambda: keras.layers.Dense(2, activity_regularizer="l2"),
    "kernel_constraint": lambda: keras.layers.Conv2D(2, 3, kernel_constraint=lambda w: w),
    "recurrent_regularizer": lambda: keras.layers.LSTM(2, recurrent_regularizer="l2"),
    "l2": lambda: keras.layers.ActivityRegularization(l2=0.1),
    "add_loss": lambda: keras.layers.Dense(2).add_loss(1.0),
    "class_weight": lambda: compiled().fit(tf.data.Dataset.from_tensor_slices(([[1.0]], [1])).batch(1),
                                           class_weight={}),
    "save_freq": lambda: keras.callbacks.ModelCheckpoint("weights", save_freq=10),
    ".h5": lambda: keras.Sequential([keras.layers.Dense(2)]).save("model.h5"),
}


def compiled(**options):
    model = keras.Sequential([keras.layers.Dense(2)])
    model.compile("sgd", "mse", **options)
    return model


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_change_values_is_refused_by_name(strategy, name):
    with pytest.raises((TypeError, NotImplementedError), match=f"{name}.*simulated"):
        REFUSED[name]()


def started(folders, code):
    return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False,
                          cwd=FRAMEWORKS.parent, env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))})


@pytest.mark.parametrize("name", ["tensorflow", "keras", "ipu_tensorflow_addons"])
@pytest.mark.parametrize("own_first", [True, False])
def test_a_real_package_is_not_replaced(tmp_path, name, own_first):
    import simulated_keras
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("real = True\n")
    folders = [Path(simulated_keras.__file__).parents[1], FRAMEWORKS, tmp_path]
    done = started(folders if own_first else folders[::-1], f"import {name}; print({name}.real)")
    if own_first:
        assert "does not take its place" in done.stderr and done.returncode
    else:
        assert done.stdout == "True\n"


def test_nothing_needs_pytorch():
    import simulated_keras
    folders = [Path(simulated_keras.__file__).parents[1], FRAMEWORKS]
    done = started(folders, "import tensorflow, sys; print('torch' in sys.modules, 'onnx' in sys.modules)")
    assert done.stdout == "False False\n", done.stderr
