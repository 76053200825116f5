"""Published programs, unchanged, on profiles of ours.

They are not part of the project: where TILESCOPE_CLIENTS names a folder with them, as their repositories lay them out
("popliner", "tutorials/tutorials/..."), they are run; programs_test.py has programs of our own with the same calls.
"""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import pva
import tilescope

from .conftest import run

CLIENTS = Path(os.environ.get("TILESCOPE_CLIENTS", "/nowhere"))

pytestmark = pytest.mark.skipif(not CLIENTS.exists(), reason="published programs are left out: TILESCOPE_CLIENTS names no folder")


def popliner(*arguments: object) -> subprocess.CompletedProcess:
    pytest.importorskip("coloredlogs", reason="Popliner needs python3-coloredlogs")
    pytest.importorskip("tqdm", reason="Popliner needs python3-tqdm")
    return subprocess.run([sys.executable, "-B", CLIENTS / "popliner" / "popliner.py", *map(str, arguments)],
                          capture_output=True, text=True)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three layers of BERT on few tiles, each with programs of its own, as Popliner expects."""
    return run(tmp_path_factory.mktemp("bert"), "bert-base", "--precision", "half", "--outline", "off",
               "--model-option", "layers=3", "--model-option", "sequenceLength=32", "--tiles-per-ipu", "64")


def test_popliner_says_what_the_report_says(bert: Path) -> None:
    done = popliner("--layer-breakdown", "--format", "csv", bert, "debug.cbor")
    assert done.returncode == 0, done.stderr
    lines = [line.split(",") for line in done.stdout.splitlines() if line]
    keys = lines[0]
    layers = {line[0]: dict(zip(keys[1:], map(float, filter(None, line[1:])))) for line in lines[1:]}
    assert set(layers) == {"None", "0", "1", "2"}
    profile = tilescope.open(bert)
    total = {key: sum(layer[key] for layer in layers.values()) for key in keys[1:-2] if key}
    # Popliner uses one size per vertex type, the report the size of each vertex.
    state = profile.report("vertices").tables["vertices"].frame["stateBytes"].sum()
    assert total["Vertex state"] == pytest.approx(state, rel=0.01)
    # Exchange code is in the profile once, for the first of equal exchanges.
    assert total["Exchange code"] == profile.exchanges()["codeBytes"].sum()
    report = pva.openReport(bert)
    leaves = [p for p in report.compilation.programs if not p.children]
    assert total["Control code"] == sum(int(p.controlCodeByTile.sum()) for p in leaves)


def test_popliner_plans_a_pipeline(bert: Path) -> None:
    done = popliner("--solve", "--num-ipus", 8, "--mem-per-tile", 8 * 638_976, bert, "debug.cbor")
    assert done.returncode == 0, done.stderr
    assert re.search(r"SUCCESS: \[ None 0 .*2 \]", done.stderr), done.stderr[-2000:]
    stages = json.loads(done.stdout)
    assert len(stages) == 1
    # One stage has the code of each vertex type once.
    vertices = tilescope.open(bert).vertices()
    assert stages[0]["mem"]["vertex_code"] == vertices[vertices["count"] > 0]["codeBytes"].sum()


def test_the_walk_through_of_libpva(training: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                    capfd: pytest.CaptureFixture) -> None:
    """Without the application that it would start first, as the profile already exists."""
    pytest.importorskip("matplotlib", reason="the walk-through needs python3-matplotlib")
    folder = tmp_path / "mydirectory" / "training"
    folder.mkdir(parents=True)
    os.symlink(training, folder / "profile.pop")
    monkeypatch.chdir(tmp_path)
    start = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda call, **options: None if "mnist_poptorch.py" in str(call)
                        else start(call, **options))
    runpy.run_path(str(CLIENTS / "tutorials/tutorials/popvision/libpva/walkthrough_code_only.py"))
    said = capfd.readouterr().out
    report = pva.openReport(training)
    assert f"Number of compute sets:  {len(report.compilation.computeSets)}" in said
    assert f"Number of tiles on target:  {len(report.compilation.tiles)}" in said
    assert said.splitlines()[3:] == [s.program.name for s in report.execution.steps if s.kind == "OnTileExecute"
                                     and len(s.program.computeset.vertices) > 1]
    assert (tmp_path / "MemoryByTilePlot.png").stat().st_size > 1000
