"""What Model.summary() prints."""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import numpy

_WIDTH = 65
_POSITIONS = (0.45, 0.85, 1.0)


def _row(fields: Sequence[str], positions: Sequence[int]) -> str:
    line = ""
    for field, position in zip(fields, positions):
        line = (line + str(field))[:position].ljust(position)
    return line


def _shape_text(model: Any, layer: Any) -> str:
    from ._functional import InputLayer
    from ._models import shapes_of
    shapes = shapes_of(layer)
    if not shapes:
        return "multiple"
    if isinstance(layer, InputLayer):
        return f"[{shapes[0]}]"
    return str(shapes[0] if len(shapes) == 1 else list(shapes))


def _count(variables: List[Any]) -> int:
    return sum(int(numpy.prod(variable.shape)) for variable in variables)


def print_model(model: Any, line_length: Optional[int], positions: Any,
                print_fn: Optional[Callable[[str], Any]]) -> None:
    """The table of a model's layers, and its numbers of weights."""
    say = print_fn or print
    width = line_length or _WIDTH
    columns = [int(width * part) if part <= 1 else int(part) for part in positions or _POSITIONS]
    say(f'Model: "{model.name}"')
    say("_" * width)
    say(_row(("Layer (type)", "Output Shape", "Param #"), columns))
    say("=" * width)
    layers = model.layers
    for number, layer in enumerate(layers):
        title = f"{layer.name} ({type(layer).__name__})"
        say(_row((title, _shape_text(model, layer), str(layer.count_params())), columns))
        say(("=" if number + 1 == len(layers) else "_") * width)
    trained, other = _count(model.trainable_weights), _count(model.non_trainable_weights)
    say(f"Total params: {trained + other:,}")
    say(f"Trainable params: {trained:,}")
    say(f"Non-trainable params: {other:,}")
    say("_" * width)
