"""Builds the wheel of TileScope's Python packages with CMake: a build backend as PEP 517 defines it.

TILESCOPE_BUILD_DIR names a build of the same interpreter whose modules and program are taken as they are. Without it
they are built in build/wheel-<interpreter> of the checkout, which later builds continue; CMAKE_ARGS is for CMake.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import tomllib
except ImportError:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The extension modules, and what they are called for CMake.
MODULES = {"_core": "tilescope_python", "_simulator": "_simulator"}
PROJECT: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _version() -> str:
    """That of the programs."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(TileScope VERSION ([0-9.]+)", text, re.M)
    if found is None:
        raise SystemExit(f"{ROOT} is not a checkout of TileScope: its Python packages are built with its sources")
    return found.group(1)


def _stem() -> str:
    return f"{PROJECT['name']}-{_version()}"


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _metadata() -> dict[str, str]:
    """The files of the .dist-info folder without the list of all files."""
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {_version()}",
             f"Summary: {PROJECT['description']}", "License: GPL-3.0-or-later",
             f"Requires-Python: {PROJECT['requires-python']}"]
    lines += [f"Requires-Dist: {needed}" for needed in PROJECT["dependencies"]]
    for extra, needs in PROJECT["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {needed}; extra == "{extra}"' for needed in needs]
    wheel = ["Wheel-Version: 1.0", "Generator: tilescope", "Root-Is-Purelib: false", f"Tag: {_tag()}"]
    scripts = ["[console_scripts]"] + [f"{name} = {call}" for name, call in PROJECT["scripts"].items()]
    text = {"METADATA": lines, "WHEEL": wheel, "entry_points.txt": scripts}
    return {name: "\n".join(content) + "\n" for name, content in text.items()}


def _modules(build: Path) -> list[Path]:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return [build / "python" / "tilescope" / (name + suffix) for name in MODULES]


def _built() -> Path:
    """The folder of a build for this interpreter. Ends with what is missing if there can be none."""
    if given := os.environ.get("TILESCOPE_BUILD_DIR"):
        build = Path(given).resolve()
    else:
        build = ROOT / "build" / f"wheel-{sys.implementation.cache_tag}"
        _compile(build)
    missing = [file for file in [*_modules(build), build / "bin" / "tilescope"] if not file.exists()]
    if missing:
        raise SystemExit(f"{missing[0]} is missing: the build is of another interpreter than {sys.executable}, "
                         "or python3-dev and pybind11-dev were not installed")
    return build


def _compile(build: Path) -> None:
    if shutil.which("cmake") is None:
        raise SystemExit("cmake was not found: install the Debian packages of the parts [program] and [python] of "
                         f"{ROOT / 'packaging' / 'dependencies.txt'}, such as cmake, ninja-build and python3-dev")
    off = [f"-DTILESCOPE_{part}=OFF" for part in ("GUI", "TESTS", "BENCH", "MPI")]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", f"-DPython_EXECUTABLE={_interpreter()}", *off,
                    *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
    targets = subprocess.run(["cmake", "--build", build, "--target", "help"], capture_output=True, text=True,
                             check=True)
    if "tilescope_python" not in targets.stdout:
        raise SystemExit(f"there are no headers of {_interpreter()}, or no pybind11: install python3-dev and "
                         "pybind11-dev")
    subprocess.run(["cmake", "--build", build, "--parallel", str(len(os.sched_getaffinity(0))), "--target", "tilescope",
                    *MODULES.values()], check=True)


def _interpreter() -> str:
    """Not the virtual environment's, which is gone after an isolated build: the one that it is made from."""
    return getattr(sys, "_base_executable", sys.executable)


def _contents(build: Path) -> Iterator[tuple[str, Path]]:
    """Files of the wheel, by their names in it."""
    for package in sorted((ROOT / "app" / "python").glob("*/__init__.py")):
        for file in sorted(package.parent.rglob("*")):
            if file.suffix in (".py", ".pyi") or file.name == "py.typed":
                yield file.relative_to(ROOT / "app" / "python").as_posix(), file
    for module in _modules(build):
        yield f"tilescope/{module.name}", module
    # Never among the packages: `tilescope python` names the folder beside it.
    for file in sorted((ROOT / "app" / "frameworks").rglob("*.py")):
        yield f"{_stem()}.data/data/lib/tilescope/{file.relative_to(ROOT / 'app').as_posix()}", file
    for program in ("tilescope", "tilescope-gui"):
        if (build / "bin" / program).exists():
            yield f"{_stem()}.data/scripts/{program}", build / "bin" / program


class _Wheel:
    """A wheel that is written, with the list of its files."""

    def __init__(self, file: Path) -> None:
        self._archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._record: list[str] = []

    def add(self, name: str, content: bytes, mode: int = 0o644) -> None:
        # The same archive for the same files, whenever it is made.
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (0o100000 | mode) << 16
        self._archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, record: str) -> None:
        self._record.append(f"{record},,")
        self._archive.writestr(zipfile.ZipInfo(record), "\n".join(self._record) + "\n")
        self._archive.close()


def _write(folder: str, files: Iterator[tuple[str, Path]]) -> str:
    name = f"{_stem()}-{_tag()}.whl"
    wheel = _Wheel(Path(folder) / name)
    for inside, file in files:
        wheel.add(inside, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
    for inside, text in _metadata().items():
        wheel.add(f"{_stem()}.dist-info/{inside}", text.encode())
    wheel.close(f"{_stem()}.dist-info/RECORD")
    return name


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel and returns its name."""
    return _write(wheel_directory, _contents(_built()))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Writes what a wheel will say of itself, without building it, and returns the folder's name."""
    folder = Path(metadata_directory) / f"{_stem()}.dist-info"
    folder.mkdir()
    for name, text in _metadata().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder.name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Refused: the sources are the checkout."""
    raise UnsupportedOperation("TileScope's sources are its checkout: 'pip wheel ./packaging/python' there makes a "
                               "wheel")


class UnsupportedOperation(Exception):
    """What PEP 517 lets a backend raise."""
