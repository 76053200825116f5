"""PyTorch's optimizers with additions for the IPU: loss scaling and element types of their state.

They only hold hyperparameters: the update itself is part of the compiled model. Parameter groups may
have a learning rate, weight decay, momentum, betas, alpha and eps of their own.
"""
from __future__ import annotations

from typing import Any, Iterable, Optional, Tuple

import torch
from torch.optim.optimizer import required

from . import _source


class Optimizer:
    """Base of PopTorch's own optimizers."""

    def __new__(cls, *_: Any, **__: Any) -> "Optimizer":
        made = super().__new__(cls)
        made.made_at = _source.here()  # type: ignore[attr-defined]
        return made


class VariableAttributes:
    """Which hyperparameters of an optimizer are constants of the compiled model.

    Args:
        variable_attributes: names that may change between calls.
        allowed_attributes: all names.

    Here learning rates can always change without compiling again, all others never.
    """

    def __init__(self, variable_attributes: Iterable[str], allowed_attributes: Iterable[str]) -> None:
        self._variable = set(variable_attributes)
        self._allowed = tuple(allowed_attributes)

    def isConstant(self, attr: str) -> bool:
        """Whether a hyperparameter is marked as constant."""
        return attr not in self._variable

    def markAsConstant(self, attr: str) -> None:
        """Marks a hyperparameter as constant."""
        assert attr in self._allowed, f"Attribute {attr} is not one of {self._allowed}"
        self._variable.discard(attr)

    def markAsVariable(self, attr: str) -> None:
        """Marks a hyperparameter as variable."""
        assert attr in self._allowed, f"Attribute {attr} is not one of {self._allowed}"
        self._variable.add(attr)


def _add(optimizer: torch.optim.Optimizer, variable: Tuple[str, ...], **values: Any) -> None:
    """Adds hyperparameters to all groups, including future ones."""
    names = tuple(optimizer.defaults) + tuple(values)
    optimizer.variable_attrs = VariableAttributes(variable, names)  # type: ignore[attr-defined]
    for name, value in values.items():
        optimizer.defaults[name] = value
        for group in optimizer.param_groups:
            group.setdefault(name, value)


def _check_type(name: str, value: Optional[torch.dtype]) -> None:
    if value not in (None, torch.float16, torch.float32):
        raise ValueError(f"{name} must be torch.float, torch.half or None, not {value}")


class SGD(Optimizer, torch.optim.SGD):
    """Stochastic gradient descent, with momentum if it is not 0.

    Args:
        loss_scaling: factor of the loss's gradient, removed again by the update.
        use_combined_accum: one tensor for velocity and accumulator; here there are always two.
        accum_type: of gradient accumulators, torch.float or torch.half.
        velocity_accum_type: of velocities.
        max_grad_norm: refused unless None.
        velocity_scaling: without effect.
    """

    def __init__(self, params: Iterable[Any], lr: float = required, momentum: Optional[float] = None,
                 dampening: Optional[float] = None, weight_decay: Optional[float] = None,
                 nesterov: bool = False, maximize: bool = False, foreach: Optional[bool] = None,
                 differentiable: bool = False, loss_scaling: Optional[float] = None,
                 velocity_scaling: Optional[float] = None, use_combined_accum: bool = False,
                 accum_type: Optional[torch.dtype] = None,
                 velocity_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None) -> None:
        _check_type("accum_type", accum_type)
        _check_type("velocity_accum_type", velocity_accum_type)
        _no_clipping(max_grad_norm)
        super().__init__(params, lr, momentum or 0.0, dampening or 0.0, weight_decay or 0.0,
                         nesterov)
        _add(self, ("lr", ) if momentum is not None else ("lr", ),
             loss_scaling=1.0 if loss_scaling is None else loss_scaling,
             velocity_scaling=1.0 if velocity_scaling is None else velocity_scaling,
             use_combined_accum=use_combined_accum,
             accum_type=accum_type,
             velocity_accum_type=velocity_accum_type)


def _no_clipping(max_grad_norm: Optional[float]) -> None:
    if max_grad_norm is not None and max_grad_norm != float("inf"):
        raise ValueError("max_grad_norm: clipping of gradients is not simulated; leave it out")


class _Moments:
    """Base of Adam, AdamW and LAMB."""

    def _finish(self: Any, loss_scaling: Optional[float], bias_correction: bool,
                accum_type: Optional[torch.dtype], first: Optional[torch.dtype],
                second: Optional[torch.dtype], max_grad_norm: Optional[float]) -> None:
        _check_type("accum_type", accum_type)
        _check_type("first_order_momentum_accum_type", first)
        _check_type("second_order_momentum_accum_type", second)
        _no_clipping(max_grad_norm)
        _add(self, ("lr", ),
             loss_scaling=1.0 if loss_scaling is None else loss_scaling,
             bias_correction=bias_correction,
             accum_type=accum_type,
             first_order_momentum_accum_type=first,
             second_order_momentum_accum_type=second)


class Adam(Optimizer, _Moments, torch.optim.Adam):
    """Adam, with weight decay as part of the gradient. ``bias_correction`` must be True."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3,
                 betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0.0, amsgrad: bool = False,
                 loss_scaling: Optional[float] = None, bias_correction: bool = True,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None, **kwargs: Any) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **kwargs)
        self._finish(loss_scaling, bias_correction, accum_type, first_order_momentum_accum_type,
                     second_order_momentum_accum_type, max_grad_norm)


class AdamW(Optimizer, _Moments, torch.optim.AdamW):
    """Adam with weight decay of its own. ``bias_correction`` must be True."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3,
                 betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False,
                 loss_scaling: Optional[float] = None, bias_correction: bool = True,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None, **kwargs: Any) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **kwargs)
        self._finish(loss_scaling, bias_correction, accum_type, first_order_momentum_accum_type,
                     second_order_momentum_accum_type, max_grad_norm)


class LAMB(Optimizer, _Moments, torch.optim.Optimizer):
    """Adam's step times the ratio of the weight's norm to the step's. ``bias_correction`` must be
    True; the weight's norm is not bounded."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3,
                 betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, bias_correction: bool = True,
                 loss_scaling: Optional[float] = None, max_weight_norm: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None) -> None:
        if max_weight_norm is not None and max_weight_norm != float("inf"):
            raise ValueError("max_weight_norm: norms are not bounded; leave it out")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        self._finish(loss_scaling, bias_correction, accum_type, first_order_momentum_accum_type,
                     second_order_momentum_accum_type, None)

    def step(self, closure: Any = None) -> None:
        """Refused: the update is part of the compiled model."""
        raise NotImplementedError("step(): poptorch.optim.LAMB updates weights within a compiled "
                                  "model only")


class RMSprop(Optimizer, torch.optim.RMSprop):
    """RMSprop, with weight decay as part of the gradient. ``centered`` and ``use_tf_variant`` must be
    False."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-2, alpha: float = 0.99,
                 eps: float = 1e-8, weight_decay: float = 0.0, momentum: float = 0.0,
                 centered: bool = False, loss_scaling: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None,
                 use_tf_variant: bool = False) -> None:
        super().__init__(params, lr, alpha, eps, weight_decay, momentum, centered)
        _add(self, ("lr", ),
             loss_scaling=1.0 if loss_scaling is None else loss_scaling,
             accum_type=accum_type,
             first_order_momentum_accum_type=first_order_momentum_accum_type,
             second_order_momentum_accum_type=second_order_momentum_accum_type,
             use_tf_variant=use_tf_variant)
