"""PopART's session options.

What an option does is known to the rows of TileScope's option table under PopART's names; the table
here has the names and the defaults that PopART publishes. An option that is neither known to a row
nor read by :mod:`popart._jobs` changes nothing in the simulated program.
"""
from __future__ import annotations

import os
import warnings
from typing import Any, Dict

from tilescope._option_faces import acting_options

from ._enums import ENUMS
from ._settings import Settings

#: Options with an effect, by PopART's name.
ACTING = acting_options("popart")


def _of(enumeration: str, member: str) -> Any:
    return ENUMS[enumeration][member]


class TensorLocation(Settings):
    """Where a tensor is kept, and which tiles load and store it."""
    _defaults = {
        "storage": _of("TensorStorage", "OnChip"),
        "loadTileSet": _of("TileSet", "Compute"),
        "storageTileSet": _of("TileSet", "Compute"),
        "replicatedTensorSharding": _of("ReplicatedTensorSharding", "Off"),
    }

    def __init__(self, *args: Any, **values: Any) -> None:
        if len(args) == 2:  # storage and sharding
            args, values = args[:1], {"replicatedTensorSharding": args[1], **values}
        super().__init__(*args, **values)


class TensorLocationSettings(Settings):
    """Where tensors of a kind are kept, unless they are small."""
    _defaults = {
        "location": TensorLocation(),
        "minElementsForOffChip": 2,
        "minElementsForReplicatedTensorSharding": 8192,
    }

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "location" and isinstance(value, ENUMS["TensorStorage"]):
            value = TensorLocation(value)
        super().__setattr__(name, value)


class AutomaticLossScalingSettings(Settings):
    """Settings of automatic loss scaling."""
    _defaults = {
        "enabled": False,
        "toTrackTensors": None,
        "binEdgeLocation": 0.125,
        "thresholdUpperCountProportion": 1e-7,
        "updatePeriod": 1,
        "gradientTensorTrackingMethod": _of("GradientTensorTrackingMethod",
                                            "AllNonViewChangingGradientTensors"),
    }


class ExecutionPhaseSettings(Settings):
    """Settings of phased execution."""
    _defaults = {
        "phases": 0,
        "stages": 2,
        "weightIOSchedule": _of("ExecutionPhaseIOSchedule", "Preload"),
        "activationIOSchedule": _of("ExecutionPhaseIOSchedule", "Preload"),
        "optimizerStateIOSchedule": _of("ExecutionPhaseIOSchedule", "OnDemand"),
        "accumulatorIOSchedule": _of("ExecutionPhaseIOSchedule", "Preload"),
        "schedule": _of("ExecutionPhaseSchedule", "Interleaving"),
    }


class BatchSerializationSettings(Settings):
    """Settings of batch serialisation."""
    _defaults = {
        "factor": 0,
        "concatOnVirtualGraphChange": True,
        "concatOnExecutionPhaseChange": True,
        "concatOnPipelineStageChange": True,
        "transformContext": _of("BatchSerializationTransformContext", "Fwd"),
        "method": _of("BatchSerializationMethod", "UnrollDynamic"),
        "batchSchedule": _of("BatchSerializationBatchSchedule", "Isomorphic"),
    }


class AccumulateOuterFragmentSettings(Settings):
    """How weight updates of a pipeline are scheduled."""
    _defaults = {
        "schedule": _of("AccumulateOuterFragmentSchedule", "Serial"),
        "excludedVirtualGraphs": [],
    }


class AutodiffSettings(Settings):
    """Settings of automatic differentiation."""
    _defaults = {"stitchStrategy": _of("AutodiffStitchStrategy", "RecomputeAllNonInputs")}


class ReplicatedCollectivesSettings(Settings):
    """Settings of collectives between replicas."""
    _defaults = {
        "prepareScheduleForMergingCollectives": False,
        "mergeAllReduceCollectives": False,
    }


class DeveloperSettings(Settings):
    """Settings for PopART's own developers."""
    _defaults = {"timePartitionLoggerThresholdPercentage": 1.0}


