"""Options become keys of jobs; unknown ones are refused, those without effect warn once."""
import json
import logging
import os

import poptorch
import pytest
import torch
from poptorch import _jobs, _logging, _popart_options, options as options_module
from tilescope import _simulator


def job(options, training=True, blocks=None, half=False, **optimizer):
    if options.defaultOutputMode():
        options.outputMode(poptorch.OutputMode.Final)
    used = poptorch.optim.SGD([torch.zeros(1)], **{"lr": 0.1, **optimizer}) if training else None
    return _jobs.make_job(options, training, used, {}, blocks or {}, half)


def test_all_keys_are_those_of_jobs():
    options = poptorch.Options().deviceIterations(3).replicationFactor(2).useIpuModel(True)
    options.randomSeed(7).setAvailableMemoryProportion({"IPU0": 0.25})
    options.outputMode(poptorch.OutputMode.EveryN, 3)
    options.Training.gradientAccumulation(4)
    options.Precision.setPartialsType(torch.half)
    options.TensorLocations.numIOTiles(32)
    options.TensorLocations.setOptimizerLocation(
        poptorch.TensorLocationSettings().useOnChipStorage(False).useReplicatedTensorSharding())
    for name, value in (("autoRecomputation", 3), ("outlineThreshold", 10.0),
                        ("enableOutlining", False), ("defaultPrefetchBufferingDepth", 3),
                        ("convolutionOptions", {"partialsType": "half"})):
        options._Popart.set(name, value)
    keys = job(options, momentum=0.5, loss_scaling=8.0, weight_decay=0.25).keys
    assert not set(keys) - set(_simulator.options())
    expected = {
        "deviceIterations": "3",
        "replicas": "2",
        "ipuModel": "on",
        "seed": "7",
        "availableMemoryProportion": "ipu0=0.25",
        "outputMode": "every-n",
        "outputEvery": "3",
        "gradientAccumulation": "4",
        "accumulationReduction": "mean",
        "partialsType": "half",
        "ioTiles": "32",
        "offload": "optimizer",
        "replicatedTensorSharding": "on",
        "recompute": "pipeline",
        "outline": "off",  # so that its threshold means nothing
        "prefetchDepth": "3",
        "optimizer": "momentum",
        "momentum": "0.5",
        "lossScaling": "8.0",
        "weightDecay": "0.25",
        "learningRate": "0.1",
        "framework": "poptorch",
        "mode": "training",
        "ipus": "1",
    }
    assert keys == expected


def test_state_that_is_not_there_has_no_place():
    options = poptorch.Options()
    off = poptorch.TensorLocationSettings().useOnChipStorage(False).useReplicatedTensorSharding()
    options.TensorLocations.setOptimizerLocation(off).setActivationLocation(off)
    assert job(options).keys["offload"] == "activations"
    keys = job(options, momentum=0.5).keys
    assert keys["offload"] == "optimizer,activations" and "replicatedTensorSharding" not in keys
    assert "offload" not in job(options, training=False).keys


def test_merged_sums_of_gradients_are_one_sum_over_replicas():
    options = poptorch.Options()
    options._Popart.set("replicatedCollectivesSettings.mergeAllReduceCollectives", True)
    assert "maxCrossReplicaBufferSize" not in job(options).keys
    options.replicationFactor(2)
    assert int(job(options).keys["maxCrossReplicaBufferSize"]) > 2**31
    assert "maxCrossReplicaBufferSize" not in job(options, training=False).keys


def test_unknown_options_name_the_nearest():
    options = poptorch.Options()
    with pytest.raises(AttributeError, match="did you mean 'deviceIterations'"):
        options.deviceIteration(3)
    with pytest.raises(AttributeError, match="Training has no option 'gradientAccumulatio'"):
        options.Training.gradientAccumulatio(3)
    with pytest.raises(ValueError, match="did you mean 'autoRecomputation'"):
        options._Popart.set("autoRecompute", 3)
    with pytest.raises(AttributeError, match="is set by a call"):
        options.deviceIterations = 3


def test_a_session_option_that_gets_a_key_acts_at_once(monkeypatch):
    said = []
    monkeypatch.setattr(_logging.logger, "warning", lambda text, *args: said.append(text))
    monkeypatch.setattr(_logging, "_said", set())
    monkeypatch.setitem(_popart_options.WITHOUT_EFFECT, "autoRecomputation", "it is still listed")
    options = poptorch.Options()
    options._Popart.set("autoRecomputation", 3)
    assert not said and options._Popart.job_options() == {"recompute": "pipeline"}


def test_idle_options_say_so_once(monkeypatch):
    said = []
    monkeypatch.setattr(_logging.logger, "warning", lambda text, *args: said.append(text))
    monkeypatch.setattr(_logging, "_said", set())
    for _ in range(2):
        poptorch.Options().useIpuId(0)
    assert len(said) == 1 and "useIpuId has no effect" in said[0]


def test_log_levels():
    poptorch.setLogLevel(1)
    assert _logging.logger.level == logging.DEBUG
    poptorch.setLogLevel("WARN")
    with pytest.raises(ValueError, match="Valid values are DEBUG"):
        poptorch.setLogLevel("LOUD")


