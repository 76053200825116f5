"""A compiled program: its weights, which the module shares, and its times."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy
import torch

from . import _arguments, _jobs, _tracing
from ._errors import Error
from ._instances import Instances
from ._logging import logger
from ._optimizer_state import OptimizerState
from .options import Options

NOT_COMPILED = "Model has not been compiled or has been destroyed."


class Compiled(NamedTuple):
    """The program compiled for a set of shapes."""
    program: Any  #: _simulator.CompiledModel
    inputs: List[str]
    arguments: _tracing.Tree  #: of the first call
    given: _arguments.Bound  #: of whole calls, with tensors that have no values
    outputs: _tracing.Tree
    shapes_out: List[torch.Size]  #: of results, then of inputs changed in place
    types_out: List[torch.dtype]
    changed_inputs: List[int]
    counted: Dict[str, int]  #: batches of normalisations in a micro-batch, by the counter's name
    changes_state: bool  #: buffers change in calls that do not train, too
    #: Parameters and buffers that are constants of the program, with their values then.
    constants: Dict[str, torch.Tensor]
    figures: Dict[str, Any]
    keys: Dict[str, str]


def array_of(tensor: torch.Tensor) -> numpy.ndarray:
    """A tensor in the form the simulator takes: float32 or int32, row-major."""
    real = tensor.is_floating_point()
    if tensor.is_complex():
        raise Error("complex tensors are not simulated")
    if tensor.dtype == torch.int64 and tensor.numel():
        _refuse_large(tensor)
    return tensor.detach().to(torch.float32 if real else torch.int32).contiguous().numpy()


def _refuse_large(tensor: torch.Tensor) -> None:
    for value in map(int, torch.aminmax(tensor)):
        if not -2**31 <= value < 2**31:
            raise Error(f"a tensor of int64 has {value}, but whole numbers are int32 on the IPU")


def _same_bits(one: numpy.ndarray, other: numpy.ndarray) -> bool:
    """Whether two arrays of :func:`array_of` are the same, bit for bit, which is the fastest comparison."""
    return one.dtype == other.dtype and numpy.array_equal(one.view(numpy.int32),
                                                          other.view(numpy.int32))


class Executable:
    """Base of the classes that read weights and times."""

    _user_model: torch.nn.Module
    _options: Options
    _training: bool
    _instances: Optional[Instances]
    _compiled: Optional[Compiled]
    _pending_state: Dict[str, numpy.ndarray]  #: of the optimizer, for the next program
    _versions: Dict[str, int]  #: of each tensor, when last in step with the machine
    _optimizer: Any  #: of training
    _state: OptimizerState

    def _program(self) -> Compiled:
        if self._compiled is None:
            raise Error(NOT_COMPILED)
        return self._compiled

    def _run_program(self, compiled: Compiled, inputs: Dict[str, numpy.ndarray],
                     wanted: List[int]) -> List[numpy.ndarray]:
        """A call: results of the wanted micro-batches."""
        raise NotImplementedError


class Weights(Executable):
    """Sends parameters and buffers to the machine if the program has changed them, and fetches them
    after each call that trains."""

    def _tensors(self) -> Dict[str, torch.Tensor]:
        """Parameters and buffers that the machine holds."""
        if self._compiled is None or _jobs.runs_at_device_speed():
            return {}
        held = set(self._compiled.program.weights())
        state = _tracing.state_of(self._user_model)
        return {name: tensor for name, tensor in state.items() if name in held}

    def _constants(self, program: Any) -> Dict[str, torch.Tensor]:
        """Parameters and buffers that are constants of the compiled program."""
        if _jobs.runs_at_device_speed():
            return {}
        names = set(program.constants()) - set(program.weights())
        return {name: tensor.detach().clone()
                for name, tensor in _tracing.state_of(self._user_model).items() if name in names}

    def _forget_other_constants(self) -> None:
        """Makes the next call compile again if a tensor has changed that is a constant of the
        program."""
        if self._compiled is None:
            return
        state = _tracing.state_of(self._user_model)
        if any(name in state and not torch.equal(state[name], value)
               for name, value in self._compiled.constants.items()):
            logger.info("a buffer that is a constant of the program has changed: the model is "
                        "compiled again")
            self._pending_state = self._compiled.program.state()
            self._compiled = None

    def _upload_changes(self, instances: Optional[Instances] = None) -> None:
        compiled = self._program()
        arrays = {}
        for name, tensor in self._tensors().items():
            array = array_of(tensor)
            # Versions do not count changes through Tensor.data.
            if self._versions.get(name) != tensor._version or not _same_bits(
                    array, compiled.program.weight(name)):
                arrays[name] = array
                self._versions[name] = tensor._version
        if instances is not None:
            instances.check_weights(arrays)
        for name, array in arrays.items():
            compiled.program.set_weight(name, array)

    def _download(self) -> None:
        compiled = self._program()
        with torch.no_grad():
            for name, tensor in self._tensors().items():
                tensor.copy_(torch.from_numpy(compiled.program.weight(name)))
                self._versions[name] = tensor._version

    def _arrays_of(self, compiled: Compiled, inputs: Dict[str, numpy.ndarray], wanted: List[int],
                   tensors: List[torch.Tensor]) -> List[numpy.ndarray]:
        """Results of the wanted micro-batches. Inputs that forward() changes in place are also
        changed for the caller, in all micro-batches."""
        if not compiled.changed_inputs:
            return self._run_program(compiled, inputs, wanted)
        everything = list(range(self._options._batch_multiplier(self._training)))
        if self._instances is not None:
            everything = self._instances.own_micro_batches(everything)
        arrays = self._run_program(compiled, inputs, everything)
        first = len(compiled.outputs.tensors)  # a loss within the model may come last
        with torch.no_grad():
            for number, array in zip(compiled.changed_inputs, arrays[first:]):
                target = tensors[number]
                values = torch.from_numpy(array)
                target.copy_(values.reshape(target.shape) if target.dim() else values[-1])
        rows = [everything.index(number) for number in wanted]
        return [array[rows] for array in arrays[:first]]

    def _trained(self) -> Dict[int, str]:
        """The machine's names of parameters, by the id of their tensors."""
        return {id(tensor): name for name, tensor in self._tensors().items()}

    def _upload_state(self) -> None:
        if self._training:
            self._state.upload(self._program().program, self._optimizer, self._trained())

    def _download_state(self, updates: int) -> None:
        self._state.download(self._program().program, self._optimizer, self._trained(), updates)

    def _count_batches(self) -> None:
        """Updates the batch counters of batch normalisations."""
        options = self._options
        each = options.device_iterations * (options.Training.gradient_accumulation
                                            if self._training else 1)
        state = _tracing.state_of(self._user_model)
        with torch.no_grad():
            for name, count in self._program().counted.items():
                state[name] += count * each

    def copyWeightsToHost(self) -> None:
        """Copies the machine's weights to the module; calls that train have already done so."""
        if self._program().changes_state or self._training:
            self._download()

    def copyWeightsToHostIfNeeded(self) -> bool:
        """Whether weights had to be copied: never, as calls that train have already done so."""
        self._program()
        return False

    def copyWeightsToDevice(self) -> None:
        """Copies the module's weights to the machine."""
        compiled = self._program()
        for name, tensor in self._tensors().items():
            compiled.program.set_weight(name, array_of(tensor))
            self._versions[name] = tensor._version

    def copyNamedBuffersToDevice(self) -> None:
        """Copies the module's buffers to the machine."""
        compiled = self._program()
        buffers = dict(self._user_model.named_buffers())
        for name, tensor in self._tensors().items():
            if name in buffers:
                compiled.program.set_weight(name, array_of(tensor))
                self._versions[name] = tensor._version


