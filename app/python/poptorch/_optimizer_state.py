"""Moments and step counts of an optimizer, on the machine, in PyTorch's ``optimizer.state`` and in PopTorch's
``state_dict()["ipu_state"]``."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

import numpy
import torch

from . import _optimizers

#: PyTorch's key for a tensor of the machine, by PopART's prefix of the weight's name.
_MOMENTS = {"Accl1": "exp_avg", "Accl2": "exp_avg_sq", "Step": "step"}
_KEYS: Dict[str, Dict[str, str]] = {
    "sgd": {"Accl1": "momentum_buffer"},
    "adam": _MOMENTS,
    "adamw": _MOMENTS,
    "lamb": _MOMENTS,
    "rmsprop": {"Accl1": "square_avg", "Accl2": "grad_avg", "Accl3": "momentum_buffer"},
}


#: Before the names of weights in PopTorch's names of tensors.
_PREFIX = "model."


def ipu_state(program: Any) -> Dict[str, torch.Tensor]:
    """The state on the machine by PopTorch's names."""
    return {name.replace("___", f"___{_PREFIX}", 1): torch.from_numpy(array.copy())
            for name, array in program.state().items()}


def ipu_params(optimizer: torch.optim.Optimizer, names: Mapping[int, str]) -> Dict[str, torch.Tensor]:
    """The hyperparameters of each weight by PopTorch's names."""
    scaling = float(optimizer.param_groups[0].get("loss_scaling", 1.0))
    found = {"lossScaling_FLOAT": scaling}
    for group in optimizer.param_groups:
        values = _params_of(_optimizers.kind_of(optimizer), group, scaling)
        for weight in group["params"]:
            if id(weight) in names:
                found.update({f"{key}___specific___{_PREFIX}{names[id(weight)]}": number
                              for key, number in values.items()})
    return {name: torch.tensor(number) for name, number in found.items()}


def _params_of(kind: str, group: Mapping[str, Any], scaling: float) -> Dict[str, float]:
    rate, decay = float(group["lr"]), float(group.get("weight_decay", 0))
    if kind == "sgd":
        return {"scaledLearningRate0": rate / scaling, "weightDecayScaleFactor0": 1 - rate * decay}
    return {"learningRate": rate, "weightDecay": decay}


class OptimizerState:
    """Synchronises both: after a call PyTorch has the machine's state, and changes by the program,
    mainly load_state_dict(), reach the machine with the next call."""

    def __init__(self) -> None:
        self._known: Dict[Tuple[str, str], Tuple[Any, int]] = {}  #: on the machine, with its version

    def upload(self, program: Any, optimizer: torch.optim.Optimizer, names: Mapping[int, str]) -> None:
        """Sends changes to the machine. State that the optimizer does not have stays as it is."""
        changed: Dict[str, numpy.ndarray] = {}
        for own, name, prefix, key in self._places(optimizer, names):
            value = own.get(key)
            if value is None or self._is_known(name, key, value):
                continue
            number = torch.as_tensor(value).detach().to(torch.float32)
            changed[f"{prefix}___{name}"] = number.contiguous().numpy()
            self._remember(name, key, value)
        loaded = getattr(optimizer, "_loaded", None) or {}
        for name, tensor in (loaded.get("ipu_state") or {}).items():
            changed[name.replace(f"___{_PREFIX}", "___", 1)] = tensor.to(torch.float32).numpy()
        if loaded:
            optimizer._loaded = None  # type: ignore[attr-defined]
        known = program.state().keys() if changed else ()
        changed = {name: array for name, array in changed.items() if name in known}
        if changed:
            program.set_state(changed)

    def download(self, program: Any, optimizer: torch.optim.Optimizer, names: Mapping[int, str],
                 updates: int) -> None:
        """Fetches the machine's state after this many more updates."""
        state = program.state()
        for own, name, prefix, key in self._places(optimizer, names):
            array = state.get(f"{prefix}___{name}")
            if array is None:
                continue
            value = own.get(key)
            if isinstance(value, torch.Tensor) and value.shape == array.shape:
                with torch.no_grad():
                    value.copy_(torch.from_numpy(array))
            else:
                own[key] = value = torch.from_numpy(array)
            self._remember(name, key, value)
        if _optimizers.kind_of(optimizer) == "rmsprop":  # the machine needs no count for it
            for parameter in _optimizers.trained_parameters(optimizer):
                if optimizer.state.get(parameter):
                    own = optimizer.state[parameter]
                    own["step"] = own.get("step", 0) + updates

    @staticmethod
    def _places(optimizer: torch.optim.Optimizer,
                names: Mapping[int, str]) -> List[Tuple["_StateOf", str, str, str]]:
        """(state of the parameter, its name, prefix, key) of all possible entries."""
        keys = _KEYS[_optimizers.kind_of(optimizer)]
        return [(_StateOf(optimizer, parameter), names[id(parameter)], prefix, key)
                for parameter in _optimizers.trained_parameters(optimizer)
                if id(parameter) in names for prefix, key in keys.items()]

    def _is_known(self, name: str, key: str, value: Any) -> bool:
        known = self._known.get((name, key))
        if known is None:
            return False
        if isinstance(value, torch.Tensor):
            return known[0] is value and known[1] == value._version
        return bool(known[0] == value)

    def _remember(self, name: str, key: str, value: Any) -> None:
        version = value._version if isinstance(value, torch.Tensor) else 0
        self._known[name, key] = (value, version)


class _StateOf:
    """A parameter's state, which does not exist before something is put into it."""

    def __init__(self, optimizer: torch.optim.Optimizer, parameter: torch.Tensor) -> None:
        self._all, self._parameter = optimizer.state, parameter

    def get(self, key: str) -> Any:
        return self._all.get(self._parameter, {}).get(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._all[self._parameter][key] = value
