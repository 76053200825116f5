"""Options with a key of a job have an effect: on the profile, on values, or on files."""
import copy
import os

import poptorch
import pytest
import tilescope
import torch
from models import Classifier, images, labels
from poptorch import _logging, _popart_options
from tilescope import _simulator

BATCH = 4


class Halves(torch.nn.Module):
    """Adds a number that is lost next to one when rounded to half."""

    def __init__(self):
        super().__init__()
        self.one = torch.nn.Parameter(torch.ones(4096).half())

    def forward(self, x):
        return self.one + x


@pytest.fixture(autouse=True)
def nothing_is_said_to_be_idle(monkeypatch):
    said = []
    monkeypatch.setattr(_logging, "_said", set())
    monkeypatch.setattr(_logging.logger, "warning", lambda text, *args: said.append(text))
    yield
    assert not [text for text in said if "has no effect" in text]


def trained(options, model=None, optimizer=None, calls=2, micro_batches=1):
    model = model or Classifier()
    program = poptorch.trainingModel(
        model, options, optimizer or poptorch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    for _ in range(calls):
        result = program(images(BATCH * micro_batches), labels(BATCH * micro_batches))
    return program, result


def options_in(profile="training"):
    return tilescope.open(f"{profile}/profile.pop").info["options"]


def test_synthetic_data_leaves_transfers_out():
    streams = {}
    for synthetic in (False, True):
        options = poptorch.Options().enableProfiling(".").enableSyntheticData(synthetic)
        options.Training.gradientAccumulation(2)
        model = Classifier()
        before = copy.deepcopy(model.state_dict())
        _, (scores, loss) = trained(options, model, micro_batches=2)
        profile = tilescope.open("training/profile.pop")
        streams[synthetic] = sum("StreamCopy" in str(kind) for kind in profile.programs()["kind"])
        moved = any(not torch.equal(a, b) for a, b in zip(before.values(), model.state_dict().values()))
        assert moved != synthetic and scores.shape == (BATCH, 10)
        assert bool(loss == 0) == synthetic
    assert streams[True] < streams[False]


def test_stochastic_rounding_is_right_on_average():
    step = 2.0**-12  # a quarter of the spacing of halves at one
    sums = {}
    for on in (False, True):
        options = poptorch.Options().randomSeed(3)
        options.Precision.enableStochasticRounding(on)
        result = poptorch.inferenceModel(Halves(), options)(torch.full((4096, ), step).half())
        sums[on] = (result.float() - 1).mean().item()
    assert sums[False] == 0 and sums[True] == pytest.approx(step, rel=0.2)


def test_floating_point_exceptions_stop_the_program():
    class Divides(torch.nn.Module):
        def forward(self, x, y):
            return x / y

    args = (torch.ones(4), torch.tensor([1., 0., 2., 3.]))
    assert torch.isinf(poptorch.inferenceModel(Divides())(*args)[1])
    options = poptorch.Options()
    options.Precision.enableFloatingPointExceptions(True)
    with pytest.raises(poptorch.Error, match="(?i)div.*zero|division"):
        poptorch.inferenceModel(Divides(), options)(*args)


def test_automatic_loss_scaling_moves_the_scale():
    options = poptorch.Options().enableProfiling(".")
    options.Training.setAutomaticLossScaling(True)
    os.environ["TILESCOPE_POPTORCH_VALUES"] = "curves"
    try:
        program, _ = trained(options, calls=3)
        program.destroy()
    finally:
        del os.environ["TILESCOPE_POPTORCH_VALUES"]
    curve = tilescope.open("training/profile.pop").values(by="update")
    scale = [column for column in curve.columns if "scal" in column.lower()]
    assert scale and curve[scale[0]].nunique() > 1
    assert options_in()["automaticLossScaling"] == "on"
    # The same options are for inference, which has no loss.
    poptorch.inferenceModel(Classifier(), poptorch.Options())(images(2))


@pytest.mark.parametrize("training", [True, False])
def test_programs_are_kept_whatever_their_weights(tmp_path, training):
    kept = tmp_path / "kept"

    def compiled():
        options = poptorch.Options().enableExecutableCaching(str(kept)).enableProfiling(".")
        model = Classifier()
        model.batch_norm.running_mean += torch.rand(4)
        program = trained(options, model)[0] if training else poptorch.inferenceModel(model, options)
        if not training:
            program(images(BATCH))
        return program._compiled.figures

    first = compiled()
    files = sorted(kept.iterdir())
    assert len(files) == 1 and not any("loaded from the executable cache" in text for _, text, _ in first["messages"])
    torch.manual_seed(5)  # other weights
    second = compiled()
    assert sorted(kept.iterdir()) == files and first["cycles"] == second["cycles"]
    assert any("loaded from the executable cache" in text for _, text, _ in second["messages"])


@pytest.mark.parametrize("least, sharded", [(None, False), (64, True)])
def test_the_least_weight_whose_state_is_shared(least, sharded):
    location = poptorch.TensorLocationSettings().useReplicatedTensorSharding()
    if least is not None:
        location.minElementsForReplicatedTensorSharding(least)
    options = poptorch.Options().replicationFactor(2).enableProfiling(".")
    options.TensorLocations.setOptimizerLocation(location)
    trained(options, calls=1, micro_batches=2)
    names = tilescope.open("training/profile.pop").operations()["name"]
    assert any("_reduceScatter" in name for name in names) == sharded


#: A value of each of PopART's options that differs from its default.
OTHERS = {
    "autoRecomputation": 1,
    "automaticLossScalingSettings.enabled": True,
    "cachePath": "kept",
    "convolutionOptions": {"partialsType": "half", "availableMemoryProportion": 0.3},
    "defaultBufferingDepth": 3,
    "defaultPrefetchBufferingDepth": 3,
    "enableFloatingPointChecks": True,
    "enableOutlining": False,
    "enableOutliningCopyCostPruning": False,
    "enableStochasticRounding": True,
    "numIOTiles": 32,
    "outlineThreshold": 10.0,
    "partialsTypeMatMuls": "half",
    "replicatedCollectivesSettings.mergeAllReduceCollectives": True,
    "syntheticDataMode": 2,
}


def test_every_session_option_with_a_key_is_tried():
    tried = set()
    for name, value in OTHERS.items():
        tried |= {f"{name}.{part}" for part in value} if isinstance(value, dict) else {name}
    assert tried == set(_popart_options.ACTING)


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_each_option_with_a_key_is_in_force(name):
    wanted = _popart_options.keys_of(name, OTHERS[name])
    options = poptorch.Options().enableProfiling(".").outputMode(poptorch.OutputMode.All)
    options._Popart.set(name, OTHERS[name])
    # One replica has no gradients to merge with others.
    replicas = 2 if "mergeAllReduce" in name else 1
    options.replicationFactor(replicas)
    trained(options, calls=1, micro_batches=replicas)
    in_force = options_in()
    for key, value in wanted.items():
        text = in_force.get(key, "")
        if key == "executableCache":
            assert any(os.scandir(value))
        elif key == "fpExceptions":
            assert "division" in text
        else:
            assert text == value or float(text) == float(value), (key, text)


def location(**what):
    settings = poptorch.TensorLocationSettings()
    for name, value in what.items():
        getattr(settings, name)(value)
    return settings


#: A call of each option that is a key of a job, and its effect. The model trains with gradient
#: accumulation on two replicas, so that all of them are meaningful.
CALLS = {
    "deviceIterations": (lambda o: o.deviceIterations(2), {"deviceIterations": "2"}),
    "replicationFactor": (lambda o: o.replicationFactor(4), {"replicas": "4"}),
    "outputMode": (lambda o: o.deviceIterations(4).outputMode(poptorch.OutputMode.EveryN, 2),
                   {"outputMode": "every-n", "outputEvery": "2"}),
    "useIpuModel": (lambda o: o.replicationFactor(1).useIpuModel(True), {"ipuModel": "on"}),
    "enableExecutableCaching": (lambda o: o.enableExecutableCaching("kept"), {"executableCache": "kept"}),
    "setAvailableMemoryProportion": (lambda o: o.setAvailableMemoryProportion({"IPU0": 0.3}),
                                     {"availableMemoryProportion": "0.6,ipu0=0.3"}),
    "useOfflineIpuTarget": (lambda o: o.useOfflineIpuTarget(21), {"target": "bow"}),
    "randomSeed": (lambda o: o.randomSeed(7), {"seed": "7"}),
    "enableSyntheticData": (lambda o: o.enableSyntheticData(True), {"ignoreData": "on"}),
    "Training.gradientAccumulation": (lambda o: o.Training.gradientAccumulation(4), {"gradientAccumulation": "4"}),
    "Training.accumulationAndReplicationReductionType":
        (lambda o: o.Training.accumulationAndReplicationReductionType(poptorch.ReductionType.Sum),
         {"accumulationReduction": "sum"}),
    "Training.setAutomaticLossScaling": (lambda o: o.Training.setAutomaticLossScaling(True),
                                         {"automaticLossScaling": "on"}),
    "Precision.setPartialsType": (lambda o: o.Precision.setPartialsType(torch.half), {"partialsType": "half"}),
    "Precision.enableStochasticRounding": (lambda o: o.Precision.enableStochasticRounding(True),
                                           {"stochasticRounding": "on"}),
    "Precision.enableFloatingPointExceptions":
        (lambda o: o.Precision.enableFloatingPointExceptions(True),
         {"fpExceptions": "invalid,division,overflow,nan-on-overflow"}),
    "TensorLocations.numIOTiles": (lambda o: o.TensorLocations.numIOTiles(64), {"ioTiles": "64"}),
    "TensorLocations.setActivationLocation":
        (lambda o: o.TensorLocations.setActivationLocation(location(useOnChipStorage=False)), {"offload": "activations"}),
    "TensorLocations.setWeightLocation":
        (lambda o: o.TensorLocations.setWeightLocation(location(useOnChipStorage=False)), {"offload": "weights"}),
    "TensorLocations.setOptimizerLocation":
        (lambda o: o.TensorLocations.setOptimizerLocation(
            location(useOnChipStorage=False, useReplicatedTensorSharding=True, minElementsForReplicatedTensorSharding=9)),
         {"offload": "optimizer", "replicatedTensorSharding": "on", "minElementsForReplicatedTensorSharding": "9"}),
}


def test_every_name_of_the_option_table_is_tried():
    tried = {(name, key) for name, (_, keys) in CALLS.items() for key in keys}
    # Arguments of setOptimizerLocation(), which CALLS gives it.
    settings = {(f"TensorLocationSettings.{name}", key) for name, key in
                (("useReplicatedTensorSharding", "replicatedTensorSharding"),
                 ("minElementsForReplicatedTensorSharding", ) * 2)}
    wanted = {(name, key) for name, key, _, _ in _simulator.face_options("poptorch")}
    elsewhere = {("setExecutionStrategy", "execution")}  # blocks_test, phases_test
    assert wanted - tried - settings == elsewhere


@pytest.mark.parametrize("name", sorted(CALLS))
def test_each_call_with_a_key_is_in_force(name):
    call, wanted = CALLS[name]
    options = poptorch.Options().enableProfiling(".").replicationFactor(2)
    if "IOTiles" in name:
        options.outputMode(poptorch.OutputMode.All)
    options.Training.gradientAccumulation(2)
    call(options)
    model = Classifier()
    program = poptorch.trainingModel(model, options, poptorch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    samples = BATCH * options._batch_multiplier(True)
    program.compile(images(samples), labels(samples))
    in_force = options_in()
    assert {key: in_force.get(key) for key in wanted} == wanted
