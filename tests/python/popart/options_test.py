"""Session options, patterns and enumerations: names, defaults, and what they do."""
import os
import subprocess
import sys

import popart
import pytest
from popart import _jobs
from popart._session_options import ACTING
from tilescope import _simulator

from .models import Classifier, device


def keys_of(options, training=True, ipus=1, optimizer=None):
    model = Classifier()
    with_optimizer = (optimizer or popart.SGD({"defaultMomentum": (0.9, True)})) if training else None
    return _jobs.job_options(options, device(ipus), popart.DataFlow(4, [model.loss]), [], with_optimizer, None, False)


#: A value that is not the default, by what the row says of the option.
VALUES = {"numIOTiles": 32, "partialsTypeMatMuls": "half", "convolutionOptions.partialsType": "half",
          "convolutionOptions.availableMemoryProportion": "0.2", "outlineThreshold": 5.0, "defaultBufferingDepth": 3,
          "defaultPrefetchBufferingDepth": 3, "cachePath": "cache", "autoRecomputation":
          popart.RecomputationType.Standard, "syntheticDataMode": popart.SyntheticDataMode.Zeros}


@pytest.mark.parametrize("name", [name for name, *_ in _simulator.face_options("popart")])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_options_of_the_rows_act(name):
    """Whatever a row of the option table knows by PopART's name is an attribute here, and reaches the job."""
    options = popart.SessionOptions()
    options.enableEngineCaching = name == "cachePath"
    options.enableReplicatedGraphs, options.replicatedGraphCount = True, 2
    target, _, inner = name.rpartition(".")
    plain = keys_of(options, ipus=2)
    if target.endswith("Options"):
        setattr(options, target, {inner: VALUES[name]})
    else:
        holder = getattr(options, target) if target else options
        before = getattr(holder, inner or name)
        setattr(holder, inner or name, VALUES.get(name, not before))
    keys = keys_of(options, ipus=2)
    key = ACTING[name].key
    assert key in keys and (keys[key] != plain.get(key) or name == "cachePath")


def test_defaults_are_as_published():
    options = popart.SessionOptions()
    assert options.accumulationFactor == 1 and options.constantWeights and not options.enablePipelining
    assert options.virtualGraphMode == popart.VirtualGraphMode.Off and options.outlineThreshold == 1.0
    assert options.weightTensorLocationSettings.minElementsForReplicatedTensorSharding == 8192
    assert options.executionPhaseSettings.stages == 2 and options.cachePath == "session_cache"
    options.engineOptions["debug.instrument"] = "true"
    assert options.engineOptions == {"debug.instrument": "true"} and popart.SessionOptions().engineOptions == {}


def test_unknown_names_are_errors():
    options = popart.SessionOptions()
    with pytest.raises(AttributeError, match="'enablePipelining'"):
        options.enablePipeline = True
    with pytest.raises(AttributeError, match="'minElementsForOffChip'"):
        options.weightTensorLocationSettings.minElementForOffChip = 1
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        options.nonsense  # pylint: disable=pointless-statement


def test_an_older_name_warns():
    options = popart.SessionOptions()
    with pytest.warns(DeprecationWarning, match="use the alias defaultBufferingDepth instead"):
        options.defaultPrefetchBufferingDepth = 3
    assert options.defaultBufferingDepth == options.defaultPrefetchBufferingDepth == 3


def test_the_cache_of_the_environment(monkeypatch):
    monkeypatch.setenv("POPART_CACHE_DIR", "programs")
    options = popart.SessionOptions()
    assert options.enableEngineCaching and keys_of(options)["executableCache"] == "programs"
    options.enableEngineCaching = False
    assert "executableCache" not in keys_of(options)


