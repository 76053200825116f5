"""PopART's enumerations, with the names and numbers that its Python module publishes."""
from __future__ import annotations

import enum
from typing import Dict, Type

#: Members in the order of their numbers, from 0.
_MEMBERS = {
    "AccumulateOuterFragmentSchedule": "Scheduler Serial OverlapCycleOptimized OverlapMemoryOptimized",
    "AdamMode": "Adam AdamNoBias AdaMax Lamb LambNoBias",
    "AdaptiveMode": "AdaGrad RMSProp CenteredRMSProp AdaDelta",
    "AnchorReturnTypeId": "Final EveryN Sum All",
    "AutodiffStitchStrategy": "RecomputeMinimal RecomputeAllNonInputs AddFwdOutputs SafeAddFwdOutputs",
    "BatchSerializationBatchSchedule": "Scheduler Isomorphic OverlapOnIo OverlapOnCompute",
    "BatchSerializationMethod": "UnrollDynamic UnrollStatic Loop",
    "BatchSerializationTransformContext": "Fwd Bwd",
    "CommGroupType": "All Consecutive Orthogonal Ungrouped",
    "DataType": ("UINT8 INT8 UINT16 INT16 INT32 INT64 UINT32 UINT64 BOOL FLOAT FLOAT16 BFLOAT16 "
                 "DOUBLE COMPLEX64 COMPLEX128 STRING UNDEFINED"),
    "DeviceConnectionType": "Always OnDemand Never",
    "DeviceSelectionCriterion": "First Random",
    "DeviceType": "IpuModel Cpu Ipu OfflineIpu Sim",
    "DotCheck": "Fwd0 Fwd1 Bwd0 PreAlias Final",
    "ExchangeStrategy": "JustInTime OverlapInnerLoop OverlapLoops OverlapStep",
    "ExecutionPhaseIOSchedule": "Preload OnDemand",
    "ExecutionPhaseSchedule": "Interleaving Batch BatchClusteredIO",
    "GradientTensorTrackingMethod": ("AllNonViewChangingGradientTensors ConvAndMatmulGradients "
                                     "GradientsOfUserSpecifiedTensors"),
    "Instrumentation": "Outer Inner",
    "IrSerializationFormat": "JSON",
    "MeanReductionStrategy": "Running Post",
    "MergeVarUpdateType": "Off All AutoLoose AutoTight",
    "PatternsLevel": "NoPatterns Minimal Default All",
    "RecomputationType": "NoRecompute Standard NormOnly Pipeline RecomputeAll",
    "RecomputeType": "Undefined Checkpoint Recompute Recomputed",
    "ReductionType": "Sum Mean NoReduction",
    "ReplicatedTensorSharding": "Off On",
    "SGDAccumulatorAndMomentum": "Combined Separate",
    "ScatterReduction": "Sum Max Min Mul NoReduction",
    "SubgraphCopyingStrategy": "OnEnterAndExit JustInTime",
    "SyncPattern": "Full SinglePipeline ReplicaAndLadder",
    "SyntheticDataMode": "Off Zeros RandomNormal RandomUniform",
    "TensorStorage": "OffChip OnChip",
    "TileSet": "Compute IO",
    "VariableRetrievalMode": "OnePerGroup AllReduceReplicas AllReplicas",
    "VirtualGraphMode": "Off Manual Auto ExecutionPhases",
    "WeightDecayMode": "Decay L2Regularization",
}


def _made(name: str, members: str) -> Type[enum.IntEnum]:
    numbers = {member: number for number, member in enumerate(members.split())}
    made = enum.IntEnum(name, numbers, module="popart")  # type: ignore[misc]
    made.__doc__ = f"PopART's enumeration {name}."
    return made


#: The enumerations by name.
ENUMS: Dict[str, Type[enum.IntEnum]] = {name: _made(name, members)
                                        for name, members in _MEMBERS.items()}
globals().update(ENUMS)
__all__ = list(ENUMS)  # noqa: PLE0605
