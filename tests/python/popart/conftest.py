"""Fixtures of the tests of popart, which need onnx, numpy and the compiled module."""
import pytest

numpy = pytest.importorskip("numpy", reason="numpy is not installed (python3-numpy)")
pytest.importorskip("onnx", reason="onnx is not installed (python3-onnx)")
pytest.importorskip("tilescope._simulator", reason="the module tilescope._simulator is not built")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """The caller's environment variables have no effect, and files go to a folder of the test."""
    for name in ("POPLAR_ENGINE_OPTIONS", "POPART_CACHE_DIR", "POPXL_CACHE_DIR", "POPART_LOG_LEVEL",
                 "TILESCOPE_CUSTOM_OPERATIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    numpy.random.seed(0)
