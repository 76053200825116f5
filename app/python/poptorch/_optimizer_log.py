"""Logs an optimizer by PopART's names, and warns of attributes that have no meaning."""
from __future__ import annotations

from typing import Any, Dict, List, Set

import torch

from . import _optimizers
from ._logging import logger

_NAMES = {"sgd": "SGD", "adam": "Adam", "adamw": "AdamW", "lamb": "LAMB", "rmsprop": "RMSprop"}

#: PopART's names of hyperparameters of a group.
_PARAMETERS = {"lr": "learningRate", "momentum": "momentum", "dampening": "dampening",
               "weight_decay": "weightDecay", "alpha": "alpha", "eps": "eps"}


#: What schedulers of PyTorch add to groups; they replace methods, too.
_OF_SCHEDULERS = {"initial_lr", "max_lr", "min_lr", "base_momentum", "max_momentum", "swa_lr"}


def _type_name(value: Any) -> str:
    return "float16" if value == torch.float16 else "float32"


def _hyperparameters(group: Dict[str, Any], values: Dict[str, Any], constants: Set[str],
                     default: bool) -> List[str]:
    """"learningRate=0.01" and so on; of a constant with " (const)"."""
    found = [(name, own, group[name]) for name, own in _PARAMETERS.items() if name in group]
    if "betas" in group:
        found += [("betas", f"beta{i + 1}", beta) for i, beta in enumerate(group["betas"])]
    if "velocity_scaling" in group:
        combined = values.get("use_combined_accum")
        scaling = group["velocity_scaling"] if combined else values.get("loss_scaling", 1.0)
        found.append(("velocity_scaling", "velocityScaling", scaling))
    return [f"{'default' + own[0].upper() + own[1:] if default else own}={value:g}"
            f"{' (const)' if name in constants else ''}" for name, own, value in found]


class Attributes:
    """What was last logged of a model's optimizers, and the attributes they had at first."""

    def __init__(self) -> None:
        self._known: Set[str] = set()
        self._lines: List[str] = []

    def note(self, optimizer: torch.optim.Optimizer, options: Any) -> None:
        """Logs an optimizer that is used from now on."""
        self._warn(optimizer, options)
        lines = self._lines_of(optimizer)
        for line in lines:
            if line not in self._lines:
                logger.debug("%s", line)
        self._lines = lines

    def _warn(self, optimizer: torch.optim.Optimizer, options: Any) -> None:
        own = {f"optimizer attribute|{name}" for name, value in vars(optimizer).items()
               if not (name.startswith("_") or callable(value) or name in _optimizers._OF_ALL)}
        for number, group in enumerate(optimizer.param_groups):
            own |= {f"group {number} attribute|{name}" for name in group if name not in _OF_SCHEDULERS}
        if self._known and not options._relax_optimizer_checks:
            for name in sorted(own - self._known):
                kind, _, attribute = name.partition("|")
                logger.warning("Ignoring unexpected %s of %s: '%s'", kind, type(optimizer).__name__,
                               attribute)
        self._known |= own

    @staticmethod
    def _lines_of(optimizer: torch.optim.Optimizer) -> List[str]:
        kind = _NAMES[_optimizers.kind_of(optimizer)]
        values = {**optimizer.param_groups[0], **vars(optimizer)}
        marks = getattr(optimizer, "variable_attrs", None)
        constants = {name for name in (*_PARAMETERS, "betas") if name != "lr" and (
            marks is None or marks.isConstant(name))}
        types = [f"accumType={_type_name(values.get('accum_type'))}"]
        first = values.get("velocity_accum_type") or values.get("first_order_momentum_accum_type")
        types.append(f"firstOrderMomentumAccumType={_type_name(first)}")
        second = values.get("second_order_momentum_accum_type")
        types.append(f"secondOrderMomentumAccumType={_type_name(second)}")
        whole = _hyperparameters({**optimizer.param_groups[0], **optimizer.defaults}, values, constants, True)
        scaling = f"lossScaling={values.get('loss_scaling') or 1.0:g}"
        lines = [f"Updating graph optimizer with {kind}: {', '.join([*whole, *types, scaling])}"]
        for number, group in enumerate(optimizer.param_groups):
            own = _hyperparameters(group, values, constants, False)
            lines.append(f"Updating group {number} optimizer with {kind}: {', '.join(own)}")
        return lines
