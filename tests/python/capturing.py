"""Captures of profiles by the script, as it is started where Poplar is, and what the program makes of them."""

import json
import multiprocessing
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pva

from .conftest import BIN

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "resources" / "capture" / "tilescope_capture.py"


def lacking(name: str) -> property:
    def missing(self: object) -> None:
        raise AttributeError(name)
    return property(missing, lambda self, value: None)


def startScript(without: dict, words: list[str], says: Path) -> None:
    """Becomes the script with a pva that lacks names; for a child, since pva stays so."""
    with says.open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    for owner, names in without.items():
        kind = getattr(pva, owner, None) or getattr(pva._memory, owner)
        for name in names:
            setattr(kind, name, lacking(name))
    sys.argv = [str(SCRIPT), *words]
    runpy.run_path(str(SCRIPT), run_name="__main__")


def tilescope(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([BIN / "tilescope", *map(str, words)], capture_output=True, text=True)


def report(profile: Path, name: str, *options: str) -> dict:
    done = tilescope("report", profile, name, "--json", *options)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    document.pop("origin", None)
    return document


def captured(profile: Path, folder: Path, without: dict | None = None, *options: str) -> tuple[Path, int]:
    """The capture of a profile by a pva without some names, and the script's status."""
    capture, says = folder / "it.capture", folder / "says"
    # A fork has pva loaded, which takes as long as a small capture.
    child = multiprocessing.get_context("fork").Process(
        target=startScript, args=(without or {}, [str(profile), "-o", str(capture), "--force", *options], says))
    child.start()
    child.join()
    assert child.exitcode in (0, 1), says.read_text()
    said = says.read_text()
    says.unlink()
    assert "Traceback" not in said, said
    return capture, child.exitcode


def imported(capture: Path, folder: Path) -> tuple[Path, dict]:
    done = tilescope("import", capture, "-o", folder, "--json")
    assert done.returncode in (0, 1), done.stderr
    return folder / "profile.pop", json.loads(done.stdout)[0]
