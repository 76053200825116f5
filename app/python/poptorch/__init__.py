"""PopTorch on a simulated IPU: programs that import it run unchanged.

The names are those of PopTorch 3.3. A model is traced by PyTorch, compiled and timed by TileScope,
which writes its profile according to POPLAR_ENGINE_OPTIONS, and its values are computed as on the
machine. Anything without effect is reported once; anything not simulated is refused by name.
"""
from __future__ import annotations

from tilescope import _threads as _threads  # (before PyTorch loads the threads)

try:
    import torch
except ImportError as missing:
    raise ImportError("poptorch needs PyTorch: install python3-torch, or torch 1.13 by pip") from missing
try:
    import numpy  # noqa: F401
except ImportError as missing:
    raise ImportError("poptorch needs NumPy: install python3-numpy, or numpy by pip") from missing
from tilescope import _numpy_names as _numpy_names

from typing import Any, Callable, Optional

from . import _files, _impl, _logging, autocasting, enums, optim, options, poptorch_core, profiling
from ._blocks import BeginBlock, Block, BlockFunction, isRunningOnIpu, module_repr, removeBlocks
from ._control import cond, for_loop
from ._data import AsynchronousDataAccessor, DataLoader
from ._errors import Error, RecoverableError, UnrecoverableError
from ._executor import PoplarExecutor
from ._hooks import registerPostCompileHook, registerPreCompileHook
from ._impl import getIpuTensorId
from ._logging import setLogLevel
from ._slices import dynamic_slice, dynamic_update
from .enums import *  # noqa: F401,F403
from .ops import (CPU, MultiConv, NameScope, ctc_beam_search_decoder, custom_op, fps, identity_loss,
                  ipu_print_tensor, nearest, nop, recomputationCheckpoint, serializedMatMul,
                  set_available_memory, set_overlap_for_input, set_overlap_for_output)
from .options import Attribute, Options, TensorLocationSettings
from .strategies import (ParallelPhasedExecution, Phase, PipelinedExecution, SerialPhasedExecution,
                         ShardedExecution, Stage)

__version__ = "3.3.0"


def trainingModel(model: torch.nn.Module, options: Optional[Options] = None,
                  optimizer: Optional[torch.optim.Optimizer] = None) -> PoplarExecutor:
    """A model that is trained by each call.

    Args:
        model: a module whose forward() returns its loss, alone or among other results. The loss is
            one of torch.nn, or marked by :func:`identity_loss`.
        options: without them the defaults.
        optimizer: SGD, Adam, AdamW or RMSprop of torch.optim or poptorch.optim, or
            poptorch.optim.LAMB; without one SGD with a learning rate of 0.01.

    Raises:
        poptorch.Error: for an optimizer that is not simulated.
    """
    return PoplarExecutor(model, options, True, optimizer)


def inferenceModel(model: torch.nn.Module, options: Optional[Options] = None) -> PoplarExecutor:
    """A model whose calls compute results.

    Args:
        model: any module.
        options: without them the defaults.
    """
    return PoplarExecutor(model, options, False)


def ipuHardwareIsAvailable(num_ipus: int = 1) -> bool:
    """Whether the simulated machine has this many IPUs."""
    return 1 <= num_ipus <= 256


def ipuHardwareVersion() -> int:
    """Version of the machine simulated by default: 2 (Mk2)."""
    return 2


def load(filename: str, edit_opts_fn: Optional[Callable[[Options], None]] = None) -> PoplarExecutor:
    """The model in a file of :meth:`PoplarExecutor.save` or compileAndExport(), compiled.

    Args:
        filename: the file.
        edit_opts_fn: changes the options before the model is made.

    Raises:
        poptorch.Error: for a file without a module, or any other file.
    """
    contents = _files.read(filename)
    if contents["model"] is None:
        raise Error(f"'{filename}' has no module; make it, and call loadExecutable()")
    options = contents["options"].clone()
    options.connectionType(enums.ConnectionType.Always)
    if edit_opts_fn is not None:
        edit_opts_fn(options)
    executor = PoplarExecutor(contents["model"], options, contents["training"], contents["optimizer"])
    executor._compile(*contents["given"])
    return executor


_REFUSED = {
    "eager": "models are compiled as a whole; wrap yours with poptorch.inferenceModel()",
    "experimental": "wrap models with poptorch.inferenceModel() and trainingModel()",
    "distributed": "give one process all replicas with Options.replicationFactor()",
}


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        raise AttributeError(f"poptorch.{name} is not simulated: {_REFUSED[name]}")
    raise AttributeError(f"module 'poptorch' has no attribute '{name}'")


__all__ = sorted(name for name, value in globals().items()
                 if not name.startswith("_") and name not in ("torch", "numpy", "annotations", "Any",
                                                              "Callable", "Optional", "enum"))
