"""A profile that was captured through pva and imported again says the same, and nothing that the capture lacks."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tilescope import Profile

from .capturing import ROOT, SCRIPT, captured, imported, report, tilescope
from .conftest import run, sql

# Names of pva that no public document has; the capture does without each of them.
GUESSED = {
    "CallProgram": ["target"], "RepeatProgram": ["count"], "Program": ["debugContext"],
    "CompilationReport": ["controlPrograms", "functionPrograms", "timestamp", "engineOptions"],
    "LoweredVariable": ["category"], "Tile": ["id"], "StepIpu": ["activeTiles"], "Operation": ["flops"],
    "ComputeSet": ["_id"], "RegionBytes": ["overlapped"], "Run": ["name"], "Graph": ["numEdges", "numVars"],
}
# Names that a source has, but which were not seen in a document again.
SOURCED = {
    "Target": ["numReplicas", "bytesPerTile", "minSyncDelay", "architecture", "type"],
    "TileMemory": ["overflowed"], "VertexMemory": ["codeBytes"], "RegionBytes": ["nonOverlapped"],
    "VertexInstances": ["countByTile"], "ComputeSet": ["estimatedCyclesByTile"], "StepIpu": ["dataIn", "tileBalance",
                                                                                            "allCycles"],
    "Run": ["microseconds"], "Operation": ["programs"], "CompilationReport": ["tilesWithLivenessInfo"],
}


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Functions, repeats and two IPUs on few tiles, to be fast."""
    return run(tmp_path_factory.mktemp("small"), "mnist-tutorial", "--mode", "training", "--ipus", "2", "--execution",
               "pipelined", "--gradient-accumulation", "8", "--tiles-per-ipu", "24")


@pytest.fixture(scope="session")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("resnet"), "resnet50", "--tiles-per-ipu", "260")


