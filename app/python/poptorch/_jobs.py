"""Translates options, strategy and optimizer to the keys of a job, which the simulator reads."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

import torch
from tilescope import _profile_files
from tilescope._option_faces import drop_idle

from . import _optimizers, enums
from ._blocks import BEFORE_BLOCKS
from ._environment import ENGINE_OPTIONS, engine_options, is_set, make_folder, named
from ._errors import Error
from ._instances import Instances
from ._logging import logger, say_once
from .options import Options
from .strategies import Place

#: The environment variable for how long calls take, and whether they compute values.
RUN_VARIABLE = "TILESCOPE_POPTORCH_RUN"

#: Tiles per IPU with POPTORCH_SMALL_IPU_MODEL (poptorch popart_compiler/source/Compiler.cpp).
_TILES_OF_SMALL_MODEL = 4

#: The environment variable for the values recorded in profiles: "all", "curves" or "off"; "all:100"
#: records tensors of 100 iterations at most.
VALUES_VARIABLE = "TILESCOPE_POPTORCH_VALUES"

_SAMPLES = 50

_OUTPUT_MODES = {
    enums.OutputMode.All: "all",
    enums.OutputMode.Final: "final",
    enums.OutputMode.EveryN: "every-n",
    enums.OutputMode.Sum: "sum",
}


class Job(NamedTuple):
    """A job without its model."""
    keys: Dict[str, str]
    places: Dict[int, Place]  #: of blocks, by number
    profile: str  #: file to write; empty: none


def runs_at_device_speed() -> bool:
    """Whether calls compute nothing and take as long as on the simulated machine.

    Raises:
        poptorch.Error: if the environment variable is neither 'compute' nor 'time'.
    """
    word = os.environ.get(RUN_VARIABLE) or "compute"
    if word not in ("compute", "time"):
        raise Error(f"environment variable {RUN_VARIABLE}: '{word}' is neither 'compute' (calls "
                    "compute values) nor 'time' (calls take the machine's time and return zeros)")
    return word == "time"


def recorded_values() -> Tuple[str, int]:
    """Which computed values are recorded in profiles, and for how many iterations at most.

    Raises:
        poptorch.Error: if the environment variable has another value.
    """
    text = os.environ.get(VALUES_VARIABLE) or "off"
    word, _, samples = text.partition(":")
    if word not in ("all", "curves", "off") or (samples and not samples.isdecimal()):
        raise Error(f"environment variable {VALUES_VARIABLE}: '{text}' is none of 'all' "
                    "(statistics of tensors and the curve of training), 'all:N' (of N iterations "
                    "at most), 'curves' and 'off'")
    return word, int(samples or _SAMPLES)


def _places(options: Options, blocks: Dict[int, Tuple[str, Optional[int]]]) -> Dict[int, Place]:
    """Where each block runs; operations before the first block run on the first IPU."""
    strategy = options._execution_strategy
    before = blocks.get(BEFORE_BLOCKS)
    if before is not None:
        strategy._begin(*before)
    places = {number: strategy._place(name, ipu) for number, (name, ipu) in blocks.items()
              if number != BEFORE_BLOCKS}
    if places:
        phased = any(phase >= 0 for _, _, phase in places.values())
        places[BEFORE_BLOCKS] = (-1, 0, 0) if phased else (0, 0, -1)
    return places


def _ipus(options: Options, places: Dict[int, Place], replicas: int) -> int:
    """IPUs of a replica.

    Raises:
        poptorch.Error: for a number of IPUs that cannot be attached.
    """
    count = max([ipu for _, ipu, _ in places.values()], default=0) + 1
    total = count * replicas
    if total & (total - 1) and not options.auto_round_num_ipus:
        rounded = 1 << total.bit_length()
        raise Error(
            f"The model specifies the use of {total} IPUs, however PopTorch must reserve a minimum of "
            f"{rounded} in order to allow the model to run, because PopTorch must reserve a power of 2 or "
            "maximum of 64 IPUs per process. Please reconfigure your model to use a different number of "
            "IPUs or set poptorch.Options().autoRoundNumIPUs(True).",
            "poptorch_cpp_error")
    return count


def profile_file(engine: Dict[str, str], options: Options, training: bool) -> str:
    """The profile's path by Poplar's rules: named engines have directories of their own."""
    name = options.model_name if options.exists("model_name") else (
        "training" if training else "inference")
    path = _profile_files.profile_file(engine, name)
    if path:
        make_folder(os.path.dirname(path), f"{named(ENGINE_OPTIONS)}, key 'autoReport.directory'")
    return path


def _device(options: Options, ipus: int, replicas: int) -> Dict[str, str]:
    keys = {
        "ipus": str(ipus),
        "replicas": str(replicas),
        "deviceIterations": str(options.device_iterations),
        "framework": "poptorch",
        "outputMode": _OUTPUT_MODES[options.output_mode],
    }
    if options.exists("ipu_version") and options.ipu_version == 21:
        keys["target"] = "bow"
    if options.output_mode == enums.OutputMode.EveryN:
        keys["outputEvery"] = str(options.output_return_period)
    small = is_set("POPTORCH_SMALL_IPU_MODEL")
    if options.use_model or small:
        keys["ipuModel"] = "on"
    if small and not options.use_model:
        keys["tilesPerIpu"] = str(_TILES_OF_SMALL_MODEL)
    if options.exists("random_seed"):
        keys["seed"] = str(abs(options.random_seed))
    shares = options.available_memory_proportion
    if shares:
        beyond = [ipu for ipu in shares if ipu >= ipus]
        if beyond:
            raise Error(f"setAvailableMemoryProportion names IPU{beyond[0]}, but the model uses "
                        f"{ipus} IPU{'s' if ipus > 1 else ''}")
        keys["availableMemoryProportion"] = ",".join(f"ipu{ipu}={share}"
                                                     for ipu, share in sorted(shares.items()))
    return keys


def _strategy(options: Options, places: Dict[int, Place], ipus: int) -> Dict[str, str]:
    phases = max([phase for _, _, phase in places.values()], default=-1) + 1
    if ipus == 1 and phases <= 1:
        return {}
    return options._execution_strategy._job_options(phases)


def _drop_places_of_no_state(keys: Dict[str, str]) -> None:
    """Drops the place of an optimizer's state if it has none."""
    kinds = keys.get("offload", "").split(",")
    if keys.get("optimizer") == "sgd" and "optimizer" in kinds:
        kinds.remove("optimizer")
        keys["offload"] = ",".join(kinds)


