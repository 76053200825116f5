"""The groups of :class:`poptorch.Options`."""
from __future__ import annotations

from typing import Any, Dict, Optional

import torch

from . import _validator, autocasting, enums
from ._environment import whole_number
from ._groups import OptionsGroup
from ._logging import say_once
from ._popart_options import PopartOptions


class _JitOptions(OptionsGroup):
    """How models are read; without effect."""

    _title = "poptorch.Options.Jit"

    def __init__(self) -> None:
        super().__init__(trace_model=True)

    def traceModel(self, trace_model: bool) -> "_JitOptions":
        """Whether PopTorch reads models with PyTorch's tracer; without effect: the results are the
        same either way."""
        self.set(trace_model=trace_model)
        return self


class _PrecisionOptions(OptionsGroup):
    """Element types and rounding."""

    _title = "poptorch.Options.Precision"

    def __init__(self, popart: PopartOptions) -> None:
        super().__init__(half_float_casting=enums.HalfFloatCastingBehavior.FloatDowncastToHalf,
                         running_statistics_always_float=True,
                         autocast_enabled=True,
                         autocast_policy=autocasting.default,
                         partials_type=None,
                         stochastic_rounding=False,
                         floating_point_exceptions=False)
        self._popart = popart

    def autocastEnabled(self, autocast_enabled: bool) -> "_PrecisionOptions":
        """Whether autocasting may cast; without effect."""
        if not isinstance(autocast_enabled, bool):
            raise ValueError("autocastEnabled must be set to either True or False")
        self.set(autocast_enabled=autocast_enabled)
        return self

    def autocastPolicy(self, autocast_policy: autocasting.Policy) -> "_PrecisionOptions":
        """Which operations autocasting casts; without effect."""
        if not isinstance(autocast_policy, autocasting.Policy):
            raise ValueError("autocastPolicy must be set to an instance of "
                             "poptorch.autocasting.Policy")
        say_once("Precision.autocastPolicy has no effect: operations have the types of the model")
        self.set(autocast_policy=autocast_policy)
        return self

    def halfFloatCasting(self, half_float_casting: enums.HalfFloatCastingBehavior
                         ) -> "_PrecisionOptions":
        """Result type of operations on half and float. Without effect: see the user guide's note on
        half precision."""
        if not isinstance(half_float_casting, enums.HalfFloatCastingBehavior):
            raise ValueError("halfFloatCasting must be set to a "
                             "poptorch.HalfFloatCastingBehavior")
        say_once("Precision.halfFloatCasting has no effect: a model with any half parameter is "
                 "computed in half throughout")
        self.set(half_float_casting=half_float_casting)
        return self

    def runningStatisticsAlwaysFloat(self, value: bool) -> "_PrecisionOptions":
        """Whether running statistics are float; without effect."""
        if not isinstance(value, bool):
            raise ValueError("runningStatisticsAlwaysFloat needs to be set to a bool")
        say_once("Precision.runningStatisticsAlwaysFloat has no effect: statistics have the "
                 "model's type")
        self.set(running_statistics_always_float=value)
        return self

    runningVarianceAlwaysFloat = runningStatisticsAlwaysFloat

    def enableFloatingPointExceptions(self, enabled: bool) -> "_PrecisionOptions":
        """Whether invalid operations, divisions by zero and overflows raise a poptorch.Error that
        names the operation."""
        assert isinstance(enabled, bool), \
            "enableFloatingPointExceptions needs to be set to a bool"
        self._popart.set("enableFloatingPointChecks", enabled)
        self.set(floating_point_exceptions=enabled)
        return self

    def enableStochasticRounding(self, enabled: bool) -> "_PrecisionOptions":
        """Whether halves are rounded stochastically, so that sums are right on average; the random
        numbers follow from Options.randomSeed()."""
        self._popart.set("enableStochasticRounding", enabled)
        self.set(stochastic_rounding=enabled)
        return self

    def setPartialsType(self, dtype: torch.dtype) -> "_PrecisionOptions":
        """Type of partial sums of products and convolutions: torch.float or torch.half."""
        names = {torch.float32: "float", torch.float16: "half"}
        if dtype not in names:
            raise ValueError("parameter to setPartialsType should be either torch.float or "
                             "torch.half")
        self._popart.set("partialsTypeMatMuls", names[dtype])
        self.set(partials_type=dtype)
        return self


