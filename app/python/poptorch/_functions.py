"""Functions that become operators of their own in an exported model."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import torch

GRAPHCORE = "ai.graphcore"
NOTES = "ai.tilescope"

#: Domains, with versions, of the operators in the model being exported: passed to torch.onnx, which
#: complains about domains that the model does not use.
exported_domains: Dict[str, int] = {}


def add_node(graph: Any, domain: str, name: str, *inputs: Any, version: int = 1,
             **attributes: Any) -> Any:
    """Adds an operator of a domain other than ONNX's own to the graph being exported."""
    exported_domains[domain] = version
    return graph.op(f"{domain}::{name}", *inputs, **attributes)


class Note(torch.autograd.Function):
    """Returns its operand and attaches an attribute to the operation that made it."""

    @staticmethod
    def symbolic(graph: Any, x: Any, key: str, value: Optional[float], count: Optional[int]) -> Any:
        attributes: Dict[str, Any] = {"key_s": key}
        if value is not None:
            attributes["value_f"] = value
        if count is not None:
            attributes["count_i"] = count
        result = add_node(graph, NOTES, "Note", x, **attributes)
        result.setType(x.type())
        return result

    @staticmethod
    def forward(context: Any, x: torch.Tensor, key: str, value: Optional[float],  # type: ignore[override]
                count: Optional[int]) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Tuple[torch.Tensor, None, None, None]:  # type: ignore[override]
        return gradient, None, None, None


class IdentityLoss(torch.autograd.Function):
    """PopART's IdentityLoss: a mean, a sum or its operand, and the end of the loss. ``marked``: written
    by the program itself."""

    @staticmethod
    def symbolic(graph: Any, x: Any, reduction: str, marked: bool) -> Any:
        return identity_loss_node(graph, x, reduction, marked)

    @staticmethod
    def forward(context: Any, x: torch.Tensor, reduction: str, marked: bool) -> torch.Tensor:  # type: ignore[override]
        context.shape, context.reduction = x.shape, reduction
        if reduction == "none":
            return x.clone()
        return x.mean() if reduction == "mean" else x.sum()

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Tuple[torch.Tensor, None, None]:  # type: ignore[override]
        share = context.shape.numel() if context.reduction == "mean" else 1
        return (gradient / share).expand(context.shape), None, None


def identity_loss_node(graph: Any, x: Any, reduction: str, marked: bool = False) -> Any:
    """Adds PopART's IdentityLoss to the graph being exported."""
    mark = {"__marked_i": 1} if marked else {}
    result = add_node(graph, GRAPHCORE, "IdentityLoss", x, reduction_s=reduction, **mark)
    result.setType(x.type() if reduction == "none" else x.type().with_sizes([]))
    return result


class Detach(torch.autograd.Function):
    """PopART's Detach: stops the gradient."""

    @staticmethod
    def symbolic(graph: Any, x: Any) -> Any:
        result = add_node(graph, GRAPHCORE, "Detach", x)
        result.setType(x.type())
        return result

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        return x.clone()


def detached(x: torch.Tensor) -> torch.Tensor:
    """A copy that stops the gradient."""
    return Detach.apply(x)


class Nop(torch.autograd.Function):
    @staticmethod
    def symbolic(graph: Any, x: Any) -> Any:
        result = add_node(graph, GRAPHCORE, "Nop", x)
        result.setType(x.type())
        return result

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        return x.clone()

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        return gradient
