"""Pipeline stages: their context, and which layers are in them."""
from __future__ import annotations


from typing import Any, Callable, List, NamedTuple, Optional

from ._graph import in_stage


class PipelineStage:
    """A context whose layers belong to a stage, where they are called or made."""

    def __init__(self, stage: int) -> None:
        if not isinstance(stage, int) or stage < 0:
            raise ValueError(f"{stage} is not a valid pipeline stage.")
        self._stage = stage
        self._context: Any = None

    def __enter__(self) -> "PipelineStage":
        self._context = in_stage(self._stage)
        self._context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)




class LayerPipelineStageAssignment:
    """The stage of a layer of a Sequential model."""

    def __init__(self, layer: Any, pipeline_stage: Optional[int] = None) -> None:
        self.layer, self.pipeline_stage = layer, pipeline_stage

    def __repr__(self) -> str:
        return f"Layer: {self.layer.name} is assigned to pipeline stage: {self.pipeline_stage}"


class FunctionalLayerPipelineStageAssignment(LayerPipelineStageAssignment):
    """The stage of a layer's call."""

    def __init__(self, layer: Any, node_index: int, pipeline_stage: Optional[int] = None) -> None:
        super().__init__(layer, pipeline_stage)
        self.node_index = node_index

    @property
    def inbound_layers(self) -> Any:
        """The layers that make the operands."""
        return [x.node.layer for x in self.layer._nodes[self.node_index].tensors()]

    def __repr__(self) -> str:
        return (f"Layer: {self.layer.name} (node index {self.node_index}) is assigned to pipeline "
                f"stage: {self.pipeline_stage}")


class Called(NamedTuple):
    """A layer's call with its stage."""
    layer: Any
    stage: Optional[int]
    operands: List[Any]  #: the layers that make its operands


def check_stages(calls: List[Called]) -> int:
    """The number of stages; 0 for a model without any.

    Raises:
        ValueError, RuntimeError: for stages that are missing, out of order or empty.
    """
    given = {call.stage for call in calls}
    if given <= {None}:
        return 0
    if None in given:
        missing = [call.layer.name for call in calls if call.stage is None]
        raise ValueError("All pipelined operations of a model must have a pipeline stage, but these "
                         f"layers have none: {', '.join(missing)}.")
    stages = {int(stage) for stage in given if stage is not None}
    if stages != set(range(max(stages) + 1)):
        raise RuntimeError("All stages in a pipeline must have at lease one layer assigned to them. "
                           f"Stages with layers are {sorted(stages)}.")
    _check_order(calls)
    return len(stages)


def _check_order(calls: List[Called]) -> None:
    latest = {}
    for call in calls:
        assert call.stage is not None
        for layer in call.operands:
            if latest.get(layer, 0) > call.stage:
                raise ValueError(
                    f"Layer {call.layer.name} in pipeline stage {call.stage} has a dependency from a "
                    "pipeline stage which has not yet been executed. Layers can only use outputs "
                    "from current or previous pipeline stages.")
        latest[call.layer] = call.stage


def print_summary(name: str, calls: List[Called], line_length: Optional[int],
                  print_fn: Optional[Callable[[str], Any]]) -> None:
    """The table of layers and their stages."""
    say = print_fn or print
    width = line_length or 65
    column = int(width * 0.7)
    say(f'Model: "{name}"')
    say("_" * width)
    say(f"{'Layer (type)':<{column}}Pipeline Stage"[:width])
    say("=" * width)
    for number, call in enumerate(calls):
        title = f"{call.layer.name} ({type(call.layer).__name__})"
        say(f"{title:<{column}}{call.stage}"[:width])
        say(("=" if number + 1 == len(calls) else "_") * width)
