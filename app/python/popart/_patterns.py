"""PopART's rewriting patterns, which the simulator applies by rules of its own."""
from __future__ import annotations

from typing import Any, Dict, Iterable, Union

from ._enums import ENUMS

_Level = ENUMS["PatternsLevel"]


class Patterns:
    """Which patterns rewrite the model; read and written as attributes, without effect.

    >>> patterns = popart.Patterns(popart.PatternsLevel.Default)
    >>> patterns.InPlace = False
    """

    def __init__(self, level: Union[Any, Iterable[str]] = _Level["Default"]) -> None:
        named = not isinstance(level, (int, _Level))
        object.__setattr__(self, "_default", not named and level > _Level["NoPatterns"])
        given: Dict[str, bool] = {str(name): True for name in level} if named else {}
        object.__setattr__(self, "_given", given)

    def __getattr__(self, name: str) -> bool:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.isPatternEnabled(name)

    def __setattr__(self, name: str, value: bool) -> None:
        self.enablePattern(name, value)

    def isPatternEnabled(self, name: str) -> bool:
        """Whether a pattern is enabled."""
        return bool(self._given.get(str(name), self._default))

    def enablePattern(self, name: str, enabled: bool) -> "Patterns":
        """Enables or disables a pattern."""
        self._given[str(name)] = bool(enabled)
        return self

    def enableRuntimeAsserts(self, enabled: bool) -> "Patterns":
        """Whether PopART checks its patterns."""
        return self

    def __repr__(self) -> str:
        return f"popart.Patterns({self._given})"
