"""PopART on a simulated IPU: programs that import it run unchanged.

The names are those of PopART 3.3. A builder makes an ONNX model; a session compiles and times it with
TileScope, which writes its profile according to POPLAR_ENGINE_OPTIONS, and computes values as on the
machine. Anything that is not simulated is refused by name.
"""
from __future__ import annotations

try:
    import numpy  # noqa: F401
except ImportError as missing:
    raise ImportError("popart needs NumPy: install python3-numpy, or numpy by pip") from missing
try:
    import onnx  # noqa: F401
except ImportError as missing:
    raise ImportError("popart needs ONNX: install python3-onnx, or onnx by pip") from missing
from tilescope import _numpy_names as _numpy_names

from ._anchors import ACCUMULATOR as _ACCUMULATOR
from ._anchors import GRADIENT as _GRADIENT
from ._builder import Builder, defaultAiGraphcoreOpset, defaultAiOnnxOpset
from ._data_flow import (AnchorReturnType, CommGroup, DataFlow, InputSettings, InputShapeInfo,
                         VariableSettings)
from ._devices import DeviceInfo, DeviceManager
from ._enums import *  # noqa: F401,F403
from ._errors import (OutOfMemoryException, poplar_exception, poplibs_exception, popart_exception,
                      popart_internal_exception, popart_runtime_error)
from ._logging import getLogger
from ._optimizers import (SGD, Adam, Adaptive, ClipNormSettings, ConstSGD, Optimizer,
                          OptimizerValue)
from ._patterns import Patterns
from ._session import InferenceSession, TrainingSession
from ._session_options import (AccumulateOuterFragmentSettings, AutodiffSettings,
                               AutomaticLossScalingSettings, BatchSerializationSettings,
                               DeveloperSettings, ExecutionPhaseSettings,
                               ReplicatedCollectivesSettings, SessionOptions, TensorLocation,
                               TensorLocationSettings)
from ._stepio import PyStepIO, PyStepIOCallback, PyWeightsIO
from ._tensors import TensorInfo
from ._transformer import GraphTransformer

__version__ = "3.3.0"

#: Prefixes of the names of tensors that training adds, by the part of the function's name.
_PREFIXES = {"Gradient": _GRADIENT, "Accum": _ACCUMULATOR, "Accl": "Accl___", "Accl1": "Accl1___",
             "Accl2": "Accl2___", "Accl3": "Accl3___", "AdamUpdater": "AdamUpdater___",
             "Step": "Step___", "UpdatedVar": "UpdatedVar___", "Restored": "Restored___"}


def _prefix(name: str, text: str) -> None:
    def prefix() -> str:
        return text

    prefix.__name__ = prefix.__qualname__ = f"reserved{name}Prefix"
    prefix.__doc__ = f"What names of such tensors begin with: \"{text}\"."
    globals()[prefix.__name__] = prefix


for _name, _text in _PREFIXES.items():
    _prefix(_name, _text)


def versionString() -> str:
    """The version of PopART whose names these are."""
    return __version__


def syncPatternFromString(name: str) -> SyncPattern:  # type: ignore[name-defined]  # noqa: F405
    """The synchronisation pattern of that name; without effect on a device."""
    return SyncPattern[name]  # type: ignore[name-defined]  # noqa: F405
