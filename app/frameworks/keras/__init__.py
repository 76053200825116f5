"""`import keras`: the same module as `tensorflow.keras`, where no Keras is installed."""
from simulated_keras import _aliases

_aliases.refuse_beside_real("keras", __file__)

from simulated_keras import keras as _simulated  # noqa: E402

_aliases.register(__name__, _simulated, _simulated.modules())
