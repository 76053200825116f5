"""TileScope in Python: what a simulated Graphcore IPU did with a model.

``tilescope.open("profile.pop")`` gives the reports that the command line prints and the window shows, as pandas frames
where pandas is installed; ``tilescope.run("resnet50", out="run")`` makes such a profile and ``tilescope.show(path)``
opens the window on it. diff(), sweep(), try_(), export(), models(), targets() and schema() are the commands of these
names. The module ``pva`` next to this one is for scripts written for Graphcore's libpva.
"""

from . import _threads as _threads  # (before the libraries whose threads it is for)
from ._core import ProfileError
from ._core import version as __version__
from ._commands import Comparison, Sweep, diff, export, models, schema, sweep, targets, try_
from ._profile import Profile, open
from ._programs import picture, run, show
from ._report import Report, Table

__all__ = ["Comparison", "Profile", "ProfileError", "Report", "Sweep", "Table", "__version__", "diff", "export",
           "models", "open", "picture", "run", "schema", "show", "sweep", "targets", "try_"]
