"""Reports, for people and for programs."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from subprocess import SubprocessError
from typing import Any

from . import _core

# Maximum rows of a table shown in a notebook.
_SHOWN_ROWS = 20

# Reports that the window also has, under the same name.
_VIEWS = ("memory", "liveness", "programs", "operations", "trace", "pipeline", "insights")

# What identifies a row, by the key of its table: the index of its frame. Operations are known by their names, so that
# those of two runs join; other things of a profile have numbers, with which its tables refer to them.
_IDENTITY = {"operations": ("name", "ipu"), "variables": ("variable", ), "computeSets": ("computeSet", ),
             "exchanges": ("exchange", ), "programs": ("program", ), "steps": ("step", ), "vertices": ("name", ),
             "runs": ("run", "ipu"), "stages": ("stage", ), "metrics": ("name", ), "options": ("option", ),
             "models": ("name", ), "targets": ("name", ), "constants": ("name", )}


class Table:
    """A table of a report: columns with units, and rows of plain values."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.key: str = content["key"]
        """Its name in JSON."""
        self.title: str = content["title"]
        """Its caption; may be empty."""
        self.columns: list[str] = [column["key"] for column in content["columns"]]
        """Keys of its columns."""
        self.units: dict[str, str] = {column["key"]: column["unit"] for column in content["columns"]}
        """Units by column: ``bytes``, ``cycles``, ``share`` (1 is 100 %), ``seconds``, ``count``, ``text``."""
        self.titles: dict[str, str] = {column["key"]: column["title"] for column in content["columns"]}
        """Titles for people by column."""
        self.rows: list[tuple[Any, ...]] = content["rows"]
        """Values; None if missing."""

    @property
    def frame(self) -> Any:
        """A pandas.DataFrame, with units in ``attrs["units"]``; a list of dicts where pandas is not installed.

        Its index is what identifies a row, so that frames join: operations by name and IPU, other things by their
        number.
        """
        identity = _IDENTITY.get(self.key, ())
        if identity and not set(identity) <= set(self.columns):
            identity = ("name", ) if "name" in self.columns else ()
        return _frame(self.columns, self.rows, self.title, self.units, identity)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(self.titles[key])}</th>" for key in self.columns)
        units = list(self.units.values())
        body = "".join(f"<tr>{''.join(f'<td>{_html(*cell)}</td>' for cell in zip(row, units))}</tr>"
                       for row in self.rows[:_SHOWN_ROWS])
        more = len(self.rows) - _SHOWN_ROWS
        tail = f"<p>… {more} more rows</p>" if more > 0 else ""
        return f"<h4>{escape(self.title)}</h4><table><tr>{head}</tr>{body}</table>{tail}"

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Table {self.key}: {len(self.rows)} rows of {', '.join(self.columns)}>"


def _frame(columns: list[str], rows: list[tuple[Any, ...]], title: str, units: dict[str, str],
           identity: tuple[str, ...] = ()) -> Any:
    try:
        import pandas  # only here: importing it takes longer than opening a report
    except ImportError:
        return [dict(zip(columns, row)) for row in rows]
    frame = pandas.DataFrame.from_records(rows, columns=columns)
    for at, key in enumerate(columns):
        # Numbers of things stay whole where some rows have none.
        if frame[key].hasnans and all(row[at] is None or type(row[at]) is int for row in rows):
            frame[key] = pandas.array([row[at] for row in rows], dtype="Int64")
    if identity and rows:
        # Unnamed, since the columns stay and pandas takes no name for both.
        index = frame.set_index(list(identity)).index
        frame.index = index.set_names([None] * index.nlevels)
    frame.attrs.update(title=title, units=units)
    return frame


def _html(value: Any, unit: str) -> str:
    return escape(_core.text_of(value, unit))


def emphasised(text: str) -> str:
    """A heading for notebooks."""
    return f"<h3>{escape(text)}</h3>"


def fieldsHtml(fields: dict[str, Any], units: dict[str, str] | None = None) -> str:
    """Single values as a table for notebooks."""
    rows = "".join(f"<tr><th>{escape(key)}</th><td>{_html(value, (units or {}).get(key, 'text'))}</td></tr>"
                   for key, value in fields.items())
    return f"<table>{rows}</table>"


def pictureHtml(path: str, name: str) -> str:
    """The window's picture of a report, if the window is installed and has it."""
    from ._programs import picture
    if name not in _VIEWS or not path:
        return ""
    try:
        content = b64encode(picture(path, name)).decode()
    except (RuntimeError, OSError, SubprocessError):
        return ""
    return f'<img alt="{escape(name)}" src="data:image/png;base64,{content}">'


class Report:
    """A report of a profile: fields, tables and lists of numbers."""

    def __init__(self, name: str, content: dict[str, Any], path: str = "") -> None:
        self._path = path
        self.name = name
        """Its name on the command line: ``operations``."""
        self.fields: dict[str, Any] = content["fields"]
        """Single values by key."""
        self.units: dict[str, str] = content["units"]
        """Their units."""
        self.tables: dict[str, Table] = {key: Table(table) for key, table in content["tables"].items()}
        """Tables by key, the main one first."""
        self.lists: dict[str, list[int]] = content["lists"]
        """Lists of numbers by key, such as a figure for each IPU."""

    @property
    def frame(self) -> Any:
        """The main table as a frame, see Table.frame; of a report without tables its fields as one row."""
        for table in self.tables.values():
            return table.frame
        return _frame(list(self.fields), [tuple(self.fields.values())], self.name, self.units)

    def _repr_html_(self) -> str:
        tables = "".join(table._repr_html_() for table in self.tables.values())
        return (emphasised(self.name.capitalize()) + pictureHtml(self._path, self.name)
                + fieldsHtml(self.fields, self.units) + tables)

    def __repr__(self) -> str:
        return f"<Report {self.name}: tables {', '.join(self.tables) or 'none'}>"
