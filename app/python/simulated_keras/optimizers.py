"""keras.optimizers: those that the simulator updates weights with."""
from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy

from ._lines import here
from ._tensor import Variable


#: Bounds of gradients, by Keras' names.
_BOUNDS = ("clipvalue", "clipnorm", "global_clipnorm")


def _check_bounds(bounds: Dict[str, float]) -> None:
    for name, bound in bounds.items():
        if bound <= 0:
            raise ValueError(f"{name} should be a positive number: {bound}")
    if "clipnorm" in bounds and "global_clipnorm" in bounds:
        raise ValueError(f"Cannot accept both `clipnorm` and `global_clipnorm`, passed `clipnorm` {bounds['clipnorm']}, "
                         f"`global_clipnorm` {bounds['global_clipnorm']}")


class Optimizer:
    """Base of all; the updates themselves are the machine's."""

    def __init__(self, name: Optional[str] = None, **numbers: Any) -> None:
        self._bounds = {key: numbers.pop(key) for key in _BOUNDS if numbers.get(key) is not None}
        _check_bounds(self._bounds)
        for unset in _BOUNDS:
            numbers.pop(unset, None)
        self._decay = float(numbers.pop("decay", None) or 0)
        rate = numbers.pop("lr", None)
        self._name = name or type(self).__name__
        self.made_at = here()
        if rate is not None:
            numbers["learning_rate"] = rate
        self._numbers = numbers
        given = numbers["learning_rate"]
        self.schedule = given if isinstance(given, LearningRateSchedule) else None
        self._rate = Variable(numpy.float32(self.schedule(0) if self.schedule else given), False,
                              f"{self._name}/learning_rate")
        self.iterations = Variable(numpy.int64(0), False, f"{self._name}/iter")
        self.state: Dict[str, numpy.ndarray] = {}  #: moments by the machine's names, between programs

    @property
    def learning_rate(self) -> Variable:
        """The step size; setting it takes effect with the next execution."""
        return self._rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._rate.assign(numpy.float32(value))

    lr = learning_rate

    def present_rate(self) -> float:
        """The step size of the next update, by the schedule if there is one."""
        if self.schedule is not None:
            self._rate.assign(numpy.float32(self.schedule(int(self.iterations))))
        return self._decayed(self._rate, int(self.iterations))

    def next_rates(self, updates: int) -> List[float]:
        """The step sizes of the next updates; one if they are all the same."""
        first, present = self.present_rate(), int(self.iterations)
        if self.schedule is None and not self._decay:
            return [first]
        return [self._decayed(self._rate if self.schedule is None else self.schedule(update), update)
                for update in range(present, present + updates)]

    def _decayed(self, rate: Any, update: int) -> float:
        return float(numpy.float32(rate)) / (1 + self._decay * update)

    def get_config(self) -> Dict[str, Any]:
        """The numbers by Keras' names."""
        rest = {key: value for key, value in self._numbers.items() if key != "learning_rate"}
        return {"name": self._name, "learning_rate": self.present_rate(), "decay": self._decay, **rest,
                **self._bounds}

    def apply_gradients(self, grads_and_vars: Iterable[Tuple[Any, Variable]],
                        name: Optional[str] = None, **unused: Any) -> None:
        """Makes the program that is recorded train with these gradients."""
        from ._tape import apply
        apply(self, list(grads_and_vars))

    def minimize(self, loss: Any, var_list: Any, tape: Any = None, **unused: Any) -> None:
        """The gradients of a loss, applied."""
        from ._tape import Gradient
        value = loss() if callable(loss) else loss
        variables = var_list() if callable(var_list) else var_list
        self.apply_gradients([(Gradient(value, variable), variable) for variable in variables])


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted."""

    def __init__(self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False,
                 name: Optional[str] = None, **kwargs: Any) -> None:
        super().__init__(name, learning_rate=learning_rate, momentum=momentum, nesterov=nesterov,
                         **kwargs)


class Adam(Optimizer):
    """Moments of first and second order."""

    def __init__(self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.999,
                 epsilon: float = 1e-7, amsgrad: bool = False, name: Optional[str] = None,
                 **kwargs: Any) -> None:
        super().__init__(name, learning_rate=learning_rate, beta_1=beta_1, beta_2=beta_2,
                         epsilon=epsilon, amsgrad=amsgrad, **kwargs)


class RMSprop(Optimizer):
    """Steps divided by a mean of the gradients' size."""

    def __init__(self, learning_rate: Any = 0.001, rho: float = 0.9, momentum: float = 0.0,
                 epsilon: float = 1e-7, centered: bool = False, name: Optional[str] = None,
                 **kwargs: Any) -> None:
        super().__init__(name, learning_rate=learning_rate, rho=rho, momentum=momentum,
                         epsilon=epsilon, centered=centered, **kwargs)


