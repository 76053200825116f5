"""Stages, phases, and how several IPUs share a model."""
from __future__ import annotations

from typing import Dict, List, Optional, Tuple, Union

from . import enums
from ._logging import say_once

BlockId = str
#: (stage, IPU, phase) of a block; -1 where it has none.
Place = Tuple[int, int, int]


class Stage:
    """One or more blocks that run on one IPU.

    Args:
        block_ids: names of blocks.

    >>> poptorch.Stage("encoder", "pooling").ipu(1)
    """

    def __init__(self, *block_ids: BlockId) -> None:
        if not all(isinstance(block, str) for block in block_ids):
            raise AssertionError(f"Block IDs are supposed to be strings but got {block_ids}")
        self._blocks = block_ids
        self._stage_id = -1
        self._phase_id = -1
        self._ipu: Optional[int] = None

    @property
    def blocks(self) -> Tuple[BlockId, ...]:
        """Names of the stage's blocks."""
        return self._blocks

    def ipu(self, ipu: int) -> "Stage":
        """Sets the IPU that runs the stage, from 0."""
        assert isinstance(ipu, int)
        self._ipu = ipu
        return self

    def __repr__(self) -> str:
        where = "" if self._ipu is None else f".ipu({self._ipu})"
        return f"Stage({', '.join(map(repr, self._blocks))}){where}"


class Phase:
    """An execution phase: stages, or blocks that form one stage."""

    def __init__(self, *arg: Union[BlockId, Stage]) -> None:
        if all(isinstance(part, Stage) for part in arg):
            self.stages: List[Stage] = list(arg)  # type: ignore[arg-type]
        else:
            assert all(isinstance(part, str) for part in arg), (
                "All arguments must either be block ids (strings) or Stages: "
                f"{[type(part) for part in arg]}")
            self.stages = [Stage(*arg)]  # type: ignore[arg-type]

    def stage(self, idx: int) -> Stage:
        """The stage of that number."""
        return self.stages[idx]

    def ipus(self, *ipus: int) -> None:
        """Sets the IPU of each stage; as many as the phase has stages."""
        assert len(ipus) == len(self.stages), (
            f"Phase contains {len(self.stages)} stages but you provided {len(ipus)} ipus")
        for stage, ipu in zip(self.stages, ipus):
            stage.ipu(ipu)


def _stage_of(arg: Union[Stage, BlockId, List[BlockId]]) -> Stage:
    if isinstance(arg, Stage):
        return arg
    return Stage(arg) if isinstance(arg, str) else Stage(*arg)


class _IExecutionStrategy:
    """Where blocks run. ``_execution`` is its value in a job."""

    _execution = "pipelined"
    _number = 0  #: PopTorch's number of it

    def __init__(self) -> None:
        self._block_map: Dict[BlockId, Stage] = {}

    def _add(self, stage: Stage) -> None:
        for block in stage.blocks:
            assert block not in self._block_map, f"{block} associated with more than one stage"
            self._block_map[block] = stage

    def stage(self, block_id: BlockId) -> Stage:
        """The stage that a block belongs to."""
        assert block_id in self._block_map, f"Unknown block {block_id}"
        return self._block_map[block_id]

    def _place(self, block_id: BlockId, ipu: Optional[int]) -> Place:
        """Where a block runs; ``ipu`` is the IPU given by the block itself."""
        raise NotImplementedError

    def _begin(self, block_id: BlockId, ipu: Optional[int]) -> None:
        """Says that there are operations before the first block."""

    def _known(self, block_id: BlockId) -> Stage:
        assert block_id in self._block_map, (
            f"Unknown Block '{block_id}' list of expected Blocks: {list(self._block_map)}")
        return self._block_map[block_id]

    def _job_options(self, phases: int) -> Dict[str, str]:
        """The keys of a job for the strategy, if there are several IPUs or phases."""
        return {"execution": self._execution}


