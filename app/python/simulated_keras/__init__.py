"""tf.keras on simulated IPUs: own implementation of the part of TensorFlow that scripts for IPUs use.

The folder `frameworks` makes it importable as `tensorflow` and `keras`. A model is recorded as an
ONNX graph, compiled, timed and computed by :mod:`tilescope._simulator`.
"""
try:
    import numpy as _numpy  # noqa: F401
except ImportError as missing:
    raise ImportError("tensorflow and keras of TileScope need NumPy: install python3-numpy, or numpy by "
                      "pip") from missing

from . import layers  # noqa: F401  (first: other modules import parts of it)
