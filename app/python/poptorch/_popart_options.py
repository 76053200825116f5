"""PopART's session options (``poptorch.Options()._Popart``) and their meaning here."""
from __future__ import annotations

import copy
import difflib
import json
from typing import Any, Dict, List

from tilescope import _simulator
from tilescope._option_faces import JobKeys, acting_options
from tilescope._option_faces import keys_of as keys_of_face

from . import _validator

#: Poplar's options of the engine, a dict.
ENGINE_OPTIONS = "engineOptions"

#: Options with an effect, by PopART's name.
ACTING = acting_options("popart")


def keys_of(name: str, value: Any) -> JobKeys:
    """Keys of a job for an option, see :func:`tilescope._option_faces.keys_of`."""
    return keys_of_face(ACTING, name, value)


def _names() -> List[str]:
    """All names of PopART's options, with those of dicts as a whole."""
    whole = [name.partition(".")[0] for name in ACTING if name.startswith("convolutionOptions")]
    return [*ACTING, *whole, *WITHOUT_EFFECT, ENGINE_OPTIONS]


_NO_DEVICE = "the simulation has no device for it"
_ALWAYS = "the simulation always does it"
_SCALING = "automatic loss scaling uses PopART's defaults"
_OTHER = "the simulated program does not depend on it"

#: Known options that change nothing here, and why.
WITHOUT_EFFECT: Dict[str, str] = {
    "accumulateOuterFragmentSettings": _OTHER,
    "accumulateOuterFragmentSettings.excludedVirtualGraphs": _OTHER,
    "accumulateOuterFragmentSettings.schedule": _OTHER,
    "accumulatorTensorLocationSettings": "use TensorLocations.setAccumulatorLocation",
    "activationTensorLocationSettings": "use TensorLocations.setActivationLocation",
    "aliasZeroCopy": _OTHER,
    "automaticLossScalingSettings.binEdgeLocation": _SCALING,
    "automaticLossScalingSettings.gradientTensorTrackingMethod": _SCALING,
    "automaticLossScalingSettings.thresholdUpperCountProportion": _SCALING,
    "batchSerializationSettings.factor": _OTHER,
    "batchSerializationSettings.batchSchedule": _OTHER,
    "batchSerializationSettings.concatOnExecutionPhaseChange": _OTHER,
    "batchSerializationSettings.concatOnPipelineStageChange": _OTHER,
    "batchSerializationSettings.concatOnVirtualGraphChange": _OTHER,
    "batchSerializationSettings.method": _OTHER,
    "batchSerializationSettings.transformContext": _OTHER,
    "customCodelets": "use TILESCOPE_CUSTOM_OPERATIONS",
    "hardwareInstrumentations": _NO_DEVICE,
    "compileEngine": _ALWAYS,
    "constantWeights": _OTHER,
    "decomposeGradSum": _OTHER,
    "delayVarUpdates": _ALWAYS,
    "developerSettings": _OTHER,
    "disableGradAccumulationTensorStreams": _OTHER,
    "disableOptimizerStateTensorStreams": _OTHER,
    "dotChecks": "profiles show the graph",
    "enableEngineCaching": "use enableExecutableCaching",
    "enableExplicitIR": _OTHER,
    "enableExplicitMainLoops": _OTHER,
    "enableFullyConnectedPass": _ALWAYS,
    "enableGradientAccumulation": "use Training.gradientAccumulation",
    "enableInplaceAmbiguityChecking": _OTHER,
    "enableLoadAndOffloadRNGState": _OTHER,
    "enableMergeExchange": _OTHER,
    "enableNonStableSoftmax": "softmax always subtracts the largest",
    "enablePrefetchDatastreams": "use the engine option exchange.enablePrefetch",
    "enableReplicatedGraphs": "use replicationFactor",
    "enableRngStateManagement": _OTHER,
    "enableSerializedMatmuls": _OTHER,
    "enableStableNorm": "a variance is always the mean of squares minus the squared mean",
    "enableSupportedDataTypeCasting": _ALWAYS,
    "enableVariablesCaching": _OTHER,
    "executionPhaseSettings.phases": "use setExecutionStrategy",
    "executionPhaseSettings.schedule": _OTHER,
    "executionPhaseSettings.stages": "use setExecutionStrategy",
    "explicitRecomputation": _OTHER,
    "exportPoplarComputationGraph": "profiles show the graph",
    "exportPoplarVertexGraph": "profiles show the graph",
    "gclOptions": _OTHER,
    "groupHostSync": _OTHER,
    "groupNormStridedChannelGrouping": _OTHER,
    "instrumentWithHardwareCycleCounter": _ALWAYS,
    "kahnTieBreaker": _OTHER,
    "looseThresholdAtPeak": _OTHER,
    "lstmOptions": _OTHER,
    "matmulOptions": _OTHER,
    "mergeVarUpdate": _OTHER,
    "mergeVarUpdateMemThreshold": _OTHER,
    "optimizerStateTensorLocationSettings": "use TensorLocations.setOptimizerLocation",
    "outlineSequenceBreakCost": _OTHER,
    "opxAliasChecking": _OTHER,
    "opxModifyChecking": _OTHER,
    "patterns": _OTHER,
    "rearrangeAnchorsOnHost": _OTHER,
    "rearrangeStreamsOnHost": _OTHER,
    "replicatedCollectivesSettings.prepareScheduleForMergingCollectives": _OTHER,
    "reportOptions": "profiles contain everything",
    "saveInitializersToFile": _OTHER,
    "scheduleNonWeightUpdateGradientConsumersEarly": _OTHER,
    "separateCallOpPdfs": _OTHER,
    "serializedPoprithmsShiftGraphsDir": _OTHER,
    "stashAllTensorsInferencePipeline": _OTHER,
    "subgraphCopyingStrategy": _OTHER,
    "swapLimitScheduler": _OTHER,
    "timeLimitScheduler": _OTHER,
    "timePartitionLogger": _OTHER,
    "transitiveClosureOptimizationThreshold": _OTHER,
    "updatableNamedBuffers": _OTHER,
    "useHostCopyOps": _OTHER,
    "useLoopCandidateCreator": _OTHER,
    "virtualGraphMode": "use setExecutionStrategy",
    "virtualGraphSplitRatios": "use setExecutionStrategy",
    "weightTensorLocationSettings": "use TensorLocations.setWeightLocation",
}


