"""Tensors given other sizes in place, and with these maybe other memory."""
from __future__ import annotations

from typing import Any, List, Optional

import torch

from ._aliases import Aliases, untraced, value_of
from ._errors import Error
from ._known import known_while_tracing

#: Functions that change which memory a tensor has.
RESIZED = ("resize_", "resize_as_", "set_", "swap_tensors")


def _sizes_of(name: str, args: Any, named: Any) -> Optional[List[int]]:
    """The sizes that a call gives; None if it gives other things, too."""
    given = [*args, *(value for key, value in named.items() if key in ("sizes", "size", "the_template"))]
    if name not in ("resize_", "resize_as_") or not given or len(given) != len(args) + len(named):
        return None
    if name == "resize_as_":
        return [int(size) for size in given[0].shape] if len(given) == 1 else None
    sizes = given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else given
    return [int(size) for size in sizes]


def resize(aliases: Aliases, name: str, place: str, target: torch.Tensor, *args: Any, **named: Any) -> torch.Tensor:
    """A call of one of RESIZED: the tensor as it is if it has the sizes, else a constant of them; others are refused,
    as a trace would keep their memory."""
    with untraced():
        sizes = _sizes_of(name, args, named)
        if sizes == list(target.shape):
            return target
    if sizes is None or not known_while_tracing(value_of(target)) or aliases.is_shared(target):
        raise Error(f"{name}() gives a tensor other memory, which is not simulated; use reshape() or another tensor "
                    f"in {place}", "poptorch_cpp_error")
    aliases.forget(target)
    with untraced():
        target.resize_(sizes)
        constant = target.detach().clone()
    torch._C._set_value_trace(target, value_of(constant))
    aliases.see(target)
    return target
