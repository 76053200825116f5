"""PopART's optimizers, and the keys of a job for them."""
from __future__ import annotations

import json
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence

from tilescope import _source_lines

from ._enums import ENUMS
from ._errors import popart_exception, refused

_DataType = ENUMS["DataType"]
_AdamMode, _AdaptiveMode = ENUMS["AdamMode"], ENUMS["AdaptiveMode"]
_DecayMode = ENUMS["WeightDecayMode"]


class OptimizerValue(NamedTuple):
    """A number, and whether it stays the same."""
    value: float
    constant: bool = True

    def val(self) -> float:
        """The number."""
        return self.value

    def isConst(self) -> bool:
        """Whether it stays the same."""
        return self.constant


def _value(given: Any) -> OptimizerValue:
    if isinstance(given, (tuple, list)):
        return OptimizerValue(float(given[0]), bool(given[1]))
    return OptimizerValue(float(given))


class ClipNormSettings:
    """Limits gradients of some weights together."""

    def __init__(self, weightIds: Sequence[str], maxNorm: float) -> None:
        self.weightIds, self.maxNorm = list(weightIds), maxNorm

    @classmethod
    def clipWeights(cls, weightIds: Sequence[str], maxNorm: float) -> "ClipNormSettings":
        """Limits the gradients of these weights."""
        return cls(weightIds, maxNorm)

    @classmethod
    def clipAllWeights(cls, maxNorm: float) -> "ClipNormSettings":
        """Limits the gradients of all weights."""
        return cls([], maxNorm)


def _bound_of_all(settings: Sequence[ClipNormSettings]) -> Optional[float]:
    """The bound of the norm of all gradients together, the only one that is simulated."""
    if not settings:
        return None
    if len(settings) > 1 or settings[0].weightIds:
        raise refused("clip_norm_settings of some weights", "use ClipNormSettings.clipAllWeights alone")
    return float(settings[0].maxNorm)


#: Names of numbers and their keys in a job.
_KEYS = {"LearningRate": "learningRate", "WeightDecay": "weightDecay", "Momentum": "momentum",
         "Beta1": "beta1", "Beta2": "beta2", "Alpha": "beta2", "Eps": "optimizerEpsilon"}
#: Numbers of a default or specific value that change the rate, not a key of their own.
_OF_RATE = "Dampening"


