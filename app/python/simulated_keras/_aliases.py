"""Makes the modules importable under their public names, unless a real package is installed."""
from __future__ import annotations

import importlib.machinery
import os
import sys
from typing import Any, Dict


def refuse_beside_real(name: str, own_file: str) -> None:
    """Raises ImportError if a real package of that name can be imported, too.

    Whichever comes first in the path, a script must not get one where its author means the other.
    """
    own = os.path.realpath(os.path.dirname(os.path.dirname(own_file)))
    rest = [folder for folder in sys.path if os.path.realpath(folder or ".") != own]
    spec = importlib.machinery.PathFinder.find_spec(name, rest)
    if spec is not None and spec.origin is not None:
        raise ImportError(f"{name} is installed in {os.path.dirname(spec.origin)}: TileScope's "
                          f"stand-in in {own} does not take its place. Take that folder out of "
                          "PYTHONPATH, or use a Python without the package.")


def register(name: str, module: Any, below: Dict[str, Any]) -> None:
    """Makes a module known as `name`, with those below it by their paths."""
    sys.modules[name] = module
    for path, inner in below.items():
        sys.modules[f"{name}.{path}"] = inner
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
    if not hasattr(module, "__path__"):
        module.__path__ = []