def _engine_options_of(value: Any) -> Dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"{ENGINE_OPTIONS}: a dict is needed, such as {{'autoReport.all': 'true'}}")
    return _simulator.engine_options(json.dumps({key: str(each) for key, each in value.items()}),
                                     ENGINE_OPTIONS)


class PopartOptions:
    """Options of PopART's session, for those who know them.

    >>> options._Popart.set("autoRecomputation", 3)
    """

    def __init__(self) -> None:
        self.options: Dict[str, Any] = {}
        self._is_frozen = False

    def _freeze(self) -> None:
        """Refuses later changes: a model or a loader already has the options."""
        self._is_frozen = True

    def __deepcopy__(self, memo: Dict[int, Any]) -> "PopartOptions":
        """A copy, which can be changed."""
        made = PopartOptions()
        memo[id(self)] = made
        made.options = copy.deepcopy(self.options, memo)
        return made

    def set(self, key: str, value: Any) -> "PopartOptions":
        """Sets an option by PopART's name; enumerations are numbers.

        Raises:
            ValueError: for an option that PopART does not have, naming the nearest one, or for an
                invalid value, naming the valid ones.
        """
        if self._is_frozen:
            raise AttributeError(f"Can't modify frozen options: '{key}' is set too late, as a model or "
                                 "DataLoader already has them")
        if key not in _names():
            near = difflib.get_close_matches(key, _names(), 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ValueError(f"PopART has no session option '{key}'{hint}")
        if key == ENGINE_OPTIONS:
            self.options[key] = _engine_options_of(value)
            return self
        keys = keys_of(key, value)
        _validator.check(keys)
        if not keys and key in WITHOUT_EFFECT:
            from ._logging import say_once
            say_once(f"_Popart option '{key}' has no effect: {WITHOUT_EFFECT[key]}")
        self.options[key] = value
        return self

    def setPatterns(self, patterns: Dict[str, bool], level: int = 2) -> "PopartOptions":
        """Chooses PopART's rewriting patterns; without effect here."""
        assert isinstance(level, int) and isinstance(patterns, dict)
        return self.set("patterns", dict(patterns))

    @property
    def engine_options(self) -> Dict[str, str]:
        """Poplar's options of the engine; they come before those of the environment."""
        return dict(self.options.get(ENGINE_OPTIONS, {}))

    def job_options(self) -> JobKeys:
        """The keys of a job for these options, without those of the engine."""
        keys: JobKeys = {}
        for name, value in self.options.items():
            if name != ENGINE_OPTIONS:
                keys.update(keys_of(name, value))
        return keys
