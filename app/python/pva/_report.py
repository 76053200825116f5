"""The report: the root of everything in a profile."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property
from os import PathLike, fspath
from typing import ClassVar

from ._compilation import CompilationReport
from ._errors import NotInProfile
from ._execution import ExecutionReport
from ._source import Source


class PoplarVersion:
    """The program that wrote the profile: TileScope, instead of Poplar."""

    def __init__(self, creator: str) -> None:
        self.string = creator
        """``TileScope 0.1.0``."""
        self.major, self.minor, self.point = (int(n) for n in (re.findall(r"\d+", creator) + ["0"] * 3)[:3])
        self.packageHash = ""
        """Empty: it is not a package of the SDK."""

    def __repr__(self) -> str:
        return self.string


class ProfileReportVersion:
    """Version of the file's tables. The numbers are TileScope's, not Poplar's."""

    def __init__(self, schema: int) -> None:
        self.major = schema
        self.minor = 0
        self.point = 0
        self.isUnstableFormat = False

    def __repr__(self) -> str:
        return f"{self.major}.{self.minor}.{self.point}"


class ComputeInstrumentationLevel(Enum):
    """The resolution of compute times."""

    Off = 0
    Vertex = 1
    Tile = 2
    Ipu = 3
    Device = 4
    Unknown = 5


class ExternalExchangeInstrumentationLevel(Enum):
    """The resolution of times of exchanges with the host and other IPUs."""

    Off = 0
    Tile = 1
    Unknown = 2


class InstrumentationSettings:
    """The resolution of times. A simulated execution is always timed by tile, regardless of engine options."""

    ComputeInstrumentationLevel: ClassVar[type] = ComputeInstrumentationLevel
    ExternalExchangeInstrumentationLevel: ClassVar[type] = ExternalExchangeInstrumentationLevel

    def __init__(self, executed: bool) -> None:
        self.compute = ComputeInstrumentationLevel.Tile if executed else ComputeInstrumentationLevel.Off
        self.externalExchange = (ExternalExchangeInstrumentationLevel.Tile if executed
                                 else ExternalExchangeInstrumentationLevel.Off)


class Report:
    """A profile. Its parts are read on first use."""

    def __init__(self, path: str) -> None:
        self._source = Source(path)

    @cached_property
    def compilation(self) -> CompilationReport:
        """The compilation."""
        return CompilationReport(self._source)

    @cached_property
    def execution(self) -> ExecutionReport:
        """The execution. Raises NotInProfile if there was none: the model did not fit, or was only compiled."""
        info = self._source.info
        if not info["hasExecution"]:
            why = "it was only compiled." if info["fits"] else "the model does not fit in memory."
            raise NotInProfile(f"the profile has no execution: {why}")
        return ExecutionReport(self._source)

    @cached_property
    def poplarVersion(self) -> PoplarVersion:
        """The program that wrote the profile."""
        return PoplarVersion(self._source.info["creator"])

    @cached_property
    def version(self) -> ProfileReportVersion:
        """Version of the file's tables."""
        return ProfileReportVersion(self._source.core.schema_version)

    @cached_property
    def instrumentationSettings(self) -> InstrumentationSettings:
        """The resolution of times."""
        return InstrumentationSettings(self._source.info["hasExecution"])

    def listPrintLength(self, items: int) -> None:
        """Sets the number of items in the text of a list. Raises ValueError if it is negative."""
        if items < 0:
            raise ValueError(f"a list cannot show {items} items")
        self._source.shown.items = items

    def __repr__(self) -> str:
        return f"<Report {self._source.path}>"


def openReport(profileFilename: str | PathLike[str], debugInfoFilename: str | PathLike[str] | None = None) -> Report:
    """Opens a profile.pop.

    ``debugInfoFilename`` is the path of a debug.cbor in the original. It is not read, as TileScope's profiles contain
    all of it. Raises tilescope.ProfileError for a file that does not exist or is not a profile of TileScope.
    """
    return Report(fspath(profileFilename))
