"""Compiled models in files.

A file has the options, the optimizer, the types and shapes of the arguments, and the module if wanted. What
is loaded is compiled again, which makes the same program.
"""
from __future__ import annotations

import os
from typing import Any, Dict, Optional

import torch

from ._errors import Error

_FORMAT = "tilescope-poptorch-1"
_NAME_IN_FOLDER = "model.poptorch"


def path_of(filename: str) -> str:
    """The file itself, or the one in a folder."""
    return os.path.join(filename, _NAME_IN_FOLDER) if os.path.isdir(filename) else filename


def write(filename: str, contents: Dict[str, Any]) -> None:
    """Writes a file.

    Raises:
        poptorch.Error: if the module cannot be written, for example because it is local to a function.
    """
    path = path_of(filename)
    try:
        torch.save({"format": _FORMAT, **contents}, f"{path}.part")
    except (AttributeError, TypeError) as error:
        raise Error(f"'{path}': the module cannot be written ({error}); leave it out with "
                    "export_model=False") from error
    os.replace(f"{path}.part", path)


def read(filename: str) -> Dict[str, Any]:
    """The contents of a file.

    Raises:
        poptorch.Error: for any other file.
    """
    path = path_of(filename)
    try:
        contents: Optional[Any] = torch.load(path)
    except FileNotFoundError:
        raise Error(f"'{path}': there is no such file") from None
    except Exception:  # pylint: disable=broad-except  # whatever reading other files ends in
        contents = None
    if not isinstance(contents, dict) or contents.get("format") != _FORMAT:
        raise Error(f"'{path}' is not a file of PoplarExecutor.save() or compileAndExport()")
    return contents
