"""The module `ipu_tensorflow_addons`."""
from __future__ import annotations

from typing import Any, Dict

from . import layers as _layers
from ._errors import make_module, refuse_unknown

_NAMES = ("Embedding", "LSTM", "PopnnLSTM", "GRU", "PopnnGRU", "RecomputationCheckpoint", "GroupNorm",
          "LayerNormalization", "GroupNormalization", "Dropout")
layers = make_module("ipu_tensorflow_addons.keras.layers", "Layers.",
                     **{name: vars(_layers)[name] for name in _NAMES if name in vars(_layers)})
keras = make_module("ipu_tensorflow_addons.keras", "Additions to Keras.", layers=layers)
__getattr__ = refuse_unknown("ipu_tensorflow_addons", ["keras"])


def modules() -> Dict[str, Any]:
    """All modules below by their paths."""
    return {"keras": keras, "keras.layers": layers}
