"""What a profile of ours does not have."""

from typing import NoReturn


class NotInProfile(AttributeError, RuntimeError):
    """A part of libpva's model that TileScope does not record; its text says why and what there is instead.

    It is an AttributeError too, so that ``hasattr`` is False for such a part.
    """


def refuse(name: str, why: str) -> NoReturn:
    """Raises NotInProfile: ``name`` as scripts spell it, ``why`` as a sentence."""
    raise NotInProfile(f"TileScope's profile has no '{name}': {why}")
