"""Profiles used by the tests, made once by the program tilescope."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import pva

from . import source_sums

BIN = Path(os.environ["TILESCOPE_BIN_DIR"])
SHARED = Path(os.environ.get("TILESCOPE_SHARED_DIR", "/nowhere"))


def run(folder: Path, model: str, *options: str) -> Path:
    """The profile of a run; one that does not fit (status 1) is a profile too."""
    done = subprocess.run([BIN / "tilescope", "run", model, *options, "-o", folder], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return folder / "profile.pop"


@pytest.fixture(scope="session")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model in training as a pipeline over two IPUs: functions, syncs, streams, exchanges between IPUs."""
    return run(tmp_path_factory.mktemp("training"), "mnist-tutorial", "--mode", "training", "--ipus", "2",
               "--execution", "pipelined", "--gradient-accumulation", "4", "--replicas", "2")


@pytest.fixture(scope="session")
def inference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model in inference on one IPU."""
    return run(tmp_path_factory.mktemp("inference"), "mnist-tutorial", "--device-iterations", "3")


@pytest.fixture(scope="session")
def tooLarge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that does not fit, on few tiles to be fast."""
    return run(tmp_path_factory.mktemp("tooLarge"), "resnet50", "--tiles-per-ipu", "64")


@pytest.fixture(scope="session")
def report(training: Path) -> pva.Report:
    """The report of the training."""
    return pva.openReport(training)


@pytest.fixture(scope="session")
def reportOfInference(inference: Path) -> pva.Report:
    """The report of the inference."""
    return pva.openReport(inference)


@pytest.fixture(name="assert_sums")
def sums_of_source():
    """Checks that costs by lines have the sums of Operations."""
    return source_sums.assert_sums


def sql(profile: Path, text: str) -> list[tuple]:
    """The contents of the file, read by the program."""
    done = subprocess.run([BIN / "tilescope", "query", profile, text, "--json"], capture_output=True, text=True,
                          check=True)
    return [tuple(row.values()) for row in json.loads(done.stdout)]
