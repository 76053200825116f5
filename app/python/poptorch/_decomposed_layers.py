"""Normalisations and losses of torch.nn.functional that torch.onnx has no form for."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import torch

from ._aliases import untraced
from ._decomposed_losses import nll_without_reduction
from ._functions import IdentityLoss

Tensor = torch.Tensor


def _batch_norm(x: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor],
                weight: Optional[Tensor] = None, bias: Optional[Tensor] = None,
                training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> Any:
    if running_mean is not None or not training:
        return NotImplemented
    axes = [d for d in range(x.dim()) if d != 1]
    shape = [-1 if d == 1 else 1 for d in range(x.dim())]
    centred = x - x.mean(axes, True)
    result = centred / torch.sqrt((centred * centred).mean(axes, True) + eps)
    if weight is not None:
        result = result * weight.reshape(shape)
    return result if bias is None else result + bias.reshape(shape)


def _ones_of_channels(x: Tensor) -> Tensor:
    """Weights for a norm without any, whose number of channels exporters do not always know."""
    with untraced():
        return torch.ones(int(x.shape[1]), dtype=x.dtype)


def _group_norm(x: Tensor, num_groups: int, weight: Optional[Tensor] = None,
                bias: Optional[Tensor] = None, eps: float = 1e-5) -> Any:
    if weight is not None:
        return NotImplemented
    return torch.nn.functional.group_norm(x, num_groups, _ones_of_channels(x), bias, eps)


def _instance_norm(x: Tensor, running_mean: Optional[Tensor] = None,
                   running_var: Optional[Tensor] = None, weight: Optional[Tensor] = None,
                   bias: Optional[Tensor] = None, use_input_stats: bool = True,
                   momentum: float = 0.1, eps: float = 1e-5) -> Any:
    if running_mean is not None and not use_input_stats:
        return torch.nn.functional.batch_norm(x, running_mean, running_var, weight, bias, False,
                                              momentum, eps)
    if weight is not None and running_mean is None:
        return NotImplemented
    ones = _ones_of_channels(x)
    with untraced():
        zeros = torch.zeros_like(ones)
    return torch.nn.functional.instance_norm(x, None, None, ones if weight is None else weight,
                                             zeros if bias is None else bias, True, momentum, eps)


def _loss(terms: Tensor, reduction: str) -> Tensor:
    return IdentityLoss.apply(terms, reduction, False)


def _kl_div(x: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
            reduction: str = "mean", log_target: bool = False) -> Any:
    if reduction != "batchmean":
        return NotImplemented
    terms = torch.nn.functional.kl_div(x, target, reduction="none", log_target=log_target)
    return _loss(terms.sum() / int(x.shape[0]), "none")


def _cross_entropy(x: Tensor, target: Tensor, weight: Optional[Tensor] = None,
                   size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
                   reduction: str = "mean", label_smoothing: float = 0.0) -> Any:
    if size_average is not None or reduce is not None:
        return NotImplemented
    if x.dim() == 1:  # one sample, which ONNX does not expect
        one = target.unsqueeze(0) if target.is_floating_point() else target.reshape(1)
        args = (x.unsqueeze(0), one, weight, None, ignore_index, None, reduction, label_smoothing)
        made = _cross_entropy(*args)
        return (torch.nn.functional.cross_entropy(*args) if made is NotImplemented else made).reshape(())
    dim = 1 if x.dim() > 1 else 0
    if label_smoothing == 0 and not target.is_floating_point():
        if reduction != "none":
            return NotImplemented
        return nll_without_reduction(torch.log_softmax(x, dim), target, weight,
                                     ignore_index=ignore_index, reduction="none")
    classes = int(x.shape[dim])
    terms = torch.log_softmax(x, dim)
    if weight is not None:
        terms = terms * weight.reshape([-1 if d == dim else 1 for d in range(x.dim())])
    if target.is_floating_point():
        share = target * (1 - label_smoothing) + label_smoothing / classes
        losses = -(terms * share).sum(dim)
        return _loss(losses.sum() * (classes / x.numel()), "none") if reduction == "mean" else _loss(
            losses, reduction)
    wanted = (target != ignore_index).to(x.dtype)
    rows = target * (target != ignore_index)
    own = terms.gather(dim, rows.unsqueeze(dim)).reshape(target.shape)
    losses = -((1 - label_smoothing) * own + label_smoothing * terms.mean(dim)) * wanted
    if reduction != "mean":
        return _loss(losses, reduction)
    if weight is not None:
        wanted = wanted * weight.index_select(0, rows.reshape(-1)).reshape(target.shape)
    return _loss(losses.sum() / wanted.sum(), "none")


def _conv(name: str, count: int) -> Callable[..., Any]:
    """With paddings that follow from the kernel."""

    def conv(x: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: Any = 1,
             padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
        if not isinstance(padding, str):
            return NotImplemented
        spread = list(dilation) if isinstance(dilation, (list, tuple)) else [dilation]
        spread = spread * count if len(spread) == 1 else spread
        pads = []
        for size, each in zip(reversed(weight.shape[-count:]), reversed(spread)):
            whole = each * (int(size) - 1) if padding == "same" else 0
            pads += [whole // 2, whole - whole // 2]
        function = getattr(torch.nn.functional, name)
        if pads[::2] == pads[1::2]:
            return function(x, weight, bias, stride, pads[::-2], dilation, groups)
        return function(torch.nn.functional.pad(x, pads), weight, bias, stride, 0, dilation, groups)

    return conv


#: By name; NotImplemented: torch.onnx has a form for these arguments.
LAYERS: Dict[str, Callable[..., Any]] = {
    "cross_entropy": _cross_entropy,
    "kl_div": _kl_div,
    "conv1d": _conv("conv1d", 1),
    "conv2d": _conv("conv2d", 2),
    "conv3d": _conv("conv3d", 3),
    "batch_norm": _batch_norm,
    "group_norm": _group_norm,
    "instance_norm": _instance_norm,
}
