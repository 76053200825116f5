"""The listings of the guides run unchanged, as users start them, on few made-up digits: they print what they should, compute
what PyTorch computes for the same network, weights and data, and leave profiles that pva and the reports read."""
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from conftest import FRAMEWORKS
from shown import assert_shown

LISTINGS = Path(os.environ.get("TILESCOPE_SHARED_DIR", "/nowhere")) / "programs" / "keras"
TOLERANCE = 2e-3
#: Where the signs of gradients count, of losses and of changes. Up to 0.005 and 0.045 was seen in 130 runs; a decay of 0.92 for
#: 0.9 or a rate a tenth higher puts losses off by over 0.08, a momentum of 0.05 changes by 0.34.
TOLERANCE_OF_LOSSES_BY_SIGNS = 0.03
TOLERANCE_OF_CHANGES_BY_SIGNS = 0.2
#: Where rounding may decide which of two values is a window's largest, or whether one passes a relu. 4e-4 was seen in one run of
#: six, 3e-6 in the others; a rate a tenth higher puts changes off by 0.1.
TOLERANCE_OF_CHANGES_BY_MAXIMA = 0.02
pytestmark = pytest.mark.skipif(not LISTINGS.is_dir(),
                                reason="the listings are not there (TILESCOPE_SHARED_DIR)")


def digits(folder, train, test):
    """Few digits where Keras looks for MNIST: a pattern for each class, and noise."""
    random = numpy.random.default_rng(7)
    (folder / "datasets").mkdir()
    patterns = random.random((10, 28, 28)) * 255
    arrays = {}
    for part, count in (("train", train), ("test", test)):
        labels = random.integers(0, 10, count).astype(numpy.uint8)
        images = patterns[labels] + random.normal(0, 25, (count, 28, 28))
        arrays[f"x_{part}"], arrays[f"y_{part}"] = numpy.clip(images, 0, 255).astype(numpy.uint8), labels
    numpy.savez(folder / "datasets" / "mnist.npz", **arrays)
    return folder


@pytest.fixture(name="home", scope="module")
def folder_of_keras(tmp_path_factory):
    return digits(tmp_path_factory.mktemp("keras"), 512, 256)


@pytest.fixture(name="little", scope="module")
def folder_of_little(tmp_path_factory):
    """As few as two replicas of a batch of 64 need, for convolutions."""
    return digits(tmp_path_factory.mktemp("little"), 256, 256)


class Outcome:
    """What a listing prints, the programs that it compiled (see traced_program.py), and their profiles."""

    def __init__(self, name, home, folder, *arguments, **variables):
        import pva
        import simulated_keras
        path = os.pathsep.join([str(Path(simulated_keras.__file__).parents[1]), str(FRAMEWORKS)])
        options = json.dumps({"autoReport.all": "true", "autoReport.directory": str(folder / "reports")})
        done = subprocess.run([sys.executable, "-B", Path(__file__).with_name("traced_program.py"), folder / "kept",
                               LISTINGS / name, *arguments], capture_output=True, text=True, check=False, cwd=folder,
                              env={**os.environ, "PYTHONPATH": path, "KERAS_HOME": str(home),
                                   "POPLAR_ENGINE_OPTIONS": options, **variables})
        assert done.returncode == 0, done.stderr[-3000:]
        self.said = done.stdout
        self.programs = pickle.loads((folder / "kept").read_bytes())
        profiles = sorted(folder.glob("reports/*/profile.pop"))
        assert len(profiles) >= (1 if self.programs else 0)
        for profile in profiles:
            report = pva.openReport(str(profile))
            assert report.compilation.target.numTiles and any(run.steps for run in report.execution.runs)
        for profile in profiles[:1]:
            assert_shown(profile)

    def last_loss(self):
        """The loss of the last line that has one."""
        lines = self.said.replace("\r", "\n").splitlines()
        return float([line for line in lines if " loss: " in line][-1].split(" loss: ")[1].split()[0])


def close(found, wanted):
    numpy.testing.assert_allclose(found, wanted, atol=TOLERANCE, rtol=TOLERANCE)


def close_as_a_whole(found, wanted, tolerance):
    assert numpy.linalg.norm(found - wanted) <= tolerance * numpy.linalg.norm(wanted)


