"""What an optimizer of torch.optim or poptorch.optim is in a job."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

import torch

from ._errors import Error
from ._logging import say_once

#: What all parameter groups must agree on, by the class of the optimizer.
_OWN = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "betas", "eps", "amsgrad",
        "loss_scaling", "max_weight_norm", "bias_correction", "accum_type", "velocity_accum_type",
        "first_order_momentum_accum_type", "second_order_momentum_accum_type", "maximize", "alpha",
        "centered", "use_tf_variant", "use_combined_accum", "max_grad_norm")


def kind_of(optimizer: torch.optim.Optimizer) -> str:
    """'sgd', 'adam', 'adamw', 'lamb' or 'rmsprop'.

    Raises:
        poptorch.Error: naming one that is not simulated.
    """
    from . import optim
    if isinstance(optimizer, optim.LAMB):
        return "lamb"
    kinds = ((torch.optim.SGD, "sgd"), (torch.optim.AdamW, "adamw"), (torch.optim.Adam, "adam"),
             (torch.optim.RMSprop, "rmsprop"))
    for kind, name in kinds:
        if isinstance(optimizer, kind):
            return name
    raise Error(f"optimizer {type(optimizer).__name__} is not simulated; SGD, Adam, AdamW, "
                "LAMB and RMSprop are")


def _common(optimizer: torch.optim.Optimizer) -> Dict[str, Any]:
    """The values that hold for all parameter groups."""
    groups = optimizer.param_groups
    values = {key: groups[0][key] for key in _OWN if key in groups[0]}
    for number, group in enumerate(groups[1:], 1):
        for key, value in values.items():
            if group.get(key) != value:
                raise Error(f"parameter group {number} of {type(optimizer).__name__} has {key} = "
                            f"{group.get(key)} where group 0 has {value}: groups of their own "
                            "numbers are not simulated")
    return values


def _refuse(values: Dict[str, Any], name: str, *wanted: Any) -> None:
    if name in values and values[name] not in wanted:
        raise Error(f"{name} = {values[name]} is not simulated; leave it out")


def job_options(optimizer: torch.optim.Optimizer) -> Dict[str, str]:
    """Keys of a job that the optimizer is.

    Raises:
        poptorch.Error: for what is not simulated, by name.
    """
    kind = kind_of(optimizer)
    values = _common(optimizer)
    _refuse(values, "maximize", False)
    keys = {"learningRate": repr(float(values["lr"]))}
    decay = float(values.get("weight_decay", 0))
    if kind == "sgd":
        _refuse(values, "dampening", 0)
        _refuse(values, "nesterov", False)
        momentum = float(values.get("momentum", 0))
        keys["optimizer"] = "momentum" if momentum else "sgd"
        if momentum:
            keys["momentum"] = repr(momentum)
    elif kind == "rmsprop":
        _refuse(values, "centered", False)
        _refuse(values, "use_tf_variant", False)
        keys["optimizer"] = kind
        keys["beta2"] = repr(float(values["alpha"]))
        keys["momentum"] = repr(float(values["momentum"]))
        keys["optimizerEpsilon"] = repr(float(values["eps"]))
    else:
        _refuse(values, "amsgrad", False)
        _refuse(values, "bias_correction", True)
        keys["optimizer"] = kind
        keys["beta1"], keys["beta2"] = (repr(float(beta)) for beta in values["betas"])
        keys["optimizerEpsilon"] = repr(float(values["eps"]))
    keys["weightDecay"] = repr(decay)
    if values.get("loss_scaling", 1.0) != 1.0:
        keys["lossScaling"] = repr(float(values["loss_scaling"]))
    _element_types(values, keys)
    return keys


def _element_types(values: Dict[str, Any], keys: Dict[str, str]) -> None:
    if values.get("accum_type") == torch.float16:
        keys["accumulationType"] = "half"
    states = [
        values.get(name) for name in ("velocity_accum_type", "first_order_momentum_accum_type",
                                      "second_order_momentum_accum_type")
    ]
    given = [state for state in states if state is not None]
    if torch.float16 in given:
        if any(state != torch.float16 for state in given):
            say_once("the optimizer's moments are of different types; all are simulated in float")
        else:
            keys["optimizerStateType"] = "half"


def trained_parameters(optimizer: torch.optim.Optimizer) -> List[torch.Tensor]:
    """All parameters of all groups."""
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def split_learning_rate(keys: Dict[str, str]) -> Tuple[float, Dict[str, str]]:
    """The learning rate, which may change between calls, and all else, which is compiled."""
    rest = {key: value for key, value in keys.items() if key != "learningRate"}
    return float(keys["learningRate"]), rest
