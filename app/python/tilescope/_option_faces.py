"""Options of jobs under the names of other libraries, as the rows of the option table know them."""
from __future__ import annotations

from typing import Any, Collection, Dict, NamedTuple

from . import _simulator  # type: ignore[attr-defined]

JobKeys = Dict[str, str]


def text_of(value: Any) -> str:
    """A value as written in jobs."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def check(keys: JobKeys) -> None:
    """Raises ValueError, with the option table's message, for values out of bounds."""
    for key, value in keys.items():
        _simulator.check_option(key, value)


class Acting(NamedTuple):
    """An option of another library that is a key of a job."""
    key: str
    is_switch: bool
    values: Dict[str, str]  #: values that the key spells in another way

    def value(self, name: str, value: Any) -> str:
        """The key's value; raises ValueError for one that the option does not have."""
        if "true" in self.values:
            return self.values["true" if value else "false"]
        if self.values:
            if str(value) not in self.values:
                raise ValueError(f"{name} is one of {', '.join(self.values)}, not {value}")
            return self.values[str(value)]
        return ("on" if value else "off") if self.is_switch else text_of(value)


Face = Dict[str, Acting]


def acting_options(face: str) -> Face:
    """Options with an effect, by the name they have under a face of the option table."""
    return {name: Acting(*rest) for name, *rest in _simulator.face_options(face)}


def keys_of(acting: Face, name: str, value: Any) -> JobKeys:
    """Keys of a job for an option; entries of a dict are options of their own.

    Raises:
        ValueError: for a value that is not the option's.
    """
    if isinstance(value, dict):
        keys: JobKeys = {}
        for part, entry in value.items():
            keys.update(keys_of(acting, f"{name}.{part}", entry))
        return keys
    option = acting.get(name)
    return {option.key: option.value(name, value)} if option else {}


def drop_idle(keys: JobKeys, may_be: Collection[str], computes: bool = True) -> Dict[str, str]:
    """Drops those of `may_be` that mean nothing beside the other keys, as one set of options is often
    used for training and inference, one replica and several, with values and (`computes`) without.
    Returns why, by key."""
    dropped: Dict[str, str] = {}
    while True:
        idle = {key: why for key, why in _simulator.idle_options(keys, computes).items()
                if key in may_be}
        if not idle:
            return dropped
        dropped.update(idle)
        for key in idle:
            del keys[key]
