"""PopTorch's log: POPTORCH_LOG_LEVEL sets how much is printed, WARN by default."""
from __future__ import annotations

import logging
import os
import sys
from typing import Any, Set, Union

TRACE = 5
_LEVELS = {
    "TRACE": TRACE,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "WARNING": logging.WARNING,
    "ERR": logging.ERROR,
    "ERROR": logging.ERROR,
    "OFF": logging.CRITICAL + 1,
}
#: PopTorch's numeric levels, used by old scripts.
_BY_NUMBER = ["TRACE", "DEBUG", "INFO", "WARN", "ERR", "ERR", "OFF"]

logging.addLevelName(TRACE, "TRACE")
logger = logging.getLogger("poptorch::python")
logger.propagate = False


class _ToStandardError(logging.StreamHandler):
    """Writes to the standard error output of the moment, which programs may have redirected."""

    @property
    def stream(self) -> Any:
        return sys.stderr

    @stream.setter
    def stream(self, stream: Any) -> None:
        pass


_handler = _ToStandardError()
_handler.setFormatter(
    logging.Formatter("[%(asctime)s.%(msecs)03d] [%(name)s] [%(level)s] %(message)s", "%H:%M:%S"))


class _LowerCase(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.level = record.levelname.lower()
        return True


_handler.addFilter(_LowerCase())
logger.addHandler(_handler)
_said: Set[str] = set()


#: PopLibs' own log, whose lines begin with time, PL:POPLIN and process. POPLIBS_LOG_LEVEL sets how
#: much of it is printed, WARN by default.
_planner = logging.getLogger("PL:POPLIN")
_planner.propagate = False
_planner.addHandler(_ToStandardError())
_planner.setLevel(_LEVELS.get(os.environ.get("POPLIBS_LOG_LEVEL", ""), logging.WARNING))


def log_planner(severity: str, line: str) -> None:
    """Prints a line of PopLibs' log."""
    _planner.log(_LEVELS[severity.upper()], "%s", line)


def setLogLevel(level: Union[str, int]) -> None:
    """Changes how much is printed.

    Args:
        level: 'TRACE', 'DEBUG', 'INFO', 'WARN', 'ERR' or 'OFF', or PopTorch's number for it (0 to
            4, 6).

    Raises:
        ValueError: for any other.
    """
    if isinstance(level, int):
        if level not in range(5) and level != 6:
            raise ValueError(f"Invalid log level integer {level}: the levels are 0 to 4, and 6")
        level = _BY_NUMBER[level]
    if not isinstance(level, str) or level.upper() not in _LEVELS:
        raise ValueError(f"Unknown log level: {level}. Valid values are DEBUG, ERR, INFO, OFF, TRACE and "
                         "WARN")
    logger.setLevel(_LEVELS[level.upper()])


def setPopartLogLevel(level: str) -> None:
    """Checks a level of PopART's own log, of which nothing is printed here.

    Raises:
        ValueError: for anything but a level's name.
    """
    names = ("TRACE", "DEBUG", "INFO", "WARN", "ERR", "OFF")
    if level not in names:
        raise ValueError(f"Level must be one of {', '.join(names)}, not {level!r}")


def say_once(text: str) -> None:
    """Warns once for each text."""
    if text not in _said:
        _said.add(text)
        logger.warning(text)


setLogLevel(os.environ.get("POPTORCH_LOG_LEVEL") or "WARN")
