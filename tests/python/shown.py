"""Profiles that scripts write, as users look at them."""
import os
import subprocess
from pathlib import Path

#: Bytes of a picture of a window of this size with a report in it; an empty one has fewer.
LEAST_PICTURE = 20_000


def assert_shown(profile):
    """The reports print a profile, and the window opens it, where it is built."""
    programs = Path(os.environ["TILESCOPE_BIN_DIR"])
    told = subprocess.run([programs / "tilescope", "info", profile], capture_output=True, text=True, check=False)
    assert told.returncode == 0 and "Host's call" in told.stdout, told.stdout + told.stderr
    if not (programs / "tilescope-gui").exists():
        return
    picture = profile.with_suffix(".png")
    shown = subprocess.run([programs / "tilescope-gui", "--size", "1280x720", "--grab", f"summary={picture}", profile],
                           capture_output=True, text=True, timeout=240, check=False,
                           env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    assert shown.returncode == 0 and picture.stat().st_size > LEAST_PICTURE, shown.stderr
