"""A model that is compiled for the machine and called like the module that it wraps."""
from __future__ import annotations

import sys
import time
import weakref
from typing import Any, Callable, Dict, List, Optional

import numpy
import torch
from tilescope import _profile_files, _simulator
from tilescope._learning_rates import split_learning_rates

from . import (_arguments, _check, _jobs, _optimizer_log, _option_log, _optimizers, _source, _tracing,
               _validator, enums)
from ._blocks import has_asked, module_repr
from ._compilation import export, finish_profile, progress_of
from ._compiled import Compiled, Times, Weights, array_of
from ._device import Device
from ._errors import Error, as_poptorch_error, out_of_memory
from ._hooks import Hooked
from ._instances import instances_of
from ._logging import log_planner, logger
from ._optimizer_state import OptimizerState, ipu_params, ipu_state
from ._runs import Runs, without_backward
from .optim import Optimizer
from .options import Options
from .profiling import Channel


class PoplarExecutor(Device, Runs, Weights, Times):
    """Calls of a model on the simulated machine; made by :func:`poptorch.trainingModel` and
    :func:`poptorch.inferenceModel`.

    The first call compiles: the model is traced with the arguments of one micro-batch, simulated,
    and its profile written according to POPLAR_ENGINE_OPTIONS. Each call then computes a batch of
    micro-batch x device iterations x replicas x (in training) gradient accumulation samples. After
    a call that trains, the module's parameters are those of the machine; parameters that the
    program changes reach the machine with the next call.
    """

    def __init__(self, model: torch.nn.Module, options: Optional[Options], training: bool,
                 optimizer: Optional[torch.optim.Optimizer] = None) -> None:
        if isinstance(model, PoplarExecutor):  # shares the module
            model = model.model
        if options is not None:
            options._freeze()
        options = Options() if options is None else options.clone()
        if options.defaultOutputMode():
            options.outputMode(enums.OutputMode.Final if training else enums.OutputMode.All)
        if not training:
            assert options.Training.gradient_accumulation == 1, (
                "Gradient accumulation should be left to its default value (1) for inference")
            assert optimizer is None, "Optimizer should be None for inference"
        if training and optimizer is None:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        if optimizer is not None and _optimizers.means_run(optimizer):
            options.Training.set(meanAccumulationAndReplicationReductionStrategy=enums.
                                 MeanReductionStrategy.Running)
        options._freeze()
        self._user_model = model
        self._wrapped_at = _source.here()
        self._options = options
        self._training = training
        self._instances = instances_of(options, training)
        self._optimizer = optimizer
        self._rates: List[float] = []
        self._compiled: Optional[Compiled] = None
        self._attached = False
        self._versions: Dict[str, int] = {}
        self._pending_state: Dict[str, numpy.ndarray] = {}
        self._state = OptimizerState()
        self._attributes = _optimizer_log.Attributes()
        self._call_start = 0.0
        self._trace = (0.0, False, False)  #: seconds of tracing; whether it called isRunningOnIpu(); and is mixed
        self._is_checked = False
        self._check: Optional[_check.Check] = None
        #: Start of the machine's first call, on libpvti's clock; empty before it.
        self._zero: List[float] = []
        self._finish: Callable[[], Any] = lambda: None
        self._profiling = Channel("poptorch.trainingModel" if training else
                                  "poptorch.inferenceModel")
        self._profiling.instrument(self, "copyWeightsToHost", "copyWeightsToDevice", "setOptimizer",
                                   "compile", "destroy")
        for parameter in model.parameters():
            parameter.replicaGrouping = parameter.perReplica = (  # type: ignore[attr-defined]
                _validator.refuse_groups_of_replicas)
        if optimizer is not None:
            _optimizers.job_options(optimizer, self._names())  # refuses unsupported ones early
            self._tell(optimizer)

    def __repr__(self) -> str:
        mode = "training" if self._training else "inference"
        return f"PoplarExecutor({mode}, {module_repr(self._user_model)})"

    def __reduce__(self) -> Any:
        """The wrapped module and its options; the program is compiled again."""
        return _wrapped_again, (self._user_model, self._options, self._training, self._optimizer)

    # The wrapped module

    @property
    def model(self) -> torch.nn.Module:
        """The wrapped module."""
        return self._user_model

    @property
    def _executable(self) -> Optional[Any]:
        """The compiled program, which programs ask for as in PopTorch."""
        return None if self._compiled is None else self._compiled.program

    @property
    def options(self) -> Options:
        """A copy of the options given."""
        return self._options

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._user_model, name)

    def load_state_dict(self, state_dict: Dict[str, torch.Tensor], strict: bool = True) -> Any:
        """The module's load_state_dict(); the next call sends the weights to the machine."""
        return self._user_model.load_state_dict(state_dict, strict)

    # Compiling

    def isCompiled(self) -> bool:
        """Whether there is a compiled program."""
        return self._compiled is not None

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compiles for arguments of the shapes of a whole call, without computing.

        Raises:
            poptorch.Error: for a model that cannot be exported, simulated or placed; for one that
                does not fit, with Poplar's text, and the profile is written.
        """
        if self._compiled is not None:
            logger.warning("Call to compile() ignored: the executable is already compiled")
            return
        self._compile(*_arguments.bind(self._user_model, args, kwargs))

    def _compile(self, names: List[str], values: List[Any]) -> None:
        with Hooked():
            self._compile_now(names, values)

    def _compile_now(self, names: List[str], values: List[Any]) -> None:
        self._finish()
        micro = self._micro_batch_of(values)
        if any(tensor.requires_grad for tensor in _tracing.Tree(values).tensors):
            logger.warning("Input tensor has requires_grad=True set. This tensor will be detached because "
                           "backward pass via inputs is not supported.")
        _option_log.check(self._options.toDict())
        with self._profiling.tracepoint("modelCompilation"):
            start = time.perf_counter()
            traced = _tracing.trace(self._user_model, names, micro, self._training)
            self._trace = (time.perf_counter() - start, has_asked(), traced.mixed)
            self._check_buffers(traced)
            export(traced.onnx)
            job = _jobs.make_job(self._options, self._training, self._optimizer, self._names(),
                                 traced.blocks, traced.half, self._instances)
            program = self._make_program(traced, job)
        figures = program.figures
        _profile_files.note_writer(program, job.profile)
        self._finish = weakref.finalize(self, finish_profile, program, job.profile, self._zero)
        self._log(figures)
        if not figures["fits"]:
            raise out_of_memory(figures["failure"])
        self._compiled = Compiled(program, _tracing.input_names(names, values), traced.inputs,
                                  self._without_values(names, values), traced.outputs,
                                  traced.output_shapes, traced.output_types, traced.changed_inputs,
                                  traced.counted, bool(traced.state), self._constants(program),
                                  figures, job.keys)
        self._attached = self._options.connection_type != enums.ConnectionType.Never
        self._versions = {}  # tracing has changed statistics: the first call sends all tensors
        if self._pending_state:
            program.set_state(self._pending_state)
            self._pending_state = {}
        else:
            self._state = OptimizerState()
        if self._optimizer is not None:
            self._rates, _ = split_learning_rates(job.keys)
            self._attributes.note(self._optimizer, self._options)
        if self._options.exists("log_cycle_count") and self._options.log_cycle_count:
            logger.debug("Total number of IPU cycles: %d", int(figures["cycles"]))

    def _check_buffers(self, traced: _tracing.Traced) -> None:
        buffers = dict(self.model.named_buffers())
        if any(name in buffers for name, _ in traced.state) and (
                self._options.replication_factor > 1 and self._options.broadcast_buffers):
            raise Error("PopTorch does not support broadcasting buffers. If your model is able to tolerate "
                        "buffers becoming out of sync between replicas, you can disable buffer "
                        "broadcasting using poptorch.Options.broadcastBuffers(False).")

    @staticmethod
    def _without_values(names: List[str], values: List[Any]) -> _arguments.Bound:
        tree = _tracing.Tree(values)
        return names, list(tree.rebuild(
            [torch.empty_like(tensor, device="meta") for tensor in tree.tensors]))

    def _make_program(self, traced: _tracing.Traced, job: _jobs.Job) -> Any:
        progress = progress_of(self._options._show_compilation_progress_bar)
        recorded, samples = _jobs.recorded_values()
        with as_poptorch_error():
            program = _simulator.CompiledModel(traced.onnx,
                                               type(self._user_model).__name__,
                                               job.keys,
                                               blocks=job.places,
                                               profile=job.profile,
                                               computes=not _jobs.runs_at_device_speed(),
                                               losses=traced.losses if self._training else None,
                                               trained=self._trained_names(),
                                               parameters=set(
                                                   dict(self._user_model.named_parameters())),
                                               state=traced.state,
                                               anchors=self._anchor_names(),
                                               values=recorded,
                                               value_samples=samples,
                                               progress=progress,
                                               source=traced.lines.source(
                                                   self._options._location_excludes(),
                                                   self._anchor_lines()))
        if progress is not None:
            sys.stderr.write("\n")
        return program

    def _anchor_lines(self) -> Dict[str, _source.Stack]:
        """Lines outside of the model: where it was wrapped, its optimizer made, and it is compiled."""
        anchors = {"model": self._wrapped_at, "call": _source.here()}
        if made := getattr(self._optimizer, "made_at", None):
            anchors["optimizer"] = made
        return anchors

    def _names(self) -> Dict[int, str]:
        """Names of parameters and buffers by the id of their tensors."""
        return {id(tensor): name
                for name, tensor in _tracing.state_of(self._user_model).items()}

    def _trained_names(self) -> Optional[set]:
        if not self._training:
            return None
        assert self._optimizer is not None
        trained = {
            id(parameter)
            for parameter in _optimizers.trained_parameters(self._optimizer)
            if parameter.requires_grad
        }
        return {
            name
            for name, tensor in _tracing.state_of(self._user_model).items()
            if id(tensor) in trained
        }

    def _log(self, figures: Dict[str, Any]) -> None:
        for severity, text, planner_line in figures["messages"]:
            if planner_line:
                log_planner(severity, planner_line)
            elif severity == "warning":
                logger.warning(text)
            elif severity == "info":
                logger.info(text)

    def _micro_batch(self, tensor: torch.Tensor) -> torch.Tensor:
        options, count = self._options, self._options._batch_multiplier(self._training)
        size = tensor.shape[0] if tensor.dim() else 1
        assert size % count == 0, (
            f"Invalid batch dimension: In the input {tensor.shape}, the batch dimension ({size}) "
            f"must be a multiple of Options.deviceIterations({options.device_iterations}) * "
            f"Options.replicationFactor({options.replication_factor}) * "
            f"Options.Training.gradientAccumulation({options.Training.gradient_accumulation}) = "
            f"{count} because it is used to calculate the batch size which will be executed on "
            "the device in any given iteration. For a full explanation see the batching semantics "
            "page of the documentation.")
        return tensor.narrow(0, 0, size // count) if tensor.dim() else tensor

    # Calling

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Takes forward()'s arguments, each with the batch of a whole call; returns forward()'s
        results, with the micro-batches selected by the output mode concatenated in the first
        dimension. A scalar result gets one dimension if there are several micro-batches.

        Raises:
            poptorch.Error: if the shapes differ from those that the model was compiled for.
        """
        assert self._options.connection_type != enums.ConnectionType.Never, (
            "Trying to run a model on an offline device (ConnectionType.Never): use "
            "model.compile(inputs) instead of model(inputs)")
        names, values = _arguments.bind(self._user_model, args, kwargs)
        self._forget_other_constants()
        if self._compiled is None:
            self._compile(names, values)
        compiled = self._program()
        self._attached = True
        _arguments.check_same(self._user_model, compiled.given, (names, values))
        tensors = _tracing.Tree(dict(zip(names, values))).tensors_like(compiled.arguments)
        self._begin_check(compiled, names, values)
        with self._profiling.tracepoint("modelExecution"):
            self._call_start = time.perf_counter()
            results = self._run(compiled, tensors)
        return without_backward(compiled.outputs.rebuild(results))

    def _begin_check(self, compiled: Compiled, names: List[str], values: List[Any]) -> None:
        """Starts the comparison at the first call that computes."""
        computes = not _jobs.runs_at_device_speed() and compiled.keys.get("ignoreData") != "on"
        if self._is_checked or not computes or self._instances is not None:
            return
        self._is_checked = True
        self._check = _check.begin(self._user_model, names, self._micro_batch_of(values),
                                   self._training, compiled.program, *self._trace)

    def _micro_batch_of(self, values: List[Any]) -> List[Any]:
        tree = _tracing.Tree(values)
        return list(tree.rebuild([self._micro_batch(tensor) for tensor in tree.tensors]))

    def _run(self, compiled: Compiled, tensors: List[torch.Tensor]) -> List[torch.Tensor]:
        if _jobs.runs_at_device_speed():
            return self._wait(compiled)
        if compiled.keys.get("ignoreData") == "on":
            return self._zeros(compiled)
        known = {name for name, _, _ in compiled.program.inputs}
        inputs = {
            name: array_of(tensor)
            for name, tensor in zip(compiled.inputs, tensors) if name in known
        }
        self._upload_changes(self._instances)
        self._upload_state()
        everything = self._options.output_mode == enums.OutputMode.Sum
        wanted = (list(range(self._options._batch_multiplier(self._training))) if everything else
                  _jobs.wanted_micro_batches(self._options, self._training))
        if self._instances is not None:
            inputs = self._instances.inputs_of_all(inputs, self._rates)
            wanted = self._instances.own_micro_batches(wanted)
        check, self._check = self._check, None
        asked = wanted if check is None else check.numbers(wanted)
        arrays = self._arrays_of(compiled, inputs, asked, tensors)
        if check is not None:
            arrays = check.finish(compiled.program, inputs, wanted, arrays)
        if self._training or compiled.changes_state:
            self._download()
        if self._training:
            self._download_state(self._options.device_iterations)
        self._count_batches()
        return [
            self._result(array, shape, kind) for array, shape, kind in zip(
                arrays, compiled.shapes_out, compiled.types_out)
        ]

    # The optimizer

    def setOptimizer(self, optimizer: torch.optim.Optimizer) -> None:
        """Uses an optimizer's hyperparameters from the next call on. Learning rates change at once;
        any other change compiles the model again and keeps the optimizer's state.

        Raises:
            poptorch.Error: naming anything that is not simulated.
        """
        if not self._training:
            raise Error("setOptimizer() is for training models")
        self._attributes.note(optimizer, self._options)
        keys = _optimizers.job_options(optimizer, self._names())
        rates, rest = split_learning_rates(keys)
        compiled = self._compiled
        self._optimizer = optimizer
        self._tell(optimizer)
        if compiled is None:
            return
        _, before = split_learning_rates(compiled.keys)
        if {key: before.get(key) for key in rest} != rest:
            logger.info("the optimizer's hyperparameters have changed: the model is compiled again")
            self._pending_state = {} if _jobs.runs_at_device_speed() else compiled.program.state()
            self._compiled = None
            return
        if rates != self._rates:
            if not _jobs.runs_at_device_speed():  # a program without values has no rates
                compiled.program.set_learning_rates([rates])
            self._rates = rates

    def _tell(self, optimizer: torch.optim.Optimizer) -> None:
        """Makes the state on the machine part of PopTorch's own optimizers' state."""
        executor = weakref.ref(self)

        def on_machine() -> Optional[Dict[str, Any]]:
            own = executor()
            compiled = None if own is None else own._compiled
            if own is None or compiled is None or own._optimizer is not optimizer:
                return None
            if not own._attached:  # an offline target
                return None
            return {"ipu_state": ipu_state(compiled.program),
                    "ipu_param": ipu_params(optimizer, own._trained())}

        if isinstance(optimizer, Optimizer):
            optimizer._on_machine = on_machine

    def destroy(self) -> None:
        """Discards the compiled program after adding recorded values and events to its profile."""
        self._finish()
        self._compiled = None
        self._attached = False
        self._versions = {}


def _wrapped_again(model: torch.nn.Module, options: Options, training: bool,
                   optimizer: Optional[torch.optim.Optimizer]) -> PoplarExecutor:
    return PoplarExecutor(model, options, training, optimizer)