class _TrainingOptions(OptionsGroup):
    """Options for training only."""

    _title = "poptorch.Options.Training"

    def __init__(self, popart: PopartOptions) -> None:
        super().__init__(
            gradient_accumulation=1,
            accumulation_and_replication_reduction_type=enums.ReductionType.Mean,
            meanAccumulationAndReplicationReductionStrategy=enums.MeanReductionStrategy.Post)
        self._popart = popart

    def gradientAccumulation(self, gradient_accumulation: int) -> "_TrainingOptions":
        """Micro-batches of one weight update, 1 or more."""
        self.set(gradient_accumulation=_validator.whole_number("gradientAccumulation",
                                                               gradient_accumulation))
        return self

    def accumulationAndReplicationReductionType(self, reduction_type: enums.ReductionType
                                                ) -> "_TrainingOptions":
        """Whether gradients of micro-batches and replicas are summed or averaged (default)."""
        if reduction_type not in (enums.ReductionType.Mean, enums.ReductionType.Sum):
            raise ValueError("accumulationAndReplicationReductionType must be set to "
                             "poptorch.ReductionType.Mean or poptorch.ReductionType.Sum")
        self.set(accumulation_and_replication_reduction_type=enums.ReductionType(reduction_type))
        return self

    accumulationReductionType = accumulationAndReplicationReductionType

    def setMeanAccumulationAndReplicationReductionStrategy(
            self, strategy: enums.MeanReductionStrategy) -> "_TrainingOptions":
        """When a mean divides. Without effect: it divides at the weight update (Post)."""
        if not isinstance(strategy, enums.MeanReductionStrategy):
            raise ValueError("the strategy must be a poptorch.MeanReductionStrategy")
        if strategy != enums.MeanReductionStrategy.Post:
            say_once("Training.setMeanAccumulationAndReplicationReductionStrategy has no effect: "
                     "means divide at the weight update")
        self.set(meanAccumulationAndReplicationReductionStrategy=strategy)
        return self

    def setAutomaticLossScaling(self, enabled: bool) -> "_TrainingOptions":
        """Whether the loss scaling doubles after each weight update, and is halved when gradients are
        too large."""
        self._popart.set("automaticLossScalingSettings.enabled", enabled)
        return self

    def setConvolutionDithering(self, enabled: bool) -> "_TrainingOptions":
        """Whether convolutions start on randomly chosen tiles; without effect."""
        say_once("Training.setConvolutionDithering has no effect: " "plans start on the first tile")
        return self


class _DistributedOptions(OptionsGroup):
    """Number of this process among several (from mpirun's variables by default)."""

    _title = "poptorch.Options.Distributed"

    def __init__(self) -> None:
        super().__init__(num_distributed_processes=1, distributed_process_id=0)
        self.setEnvVarNames("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK")

    def disable(self) -> "_DistributedOptions":
        """Uses one process, regardless of the environment."""
        self.set(num_distributed_processes=1, distributed_process_id=0)
        return self

    def setEnvVarNames(self, var_num_processes: str, var_process_id: str) -> "_DistributedOptions":
        """Reads process count and number from environment variables of these names."""
        return self.configureProcessId(whole_number(var_process_id, 0),
                                       whole_number(var_num_processes, 1))

    def configureProcessId(self, process_id: int, num_processes: int) -> "_DistributedOptions":
        """This process is number ``process_id`` (from 0) of ``num_processes``."""
        self.set(distributed_process_id=process_id, num_distributed_processes=num_processes)
        return self

    @property
    def processId(self) -> int:
        """Number of this process, from 0."""
        return self.distributed_process_id

    @property
    def numProcesses(self) -> int:
        """Number of processes."""
        return self.num_distributed_processes


