"""A profile with its reports."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _core
from ._report import Report, Table, emphasised, fieldsHtml, pictureHtml


class Profile:
    """A profile.pop, given by its name or its folder's, as for run(out=...). Each report is made on request.

    Methods for reports return frames of their main table (see Report.frame); ``report(name)`` has all tables and
    fields. All raise ProfileError for tiles, steps and the like that the profile does not have, for a damaged file, and
    once the profile is closed. A pickled profile is its path.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        folder = Path(path)
        inside = folder / "profile.pop"
        self.path = fspath(inside if folder.is_dir() and inside.exists() else path)
        """The file."""
        self._opened: _core.Profile | None = _core.Profile(self.path)

    @property
    def _core(self) -> _core.Profile:
        if self._opened is None:
            raise _core.ProfileError(f"{self.path} is closed")
        return self._opened

    def close(self) -> None:
        """Lets go of the file and of what was read; ``with`` does so at its end."""
        self._opened = None

    def __enter__(self) -> Profile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return Profile, (str(Path(self.path).absolute()), )

    @property
    def info(self) -> dict[str, Any]:
        """The model and options that were run, and the main figures."""
        return self._core.info

    @property
    def target(self) -> dict[str, Any]:
        """The machine and its constants."""
        return self._core.target

    @staticmethod
    def reports() -> list[str]:
        """Names of all reports."""
        return _core.report_names()

    def report(self, name: str, **request: Any) -> Report:
        """A report by its name.

        ``tile``, ``ipu``, ``step``, ``run`` (numbers), ``by`` and ``filter`` (strings) correspond to ``--tile`` etc. on
        the command line. Raises ProfileError for an argument that the report does not take.
        """
        return Report(name, self._core.report(name, **request), self.path)

    def memory(self, *, tile: int | None = None, ipu: int | None = None, by: str = "", filter: str = "") -> Any:
        """Where the bytes of all tiles, an IPU or a tile went; ``by`` ``region``, ``category`` or ``liveness``."""
        return self.report("memory", tile=tile, ipu=ipu, by=by, filter=filter).frame

    def liveness(self, *, tile: int | None = None, ipu: int | None = None, step: int | None = None,
                 filter: str = "") -> Any:
        """The variables live at a step, by default the peak; bytes."""
        return self.report("liveness", tile=tile, ipu=ipu, step=step, filter=filter).frame

    def variables(self, *, tile: int | None = None, ipu: int | None = None, filter: str = "") -> Any:
        """Variables, largest first; bytes."""
        return self.report("variables", tile=tile, ipu=ipu, filter=filter).frame

    def vertices(self, *, tile: int | None = None, ipu: int | None = None, filter: str = "") -> Any:
        """Vertex types with bytes of code and state."""
        return self.report("vertices", tile=tile, ipu=ipu, filter=filter).frame

    def exchanges(self, *, tile: int | None = None, ipu: int | None = None, filter: str = "") -> Any:
        """Exchanges with bytes and cycles."""
        return self.report("exchanges", tile=tile, ipu=ipu, filter=filter).frame

    def programs(self, *, filter: str = "") -> Any:
        """The program tree."""
        return self.report("programs", filter=filter).frame

    def operations(self, *, run: int | None = None, by: str = "", filter: str = "") -> Any:
        """Operations of the model with cycles, bytes and flops, of one run, by default the last."""
        return self.report("operations", run=run, by=by, filter=filter).frame

    def source(self, *, run: int | None = None, by: str = "", filter: str = "") -> Any:
        """The user's lines, or by function, file or stack, with what they cost; empty without recorded lines."""
        return self.report("source", run=run, by=by, filter=filter).frame

    def trace(self, *, ipu: int | None = None, step: int | None = None) -> Any:
        """The execution, or one step of it."""
        return self.report("trace", ipu=ipu, step=step).frame

    def pipeline(self) -> Any:
        """Stages of a pipeline; empty if there is none."""
        return self.report("pipeline").frame

    def phases(self, *, filter: str = "") -> Any:
        """Phases of a phased execution; empty if there is none."""
        return self.report("phases", filter=filter).frame

    def hosts(self, *, by: str = "", filter: str = "") -> Any:
        """Tracepoints recorded by the program (libpvti), by ``name`` or ``time``; seconds from the start of the first
        run. ``report("hosts")`` also has its graphs and heat maps, and lanes of the host."""
        return self.report("hosts", by=by, filter=filter).frame

    def values(self, *, by: str = "", filter: str = "") -> Any:
        """Statistics of tensors in a run with values; ``by`` ``tensor``, ``iteration``, ``exponent`` or ``update``."""
        return self.report("values", by=by, filter=filter).frame

    def insights(self, *, tile: int | None = None, ipu: int | None = None) -> Any:
        """Findings, with remedies."""
        return self.report("insights", tile=tile, ipu=ipu).frame

    def query(self, sql: str) -> Any:
        """One SELECT on the tables of the file and of the reports (``report_operations``), as a frame.

        Raises ProfileError for SQL that cannot be run.
        """
        columns, rows = self._core.query(sql)
        return Table({"key": "query", "title": "",
                      "columns": [{"key": key, "title": key, "unit": "text"} for key in columns], "rows": rows}).frame

    def diff(self, target: Profile | str | PathLike[str], **limits: Any) -> Any:
        """Compares it with another: see tilescope.diff()."""
        from ._commands import diff
        return diff(self, target, **limits)

    def export(self, format: str, out: str | PathLike[str], **parts: Any) -> Path:
        """Writes it for other tools: see tilescope.export()."""
        from ._commands import export
        return export(self, format, out, **parts)

    def try_(self, *, out: str | PathLike[str] | None = None) -> Any:
        """Simulates what its insights suggest: see tilescope.try_()."""
        from ._commands import try_
        return try_(self, out=out)

    def _repr_html_(self) -> str:
        info, memory = self.info, self._core.memory_summary()
        figures = [
            ("Machine", self.target["description"], "text"), ("Mode", info["mode"], "text"),
            ("Fits", "yes" if info["fits"] else "no", "text"),
            ("Fullest tile", memory["maxTileIncludingGaps"], "bytes"),
            ("Memory of a tile", memory["limitPerTile"], "bytes"),
            ("Tiles over limit", memory["tilesOverLimit"], "count"),
            ("Always live", memory["alwaysLive"], "bytes"),
            ("Not always live, at most", memory["maxNotAlwaysLive"], "bytes"),
            ("Cycles", info["cycles"] if info["hasExecution"] else None, "cycles"),
            ("Time", info["seconds"], "seconds"), ("Samples per second", info["throughput"], "per second"),
            ("File", self.path, "text")]
        return (emphasised(info["model"]) + fieldsHtml({title: value for title, value, _ in figures},
                                                       {title: unit for title, _, unit in figures})
                + pictureHtml(self.path, "memory"))

    def __repr__(self) -> str:
        # Names come from files: shown as Python strings, so that they contain no control sequences.
        return f"<Profile {self.path!r}: {self.info['model']!r} on {self.target['name']}>"


def open(path: str | PathLike[str]) -> Profile:
    """Opens a profile. Raises ProfileError for a file that does not exist or is not a profile of TileScope."""
    return Profile(path)
