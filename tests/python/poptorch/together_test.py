"""Several instances train one model with common gradients."""
import os
import shutil
import subprocess
import sys

import popdist.poptorch
import poptorch
import pytest
import torch

MPIRUN = shutil.which("mpirun")

PROGRAM = """
import sys, torch, poptorch, popdist, popdist.poptorch
from torch import nn
torch.manual_seed(int(sys.argv[2]) + (popdist.getInstanceIndex() if "differ" in sys.argv else 0))
count = popdist.getNumInstances()
replicas = 2 // count  # of each instance

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
        self.loss = nn.CrossEntropyLoss()
    def forward(self, x, labels):
        x = self.layers(x)
        return x, self.loss(x, labels)

model = Model()
options = popdist.poptorch.Options() if count > 1 else poptorch.Options()
options.replicationFactor(replicas).deviceIterations(2).outputMode(poptorch.OutputMode.All)
options.Training.gradientAccumulation(3)
optimizer = poptorch.optim.AdamW(model.parameters(), lr=0.01)
training = poptorch.trainingModel(model, options, optimizer)
torch.manual_seed(7)
for _ in range(2):
    # Iterations, replicas of all instances, micro-batches, samples.
    data, labels = torch.rand(2, 2, 3, 4, 12), torch.randint(0, 3, (2, 2, 3, 4))
    own = slice(popdist.getInstanceIndex() * replicas, (popdist.getInstanceIndex() + 1) * replicas)
    results, loss = training(data[:, own].flatten(0, 3), labels[:, own].flatten())
state = {"results": results, "loss": loss, **model.state_dict()}
torch.save(state, f"{sys.argv[1]}{popdist.getInstanceIndex()}.pt")
"""


def train(name, instances, *arguments, check=True):
    """The results of each instance, by number."""
    call = [sys.executable, "-c", PROGRAM, name, "3", *arguments]
    environment = {**os.environ, "POPLAR_ENGINE_OPTIONS": '{"autoReport.all": "true"}'}
    if instances > 1:
        call = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(instances), *call]
        environment["POPDIST_NUM_TOTAL_REPLICAS"] = "2"
    done = subprocess.run(call, capture_output=True, text=True, env=environment, check=False,
                          timeout=300)
    if not check:
        return done
    assert done.returncode == 0, done.stderr[-3000:]
    return [torch.load(f"{name}{i}.pt") for i in range(instances)]


@pytest.fixture(name="mpi")
def mpi_is_there():
    if MPIRUN is None:
        pytest.skip("there is no mpirun (openmpi-bin)")
    done = subprocess.run([sys.executable, "-c", "import mpi4py"], check=False, capture_output=True)
    if done.returncode:
        pytest.skip("mpi4py is not installed (python3-mpi4py)")


def test_two_instances_train_as_one_with_all_replicas(mpi):
    alone, = train("alone", 1)
    both = train("both", 2)
    for name in alone:
        if name in ("results", "loss"):
            continue
        for each in both:
            assert torch.equal(alone[name], each[name]), name
    # Each has the results of its own replicas: iterations, then replicas, then micro-batches.
    together = torch.cat([each["results"].reshape(2, 1, 3, 4, 3) for each in both], dim=1)
    assert torch.equal(together, alone["results"].reshape(2, 2, 3, 4, 3))
    losses = torch.cat([each["loss"].reshape(2, 1, 3) for each in both], dim=1)
    assert torch.equal(losses, alone["loss"].reshape(2, 2, 3))
    import tilescope
    info = tilescope.open("training/profile.pop").info
    assert info["replicas"] == 2 and info["options"]["instances"] == "2"


def test_other_weights_are_refused_and_end_all_instances(mpi):
    done = train("differ", 2, "differ", check=False)
    assert done.returncode != 0
    assert "weights of instance 1 differ from those of instance 0; give each the same seed" in done.stderr


def test_without_mpi4py_it_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(poptorch.Error, match="install python3-mpi4py"):
        poptorch.trainingModel(torch.nn.Linear(2, 2), popdist.poptorch.Options())
    # Instances that only compute need not communicate.
    poptorch.inferenceModel(torch.nn.Linear(2, 2), popdist.poptorch.Options())


def test_options_that_mpi_does_not_know_are_refused(mpi):
    program = ("import poptorch, torch; options = poptorch.Options(); "
               "options.Distributed.configureProcessId(1, 2); "
               "poptorch.trainingModel(torch.nn.Linear(2, 2), options)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=False)
    assert "but MPI says 0 of 1: start the program with mpirun -np 2" in done.stderr
