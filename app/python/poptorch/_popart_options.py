"""PopART's session options (``poptorch.Options()._Popart``) and their meaning here."""
from __future__ import annotations

import difflib
from typing import Any, Callable, Dict

from . import _validator

JobKeys = Dict[str, str]

_RECOMPUTE = ["none", "standard", "norm-only", "pipeline", "all"]


def _switch(key: str) -> Callable[[Any], JobKeys]:
    return lambda value: {key: "on" if value else "off"}


def _number(key: str) -> Callable[[Any], JobKeys]:
    return lambda value: {key: _validator.text_of(value)}


def _recompute(value: Any) -> JobKeys:
    number = int(value)
    if not 0 <= number < len(_RECOMPUTE):
        raise ValueError(f"autoRecomputation is a number from 0 to {len(_RECOMPUTE) - 1}, "
                         f"not {value}")
    return {"recompute": _RECOMPUTE[number]} if number else {}


def _partials(value: Any) -> JobKeys:
    return {"partialsType": str(value)}


def _convolutions(value: Any) -> JobKeys:
    keys: JobKeys = {}
    if "partialsType" in value:
        keys["partialsType"] = str(value["partialsType"])
    if "availableMemoryProportion" in value:
        keys["availableMemoryProportion"] = _validator.text_of(value["availableMemoryProportion"])
    return keys


def _synthetic(value: Any) -> JobKeys:
    return {"ignoreData": "on"} if int(value) else {}


def _exceptions(value: Any) -> JobKeys:
    """PopART turns on all exceptions (popx irlowering.cpp, setFloatingPointBehaviour)."""
    return {"fpExceptions": "all" if value else "none"}


#: More bytes than the gradients of any model: all of them are summed together.
_ALL_GRADIENTS = 10**12


def _merged(value: Any) -> JobKeys:
    return {"maxCrossReplicaBufferSize": str(_ALL_GRADIENTS)} if value else {}


#: Options with an effect, and the keys of a job for each.
ACTING: Dict[str, Callable[[Any], JobKeys]] = {
    "autoRecomputation": _recompute,
    "automaticLossScalingSettings.enabled": _switch("automaticLossScaling"),
    "cachePath": _number("executableCache"),
    "convolutionOptions": _convolutions,
    "defaultBufferingDepth": _number("prefetchDepth"),
    "defaultPrefetchBufferingDepth": _number("prefetchDepth"),
    "enableFloatingPointChecks": _exceptions,
    "enableOutlining": _switch("outline"),
    "enableOutliningCopyCostPruning": _switch("outlineCopyCostPruning"),
    "enableStochasticRounding": _switch("stochasticRounding"),
    "numIOTiles": _number("ioTiles"),
    "outlineThreshold": _number("outlineThreshold"),
    "partialsTypeMatMuls": _partials,
    "replicatedCollectivesSettings.mergeAllReduceCollectives": _merged,
    "syntheticDataMode": _synthetic,
}

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
    "automaticLossScalingSettings.thresholdUpperCountProportion": _SCALING,
    "batchSerializationSettings.factor": _OTHER,
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
    "engineOptions": "use POPLAR_ENGINE_OPTIONS",
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


class PopartOptions:
    """Options of PopART's session, for those who know them.

    >>> options._Popart.set("autoRecomputation", 3)
    """

    def __init__(self) -> None:
        self.options: Dict[str, Any] = {}

    def set(self, key: str, value: Any) -> "PopartOptions":
        """Sets an option by PopART's name; enumerations are numbers.

        Raises:
            ValueError: for an option that PopART does not have, naming the nearest one, or for an
                invalid value, naming the valid ones.
        """
        if key not in ACTING and key not in WITHOUT_EFFECT:
            near = difflib.get_close_matches(key, [*ACTING, *WITHOUT_EFFECT], 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ValueError(f"PopART has no session option '{key}'{hint}")
        if key in WITHOUT_EFFECT:
            from ._logging import say_once
            say_once(f"_Popart option '{key}' has no effect: {WITHOUT_EFFECT[key]}")
        else:
            _validator.check(ACTING[key](value))
        self.options[key] = value
        return self

    def setPatterns(self, patterns: Dict[str, bool], level: int = 2) -> "PopartOptions":
        """Chooses PopART's rewriting patterns; without effect here."""
        assert isinstance(level, int) and isinstance(patterns, dict)
        return self.set("patterns", dict(patterns))

    def job_options(self) -> JobKeys:
        """The keys of a job for these options."""
        keys: JobKeys = {}
        for name, value in self.options.items():
            if name in ACTING:
                keys.update(ACTING[name](value))
        return keys
