"""The report: the root of everything that a profile says."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property
from os import PathLike, fspath
from typing import ClassVar, NoReturn

from ._compilation import CompilationReport
from ._errors import NotInProfile, refuse
from ._execution import ExecutionReport
from ._source import Source


class PoplarVersion:
    """What made the profile: TileScope, in Poplar's place."""

    def __init__(self, creator: str) -> None:
        self.string = creator
        """``TileScope 0.1.0``."""
        self.major, self.minor, self.point = (int(n) for n in (re.findall(r"\d+", creator) + ["0"] * 3)[:3])
        self.packageHash = ""
        """Empty: it is no package of the SDK."""

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
    """How finely compute was timed."""

    Off = 0
    Vertex = 1
    Tile = 2
    Ipu = 3
    Device = 4
    Unknown = 5


class ExternalExchangeInstrumentationLevel(Enum):
    """How finely exchanges with the host and other IPUs were timed."""

    Off = 0
    Tile = 1
    Unknown = 2


class InstrumentationSettings:
    """What was timed. A simulated execution has its times by tile, whatever the engine options ask for."""

    ComputeInstrumentationLevel: ClassVar[type] = ComputeInstrumentationLevel
    ExternalExchangeInstrumentationLevel: ClassVar[type] = ExternalExchangeInstrumentationLevel

    def __init__(self, executed: bool) -> None:
        self.compute = ComputeInstrumentationLevel.Tile if executed else ComputeInstrumentationLevel.Off
        self.externalExchange = (ExternalExchangeInstrumentationLevel.Tile if executed
                                 else ExternalExchangeInstrumentationLevel.Off)


class Report:
    """A profile. Nothing is read before it is asked for."""

    def __init__(self, path: str) -> None:
        self._source = Source(path)

    @cached_property
    def compilation(self) -> CompilationReport:
        """What was compiled."""
        return CompilationReport(self._source)

    @cached_property
    def execution(self) -> ExecutionReport:
        """What was executed. Raises NotInProfile if nothing was: the model did not fit, or was only compiled."""
        info = self._source.info
        if not info["hasExecution"]:
            why = "it was only compiled." if info["fits"] else "the model does not fit in memory."
            raise NotInProfile(f"the profile has no execution: {why}")
        return ExecutionReport(self._source)

    @cached_property
    def poplarVersion(self) -> PoplarVersion:
        """What made the profile."""
        return PoplarVersion(self._source.info["creator"])

    @cached_property
    def version(self) -> ProfileReportVersion:
        """Version of the file's tables."""
        return ProfileReportVersion(self._source.core.schema_version)

    @cached_property
    def instrumentationSettings(self) -> InstrumentationSettings:
        """What was timed."""
        return InstrumentationSettings(self._source.info["hasExecution"])

    def listPrintLength(self, items: int) -> None:
        """How many items the text of a list shows. Raises ValueError for less than none."""
        if items < 0:
            raise ValueError(f"a list cannot show {items} items")
        self._source.shown.items = items

    def __repr__(self) -> str:
        return f"<Report {self._source.path}>"


def openReport(profileFilename: str | PathLike[str], debugInfoFilename: str | PathLike[str] | None = None) -> Report:
    """Opens a profile.pop.

    ``debugInfoFilename`` is the path of a debug.cbor in the original. Ours has all of that in the profile, and it is
    not read. Raises tilescope.ProfileError for a file that is not there or is no profile of TileScope.
    """
    return Report(fspath(profileFilename))


def openTrace(path: str | PathLike[str]) -> NoReturn:
    """Refused: .pvti files are not read."""
    refuse("openTrace", f"files of the System Analyser ('{fspath(path)}') are not read; what the host did is in the "
           "profile, with what libpvti recorded: see tilescope.open(path).hosts().")
