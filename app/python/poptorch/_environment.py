"""Reads environment variables and reports errors in them."""
from __future__ import annotations

import json
import os
from typing import Any, Dict

from tilescope import _simulator

from ._errors import Error

ENGINE_OPTIONS = "POPLAR_ENGINE_OPTIONS"


def named(variable: str) -> str:
    """The name of a variable for messages."""
    return f"environment variable {variable}"


def is_set(variable: str) -> bool:
    """Whether a switch is on: set, and not '0'."""
    return os.environ.get(variable, "0") not in ("", "0")


def whole_number(variable: str, default: int) -> int:
    """The number in the variable, or the default.

    Raises:
        poptorch.Error: if it is not a number.
    """
    text = os.environ.get(variable) or str(default)
    try:
        return int(text)
    except ValueError:
        raise Error(f"{named(variable)}: '{text}' is not a whole number; correct it, or unset "
                    "it") from None


def json_object(variable: str, example: str) -> Dict[str, Any]:
    """The JSON object in the variable; empty if it is not set.

    Raises:
        poptorch.Error: if it is not a JSON object.
    """
    text = os.environ.get(variable)
    if not text:
        return {}
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise Error(f"{named(variable)}: not valid JSON: {error}; give an object such as "
                    f"{example}, or unset it") from None
    if not isinstance(parsed, dict):
        raise Error(f"{named(variable)}: a JSON object is needed, such as {example}")
    return parsed


def engine_options() -> Dict[str, str]:
    """POPLAR_ENGINE_OPTIONS as a dict of strings, parsed as by `tilescope run`.

    Raises:
        poptorch.Error: if it is not a JSON object of plain values.
    """
    text = os.environ.get(ENGINE_OPTIONS)
    if not text:
        return {}
    try:
        return _simulator.engine_options(text, named(ENGINE_OPTIONS))
    except ValueError as error:
        raise Error(str(error)) from None


def make_folder(folder: str, origin: str) -> None:
    """Makes the folder named by `origin`, a variable and its key.

    Raises:
        poptorch.Error: with the reason why it cannot be made.
    """
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Error(f"{origin}: cannot make the folder '{folder}': {error.strerror}; name one that "
                    "can be made") from None
