"""Profiles, times, and models that do not fit."""
import json
import logging
import re
import subprocess
import sys
import time

import poptorch
import pytest
import torch
from poptorch import _logging
from torch import nn


def profile_into(monkeypatch, **more):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true", **more}))


def test_training_and_inference_have_profiles_of_their_own(monkeypatch, tmp_path):
    profile_into(monkeypatch, **{"autoReport.directory": str(tmp_path / "reports")})
    model = nn.Linear(4, 2)
    poptorch.inferenceModel(model)(torch.rand(2, 4))
    assert (tmp_path / "reports" / "inference" / "profile.pop").stat().st_size > 1000
    assert not (tmp_path / "reports" / "training").exists()


def test_without_engine_options_nothing_is_written(tmp_path):
    poptorch.inferenceModel(nn.Linear(4, 2))(torch.rand(2, 4))
    assert not list(tmp_path.iterdir())


def test_a_model_that_does_not_fit_raises_poplars_words_and_leaves_a_profile(monkeypatch, tmp_path):
    profile_into(monkeypatch)
    monkeypatch.setenv("POPTORCH_SMALL_IPU_MODEL", "1")
    compiled = poptorch.inferenceModel(nn.Linear(1000, 1000, bias=False))
    with pytest.raises(poptorch.Error) as error:
        compiled(torch.rand(1, 1000))
    assert error.value.type == "poplar_graph_memory_allocation_error"
    assert "Out of memory" in error.value.message
    assert "popart::Session::prepareDevice: Poplar compilation" in str(error.value)
    assert (tmp_path / "inference" / "profile.pop").exists()


def test_the_planners_warning_is_a_line_of_poplibs_log(monkeypatch):
    lines = []
    monkeypatch.setattr(_logging._planner, "log", lambda level, form, line: lines.append((level, line)))
    options = poptorch.Options().setAvailableMemoryProportion({"IPU0": 1e-6})
    poptorch.inferenceModel(nn.Linear(512, 512), options)(torch.rand(8, 512))
    level, line = lines[0]
    assert level == logging.WARNING
    assert re.search(
        r"^\S+Z PL:POPLIN +\d+\.\d+ W: Warning: convolution planner unable to meet memory target\. "
        r"Optimising for minimum memory\.", line)


def test_times_are_those_of_the_simulation():
    options = poptorch.Options().logCycleCount(True)
    compiled = poptorch.inferenceModel(nn.Linear(4, 2), options)
    assert compiled.getLatency() == (0.0, 0.0, 0.0)
    compiled(torch.rand(2, 4))
    cycles = compiled.cycleCount()
    assert cycles > 100
    least, most, mean = compiled.getLatency()
    parts = [latency[2] for latency in (compiled.getHostIpuLatency(), compiled.getComputeLatency(),
                                        compiled.getIpuHostLatency())]
    assert least == most == mean == pytest.approx(sum(parts))
    assert compiled.getComputeLatency()[2] == pytest.approx(cycles / 1.33e9, rel=0.1)
    with pytest.raises(poptorch.Error, match="logCycleCount"):
        poptorch.inferenceModel(nn.Linear(4, 2)).cycleCount()


def test_calls_take_the_machines_time_when_asked(monkeypatch):
    monkeypatch.setenv("TILESCOPE_POPTORCH_RUN", "time")
    options = poptorch.Options().deviceIterations(20000)
    compiled = poptorch.inferenceModel(nn.Linear(4, 2), options)
    data = torch.rand(20000, 4)
    compiled(data)
    start = time.monotonic()
    result = compiled(data)
    assert time.monotonic() - start == pytest.approx(compiled.getLatency()[2], rel=0.2, abs=0.02)
    assert result.shape == (20000, 2) and not result.any()
    monkeypatch.setenv("TILESCOPE_POPTORCH_RUN", "fast")
    with pytest.raises(poptorch.Error, match="neither 'compute'"):
        compiled(data)


def test_an_optimizer_changes_without_values(monkeypatch):
    monkeypatch.setenv("TILESCOPE_POPTORCH_RUN", "time")

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def forward(self, x):
            return poptorch.identity_loss(self.layer(x), "mean")

    model, data = Model(), torch.rand(2, 4)
    compiled = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    compiled(data)
    for changed in ({"lr": 0.2}, {"lr": 0.2, "momentum": 0.5}):
        compiled.setOptimizer(torch.optim.SGD(model.parameters(), **changed))
        assert not compiled(data).any()


def test_options_of_values_mean_nothing_without_values(monkeypatch):
    monkeypatch.setenv("TILESCOPE_POPTORCH_RUN", "time")
    options = poptorch.Options().randomSeed(3)
    options.Precision.enableStochasticRounding(True)
    options.Precision.enableFloatingPointExceptions(True)
    model = nn.Sequential(nn.Linear(4, 2), nn.Flatten(0)).half()
    compiled = poptorch.inferenceModel(model, options)
    assert not compiled(torch.rand(2, 4).half()).any()


def test_a_model_is_compiled_without_a_device():
    compiled = poptorch.inferenceModel(nn.Linear(4, 2), poptorch.Options().useOfflineIpuTarget())
    compiled.compile(torch.rand(2, 4))
    assert compiled.isCompiled() and not compiled.isAttachedToDevice()
    with pytest.raises(AssertionError, match="offline device"):
        compiled(torch.rand(2, 4))


def test_detaching_attaching_and_destroying():
    compiled = poptorch.inferenceModel(nn.Linear(4, 2))
    with pytest.raises(poptorch.Error, match="not been compiled"):
        compiled.detachFromDevice()
    compiled(torch.rand(2, 4))
    compiled.detachFromDevice()
    assert not compiled.isAttachedToDevice()
    compiled(torch.rand(2, 4))
    assert compiled.isAttachedToDevice()
    compiled.destroy()
    assert not compiled.isCompiled()
    compiled(torch.rand(4, 4))


def test_tensors_of_a_model():
    model = nn.Linear(4, 2)
    options = poptorch.Options()
    options.anchorTensor("weight", "weight")
    compiled = poptorch.inferenceModel(model, options)
    compiled(torch.rand(2, 4))
    assert {"input", "weight", "bias"} <= set(compiled.getTensorNames())
    assert torch.equal(compiled.getAnchoredTensor("weight"), model.weight)
    with pytest.raises(poptorch.Error, match="No tensor with name other"):
        compiled.getAnchoredTensor("other")
    unknown = poptorch.Options().anchorTensor("other", "nothing")
    with pytest.raises(poptorch.Error, match="anchorTensor: the model has no tensor 'nothing'"):
        poptorch.inferenceModel(model, unknown)(torch.rand(2, 4))


def test_without_torch_the_import_says_what_to_install(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no torch')")
    run = subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, '.'); import poptorch"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "install python3-torch" in run.stderr


def test_errors_of_profiles_stay_their_own(tmp_path):
    """Two modules of one process have errors of their own for the same mistakes."""
    import tilescope
    with pytest.raises(tilescope.ProfileError, match="nothing.pop"):
        tilescope.open(tmp_path / "nothing.pop")
