"""Activations that are layers."""
from __future__ import annotations

from typing import Any, Dict, Optional

from .. import _ops, activations
from .._graph import Symbol
from .._layer import Layer, refuse_extras


class Activation(Layer):
    """A function of each element."""
    is_one_operation = True
    supports_masking = True

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Symbol) -> Any:
        return self.activation(inputs)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "activation": activations.name_of(self.activation)}


class ReLU(Layer):
    """Positive values."""
    is_one_operation = True
    supports_masking = True

    def __init__(self, max_value: Optional[float] = None, negative_slope: float = 0.0,
                 threshold: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._numbers = {"alpha": negative_slope, "max_value": max_value, "threshold": threshold}

    def call(self, inputs: Symbol) -> Any:
        return activations.relu(inputs, **self._numbers)


class LeakyReLU(Layer):
    """A slope for negative values."""
    is_one_operation = True
    supports_masking = True

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Symbol) -> Any:
        return activations.leaky_relu(inputs, self.alpha)


class ELU(Layer):
    """Exponential linear units."""
    is_one_operation = True
    supports_masking = True

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Symbol) -> Any:
        return activations.elu(inputs, self.alpha)


class Softmax(Layer):
    """Probabilities along a dimension."""
    is_one_operation = True

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Symbol) -> Any:
        return _ops.softmax(inputs, self.axis)


class ThresholdedReLU(Layer):
    """Values above a bound."""
    supports_masking = True

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = theta

    def call(self, inputs: Symbol) -> Any:
        return _ops.multiply(inputs, _ops.cast(_ops.greater(inputs, self.theta), inputs.dtype))


class PReLU(Layer):
    """Slopes for negative values that are trained, one for each place but the shared ones."""
    supports_masking = True

    def __init__(self, alpha_initializer: Any = "zeros", alpha_regularizer: Any = None, alpha_constraint: Any = None,
                 shared_axes: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        refuse_extras(self, alpha_regularizer=alpha_regularizer, alpha_constraint=alpha_constraint)
        self._initial = alpha_initializer
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else list(shared_axes or [])
        self.alpha: Any = None

    def build(self, input_shape: Any) -> None:
        shape = [1 if axis in self.shared_axes else size for axis, size in enumerate(input_shape)][1:]
        self.alpha = self.add_weight("alpha", shape, initializer=self._initial)
        self.built = True

    def call(self, inputs: Symbol) -> Any:
        slopes = _ops.multiply(inputs.graph.symbol(self.alpha), _ops.relu(_ops.negative(inputs)))
        return _ops.subtract(_ops.relu(inputs), slopes)


class ActivityRegularization(Layer):
    """Passes its operand on; refused unless both factors are 0, as the loss has no such part."""
    supports_masking = True

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        refuse_extras(self, l1=l1 or None, l2=l2 or None)
