"""What happens beside a compilation: its progress, and the files that it leaves."""
from __future__ import annotations

import os
import sys
from typing import Any, Callable, List, Optional

from tilescope import _profile_files

from ._logging import logger


def progress_of(shown: bool) -> Optional[Callable[[str, float], None]]:
    """Shows the progress of a compilation in a line on the terminal."""
    if not shown or not sys.stderr.isatty():
        return None

    def show(phase: str, done: float) -> None:
        sys.stderr.write(f"\rGraph compilation: {round(100 * done):3d}% {phase:<10}")
        sys.stderr.flush()

    return show


def finish_profile(program: Any, profile: str, zero: List[float]) -> None:
    """Adds the values of all calls, and libpvti's recordings, to the profile."""
    try:
        _profile_files.finish_profile(program, profile, zero)
    except ValueError as error:
        logger.warning("%s", error)


def export(model: bytes) -> None:
    """Writes the model to the file that POPTORCH_EXPORT_PROTO_FILE names."""
    path = os.environ.get("POPTORCH_EXPORT_PROTO_FILE")
    if path:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(model)
