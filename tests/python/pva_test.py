"""pva's figures are those of the file and of the reports."""

import json
from pathlib import Path

import numpy as np
import pytest

import pva
import tilescope

from .conftest import sql


def test_headline(report: pva.Report, training: Path) -> None:
    c = report.compilation
    assert c.target.numReplicas == 2
    assert c.target.numIPUs == 4 and len(c.ipus) == 4
    assert c.target.numTiles == 4 * c.target.tilesPerIpu == len(c.tiles)
    assert c.target.totalMemory == c.target.numTiles * c.target.bytesPerTile
    assert c.target.architecture == pva.IPU.Architecture.Ipu2
    assert c.target.type == pva.Target.Type.Ipu
    assert c.graph.numComputeSets == len(c.computeSets) == sql(training, "SELECT count(*) FROM compute_sets")[0][0]
    assert c.graph.numVertices == sum(int(v.countByTile.sum()) for s in c.computeSets for v in s.vertices) // 2
    assert report.poplarVersion.string.startswith("TileScope")
    assert report.version.major == sql(training, "SELECT user_version FROM pragma_user_version")[0][0]


def test_memory_by_tile(report: pva.Report, training: Path) -> None:
    tiles = report.compilation.tiles
    totals = sql(training, "SELECT total FROM memory_by_tile ORDER BY tile")
    ofReplica = len(tiles) // 2
    assert [tile.memory.total.includingGaps for tile in tiles[:ofReplica]] == [row[0] for row in totals]
    assert tiles[3].memory.total == tiles[3 + ofReplica].memory.total
    assert tiles[3 + ofReplica].ipu == 2 + tiles[3].ipu
    for tile in (tiles[0], tiles[ofReplica - 1]):
        memory = tile.memory
        by = [getattr(memory.category, name) for name in dir(memory.category)]
        assert sum(category.total for category in by) == memory.total.excludingGaps
        assert sum(sum(category.interleaved) for category in by) == memory.interleaved
        assert memory.overflowed == (0, 0)
    with pytest.raises(AttributeError, match="vertexCode"):
        tiles[0].memory.category.vertexCodes
    with pytest.raises(IndexError, match="no item"):
        tiles[len(tiles)]


def test_a_model_that_does_not_fit(tooLarge: Path) -> None:
    report = pva.openReport(str(tooLarge), "debug.cbor")
    over = [tile for tile in report.compilation.tiles if tile.memory.overflowed.includingGaps]
    assert over
    assert any(tile.memory.overflowed.excludingGaps for tile in over)
    with pytest.raises(pva.NotInProfile, match="does not fit"):
        report.execution
    assert not hasattr(report, "execution")
    assert report.instrumentationSettings.compute == pva.ComputeInstrumentationLevel.Off


def test_vertices(report: pva.Report, training: Path) -> None:
    c = report.compilation
    replicas = c.target.numReplicas
    state: dict[str, int] = {}
    average: dict[pva.VertexType, int] = {}
    counts: dict[pva.VertexType, int] = {}
    for computeSet in c.computeSets:
        for vertices in computeSet.vertices:
            assert vertices.countByTile.dtype == np.int64 and len(vertices.countByTile) == c.target.numTiles
            size = int(vertices.stateBytesByTile.sum()) // replicas
            count = int(vertices.countByTile.sum()) // replicas
            average[vertices.type] = average.get(vertices.type, 0) + size - count * vertices.type.size
            counts[vertices.type] = counts.get(vertices.type, 0) + count
            state[vertices.type.name] = state.get(vertices.type.name, 0) + size
        assert len({vertices.type for vertices in computeSet.vertices}) == len(computeSet.vertices)
    assert all(abs(average[kind]) <= counts[kind] / 2 for kind in counts)
    code: dict[str, int] = {}
    for tile in c.tiles[:c.target.tilesPerReplica]:
        for vertices in tile.memory.vertices:
            code[vertices.type.name] = code.get(vertices.type.name, 0) + vertices.codeBytes
    said = tilescope.open(training).report("vertices").tables["vertices"].frame
    assert {row.name: row.stateBytes for row in said.itertuples() if row.stateBytes} == \
        {name: size for name, size in state.items() if size}
    assert {row.name: row.codeBytes for row in said.itertuples() if row.codeBytes} == code


