"""The object model of Graphcore's libpva over profiles of TileScope.

``pva.openReport("profile.pop")`` gives a Report. Its parts are read on first use; steps of a long execution are
iterated without being kept in memory. Where libpva has a list with a value for each tile, this has a numpy array.
Raises NotInProfile, with an explanation, for parts that a simulated profile does not have, and tilescope.ProfileError
for invalid files.
"""

try:
    import numpy as _numpy  # noqa: F401
except ImportError as missing:
    raise ImportError("pva needs NumPy: install python3-numpy, or numpy by pip") from missing

from tilescope import ProfileError
from tilescope import _numpy_names as _numpy_names

from ._compilation import CompilationReport
from ._computesets import ComputeSet, Exchange, VertexInstances, VertexType
from ._errors import NotInProfile
from ._execution import Block, ComputeSetStep, Cycles, ExecutionReport, ExecutionStep, Run, StepIpu
from ._liveness import LivenessProgramStep
from ._memory import IPU, Tile, TileMemory, VertexMemory
from ._operations import DebugContext, Operation, OperationAnalysis
from ._programs import (CallProgram, DoExchangeProgram, GlobalExchangeProgram, OnTileExecuteProgram, Program,
                        ProgramVisitor, RepeatProgram, SequenceProgram, StreamCopyBeginProgram, StreamCopyEndProgram,
                        StreamCopyMidProgram, SwitchProgram, SyncProgram, WriteUndefProgram)
from ._report import (ComputeInstrumentationLevel, ExternalExchangeInstrumentationLevel, InstrumentationSettings,
                      PoplarVersion, ProfileReportVersion, Report, openReport)
from ._target import Graph, Target
from ._trace import Event, Process, Thread, Trace, openTrace
from ._variables import EquivalenceClass, Interval, LoweredVariable, LoweredVariables, UnloweredVariable, VariableSize

__all__ = [
    "Block", "CallProgram", "CompilationReport", "ComputeInstrumentationLevel", "ComputeSet", "ComputeSetStep",
    "Cycles", "DebugContext", "DoExchangeProgram", "EquivalenceClass", "Event", "Exchange", "ExecutionReport", "ExecutionStep",
    "ExternalExchangeInstrumentationLevel", "GlobalExchangeProgram", "Graph", "IPU", "InstrumentationSettings",
    "Interval", "LivenessProgramStep", "LoweredVariable", "LoweredVariables", "NotInProfile", "OnTileExecuteProgram",
    "Operation", "OperationAnalysis", "PoplarVersion", "Process", "ProfileError", "ProfileReportVersion", "Program",
    "ProgramVisitor", "RepeatProgram", "Report", "Run", "SequenceProgram", "StepIpu", "StreamCopyBeginProgram",
    "StreamCopyEndProgram", "StreamCopyMidProgram", "SwitchProgram", "SyncProgram", "Target", "Thread", "Tile", "TileMemory", "Trace",
    "UnloweredVariable", "VariableSize", "VertexInstances", "VertexMemory", "VertexType", "WriteUndefProgram",
    "openReport", "openTrace",
]