class PipelinedExecution(_IExecutionStrategy):
    """Stages work on micro-batches side by side.

    Args:
        args: stages, names of blocks or lists of names, in order; or one
            :class:`poptorch.AutoStage`; ``AutoStage.SameAsIpu`` by default.

    >>> poptorch.PipelinedExecution(poptorch.Stage("A", "B"), "C")
    """

    def __init__(self, *args: Union[enums.AutoStage, BlockId, Stage, List[BlockId]]) -> None:
        super().__init__()
        self._auto_stage: Optional[enums.AutoStage] = None
        self._auto_places: Dict[BlockId, int] = {}
        if len(args) == 1 and isinstance(args[0], enums.AutoStage):
            self._auto_stage = args[0]
        elif not args:
            self._auto_stage = enums.AutoStage.SameAsIpu
        else:
            for number, arg in enumerate(args):
                stage = _stage_of(arg)  # type: ignore[arg-type]
                stage._stage_id = number
                self._add(stage)

    def _place(self, block_id: BlockId, ipu: Optional[int]) -> Place:
        if self._auto_stage is None:
            stage = self._known(block_id)
            on = stage._ipu if stage._ipu is not None else ipu
            return stage._stage_id, stage._stage_id if on is None else on, -1
        if self._auto_stage == enums.AutoStage.SameAsIpu:
            assert ipu is not None, (
                "poptorch.AutoStage.SameAsIpu was selected but no IPU was specified for block "
                f"{block_id}")
            return ipu, ipu, -1
        return self._next(block_id, ipu)

    def _begin(self, block_id: BlockId, ipu: Optional[int]) -> None:
        if self._auto_stage == enums.AutoStage.AutoIncrement:
            self._next(block_id, ipu)

    def _next(self, block_id: BlockId, ipu: Optional[int]) -> Place:
        number = self._auto_places.setdefault(block_id, len(self._auto_places))
        return number, number if ipu is None else ipu, -1


class ShardedExecution(PipelinedExecution):
    """Stages work one after the other on each micro-batch. Arguments as
    :class:`poptorch.PipelinedExecution`'s."""

    _execution = "sharded"
    _number = 1


class _IPhasedExecution(_IExecutionStrategy):
    """Phases run one after the other. A phase's weights, with their accumulators and optimizer
    state, are in streaming memory except while its IPUs need them; activations stay on the chip."""

    _execution = "phased"
    _number = 2
    #: Groups of IPUs that take turns.
    _groups = 1

    def __init__(self, *phases: Union[Phase, List[Stage], List[BlockId]]) -> None:
        super().__init__()
        assert phases, ("There is currently no AutoStage for PhasedExecution, please explicitly "
                        "specify the phases")
        self._phases: List[Phase] = []
        self._separate_backward_phase = False
        self._liveness = enums.Liveness.AlwaysLive
        if len(phases) == 1 and isinstance(phases[0], list) and all(
                isinstance(part, Phase) for part in phases[0]):
            phases = tuple(phases[0])  # type: ignore[arg-type]
        for number, arg in enumerate(phases):
            parts = arg if isinstance(arg, list) else [arg]
            phase = arg if isinstance(arg, Phase) else Phase(*parts)
            self._phases.append(phase)
            for stage in phase.stages:
                stage._phase_id = number
                self._add(stage)

    def phase(self, phase: int) -> Phase:
        """The phase of that number."""
        assert isinstance(phase, int) and phase >= 0, "Phases are identified by positive integers"
        return self._phases[phase]

    def useSeparateBackwardPhase(self, use: bool = True) -> "_IPhasedExecution":
        """Whether the backward pass begins a phase of its own; without effect: the last forward
        phase and its backward pass share a turn of their IPUs."""
        assert isinstance(use, bool)
        if use:
            say_once("useSeparateBackwardPhase has no effect: the last forward phase and its "
                     "backward pass share a turn of their IPUs")
        self._separate_backward_phase = use
        return self

    def _place(self, block_id: BlockId, ipu: Optional[int]) -> Place:
        stage = self._known(block_id)
        on = stage._ipu if stage._ipu is not None else ipu
        return -1, -1 if on is None else on, stage._phase_id

    def _job_options(self, phases: int) -> Dict[str, str]:
        return {
            "execution": self._execution,
            "phases": str(phases),
            "phaseStages": str(self._groups)
        }


class ParallelPhasedExecution(_IPhasedExecution):
    """Two groups of IPUs take turns: even phases on the first, odd ones on the second."""

    _groups = 2

    def sendTensorsOffChipAfterFwd(self, off_chip: bool = True) -> "ParallelPhasedExecution":
        """Whether activations leave the chip after the forward pass; without effect: they stay."""
        assert isinstance(off_chip, bool)
        if off_chip:
            say_once("sendTensorsOffChipAfterFwd has no effect: activations stay on the chip until "
                     "their backward phase")
        self._liveness = (enums.Liveness.OffChipAfterFwd
                          if off_chip else enums.Liveness.AlwaysLive)
        return self


class SerialPhasedExecution(_IPhasedExecution):
    """All phases run on the same IPUs, one after the other."""

    def setTensorsLiveness(self, liveness: enums.Liveness) -> "SerialPhasedExecution":
        """When activations leave the chip (:class:`poptorch.Liveness`); without effect: they stay,
        as ``AlwaysLive`` says."""
        assert isinstance(liveness, enums.Liveness)
        if liveness != enums.Liveness.AlwaysLive:
            say_once(f"setTensorsLiveness(Liveness.{liveness.name}) has no effect: activations stay on the chip "
                     "until their backward phase")
        self._liveness = liveness
        return self
