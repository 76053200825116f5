"""tf.keras on simulated IPUs: own implementation of the part of TensorFlow that scripts for IPUs use.

The folder `frameworks` makes it importable as `tensorflow` and `keras`. A model is recorded as an
ONNX graph, compiled, timed and computed by :mod:`tilescope._simulator`.
"""
from . import layers  # noqa: F401  (first: other modules import parts of it)
