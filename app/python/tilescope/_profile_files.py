"""Where a program's profile is written, and how it is finished when the program ends."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping

from libpvti._recorder import recorder as _pvti

#: The program that last wrote each profile, as models of one name share a file.
_writers: Dict[str, int] = {}


def _is_true(text: str) -> bool:
    return text.lower() in ("true", "1")


def profile_file(engine: Mapping[str, str], name: str) -> str:
    """The path of the profile of the engine `name` by Poplar's rules; "" if none is asked for."""
    all_of_them = _is_true(engine.get("autoReport.all", "false"))
    wanted = any(
        _is_true(engine.get(f"autoReport.output{part}", str(all_of_them)))
        for part in ("GraphProfile", "ExecutionProfile"))
    if not wanted:
        return ""
    return os.path.join(engine.get("autoReport.directory", "."), name, "profile.pop")


def note_writer(program: Any, profile: str) -> None:
    """Remembers the program that wrote a profile."""
    _writers[profile] = id(program)


def finish_profile(program: Any, profile: str, zero: List[float]) -> None:
    """Adds the values of all calls, and libpvti's recordings, to the profile, unless another program
    has written it since. `zero` is the start of the first call on libpvti's clock, if there was one.

    Raises:
        ValueError: if the file cannot be written.
    """
    if not profile or _writers.get(profile) != id(program):
        return
    record = _pvti.record(zero[0] if zero else _pvti.now()) if _pvti.has_events else None
    zero.clear()
    program.finish_profile(record)
