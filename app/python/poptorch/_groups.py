"""Base of the groups of options."""
from __future__ import annotations

import copy
import difflib
import re
from typing import Any, Dict


class OptionsGroup:
    """Options as values by name, readable as attributes.

    An option that PopTorch does not have raises an AttributeError that names the nearest one.
    """

    #: The group's name in scripts, for messages.
    _title = "poptorch.Options"

    def __init__(self, **defaults: Any) -> None:
        object.__setattr__(self, "_values", dict(defaults))

    def set(self, **values: Any) -> "OptionsGroup":
        """Sets options of the group by name; unknown ones are refused."""
        self._check_frozen()
        for key, value in values.items():
            if key not in self._values:
                raise AttributeError(self._unknown(key))
            self._values[key] = value
        return self

    def _freeze(self) -> None:
        """Refuses later changes: a model or a loader already has the options."""
        object.__setattr__(self, "_is_frozen", True)

    def _check_frozen(self) -> None:
        if self.__dict__.get("_is_frozen"):
            raise AttributeError(f"Can't modify frozen {self._title}: a model or DataLoader already has "
                                 "them; change them before, or copy them with clone()")

    def __deepcopy__(self, memo: Dict[int, Any]) -> "OptionsGroup":
        """A copy, which can be changed."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            if name != "_is_frozen":
                object.__setattr__(made, name, copy.deepcopy(value, memo))
        return made

    def createOrSet(self, **values: Any) -> "OptionsGroup":
        """Like :meth:`set`, but also for options that have no value yet."""
        self._check_frozen()
        self._values.update(values)
        return self

    def exists(self, option: str) -> bool:
        """Whether an option has a value."""
        return option in self._values

    def deleteIfExists(self, option: str) -> None:
        """Removes an option's value."""
        self._values.pop(option, None)

    def toDict(self) -> Dict[str, Any]:
        """A copy of the values by name."""
        return copy.deepcopy(self._values)

    def update(self, other: Dict[str, Any]) -> Dict[str, Any]:
        """The values of ``other``, updated with those of the group."""
        return {**other, **self._values}

    def _unknown(self, name: str) -> str:
        if hasattr(type(self), name):  # a call, not the name of a value
            return f"{self._title}: '{name}' is set by a call, as {name}(...)" + self._value_of(name)
        known = [key for key in dir(type(self)) if not key.startswith("_")] + list(self._values)
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return f"{self._title} has no option '{name}'{hint}"

    def _value_of(self, name: str) -> str:
        near = difflib.get_close_matches(re.sub("([A-Z])", r"_\1", name).lower(), self._values, 1)
        return f"; its value is named '{near[0]}'" if near else ""

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(self._unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{self._title}: '{name}' is set by a call, such as "
                                 "options.deviceIterations(10), not by an assignment")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"{self._title}({', '.join(f'{k}={v!r}' for k, v in sorted(self._values.items()))})"
