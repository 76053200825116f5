"""Commands of the program tilescope: comparing, sweeping, trying, exporting, and what is built in."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ._core import ProfileError
from ._profile import Profile
from ._programs import call, camelCase, fileWord, writeJob
from ._report import Table, emphasised, fieldsHtml

AnyProfile = Profile | str | PathLike[str]


def _pathOf(profile: AnyProfile) -> str:
    return fileWord(profile.path if isinstance(profile, Profile) else profile)


def _listed(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _tableOf(key: str, rows: list[dict[str, Any]]) -> Table:
    columns = list(rows[0]) if rows else []
    return Table({"key": key, "title": "", "rows": [tuple(row[column] for column in columns) for row in rows],
                  "columns": [{"key": column, "title": column, "unit": _unitOf(row[column] for row in rows)}
                              for column in columns]})


def _unitOf(values: Iterable[Any]) -> str:
    return "count" if any(type(value) is int for value in values) else "text"


class Comparison:
    """What changed between two profiles. Tables have a row for each thing of both, matched by its place in the
    model."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.same: bool = content["same"]
        """Whether nothing that counts differs."""
        self.source: dict[str, Any] = content["source"]
        """Profile, model, machine and fit of the first."""
        self.target: dict[str, Any] = content["target"]
        """The same of the second."""
        self.exceeded: list[str] = [each["threshold"] for each in content["thresholds"] if each["exceeded"]]
        """The limits of fail_if that are exceeded, with both values."""
        self.tables: dict[str, Table] = {key: _tableOf(key, value) for key, value in content.items()
                                         if isinstance(value, list) and key != "thresholds"}
        """Tables by key: ``metrics``, ``options``, ``plans``, ``operations``, ``memoryCauses``, ``waterfall``, ..."""

    @property
    def frame(self) -> Any:
        """The metrics of both, as a frame."""
        return self.tables["metrics"].frame

    def __bool__(self) -> bool:
        """False if a limit is exceeded."""
        return not self.exceeded

    def _repr_html_(self) -> str:
        sides = {title: f"{side['model']} on {side['target']}{'' if side['fits'] else ' (does not fit)'}: "
                        f"{side['profile']}" for title, side in (("Before", self.source), ("After", self.target))}
        changed = [dict(zip(self.tables["metrics"].columns, row)) for row in self.tables["metrics"].rows]
        changed = [row for row in changed if row["source"] != row["target"]]
        limits = {"Exceeded": "; ".join(self.exceeded)} if self.exceeded else {}
        return emphasised("The same" if self.same else "Different") + fieldsHtml({**sides, **limits}) + \
            _tableOf("metrics", changed)._repr_html_()

    def __repr__(self) -> str:
        return (f"<Comparison of {self.source['profile']!r} and {self.target['profile']!r}: "
                f"{'the same' if self.same else 'different'}>")


class Sweep:
    """The results of a grid of runs."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.database: str = content["database"]
        """The file of the results, which the window opens."""
        self.errors: int = content["errors"]
        """Points that failed; their messages are in the frame."""
        self.points: Table = _tableOf("points", content["points"])
        """A row for each point: its values, status, throughput, cycles and memory."""

    @property
    def frame(self) -> Any:
        """The points as a frame."""
        return self.points.frame

    def _repr_html_(self) -> str:
        return self.points._repr_html_()

    def __repr__(self) -> str:
        return f"<Sweep of {len(self.points)} points: {self.database!r}>"


def diff(source: AnyProfile, target: AnyProfile, *, fail_if: str | Iterable[str] = (),
         per_sample: bool = False) -> Comparison:
    """Compares two profiles.

    ``fail_if`` are limits as on the command line, such as ``"maxTile>+2%"``: the comparison is then false if one is
    exceeded. ``per_sample`` divides cycles and memory of all tiles by samples, for runs of different lengths. Raises
    ProfileError for files that are no profiles, and for limits that cannot be checked.
    """
    words = ["--per-sample"] if per_sample else []
    return Comparison(json.loads(call("diff", _pathOf(source), _pathOf(target), "--json", *words,
                                      *(f"--fail-if={limit}" for limit in _listed(fail_if))).stdout))


def sweep(model: str | PathLike[str], vary: Mapping[str, Any], *, out: str | PathLike[str], jobs: int | None = None,
          keep_profiles: bool = False, force: bool = False, **options: Any) -> Sweep:
    """Runs a grid of options; a folder that has results of the same sweep is continued.

    ``vary`` has the values of each axis by key: a list, or ``"1:8:1"`` as on the command line. ``out`` is the folder of
    the results, ``jobs`` the points at a time, ``options`` as for run(). Raises ProfileError for unknown keys and
    values; a point that fails is in the results.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = ["--json", f"--output={fspath(out)}", *(f"--vary={axis}" for axis in _axes(vary))]
        words += [f"--jobs={jobs}"] if jobs is not None else []
        words += ["--keep-profiles"] if keep_profiles else []
        words += ["--force"] if force else []
        job = writeJob(folder, model, options)
        return Sweep(json.loads(call("sweep", job, *words, origin=job).stdout))


