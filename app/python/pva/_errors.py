"""The error for parts that a simulated profile does not have."""

from typing import NoReturn


class NotInProfile(AttributeError, RuntimeError):
    """A part of libpva's model that TileScope does not record; its text explains why and names alternatives.

    It is an AttributeError too, so that ``hasattr`` is False for such a part.
    """


def refuse(name: str, why: str) -> NoReturn:
    """Raises NotInProfile: ``name`` as spelled in scripts, ``why`` as a sentence."""
    raise NotInProfile(f"TileScope's profile has no '{name}': {why}")