#: Names and defaults as published (willow/include/popart/sessionoptions.hpp).
_DEFAULTS: Dict[str, Any] = {
    "accumulateOuterFragmentSettings": AccumulateOuterFragmentSettings(),
    "accumulationAndReplicationReductionType": _of("ReductionType", "Sum"),
    "accumulationFactor": 1,
    "accumulatorTensorLocationSettings": TensorLocationSettings(),
    "activationTensorLocationSettings": TensorLocationSettings(),
    "aliasZeroCopy": False,
    "autoRecomputation": _of("RecomputationType", "NoRecompute"),
    "autodiffSettings": AutodiffSettings(),
    "automaticLossScalingSettings": AutomaticLossScalingSettings(),
    "batchSerializationSettings": BatchSerializationSettings(),
    "bufferingDepthMap": {},
    "cachePath": "session_cache",
    "compilationProgressLogger": None,
    "compilationProgressTotal": 100,
    "compileEngine": True,
    "constantWeights": True,
    "convolutionOptions": {},
    "createImplicitPipeliningFwdOnlyProgram": False,
    "customCodeletCompileFlags": "",
    "customCodelets": [],
    "decomposeGradSum": False,
    "defaultBufferingDepth": 1,
    "delayVarUpdates": True,
    "developerSettings": DeveloperSettings(),
    "disableGradAccumulationTensorStreams": False,
    "disableOptimizerStateTensorStreams": False,
    "dotChecks": set(),
    "dotOpNames": False,
    "enableDistributedReplicatedGraphs": False,
    "enableEngineCaching": False,
    "enableExplicitIR": False,
    "enableExplicitMainLoops": False,
    "enableFloatingPointChecks": False,
    "enableFullyConnectedPass": True,
    "enableGradientAccumulation": False,
    "enableGroupedMatmuls": False,
    "enableInplaceAmbiguityChecking": False,
    "enableLoadAndOffloadRNGState": False,
    "enableMergeExchange": True,
    "enableNonStableSoftmax": False,
    "enableOutlining": True,
    "enableOutliningCopyCostPruning": True,
    "enablePipelining": False,
    "enablePrefetchDatastreams": True,
    "enableReplicatedGraphs": False,
    "enableRngStateManagement": False,
    "enableSerializedMatmuls": True,
    "enableStableNorm": False,
    "enableStochasticRounding": False,
    "enableSupportedDataTypeCasting": True,
    "enableVariablesCaching": True,
    "engineOptions": {},
    "ensureFp32LossScaleTensor": False,
    "executionPhaseSettings": ExecutionPhaseSettings(),
    "explicitRecomputation": False,
    "exportPoplarComputationGraph": False,
    "exportPoplarVertexGraph": False,
    "finalDotOp": 10000,
    "firstDotOp": 0,
    "gclOptions": {},
    "globalReplicaOffset": 0,
    "globalReplicationFactor": 1,
    "groupHostSync": False,
    "groupNormStridedChannelGrouping": False,
    "hardwareInstrumentations": {_of("Instrumentation", "Outer")},
    "instrumentWithHardwareCycleCounter": False,
    "kahnTieBreaker": "greedy",
    "logDir": "",
    "looseThresholdAtPeak": 8000,
    "lstmOptions": {},
    "matmulOptions": {},
    "meanAccumulationAndReplicationReductionStrategy": _of("MeanReductionStrategy", "Post"),
    "mergeVarUpdate": _of("MergeVarUpdateType", "Off"),
    "mergeVarUpdateMemThreshold": 1000000,
    "numIOTiles": 0,
    "optimizerStateTensorLocationSettings": TensorLocationSettings(),
    "opxAliasChecking": False,
    "opxModifyChecking": False,
    "outlineSequenceBreakCost": 10000.0,
    "outlineThreshold": 1.0,
    "partialsTypeMatMuls": "",
    "rearrangeAnchorsOnHost": True,
    "rearrangeStreamsOnHost": False,
    "replicatedCollectivesSettings": ReplicatedCollectivesSettings(),
    "replicatedGraphCount": 1,
    "reportOptions": {},
    "scheduleNonWeightUpdateGradientConsumersEarly": False,
    "separateCallOpPdfs": True,
    "serializedPoprithmsShiftGraphsDir": "",
    "stashAllTensorsInferencePipeline": False,
    "strictOpVersions": True,
    "subgraphCopyingStrategy": _of("SubgraphCopyingStrategy", "OnEnterAndExit"),
    "swapLimitScheduler": 1000000000,
    "syntheticDataMode": _of("SyntheticDataMode", "Off"),
    "tensorLocationSettingsOverride": {},
    "timeLimitScheduler": 1e9,
    "transitiveClosureOptimizationThreshold": 100000,
    "updatableNamedBuffers": [],
    "useHostCopyOps": False,
    "useLoopCandidateCreator": False,
    "virtualGraphMode": _of("VirtualGraphMode", "Off"),
    "weightTensorLocationSettings": TensorLocationSettings(),
}
#: Older names, which still work.
_FORMER = {
    "defaultPrefetchBufferingDepth": "defaultBufferingDepth",
    "prefetchBufferingDepthMap": "bufferingDepthMap",
    "_enableRngStateManagement": "enableRngStateManagement",
}
# A row may know an option that the table lacks.
for _name in {name.partition(".")[0] for name in ACTING} - set(_DEFAULTS) - set(_FORMER):
    _DEFAULTS[_name] = None

_CACHE_VARIABLES = ("POPXL_CACHE_DIR", "POPART_CACHE_DIR")


class SessionOptions(Settings):
    """Options of a session, as attributes.

    >>> options = popart.SessionOptions()
    >>> options.enablePipelining = True
    """
    _defaults = _DEFAULTS

    def __init__(self) -> None:
        super().__init__()
        folder = next((os.environ[name] for name in _CACHE_VARIABLES if os.environ.get(name)), None)
        if folder:
            self.enableEngineCaching = True
            self.cachePath = folder

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(_FORMER.get(name, name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FORMER:
            warnings.warn(f"{name} has been deprecated and will be removed in a future release. "
                          f"Please use the alias {_FORMER[name]} instead.", DeprecationWarning, 2)
        super().__setattr__(_FORMER.get(name, name), value)

    def enableExplicitIR(self, enable: bool) -> None:  # type: ignore[misc]
        """Sets the options of PopART's explicit form; without effect."""
        self.useHostCopyOps = self.enableExplicitMainLoops = self.explicitRecomputation = enable
