"""Groups of named values that refuse other names."""
from __future__ import annotations

import copy
import difflib
from typing import Any, Dict, Iterator, Mapping, Tuple


class Settings:
    """Values by name, as attributes; any other name is an error that names the nearest one."""

    #: Names and defaults; a default that is a Settings is a group of its own.
    _defaults: Mapping[str, Any] = {}

    def __init__(self, *args: Any, **values: Any) -> None:
        object.__setattr__(self, "_values", copy.deepcopy(dict(self._defaults)))
        for name, value in {**dict(zip(self._defaults, args)), **values}.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(self._unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise AttributeError(self._unknown(name))
        self._values[name] = value

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._defaults, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return f"popart.{type(self).__name__} has no attribute '{name}'{hint}"

    def __dir__(self) -> Iterator[str]:  # type: ignore[override]
        return iter([*super().__dir__(), *self._defaults])

    def __repr__(self) -> str:
        return f"popart.{type(self).__name__}({dict(self._changed())})"

    def __deepcopy__(self, memo: Any) -> "Settings":
        made = type(self)()
        made._values.update(copy.deepcopy(self._values, memo))
        return made

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._values == other._values  # type: ignore

    def _changed(self) -> Iterator[Tuple[str, Any]]:
        """Names, with those of groups before a dot, and values that differ from the defaults."""
        for name, value in self._values.items():
            if isinstance(value, Settings):
                yield from ((f"{name}.{inner}", item) for inner, item in value._changed())
            elif value != self._defaults[name]:
                yield name, value


def as_dict(settings: Settings) -> Dict[str, Any]:
    """Changed values by their full names."""
    return dict(settings._changed())
