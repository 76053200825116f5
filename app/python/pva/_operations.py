"""Operations of the model, and the programs compiled from them."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ._errors import refuse
from ._lists import LazyList
from ._source import Source
from ._variables import VariablePieces

if TYPE_CHECKING:
    from ._programs import Program
    from ._report import Report


class SourceLocation(NamedTuple):
    """A line of the program that made an operation."""
    fileName: str
    lineNumber: int
    functionName: str


class DebugContext:
    """An operation of the program, to which programs and variables belong.

    Operations of the model that share a function share its contexts.
    """

    def __init__(self, source: Source, operation: int, node: int = -1, name: str | None = None) -> None:
        self._source = source
        self._operation = operation
        self._node = node
        self._name = name

    @classmethod
    def ofOperation(cls, source: Source, operation: int) -> DebugContext:
        """The context of an operation of the program, wherever it runs."""
        return cls(source, operation)

    @property
    def id(self) -> int:
        """Its number; -1 for programs without an operation."""
        return self._operation

    @cached_property
    def _described(self) -> tuple[str, str, float, str, str, str]:
        if self._operation < 0:
            return ("", "", 0.0, "", "", "")
        return self._source.core.operation(self._operation)

    @property
    def name(self) -> str:
        """Its debug path, nested with slashes."""
        return self._described[0] if self._name is None else self._name

    @cached_property
    def _content(self) -> dict[str, Any]:
        _, kind, flops, shape, _, _ = self._described
        content: dict[str, Any] = {"layer": "onnx", "op_name": self.name, "opName": self.name, "op_type": kind,
                                   "opType": kind, "outputShape": shape, "flops": flops}
        if self._node >= 0:
            node = self._source.core.model_node(self._node)
            content.update({"op_type": node["type"], "opType": node["type"], "inputs": node["inputs"],
                            "outputs": node["outputs"], "phase": node["phase"], "stage": node["stage"]})
        return content

    @property
    def json(self) -> str:
        """Its details as JSON: layer, op_name, op_type, and inputs and outputs if recorded."""
        return json.dumps(self._content)

    @property
    def layer(self) -> str:
        """JSON with the software layer that made it in the key ``layer``: the model's graph."""
        return json.dumps({"layer": self._content["layer"]})

    @property
    def parents(self) -> list[DebugContext]:
        """Contexts of the layers above: none, as the model's graph is the topmost."""
        return []

    @property
    def location(self) -> SourceLocation:
        """The user's line that made it.

        Raises NotInProfile where lines are not recorded.
        """
        line = self._source.core.source_line(self._operation, self._node)
        if line is None:
            refuse("DebugContext.location", "the line of source code that made the operation is not recorded.")
        return SourceLocation(*line)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DebugContext) and other._operation == self._operation

    def __hash__(self) -> int:
        return hash(self._operation)

    def __repr__(self) -> str:
        return f"<DebugContext {self.id} {self.name}>"


class Operation:
    """An operation of the model at the place where it runs."""

    def __init__(self, source: Source, at: int) -> None:
        self._source = source
        self.name, self._operation, self._node, self._first, self._last, self._programs = source.core.place(at)

    @property
    def debugContext(self) -> DebugContext:
        """Its context. Places of one function have contexts with the same id."""
        return DebugContext(self._source, self._operation, self._node, self.name)

    @property
    def replacedDebugContext(self) -> list[DebugContext]:
        """Contexts that this one replaced: none, as nothing is replaced."""
        return []

    def programs(self) -> list[Program]:
        """Programs of its steps, and calls of it, by id. Empty if no programs were compiled for it."""
        return [self._source.program(number) for number in self._programs.tolist()]

    @cached_property
    def vars(self) -> VariablePieces:
        """Lowered variables that its programs read or write, each once."""
        core = self._source.core
        found: set[int] = set()
        for program in self._programs.tolist():
            found.update(core.program_variables(program).tolist())
        return VariablePieces(self._source, sorted(found))

    @property
    def firstStepIndex(self) -> int:
        """Its first step in CompilationReport.livenessProgramSteps; -1 without programs."""
        return self._first

    @property
    def lastStepIndex(self) -> int:
        """Its last step in CompilationReport.livenessProgramSteps."""
        return self._last

    @property
    def flops(self) -> float:
        """Floating-point operations of one execution; a multiply-accumulate counts two."""
        return self.debugContext._described[2]

    @property
    def layer(self) -> str:
        """The software layer that made it."""
        return self.debugContext._content["layer"]

    @property
    def cycles(self) -> NoReturn:
        """Refused: they differ by run, see tilescope.open(path).operations()."""
        refuse("Operation.cycles", "they differ by run; tilescope.open(path).operations() has them.")

    @property
    def codeSize(self) -> NoReturn:
        """Refused: operations share code, see tilescope.open(path).operations()."""
        refuse("Operation.codeSize", "operations share code; tilescope.open(path).operations() divides it among them.")

    def __repr__(self) -> str:
        return f"<Operation {self.name}>"


class OperationAnalysis:
    """The operations of a report."""

    def __init__(self, report: Report) -> None:
        self._source = report.compilation._source

    @cached_property
    def operations(self) -> LazyList[Operation]:
        """In the order of their first steps, then those without programs."""
        source = self._source
        return LazyList(source.core.place_count(), lambda at: Operation(source, at), source.shown)


def debugContexts(source: Source) -> LazyList[DebugContext]:
    """Contexts of all operations of the program, by id."""
    return LazyList(source.core.operation_count(), lambda number: DebugContext.ofOperation(source, number),
                    source.shown)
