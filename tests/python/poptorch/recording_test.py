"""Values and tracepoints in the profiles of programs."""
import json
import os
import subprocess
import sys

import poptorch
import pytest
import tilescope
import torch
from models import TwoBlocks, images, labels
from torch import nn

BATCH = 4


@pytest.fixture(name="folder")
def reports(monkeypatch, tmp_path):
    options = {"autoReport.all": "true", "autoReport.directory": str(tmp_path)}
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps(options))
    return tmp_path


def train(calls):
    """The mean loss of each call, and its share of correct samples."""
    model = TwoBlocks()
    settings = poptorch.Options().deviceIterations(2).outputMode(poptorch.OutputMode.All)
    settings.setExecutionStrategy(poptorch.PipelinedExecution(poptorch.Stage("A", "B").ipu(0)))
    compiled = poptorch.trainingModel(model, settings,
                                      poptorch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    data, wanted = images(2 * BATCH), labels(2 * BATCH)
    results = [compiled(data, wanted) for _ in range(calls)]
    compiled.destroy()
    return [(float(loss.mean()), float((scores.argmax(1) == wanted).float().mean()))
            for scores, loss in results]


def test_training_records_its_curve_and_tensors(monkeypatch, folder):
    monkeypatch.setenv("TILESCOPE_POPTORCH_VALUES", "all:4")
    results = train(6)
    profile = tilescope.open(folder / "training" / "profile.pop")
    curve = profile.values(by="update")
    assert list(curve["iteration"]) == [2, 4, 6, 8, 10, 12]
    losses, accuracies = zip(*results)
    assert list(curve["loss"]) == pytest.approx(losses, rel=1e-4)
    assert list(curve["accuracy"].astype(float)) == pytest.approx(accuracies)
    assert losses[-1] < losses[0]
    samples = profile.query("SELECT DISTINCT iteration FROM value_samples ORDER BY iteration")
    assert list(samples["iteration"]) == [1, 5, 9]  # every 4th of 12, at most 4
    kinds = profile.query("SELECT DISTINCT kind FROM value_tensors")
    assert set(kinds["kind"]) == {"weight", "activation", "gradient", "optimizerState"}


def test_curves_alone(monkeypatch, folder):
    monkeypatch.setenv("TILESCOPE_POPTORCH_VALUES", "curves")
    train(2)
    profile = tilescope.open(folder / "training" / "profile.pop")
    assert len(profile.values(by="update")) == 2
    assert profile.query("SELECT count(*) FROM value_samples").iloc[0, 0] == 0


def test_inference_records_weights_and_activations(monkeypatch, folder):
    monkeypatch.setenv("TILESCOPE_POPTORCH_VALUES", "all")
    compiled = poptorch.inferenceModel(nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)))
    for _ in range(3):
        compiled(torch.rand(2, 4))
    compiled.destroy()
    profile = tilescope.open(folder / "inference" / "profile.pop")
    kinds = profile.query("SELECT kind, count(*) FROM value_tensors GROUP BY kind")
    assert set(kinds["kind"]) == {"weight", "activation"}
    assert profile.query("SELECT max(iteration) FROM value_samples").iloc[0, 0] == 3
    assert len(profile.values(by="update")) == 0


def test_without_the_variable_no_values(folder):
    train(1)
    profile = tilescope.open(folder / "training" / "profile.pop")
    assert profile.query("SELECT count(*) FROM value_curve").iloc[0, 0] == 0


def test_a_wrong_word_is_refused(monkeypatch):
    monkeypatch.setenv("TILESCOPE_POPTORCH_VALUES", "some")
    with pytest.raises(poptorch.Error, match="TILESCOPE_POPTORCH_VALUES: 'some' is none of"):
        train(1)


PROGRAM = """
import time
import libpvti, poptorch, torch

channel = libpvti.createTraceChannel("mine")
loss_series = libpvti.Graph("Loss", "nats").addSeries("training")
heat = libpvti.HeatmapDouble("weight", [-1, 0, 1], "value")
model = torch.nn.Linear(4, 2)
options = poptorch.Options()
data = torch.utils.data.TensorDataset(torch.rand(6, 4))
loader = poptorch.DataLoader(options, data, batch_size=2)
compiled = poptorch.inferenceModel(model, options)
with libpvti.Tracepoint(channel, "epoch"):
    for batch, in loader:
        libpvti.Tracepoint.event(channel, "batch")
        result = compiled(batch)
        loss_series.add(result.sum())
        heat.add(model.weight.flatten().tolist())
with libpvti.Tracepoint(channel, "after"):
    time.sleep(0.05)
"""


def test_tracepoints_are_in_the_hosts_timeline(folder):
    pvti = json.dumps({"enable": "true", "directory": str(folder)})
    subprocess.run([sys.executable, "-c", PROGRAM], check=True,
                   env={**os.environ, "PVTI_OPTIONS": pvti})
    profile = tilescope.open(folder / "inference" / "profile.pop")
    report = profile.report("hosts")
    assert report.fields["series"] == 1 and report.fields["heatMaps"] == 1
    events = report.tables["hostEvents"].frame.set_index("name")
    assert events.loc["epoch", "channel"] == "mine" and events.loc["epoch", "count"] == 1
    assert events.loc["batch", "count"] == 3 and events["seconds"].isna()["batch"]
    assert events.loc["__getitem__", "channel"] == "dataset"
    assert events.loc["__getitem__", "count"] == 6
    execution = events.loc["poptorch.inferenceModel.modelExecution"]
    assert execution["channel"] == "poptorch.inferenceModel" and execution["count"] == 3
    compilation = events.loc["poptorch.inferenceModel.modelCompilation"]
    # Time zero is the machine's first call, so the compilation is before it.
    assert compilation["firstStart"] < 0
    assert compilation["firstStart"] + compilation["seconds"] <= 1e-3
    assert 0.04 < events.loc["after", "seconds"] < 5
    points = profile.report("hosts", by="time").tables["hostSeries"].frame
    assert list(points["graph"]) == ["Loss"] * 3 and points["time"].is_monotonic_increasing
    counts = report.tables["hostHeatMaps"].frame
    assert counts["count"].sum() == 3 * 8


def test_calls_take_the_machines_time_on_the_programs_clock(folder):
    program = PROGRAM.replace("options = poptorch.Options()",
                              "options = poptorch.Options().deviceIterations(3)")
    pvti = json.dumps({"enable": "true", "directory": str(folder)})
    subprocess.run([sys.executable, "-c", program], check=True,
                   env={**os.environ, "PVTI_OPTIONS": pvti})
    profile = tilescope.open(folder / "inference" / "profile.pop")
    events = profile.report("hosts").tables["hostEvents"].frame.set_index("name")
    runs = profile.query("SELECT count(*) FROM host_events WHERE seconds < 0").iloc[0, 0]
    assert runs == 0
    assert events.loc["poptorch.inferenceModel.modelExecution", "longest"] > 0
