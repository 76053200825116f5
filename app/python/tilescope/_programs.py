"""Calls the programs tilescope and tilescope-gui for tasks that they do better than a library."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ._core import ProfileError
from ._profile import Profile

# Exit statuses: a well-formed no, such as a model that does not fit, which has a profile too; an error of the user.
_NO, _USERS_FAULT = 1, 2


def find(name: str) -> str:
    """The path of a program: of the same build or installation, otherwise of PATH. Raises ProfileError if not found."""
    # build/bin beside build/python; PREFIX/bin beside PREFIX/lib/python3.11/site-packages.
    above = Path(__file__).parents
    ours = [above[depth] / "bin" / name for depth in (2, 4)]
    found = next((str(file) for file in ours if os.access(file, os.X_OK)), None) or shutil.which(name)
    if found is None:
        raise ProfileError(f"the program {name} was not found: install the package tilescope, or build it.")
    return found


def run(model: str | PathLike[str], *, out: str | PathLike[str], **options: Any) -> Profile:
    """Compiles and simulates a model and opens its profile.

    ``model`` is an ``.onnx`` file, a Keras model (``.json``) or a name from the zoo (``resnet50``); ``out`` the folder
    of the profile. ``options`` are keys of a job file, in its spelling or with underscores: ``batch_size=4``,
    ``precision="half"``, ``modelOptions={"layers": 2}``; ``tilescope schema --job`` lists all. A model that does not
    fit in memory has a profile too (``info["fits"]``). Raises ProfileError, with the remedy, for wrong options and
    models.
    """
    with tempfile.TemporaryDirectory() as folder:
        job = writeJob(folder, model, options)
        call("run", job, f"--output={fspath(out)}", origin=job)
    return Profile(Path(out) / "profile.pop")


def call(*words: str, origin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs the program tilescope; a well-formed no (exit status 1) is a result too.

    Raises ProfileError with its message, which does not name the file ``origin`` of ours.
    """
    done = subprocess.run([find("tilescope"), *words], capture_output=True, text=True, check=False)
    if done.returncode == _USERS_FAULT:
        raise ProfileError(done.stderr.strip().removeprefix("tilescope: error: ").removeprefix(f"{origin}: "))
    if done.returncode not in (0, _NO):
        raise RuntimeError(f"tilescope ended with status {done.returncode}: {done.stderr.strip()}")
    return done


def writeJob(folder: str, model: str | PathLike[str], options: Mapping[str, Any]) -> str:
    """Writes a job file of a model and its options, and returns its path."""
    job = {"model": _modelOf(model), **{camelCase(key): value for key, value in options.items()}}
    file = Path(folder) / "job.json"
    file.write_text(json.dumps(_finite(job)))
    return str(file)


def _modelOf(model: str | PathLike[str]) -> str:
    """The absolute path of a file, since the job is elsewhere; a name from the zoo unchanged."""
    text = fspath(model)
    return str(Path(text).absolute()) if Path(text).is_file() else text


def _finite(value: Any) -> Any:
    """Writes nan and inf, which JSON lacks, as strings, so that the check of the option sees them."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def fileWord(path: str | PathLike[str]) -> str:
    """A file as an argument that cannot be taken for an option."""
    text = fspath(path)
    return f"./{text}" if text.startswith("-") else text


def camelCase(key: str) -> str:
    """A key of a job file, given in its spelling or with underscores."""
    return re.sub(r"_([a-z0-9])", lambda match: match.group(1).upper(), key)


def show(path: str | PathLike[str], target: str | PathLike[str] | None = None, *, view: str | None = None,
         select: str | Mapping[str, str | int] | None = None, range: str | tuple[int, int] | None = None,
         compare: str | PathLike[str] | None = None) -> subprocess.Popen[bytes]:
    """Opens the window on a profile, or on two to compare, and returns its process.

    ``view`` is the report in front: ``memory``, ``liveness``, ``trace``, ``operations``, ... ``select`` is the
    selection in it: a name (``"layer1/conv"``) of the report's main kind, or kinds with names or numbers
    (``{"tile": 5, "operation": "layer1/conv"}``). ``range`` is a part of its axis, ``(from, to)`` without ``to``, in
    cycles (``trace``), tiles (``memory``), program steps (``liveness``) or iterations (``values``). ``compare`` is
    another name for ``target``. Raises ProfileError for files, views, names and ranges that do not exist.
    """
    if target is not None and compare is not None:
        raise ProfileError("show() takes one profile to compare with: target or compare, not both")
    call = [find("tilescope-gui"), fileWord(path)]
    for option, value in (("--view", view), ("--select", _selectionOf(select)), ("--range", _rangeOf(range)),
                          ("--compare", target if compare is None else compare)):
        if value is not None:
            call.append(f"{option}={fspath(value)}")
    checked = subprocess.run([*call, "--check"], capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        raise ProfileError(checked.stderr.strip().removeprefix("tilescope-gui: error: "))
    return subprocess.Popen(call)


def _selectionOf(select: str | Mapping[str, str | int] | None) -> str | None:
    if select is None or isinstance(select, str):
        return select
    return ",".join(f"{kind}={value}" for kind, value in select.items())


def _rangeOf(range: str | tuple[int, int] | None) -> str | None:
    return range if range is None or isinstance(range, str) else ":".join(str(end) for end in range)


# A picture takes the window a second; much longer means that it is stuck.
_PATIENCE_SECONDS = 60


def picture(path: str | PathLike[str], view: str, *, select: str = "", size: str = "1200x700") -> bytes:
    """A report of the window as PNG, without a display.

    ``select`` is what is selected, as for show(): a name, ``tile=5`` or ``step=17``; ``size`` is width and height in pixels.
    Raises ProfileError for a view or a selection that does not exist.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "view.png"
        call = [find("tilescope-gui"), "--grab", f"{view}={file}", "--size", size]
        call += ["--select", select] if select else []
        done = subprocess.run([*call, fileWord(path)], capture_output=True, text=True, timeout=_PATIENCE_SECONDS,
                              check=False, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        if done.returncode != 0 or not file.exists():
            raise ProfileError(done.stderr.strip() or f"there is no picture of '{view}'")
        return file.read_bytes()
