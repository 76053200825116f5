"""Programs published by Graphcore, unchanged, on little data.

They are not part of the project: where TILESCOPE_CLIENTS names a folder with them, as their repositories lay them out
("tutorials/simple_applications/popart/...", "popart/tests/integration/..."), they are run; programs_test.py has programs
of our own with the same calls.
"""
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

CLIENTS = Path(os.environ.get("TILESCOPE_CLIENTS", "/nowhere"))
PIXELS = 28


def run(program, *arguments, folder=None):
    path = CLIENTS / program
    if not path.exists():
        pytest.skip(f"published programs are left out: TILESCOPE_CLIENTS names no folder with {program}")
    done = subprocess.run([sys.executable, "-B", path, *map(str, arguments)], capture_output=True, text=True,
                          cwd=folder or path.parent, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(name="digits")
def folder_with_images(tmp_path):
    """Images with a bright row where the label says, in MNIST's files."""
    (tmp_path / "data").mkdir()
    for name, count in (("train", 800), ("t10k", 400)):
        labels = bytes(i * 7 % 10 for i in range(count))
        images = b"".join(bytes(255 if row // 2 == label + 2 else (row * column + i) % 60 for row in range(PIXELS)
                                for column in range(PIXELS)) for i, label in enumerate(labels))
        (tmp_path / "data" / f"{name}-images-idx3-ubyte").write_bytes(
            struct.pack(">IIII", 2051, count, PIXELS, PIXELS) + images)
        (tmp_path / "data" / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, count) + labels)
    return tmp_path


@pytest.mark.parametrize("options", ["--simulation", "--num-ipus 2 --replication-factor 2",
                                     "--num-ipus 2 --pipeline --simulation"])
def test_mnist(digits, options):
    said = run("tutorials/simple_applications/popart/mnist/popart_mnist.py", "--epochs", 2, "--batches-per-step", 10,
               *options.split(), folder=digits)
    assert float(re.findall(r"Accuracy=([0-9.]+)%", said)[-1]) > 90


@pytest.mark.parametrize("options", ["", "--no_pipelining"])
def test_pipelining(options):
    run("tutorials/feature_examples/popart/pipelining/pipelining.py", *options.split())


def test_callbacks():
    said = run("tutorials/feature_examples/popart/callbacks/callbacks.py")
    assert all(re.search(rf"{name}:0\D{{1,3}}[0-9.e-]+", said) for name in ("Add", "Mul"))  # their latencies


@pytest.mark.parametrize("options", ["", "--mode eval --use-generated-data --report-hw-cycle-count 1",
                                     "--mode train --use-generated-data", "--mode train --auto-sharding --pipeline",
                                     "--mode train --use-generated-data --pipeline --recompute"])
def test_sharding(options):
    said = run("tutorials/feature_examples/popart/sharding/multi_ipu.py", "--steps", 1, "--batches-per-step", 10,
               *options.split())
    assert "items/sec" in said and ("cycle-count" not in options or "Hardware cycle count" in said)


@pytest.mark.parametrize("name", ["session_api_tests/reset_host_weights_test.py", "anchor_tests/anchor_output_test.py"])
def test_tests_of_popart(name):
    program = CLIENTS / "popart/tests/integration" / name
    if not program.exists():
        pytest.skip(f"published programs are left out: TILESCOPE_CLIENTS names no folder with {name}")
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", program],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