def test_places_of_tensors():
    options = popart.SessionOptions()
    off = popart.TensorStorage.OffChip
    options.optimizerStateTensorLocationSettings.location.storage = off
    options.weightTensorLocationSettings = popart.TensorLocationSettings(off)
    assert keys_of(options)["offload"] == "optimizer,weights"
    assert keys_of(options, optimizer=popart.ConstSGD(0.1))["offload"] == "weights"
    assert keys_of(options, training=False)["offload"] == "weights"
    location = popart.TensorLocation(popart.TensorStorage.OnChip, popart.ReplicatedTensorSharding.On)
    options = popart.SessionOptions()
    options.optimizerStateTensorLocationSettings = popart.TensorLocationSettings(location, 2, 16)
    assert "replicatedTensorSharding" not in keys_of(options)
    options.enableReplicatedGraphs, options.replicatedGraphCount = True, 2
    keys = keys_of(options, ipus=2)
    assert (keys["replicatedTensorSharding"], keys["minElementsForReplicatedTensorSharding"]) == ("on", "16")


def test_output_modes():
    def mode_of(*kinds, batches=4):
        flow = popart.DataFlow(batches, {str(n): popart.AnchorReturnType(*kind) for n, kind in enumerate(kinds)})
        keys = _jobs.job_options(popart.SessionOptions(), device(), flow, [], None, None, False)
        return keys["outputMode"], keys.get("outputEvery")

    assert mode_of(("Final", )) == ("final", None) and mode_of(("EveryN", 2)) == ("every-n", "2")
    assert mode_of(("Final", ), ("All", )) == ("all", None) and mode_of(("Sum", )) == ("all", None)


def test_phases():
    options = popart.SessionOptions()
    options.virtualGraphMode = popart.VirtualGraphMode.ExecutionPhases
    options.executionPhaseSettings.phases = 4
    builder = popart.Builder()
    y = builder.addInputTensor("FLOAT", [2])
    for phase in range(4):
        with builder.executionPhase(phase), builder.virtualGraph(phase % 2):
            y = builder.aiOnnx.relu([y])
    keys = _jobs.job_options(options, device(2), popart.DataFlow(1, [y]), builder._graph.model.graph.node, None, None,
                             False)
    assert (keys["execution"], keys["phases"], keys["phaseStages"]) == ("phased", "4", "2")


def test_patterns_are_remembered():
    patterns = popart.Patterns(popart.PatternsLevel.Default)
    patterns.InPlace = False
    assert patterns.PreUniRepl and not patterns.InPlace
    assert patterns.enablePattern("MatMulOp", False) is patterns and not patterns.isPatternEnabled("MatMulOp")
    assert not popart.Patterns(popart.PatternsLevel.NoPatterns).InPlace
    only = popart.Patterns(["PreUniRepl"])
    assert only.PreUniRepl and not only.PostNRepl


def test_numbers_of_enumerations():
    assert popart.RecomputationType.RecomputeAll == 4 and popart.ReductionType.Mean == 1
    assert popart.RecomputeType.Recompute == 2 and popart.SyntheticDataMode.RandomNormal == 2


def test_the_rest_of_the_module():
    assert (popart.defaultAiOnnxOpset, popart.defaultAiGraphcoreOpset) == (10, 1) and popart.versionString()
    assert popart.reservedAccl1Prefix() + "w" == "Accl1___w" and popart.reservedGradientPrefix() == "Gradient___"
    popart.getLogger("ir").setLevel("CRITICAL")
    with pytest.raises(ValueError, match="LOUD"):
        popart.getLogger().setLevel("LOUD")
    groups = popart.VariableSettings(popart.CommGroup(popart.CommGroupType.Consecutive, 2),
                                     popart.VariableRetrievalMode.OnePerGroup)
    assert groups.getGroupCount(4) == 2 and groups.numReplicasReturningVariable(4) == 2
    assert popart.VariableSettings().getGroupCount(4) == 1
    builder = popart.Builder()
    with pytest.raises(popart.popart_exception, match="differs between replicas"):
        builder.addInitializedInputTensor([1.0], popart.VariableSettings(popart.CommGroup(
            popart.CommGroupType.Consecutive, 1)))


def test_without_onnx_the_import_says_what_to_install(tmp_path):
    (tmp_path / "onnx.py").write_text("raise ImportError('no onnx')")
    done = subprocess.run([sys.executable, "-B", "-c", "import sys; sys.path.insert(0, '.'); import popart"],
                          capture_output=True, text=True, cwd=tmp_path, env=os.environ, check=False)
    assert done.returncode == 1 and "popart needs ONNX: install python3-onnx" in done.stderr
