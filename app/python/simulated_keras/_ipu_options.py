"""The methods that Graphcore's Keras gives to models: pipelines, accumulation, replication."""
from __future__ import annotations

import enum
from typing import Any, Callable, Dict, List, Optional

from . import _system
from ._errors import FailedPreconditionError
from ._stages import Called, check_stages, print_summary


class PipelineSchedule(enum.Enum):
    """How forward and backward passes follow each other."""
    Grouped = 0
    Interleaved = 1
    Sequential = 2


class RecomputationMode(enum.Enum):
    """When activations are computed again."""
    Auto = "Auto"
    RecomputeThenBackpropagate = "RecomputeThenBackpropagate"
    RecomputeAndBackpropagateInterleaved = "RecomputeAndBackpropagateInterleaved"


class GradientAccumulationReductionMethod(enum.Enum):
    """How gradients of micro-batches are combined."""
    SUM = 0
    MEAN = 1
    RUNNING_MEAN = 2


class PipelineStageOptions:
    """Options of the products in one stage."""

    def __init__(self, convolution_options: Optional[Dict[str, str]] = None,
                 matmul_options: Optional[Dict[str, str]] = None,
                 slice_options: Optional[Dict[str, str]] = None) -> None:
        for name, value in (("convolution_options", convolution_options),
                            ("matmul_options", matmul_options), ("slice_options", slice_options)):
            if value is not None and not isinstance(value, dict):
                raise TypeError(f"PipelineStageOptions.{name} must be dictionary.")
            setattr(self, name, dict(value or {}))


#: Arguments that are those of pipelining_ops.pipeline() and that the model gives itself.
_RESERVED = ("gradient_accumulation_count", "device_mapping", "accumulate_outfeed", "repeat_count",
             "inputs", "infeed_queue", "outfeed_queue", "optimizer_function", "outfeed_loss",
             "outfeed_mask")


def _method(value: Any) -> str:
    word = value.name.lower() if isinstance(value, enum.Enum) else str(value).lower()
    known = [method.name.lower() for method in GradientAccumulationReductionMethod]
    if word not in known:
        raise ValueError(f"Cannot parse {value} as one of "
                         "GradientAccumulationReductionMethod's values: " + ", ".join(known))
    return word