class Peer:
    """The same network in PyTorch, of dense layers and convolutions with the weights of a compiled program."""

    def __init__(self, program, activations, image=(28, 28, 1)):
        torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
        self.torch, self.image = torch, image
        arrays = [array for _, array in program["before"]]
        self.layers = list(zip(arrays[::2], arrays[1::2], activations))
        assert len(self.layers) == len(activations) and len(arrays) == 2 * len(activations)
        self.weights = [[torch.tensor(kernel), torch.tensor(bias)] for kernel, bias, _ in self.layers]
        self.parameters = [weight.requires_grad_() for pair in self.weights for weight in pair]

    def __call__(self, x):
        functional = self.torch.nn.functional
        flat = True
        for (kernel, bias), (_, _, activation) in zip(self.weights, self.layers):
            if kernel.dim() == 4:
                if flat:
                    x, flat = x.reshape(-1, *self.image).permute(0, 3, 1, 2), False
                x = functional.max_pool2d(functional.conv2d(x, kernel.permute(3, 2, 0, 1), bias).relu(), 2)
                continue
            if not flat:
                x, flat = x.permute(0, 2, 3, 1).flatten(1), True
            x = x @ kernel + bias
            x = x.relu() if activation == "relu" else x.softmax(-1) if activation == "softmax" else x
        return x

    def losses(self, program, loss, optimizer=None, each=1, mean=False):
        """The losses of all micro-batches of a program's runs; trains after `each` of them if it has an optimizer."""
        losses = []
        for inputs, _ in program["runs"]:
            for x, y in zip(*map(self.torch.tensor, inputs)):
                value = loss(self(x.flatten(1) if self.image else x), y)
                losses.append(float(value.detach()))
                if optimizer:
                    (value / each if mean else value).backward()
                    if len(losses) % each == 0:
                        optimizer.step()
                        optimizer.zero_grad()
        return losses

    def check_weights(self, program, tolerance=TOLERANCE):
        """What training changed, array by array."""
        for weight, (_, start), (_, end) in zip(self.parameters, program["before"], program["after"], strict=True):
            close_as_a_whole(end - start, weight.detach().numpy() - start, tolerance)


def losses_of(program):
    return numpy.concatenate([results[0].reshape(-1) for _, results in program["runs"]])


def of_probabilities(p, y):
    import torch
    p = p.clamp(1e-7, 1 - 1e-7)
    chosen = torch.log(p).gather(1, y.long().reshape(-1, 1)) if y.dim() < 2 or y.shape[1] == 1 else y * torch.log(p)
    return -chosen.sum(1).mean()


def of_scores(p, y):
    import torch
    return torch.nn.functional.cross_entropy(p, y.long())


def squares(p, y):
    return ((p - y)**2).mean()


def check_training(program, peer, loss, optimizer, tolerance=TOLERANCE, **more):
    """The losses of all micro-batches, and the weights afterwards, whose changes are within `tolerance`."""
    assert program["trains"]
    close(losses_of(program), peer.losses(program, loss, optimizer(peer.parameters), **more))
    peer.check_weights(program, tolerance)


def descent(parameters):
    import torch
    return torch.optim.SGD(parameters, 0.01)


def test_one_ipu(home, tmp_path):
    made = Outcome("listing_1_2_3_single_ipu.py", home, tmp_path)
    assert made.said.count("Epoch ") == 3 and "8/8 [====" in made.said
    assert made.last_loss() < 2.3
    training, evaluation = made.programs
    check_training(training, Peer(training, ["relu", "softmax"]), of_probabilities, descent)
    own = Peer(evaluation, ["relu", "softmax"]).losses(evaluation, of_probabilities)
    close(losses_of(evaluation), own)
    assert made.last_loss() == pytest.approx(numpy.mean(own), abs=TOLERANCE)


def test_a_data_set(home, tmp_path):
    """RMSProp's first steps are of full size for a gradient of any size: those of almost zero go where their rounding points,
    which differs between processors. So losses and changes are compared as a whole."""
    made = Outcome("listing_4_1_model_fit.py", home, tmp_path)
    assert "Epoch 2/2" in made.said and "100/100 [====" in made.said and made.last_loss() < 0.1
    training, = made.programs
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
    peer = Peer(training, ["relu", "relu", ""])
    losses = peer.losses(training, of_scores, torch.optim.RMSprop(peer.parameters, 0.001, 0.9, eps=1e-7))
    assert training["trains"]
    close_as_a_whole(losses_of(training), losses, TOLERANCE_OF_LOSSES_BY_SIGNS)
    peer.check_weights(training, TOLERANCE_OF_CHANGES_BY_SIGNS)