class LearningRateSchedule:
    """A step size for each update."""

    def __call__(self, step: int) -> Any:
        raise NotImplementedError


class ExponentialDecay(LearningRateSchedule):
    """A factor for each so many updates."""

    def __init__(self, initial_learning_rate: float, decay_steps: int, decay_rate: float,
                 staircase: bool = False, name: Optional[str] = None) -> None:
        self._initial, self._steps, self._factor = initial_learning_rate, decay_steps, decay_rate
        self._staircase = staircase

    def __call__(self, step: int) -> float:
        exponent = step // self._steps if self._staircase else step / self._steps
        return self._initial * self._factor**exponent


class InverseTimeDecay(ExponentialDecay):
    """The step size over one plus a share of the updates."""

    def __call__(self, step: int) -> float:
        periods = step // self._steps if self._staircase else step / self._steps
        return self._initial / (1 + self._factor * periods)


class PiecewiseConstantDecay(LearningRateSchedule):
    """A step size up to each boundary, that included, and one after the last."""

    def __init__(self, boundaries: Sequence[int], values: Sequence[float], name: Optional[str] = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        self._boundaries, self._values = list(boundaries), list(values)

    def __call__(self, step: int) -> float:
        return self._values[sum(step > boundary for boundary in self._boundaries)]


class PolynomialDecay(LearningRateSchedule):
    """From one step size to another along a power of the way."""

    def __init__(self, initial_learning_rate: float, decay_steps: int, end_learning_rate: float = 0.0001,
                 power: float = 1.0, cycle: bool = False, name: Optional[str] = None) -> None:
        self._initial, self._steps, self._end = initial_learning_rate, decay_steps, end_learning_rate
        self._power, self._cycle = power, cycle

    def __call__(self, step: int) -> float:
        steps = self._steps * max(1, math.ceil(step / self._steps)) if self._cycle else self._steps
        left = 1 - min(step, steps) / steps
        return (self._initial - self._end) * left**self._power + self._end


class CosineDecay(LearningRateSchedule):
    """Half a wave from the step size down to a share of it."""

    def __init__(self, initial_learning_rate: float, decay_steps: int, alpha: float = 0.0,
                 name: Optional[str] = None) -> None:
        self._initial, self._steps, self._least = initial_learning_rate, decay_steps, alpha

    def __call__(self, step: int) -> float:
        wave = 0.5 * (1 + math.cos(math.pi * min(step, self._steps) / self._steps))
        return self._initial * ((1 - self._least) * wave + self._least)


_BY_NAME = {"sgd": SGD, "adam": Adam, "rmsprop": RMSprop}


def get(identifier: Any) -> Optimizer:
    """The optimizer for a name or itself."""
    if isinstance(identifier, Optimizer):
        return identifier
    found = _BY_NAME.get(str(identifier).lower())
    if found is None:
        raise ValueError(f"Unknown optimizer: {identifier}; simulated are "
                         f"{', '.join(_BY_NAME)}")
    return found()
