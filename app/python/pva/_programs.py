"""The program tree and its visitors."""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ._computesets import ComputeSet, Exchange
from ._source import Source
from ._variables import LoweredVariable, VariablePieces

if TYPE_CHECKING:
    from ._operations import DebugContext


class ProgramType(Enum):
    """The kind of a program. Kinds that TileScope never creates are here for scripts that name them."""

    Unknown = 0
    Sequence = 1
    Repeat = 2
    Call = 3
    Switch = 4
    OnTileExecute = 5
    DoExchange = 6
    GlobalExchange = 7
    StreamCopyBegin = 8
    StreamCopyMid = 9
    StreamCopyEnd = 10
    Sync = 11
    WriteUndef = 12
    # TileScope creates none of the following.
    OnEveryTileSwitch = 13
    SyncAns = 14
    Sans = 15
    Copy = 16
    CopySharedStructure = 17
    Execute = 18
    Abort = 19
    AbortOnCondition = 20
    Block = 21
    Breakpoint = 22
    If = 23
    IfTrue = 24
    RemoteCopy = 25
    RepeatWhileFalse = 26
    RepeatWhileTrue = 27
    SetLocalConsensusFromVar = 28
    SetLocalMultiConsensusFromVar = 29
    CallReturn = 30
    DoHostExchange = 31
    LiveVariableMark = 32
    SyncOpt = 33


class Program:
    """A node of the program tree with its children; the program run by a call is not a child."""

    Type: ClassVar[type[ProgramType]] = ProgramType

    def __init__(self, source: Source, number: int) -> None:
        self._source = source
        self._id = number
        (kind, self._name, self._parent, self._children, self._count, self._target, self._computeSet, self._exchange,
         self._stream, self._operation) = source.core.program(number) if number >= 0 else _SYNC
        self._type = ProgramType.__members__.get(kind, ProgramType.Unknown)

    @property
    def type(self) -> ProgramType:
        """Its kind, a Program.Type."""
        return self._type

    @property
    def name(self) -> str:
        """Its debug name; empty for most programs that only order others."""
        return self._name

    @cached_property
    def children(self) -> list[Program]:
        """Programs below it, in their order."""
        return [self._source.program(child) for child in self._children]

    # Not kept: all programs of a large machine would fill memory.
    @property
    def controlCodeByTile(self) -> np.ndarray:
        """Bytes of control code, including that of its children: an int64 array[tiles]."""
        source = self._source
        if self._id < 0:
            return np.zeros(source.tiles, dtype=np.int64)
        return source.byTile(source.core.control_code(self._id))

    @cached_property
    def vars(self) -> VariablePieces | list[LoweredVariable]:
        """Lowered variables that it reads or writes itself, each once."""
        if self._id < 0:
            return []
        return VariablePieces(self._source, self._source.core.program_variables(self._id))

    @property
    def debugContext(self) -> DebugContext | None:
        """Its operation's context; None for programs without an operation."""
        from ._operations import DebugContext
        return DebugContext.ofOperation(self._source, self._operation) if self._operation >= 0 else None

    def accept(self, visitor: ProgramVisitor) -> None:
        """Calls the visitor's method for its kind, but not for its children."""
        getattr(visitor, "visit" + self._type.name)(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._id} {self.name}>"


# Represents the syncs of a trace, which are not programs of the tree.
_SYNC: tuple[Any, ...] = ("Sync", "External", -1, [], 1, -1, -1, -1, -1, -1)


class SequenceProgram(Program):
    """Programs one after the other."""


class RepeatProgram(Program):
    """A program repeated several times."""

    @property
    def count(self) -> int:
        """Number of repetitions."""
        return self._count


class CallProgram(Program):
    """A call of a function, which the profile contains once."""

    @property
    def target(self) -> Program:
        """The function's root."""
        return self._source.program(self._target)


class SwitchProgram(Program):
    """Runs one of its children, chosen by a value on the device."""


class OnTileExecuteProgram(Program):
    """The execution of a compute set."""

    @property
    def computeset(self) -> ComputeSet:
        """The compute set."""
        return self._source.computeSet(self._computeSet)

    computeSet = computeset


class _ExchangeProgram(Program):
    def _series(self, what: str) -> np.ndarray:
        source = self._source
        if self._exchange < 0:
            return np.zeros(source.tiles, dtype=np.int64)
        return source.byTile(source.core.exchange_series(self._exchange, what))

    @cached_property
    def exchange(self) -> Exchange | None:
        """The exchange, with its bytes by tile; None if it is not recorded."""
        return Exchange(self._source, self._exchange) if self._exchange >= 0 else None

    @property
    def codeBytesByTile(self) -> np.ndarray:
        """Exchange code, bytes: an int64 array[tiles]; zeros if counted at an equal exchange."""
        return self._series("code")

    @property
    def estimatedCyclesByTile(self) -> np.ndarray:
        """Cycles of one execution: an int64 array[tiles]."""
        return self._series("cycles")


