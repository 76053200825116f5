"""Scripts using pva as written by users (tests/python/programs), on profiles of the program tilescope."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import pva
import tilescope

from .conftest import run

PROGRAMS = Path(__file__).parent / "programs"


def output(program: str, *arguments: object) -> str:
    done = subprocess.run([sys.executable, "-B", PROGRAMS / program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text: str) -> dict[str, int]:
    """The number after each word."""
    words = text.split()
    return {word: int(number) for word, number in zip(words, words[1:]) if number.isdecimal()}


def test_a_walk_through_says_what_the_reports_say(training: Path) -> None:
    said = output("read_profile.py", training)
    found = numbers(said)
    profile = tilescope.open(training)
    assert found["tiles"] == len(pva.openReport(training).compilation.tiles)
    vertices = profile.vertices()
    assert found["vertices"] == 2 * vertices["count"].sum()  # libpva has the tiles of both replicas
    assert found["executes"] + found["exchanges"] + found["streams"] < len(profile.programs())
    assert found["live"] > 0 and "longest " in said


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three layers of BERT on few tiles."""
    return run(tmp_path_factory.mktemp("layers"), "bert-base", "--precision", "half", "--outline", "off", "--model-option",
               "layers=3", "--model-option", "sequenceLength=32", "--tiles-per-ipu", "64")


def test_a_planner_splits_equal_layers_evenly(layers: Path) -> None:
    plan = json.loads(output("plan_pipeline.py", layers, 3))
    sizes = list(plan["layers"].values())
    assert list(plan["layers"]) == ["0", "1", "2"] and max(sizes) < 1.01 * min(sizes)
    assert plan["ends"] == [1, 2, 3] and plan["fullest"] == max(sizes)
    assert json.loads(output("plan_pipeline.py", layers, 2))["fullest"] in (sum(sizes[:2]), sum(sizes[1:]))
    assert plan["outside"] > sum(sizes)  # the embedding


def test_the_planner_counts_the_weights_of_a_layer(layers: Path) -> None:
    weights = sum(variable.size for variable in pva.openReport(layers).compilation.alwaysLiveVariables
                  if variable.name.startswith("Layer1/") and variable.name.endswith(".weight"))
    counted = json.loads(output("plan_pipeline.py", layers, 1))["layers"]["1"]
    assert weights < counted < 1.2 * weights