class IpuOptions:
    """Base of models: their options for IPUs."""

    name: str

    def _set_up_options(self) -> None:
        self._gradient_accumulation_steps_per_replica: Optional[int] = None
        self._gradient_accumulation_reduction_method = "sum"
        self._pipelining_gradient_accumulation_steps_per_replica: Optional[int] = None
        self._pipelining_device_mapping: Optional[List[int]] = None
        self._pipelining_accumulate_outfeed = False
        self._pipelining_kwargs: Dict[str, Any] = {}
        self._asynchronous_callbacks = False

    def _reset_programs(self) -> None:
        """Makes the next call compile again."""
        raise NotImplementedError

    def _calls(self) -> List[Called]:
        """The layers' calls with their stages, in the order of execution."""
        return []

    def set_gradient_accumulation_options(
            self, gradient_accumulation_steps_per_replica: Optional[int] = None,
            gradient_accumulation_reduction_method: Any = "sum", **unused: Any) -> None:
        """Gradients of so many micro-batches are combined before weights change."""
        _check_count(gradient_accumulation_steps_per_replica)
        self._gradient_accumulation_steps_per_replica = gradient_accumulation_steps_per_replica
        method = _method(gradient_accumulation_reduction_method)
        self._gradient_accumulation_reduction_method = method
        self._reset_programs()

    def set_pipelining_options(self,
                               gradient_accumulation_steps_per_replica: Optional[int] = None,
                               device_mapping: Optional[List[int]] = None,
                               accumulate_outfeed: Optional[bool] = None,
                               gradient_accumulation_reduction_method: Any = "sum",
                               **pipelining_kwargs: Any) -> None:
        """How a pipelined model runs."""
        _check_count(gradient_accumulation_steps_per_replica)
        for key in pipelining_kwargs:
            if key in _RESERVED:
                raise ValueError(f"Found `{key}` key in `pipelining_kwargs`. This argument is set "
                                 "by the model itself.")
        self._pipelining_gradient_accumulation_steps_per_replica = \
            gradient_accumulation_steps_per_replica
        self._pipelining_device_mapping = None if device_mapping is None else list(device_mapping)
        self._pipelining_accumulate_outfeed = bool(accumulate_outfeed)
        method = _method(gradient_accumulation_reduction_method)
        self._gradient_accumulation_reduction_method = method
        self._pipelining_kwargs = dict(pipelining_kwargs)
        self._reset_programs()

    def set_replication_options(self, replicated_metric_reduction_method: Any = "NONE") -> None:
        """How the metrics of replicas are combined; only those of the last one are simulated."""
        if str(replicated_metric_reduction_method).rpartition(".")[2].upper() != "NONE":
            raise NotImplementedError("replicated_metric_reduction_method: only 'NONE' is simulated")

    def set_infeed_queue_options(self, **kwargs: Any) -> None:
        """How many batches the host prepares."""
        _refuse_keys(kwargs, ("dataset", "infeed_spec", "element_spec"))

    def set_outfeed_queue_options(self, **kwargs: Any) -> None:
        """How many results the host keeps."""
        _refuse_keys(kwargs, ("outfeed_mode", "device_ordinal"))

    def set_asynchronous_callbacks(self, asynchronous: bool = False) -> None:
        """Whether callbacks come for each step."""
        self._asynchronous_callbacks = bool(asynchronous)

    def print_pipeline_stage_assignment_summary(
            self, line_length: Optional[int] = None,
            print_fn: Optional[Callable[[str], Any]] = None) -> None:
        """Prints the stage of each layer."""
        print_summary(self.name, self._calls(), line_length, print_fn)

    # For programs

    def _stages(self) -> int:
        """The number of pipeline stages, 0 without a pipeline."""
        return check_stages(self._calls())

    def _replicas(self) -> int:
        """How often the model fits the attached IPUs.

        Raises:
            ValueError: if it needs more than there are.
        """
        stages = self._stages()
        shards = max(self._pipelining_device_mapping or [stages - 1]) + 1 if stages else 1
        needed, attached = 1 << (shards - 1).bit_length(), _system.attached_ipus()
        if attached % needed or attached < needed:
            raise ValueError(f"Current device has {attached} IPUs attached, however the current "
                             f"model requires a multiple of {needed} IPUs.")
        return attached // needed

    def _accumulation(self, steps: int) -> int:
        """Micro-batches of a weight update.

        Raises:
            ValueError, RuntimeError: if an execution does not hold whole updates.
        """
        pipelined = self._stages() > 0
        count = (self._pipelining_gradient_accumulation_steps_per_replica if pipelined else
                 self._gradient_accumulation_steps_per_replica)
        if pipelined and count is None:
            raise ValueError(
                "The model which you are attempting to train is pipelined, however "
                "`gradient_accumulation_steps_per_replica` has not been set through "
                "`set_pipelining_options()`. You need to set it in order to train the model.")
        count = count or 1
        if steps % count:
            kind = "pipelined model" if pipelined else "model"
            raise RuntimeError(
                f"The {kind} has been configured to use gradient accumulation for training, however "
                f"the current `steps_per_execution` value (set to {steps}) is not divisible by "
                f"`gradient_accumulation_steps_per_replica` (currently set to {count}). You need to "
                "adjust either of these values, so that the first is a multiple of the second.")
        return count

    def _check_pipeline(self, length: int, training: bool) -> None:
        """Raises FailedPreconditionError for a pipeline that is too short for its schedule."""
        stages = self._stages()
        if not stages:
            return
        schedule = self._pipelining_kwargs.get("pipeline_schedule") or PipelineSchedule.Grouped
        multiple = {"Grouped": 2 * stages if training else stages, "Interleaved": stages,
                    "Sequential": 1}[schedule.name]
        if schedule.name == "Interleaved" and self._pipelining_device_mapping:
            return  # stages that share an IPU need fewer
        if length % multiple:
            raise FailedPreconditionError(
                f"The number of iterations of the pipeline must be a multiple of {multiple}, but it "
                f"is {length}. {schedule.name} schedules of {stages} stages need it.")


def _check_count(count: Any) -> None:
    if count is not None and (not isinstance(count, int) or count < 1):
        raise ValueError(f"`gradient_accumulation_steps_per_replica` must be a positive integer, got "
                         f"{count} instead.")


def _refuse_keys(kwargs: Dict[str, Any], refused: Any) -> None:
    for key in kwargs:
        if key in refused:
            raise ValueError(f"Found `{key}` key in the options of the queue. This is set "
                             "automatically by the model.")