def test_programs(report: pva.Report, training: Path) -> None:
    c = report.compilation
    names = sql(training, "SELECT id, name FROM programs ORDER BY id")
    assert [(p._id, p.name) for p in c.programs] == [(number, name or "") for number, name in names]
    assert c.programs[5] is c.programs[5] and len({c.programs[5], c.programs[5]}) == 1
    assert {type(p).__name__ for p in c.programs} >= {"SequenceProgram", "OnTileExecuteProgram", "DoExchangeProgram",
                                                      "GlobalExchangeProgram", "StreamCopyMidProgram", "RepeatProgram"}
    parent = next(p for p in c.programs if len(p.children) > 1)
    below = [p for p in c.programs if not p.children]
    own = parent.controlCodeByTile - sum(child.controlCodeByTile for child in parent.children)
    assert own.min() >= 0
    core = c._source.core
    code = sum(int(p.controlCodeByTile.sum()) for p in below)
    assert 0 < code <= sum(int(root.controlCodeByTile.sum()) for root in c.controlPrograms + c.functionPrograms)
    for p in below:
        assert {v._id for v in p.vars} == {p.vars[i]._id for i in range(len(p.vars))}
        assert {v.name for v in p.vars} == \
            {c.variables[v].name for v in core.program_variables(p._id) if c.variables[v].bytes}
    execute = next(p for p in c.programs if p.type == pva.Program.Type.OnTileExecute)
    assert execute.computeset is c.computeSets[execute.computeset._id]
    assert execute.debugContext is None or execute.debugContext.id >= 0


def test_visitors(report: pva.Report) -> None:
    class Names(pva.ProgramVisitor):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def visitOnTileExecute(self, onTileExecute: pva.OnTileExecuteProgram) -> None:
            self.names.append(onTileExecute.name)

    visitor = Names()
    for program in report.compilation.programs:
        program.accept(visitor)
    assert visitor.names == [p.name for p in report.compilation.programs
                             if p.type == pva.Program.Type.OnTileExecute]
    for step in report.execution.steps:
        step.program.accept(pva.ProgramVisitor())


