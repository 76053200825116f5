"""Where data sets are looked for."""
from __future__ import annotations

import os
from typing import Any, Tuple

import numpy

Split = Tuple[Tuple[Any, Any], Tuple[Any, Any]]


def found(name: str, what: str) -> str:
    """The path of a file: as given, or in Keras' folder.

    Raises:
        FileNotFoundError: saying which file to put where.
    """
    if os.path.isabs(name):
        path = name
    else:
        home = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
        path = os.path.join(home, "datasets", name)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file. Nothing is downloaded here: put {what} "
                                "there, as Keras keeps it.")
    return path


def load_split(name: str, what: str, allow_pickle: bool = False) -> Split:
    """((x_train, y_train), (x_test, y_test)) of an .npz file."""
    with numpy.load(found(name, what), allow_pickle=allow_pickle) as file:
        return (file["x_train"], file["y_train"]), (file["x_test"], file["y_test"])
