"""The CTC loss by its recursion over the steps of a sequence."""
from __future__ import annotations

from typing import Any, List, Tuple

import torch

from ._errors import Error
from ._functions import detached
from ._logging import say_once

Tensor = torch.Tensor

#: As a part of what stands for the logarithm of zero: losses from here on have a factor of zero.
_SURELY = 0.9


def _never(x: Tensor) -> float:
    """Stands for the logarithm of zero, so that differences of two of them are numbers, in halves, too."""
    return max(-1e30, torch.finfo(x.dtype).min / 4)


def _sum_of(logarithms: List[Tensor]) -> Tensor:
    """The logarithm of a sum, from those of its terms."""
    most = logarithms[0]
    for other in logarithms[1:]:
        most = torch.maximum(most, other)
    most = detached(most)
    total = torch.exp(logarithms[0] - most)
    for other in logarithms[1:]:
        total = total + torch.exp(other - most)
    return most + torch.log(total)


def _moved(x: Tensor, by: int) -> Tensor:
    """The logarithms `by` states further on."""
    start = torch.full([int(x.shape[0]), by], _never(x), dtype=x.dtype)
    return torch.cat([start, x.narrow(1, 0, int(x.shape[1]) - by)], 1)


def _as_tensor(lengths: Any) -> Tensor:
    return lengths if isinstance(lengths, Tensor) else torch.tensor(list(lengths))


def _states(targets: Tensor, blank: int) -> Tuple[Tensor, Tensor]:
    """The labels of the states (a blank before and after each target), and which may follow the second
    one before them."""
    targets = targets.to(torch.int64)
    blanks = torch.full_like(targets, blank)
    pairs = torch.stack([blanks, targets], 2).reshape(int(targets.shape[0]), -1)
    states = torch.cat([pairs, blanks.narrow(1, 0, 1)], 1)
    repeats = torch.cat([torch.full_like(targets.narrow(1, 0, 1), blank),
                         targets.narrow(1, 0, int(targets.shape[1]) - 1)], 1) == targets
    skips = torch.stack([torch.zeros_like(targets), 1 - repeats.to(torch.int64)], 2)
    skips = torch.cat([skips.reshape(int(targets.shape[0]), -1), blanks.narrow(1, 0, 1) * 0], 1)
    return states, skips == 1


def _losses(log_probs: Tensor, targets: Tensor, steps: Tensor, counts: Tensor, blank: int) -> Tensor:
    states, skips = _states(targets, blank)
    never = torch.full([1], _never(log_probs), dtype=log_probs.dtype)
    first = torch.gather(log_probs[0], 1, states)
    place = torch.arange(int(states.shape[1]))
    begins = torch.logical_and(place < 2, place < 2 * counts.unsqueeze(1) + 1)
    alpha = torch.where(begins, first, never)
    for step in range(1, int(log_probs.shape[0])):
        paths = [alpha, _moved(alpha, 1), torch.where(skips, _moved(alpha, 2), never)]
        new = _sum_of(paths) + torch.gather(log_probs[step], 1, states)
        alpha = torch.where((step < steps).unsqueeze(1), new, alpha)
    last = (2 * counts).unsqueeze(1)
    ends = [torch.gather(alpha, 1, last),
            torch.where(last > 0, torch.gather(alpha, 1, (last - 1).clamp(min=0)), never)]
    return -_sum_of(ends).squeeze(1)


def _have_paths(targets: Tensor, steps: Tensor, counts: Tensor) -> Tensor:
    """Whether each sample has steps for its labels and for a blank between equal ones."""
    needed = counts.to(torch.int64)
    pairs = int(targets.shape[1]) - 1
    if pairs > 0:
        same = targets.narrow(1, 1, pairs) == targets.narrow(1, 0, pairs)
        used = torch.arange(1, pairs + 1) < needed.unsqueeze(1)
        needed = needed + torch.logical_and(same, used).to(torch.int64).sum(1)
    return needed <= steps.to(torch.int64)


def _with_gradient_of_logits(losses: Tensor, log_probs: Tensor, steps: Tensor) -> Tensor:
    """PyTorch's gradient is that of the logits behind the logarithms of probabilities."""
    number = torch.arange(int(log_probs.shape[0])).unsqueeze(1)
    is_used = (number < steps).to(log_probs.dtype)
    total = (torch.exp(log_probs).sum(2) * is_used).sum(0)
    return losses + (total - detached(total))


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any,
             blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> Any:
    """torch.nn.functional.ctc_loss()"""
    from ._decomposed_losses import ended
    if targets.dim() != (2 if log_probs.dim() == 3 else 1):
        raise Error("ctc_loss: targets of all samples one after the other are not simulated; give a "
                    "row of targets for each sample")
    say_once("ctc_loss is computed step by step; its time is not that of PopLibs' CTC loss")
    if log_probs.dim() == 2:
        log_probs, targets = log_probs.unsqueeze(1), targets.unsqueeze(0)
    steps, counts = (_as_tensor(x).reshape(-1) for x in (input_lengths, target_lengths))
    losses = _losses(log_probs, targets, steps, counts, blank)
    losses = _with_gradient_of_logits(losses, log_probs, steps)
    is_possible = torch.logical_and(_have_paths(targets, steps, counts),  # of which none is as good as impossible
                                    detached(losses) < -_never(log_probs) * _SURELY)
    otherwise = 0.0 if zero_infinity else float("inf")
    losses = torch.where(is_possible, losses, torch.full_like(losses, otherwise))
    if reduction == "mean":
        losses = losses / counts.clamp(min=1).to(losses.dtype)
    return ended(losses, reduction)
