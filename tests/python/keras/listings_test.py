"""The listings of the guides run unchanged, as users start them, on few made-up digits."""
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from conftest import FRAMEWORKS

LISTINGS = Path(os.environ.get("TILESCOPE_SHARED_DIR", "/nowhere")) / "programs" / "keras"
pytestmark = pytest.mark.skipif(not LISTINGS.is_dir(),
                                reason="the listings are not there (TILESCOPE_SHARED_DIR)")


@pytest.fixture(name="home", scope="module")
def folder_of_keras(tmp_path_factory):
    """Few digits where Keras looks for MNIST: a pattern for each class, and noise."""
    random = numpy.random.default_rng(7)
    folder = tmp_path_factory.mktemp("keras")
    (folder / "datasets").mkdir()
    patterns = random.random((10, 28, 28)) * 255
    arrays = {}
    for part, count in (("train", 512), ("test", 256)):
        labels = random.integers(0, 10, count).astype(numpy.uint8)
        images = patterns[labels] + random.normal(0, 25, (count, 28, 28))
        arrays[f"x_{part}"], arrays[f"y_{part}"] = numpy.clip(images, 0, 255).astype(numpy.uint8), labels
    numpy.savez(folder / "datasets" / "mnist.npz", **arrays)
    return folder


def run(name, home, *arguments, **variables):
    """What a listing prints."""
    import simulated_keras
    path = os.pathsep.join([str(Path(simulated_keras.__file__).parents[1]), str(FRAMEWORKS)])
    done = subprocess.run([sys.executable, "-B", LISTINGS / name, *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": path, "KERAS_HOME": str(home), **variables})
    assert done.returncode == 0, done.stderr
    return done.stdout


def last_loss(text):
    """The loss of the last line that has one."""
    return float([line for line in text.replace("\r", "\n").splitlines() if " loss: " in line][-1]
                 .split(" loss: ")[1].split()[0])


def test_one_ipu(home):
    said = run("listing_1_2_3_single_ipu.py", home)
    assert said.count("Epoch ") == 3 and "8/8 [====" in said and "8/8 [====" in said
    assert last_loss(said) < 2.3


def test_a_data_set(home):
    said = run("listing_4_1_model_fit.py", home)
    assert "Epoch 2/2" in said and "100/100 [====" in said and last_loss(said) < 0.1


def test_a_sequential_pipeline(home):
    said = run("listing_3_3_sequential_pipeline.py", home)
    rows = [line.split() for line in said.splitlines() if line.startswith("dense")]
    assert rows == [["dense", "(Dense)", "0"], ["dense_1", "(Dense)", "0"], ["dense_2", "(Dense)", "1"],
                    ["dense_3", "(Dense)", "1"]]
    assert "16/16 [====" in said


def test_a_functional_pipeline(home):
    assert "16/16 [====" in run("listing_3_4_functional_pipeline.py", home)


def test_a_known_model_in_stages(home):
    said = run("listing_3_5_existing_model_pipeline.py", home, WEIGHTS="none")
    stages = {line.split()[0]: line.split()[-1] for line in said.splitlines() if line.count("(") == 1}
    assert stages["conv4_block2_add"] == "0" and stages["conv4_block2_out"] == "1"
    assert stages["conv1_conv"] == "0" and stages["predictions"] == "1" and len(stages) > 170


def test_executions_of_several_steps(home):
    said = run("listing_5_1_2_steps_per_execution.py", home)
    assert said.count("8/8 [====") >= 3 and "4/4 [====" in said


def test_replicas(home):
    said = run("listing_5_3_4_5_replication.py", home)
    assert said.count("4/4 [====") >= 3


def test_a_loop_with_feeds(home):
    said = run("listing_4_2_loop_with_feeds.py", home)
    assert said.count("shape=(10, 800)") == 2 and "[2., 2., 2." in said and "[0., 0., 0." in said


def test_a_thread_that_reads_the_outfeed(home):
    lines = run("listing_4_3_outfeed_thread.py", home).splitlines()
    assert [line.split()[1] for line in lines] == [str(i) for i in range(100)]
    losses = [float(line.split()[-1]) for line in lines]
    assert numpy.mean(losses[-10:]) < numpy.mean(losses[:10])


@pytest.mark.parametrize("arguments", [(), ("--partials", )])
def test_options_of_products_and_recomputation(home, arguments):
    assert "4/4 [====" in run("seed_options_amp_partials_recompute.py", home, *arguments)


def test_options_of_stages(home):
    assert "16/16 [====" in run("seed_pipeline_stage_amp.py", home)
