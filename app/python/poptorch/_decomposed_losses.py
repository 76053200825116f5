"""Losses of torch.nn.functional that torch.onnx has no form for."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional

import torch

from ._functions import IdentityLoss

Tensor = torch.Tensor

#: In the order of PyTorch's numbers.
REDUCTIONS = ("none", "mean", "sum")

#: PyTorch's bound in cosine_embedding_loss.
_COSINE_EPSILON = 1e-12


def ended(terms: Tensor, reduction: str) -> Tensor:
    """The end of a loss."""
    return IdentityLoss.apply(terms, reduction, False)


def _of_terms(terms: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of its terms; the old forms of its reduction are left to PyTorch."""

    def loss(*args: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
             **named: Any) -> Any:
        if size_average is not None or reduce is not None:
            return NotImplemented
        made = terms(*args, **named)
        return made if made is NotImplemented else ended(made, reduction)

    return loss


def _above_zero(x: Tensor) -> Tensor:
    """Like clamp_min(0) of PyTorch's losses, which lets a gradient through at zero, too."""
    return torch.where(x >= 0, x, torch.zeros_like(x))


def _poisson_nll(x: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
                 eps: float = 1e-8) -> Tensor:
    terms = torch.exp(x) - target * x if log_input else x - target * torch.log(x + eps)
    if not full:
        return terms
    is_large = target > 1
    large = torch.where(is_large, target, torch.ones_like(target) * 2)
    stirling = large * torch.log(large) - large + 0.5 * torch.log(2 * math.pi * large)
    return terms + torch.where(is_large, stirling, torch.zeros_like(stirling))


def _hinge_embedding(x: Tensor, target: Tensor, margin: float = 1.0) -> Tensor:
    zero = torch.zeros_like(x)
    return torch.where(target != 1, _above_zero(margin - x), zero) + torch.where(
        target != -1, x, zero)


def _soft_margin(x: Tensor, target: Tensor) -> Tensor:
    return torch.log1p(torch.exp(-target * x))


def _cosine_embedding(x: Tensor, other: Tensor, target: Tensor, margin: float = 0) -> Tensor:
    sizes = ((x * x).sum(-1) + _COSINE_EPSILON) * ((other * other).sum(-1) + _COSINE_EPSILON)
    cosine = (x * other).sum(-1) / torch.sqrt(sizes)
    zero = torch.zeros_like(cosine)
    return torch.where(target == 1, 1 - cosine, zero) + torch.where(
        target == -1, _above_zero(cosine - margin), zero)


def _margin_ranking(x: Tensor, other: Tensor, target: Tensor, margin: float = 0) -> Tensor:
    return _above_zero(margin - target * (x - other))


def _distance(x: Tensor, other: Tensor, p: float, eps: float) -> Tensor:
    difference = (x - other + eps).abs()
    if math.isinf(p):
        return difference.amax(-1)
    return difference.sum(-1) if p == 1 else (difference**p).sum(-1)**(1 / p)


def _triplet_margin(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0,
                    p: float = 2, eps: float = 1e-6, swap: bool = False) -> Tensor:
    to_positive, to_negative = (_distance(anchor, x, p, eps) for x in (positive, negative))
    if swap:
        to_negative = torch.minimum(to_negative, _distance(positive, negative, p, eps))
    return _above_zero(margin + to_positive - to_negative)


def _multi_margin(x: Tensor, target: Tensor, p: int = 1, margin: float = 1.0,
                  weight: Optional[Tensor] = None) -> Tensor:
    rows, wanted = x.reshape(-1, x.shape[-1]), target.reshape(-1, 1)
    terms = torch.relu(margin - rows.gather(1, wanted) + rows)
    if p != 1:
        terms = terms**p
    if weight is not None:
        terms = terms * weight.index_select(0, wanted.reshape(-1)).unsqueeze(1)
    is_other = torch.arange(int(x.shape[-1])) != wanted
    return (terms * is_other.to(x.dtype)).mean(1).reshape(target.shape)


def _multilabel_margin(x: Tensor, target: Tensor) -> Tensor:
    """A row's targets end before its first -1."""
    is_used = torch.cumsum((target < 0).to(torch.int32), -1) == 0
    rows = target * is_used.to(target.dtype)
    classes = torch.arange(int(x.shape[-1]))
    uses = torch.logical_and(rows.unsqueeze(-1) == classes, is_used.unsqueeze(-1))
    is_other = 1 - uses.to(x.dtype).amax(-2)
    own = x.gather(-1, rows)
    terms = torch.relu(1 - own.unsqueeze(-1) + x.unsqueeze(-2))
    terms = terms * is_used.to(x.dtype).unsqueeze(-1) * is_other.unsqueeze(-2)
    return terms.sum((-2, -1)) / int(x.shape[-1])


def nll_without_reduction(x: Tensor, target: Tensor, weight: Optional[Tensor] = None,
                          size_average: Any = None, ignore_index: int = -100,
                          reduce: Any = None, reduction: str = "mean") -> Any:
    """The loss of each sample."""
    if size_average is not None or reduce is not None:
        return NotImplemented
    if x.dim() == 1:  # one sample, which ONNX does not expect
        rows, labels = x.unsqueeze(0), target.reshape(1)
        own = nll_without_reduction(rows, labels, weight, None, ignore_index, None, reduction)
        if own is NotImplemented:
            own = torch.nn.functional.nll_loss(rows, labels, weight, None, ignore_index, None, reduction)
        return own.reshape(())
    if reduction != "none":
        return NotImplemented
    is_wanted = target != ignore_index
    rows = target * is_wanted.to(target.dtype)
    dim = 1 if x.dim() > 1 else 0
    own = x.gather(dim, rows.unsqueeze(dim)).squeeze(dim) * is_wanted.to(x.dtype)
    if weight is not None:
        own = own * weight.index_select(0, rows.reshape(-1)).reshape(rows.shape)
    return ended(-own, "none")


def _weighed_binary_cross_entropy(x: Tensor, target: Tensor, weight: Optional[Tensor] = None,
                                  size_average: Any = None, reduce: Any = None,
                                  reduction: str = "mean") -> Any:
    """With weights, whose sizes PyTorch compares with the target's in a way that cannot be traced."""
    if weight is None or size_average is not None or reduce is not None:
        return NotImplemented
    return torch._C._nn.binary_cross_entropy(x, target, weight.expand(target.shape),
                                             REDUCTIONS.index(reduction))


LOSSES: Dict[str, Callable[..., Any]] = {
    "binary_cross_entropy": _weighed_binary_cross_entropy,
    "poisson_nll_loss": _of_terms(_poisson_nll),
    "hinge_embedding_loss": _of_terms(_hinge_embedding),
    "soft_margin_loss": _of_terms(_soft_margin),
    "cosine_embedding_loss": _of_terms(_cosine_embedding),
    "margin_ranking_loss": _of_terms(_margin_ranking),
    "triplet_margin_loss": _of_terms(_triplet_margin),
    "multi_margin_loss": _of_terms(_multi_margin),
    "multilabel_margin_loss": _of_terms(_multilabel_margin),
    "nll_loss": nll_without_reduction,
}