def _leave_to_phases(keys: Dict[str, str]) -> None:
    """In phased execution weights and optimizer state leave the chip anyway, and the results of every
    micro-batch are sent; a call still returns only those selected by the output mode."""
    if keys.get("execution") != "phased":
        return
    if keys.pop("outputMode", "all") != "all":
        logger.info("phased execution sends the results of all micro-batches to the host")
    if "activations" in keys.get("offload", "").split(","):
        say_once("TensorLocations.setActivationLocation has no effect in phased execution: "
                 "activations stay on the chip until their backward phase")


def _drop_idle(keys: Dict[str, str], may_be: Set[str]) -> None:
    """Drops keys without a meaning beside the others, and logs which."""
    for key, why in drop_idle(keys, may_be, not runs_at_device_speed()).items():
        logger.info("option %s has no effect: %s", key, why)


def make_job(options: Options, training: bool, optimizer: Optional[torch.optim.Optimizer],
             names: Mapping[int, str], blocks: Dict[int, Tuple[str, Optional[int]]], half: bool,
             instances: Optional[Instances] = None) -> Job:
    """The job of a traced model. `names` are the names of weights, by the id of their tensors;
    `instances` train it together.

    Raises:
        poptorch.Error: for options that do not suit the model.
    """
    replicas = instances.all_replicas if instances else options.replication_factor
    places = _places(options, blocks)
    ipus = _ipus(options, places, replicas)
    if ipus == 1 and all(phase < 0 for _, _, phase in places.values()):
        places = {}
    keys = _device(options, ipus, replicas)
    keys.update(_strategy(options, places, ipus))
    chosen = {**options._popart.job_options(), **options._tensor_locations._job_options(training)}
    keys.update(chosen)
    if half:
        keys["precision"] = "half"
    if training:
        assert optimizer is not None
        keys["mode"] = "training"
        keys["gradientAccumulation"] = str(options.Training.gradient_accumulation)
        mean = options.Training.accumulation_and_replication_reduction_type
        if options.Training.gradient_accumulation * replicas > 1:
            keys["accumulationReduction"] = "mean" if mean == enums.ReductionType.Mean else "sum"
        keys.update(_optimizers.job_options(optimizer, names))
        # PopTorch turns it on unless autoRecomputation says otherwise (popart_compiler, Compiler.cpp).
        if keys.get("execution") == "pipelined":
            keys.setdefault("recompute", "pipeline")
    _drop_places_of_no_state(keys)
    _leave_to_phases(keys)
    _drop_idle(keys, {*chosen, "outputMode", "outputEvery", "seed"})
    if instances is not None:
        keys["instances"] = str(instances.count)
        instances.check_options(keys)
    declared = os.environ.get("TILESCOPE_CUSTOM_OPERATIONS")
    if declared:
        keys["customOperations"] = declared
    engine = {**engine_options(), **options._popart.engine_options}
    if engine:
        keys["engineOptions"] = json.dumps(engine)
    # All instances have the same program; only the first writes the profile.
    writes = instances is None or instances.index == 0
    return Job(keys, places, profile_file(engine, options, training) if writes else "")


def wanted_micro_batches(options: Options, training: bool,
                         mode: Optional[enums.OutputMode] = None, every: int = 1) -> List[int]:
    """Numbers of the micro-batches that a call returns, in the order of a batch: device iterations,
    then replicas, then micro-batches of an iteration; `mode` and its period `every` override the
    options' output mode."""
    accumulation = options.Training.gradient_accumulation if training else 1
    iterations, replicas = options.device_iterations, options.replication_factor
    number = lambda i, r, m: (i * replicas + r) * accumulation + m  # noqa: E731
    if mode is None:
        mode, every = options.output_mode, options.output_return_period
    if mode == enums.OutputMode.Final:
        return [number(iterations - 1, r, accumulation - 1) for r in range(replicas)]
    if mode == enums.OutputMode.EveryN:
        return [
            number(i, r, accumulation - 1)
            for i in range(every - 1, iterations, every) for r in range(replicas)
        ]
    return list(range(iterations * replicas * accumulation))


def check_keys(keys: Dict[str, Any], known: Dict[str, str]) -> None:
    """Asserts that each key is a key of jobs."""
    unknown = set(keys) - set(known)
    assert not unknown, f"not keys of a job: {sorted(unknown)}"
