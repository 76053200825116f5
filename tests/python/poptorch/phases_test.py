"""Phased execution: weights wait in streaming memory, and training agrees with PyTorch."""
import copy
import json

import poptorch
import pva
import pytest
import tilescope
import torch
from models import TwoBlocks, assert_same_weights, images, labels, train_in_torch
from poptorch import _logging

BATCH = 4
STRATEGIES = {
    "serial": lambda: poptorch.SerialPhasedExecution(["A"], ["B"]),
    "parallel": lambda: poptorch.ParallelPhasedExecution(
        poptorch.Phase(poptorch.Stage("A").ipu(0)), poptorch.Phase(poptorch.Stage("B").ipu(1))),
}


@pytest.fixture(autouse=True)
def nothing_was_said(monkeypatch):
    monkeypatch.setattr(_logging, "_said", set())


def trained(options, monkeypatch, optimizer=poptorch.optim.SGD, **numbers):
    """A model after a call, the same one in PyTorch, and the profile."""
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true"}))
    model = TwoBlocks()
    other = copy.deepcopy(model)
    options.Training.gradientAccumulation(2)
    compiled = poptorch.trainingModel(model, options, optimizer(model.parameters(), lr=0.1, **numbers))
    data, wanted = images(2 * BATCH), labels(2 * BATCH)
    compiled(data, wanted)
    train_in_torch(other, torch.optim.SGD(other.parameters(), lr=0.1, **numbers), data, wanted, 1, 2, BATCH)
    return model, other, tilescope.open("training/profile.pop")


@pytest.mark.parametrize("name", STRATEGIES)
def test_phases_train_as_pytorch_does(name, monkeypatch):
    options = poptorch.Options().setExecutionStrategy(STRATEGIES[name]())
    model, other, profile = trained(options, monkeypatch)
    assert_same_weights(model, other, 1e-4)
    tables = profile.report("phases").tables
    phases = {row[0] for row in next(iter(tables.values())).rows}
    # Forward 0 and 1, and backward 2, as the last forward phase shares a turn with its backward pass.
    assert {"phase0", "phase1", "phase2"} <= phases
    buffers = profile.query("SELECT count(*) AS n FROM remote_buffers")
    # Two weights, two biases and the accumulator of each.
    assert buffers["n"][0] >= 8
    target = pva.openReport("training/profile.pop").compilation.target
    assert target.numIPUs == (1 if name == "serial" else 2)


def test_places_of_tensors_are_the_phases_own(monkeypatch, caplog):
    options = poptorch.Options().setExecutionStrategy(STRATEGIES["serial"]())
    off = poptorch.TensorLocationSettings().useOnChipStorage(False)
    options.TensorLocations.setOptimizerLocation(off)
    options.TensorLocations.setActivationLocation(off)
    monkeypatch.setattr(_logging.logger, "propagate", True)
    model, other, _ = trained(options, monkeypatch, momentum=0.5)
    assert_same_weights(model, other, 1e-4)
    assert "setActivationLocation has no effect in phased execution" in caplog.text


@pytest.mark.parametrize("call, text", [
    (lambda: poptorch.SerialPhasedExecution(["A"]).setTensorsLiveness(
        poptorch.Liveness.OffChipAfterFwd), "setTensorsLiveness(Liveness.OffChipAfterFwd) has no effect"),
    (lambda: poptorch.SerialPhasedExecution(["A"]).useSeparateBackwardPhase(),
     "useSeparateBackwardPhase has no effect"),
    (lambda: poptorch.ParallelPhasedExecution(["A"]).sendTensorsOffChipAfterFwd(),
     "sendTensorsOffChipAfterFwd has no effect"),
])
def test_what_has_no_effect_says_so_once(call, text, monkeypatch, caplog):
    monkeypatch.setattr(_logging.logger, "propagate", True)
    call()
    call()
    assert caplog.text.count(text) == 1


def test_what_is_as_it_is_anyway_says_nothing(monkeypatch, caplog):
    monkeypatch.setattr(_logging.logger, "propagate", True)
    poptorch.SerialPhasedExecution(["A"]).setTensorsLiveness(poptorch.Liveness.AlwaysLive)
    poptorch.ParallelPhasedExecution(["A"]).sendTensorsOffChipAfterFwd(False)
    assert not caplog.text