class Times(Executable):
    """Simulated times of a call."""

    _zero: List[float]  #: empty before the first call

    def cycleCount(self) -> int:
        """Cycles of a call, as simulated.

        Raises:
            poptorch.Error: unless Options.logCycleCount(True) was set and the model was called.
        """
        if not (self._options.exists("log_cycle_count") and self._options.log_cycle_count):
            raise Error("Cycle count logging is disabled. Please set option logCycleCount to True "
                        "to enable.")
        if self._compiled is None or not self._zero:
            raise Error("Please run the model at least once before obtaining cycle count.")
        return int(self._compiled.figures["cycles"])

    def getPerfCounters(self) -> Dict[str, List[List[float]]]:
        """Seconds, from the start of the last call, at which each input or output was requested and
        complete; simulated, the last ones of a call."""
        if self._compiled is None:
            return {name: [[]] for name in ("input", "input_complete", "output", "output_complete")}
        figures = self._compiled.figures
        inputs, outputs = len(self._compiled.inputs), len(self._compiled.shapes_out)
        beside = figures["callSeconds"] - figures["seconds"]
        return {
            "input": [[0.0] for _ in range(inputs)],
            "input_complete": [[beside] for _ in range(inputs)],
            "output": [[figures["callSeconds"]] for _ in range(outputs)],
            "output_complete": [[figures["callSeconds"]] for _ in range(outputs)],
        }

    def _latency(self, begin: str, end: str) -> Tuple[float, float, float]:
        counters = self.getPerfCounters()
        if not counters[begin][0]:
            return 0.0, 0.0, 0.0
        seconds = max(part[0] for part in counters[end]) - min(part[0] for part in counters[begin])
        return seconds, seconds, seconds

    def getHostIpuLatency(self) -> Tuple[float, float, float]:
        """(least, most, mean) seconds from the first input requested to the last one complete."""
        return self._latency("input", "input_complete")

    def getComputeLatency(self) -> Tuple[float, float, float]:
        """(least, most, mean) seconds from the last input complete to the last output ready."""
        return self._latency("input_complete", "output")

    def getIpuHostLatency(self) -> Tuple[float, float, float]:
        """(least, most, mean) seconds from the first output ready to the last one complete."""
        return self._latency("output", "output_complete")

    def getLatency(self) -> Tuple[float, float, float]:
        """(least, most, mean) seconds of a whole call."""
        return self._latency("input", "output_complete")
