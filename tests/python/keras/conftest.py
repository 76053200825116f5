"""Fixtures of the tests of Keras programs, which need numpy and the compiled module."""
import sys
from pathlib import Path

import pytest

numpy = pytest.importorskip("numpy", reason="numpy is not installed (python3-numpy)")
pytest.importorskip("tilescope._simulator", reason="the module tilescope._simulator is not built")

FRAMEWORKS = Path(__file__).parents[3] / "app" / "frameworks"
for folder in (FRAMEWORKS, Path(__file__).parents[1]):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """The caller's environment has no effect, files go to a folder of the test, and each test begins
    with an unconfigured system."""
    for name in ("POPLAR_ENGINE_OPTIONS", "TF_POPLAR_FLAGS", "KERAS_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    from simulated_keras import _system, initializers
    _system.reset()
    initializers.seed_all(1)


@pytest.fixture(name="random")
def random_numbers():
    """A generator that makes the same numbers in each run."""
    return numpy.random.default_rng(3)


@pytest.fixture(name="strategy")
def configured_strategy(request):
    """A strategy in whose scope the test runs, with as many IPUs as its parameter says."""
    from tensorflow.python import ipu
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = getattr(request, "param", 1)
    config.configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()
    with strategy.scope():
        yield strategy
