"""Translates an optimizer of torch.optim or poptorch.optim to the keys of a job."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping

import torch

from . import _validator
from ._errors import Error, NotSupported
from ._logging import say_once

#: Values that must be the same in all parameter groups.
_OF_ALL = ("nesterov", "amsgrad", "loss_scaling", "max_weight_norm", "bias_correction",
           "accum_type", "velocity_accum_type", "first_order_momentum_accum_type",
           "second_order_momentum_accum_type", "maximize", "centered", "use_tf_variant",
           "use_combined_accum", "max_grad_norm")

#: Names of weights by the id of their tensors.
Names = Mapping[int, str]

def kind_of(optimizer: torch.optim.Optimizer) -> str:
    """'sgd', 'adam', 'adamw', 'lamb' or 'rmsprop'.

    Raises:
        poptorch.Error: naming an optimizer that is not simulated.
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
    """The values of the first parameter group, after checking those that must not differ, and those that
    are attributes of the optimizer."""
    groups = optimizer.param_groups
    for number, group in enumerate(groups[1:], 1):
        for key in _OF_ALL:
            if key not in vars(optimizer) and group.get(key) != groups[0].get(key):
                raise Error(f"parameter group {number} of {type(optimizer).__name__} has {key} = "
                            f"{group.get(key)} where group 0 has {groups[0].get(key)}: all groups "
                            "must have the same value")
    own = {key: value for key, value in vars(optimizer).items() if key in _OF_ALL}
    return {**groups[0], **own}


def means_run(optimizer: torch.optim.Optimizer) -> bool:
    """Whether PopTorch would divide means as gradients accumulate: accumulators in half overflow."""
    values = {**optimizer.param_groups[0], **vars(optimizer)}
    return values.get("accum_type") == torch.float16 and not values.get("use_combined_accum")


def _refuse(values: Mapping[str, Any], name: str, *wanted: Any) -> None:
    if name in values and values[name] not in wanted:
        raise Error(f"{name} = {values[name]} is not simulated; leave it out")


def _numbers(kind: str, group: Mapping[str, Any], has_velocity: bool) -> Dict[str, float]:
    """The hyperparameters of a parameter group by their keys in a job."""
    numbers = {"learningRate": group["lr"], "weightDecay": group.get("weight_decay", 0)}
    if kind == "sgd":
        _refuse(group, "dampening", 0)
        if has_velocity:
            numbers["momentum"] = group.get("momentum", 0)
    elif kind == "rmsprop":
        numbers["beta2"] = group["alpha"]
        numbers["momentum"] = group["momentum"]
        numbers["optimizerEpsilon"] = group["eps"]
    else:
        numbers["beta1"], numbers["beta2"] = group["betas"]
        numbers["optimizerEpsilon"] = group["eps"]
    return {key: float(number) for key, number in numbers.items()}


def _check(numbers: Mapping[str, float]) -> None:
    try:
        _validator.check({key: _validator.text_of(number) for key, number in numbers.items()})
    except ValueError as error:
        raise Error(str(error)) from None


def job_options(optimizer: torch.optim.Optimizer, names: Names) -> Dict[str, str]:
    """The keys of a job for an optimizer. The first parameter group's hyperparameters are the job's;
    those of other groups are in "parameterGroups", in order, always with a learning rate.

    Raises:
        poptorch.Error: naming anything that is not simulated.
    """
    kind = kind_of(optimizer)
    values = _common(optimizer)
    if values.get("nesterov"):
        raise NotSupported("nesterov: Nesterov momentum is currently not supported.")
    for name, wanted in (("maximize", False), ("use_tf_variant", False), ("amsgrad", False)):
        _refuse(values, name, wanted)
    groups = optimizer.param_groups
    moves = kind == "sgd" and any(group.get("momentum") for group in groups)
    own = _numbers(kind, groups[0], moves)
    _check(own)
    keys = {key: repr(number) for key, number in own.items()}
    keys["optimizer"] = "momentum" if moves else kind
    others = {}
    for group in groups[1:]:
        weights = ",".join(names[id(weight)] for weight in group["params"] if id(weight) in names)
        if weights:
            numbers = _numbers(kind, group, moves)
            _check(numbers)
            others[weights] = {
                key: number
                for key, number in numbers.items()
                if key == "learningRate" or number != own[key]
            }
    if others:
        keys["parameterGroups"] = json.dumps(others)
    if values.get("loss_scaling", 1.0) != 1.0:
        keys["lossScaling"] = repr(float(values["loss_scaling"]))
        _check({"lossScaling": float(values["loss_scaling"])})
    if not values.get("bias_correction", True):
        keys["biasCorrection"] = "off"
    if values.get("centered"):
        keys["centered"] = "on"
    bound = values.get("max_grad_norm")
    if bound is not None and bound != float("inf"):
        keys["globalClipNorm"] = repr(float(bound))
        _check({"globalClipNorm": float(bound)})
    if values.get("max_weight_norm") is not None:
        keys["maxWeightNorm"] = repr(float(values["max_weight_norm"]))
        _check({"maxWeightNorm": float(values["max_weight_norm"])})
    _element_types(values, keys)
    return keys


def _element_types(values: Mapping[str, Any], keys: Dict[str, str]) -> None:
    if values.get("accum_type") == torch.float16:
        keys["accumulationType"] = "half"
    states = [
        values.get(name) for name in ("velocity_accum_type", "first_order_momentum_accum_type",
                                      "second_order_momentum_accum_type")
    ]
    given = [state for state in states if state is not None]
    if torch.float16 in given:
        if any(state != torch.float16 for state in given):
            say_once("the optimizer's moments have different types; all are simulated in float")
        else:
            keys["optimizerStateType"] = "half"


def trained_parameters(optimizer: torch.optim.Optimizer) -> List[torch.Tensor]:
    """All parameters of all groups."""
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]
