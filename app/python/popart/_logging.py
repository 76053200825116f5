"""PopART's loggers: POPART_LOG_LEVEL sets how much is printed, WARN by default."""
from __future__ import annotations

import logging
import os
import sys
from typing import Dict

_LEVELS = {"TRACE": 5, "DEBUG": logging.DEBUG, "INFO": logging.INFO, "WARN": logging.WARNING,
           "ERR": logging.ERROR, "CRITICAL": logging.CRITICAL, "OFF": logging.CRITICAL + 1}


class Logger:
    """The log of a part of PopART."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(f"popart:{name}" if name else "popart")
        self.setLevel(os.environ.get("POPART_LOG_LEVEL") or "WARN")

    def setLevel(self, level: str) -> None:
        """How much is printed: TRACE, DEBUG, INFO, WARN, ERR, CRITICAL or OFF.

        Raises:
            ValueError: for any other.
        """
        if level.upper() not in _LEVELS:
            raise ValueError(f"log level '{level}' is none of {', '.join(_LEVELS)}")
        self._logger.setLevel(_LEVELS[level.upper()])

    def _add(self, level: int, text: str) -> None:
        self._logger.log(level, "%s", text)

    def debug(self, text: str) -> None:
        """Prints details."""
        self._add(logging.DEBUG, text)

    def info(self, text: str) -> None:
        """Prints information."""
        self._add(logging.INFO, text)

    def warn(self, text: str) -> None:
        """Prints a warning."""
        self._add(logging.WARNING, text)

    def error(self, text: str) -> None:
        """Prints an error."""
        self._add(logging.ERROR, text)


_root = logging.getLogger("popart")
_root.propagate = False
_handler = logging.StreamHandler(sys.stderr)
_handler.setFormatter(logging.Formatter("[%(asctime)s] [%(name)s] [%(levelname)s] %(message)s"))
_root.addHandler(_handler)
_loggers: Dict[str, Logger] = {}


def getLogger(name: str = "") -> Logger:
    """The logger of a part: "ir", "devicex", "session", ...; "" for PopART as a whole."""
    if name not in _loggers:
        logging.getLogger(f"popart:{name}").parent = _root
        _loggers[name] = Logger(name)
    return _loggers[name]
