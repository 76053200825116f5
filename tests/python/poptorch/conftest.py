"""Fixtures of the tests of poptorch, which need torch, numpy and the compiled module."""
import pytest

pytest.importorskip("numpy", reason="numpy is not installed (python3-numpy)")
torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
pytest.importorskip("tilescope._simulator", reason="the module tilescope._simulator is not built")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """The caller's environment variables have no effect, and files go to a folder of the test."""
    for name in ("POPLAR_ENGINE_OPTIONS", "POPTORCH_IPU_MODEL", "POPTORCH_CACHE_DIR",
                 "POPTORCH_SMALL_IPU_MODEL",
                 "POPTORCH_DEFAULT_OPTIONS", "TILESCOPE_POPTORCH_RUN",
                 "TILESCOPE_CUSTOM_OPERATIONS", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
