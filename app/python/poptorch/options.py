"""Options of a model: how it is compiled and run."""
from __future__ import annotations

import copy
import json
import os
from typing import Any, Dict, List, Optional

import torch

from . import _environment, _validator, enums
from ._errors import Error
from ._groups import OptionsGroup
from ._logging import logger, say_once
from ._option_groups import (TensorLocationSettings, _DistributedOptions, _JitOptions,
                             _PrecisionOptions, _TensorLocationOptions, _TrainingOptions)
from ._popart_options import PopartOptions
from .strategies import PipelinedExecution, _IExecutionStrategy

__all__ = ["Options", "TensorLocationSettings", "ConfigFileError", "Attribute"]


class ConfigFileError(Exception):
    """Raised for a line of an options file that cannot be read."""


class Attribute:
    """An attribute of operations created within a ``with`` block; recorded only."""

    def __init__(self, **attributes: Any) -> None:
        self.attributes = attributes

    def __enter__(self) -> "Attribute":
        say_once("poptorch.Attribute has no effect: operations keep the attributes of the model")
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        return None


class Options(OptionsGroup):
    """All options of a model; most methods return the options, so that calls can be chained.

    An option that PopTorch does not have is an error; one without effect here gives one warning.

    >>> options = poptorch.Options().deviceIterations(10)
    >>> options.Training.gradientAccumulation(4)
    """

    def __init__(self) -> None:
        self._popart = PopartOptions()
        self._jit = _JitOptions()
        self._precision = _PrecisionOptions(self._popart)
        self._training = _TrainingOptions(self._popart)
        self._distributed = _DistributedOptions()
        self._tensor_locations = _TensorLocationOptions()
        self._execution_strategy: _IExecutionStrategy = PipelinedExecution()
        self._show_compilation_progress_bar = True
        self._module_namescope_enabled = True
        self._relax_optimizer_checks = False
        super().__init__(replication_factor=1,
                         device_iterations=1,
                         log_dir=".",
                         max_repeat_logs=4,
                         auto_round_num_ipus=False,
                         anchored_tensors={},
                         output_mode=enums.OutputMode.Default,
                         output_return_period=1,
                         use_model=_environment.is_set("POPTORCH_IPU_MODEL"),
                         connection_type=enums.ConnectionType.Always,
                         sync_pattern=enums.SyncPattern.Full,
                         available_memory_proportion={},
                         broadcast_buffers=True)
        cache = os.environ.get("POPTORCH_CACHE_DIR")
        if cache:
            self.enableExecutableCaching(cache)
        defaults = _environment.json_object("POPTORCH_DEFAULT_OPTIONS", '{"device_iterations": 4}')
        try:
            for name, value in defaults.items():
                self._apply_default(name, value)
        except (AttributeError, ValueError, TypeError, AssertionError) as error:
            raise Error(f"{_environment.named('POPTORCH_DEFAULT_OPTIONS')}: {error}") from None

    def _apply_default(self, name: str, value: Any) -> None:
        """Sets an option by its call ("Training.gradientAccumulation": 4; a list has several arguments) or
        by the name of its value."""
        target: Any = self
        parts = name.split(".")
        for part in parts:
            target = getattr(type(target), part, None) and getattr(target, part)
        if not callable(target):
            self.set(**{name: value})
            return
        arguments = value if isinstance(value, list) else [value]
        target(*[self._enumerated(argument) for argument in arguments])

    @staticmethod
    def _enumerated(value: Any) -> Any:
        """The member of an enumeration that is written as "ConnectionType.OnDemand"."""
        kind, _, member = value.partition(".") if isinstance(value, str) else ("", "", "")
        found = getattr(enums, kind, None)
        return getattr(found, member, value) if isinstance(found, type) else value

    def _freeze(self) -> None:
        super()._freeze()
        for group in (self._training, self._precision, self._tensor_locations, self._distributed,
                      self._jit, self._popart):
            group._freeze()

    def __repr__(self) -> str:
        values = {**self.toDict(), **self._precision.toDict()}
        return f"Options({', '.join(f'{name}={value!r}' for name, value in sorted(values.items()))})"

    # Groups

    @property
    def Training(self) -> _TrainingOptions:
        """Options for training: gradient accumulation, reduction."""
        return self._training

    @property
    def Precision(self) -> _PrecisionOptions:
        """Element types and rounding."""
        return self._precision

    @property
    def TensorLocations(self) -> _TensorLocationOptions:
        """Where tensors are kept."""
        return self._tensor_locations

    @property
    def Distributed(self) -> _DistributedOptions:
        """Number of this process among several."""
        return self._distributed

    @property
    def Jit(self) -> _JitOptions:
        """Options of PyTorch's tracer."""
        return self._jit

    @property
    def _Popart(self) -> PopartOptions:
        """Options of PopART's session."""
        return self._popart

    # Calls

    def deviceIterations(self, device_iterations: int) -> "Options":
        """Batches processed by a call before it returns, 1 or more."""
        self.set(device_iterations=_validator.whole_number("deviceIterations", device_iterations))
        return self

    def replicationFactor(self, replication_factor: int, input_group_size: int = 1) -> "Options":
        """Copies of the model, each with data of its own, 1 or more; groups of more than one that
        share their data, which some releases take here, are refused."""
        self.inputReplicaGrouping(input_group_size, enums.CommGroupType.Consecutive)
        self.set(replication_factor=_validator.whole_number("replicas", replication_factor))
        return self

    def inputReplicaGrouping(self, input_group_size: int,
                             input_group_type: enums.CommGroupType) -> "Options":
        """Replicas that get the same data; groups of more than one are refused."""
        if input_group_size != 1:
            raise ValueError("inputReplicaGrouping: each replica gets data of its own; groups of "
                             "several replicas are not simulated")
        return self

    def outputMode(self, output_mode: enums.OutputMode,
                   output_return_period: Optional[int] = None) -> "Options":
        """Which results a call returns; ``output_return_period`` is N of EveryN."""
        assert isinstance(output_mode, enums.OutputMode)
        if output_mode == enums.OutputMode.EveryN:
            assert output_return_period and output_return_period > 0, (
                "EveryN output mode must have output_return_period set to valid positive integer")
        elif output_return_period:
            logger.info("Output return period argument ignored with output_mode set to %s",
                        output_mode)
        self.set(output_mode=output_mode, output_return_period=output_return_period or 1)
        return self

    def defaultOutputMode(self) -> bool:
        """Whether no output mode was chosen."""
        return self.output_mode == enums.OutputMode.Default

    def anchorTensor(self, short_name: str, long_name: str,
                     output_mode: Optional[enums.OutputMode] = None,
                     output_return_period: Optional[int] = 1) -> "Options":
        """Keeps a tensor of the model for :meth:`poptorch.PoplarExecutor.getAnchoredTensor`.

        Args:
            short_name: the program's name for it.
            long_name: its name in the exported model, as listed by getTensorNames().
            output_mode: as for :meth:`outputMode`; by default that of the outputs.
        """
        self.anchored_tensors[short_name] = (long_name, output_mode, output_return_period or 1)
        return self

    # Placement

    def setExecutionStrategy(self, strategy: _IExecutionStrategy) -> "Options":
        """How several IPUs share the model: an instance of a strategy's class."""
        assert isinstance(strategy, _IExecutionStrategy)
        self._execution_strategy = strategy
        return self

    def setAvailableMemoryProportion(self, available_memory_proportion: Dict[str, float]
                                     ) -> "Options":
        """Share of tile memory, 0 to 1, for temporary data of products and convolutions, by IPU.

        >>> options.setAvailableMemoryProportion({"IPU0": 0.5})
        """
        shares: Dict[int, float] = {}
        for key, share in available_memory_proportion.items():
            assert key.startswith("IPU") and key[3:].isdigit(), (
                "Available memory proportions are expected to be in a dictionary of "
                f"{{\"IPU0\": 0.5}} where the 0 in IPU is the index of the IPU. Invalid key: {key}")
            shares[int(key[3:])] = _validator.number("availableMemoryProportion", share)
        self.set(available_memory_proportion=shares)
        return self

    def autoRoundNumIPUs(self, auto_round_num_ipus: bool = True) -> "Options":
        """Whether a number of IPUs that is not a power of two is rounded up instead of refused."""
        self.set(auto_round_num_ipus=auto_round_num_ipus)
        return self

    def useIpuModel(self, use_model: bool) -> "Options":
        """Whether memory and time are those of the IPU Model, without code and host latency."""
        self.set(use_model=bool(use_model))
        logger.info("From the user configuration: Ipu model: %s",
                    "Enabled" if use_model else "Disabled")
        return self

    def useIpuId(self, ipu_id: int) -> "Options":
        """Device to use; without effect."""
        assert isinstance(ipu_id, int)
        say_once("useIpuId has no effect: there is no device to choose")
        self.createOrSet(ipu_id=ipu_id)
        return self

    def useOfflineIpuTarget(self, ipu_version: int = 2) -> "Options":
        """Compiles without running. ``ipu_version``: 2 (Mk2) or 21 (Bow)."""
        self.connectionType(enums.ConnectionType.Never)
        if ipu_version not in (1, 2, 21):
            raise ValueError(f"ipu_version {ipu_version} is none of 2 and 21")
        if ipu_version == 1:
            raise ValueError("Mk1 IPUs are not simulated; use 2")
        self.createOrSet(ipu_version=ipu_version)
        return self

    def connectionType(self, connection_type: enums.ConnectionType) -> "Options":
        """When a device is attached; with Never the model can be compiled but not called."""
        assert isinstance(connection_type, enums.ConnectionType)
        self.set(connection_type=connection_type)
        return self

    def syncPattern(self, sync_pattern: enums.SyncPattern) -> "Options":
        """Which IPUs synchronise; without effect, all do."""
        assert isinstance(sync_pattern, enums.SyncPattern)
        if sync_pattern != enums.SyncPattern.Full:
            say_once("syncPattern has no effect: all IPUs of a replica synchronise")
        self.set(sync_pattern=sync_pattern)
        return self

    # Recording

    def enableProfiling(self, profile_dir: Optional[str] = None) -> "Options":
        """Writes a profile.pop to ``profile_dir``/training and ``profile_dir``/inference."""
        engine = _environment.engine_options()
        engine["autoReport.all"] = "true"
        if profile_dir is not None:
            engine["autoReport.directory"] = profile_dir
        os.environ["POPLAR_ENGINE_OPTIONS"] = json.dumps(engine)
        return self

    def modelName(self, name: str) -> "Options":
        """Name of the model: its profile's directory, instead of training or inference."""
        self.createOrSet(model_name=name)
        return self

    def logDir(self, log_dir: str) -> "Options":
        """Directory of log files; without effect: nothing is logged to files."""
        self.set(log_dir=log_dir)
        return self

    def maxRepeatLogs(self, max_repeat_logs: int) -> "Options":
        """How often the same message is printed; without effect: once."""
        self.set(max_repeat_logs=max_repeat_logs)
        return self

    def logCycleCount(self, log_cycle_count: bool) -> "Options":
        """Whether :meth:`poptorch.PoplarExecutor.cycleCount` may be called."""
        self.createOrSet(log_cycle_count=log_cycle_count)
        return self

    def showCompilationProgressBar(self, show: bool = True) -> "Options":
        """Whether compilation shows its progress (on a terminal)."""
        self._show_compilation_progress_bar = show
        return self

    def disableModuleNamescope(self) -> "Options":
        """Leaves names of modules out of operations' names; without effect."""
        say_once("disableModuleNamescope has no effect: operations are named by their modules")
        self._module_namescope_enabled = False
        return self

    def appendToLocationExcludes(self, *excludes: str) -> "Options":
        """Adds parts of paths of files that are not the user's: operations belong to the lines that
        call them."""
        self.createOrSet(source_location_excludes=[*self._location_excludes(), *excludes])
        return self

    def _location_excludes(self) -> List[str]:
        """Parts of paths of files that are not the user's, besides installed packages."""
        return list(getattr(self, "source_location_excludes", []))

    def sourceLocationExcludes(self, excludes: List[str]) -> "Options":
        """Replaces what :meth:`appendToLocationExcludes` has added."""
        self.createOrSet(source_location_excludes=list(excludes))
        return self

    # Other

    def randomSeed(self, random_seed: int) -> "Options":
        """Seed of dropout and other random numbers, and of PyTorch's own."""
        assert isinstance(random_seed, int)
        _validator.whole_number("seed", abs(random_seed))
        torch.manual_seed(random_seed)
        self.createOrSet(random_seed=random_seed)
        return self

    def enableStableNorm(self, enabled: bool) -> "Options":
        """Whether norms subtract the mean before squaring; without effect: they do not."""
        self._popart.set("enableStableNorm", enabled)
        return self

    def enableSyntheticData(self, enabled: bool) -> "Options":
        """Omits transfers with the host: calls compute nothing and return zeros."""
        self._popart.set("syntheticDataMode", 2 if enabled else 0)
        return self

    def enableExecutableCaching(self, path: Optional[str]) -> "Options":
        """Directory for compiled programs: the same model with the same options, regardless of its
        weights, is not compiled again. None: nothing is kept."""
        self._popart.set("cachePath", path or "")
        return self

    def broadcastBuffers(self, broadcast_buffers: bool = True) -> "Options":
        """Whether all replicas start with the same buffers; they always do."""
        if not broadcast_buffers:
            raise ValueError("broadcastBuffers(False): replicas with buffers of their own are not "
                             "simulated")
        return self

    def relaxOptimizerAttributesChecks(self, relax: bool = True) -> "Options":
        """Whether unknown attributes of optimizers are silently ignored."""
        self._relax_optimizer_checks = relax
        return self

    def updatableNamedBuffers(self, buffers: List[str]) -> "Options":
        """Buffers that the host may change between calls; it may always change all."""
        self.createOrSet(updatable_named_buffers=list(buffers))
        return self

    def loadFromFile(self, filepath: str) -> "Options":
        """Reads a file with a call on each line, such as ``deviceIterations(1)`` or
        ``Training.gradientAccumulation(4)``; '#' begins a comment.

        Raises:
            poptorch.options.ConfigFileError: for an invalid line, naming file and line.
        """
        with open(filepath, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                text = line.split("#")[0].strip()
                if text:
                    self._apply_line(text, f"{filepath}:{number}")
        return self

    def _apply_line(self, text: str, origin: str) -> None:
        from . import _config_lines
        try:
            path, args, kwargs = _config_lines.parse_call(text)
            target: Any = self
            for part in path:
                target = getattr(target, part)
            target(*args, **kwargs)
        except (SyntaxError, AttributeError, ValueError, TypeError, AssertionError) as error:
            said = error.msg if isinstance(error, SyntaxError) else error
            file, _, line = origin.rpartition(":")
            raise ConfigFileError(f"{type(error).__name__} at line {line} of {os.path.basename(file)}: {said}\n"
                                  f"> options.{text}\n({origin})") from error

    def clone(self) -> "Options":
        """A copy of the options."""
        strategy = self._execution_strategy
        clone = copy.deepcopy(self, {id(strategy): strategy})
        return clone

    def toDict(self) -> Dict[str, Any]:
        """All values by name, including those of the groups."""
        values = self.update({"execution_mode": self._execution_strategy._number,
                              **self._popart.options})
        for group in (self._training, self._distributed, self._tensor_locations):
            values = group.update(values)
        return values

    def _batch_multiplier(self, training: bool) -> int:
        """Micro-batches of a call, over all replicas and iterations."""
        accumulation = self._training.gradient_accumulation if training else 1
        return self.device_iterations * self.replication_factor * accumulation