class TensorLocationSettings(OptionsGroup):
    """Where tensors of a kind are kept.

    >>> poptorch.TensorLocationSettings().useOnChipStorage(False)
    """

    _title = "poptorch.TensorLocationSettings"

    def minElementsForOffChip(self, min_elements: int) -> "TensorLocationSettings":
        """Tensors with fewer elements stay on the chip; without effect: all tensors leave it."""
        assert isinstance(min_elements, int)
        say_once("TensorLocationSettings.minElementsForOffChip has no effect: all tensors of the "
                 "kind leave the chip")
        self.createOrSet(minElementsForOffChip=min_elements)
        return self

    def minElementsForReplicatedTensorSharding(self, min_elements: int
                                               ) -> "TensorLocationSettings":
        """Tensors with fewer elements are not sharded; 8192 by default."""
        assert isinstance(min_elements, int)
        _validator.whole_number("minElementsForReplicatedTensorSharding", min_elements)
        self.createOrSet(minElementsForReplicatedTensorSharding=min_elements)
        return self

    def useOnChipStorage(self, use: Optional[bool] = True) -> "TensorLocationSettings":
        """Whether the tensors are kept on the chip, or in streaming memory; None: not specified."""
        if use is None:
            self.deleteIfExists("onChip")
        else:
            assert isinstance(use, bool)
            self.createOrSet(onChip=int(use))
        return self

    def useReplicatedTensorSharding(self, use: bool = True) -> "TensorLocationSettings":
        """Whether each replica keeps only a shard (optimizer state)."""
        assert isinstance(use, bool)
        self.createOrSet(useReplicatedTensorSharding=int(use))
        return self

    def useIOTilesToLoad(self, use: bool = True) -> "TensorLocationSettings":
        """Whether I/O tiles load the tensors; without effect: all tiles do."""
        assert isinstance(use, bool)
        if use:
            say_once("TensorLocationSettings.useIOTilesToLoad has no effect: all tiles load")
        self.createOrSet(useIOTilesToLoad=int(use))
        return self

    def useIOTilesToStore(self, use: bool = True) -> "TensorLocationSettings":
        """Whether I/O tiles store the tensors; without effect: all tiles do."""
        assert isinstance(use, bool)
        if use:
            say_once("TensorLocationSettings.useIOTilesToStore has no effect: all tiles store")
        self.createOrSet(useIOTilesToStore=int(use))
        return self


class _TensorLocationOptions(OptionsGroup):
    """Where activations, weights, accumulators and optimizer state are kept."""

    _title = "poptorch.Options.TensorLocations"

    def numIOTiles(self, num_tiles: int) -> "_TensorLocationOptions":
        """Tiles of each IPU for transfers with the host: an even number from 32 to 192."""
        assert isinstance(num_tiles, int)
        assert 32 <= num_tiles <= 192 and num_tiles % 2 == 0, (
            "numIOTiles must be an even number between 32 and 192.")
        _validator.whole_number("ioTiles", num_tiles)
        self.createOrSet(numIOTiles=num_tiles)
        return self

    def setActivationLocation(self, location: TensorLocationSettings) -> "_TensorLocationOptions":
        """Where activations wait for the backward pass."""
        return self._place("location_activation", location)

    def setWeightLocation(self, location: TensorLocationSettings) -> "_TensorLocationOptions":
        """Where weights are kept."""
        return self._place("location_weight", location)

    def setOptimizerLocation(self, location: TensorLocationSettings) -> "_TensorLocationOptions":
        """Where the optimizer's state is kept."""
        return self._place("location_optimizer", location)

    def setAccumulatorLocation(self, location: TensorLocationSettings) -> "_TensorLocationOptions":
        """Where gradients accumulate; always on the chip."""
        if not location.toDict().get("onChip", 1):
            say_once("TensorLocations.setAccumulatorLocation has no effect: accumulators stay on "
                     "the chip")
        return self._place("location_accumulator", location)

    def _place(self, name: str, location: TensorLocationSettings) -> "_TensorLocationOptions":
        assert isinstance(location, TensorLocationSettings)
        self.createOrSet(**{name: location.toDict()})
        return self

    def _job_options(self, training: bool) -> Dict[str, str]:
        """The keys of a job for these locations."""
        values: Dict[str, Any] = self.toDict()
        keys: Dict[str, str] = {}
        off = [
            kind for kind, name in (("optimizer", "location_optimizer"),
                                    ("activations", "location_activation"), ("weights",
                                                                             "location_weight"))
            if not values.get(name, {}).get("onChip", 1) and (training or kind == "weights")
        ]
        if off:
            keys["offload"] = ",".join(off)
        sharded = [
            values[name] for name in ("location_optimizer", "location_weight")
            if training and values.get(name, {}).get("useReplicatedTensorSharding")
        ]
        if sharded:
            keys["replicatedTensorSharding"] = "on"
            least = sharded[0].get("minElementsForReplicatedTensorSharding")
            if least is not None:
                keys["minElementsForReplicatedTensorSharding"] = str(least)
        if "numIOTiles" in values:
            keys["ioTiles"] = str(values["numIOTiles"])
        return keys