def test_a_clone_has_values_of_its_own():
    options = poptorch.Options().deviceIterations(3)
    clone = options.clone()
    clone.deviceIterations(5)
    clone.Training.gradientAccumulation(7)
    assert options.device_iterations == 3 and options.Training.gradient_accumulation == 1
    assert clone._execution_strategy is options._execution_strategy


def test_options_from_a_file(tmp_path):
    file = tmp_path / "options.cfg"
    file.write_text("# comment\ndeviceIterations(5)\nTraining.gradientAccumulation(4)\n"
                    "outputMode(poptorch.OutputMode.All)\nPrecision.setPartialsType(torch.half)\n"
                    "TensorLocations.setOptimizerLocation("
                    "poptorch.TensorLocationSettings().useOnChipStorage(False))\n")
    options = poptorch.Options().loadFromFile(str(file))
    assert options.device_iterations == 5 and options.Training.gradient_accumulation == 4
    assert job(options, momentum=0.5).keys["offload"] == "optimizer"


@pytest.mark.parametrize("line", [
    "deviceIterations(", "unknownOption(1)", "__import__('os')", "deviceIterations(torch.hub.load)",
    "outputMode(poptorch._logging.logger)", "logDir(torch.load('x'))", "__init__()",
    "randomSeed(poptorch.load('x'))"
])
def test_lines_that_are_no_options_are_refused(tmp_path, line):
    file = tmp_path / "options.cfg"
    file.write_text(line)
    with pytest.raises(options_module.ConfigFileError, match="options.cfg:1"):
        poptorch.Options().loadFromFile(str(file))


def test_profiles_go_where_poplar_puts_them(monkeypatch, tmp_path):
    assert job(poptorch.Options()).profile == ""
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS",
                       json.dumps({"autoReport.all": "true", "autoReport.directory": "reports"}))
    assert job(poptorch.Options()).profile == os.path.join("reports", "training", "profile.pop")
    named = poptorch.Options().modelName("mine")
    assert job(named, False).profile == os.path.join("reports", "mine", "profile.pop")
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", "{oops")
    with pytest.raises(poptorch.Error, match="POPLAR_ENGINE_OPTIONS"):
        job(poptorch.Options())


def test_profiling_is_enabled_by_an_option(monkeypatch, tmp_path):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", "{}")
    poptorch.Options().enableProfiling(str(tmp_path))
    assert job(poptorch.Options(), False).profile == str(tmp_path / "inference" / "profile.pop")


def test_a_number_of_ipus_is_a_power_of_two():
    options = poptorch.Options()
    blocks = {i: (name, i) for i, name in enumerate("ABC")}
    with pytest.raises(poptorch.Error, match="must reserve a minimum of 4"):
        job(options, blocks=blocks)
    assert job(options.autoRoundNumIPUs(), blocks=blocks).keys["ipus"] == "3"


@pytest.mark.parametrize("optimizer, text", [
    (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True), "nesterov"),
    (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.5), "dampening"),
    (lambda p: torch.optim.AdamW(p, amsgrad=True), "amsgrad"),
    (lambda p: torch.optim.Adagrad(p), "Adagrad"),
    (lambda p: poptorch.optim.RMSprop(p, use_tf_variant=True), "use_tf_variant"),
    (lambda p: torch.optim.SGD([{"params": p[:1]}, {"params": p[1:], "dampening": 0.5}], lr=0.1),
     "dampening"),
])
def test_optimizers_that_are_not_simulated_are_refused_by_name(optimizer, text):
    model = torch.nn.Linear(2, 2)
    with pytest.raises(poptorch.Error, match=text):
        poptorch.trainingModel(model, None, optimizer(list(model.parameters())))


def test_engine_options_of_the_session_act(tmp_path, monkeypatch):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", '{"autoReport.all": "false"}')
    options = poptorch.Options()
    options._Popart.set("engineOptions", {"autoReport.all": "true", "autoReport.directory": str(tmp_path)})
    poptorch.inferenceModel(torch.nn.Linear(2, 2), options)(torch.ones(1, 2))
    assert (tmp_path / "inference" / "profile.pop").exists()
    with pytest.raises(ValueError, match="a dict is needed"):
        poptorch.Options()._Popart.set("engineOptions", "autoReport.all")


def test_groups_of_replicas_are_refused_where_they_are_asked_for():
    assert poptorch.Options().replicationFactor(8, 1).replication_factor == 8
    with pytest.raises(ValueError, match="groups of several replicas are not simulated"):
        poptorch.Options().replicationFactor(8, 2)
    executor = poptorch.inferenceModel(torch.nn.Linear(2, 2))
    for name in ("perReplica", "replicaGrouping"):
        with pytest.raises(poptorch.Error, match="perReplica: replicas with weights of their own"):
            getattr(executor.weight, name)(poptorch.CommGroupType.Orthogonal, 2,
                                           poptorch.VariableRetrievalMode.OnePerGroup)
