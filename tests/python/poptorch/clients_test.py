"""Programs published by Graphcore, unchanged, on little data.

They are not part of the project: where TILESCOPE_CLIENTS names a folder with them, as their repositories lay them out
("tutorials/tutorials/pytorch/...", "tutorials/simple_applications/..."), they are run; programs_test.py has programs of
our own with the same calls.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import tilescope

TUTORIALS = Path(os.environ.get("TILESCOPE_CLIENTS", "/nowhere")) / "tutorials"

pytestmark = pytest.mark.skipif(not TUTORIALS.exists(),
                                reason="published programs are left out: TILESCOPE_CLIENTS names no folder")
pytest.importorskip("torchvision", reason="the programs need python3-torchvision")
pytest.importorskip("tqdm", reason="the programs need python3-tqdm")

PIXELS = 28


def write_images(folder, name, count):
    """Images with a bright row where the label says, in MNIST's files."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = bytes(i * 7 % 10 for i in range(count))
    images = b"".join(
        bytes(255 if row // 2 == label + 2 else (row * column + i) % 60 for row in range(PIXELS)
              for column in range(PIXELS)) for i, label in enumerate(labels))
    (folder / f"{name}-images-idx3-ubyte").write_bytes(
        struct.pack(">IIII", 2051, count, PIXELS, PIXELS) + images)
    (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, count) + labels)


@pytest.fixture(name="home")
def home_with_images(tmp_path):
    for data in ("MNIST", "FashionMNIST"):
        folder = tmp_path / "home" / ".torch" / "datasets" / data / "raw"
        write_images(folder, "train", 800)
        write_images(folder, "t10k", 400)
    return tmp_path / "home"


def run(home, program, *arguments, engine=None, **more):
    environment = {**os.environ, "HOME": str(home), "MPLBACKEND": "Agg", **more}
    if engine:
        environment["POPLAR_ENGINE_OPTIONS"] = json.dumps(engine)
    return subprocess.run([sys.executable, "-B", str(TUTORIALS / program), *map(str, arguments)],
                          capture_output=True, text=True, env=environment, check=False)


def accuracy_of(done):
    assert done.returncode == 0, done.stderr[-3000:]
    return float(re.search(r"Accuracy on test set: ([0-9.]+)%", done.stdout)[1])


IN_TORCH = """
import runpy, sys, types
program = types.SimpleNamespace(**runpy.run_path(sys.argv[1]))
import torch
opts = types.SimpleNamespace(batch_size=40, test_batch_size=8, device_iterations=2,
                             gradient_accumulation=int(sys.argv[2]))
training_data, test_data = program.get_mnist_data(opts)
model = program.Network()
loss = program.TrainingModelWithLoss(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
for epoch in range(4):
    for data, labels in training_data:
        for update in range(0, len(data), 40 * int(sys.argv[3])):
            optimizer.zero_grad()
            for part in range(update, update + 40 * int(sys.argv[3]), 40):
                share = loss(data[part:part + 40], labels[part:part + 40])[1] / int(sys.argv[3])
                share.backward()
            optimizer.step()
program.test(model, test_data)
"""
IN_TORCH_BY_ACCUMULATION = {}  # it is the same for all that follow


@pytest.mark.parametrize("accumulation, arguments", [(10, []), (10, ["--offload-optimiser"]),
                                                     (1, ["--strategy", "sharded"])])
def test_the_pipelining_tutorial(home, accumulation, arguments):
    """Its accuracy is that of the same training in plain PyTorch. A sharded model does not
    accumulate, but gets as many samples."""
    program = "tutorials/pytorch/pipelining/mnist_pipeline.py"
    loaded = [] if accumulation == 10 else ["--gradient-accumulation", 1]
    done = run(home, program, "--epochs", 4, "--learning-rate", 0.02, "--device-iterations", 2,
               "--profile", *loaded, *arguments, TILESCOPE_POPTORCH_VALUES="all")
    accuracy = accuracy_of(done)
    assert accuracy > 50
    in_torch = IN_TORCH_BY_ACCUMULATION.get(accumulation) or subprocess.run([sys.executable, "-c", IN_TORCH, str(TUTORIALS / program),
                               str(accumulation), str(accumulation)], capture_output=True,
                              text=True, check=False, env={**os.environ, "HOME": str(home)})
    IN_TORCH_BY_ACCUMULATION[accumulation] = in_torch
    assert abs(accuracy - accuracy_of(in_torch)) < 0.5
    for part in ("training", "inference"):
        assert Path("profile", part, "profile.pop").stat().st_size > 100_000
    curve = tilescope.open("profile/training/profile.pop").values(by="update")
    assert curve["loss"].min() < curve["loss"].iloc[0] and curve["accuracy"].max() > 0.5
    assert "has no effect" not in done.stderr


def test_the_mnist_application(home):
    done = run(home, "simple_applications/pytorch/mnist/mnist_poptorch.py", "--epochs", 2,
               engine={"autoReport.all": "true", "autoReport.directory": "reports"})
    assert accuracy_of(done) > 90
    assert Path("reports/training/profile.pop").exists()


def test_the_note_on_available_memory(home):
    """With a weights file where torchvision expects it, on a machine that is too small."""
    import torch
    import torchvision
    folder = home / ".cache" / "torch" / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    torch.save(torchvision.models.resnext50_32x4d().state_dict(),
               folder / "resnext50_32x4d-7cdf4587.pth")
    done = run(home, "tech_notes_code/available_memory/pytorch_demo.py", "--batch-size", 2,
               engine={"autoReport.all": "true"}, POPTORCH_SMALL_IPU_MODEL="1")
    assert done.returncode == 1
    # Poplar's message depends on what exceeds the memory first.
    assert "poptorch._errors.Error" in done.stderr
    assert re.search(r"'poplar_graph_memory_allocation_error': .*\btile \d+", done.stderr, re.I)
    assert Path("inference/profile.pop").exists()


def test_the_walk_through_of_libpva_from_end_to_end(home, tmp_path):
    """It starts the MNIST application by a relative path and reads the profile that it leaves."""
    pytest.importorskip("matplotlib", reason="the walk-through needs python3-matplotlib")
    shutil.copytree(TUTORIALS, tmp_path / "tutorials")
    folder = tmp_path / "tutorials/tutorials/popvision/libpva"
    program = tmp_path / "bin"
    program.mkdir()
    (program / "python3").symlink_to(sys.executable)  # what the walk-through calls
    done = subprocess.run([sys.executable, "-B", "walkthrough_code_only.py"], capture_output=True,
                          text=True, check=False, cwd=folder,
                          env={**os.environ, "HOME": str(home), "MPLBACKEND": "Agg",
                               "PATH": f"{program}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Accuracy on test set:" in done.stdout
    assert re.search(r"Number of tiles on target:  1472\b", done.stdout)
    assert (folder / "MemoryByTilePlot.png").stat().st_size > 1000
