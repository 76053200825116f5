"""A profile of a pva that is not ours (foreign/pva.py): its figures are known, and nothing else is said."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from .capturing import SCRIPT, imported, report, tilescope
from .foreign import pva as foreign


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """The profile, and what was said about it."""
    folder = tmp_path_factory.mktemp("foreign")
    closed = folder / "profile.pop"
    closed.write_bytes(b"Poplar's")
    capture = folder / "line\nbreak.capture"
    done = subprocess.run([sys.executable, "-B", SCRIPT, closed, "-o", capture], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(Path(foreign.__file__).parent)})
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "failed" not in done.stderr and "has no Call.target, " in done.stderr
    return imported(capture, folder / "it")


def test_the_machine_is_that_of_the_file(measured: tuple[Path, dict]) -> None:
    profile, said = measured
    info = json.loads(tilescope("info", profile, "--json").stdout)
    assert info["origin"] == {**info["origin"], "kind": "measured", "tool": "Poplar", "version": "3.4.0 (a1b2c3)"}
    assert (info["target"], info["ipus"], info["tilesPerIpu"]) == ("bow", 2, 3)
    assert (said["steps"], said["flatSteps"]) == (33, 0)


def test_memory_is_what_it_says(measured: tuple[Path, dict]) -> None:
    tiles = range(foreign.TILES * foreign.IPUS)
    always = sum(64 + tile for tile in tiles)
    memory = {row["path"]: row["allTiles"] for row in report(measured[0], "memory")["details"]}
    assert memory["Including gaps"] == sum(1000 + tile for tile in tiles)
    assert memory["Excluding gaps"] == 2 * always
    assert [memory[path] for path in memory if path.endswith(("/Variables", "/Control code"))] == [always, always]
    steps = [row["notAlwaysLive"] for row in report(measured[0], "liveness")["steps"]]
    assert steps == [0, always, 0, always, 0]


# The counters of a machine begin when it is started: years may have passed.
def test_times_count_from_the_first_step(measured: tuple[Path, dict]) -> None:
    trace = report(measured[0], "trace")
    runs = [row for row in trace["runs"] if row["ipu"] == 0]
    assert [row["start"] for row in runs] == [0, 10_000, 20_000]
    assert {row["cycles"] for row in trace["runs"]} == {375 + foreign.SKEW}
    assert trace["totalCycles"] == 20_000 + 375 + foreign.SKEW
    kinds = {row["kind"]: row["cycles"] for row in trace["kinds"] if row["ipu"] == 1}
    assert kinds == {"OnTileExecute": 3 * 330, "DoExchange": 3 * 10, "Sync": 3 * 30, "Unknown": 3 * 5}


# Compute sets of one name, without numbers that tell them apart.
def test_each_program_has_its_own_compute_set(measured: tuple[Path, dict]) -> None:
    sets = report(measured[0], "vertices")["computeSets"]
    assert sorted((row["computeSet"], row["vertices"], row["cycles"]) for row in sets) == [
        (0, 6, 40), (1, 7, 70), (2, 8, 20)]


def test_the_tree_is_found_by_what_ran(measured: tuple[Path, dict]) -> None:
    tree = tilescope("report", measured[0], "programs").stdout
    assert "Function 0" in tree and "Repeat 6 times" in tree
    assert "OnEveryTileSwitch (switch)" in tree and "AbortOnCondition" in tree


# Tiles have codelets that none of their compute sets runs.
def test_all_code_is_counted(measured: tuple[Path, dict]) -> None:
    tiles = foreign.TILES * foreign.IPUS
    operations = report(measured[0], "operations")
    assert operations["totalCodeBytes"] == tiles * (100 + 4 * len(foreign.PROGRAMS) + 8)


# What layers write may be longer than anything should be; the type is in it.
def test_operations_have_their_types(measured: tuple[Path, dict]) -> None:
    rows = report(measured[0], "operations")["operations"]
    named = {row["name"]: (row["type"], row["measuredCycles"]) for row in rows if row["ipu"] == 0}
    assert named["second"] == ("MatMul", 70) and named[foreign.ODD] == ("MatMul", 240)


def test_the_host_saw_how_long_runs_took(measured: tuple[Path, dict]) -> None:
    hosts = report(measured[0], "hosts")
    assert hosts["events"] == 3, hosts["hostEvents"]
    assert {row["thread"] for row in hosts["hostEvents"]} == {"Engine, by the host's clock"}


@pytest.mark.parametrize("name", ["memory", "liveness", "variables", "vertices", "exchanges", "programs", "operations",
                                  "source", "trace", "pipeline", "phases", "hosts", "values", "insights"])
def test_names_do_nothing_to_a_terminal(measured: tuple[Path, dict], name: str) -> None:
    done = tilescope("report", measured[0], name)
    assert done.returncode == 0, done.stderr
    assert not set(done.stdout) & {"\x1b", "\u202e", "\r"}
    assert "(no name)" not in done.stdout


# What people drop in first. Where each is refused, the next command is named.
@pytest.mark.parametrize(("name", "content", "words"), [
    ("profile.pop", None, ["may be a profile of Poplar", "tilescope capture-script", "-o NAME.capture"]),
    ("graph.json", b'{"graphProfile": {}}', ["up to 2.1 are not read", "tilescope capture-script"]),
    ("execution.cbor", b"\xa2\x64name\x63run", ["up to 2.1 are not read", "tilescope capture-script"]),
    ("trace.json", b'{"traceEvents": []}', ["'tilescope import' makes a profile of it"]),
    ("job.json", b'{"model": "mlp"}', ["'tilescope run job.json' makes one"]),
    ("run.pvti", b"\x00\x01", ["it is no SQLite file"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_files_of_others_say_what_to_do(tmp_path: Path, name: str, content: bytes | None, words: list[str]) -> None:
    file = tmp_path / name
    if content is None:
        sqlite3.connect(file).executescript("CREATE TABLE steps(id, type TEXT); CREATE TABLE programs(id, name);")
    else:
        file.write_bytes(content)
    done = tilescope("info", file)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def test_sentences_are_one_line(measured: tuple[Path, dict]) -> None:
    insights = report(measured[0], "insights")["insights"]
    assert any("line break" in each["title"] for each in insights)
    assert not [each["title"] for each in insights if set(each["title"] + each["advice"]) & {"\n", "\x1b", "\u202e"}]
