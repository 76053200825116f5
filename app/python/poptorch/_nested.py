"""The tensors of nested values."""
from __future__ import annotations

from typing import Any, Iterator

import torch

#: Marks tensors of a trace in which types stand for others, in their __dict__; it is kept after the trace.
MIXED = "_tilescope_mixed"

#: Marks views of a copy that stands for a tensor of the program: a change of them would be lost.
OF_COPY = "_tilescope_of_copy"


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of nested arguments."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
