"""How variables begin: keras.initializers."""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy

from . import _types
from ._tensor import Tensor

_generator = numpy.random.RandomState()


def seed_all(seed: Optional[int]) -> None:
    """tf.random.set_seed(): makes what follows repeatable."""
    _generator.seed(seed)


def random_state(seed: Optional[int] = None) -> numpy.random.RandomState:
    """A generator of one's own for a seed, else the common one."""
    return _generator if seed is None else numpy.random.RandomState(seed)


class Initializer:
    """Base of all."""

    def __init__(self, **config: Any) -> None:
        self._config = config

    def __call__(self, shape: Sequence[int], dtype: Any = _types.float32, **unused: Any) -> Tensor:
        return Tensor(self.make(tuple(int(size) for size in shape)), dtype)

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        """The values."""
        raise NotImplementedError

    def get_config(self) -> Dict[str, Any]:
        """The arguments."""
        return dict(self._config)


class Zeros(Initializer):
    """All zeros."""

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        return numpy.zeros(shape)


class Ones(Initializer):
    """All ones."""

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        return numpy.ones(shape)


class Constant(Initializer):
    """One value everywhere, or an array."""

    def __init__(self, value: Any = 0) -> None:
        super().__init__(value=value)
        self.value = value

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        return numpy.broadcast_to(numpy.asarray(self.value), shape)


class RandomNormal(Initializer):
    """A normal distribution."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Optional[int] = None) -> None:
        super().__init__(mean=mean, stddev=stddev, seed=seed)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        return random_state(self.seed).normal(self.mean, self.stddev, shape)


class TruncatedNormal(RandomNormal):
    """A normal distribution without what is beyond two standard deviations."""

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        random = random_state(self.seed)
        values = random.normal(size=shape)
        while (beyond := numpy.abs(values) > 2).any():
            values[beyond] = random.normal(size=int(beyond.sum()))
        return self.mean + self.stddev * values


class RandomUniform(Initializer):
    """A uniform distribution."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05,
                 seed: Optional[int] = None) -> None:
        super().__init__(minval=minval, maxval=maxval, seed=seed)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        return random_state(self.seed).uniform(self.minval, self.maxval, shape)


def fans(shape: Sequence[int]) -> Tuple[float, float]:
    """Inputs and outputs of a kernel: of a matrix, or of a window before its channels."""
    if len(shape) < 2:
        size = float(shape[0]) if shape else 1.0
        return size, size
    window = float(numpy.prod(shape[:-2]))
    return shape[-2] * window, shape[-1] * window


class VarianceScaling(Initializer):
    """A spread that keeps the variance from layer to layer."""

    def __init__(self, scale: float = 1.0, mode: str = "fan_in",
                 distribution: str = "truncated_normal", seed: Optional[int] = None) -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution, seed=seed)
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        fan_in, fan_out = fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = (3 * variance)**0.5
            return random_state(self.seed).uniform(-limit, limit, shape)
        # The standard deviation of a normal distribution cut at two of its own.
        kept = 0.87962566103423978 if self.distribution == "truncated_normal" else 1.0
        kind = TruncatedNormal if self.distribution == "truncated_normal" else RandomNormal
        return kind(0.0, variance**0.5 / kept, self.seed).make(shape)


def _scaling(name: str, scale: float, mode: str, distribution: str) -> type:
    def __init__(self: Any, seed: Optional[int] = None) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed)
    return type(name, (VarianceScaling, ), {"__init__": __init__, "__doc__": f"{name}."})


GlorotUniform = _scaling("GlorotUniform", 1.0, "fan_avg", "uniform")
GlorotNormal = _scaling("GlorotNormal", 1.0, "fan_avg", "truncated_normal")
HeUniform = _scaling("HeUniform", 2.0, "fan_in", "uniform")
HeNormal = _scaling("HeNormal", 2.0, "fan_in", "truncated_normal")
LecunUniform = _scaling("LecunUniform", 1.0, "fan_in", "uniform")
LecunNormal = _scaling("LecunNormal", 1.0, "fan_in", "truncated_normal")


class Orthogonal(Initializer):
    """A matrix with orthogonal columns."""

    def __init__(self, gain: float = 1.0, seed: Optional[int] = None) -> None:
        super().__init__(gain=gain, seed=seed)
        self.gain, self.seed = gain, seed

    def make(self, shape: Tuple[int, ...]) -> numpy.ndarray:
        rows, columns = int(numpy.prod(shape[:-1])), shape[-1]
        random = random_state(self.seed).normal(size=(max(rows, columns), min(rows, columns)))
        q, r = numpy.linalg.qr(random)
        q = q * numpy.sign(numpy.diag(r))
        return self.gain * (q.T if rows < columns else q).reshape(shape)


_BY_NAME: Dict[str, Any] = {
    "zeros": Zeros, "ones": Ones, "random_normal": RandomNormal, "random_uniform": RandomUniform,
    "truncated_normal": TruncatedNormal, "glorot_uniform": GlorotUniform,
    "glorot_normal": GlorotNormal, "he_uniform": HeUniform, "he_normal": HeNormal,
    "lecun_uniform": LecunUniform, "lecun_normal": LecunNormal, "orthogonal": Orthogonal,
    "uniform": RandomUniform, "normal": RandomNormal,
}


def get(identifier: Any) -> Any:
    """The initializer for a name, an object or a function."""
    if callable(identifier) and not isinstance(identifier, type):
        return identifier
    if isinstance(identifier, type):
        return identifier()
    if isinstance(identifier, str):
        by_class = {type_.__name__: type_ for type_ in _BY_NAME.values()}
        if identifier in _BY_NAME or identifier in by_class:
            return (_BY_NAME.get(identifier) or by_class[identifier])()
    raise ValueError(f"Unknown initializer: {identifier}")