def test_exchanges(report: pva.Report, training: Path) -> None:
    c = report.compilation
    assert len(c.exchanges) == sql(training, "SELECT count(*) FROM exchanges")[0][0]
    said = tilescope.open(training).exchanges()
    code = {e.name: int(e.codeBytesByTile.sum()) // 2 for e in c.exchanges}
    assert sum(code.values()) == said["codeBytes"].sum()
    assert sum(int(e.bytesReceivedByTile.sum()) // 2 for e in c.exchanges) == said["bytesReceived"].sum()
    exchange = next(p for p in c.programs if p.type == pva.Program.Type.DoExchange)
    assert (exchange.codeBytesByTile == exchange.exchange.codeBytesByTile).all()


def test_liveness(report: pva.Report, training: Path) -> None:
    c = report.compilation
    steps = c.livenessProgramSteps
    for number in (0, len(steps) // 2, len(steps) - 1):
        live = steps[number].notAlwaysLiveMemory
        assert live.bytes == sum(v.size for v in live.variables)
        assert live.bytes == sum(steps[number].notAlwaysLiveMemoryForIpu(i).bytes
                                 for i in range(c.target.ipusPerReplica))
        tile = steps[number].notAlwaysLiveMemoryForTile(7)
        assert tile.bytes == sum(v.size for v in tile.variables)
    assert max(step.notAlwaysLiveMemoryForTile(7).bytes for step in steps) == c.tiles[7].memory.notAlwaysLiveBytes
    assert sum(v.size for v in c.alwaysLiveVariablesForTile(7)) == c.tiles[7].memory.alwaysLiveBytes
    first, second = c.alwaysLiveVariables[:2]
    assert first != second and first == report.compilation.variables[first._id]
    peak = (sum(tile.memory.alwaysLiveBytes for tile in c.tiles) +
            max(step.notAlwaysLiveMemory.bytes for step in steps) * c.target.numReplicas)
    fields = tilescope.open(training).report("liveness").fields
    assert peak == 2 * fields["peak"]


def test_lowered_variables(report: pva.Report) -> None:
    c = report.compilation
    brief = c.loweredVariables.allBriefVars
    all = list(brief)
    assert len(all) == len(brief) == len(c.loweredVariables)
    assert [v.id for v in all] == list(range(len(all)))
    assert brief[len(all) // 3] == all[len(all) // 3]
    onTile = c.loweredVariables.forTile(7)
    assert {v._id for v in onTile} == {v.id for v in all if v.tileId == 7}
    assert sum(v.bytes for v in onTile) == sum(v.bytes for v in all if v.tileId == 7)
    assert [v.offset for v in onTile if v.category == "variable"]
    steps = c.livenessProgramSteps
    bySteps = np.zeros(len(steps), dtype=np.int64)
    for v in onTile:
        if not v.alwaysLive:
            for first, end in v.equivalenceClass.steps:
                bySteps[first:end] += v.bytes
        else:
            assert v.equivalenceClass.steps == [(0, len(steps))]
    assert bySteps.tolist() == [step.notAlwaysLiveMemoryForTile(7).bytes for step in steps]


def test_operations(report: pva.Report, training: Path) -> None:
    operations = pva.OperationAnalysis(report).operations
    steps = report.compilation.livenessProgramSteps
    covered = set()
    for operation in operations:
        programs = {p._id for p in operation.programs()}
        if not programs:
            assert operation.firstStepIndex == -1
            continue
        assert steps[operation.firstStepIndex].program._id in programs
        assert steps[operation.lastStepIndex].program._id in programs
        covered |= programs
        content = json.loads(operation.debugContext.json)
        assert content["op_name"] == operation.name
    assert covered >= {step.program._id for step in steps}
    named = {operation.name for operation in operations if operation.programs()}
    said = set(tilescope.open(training).operations()["name"])
    assert len(named & said) > len(named) // 2


def test_steps(report: pva.Report, training: Path) -> None:
    execution = report.execution
    cycles = dict(sql(training, "SELECT step_id, sum(cycles) FROM steps_by_ipu GROUP BY step_id"))
    kinds = [row[0] for row in sql(training, "SELECT type FROM steps ORDER BY id")]
    steps = execution.steps
    assert [step.kind for step in steps] == kinds == [step.program.type.name for step in steps]
    assert [sum(ipu.cycles for ipu in step.ipus) for step in steps] == [cycles[i] for i in range(len(steps))]
    assert len(steps) == len(kinds)
    assert [step.index for step in steps] == list(range(len(steps)))
    starts = sql(training, "SELECT step_id, ipu, cycles_base + active_cycles_from_min, "
                           "cycles_base + active_cycles_to_max FROM steps_by_ipu")
    for number, ipu, first, end in starts[:: max(1, len(starts) // 50)]:
        active = steps[number].ipus[ipu].activeCycles
        assert (active.cyclesFrom.min, active.cyclesTo.max) == (first, end)
    assert sum(len(run.steps) for run in execution.runs) == len(steps)
    assert steps[-1].index == steps[len(steps) - 1].index == len(steps) - 1
    assert [step.index for step in steps[5:9]] == [5, 6, 7, 8]
    with pytest.raises(IndexError):
        steps[len(steps)]
    with pytest.raises(IndexError, match="IPUs are 0 to 1"):
        steps[0].ipus[2]


def test_a_step(report: pva.Report) -> None:
    step = next(s for s in report.execution.steps if s.kind == "OnTileExecute")
    ipu = max(step.ipus, key=lambda on: on.cycles)
    assert step.cyclesByTile.max() == ipu.cycles
    assert (step.computeSets[0].cyclesByTile == step.cyclesByTile).all()
    assert 0 < ipu.tileBalance <= ipu.activeTileBalance <= 1
    assert ipu.activeCycles.cyclesTo.min > ipu.activeCycles.cyclesFrom.max
    assert ipu.activeTiles == np.count_nonzero(step.cyclesByTile[:report.compilation.target.tilesPerReplica])


def test_totals(reportOfInference: pva.Report, inference: Path) -> None:
    execution = reportOfInference.execution
    info = tilescope.open(inference).info
    assert execution.totalCycles.total >= info["cycles"] > 0
    run = execution.runs[-1]
    assert run.microseconds.end - run.microseconds.start == pytest.approx(info["seconds"] * 1e6)
    host = [s for s in execution.steps if s.kind == "StreamCopyMid"]
    assert sum(s.ipus[0].dataIn + s.ipus[0].dataOut for s in host) > 0


def test_steps_outlive_their_iterator(training: Path) -> None:
    steps = list(pva.openReport(training).execution.steps)
    assert [step.index for step in steps] == list(range(len(steps)))
    assert steps[0].program.type.name == steps[0].kind


def test_lists_show_their_first_items(report: pva.Report) -> None:
    report.listPrintLength(2)
    assert repr(report.compilation.tiles) == f"[<Tile 0>, <Tile 1>, ... {len(report.compilation.tiles) - 2} more]"
    with pytest.raises(ValueError):
        report.listPrintLength(-1)


@pytest.mark.parametrize("content", [None, b"", b"no profile of anybody"])
def test_files_that_are_no_profile(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "profile.pop"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(tilescope.ProfileError, match="profile.pop"):
        pva.openReport(file)


def test_a_damaged_profile(training: Path, tmp_path: Path) -> None:
    content = bytearray(training.read_bytes())
    for place in range(4096 * 3, len(content), 4096):
        content[place + 1000] ^= 0x55
    file = tmp_path / "damaged.pop"
    file.write_bytes(content)
    with pytest.raises(tilescope.ProfileError):
        report = pva.openReport(file)
        list(report.execution.steps)
        report.compilation.programs[0]
        list(report.compilation.loweredVariables.allBriefVars)
