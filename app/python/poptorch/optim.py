"""PyTorch's optimizers with additions for the IPU: loss scaling and element types of their state.

They only hold hyperparameters: the update itself is part of the compiled model. Parameter groups may
have a learning rate, weight decay, momentum, betas, alpha and eps of their own.
"""
from __future__ import annotations

import copy
from typing import Any, Callable, Dict, Iterable, Optional, Tuple

import torch
from torch.optim.optimizer import required

from . import _source


class Optimizer:
    """Base of PopTorch's own optimizers."""

    #: Makes the state on the machine ("ipu_state") and its hyperparameters ("ipu_param"), once there is a
    #: compiled program.
    _on_machine: Optional[Callable[[], Dict[str, Any]]] = None
    _loaded: Optional[Dict[str, Any]] = None  #: such a state that the next call sends to the machine

    def __new__(cls, *_: Any, **__: Any) -> "Optimizer":
        made = super().__new__(cls)
        made.made_at = _source.here()  # type: ignore[attr-defined]
        return made

    def state_dict(self: Any) -> Dict[str, Any]:
        """PyTorch's state, which contains the machine's moments, and the machine's own by PopTorch's names;
        None before the model is compiled."""
        found = dict(super().state_dict())  # type: ignore[misc]
        own = self._loaded or (self._on_machine and self._on_machine())
        found.update(own or {"ipu_state": None, "ipu_param": None})
        return found

    def load_state_dict(self: Any, state_dict: Dict[str, Any]) -> None:
        """Takes a state of PyTorch, or of the machine, which the next call sends to it. Hyperparameters
        are those of the parameter groups."""
        super().load_state_dict(state_dict)  # type: ignore[misc]
        if state_dict.get("ipu_state") is not None:
            self._loaded = {key: copy.copy(state_dict[key]) for key in ("ipu_state", "ipu_param")}


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
        max_grad_norm: bound of the norm of all gradients together.
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
        super().__init__(params, lr, momentum or 0.0, dampening or 0.0, weight_decay or 0.0,
                         nesterov)
        _add(self, ("lr", ) if momentum is not None else ("lr", ),
             loss_scaling=1.0 if loss_scaling is None else loss_scaling,
             velocity_scaling=1.0 if velocity_scaling is None else velocity_scaling,
             use_combined_accum=use_combined_accum,
             accum_type=accum_type,
             velocity_accum_type=velocity_accum_type,
             max_grad_norm=max_grad_norm)


class _Moments:
    """Base of Adam, AdamW and LAMB."""

    def _finish(self: Any, loss_scaling: Optional[float], bias_correction: bool,
                accum_type: Optional[torch.dtype], first: Optional[torch.dtype],
                second: Optional[torch.dtype], max_grad_norm: Optional[float]) -> None:
        _check_type("accum_type", accum_type)
        _check_type("first_order_momentum_accum_type", first)
        _check_type("second_order_momentum_accum_type", second)
        _add(self, ("lr", ),
             loss_scaling=1.0 if loss_scaling is None else loss_scaling,
             bias_correction=bias_correction,
             accum_type=accum_type,
             first_order_momentum_accum_type=first,
             second_order_momentum_accum_type=second,
             max_grad_norm=max_grad_norm)

    @torch.no_grad()
    def _step(self: Any, direction: Callable[[torch.Tensor, torch.Tensor, Dict[str, Any]], None]
              ) -> None:
        """A step on the host; ``direction`` applies the step before weight decay."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    direction(weight, self._moments(weight, group), group)

    def _moments(self: Any, weight: torch.Tensor, group: Dict[str, Any]) -> torch.Tensor:
        """Updates the moments of a weight; returns their quotient."""
        own = self.state[weight]
        for key in ("exp_avg", "exp_avg_sq"):
            own.setdefault(key, torch.zeros_like(weight))
        own["step"] = torch.as_tensor(own.get("step", 0.0)) + 1
        gradient = weight.grad
        if isinstance(self, torch.optim.Adam) and group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * weight
        beta1, beta2 = group["betas"]
        own["exp_avg"].mul_(beta1).add_(gradient, alpha=1 - beta1)
        own["exp_avg_sq"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        first, second = own["exp_avg"], own["exp_avg_sq"]
        if group["bias_correction"]:
            first = first / (1 - beta1**float(own["step"]))
            second = second / (1 - beta2**float(own["step"]))
        return first / (second.sqrt() + group["eps"])


def _plain(weight: torch.Tensor, step: torch.Tensor, group: Dict[str, Any]) -> None:
    """Adam's step without a bias correction."""
    weight.sub_(group["lr"] * step)


def _decayed(weight: torch.Tensor, step: torch.Tensor, group: Dict[str, Any]) -> None:
    """AdamW's step without a bias correction."""
    weight.sub_(group["lr"] * (step + group["weight_decay"] * weight))


def _by_trust(weight: torch.Tensor, step: torch.Tensor, group: Dict[str, Any]) -> None:
    """LAMB's step."""
    update = step + group["weight_decay"] * weight
    size, length = float(weight.norm()), float(update.norm())
    if group.get("max_weight_norm") is not None:
        size = min(size, group["max_weight_norm"])
    trust = size / length if size > 0 and length > 0 else 1.0
    weight.sub_(group["lr"] * trust * update)


def _called(closure: Any) -> Any:
    with torch.enable_grad():
        return None if closure is None else closure()


class Adam(Optimizer, _Moments, torch.optim.Adam):
    """Adam, with weight decay as part of the gradient."""

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

    def step(self, closure: Any = None) -> Any:
        """A step on the host."""
        if self.param_groups[0]["bias_correction"]:
            return super().step(closure)
        loss = _called(closure)
        self._step(_plain)
        return loss


class AdamW(Optimizer, _Moments, torch.optim.AdamW):
    """Adam with weight decay of its own."""

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

    def step(self, closure: Any = None) -> Any:
        """A step on the host."""
        if self.param_groups[0]["bias_correction"]:
            return super().step(closure)
        loss = _called(closure)
        self._step(_decayed)
        return loss


class LAMB(Optimizer, _Moments, torch.optim.Optimizer):
    """Adam's step times the ratio of the weight's norm to the step's. ``max_weight_norm`` bounds the
    weight's norm."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3,
                 betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, bias_correction: bool = True,
                 loss_scaling: Optional[float] = None, max_weight_norm: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None) -> None:
        bound = None if max_weight_norm == float("inf") else max_weight_norm
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      max_weight_norm=bound))
        self._finish(loss_scaling, bias_correction, accum_type, first_order_momentum_accum_type,
                     second_order_momentum_accum_type, None)

    def step(self, closure: Any = None) -> Any:
        """A step on the host."""
        loss = _called(closure)
        self._step(_by_trust)
        return loss


class RMSprop(Optimizer, torch.optim.RMSprop):
    """RMSprop, with weight decay as part of the gradient. ``use_tf_variant`` must be False."""

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
