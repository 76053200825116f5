"""Every name of libpva's model is in the table, and does what its row says."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import pva
from pva import _execution, _liveness, _memory, _programs, _target, _variables
from tilescope import _core

from .conftest import SHARED

TABLE = Path(__file__).with_name("names_pva.txt")
NOTES = SHARED / "facts" / "pva.md"


def rows() -> list[tuple[str, str]]:
    """Names with their status."""
    found = []
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith(("#", "prose")):
            name, status = line.removeprefix("option ").rsplit(" ", 1)
            found.append((name, status))
    return found


def optionRows() -> list[str]:
    return [line.split()[1] for line in TABLE.read_text().splitlines() if re.match(r"option \S+ in$", line)]


def classRows(status: str) -> list[str]:
    """Rows of classes: "Tile.memory"."""
    options = set(optionRows())
    return [name for name, of in rows() if of == status and name not in options
            and not name.startswith(("openReport.", "DebugContext.json."))]


def find(kind: type, items: Any) -> Any:
    """The first item of a kind."""
    return next(item for item in items if isinstance(item, kind))


def traceOf(folder: Any) -> pva.Trace:
    """A trace with an event."""
    file = folder / "trace.json"
    file.write_text('[{"ph": "X", "name": "a", "cat": "b", "pid": 1, "tid": 2, "ts": 3, "dur": 4}]')
    return pva.openTrace(file)


@pytest.fixture(scope="module")
def objects(report: pva.Report, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """An object of each class, or the class where it is an enumeration."""
    c = report.compilation
    tile = c.tiles[0]
    step = next(s for s in report.execution.steps if s.kind == "OnTileExecute")
    cycles = step.ipus[0].activeCycles
    live = c.livenessProgramSteps[0].notAlwaysLiveMemory
    lowered = next(v for v in c.loweredVariables.forTile(0) if v.hasUnloweredVar)
    operations = pva.OperationAnalysis(report)
    operation = next(o for o in operations.operations if o.name)
    made = [report, report.poplarVersion, report.version, report.instrumentationSettings, c, c.target, c.graph,
            c.ipus[0], c.ipus[0].memory, tile, tile.memory, tile.memory.total, tile.memory.category,
            tile.memory.category.variable, tile.memory.category.variable.interleaved, tile.memory.vertices[0],
            c.computeSets[0], c.computeSets[0].vertices[0], c.computeSets[0].vertices[0].type, c.exchanges[0],
            c.livenessProgramSteps[0], live, c.alwaysLiveVariables[0], c.loweredVariables,
            c.loweredVariables.allBriefVars[0], lowered, lowered.equivalenceClass, lowered.equivalenceClass.steps[0],
            lowered.unloweredVar, operations, operation, operation.debugContext, report.execution,
            report.execution.totalCycles, report.execution.runs[0], report.execution.runs[0].microseconds, step,
            step.computeSets[0], step.ipus[0], cycles, cycles.cyclesFrom]
    trace = traceOf(tmp_path_factory.mktemp("trace"))
    made += [trace, trace.processes[0], trace.processes[0].threads[0], trace.processes[0].threads[0].events[0]]
    named = {type(item).__name__: item for item in made}
    for kind in (pva.OnTileExecuteProgram, pva.DoExchangeProgram, pva.GlobalExchangeProgram, pva.StreamCopyMidProgram,
                 pva.RepeatProgram, pva.CallProgram):
        named[kind.__name__] = find(kind, c.programs)
    named["Program"] = c.programs[0]
    named["ProgramVisitor"] = pva.ProgramVisitor()
    for kind in (_programs.ProgramType, _target.TargetType, _memory.Architecture, pva.ComputeInstrumentationLevel,
                 pva.ExternalExchangeInstrumentationLevel):
        named[kind.__name__] = kind
    named["pva"] = pva
    return named


@pytest.mark.parametrize("name", classRows("in") + classRows("idle"))
def test_is_there(name: str, objects: dict[str, Any]) -> None:
    owner, attribute = name.rsplit(".", 1)
    assert hasattr(objects[owner], attribute)


@pytest.mark.parametrize("name", classRows("refused"))
def test_is_refused_with_words(name: str, objects: dict[str, Any]) -> None:
    owner, attribute = name.rsplit(".", 1)
    arguments = {"ExecutionReport.blocks": [0], "pva.Block": []}.get(name)
    with pytest.raises(pva.NotInProfile, match=r"TileScope's profile has no '.*': \w+"):
        value = getattr(objects[owner], attribute)
        if arguments is not None:
            value(*arguments)


@pytest.mark.parametrize("key", optionRows())
def test_option_is_known(key: str) -> None:
    assert _core.engine_options()[key] in ("acts", "recorded only", "no meaning in a simulator")


def test_each_name_has_one_row() -> None:
    names = [name for name, _ in rows()]
    assert sorted(set(names)) == sorted(names)
    assert {status for _, status in rows()} == {"in", "idle", "refused", "foreign"}


def test_parameters_are_the_originals() -> None:
    assert list(inspect.signature(pva.openReport).parameters) == ["profileFilename", "debugInfoFilename"]


def test_debug_contexts_have_the_keys(objects: dict[str, Any]) -> None:
    import json
    content = json.loads(objects["Operation"].debugContext.json)
    for name, status in rows():
        if name.startswith("DebugContext.json.") and status == "in":
            assert name.rsplit(".", 1)[1] in content


def publicNames(kind: type) -> set[str]:
    """Names of a class and its bases in pva, without those of containers and tuples."""
    common = set(dir(tuple)) | set(dir(pva.OperationAnalysis.__mro__[-1]))
    return {name for name in dir(kind) if not name.startswith("_")} - common


def test_none_of_our_names_is_missing_in_the_table() -> None:
    known = {name for name, _ in rows()}
    missing = []
    modules = (pva, _execution, _liveness, _memory, _programs, _target, _variables)
    kinds = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)
             if kind.__module__.startswith("pva.") and kind.__module__ != "pva._lists"
             and kind.__module__ != "pva._source" and kind.__name__ not in ("NotInProfile", "Categories")}
    for kind in kinds:
        for name in publicNames(kind):
            bases = [base.__name__ for base in kind.__mro__]
            if not any(f"{base}.{name}" in known for base in bases) and not inspectedAsIs(kind, name):
                missing.append(f"{kind.__name__}.{name}")
    assert sorted(missing) == []


def inspectedAsIs(kind: type, name: str) -> bool:
    """Methods common to sequences, to enumerations, and to all stream copies."""
    return (name in ("index", "count", "name", "value") or kind.__name__.startswith("_")
            or kind.__name__.startswith("StreamCopy"))


@pytest.mark.skipif(not NOTES.exists(), reason=f"the notes on libpva are not beside the checkout: {NOTES}")
def test_no_name_of_the_notes_is_missing_in_the_table() -> None:
    text = NOTES.read_text()
    text = text[text.index("## B. "):text.index("## D. ")]
    words = set(re.findall(r"[A-Za-z]\w*", text))
    spelledAsNames = {word for word in words if re.search(r"[a-z][A-Z]|_[a-z]", word)}
    known = set(re.findall(r"\w+", TABLE.read_text()))
    assert len(spelledAsNames) > 150
    assert sorted(spelledAsNames - known) == []
