"""Functions of keras.activations."""
from __future__ import annotations

from typing import Any, Callable, Optional

from . import _ops, _types
from ._graph import Symbol
from ._ops import exp, relu as _relu, sigmoid, softmax, softplus, tanh

__all__ = ["elu", "exponential", "gelu", "get", "hard_sigmoid", "linear", "relu", "selu", "sigmoid",
           "softmax", "softplus", "softsign", "swish", "tanh"]


def linear(x: Any) -> Any:
    """The same values."""
    return x


exponential = exp


def relu(x: Any, alpha: float = 0.0, max_value: Optional[float] = None,
         threshold: float = 0) -> Any:
    """Positive values; `alpha` is the slope of negative ones."""
    if threshold:
        kept = _ops.cast(_ops.greater_equal(x, threshold), _types.float32)
        upper = _ops.multiply(x, kept)
        upper = upper if max_value is None else _ops.minimum(upper, float(max_value))
        below = _ops.multiply(_ops.subtract(x, threshold), _ops.subtract(1.0, kept))
        return _ops.add(upper, _ops.multiply(below, float(alpha))) if alpha else upper
    if alpha:
        sloped = _single("LeakyRelu", x, alpha=float(alpha))
        return sloped if max_value is None else _ops.minimum(sloped, float(max_value))
    return _relu(x) if max_value is None else _ops.clip_by_value(x, 0.0, max_value)


def _single(kind: str, x: Any, **attributes: Any) -> Any:
    """A function that is one ONNX operator."""

    def emit(value: Symbol) -> Any:
        graph = _ops.graph_of(value)
        if graph is None:
            raise ValueError(f"{kind} is only simulated in a model")
        value = graph.symbol(value)
        return graph.emit(kind, [value], value.shape, value.dtype, kind, value.channels_first,
                          **attributes)

    return _ops.operation(emit)(x)


def leaky_relu(x: Any, alpha: float = 0.2) -> Any:
    """A slope for negative values."""
    return _single("LeakyRelu", x, alpha=float(alpha))


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Exponential linear units."""
    return _single("Elu", x, alpha=float(alpha))


def selu(x: Any) -> Any:
    """Scaled exponential linear units."""
    return _single("Selu", x)


def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return _single("Softsign", x)


def hard_sigmoid(x: Any) -> Any:
    """A sigmoid of straight lines."""
    return _single("HardSigmoid", x, alpha=0.2, beta=0.5)


def relu6(x: Any) -> Any:
    """Values between 0 and 6."""
    return _ops.clip_by_value(x, 0.0, 6.0)


def swish(x: Any) -> Any:
    """x times its sigmoid."""
    return _ops.multiply(x, sigmoid(x))


def gelu(x: Any, approximate: bool = False) -> Any:
    """x times the normal distribution's integral; with its exact form."""
    error = _single("Erf", _ops.divide(x, 2**0.5))
    return _ops.multiply(_ops.multiply(x, _ops.add(error, 1.0)), 0.5)


silu = swish


def get(identifier: Any) -> Callable[[Any], Any]:
    """The function for a name or itself; None is linear."""
    if identifier is None:
        return linear
    if isinstance(identifier, str):
        found = globals().get(identifier)
        if callable(found) and not identifier.startswith("_") and identifier != "get":
            return found
        raise ValueError(f"Unknown activation function: {identifier}")
    return identifier


def name_of(function: Callable[..., Any]) -> str:
    """The name in a layer's config."""
    for name in ("relu", "sigmoid", "tanh", "exp"):
        if function is globals().get(name):
            return "exponential" if name == "exp" else name
    return getattr(function, "__name__", str(function))