def test_a_sequential_pipeline(home, tmp_path):
    made = Outcome("listing_3_3_sequential_pipeline.py", home, tmp_path)
    rows = [line.split() for line in made.said.splitlines() if line.startswith("dense")]
    assert rows == [["dense", "(Dense)", "0"], ["dense_1", "(Dense)", "0"], ["dense_2", "(Dense)", "1"],
                    ["dense_3", "(Dense)", "1"]]
    assert "16/16 [====" in made.said
    training, = made.programs
    check_training(training, Peer(training, ["", "", "", ""], None), squares, descent, each=8)


def test_a_functional_pipeline(home, tmp_path):
    made = Outcome("listing_3_4_functional_pipeline.py", home, tmp_path)
    assert "16/16 [====" in made.said
    training, = made.programs
    check_training(training, Peer(training, ["", "", "", ""], None), squares, descent, each=8)


def test_a_known_model_in_stages(home, tmp_path):
    """It prints its stages and computes nothing."""
    made = Outcome("listing_3_5_existing_model_pipeline.py", home, tmp_path, WEIGHTS="none")
    stages = {line.split()[0]: line.split()[-1] for line in made.said.splitlines() if line.count("(") == 1}
    assert stages["conv4_block2_add"] == "0" and stages["conv4_block2_out"] == "1"
    assert stages["conv1_conv"] == "0" and stages["predictions"] == "1" and len(stages) > 170
    assert not made.programs


CONVOLUTIONS = ["relu", "relu", "softmax"]


def test_executions_of_several_steps(little, tmp_path):
    made = Outcome("listing_5_1_2_steps_per_execution.py", little, tmp_path)
    assert made.said.count("4/4 [====") >= 4
    _, evaluation = made.programs
    close(losses_of(evaluation), Peer(evaluation, CONVOLUTIONS).losses(evaluation, of_probabilities))


def test_executions_without_dropout(little, tmp_path):
    made = Outcome("listing_5_1_2_steps_per_execution.py", little, tmp_path, KEEP_ALL="1")
    training = made.programs[0]
    check_training(training, Peer(training, CONVOLUTIONS), of_probabilities, descent, TOLERANCE_OF_CHANGES_BY_MAXIMA)


def test_replicas(little, tmp_path):
    made = Outcome("listing_5_3_4_5_replication.py", little, tmp_path)
    assert made.said.count("2/2 [====") >= 4
    _, evaluation = made.programs
    close(losses_of(evaluation), Peer(evaluation, CONVOLUTIONS).losses(evaluation, of_probabilities))


def test_replicas_without_dropout(little, tmp_path):
    made = Outcome("listing_5_3_4_5_replication.py", little, tmp_path, KEEP_ALL="1")
    training = made.programs[0]
    check_training(training, Peer(training, CONVOLUTIONS), of_probabilities, descent, TOLERANCE_OF_CHANGES_BY_MAXIMA, each=2,
                   mean=True)


def test_a_loop_with_feeds(home, tmp_path):
    made = Outcome("listing_4_2_loop_with_feeds.py", home, tmp_path)
    assert made.said.count("shape=(10, 800)") == 2 and "[2., 2., 2." in made.said and "[0., 0., 0." in made.said
    program, = made.programs
    for inputs, results in program["runs"]:
        close(results[0].reshape(inputs[0].shape), inputs[0] + inputs[1])
        close(results[1].reshape(inputs[0].shape), inputs[0] - inputs[1])


def test_a_thread_that_reads_the_outfeed(home, tmp_path):
    made = Outcome("listing_4_3_outfeed_thread.py", home, tmp_path)
    lines = made.said.splitlines()
    assert [line.split()[1] for line in lines] == [str(i) for i in range(100)]
    losses = [float(line.split()[-1]) for line in lines]
    assert numpy.mean(losses[-10:]) < numpy.mean(losses[:10])
    training, = made.programs
    peer = Peer(training, ["relu", "softmax"])
    check_training(training, peer, of_probabilities, descent)
    close(losses, losses_of(training))


@pytest.mark.parametrize("arguments", [(), ("--partials", )])
def test_options_of_products_and_recomputation(home, tmp_path, arguments):
    made = Outcome("seed_options_amp_partials_recompute.py", home, tmp_path, *arguments)
    assert "4/4 [====" in made.said
    training, = made.programs
    check_training(training, Peer(training, ["relu", ""], None), squares, descent)


def test_options_of_stages(home, tmp_path):
    made = Outcome("seed_pipeline_stage_amp.py", home, tmp_path)
    assert "16/16 [====" in made.said
    training, = made.programs
    check_training(training, Peer(training, ["relu", ""], None), squares, descent, each=4)
