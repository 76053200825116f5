"""Methods for devices and files of compiled models."""
from __future__ import annotations

from typing import Any, List

import torch

from . import _files
from ._compiled import NOT_COMPILED, Executable
from ._errors import Error
from ._tracing import Tree


class Device(Executable):
    """Attaching and detaching; files."""

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
        """Compiles for arguments like :meth:`poptorch.PoplarExecutor.compile`, and writes a file for
        :func:`poptorch.load` or :meth:`loadExecutable`.

        Args:
            filename: a file, or a folder for "model.poptorch".
            export_model: whether the file has the module.
        """
        if self._compiled is None:
            self.compile(*args, **kwargs)
        self.save(filename, export_model)

    def loadExecutable(self, filename: str) -> None:
        """Compiles for the arguments in a file."""
        self._compile(*_files.read(filename)["given"])

    def save(self, filename: str, export_model: bool = True, save_rng_state: bool = True) -> None:
        """Writes a file for :func:`poptorch.load` or :meth:`loadExecutable`.

        Raises:
            poptorch.Error: before the model is compiled, or if the module cannot be written.
        """
        names, values = self._program().given
        tree = Tree(values)
        zeros = [torch.zeros(tensor.shape, dtype=tensor.dtype) for tensor in tree.tensors]
        _files.write(filename, {
            "model": self._user_model if export_model else None,
            "optimizer": self._optimizer if export_model else None,
            "options": self._options,
            "training": self._training,
            "given": (names, list(tree.rebuild(zeros))),
        })

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compiles for arguments of the shapes of a whole call."""
        raise NotImplementedError

    def _compile(self, names: List[str], values: List[Any]) -> None:
        raise NotImplementedError
