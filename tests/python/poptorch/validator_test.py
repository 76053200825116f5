"""The same invalid value gets the same message from every interface."""
import importlib.util
import json
import os
import subprocess
from pathlib import Path

import poptorch
import pytest
import tilescope
import torch
from tilescope import _simulator

BIN = Path(os.environ["TILESCOPE_BIN_DIR"])


def flag_of(sentence):
    return sentence.split("(")[1].split(")")[0]


def of_command_line(flag, value):
    done = subprocess.run([BIN / "tilescope", "run", "mnist-cnn", f"{flag}={value}"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2
    return done.stderr.strip().removeprefix("tilescope: error: ")


def of_job(folder, key, value):
    file = folder / "job.json"
    file.write_text(json.dumps({"model": "mnist-cnn", key: value}))
    done = subprocess.run([BIN / "tilescope", "run", file], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    return done.stderr.strip().removeprefix("tilescope: error: ").removeprefix(f"{file}: ")


def of_python(key, value):
    with pytest.raises(tilescope.ProfileError) as error:
        tilescope.run("mnist-cnn", out="nowhere", **{key: value})
    return str(error.value)


class _Optimizer:
    """Keras's classes, with the attributes that the helper reads."""

    def get_config(self):
        return {"learning_rate": 0.1}


def of_keras(key, value):
    import tilescope.tilescope_keras as helper
    optimizer = type("SGD", (_Optimizer, ), {})()
    model = type("Model", (), {"to_json": lambda self: '{"class_name": "Sequential", "config": {"layers": []}}',
                               "optimizer": optimizer, "weights": [], "loss": "mse"})()
    with pytest.raises(ValueError) as error:
        helper.record(model, "job", weights=False, **{key: value})
    return str(error.value)


def training(**numbers):
    model = torch.nn.Linear(1, 1)
    return poptorch.trainingModel(model, None, poptorch.optim.SGD(model.parameters(), **numbers))


#: How a key of a job is set in PopTorch.
POPTORCH = {
    "deviceIterations": lambda value: poptorch.Options().deviceIterations(value),
    "replicas": lambda value: poptorch.Options().replicationFactor(value),
    "gradientAccumulation": lambda value: poptorch.Options().Training.gradientAccumulation(value),
    "availableMemoryProportion":
        lambda value: poptorch.Options().setAvailableMemoryProportion({"IPU0": value}),
    "minElementsForReplicatedTensorSharding":
        lambda value: poptorch.TensorLocationSettings().minElementsForReplicatedTensorSharding(value),
    "outlineThreshold": lambda value: poptorch.Options()._Popart.set("outlineThreshold", value),
    "prefetchDepth": lambda value: poptorch.Options()._Popart.set("defaultPrefetchBufferingDepth", value),
    "partialsType": lambda value: poptorch.Options()._Popart.set("partialsTypeMatMuls", value),
    "seed": lambda value: poptorch.Options().randomSeed(value),
    "learningRate": lambda value: training(lr=value),
    "momentum": lambda value: training(lr=0.1, momentum=value),
    "lossScaling": lambda value: training(lr=0.1, loss_scaling=value),
}


@pytest.mark.parametrize("key, value", [("deviceIterations", 0), ("replicas", -1), ("replicas", 257),
                                        ("gradientAccumulation", 0), 
                                        ("availableMemoryProportion", 1.5),
                                        ("minElementsForReplicatedTensorSharding", -1), ("outlineThreshold", -1.5),
                                        ("prefetchDepth", 0), ("partialsType", "flaot"), ("learningRate", 5000.5),
                                        ("momentum", 7.5), ("lossScaling", -2.5)])
def test_a_value_out_of_bounds(key, value, tmp_path):
    job = of_job(tmp_path, key, value)
    assert job.startswith(f"option {key} (--") and str(value) in job
    assert of_command_line(flag_of(job), value) == job
    assert of_python(key, value) == job
    assert of_keras(key, value) == job
    with pytest.raises((ValueError, poptorch.Error)) as error:
        POPTORCH[key](value)
    assert getattr(error.value, "message", str(error.value)) == job


def test_what_options_are_together(tmp_path):
    file = tmp_path / "job.json"
    values = {"mode": "training", "replicas": 3, "schedule": "grouped"}
    file.write_text(json.dumps({"model": "mnist-cnn", **values}))
    done = subprocess.run([BIN / "tilescope", "run", file], capture_output=True, text=True, check=False)
    job = done.stderr.strip().removeprefix("tilescope: error: ").removeprefix(f"{file}: ")
    with pytest.raises(ValueError) as error:
        _simulator.check_options({key: str(value) for key, value in values.items()})
    assert str(error.value) == job


def test_a_key_that_is_not_there_names_the_nearest(tmp_path):
    for sentence in (of_job(tmp_path, "deviceIteration", 3), of_python("deviceIteration", 3),
                     of_keras("deviceIteration", 3)):
        assert "'deviceIteration'" in sentence and "Did you mean 'deviceIterations'?" in sentence


def test_engine_options_of_the_environment(monkeypatch):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", '{"a": ')
    done = subprocess.run([BIN / "tilescope", "run", "mnist-cnn", "-o", "out"], capture_output=True, text=True,
                          check=False)
    with pytest.raises(poptorch.Error) as error:
        poptorch.Options().enableProfiling()
    assert done.returncode == 2
    assert error.value.message == done.stderr.strip().removeprefix("tilescope: error: ")


def test_the_helper_for_keras_stands_alone(tmp_path):
    """Next to a script, without the module that checks: the job is checked when it is run."""
    helper = importlib.util.find_spec("tilescope.tilescope_keras").origin
    (tmp_path / "tilescope_keras.py").write_text(Path(helper).read_text(encoding="utf-8"), encoding="utf-8")
    program = ("import sys; sys.path.insert(0, '.'); sys.modules['tilescope'] = None; import tilescope_keras as t; "
               "t._check({'deviceIterations': 0}); print('done')")
    done = subprocess.run(["/usr/bin/python3", "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.strip() == "done", done.stderr
