"""Profiles that scripts write open in every report of the window."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BIN = Path(os.environ["TILESCOPE_BIN_DIR"])
WINDOW = BIN / "tilescope-gui"

image = pytest.importorskip("matplotlib.image", reason="pictures are read by python3-matplotlib")
pytestmark = pytest.mark.skipif(not WINDOW.exists(), reason=f"the window is not built: {WINDOW}")

#: As the pipelining tutorial does it: training, then inference with the same weights.
SCRIPT = """
import libpvti, poptorch, torch
from torch import nn

class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.first = nn.Linear(4 * 6 * 6, 16)
        self.second = nn.Linear(16, 10)

    def forward(self, x, labels=None):
        with poptorch.Block("B1"):
            x = torch.relu(self.conv(x)).flatten(1)
        with poptorch.Block("B2"):
            x = torch.relu(self.first(x))
        with poptorch.Block("B3"):
            x = self.second(x)
            return x if labels is None else (x, nn.functional.cross_entropy(x, labels))

torch.manual_seed(1)
model = Network()
options = poptorch.Options().deviceIterations(2)
options.Training.gradientAccumulation(4)
options.setExecutionStrategy(poptorch.PipelinedExecution(
    poptorch.Stage("B1").ipu(0), poptorch.Stage("B2", "B3").ipu(1)))
data = torch.utils.data.TensorDataset(torch.rand(96, 1, 8, 8), torch.randint(0, 10, (96, )))
loader = poptorch.DataLoader(options, data, batch_size=4, mode=poptorch.DataLoaderMode.Async)
training = poptorch.trainingModel(model, options, poptorch.optim.AdamW(model.parameters(), lr=0.01))
channel = libpvti.createTraceChannel("script")
loss_line = libpvti.Graph("Loss", "nats").addSeries("training")
heat = libpvti.HeatmapDouble("first.weight", list(range(-12, 1)), "2^x")
for epoch in range(3):
    with libpvti.Tracepoint(channel, f"epoch {epoch}"):
        for images, labels in loader:
            loss_line.add(float(training(images, labels)[1]))
    libpvti.Tracepoint.event(channel, "epoch is over")
    heat.add(model.first.weight.abs().log2().flatten().tolist())
training.detachFromDevice()
options = poptorch.Options()
options.setExecutionStrategy(poptorch.PipelinedExecution(
    poptorch.Stage("B1").ipu(0), poptorch.Stage("B2", "B3").ipu(1)))
options.deviceIterations(4)
inference = poptorch.inferenceModel(model.eval(), options)
for _ in range(2):
    inference(torch.rand(16, 1, 8, 8))
"""

REPORTS = ["summary", "insights", "memory", "liveness", "programs", "operations", "trace",
           "trace:compilation", "trace:graphs", "trace:graphs+first.weight,-heat-map", "trace:flat", "trace:tiles-bsp", "pipeline",
           "values", "query"]


@pytest.fixture(name="profiles", scope="module")
def profiles_of_a_script(tmp_path_factory):
    folder = tmp_path_factory.mktemp("window")
    engine = {"autoReport.all": "true", "autoReport.directory": str(folder)}
    pvti = {"enable": "true", "directory": str(folder)}
    subprocess.run([sys.executable, "-B", "-c", SCRIPT], check=True, cwd=folder,
                   env={**os.environ, "POPLAR_ENGINE_OPTIONS": json.dumps(engine),
                        "PVTI_OPTIONS": json.dumps(pvti), "TILESCOPE_POPTORCH_VALUES": "all"})
    return folder


def grab(profiles, theme, names, *files):
    grabs = [f"{name}={profiles / (theme + '-' + name.replace(':', '-') + '.png')}"
             for name in names]
    done = subprocess.run([WINDOW, "--size", "1280x720", "--theme", theme, "--grab", *grabs,
                           *files], capture_output=True, text=True, timeout=240,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    assert done.returncode == 0, done.stderr
    return [image.imread(pair.partition("=")[2])[..., :3] for pair in grabs]


#: Colours of a report without content: the window's frame alone has some thirty.
FEWEST_COLOURS = 60


def colours(picture):
    levels = (255 * picture[::2, ::2]).astype(int)
    return len(np.unique(levels @ [1 << 16, 1 << 8, 1]))


@pytest.mark.parametrize("mode, theme", [("training", "light"), ("inference", "dark")])
def test_every_report_opens(profiles, mode, theme):
    pictures = grab(profiles, theme, REPORTS, profiles / mode / "profile.pop")
    for name, picture in zip(REPORTS, pictures):
        assert picture.shape == (720, 1280, 3), name
        assert colours(picture) > FEWEST_COLOURS, name
        assert (picture.mean() > 0.5) == (theme == "light"), name


def test_both_are_compared(profiles):
    files = [profiles / mode / "profile.pop" for mode in ("training", "inference")]
    for picture in grab(profiles, "light", ["compare", "trace", "values"], *files):
        assert colours(picture) > FEWEST_COLOURS
