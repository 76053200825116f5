"""`import tensorflow`: TileScope's simulation of IPUs, where no TensorFlow is installed."""
from simulated_keras import _aliases

_aliases.refuse_beside_real("tensorflow", __file__)

from simulated_keras import tensorflow as _simulated  # noqa: E402

_below = _simulated.modules()
_simulated.python = _below["python"]
_aliases.register(__name__, _simulated, _below)