# A capture takes as long as the machine has tiles: as many as need ids of more than a byte.
def job(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    return run(tmp_path_factory.mktemp(name), str(ROOT / "resources" / "jobs" / (name + ".json")), "--tiles-per-ipu", "80")


@pytest.fixture(scope="session")
def pipelined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return job(tmp_path_factory, "tutorial_pipelined")


@pytest.fixture(scope="session")
def phased(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return job(tmp_path_factory, "tutorial_phased")


@pytest.fixture(scope="session")
def replicated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("replicated"), "mnist-tutorial", "--mode", "training", "--ipus", "2", "--execution",
               "pipelined", "--gradient-accumulation", "4", "--replicas", "2", "--tiles-per-ipu", "140")


@pytest.fixture(scope="session", params=["resnet", "pipelined", "phased", "replicated"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict]:
    """A profile, the same after capture and import, and what was said about that."""
    profile = request.getfixturevalue(request.param)
    folder = tmp_path_factory.mktemp("imported")
    capture, status = captured(profile, folder)
    assert status == 0
    again, said = imported(capture, folder / "it")
    return profile, again, said


def test_memory_is_the_same(pair: tuple[Path, Path, dict]) -> None:
    before, after, _ = pair
    assert report(before, "memory") == report(after, "memory")
    tile = report(after, "memory", "--tile", "7")
    assert tile["details"] == report(before, "memory", "--tile", "7")["details"]
    assert tile["physicalTile"] is None  # our map of the chip is assumed


def test_liveness_is_the_same(pair: tuple[Path, Path, dict]) -> None:
    before, after, _ = pair
    assert report(before, "liveness") == report(after, "liveness")
    peak = str(report(before, "liveness")["peakStep"])
    one, other = (report(profile, "liveness", "--step", peak) for profile in (before, after))
    assert one["notAlwaysLive"] == other["notAlwaysLive"]
    assert sorted(row["bytes"] for row in one["notAlwaysLiveVariables"]) == sorted(
        row["bytes"] for row in other["notAlwaysLiveVariables"])


def test_programs_are_the_same(pair: tuple[Path, Path, dict]) -> None:
    before, after, _ = pair
    assert report(before, "programs") == report(after, "programs")


def test_variables_have_their_bytes(pair: tuple[Path, Path, dict]) -> None:
    before, after, _ = pair
    same = ("name", "category", "live", "bytes", "tiles", "maxTileBytes", "maxTile")

    def of(profile: Path) -> list:
        return sorted([row[key] for key in same] for row in report(profile, "variables")["variables"])
    assert of(before) == of(after)
    assert {row["type"] for row in report(after, "variables")["variables"]} == {None}


def test_compute_sets_and_exchanges_have_their_cycles_and_code(pair: tuple[Path, Path, dict]) -> None:
    before, after, _ = pair
    one, other = (report(profile, "vertices") for profile in (before, after))
    for table, same in (("computeSets", ("name", "vertices", "tiles", "cycles", "balance")),
                        ("vertices", ("name", "codeBytes", "count", "computeSets"))):
        assert sorted([row[key] for key in same] for row in one[table]) == sorted(
            [row[key] for key in same] for row in other[table])
    one, other = (report(profile, "exchanges")["exchanges"] for profile in (before, after))
    assert sum(row["codeBytes"] for row in one) == sum(row["codeBytes"] for row in other)
    assert {row["bytesReceived"] for row in other} == {None}


def test_the_trace_is_folded_and_sums_are_the_same(pair: tuple[Path, Path, dict]) -> None:
    before, after, said = pair
    one, other = (report(profile, "trace") for profile in (before, after))
    assert one["totalSteps"] == said["steps"] == other["totalSteps"]
    assert said["flatSteps"] <= 1
    assert one["kinds"] == other["kinds"]
    same = ("ipu", "cycles", "steps", "compute", "exchange", "sync", "host", "exchangeBytes")
    # A run without steps is none of an execution.
    ran = [[row for row in document["runs"] if row["steps"]] for document in (one, other)]
    assert len(ran[0]) == len(ran[1])
    for a, b in zip(*ran):
        assert [a[key] for key in same] == pytest.approx([b[key] for key in same], rel=1e-3)
    bodies = {profile: tilescope("query", profile, "SELECT count(*) AS n FROM trace_bodies", "--json").stdout
              for profile in (before, after)}
    counts = [json.loads(text)[0]["n"] for text in bodies.values()]
    assert counts[1] <= 2 * counts[0] + 10


def test_operations_take_as_long(pair: tuple[Path, Path, dict]) -> None:
    before, after, _ = pair
    one, other = (report(profile, "operations", "--by", "shared") for profile in (before, after))
    assert one["totalCodeBytes"] == pytest.approx(other["totalCodeBytes"], rel=0.02)
    # A call has the name of the place where pva saw it first.
    names = "SELECT name, type FROM operations WHERE type <> 'Call' ORDER BY name"
    assert sql(before, names) == sql(after, names)
    assert sum(row["measuredCycles"] for row in one["rows"]) == sum(row["measuredCycles"] for row in other["rows"])


# What an imported profile does not say, no report states.
def test_nothing_is_said_that_is_not_known(pair: tuple[Path, Path, dict]) -> None:
    _, after, _ = pair
    info = json.loads(tilescope("info", after, "--json").stdout)
    for key in ("mode", "batchSize", "gradientAccumulation", "deviceIterations", "samplesOfRun", "throughput",
                "hostCallSeconds"):
        assert info[key] is None, key
    assert info["origin"]["kind"] == "simulated" and info["origin"]["tool"].startswith("TileScope")
    parts = {row["part"] for row in info["coverage"]}
    assert {"run", "options", "streams", "pipeline", "physicalTiles", "hostTimes", "plans", "graph", "copies",
            "addresses", "values", "variableTypes"} <= parts
    assert {row["state"] for row in info["coverage"] if row["part"] in ("stateBytes", "exchangeBytes")} == {"part"}
    text = tilescope("info", after).stdout
    assert "inference" not in text and "training" not in text.split("\n")[0]
    waits = report(after, "hosts")["hostWaits"]
    assert {(row["ipuWaitsForHost"], row["hostWaitsForIpu"]) for row in waits} == {(None, None)}
    for name in ("pipeline", "phases", "values"):
        assert "--execution" not in tilescope("report", after, name).stdout
        assert "not in this profile" in tilescope("report", after, name).stdout
    advice = tilescope("report", after, "insights").stdout
    assert " instead of " not in advice and "--precision half" not in advice
    assert not re.search(r"--[a-z-]+ \d", advice)


def test_every_report_says_where_its_figures_come_from(small: Path, tmp_path: Path) -> None:
    capture, _ = captured(small, tmp_path)
    profile, _ = imported(capture, tmp_path / "it")
    origin = json.loads(tilescope("info", profile, "--json").stdout)["origin"]
    every = json.loads(tilescope("export", profile, "--format", "json").stdout)
    for name in ("memory", "liveness", "operations", "trace", "insights", "pipeline", "values"):
        document = json.loads(tilescope("report", profile, name, "--json").stdout)
        assert document.pop("origin") == origin, name
        assert document == every[name], name
    assert every["summary"]["origin"] == origin
    assert "origin" not in json.loads(tilescope("report", small, "memory", "--json").stdout)


def test_programs_without_control_programs_are_listed(small: Path, tmp_path: Path) -> None:
    capture, _ = captured(small, tmp_path, {"CompilationReport": ["controlPrograms", "functionPrograms"]})
    profile, _ = imported(capture, tmp_path / "it")
    assert len(report(profile, "programs")["programs"]) > 10


LACKING = [{owner: [name]} for owner, names in GUESSED.items() for name in names]


@pytest.mark.parametrize("without", [*LACKING, GUESSED, {
    owner: GUESSED.get(owner, []) + SOURCED.get(owner, []) for owner in {**GUESSED, **SOURCED}}], ids=str)
def test_a_pva_without_names(small: Path, tmp_path: Path, without: dict) -> None:
    capture, status = captured(small, tmp_path, without)
    names = sqlite3.connect(capture).execute("SELECT name FROM names WHERE asked > 0 AND asked = failed").fetchall()
    lost = {name.split(".")[-1].replace("()", "") for (name,) in names}
    asked = {name for some in without.values() for name in some}
    assert status == 1 and asked & lost, (status, lost)
    profile, said = imported(capture, tmp_path / "it")
    assert said["missing"]
    opened = Profile(profile)
    reports = {name: opened.report(name) for name in ("memory", "liveness", "variables", "vertices", "exchanges",
                                                      "programs", "operations", "trace", "hosts", "insights")}

    def values(name: str, table: str, column: str) -> set:
        shown = reports[name].tables[table]
        return {row[shown.columns.index(column)] for row in shown.rows}
    if "numEdges" in asked:
        assert opened.info["edges"] is None
    if "flops" in asked:
        assert values("operations", "operations", "flopsOnce") == {None}
    if "countByTile" in asked:
        assert values("vertices", "computeSets", "vertices") == {None}
    if "codeBytes" in asked:
        assert values("vertices", "vertices", "codeBytes") <= {None}
    if "dataIn" in asked:
        assert values("trace", "runs", "hostBytesIn") == {None}
    if asked == {"_id"}:
        # Programs find theirs by name.
        same = ("name", "cycles")
        assert sorted([row[key] for key in same] for row in report(profile, "vertices")["computeSets"]) == sorted(
            [row[key] for key in same] for row in report(small, "vertices")["computeSets"])
    if "nonOverlapped" in asked:
        info = json.loads(tilescope("info", profile, "--json").stdout)
        assert "regions" in {row["part"] for row in info["coverage"]}


def test_the_script_is_what_the_program_prints() -> None:
    assert tilescope("capture-script").stdout == SCRIPT.read_text()


def test_wrong_input_is_refused_with_a_remedy(small: Path, tmp_path: Path) -> None:
    capture, _ = captured(small, tmp_path)
    done = subprocess.run([sys.executable, SCRIPT, small, "-o", capture], capture_output=True, text=True)
    assert done.returncode == 2 and "--force" in done.stderr
    done = subprocess.run([sys.executable, SCRIPT, tmp_path / "no.pop", "-o", capture, "--force"], capture_output=True,
                          text=True)
    assert done.returncode == 2 and "there is no file" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["it.capture"]
    done = tilescope("info", capture)
    assert done.returncode == 2 and "'tilescope import' makes a profile of it" in done.stderr
    db = sqlite3.connect(capture)
    db.execute("UPDATE tiles SET including_gaps = -4 WHERE tile = 3")
    db.commit()
    db.close()
    done = tilescope("import", capture, "-o", tmp_path / "it")
    words = ("table tiles, row 3", "including_gaps", "Capture the profile again")
    assert done.returncode == 2 and all(word in done.stderr for word in words), done.stderr
    assert not (tmp_path / "it").exists()
    done = tilescope("import", small, "-o", tmp_path / "it")
    assert done.returncode == 2 and "already" in done.stderr


def test_runs_are_left_out_on_request(small: Path, tmp_path: Path) -> None:
    capture, _ = captured(small, tmp_path, None, "--runs", "1")
    _, said = imported(capture, tmp_path / "it")
    assert said["steps"] > 0


# The options are the job's, so that suggestions have values.
def test_a_job_makes_the_options_known(small: Path, tmp_path: Path) -> None:
    capture, _ = captured(small, tmp_path)
    job = tmp_path / "job.json"
    job.write_text(json.dumps({"model": "mnist-tutorial", "mode": "training", "ipus": 2, "execution": "pipelined",
                               "gradientAccumulation": 8, "tilesPerIpu": 24, "batchSize": 1}))
    done = tilescope("import", capture, "-o", tmp_path / "it", "--job", job)
    assert done.returncode in (0, 1), done.stderr
    info = json.loads(tilescope("info", tmp_path / "it", "--json").stdout)
    assert (info["mode"], info["batchSize"], info["options"]["modelFile"]) == ("training", 1, "mnist-tutorial")
    assert not {"options", "run"} & {row["part"] for row in info["coverage"]}
    before = json.loads(tilescope("info", small, "--json").stdout)["options"]
    assert {**before, "modelFile": "", "batchSize": "1"} == {**info["options"], "modelFile": ""}
    # It can be said later, of the profile.
    plain, _ = imported(capture, tmp_path / "plain")
    done = tilescope("import", plain, "-o", plain, "--job", job)
    assert done.returncode == 0, done.stderr
    later = json.loads(tilescope("info", plain, "--json").stdout)
    assert {**later, "profile": ""} == {**info, "profile": ""}
    job.write_text(json.dumps({"model": "mnist-tutorial", "ipus": 4, "execution": "sharded"}))
    done = tilescope("import", capture, "-o", tmp_path / "other", "--job", job)
    assert done.returncode == 2 and "4 IPUs" in done.stderr