def _axes(vary: Mapping[str, Any]) -> list[str]:
    return [f"{camelCase(key)}={values if isinstance(values, str) else ','.join(_wordOf(value) for value in values)}"
            for key, values in vary.items()]


def _wordOf(value: Any) -> str:
    return ("off", "on")[value] if isinstance(value, bool) else str(value)


def try_(profile: AnyProfile, *, out: str | PathLike[str] | None = None) -> Any:
    """Simulates what the insights of a profile suggest: a frame with the predicted and the gained share of each.

    ``out`` is a folder that keeps their profiles. Raises ProfileError for a file that is no profile.
    """
    words = [] if out is None else [f"--output={fspath(out)}"]
    return _tableOf("trials", json.loads(call("try", _pathOf(profile), "--json", *words).stdout)["trials"]).frame


def export(profile: AnyProfile, format: str, out: str | PathLike[str], *, start: int | None = None,
           end: int | None = None, events: int | None = None, expand: str | Iterable[str] = ()) -> Path:
    """Writes a profile for other tools and returns the file, or the folder of ``csv``.

    ``format`` is ``chrome-trace``, ``csv``, ``json`` or ``dot``. ``start``, ``end`` (cycles) and ``events`` (their
    maximum number) are for a trace, ``expand`` (scopes) for ``dot``. Raises ProfileError for what cannot be exported.
    """
    numbers = (("from", start), ("to", end), ("events", events))
    call("export", _pathOf(profile), f"--format={format}", f"--output={fspath(out)}",
         *(f"--{name}={value}" for name, value in numbers if value is not None),
         *(f"--expand={scope}" for scope in _listed(expand)))
    return Path(out)


def models() -> Any:
    """The models of the zoo, as a frame."""
    return _tableOf("models", json.loads(call("models", "--json").stdout)).frame


def targets(name: str | None = None) -> Any:
    """The machines that can be simulated, as a frame; of one its constants with their sources.

    Raises ProfileError for a name that is none.
    """
    machines = {machine["name"]: machine for machine in json.loads(call("targets", "--json").stdout)}
    if name is None:
        return _tableOf("targets", [{key: value for key, value in machine.items() if key != "constants"}
                                    for machine in machines.values()]).frame
    if name not in machines:
        raise ProfileError(f"there is no machine '{name}'. Machines are: {', '.join(machines)}.")
    return _tableOf("constants", machines[name]["constants"]).frame


def schema(of: str = "profile") -> Any:
    """The documented SQL of a ``"profile"`` or of the results of a ``"sweep"``; the JSON schema of a ``"job"`` or a
    ``"target"``'s file, a dict.

    Raises ProfileError for anything else.
    """
    if of not in ("profile", "sweep", "job", "target"):
        raise ProfileError(f"there is no schema of '{of}': it can be profile, sweep, job or target")
    text = call("schema", *([] if of == "profile" else [f"--{of}"])).stdout
    return json.loads(text) if of in ("job", "target") else text
