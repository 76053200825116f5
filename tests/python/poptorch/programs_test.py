"""Programs as written by users (tests/python/programs): split training, loaders, anchors, a model that is too large."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pva
import pytest
import tilescope

PROGRAMS = Path(__file__).parents[1] / "programs"
IN_TORCH = {}  # what plain PyTorch prints, by arguments


def run(program, *arguments, **environment):
    done = subprocess.run([sys.executable, "-B", PROGRAMS / program, *map(str, arguments)],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr[-3000:]
    assert "has no effect" not in done.stderr
    return done.stdout


def figures(text):
    """Losses of the epochs, then the accuracy."""
    return [float(number) for number in re.findall(r"(?:loss|accuracy) ([0-9.]+)", text)]


def in_torch(arguments):
    """Losses of plain PyTorch, which runs once for the same arguments."""
    key = tuple(map(str, arguments))
    if key not in IN_TORCH:
        IN_TORCH[key] = figures(run("train_digits.py", "--strategy", "torch", *arguments))
    return IN_TORCH[key]


@pytest.mark.parametrize("strategy, arguments, more", [
    ("pipelined", ["--accumulation", 8], ["--loader", "async"]),
    ("pipelined", ["--accumulation", 8], ["--offload"]),
    ("sharded", ["--accumulation", 2, "--device-iterations", 2], []),
    ("serial", ["--accumulation", 2, "--device-iterations", 2], []),
    ("parallel", ["--accumulation", 2, "--device-iterations", 2], []),
])
def test_split_training_is_that_of_plain_pytorch(strategy, arguments, more):
    both = [*arguments, "--epochs", 4, "--learning-rate", 0.02]
    on_ipus = figures(run("train_digits.py", "--strategy", strategy, *both, *more))
    assert len(on_ipus) == 5 and on_ipus[-1] > 80
    assert on_ipus == pytest.approx(in_torch(both), rel=0.02, abs=0.02)


def test_profiles_values_and_anchors_of_a_pipeline():
    both = ["--accumulation", 8, "--epochs", 4, "--learning-rate", 0.02]
    said = run("train_digits.py", "--strategy", "pipelined", *both, "--anchors",
               "--profile", "reports", TILESCOPE_POPTORCH_VALUES="all")
    assert "anchored True (10, 16) True" in said
    training = tilescope.open("reports/training/profile.pop")
    curve = training.values(by="update")
    assert figures(said) == pytest.approx(in_torch(both), rel=0.02, abs=0.02)
    assert len(curve) == 4 * 4 and curve["loss"].iloc[-1] < curve["loss"].iloc[0] / 2
    assert curve["loss"].iloc[-1] == pytest.approx(figures(said)[3], rel=0.02)
    assert curve["accuracy"].iloc[0] < 0.3 and curve["accuracy"].iloc[-1] > 0.8
    assert Path("reports/inference/profile.pop").exists()


def test_a_model_that_is_too_large_leaves_its_profile():
    shares = "0.6,0.1"
    small = {"POPTORCH_SMALL_IPU_MODEL": "1"}
    said = run("too_large.py", "--width", 64, "--side", 40, "--proportions", shares, **small)
    assert said.count("poplar_graph_memory_allocation_error: Out of memory") == 2
    report = pva.openReport("profiles/share_0.1/profile.pop")
    most = max(tile.memory.total.includingGaps for tile in report.compilation.tiles)
    assert most > report.compilation.target.bytesPerTile
    assert run("too_large.py", "--width", 16, "--side", 16, "--proportions", shares,
               **small).count("fits, True") == 2


def test_pva_reads_what_training_has_written():
    engine = json.dumps({"autoReport.all": "true", "autoReport.directory": "reports"})
    run("train_digits.py", "--strategy", "sharded", "--epochs", 1, POPLAR_ENGINE_OPTIONS=engine)
    said = run("read_profile.py", "reports/training/profile.pop")
    report = pva.openReport("reports/training/profile.pop")
    assert f"tiles {len(report.compilation.tiles)} on 2 IPUs" in said
    assert f"of {len(report.execution.runs[-1].steps)} steps" in said
