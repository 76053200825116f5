"""tf.GradientTape in a program: the pattern forward, loss, gradient, apply becomes a training."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Tuple

from . import _nest
from ._graph import current_graph, refuse
from ._tensor import TensorLike, Variable


class Gradient(TensorLike):
    """The gradient of a loss, which only an optimizer can take."""

    def __init__(self, loss: Any, variable: Variable) -> None:
        self.loss, self.variable = loss, variable
        self.shape, self.dtype = variable.shape, variable.dtype

    __hash__ = object.__hash__

    def refuse_use(self, *unused: Any) -> Any:
        """Raises, as the machine applies gradients as they are."""
        refuse("arithmetic with a gradient")

    __array__ = __getitem__ = __iter__ = refuse_use


class Update(NamedTuple):
    """What a program trains."""
    optimizer: Any
    loss: Any
    variables: List[Variable]


class GradientTape:
    """Remembers nothing: the simulator derives the gradients of a program."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        pass

    def __enter__(self) -> "GradientTape":
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def watch(self, tensor: Any) -> None:
        """Variables are watched anyway; gradients of other tensors are not simulated."""
        if any(not isinstance(leaf, Variable) for leaf in _nest.flatten(tensor)):
            refuse("a gradient of anything but variables")

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None,
                 unconnected_gradients: Any = None) -> Any:
        """The gradients of a loss, for apply_gradients()."""
        if current_graph() is None:
            raise NotImplementedError("GradientTape.gradient() is only simulated in a function that "
                                      "strategy.run() runs")
        if output_gradients is not None:
            refuse("gradient(output_gradients)")

        def one(source: Any) -> Gradient:
            if not isinstance(source, Variable):
                refuse("a gradient of anything but variables")
            return Gradient(target, source)

        return _nest.map_structure(one, sources)

    def jacobian(self, *args: Any, **kwargs: Any) -> None:
        """Refused."""
        refuse("GradientTape.jacobian()")


def apply(optimizer: Any, pairs: List[Tuple[Any, Variable]]) -> None:
    """Makes the program that is recorded train.

    Raises:
        NotSimulated: for anything but gradients of one loss as a tape gives them.
    """
    graph = current_graph()
    if graph is None:
        raise NotImplementedError("apply_gradients() is only simulated in a function that "
                                  "strategy.run() runs")
    if not pairs or not all(isinstance(gradient, Gradient) for gradient, _ in pairs):
        refuse("apply_gradients() of anything but the gradients of a tape as they are")
    if any(gradient.variable is not variable for gradient, variable in pairs):
        refuse("a gradient that is applied to another variable")
    losses = {id(gradient.loss) for gradient, _ in pairs}
    if len(losses) > 1 or hasattr(graph, "update"):
        refuse("a second loss in one program")
    update = Update(optimizer, pairs[0][0].loss, [variable for _, variable in pairs])
    graph.update = update  # type: ignore[attr-defined]
