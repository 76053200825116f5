"""The module `tensorflow.python.ipu`."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from . import _config, _ipu_options, _queues, _strategy
from ._errors import make_module, refuse_unknown
from ._graph import current_graph
from ._range import tf_range
from ._stages import PipelineStage

_STAGE_OPTIONS = {"PipelineSchedule": _ipu_options.PipelineSchedule,
                  "RecomputationMode": _ipu_options.RecomputationMode,
                  "PipelineStageOptions": _ipu_options.PipelineStageOptions}


def _repeat(n: int, body: Callable[..., Any], inputs: Any = None, infeed_queue: Any = None,
            **unused: Any) -> Any:
    """A loop of a body that reads a queue and passes nothing on."""
    if inputs:
        raise NotImplementedError("loops.repeat(inputs) is not simulated: a program repeats one "
                                  "micro-batch")
    assert current_graph() is not None, "loops.repeat() is for functions that strategy.run() runs"
    result = None
    for _ in tf_range(n):
        element = infeed_queue.dequeue() if infeed_queue is not None else ()
        result = body(*element) if isinstance(element, tuple) else body(element)
    return result


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Variables are on the host anyway."""


config = make_module(
    "tensorflow.python.ipu.config", "Configuration.", IPUConfig=_config.IPUConfig,
    DeviceConnectionType=_config.DeviceConnectionType, SelectionOrder=_config.SelectionOrder,
    StochasticRoundingBehaviour=_config.StochasticRoundingBehaviour,
    MergeRemoteBuffersBehaviour=_config.MergeRemoteBuffersBehaviour,
    configure_ipu_system=_config.configure_ipu_system, get_ipu_config=_config.get_ipu_config,
    reset_ipu_configuration=_config.reset_ipu_configuration)
ipu_strategy = make_module("tensorflow.python.ipu.ipu_strategy", "Strategies.",
                           IPUStrategy=_strategy.IPUStrategy, IPUStrategyV1=_strategy.IPUStrategyV1)
ipu_infeed_queue = make_module("tensorflow.python.ipu.ipu_infeed_queue", "Streams to programs.",
                               IPUInfeedQueue=_queues.IPUInfeedQueue)
ipu_outfeed_queue = make_module(
    "tensorflow.python.ipu.ipu_outfeed_queue", "Streams from programs.",
    IPUOutfeedQueue=_queues.IPUOutfeedQueue, IPUOutfeedMode=_queues.IPUOutfeedMode)
pipelining_ops = make_module("tensorflow.python.ipu.pipelining_ops", "Pipelines.", **_STAGE_OPTIONS)
ops = make_module("tensorflow.python.ipu.ops", "Operations.", pipelining_ops=pipelining_ops)
loops = make_module("tensorflow.python.ipu.loops", "Loops.", repeat=_repeat)
utils = make_module("tensorflow.python.ipu.utils", "Helpers.",
                    move_variable_initialization_to_cpu=_nothing,
                    configure_ipu_system=_config.configure_ipu_system)
keras = make_module("tensorflow.python.ipu.keras", "Keras' additions.", PipelineStage=PipelineStage,
                    PipelineSchedule=_ipu_options.PipelineSchedule)
gradient_accumulation = make_module(
    "tensorflow.python.ipu.gradient_accumulation", "Reduction of gradients.",
    GradientAccumulationReductionMethod=_ipu_options.GradientAccumulationReductionMethod)

__all__ = ["config", "gradient_accumulation", "ipu_infeed_queue", "ipu_outfeed_queue",
           "ipu_strategy", "keras", "loops", "ops", "pipelining_ops", "utils"]
__getattr__ = refuse_unknown("tensorflow.python.ipu", __all__)


def modules() -> Dict[str, Any]:
    """All modules below by their paths."""
    found: Dict[str, Optional[Any]] = {name: globals()[name] for name in __all__}
    found["ops.pipelining_ops"] = pipelining_ops
    return found
