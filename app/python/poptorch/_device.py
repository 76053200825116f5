"""Methods for devices and files of executables, which are not simulated."""
from __future__ import annotations

from typing import Any, List

from ._compiled import NOT_COMPILED, Executable
from ._errors import Error


class Device(Executable):
    """Attaching and detaching, and refused methods."""

    _attached: bool

    def isAttachedToDevice(self) -> bool:
        """Whether the program is on the machine."""
        return self._compiled is not None and self._attached

    def attachToDevice(self) -> None:
        """Loads the program onto the machine again."""
        self._program()
        self._attached = True

    def detachFromDevice(self) -> None:
        """Releases the machine; the module's weights stay as they are."""
        if not self.isAttachedToDevice():
            raise Error("the model is not attached to a device" if self._compiled is not None else
                        NOT_COMPILED)
        self._attached = False

    @property
    def rng_state(self) -> List[int]:
        """Refused: random numbers follow from Options.randomSeed() alone."""
        raise Error("rng_state: random numbers follow from Options.randomSeed() alone")

    def compileAndExport(self, filename: str, *args: Any, export_model: bool = True,
                         **kwargs: Any) -> None:
        """Refused: executables are not kept in files."""
        raise Error(f"compileAndExport('{filename}'): executables are not kept in files; call "
                    "compile()")

    def loadExecutable(self, filename: str) -> None:
        """Refused: executables are not kept in files."""
        raise Error(f"loadExecutable('{filename}'): executables are not kept in files; call the "
                    "model")

    def save(self, filename: str, export_model: bool = True, save_rng_state: bool = True) -> None:
        """Refused: executables are not kept in files."""
        raise Error(f"save('{filename}'): executables are not kept in files; save state_dict()")
