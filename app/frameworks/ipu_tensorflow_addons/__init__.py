"""`import ipu_tensorflow_addons`: layers that Graphcore keeps beside Keras."""
from simulated_keras import _aliases

_aliases.refuse_beside_real("ipu_tensorflow_addons", __file__)

from simulated_keras import addons as _simulated  # noqa: E402

_aliases.register(__name__, _simulated, _simulated.modules())