class Optimizer:
    """Base of the optimizers: their numbers by PopART's names, for all weights and for single ones."""

    #: Numbers of the kind and what they are where a program leaves them out.
    _numbers: Mapping[str, float] = {}
    #: PopART's prefixes of state where they differ from the simulator's.
    _prefixes: Mapping[str, str] = {}

    def __init__(self, values: Mapping[str, Any], clip_norm_settings: Optional[Sequence[Any]] = None
                 ) -> None:
        self._values = {name: OptimizerValue(default) for name, default in self._numbers.items()}
        self._loss_scaling = OptimizerValue(1.0)
        self.made_at = _source_lines.here()
        self._specific: Dict[str, Dict[str, OptimizerValue]] = {}
        self._bound = _bound_of_all(clip_norm_settings or ())
        for name, value in values.items():
            if name == "lossScaling":
                self._loss_scaling = _value(value)
            else:
                self._values[self._known(name, "default")] = _value(value)

    def _known(self, name: str, prefix: str) -> str:
        plain = name[len(prefix):] if name.startswith(prefix) else name
        plain = plain[:1].upper() + plain[1:]
        if plain not in self._numbers:
            known = [f"{prefix}{number}" for number in self._numbers] + ["lossScaling"]
            raise popart_exception(f"{type(self).__name__} has no value '{name}'; values are "
                                   f"{', '.join(known)}")
        return plain

    def insertSpecific(self, id: str, values: Mapping[str, Any]) -> None:
        """Gives a weight values of its own: {"learningRate": (0.1, True)}."""
        self._specific.setdefault(id, {}).update(
            {self._known(name, ""): _value(value) for name, value in values.items()})

    def getLossScalingVal(self) -> float:
        """The loss scaling."""
        return self._loss_scaling.value

    def _all(self, weight: Optional[str] = None) -> Dict[str, float]:
        own = {**self._values, **self._specific.get(weight or "", {})}
        return {name: value.value for name, value in own.items()}

    def _kind(self) -> str:
        """The optimizer in the words of a job."""
        raise NotImplementedError

    def _job_numbers(self, kind: str, weight: Optional[str] = None) -> Dict[str, float]:
        """Numbers of a job, for all weights or one."""
        given = self._all(weight)
        numbers = {_KEYS[name]: value for name, value in given.items() if name in _KEYS}
        numbers["learningRate"] *= 1 - given.get(_OF_RATE, 0)
        if kind == "sgd":
            numbers.pop("momentum", None)
        return numbers

    def _types(self) -> Dict[str, str]:
        """Element types of accumulators and state, as keys."""
        return {}

    def _job_options(self) -> Dict[str, str]:
        """The keys of a job.

        Raises:
            popart_exception: naming what is not simulated.
        """
        kind = self._kind()
        own = self._job_numbers(kind)
        keys = {"optimizer": kind, **{key: repr(number) for key, number in own.items()}}
        groups = {}
        for weight in self._specific:
            numbers = self._job_numbers(kind, weight)
            groups[weight] = {key: number for key, number in numbers.items()
                              if key == "learningRate" or number != own[key]}
        if groups:
            keys["parameterGroups"] = json.dumps(groups)
        if self._loss_scaling.value != 1:
            keys["lossScaling"] = repr(self._loss_scaling.value)
        if self._bound is not None:
            keys["globalClipNorm"] = repr(self._bound)
        return {**keys, **self._types()}

    def _check_weights(self, weights: Mapping[str, Any]) -> None:
        """Raises popart_exception for weights, by id, whose updates are not simulated."""

    def _check_replacement(self, new: "Optimizer") -> None:
        """Raises popart_exception unless only values that may change differ."""
        if type(new) is not type(self):
            raise popart_exception(f"{type(self).__name__} cannot be replaced by "
                                   f"{type(new).__name__}")
        pairs = {"lossScaling": (self._loss_scaling, new._loss_scaling),
                 **{name: (old, new._values[name]) for name, old in self._values.items()}}
        for name, (old, value) in pairs.items():
            if old.constant and value.value != old.value:
                raise popart_exception(f"{name} is constant and cannot change from {old.value} to "
                                       f"{value.value}: make it ({old.value}, False)")


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if there is any.

    >>> popart.SGD({"defaultLearningRate": (0.1, False), "defaultMomentum": (0.9, True)})

    A number stands for the learning rate.
    """
    _numbers = {"LearningRate": 0.1, "WeightDecay": 0.0, "Momentum": 0.0, "Dampening": 0.0,
                "VelocityScaling": 1.0, "Nesterov": 0.0}

    def __init__(self, values: Any = (), clip_norm_settings: Optional[Sequence[Any]] = None,
                 accumulatorAndMomentum: Any = None, accumType: Any = _DataType["UNDEFINED"],
                 accl1Type: Any = _DataType["UNDEFINED"]) -> None:
        if isinstance(values, (int, float)):
            values = {"defaultLearningRate": (values, True)}
        super().__init__(dict(values), clip_norm_settings)
        self._accumulator, self._state = accumType, (accl1Type, )
        if accumulatorAndMomentum != ENUMS["SGDAccumulatorAndMomentum"]["Separate"]:
            self._prefixes = {"Accl1___": "Accl___"}

    def _kind(self) -> str:
        everywhere = [self._all(), *(self._all(weight) for weight in self._specific)]
        if len({bool(numbers["Nesterov"]) for numbers in everywhere}) > 1:
            raise refused("nesterov of single weights", "give all weights the same")
        if any(numbers["Nesterov"] and numbers["Dampening"] for numbers in everywhere):
            raise refused("dampening with nesterov", "leave one of them out")
        return "momentum" if any(numbers["Momentum"] for numbers in everywhere) else "sgd"

    def _job_options(self) -> Dict[str, str]:
        keys = super()._job_options()
        if self._all()["Nesterov"] and keys["optimizer"] == "momentum":
            keys["nesterov"] = "on"
        return keys

    def _types(self) -> Dict[str, str]:
        return _element_types(self._accumulator, self._state)


class ConstSGD(SGD):
    """SGD with numbers that do not change."""

    def __init__(self, learning_rate: float, weight_decay: float = 0, loss_scaling: float = 1,
                 clip_norm_settings: Optional[Sequence[Any]] = None) -> None:
        super().__init__({"defaultLearningRate": (learning_rate, True),
                          "defaultWeightDecay": (weight_decay, True),
                          "lossScaling": (loss_scaling, True)}, clip_norm_settings)


class Adam(Optimizer):
    """Adam, AdamW or LAMB, by `mode` and `weight_decay_mode`."""
    _numbers = {"LearningRate": 0.1, "WeightDecay": 0.0, "Beta1": 0.9, "Beta2": 0.999, "Eps": 1e-6,
                "MaxWeightNorm": 10.0}

    def __init__(self, values: Mapping[str, Any], mode: Any = _AdamMode["Adam"],
                 weight_decay_mode: Any = _DecayMode["Decay"],
                 accum_type: Any = _DataType["UNDEFINED"], accl1_type: Any = _DataType["FLOAT"],
                 accl2_type: Any = _DataType["FLOAT"],
                 clip_norm_settings: Optional[Sequence[Any]] = None,
                 scaled_optimizer_state: bool = False) -> None:
        super().__init__(values, clip_norm_settings)
        self._mode, self._decay = mode, weight_decay_mode
        self._accumulator, self._state = accum_type, (accl1_type, accl2_type)
        self._kind()

    def _check_weights(self, weights: Mapping[str, Any]) -> None:
        most = self._all()["MaxWeightNorm"]
        for name in weights:
            if self._kind() == "lamb" and self._all(name)["MaxWeightNorm"] != most:
                raise refused(f"a maxWeightNorm of '{name}' alone", "give all weights the same")

    def _kind(self) -> str:
        if self._mode in (_AdamMode["Lamb"], _AdamMode["LambNoBias"]):
            return "lamb"
        if self._mode not in (_AdamMode["Adam"], _AdamMode["AdamNoBias"]):
            raise refused(f"AdamMode.{_AdamMode(self._mode).name}", "Adam and Lamb are")
        decays = any(self._all(weight)["WeightDecay"] for weight in [None, *self._specific])
        return "adamw" if decays and self._decay == _DecayMode["Decay"] else "adam"

    def _job_options(self) -> Dict[str, str]:
        keys = super()._job_options()
        if self._mode in (_AdamMode["AdamNoBias"], _AdamMode["LambNoBias"]):
            keys["biasCorrection"] = "off"
        if self._kind() == "lamb":
            keys["maxWeightNorm"] = repr(self._all()["MaxWeightNorm"])
        return keys

    def _types(self) -> Dict[str, str]:
        return _element_types(self._accumulator, self._state)


class Adaptive(Optimizer):
    """RMSProp."""
    _numbers = {"LearningRate": 0.01, "WeightDecay": 0.0, "Alpha": 0.99, "Momentum": 0.0,
                "Eps": 1e-6}

    def __init__(self, values: Mapping[str, Any], mode: Any = _AdaptiveMode["RMSProp"],
                 weight_decay_mode: Any = _DecayMode["Decay"],
                 accum_type: Any = _DataType["UNDEFINED"], accl1_type: Any = _DataType["FLOAT"],
                 accl2_type: Any = _DataType["FLOAT"], accl3_type: Any = _DataType["UNDEFINED"],
                 rmsprop_tf_variant: bool = False) -> None:
        super().__init__(values)
        self._mode, self._decay, self._variant = mode, weight_decay_mode, rmsprop_tf_variant
        self._accumulator, self._state = accum_type, (accl1_type, accl2_type, accl3_type)
        self._kind()

    def _kind(self) -> str:
        if self._mode not in (_AdaptiveMode["RMSProp"], _AdaptiveMode["CenteredRMSProp"]) or self._variant:
            what = "rmsprop_tf_variant" if self._variant else (
                f"AdaptiveMode.{_AdaptiveMode(self._mode).name}")
            raise refused(what, "AdaptiveMode.RMSProp and CenteredRMSProp as in PyTorch are")
        if self._values["WeightDecay"].value and self._decay == _DecayMode["Decay"]:
            raise refused("WeightDecayMode.Decay of RMSProp", "use WeightDecayMode.L2Regularization")
        return "rmsprop"

    def _job_options(self) -> Dict[str, str]:
        keys = super()._job_options()
        if self._mode == _AdaptiveMode["CenteredRMSProp"]:
            keys["centered"] = "on"
        return keys

    def _types(self) -> Dict[str, str]:
        return _element_types(self._accumulator, self._state)


def _element_types(accumulator: Any, state: Sequence[Any]) -> Dict[str, str]:
    """Half is simulated for all of the state, or none."""
    half = _DataType["FLOAT16"]
    keys = {"accumulationType": "half"} if accumulator == half else {}
    if all(kind == half for kind in state):
        keys["optimizerStateType"] = "half"
    return keys
