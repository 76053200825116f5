"""The Python packages as pip installs them in a virtual environment, from the build that is tested."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "packaging" / "python"
BUILD = Path(os.environ["TILESCOPE_BUILD_DIR"])

# Nothing is fetched: what is not on this machine is not needed.
PIP = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--no-cache-dir"]

if importlib.util.find_spec("pip") is None:
    pytest.skip("pip is not installed: install python3-pip", allow_module_level=True)


def call(*words: str | Path, **environment: str) -> str:
    """What a command prints."""
    clean = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TILESCOPE_BUILD_DIR": str(BUILD),
             "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env={**clean, **environment}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the packages, which sees those of the system: PyTorch is large."""
    folder = tmp_path_factory.mktemp("venv")
    call(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", folder)
    call(*PIP, "--python", folder / "bin" / "python", "install", "--no-index", SOURCE)
    return folder


def test_both_ways_make_the_same_wheel(tmp_path: Path) -> None:
    for name, options in (("isolated", []), ("not", ["--no-build-isolation"])):
        call(*PIP, "wheel", "--no-index", "--no-deps", *options, "-w", tmp_path / name, SOURCE)
    isolated, other = (next((tmp_path / name).glob("tilescope-*.whl")) for name in ("isolated", "not"))
    assert isolated.name == other.name and isolated.read_bytes() == other.read_bytes()


def test_versions_are_the_programs(venv: Path) -> None:
    program = call(venv / "bin" / "tilescope", "--version").split()[1]
    assert call(venv / "bin" / "python", "-c",
                "import tilescope, importlib.metadata as m; print(tilescope.__version__, m.version('tilescope'))"
                ).split() == [program, program]


def test_programs_run(venv: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""
import sys
import pva, tilescope
from tilescope._programs import find
profile = tilescope.run("mlp", out=sys.argv[1], batch_size=2)
print(find("tilescope"))
print(len(profile.operations()) > 3, pva.openReport(profile.path).compilation.target.numIPUs)
print("torch" in sys.modules, tilescope.__file__)
""")
    found, says, modules = call(venv / "bin" / "python", script, tmp_path / "out").splitlines()
    assert found == str(venv / "bin" / "tilescope")
    assert says == "True 1"
    assert modules.startswith(f"False {venv}")


def test_poptorch_computes(venv: Path) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed: install python3-torch")
    code = ("import torch, poptorch; print(poptorch.__file__); "
            "print(tuple(poptorch.inferenceModel(torch.nn.Linear(4, 2))(torch.ones(3, 4)).shape))")
    where, shape = call(venv / "bin" / "python", "-c", code).splitlines()
    assert where.startswith(str(venv)) and shape == "(3, 2)"


def test_the_program_starts_scripts_with_other_frameworks_names(venv: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, tensorflow as tf; print(sys.prefix, tf.keras.layers.Dense.__name__)")
    assert call(venv / "bin" / "tilescope", "python", script).split() == [str(venv), "Dense"]


def test_poprun_is_of_the_environment(venv: Path) -> None:
    assert "usage: poprun" in call(venv / "bin" / "poprun", "--help")
    assert (venv / "bin" / "poprun").read_text().startswith(f"#!{venv}")


@pytest.mark.parametrize("package, missing, text", [
    ("pva", "numpy", "pva needs NumPy: install python3-numpy, or numpy by pip"),
    ("poptorch", "torch", "poptorch needs PyTorch: install python3-torch, or torch 1.13 by pip"),
    ("popart", "onnx", "popart needs ONNX: install python3-onnx, or onnx by pip"),
])
def test_a_missing_package_is_named(venv: Path, package: str, missing: str, text: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None\ntry: import {package}\nexcept ImportError as e: print(e)"
    assert call(venv / "bin" / "python", "-c", code).strip() == text


def test_pva_needs_numpy_only(venv: Path) -> None:
    code = "import sys, pva; print(sorted({'pandas', 'torch', 'onnx'} & set(sys.modules)))"
    assert call(venv / "bin" / "python", "-c", code).strip() == "[]"


def test_another_interpreters_build_is_refused(tmp_path: Path) -> None:
    done = subprocess.run([*PIP, "wheel", "--no-index", "--no-deps", "-w", tmp_path, SOURCE], capture_output=True,
                          text=True, check=False, env={"PATH": "/usr/bin:/bin", "TILESCOPE_BUILD_DIR": str(tmp_path),
                                                       "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode != 0
    assert "the build is of another interpreter" in done.stdout + done.stderr