class DoExchangeProgram(_ExchangeProgram):
    """An exchange between tiles of an IPU."""


class GlobalExchangeProgram(_ExchangeProgram):
    """An exchange between IPUs. Its bytes are in the IPUs of the step."""


class _StreamCopyProgram(Program):
    @cached_property
    def _of(self) -> tuple[str, bool, np.ndarray]:
        if self._stream < 0:
            return ("", True, np.zeros(self._source.tilesOfReplica, dtype=np.int64))
        return self._source.core.stream(self._stream)

    @property
    def streamName(self) -> str:
        """The stream's name: ``h2d_input``; empty where it belongs to several."""
        return self._of[0]

    @property
    def bytesByTile(self) -> np.ndarray:
        """Bytes received or sent by each tile: an int64 array[tiles]."""
        return self._source.byTile(self._of[2])


class StreamCopyBeginProgram(_StreamCopyProgram):
    """The start of a copy from or to the host: waiting for it."""


class StreamCopyMidProgram(_StreamCopyProgram):
    """The transfer of a copy from or to the host."""


class StreamCopyEndProgram(_StreamCopyProgram):
    """The end of a copy from or to the host."""


class SyncProgram(Program):
    """A sync of the IPUs. In TileScope's profile a step without a program of the tree: its ``_id`` is -1."""


class WriteUndefProgram(Program):
    """Declares that a variable's value is no longer needed."""


_CLASSES: dict[ProgramType, type[Program]] = {
    ProgramType.Sequence: SequenceProgram, ProgramType.Repeat: RepeatProgram, ProgramType.Call: CallProgram,
    ProgramType.Switch: SwitchProgram, ProgramType.OnTileExecute: OnTileExecuteProgram,
    ProgramType.DoExchange: DoExchangeProgram, ProgramType.GlobalExchange: GlobalExchangeProgram,
    ProgramType.StreamCopyBegin: StreamCopyBeginProgram, ProgramType.StreamCopyMid: StreamCopyMidProgram,
    ProgramType.StreamCopyEnd: StreamCopyEndProgram, ProgramType.Sync: SyncProgram,
    ProgramType.WriteUndef: WriteUndefProgram}


def makeProgram(source: Source, number: int) -> Program:
    """The program with an id, as an instance of the class for its kind."""
    kind = source.core.program(number)[0] if number >= 0 else "Sync"
    return _CLASSES.get(ProgramType.__members__.get(kind, ProgramType.Unknown), Program)(source, number)


class ProgramVisitor:
    """Base of visitors: override ``visit<Kind>`` for the kinds of interest and pass it to Program.accept().

    There is a method for each Program.Type; methods that are not overridden do nothing.
    """

    def visitOnTileExecute(self, onTileExecute: OnTileExecuteProgram) -> None:
        """For the execution of a compute set."""

    def visitDoExchange(self, doExchange: DoExchangeProgram) -> None:
        """For an exchange between tiles."""

    def visitGlobalExchange(self, globalExchange: GlobalExchangeProgram) -> None:
        """For an exchange between IPUs."""

    def visitStreamCopyBegin(self, streamCopyBegin: StreamCopyBeginProgram) -> None:
        """For the start of a copy from or to the host."""

    def visitStreamCopyMid(self, streamCopyMid: StreamCopyMidProgram) -> None:
        """For the transfer of a copy from or to the host."""

    def visitStreamCopyEnd(self, streamCopyEnd: StreamCopyEndProgram) -> None:
        """For the end of a copy from or to the host."""

    def visitSync(self, sync: SyncProgram) -> None:
        """For a sync."""

    def visitSequence(self, sequence: SequenceProgram) -> None:
        """For a sequence."""

    def visitRepeat(self, repeat: RepeatProgram) -> None:
        """For a repeat."""

    def visitCall(self, call: CallProgram) -> None:
        """For a call of a function."""

    def visitSwitch(self, switch: SwitchProgram) -> None:
        """For a switch."""

    def visitWriteUndef(self, writeUndef: WriteUndefProgram) -> None:
        """For the end of a variable's use."""


def _visitNothing(self: ProgramVisitor, program: Program) -> None:
    """Never called: TileScope creates no such program."""


for _kind in ProgramType:
    if not hasattr(ProgramVisitor, "visit" + _kind.name):
        setattr(ProgramVisitor, "visit" + _kind.name, _visitNothing)
