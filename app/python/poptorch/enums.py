"""The enumerations of PopTorch 3.3."""
from __future__ import annotations

import enum


class DataLoaderMode(enum.IntEnum):
    """How :class:`poptorch.DataLoader` loads: in the caller's thread, or ahead of it.

    ``AsyncRebatched`` loads ahead and combines what the workers load into complete batches.
    """
    Sync = 0
    Async = 1
    AsyncRebatched = 2


class SharingStrategy(enum.Enum):
    """How data are passed from a worker of :class:`poptorch.AsynchronousDataAccessor`."""
    SharedMemory = "shared_memory"
    FileSystem = "file_system"
    Fork = "fork"
    ForkServer = "forkserver"


class OutputMode(enum.IntEnum):
    """Which micro-batches of a call are returned: the last one, each n-th, all, or their sum.

    ``Default`` is Final in training and All in inference.
    """
    Final = 0
    EveryN = 1
    All = 2
    Sum = 3
    Default = 4


class ConnectionType(enum.IntEnum):
    """When a device is attached. ``Never`` only compiles: the model cannot be called."""
    Always = 0
    OnDemand = 1
    Never = 2


class HalfFloatCastingBehavior(enum.IntEnum):
    """The result type of operations on half and float."""
    FloatDowncastToHalf = 0
    HalfUpcastToFloat = 1


class ReductionType(enum.IntEnum):
    """How gradients of micro-batches and replicas are combined."""
    Sum = 0
    Mean = 1
    NoReduction = 2


class MeanReductionStrategy(enum.IntEnum):
    """When a mean of gradients is divided: during accumulation, or at the weight update."""
    Running = 0
    Post = 1


class SyncPattern(enum.IntEnum):
    """Which IPUs synchronise with each other."""
    Full = 0
    SinglePipeline = 1
    ReplicaAndLadder = 2


class MatMulSerializationMode(enum.Enum):
    """The dimension split by :func:`poptorch.serializedMatMul`."""
    InputChannels = "input_channels"
    ReducingDim = "reducing_dim"
    OutputChannels = "output_channels"
    Disabled = "none"


class Liveness(enum.IntEnum):
    """When tensors of a phase leave the chip (:class:`poptorch.SerialPhasedExecution`)."""
    AlwaysLive = 0
    OffChipAfterFwd = 1
    OffChipAfterFwdNoOverlap = 2
    OffChipAfterEachPhase = 3


class AutoStage(enum.IntEnum):
    """The stage of a block not named by the strategy: its IPU's number, or the next one."""
    SameAsIpu = 0
    AutoIncrement = 1


class MultiConvPlanType(enum.IntEnum):
    """Whether the convolutions of a :class:`poptorch.MultiConv` run side by side."""
    Parallel = 0
    Serial = 1


class OverlapMode(enum.Enum):
    """Which loops a transfer with the host may overlap."""
    NoOverlap = "no_overlap"
    OverlapAccumulationLoop = "overlap_accumulation_loop"
    OverlapDeviceIterationLoop = "overlap_device_iteration_loop"


class CommGroupType(enum.IntEnum):
    """Which replicas share a variable."""
    All = 0
    Consecutive = 1
    Orthogonal = 2
    NoGrouping = 3


class VariableRetrievalMode(enum.IntEnum):
    """From which replicas a variable is read."""
    OnePerGroup = 0
    AllReplicas = 2


class Compiler(enum.IntEnum):
    """PopTorch's compilers; PopART is the one that is simulated."""
    PopART = 0
    MLIR = 1
