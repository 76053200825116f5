"""Translates options, device and optimizer of a session to the keys of a job."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, Optional

from tilescope import _profile_files, _simulator
from tilescope._option_faces import drop_idle, keys_of

from ._data_flow import DataFlow
from ._devices import DeviceInfo
from ._enums import ENUMS
from ._errors import popart_exception, refused
from ._logging import getLogger
from ._session_options import ACTING, SessionOptions
from ._settings import as_dict

_Mode = ENUMS["VirtualGraphMode"]
_Return = ENUMS["AnchorReturnTypeId"]
_ENGINE_VARIABLE = "POPLAR_ENGINE_OPTIONS"
#: Settings of kinds of tensors that may leave the chip, and the words of a job.
_OFFLOAD = {"optimizerStateTensorLocationSettings": "optimizer",
            "activationTensorLocationSettings": "activations",
            "weightTensorLocationSettings": "weights"}

JobKeys = Dict[str, str]


def replicas_of(options: SessionOptions) -> int:
    """Replicas of the model."""
    if options.enableDistributedReplicatedGraphs:
        raise refused("enableDistributedReplicatedGraphs", "train all replicas in one process")
    return int(options.replicatedGraphCount) if options.enableReplicatedGraphs else 1


def accumulation_of(options: SessionOptions, training: bool) -> int:
    """Micro-batches of a weight update."""
    if not options.enableGradientAccumulation:
        if options.accumulationFactor > 1:
            raise popart_exception(f"accumulationFactor is {options.accumulationFactor}, but "
                                   "enableGradientAccumulation is False")
        return 1
    if not training:
        raise popart_exception("Gradient Accumulation only available when training.")
    return int(options.accumulationFactor)


def updates_continuously(options: SessionOptions, training: bool) -> bool:
    """Whether a pipeline trains without accumulation."""
    return bool(training and options.enablePipelining and accumulation_of(options, training) == 1)


class _Places:
    """Where a model's operations are, as they are annotated."""

    def __init__(self, nodes: Iterable[Any]) -> None:
        found: Dict[str, set] = {}
        for node in nodes:
            for attribute in node.attribute:
                found.setdefault(attribute.name, set()).add(attribute.i)
        self.ipus = found.get("__ipu_number", set())
        self.stages = found.get("__pipeline_stage", set())
        self.phases = found.get("__execution_phase", set())


def _ipus(options: SessionOptions, device: DeviceInfo, places: _Places) -> int:
    """IPUs of a replica that the model uses."""
    replicas, mode = replicas_of(options), options.virtualGraphMode
    if device.numIpus % replicas:
        raise popart_exception(f"The device has {device.numIpus} IPUs, which {replicas} replicas "
                               "cannot share evenly")
    each = device.numIpus // replicas
    if options.enablePipelining and (each == 1 or mode == _Mode["Off"]):
        raise popart_exception(
            f"Pipelining requires more than 1 IPU (currently {each}) and the 'virtualGraphMode' "
            f"session option to not be VirtualGraphMode::Off (currently {_named(mode)}).")
    if mode == _Mode["Off"]:
        return 1
    if mode == _Mode["Auto"]:
        return each
    if not places.ipus and not places.phases:
        raise popart_exception(f"SessionOptions flag virtualGraphMode is {_named(mode)}, but no Ops "
                               "have been annotated with virtual graph information. This is an "
                               "inconsistent combination")
    used = max(places.ipus, default=each - 1) + 1
    if used > each:
        raise popart_exception(f"An operation is on virtual graph {used - 1}, but a replica has "
                               f"only {each} IPUs")
    return used


def _named(mode: Any) -> str:
    return f"VirtualGraphMode::{_Mode(mode).name}"


def _execution(options: SessionOptions, ipus: int, places: _Places) -> JobKeys:
    if options.virtualGraphMode == _Mode["ExecutionPhases"]:
        phases = options.executionPhaseSettings.phases or max(places.phases, default=0) + 1
        return {"execution": "phased", "phases": str(phases),
                "phaseStages": str(options.executionPhaseSettings.stages if ipus > 1 else 1)}
    if ipus == 1:
        return {}
    return {"execution": "pipelined" if options.enablePipelining else "sharded"}


def _output_mode(flow: DataFlow, accumulation: int) -> JobKeys:
    """The fewest results that all anchors have in common."""
    kinds = {(kind.id(), kind.rp() if kind.id() == _Return["EveryN"] else 1)
             for kind in map(flow.art, flow.anchors())}
    if len(kinds) != 1:
        return {"outputMode": "all"}
    kind, every = kinds.pop()
    if kind == _Return["EveryN"] and accumulation == 1:
        return {"outputMode": "every-n", "outputEvery": str(every)}
    return {"outputMode": "final" if kind == _Return["Final"] else "all"}


def _locations(options: SessionOptions, training: bool, has_state: bool) -> JobKeys:
    keys: JobKeys = {}
    storage, sharding = ENUMS["TensorStorage"], ENUMS["ReplicatedTensorSharding"]
    off, sharded = [], []
    for name, kind in _OFFLOAD.items():
        settings = getattr(options, name)
        is_there = kind == "weights" or (training and (kind != "optimizer" or has_state))
        if settings.location.storage == storage["OffChip"] and is_there:
            off.append(kind)
        if settings.location.replicatedTensorSharding == sharding["On"] and training:
            sharded.append(settings)
    if off:
        keys["offload"] = ",".join(off)
    if sharded and has_state:
        keys["replicatedTensorSharding"] = "on"
        keys["minElementsForReplicatedTensorSharding"] = str(
            min(settings.minElementsForReplicatedTensorSharding for settings in sharded))
    return keys


def _known_to_rows(options: SessionOptions) -> JobKeys:
    """Keys of options that the option table knows by PopART's names."""
    keys: JobKeys = {}
    for name, value in as_dict(options).items():
        if name == "cachePath" and not options.enableEngineCaching:
            continue
        plain = int(value) if isinstance(value, tuple(ENUMS.values())) else value
        plain = plain.lower() if isinstance(plain, str) and name != "cachePath" else plain
        keys.update(keys_of(ACTING, name, plain))
    if options.enableEngineCaching and "executableCache" not in keys:
        keys.update(keys_of(ACTING, "cachePath", options.cachePath))
    return keys


def engine_options(options: SessionOptions) -> Dict[str, str]:
    """Poplar's engine options, of the environment and then of the session."""
    text = os.environ.get(_ENGINE_VARIABLE)
    engine = _simulator.engine_options(text, f"environment variable {_ENGINE_VARIABLE}") if (
        text) else {}
    if options.engineOptions:
        given = {key: str(value) for key, value in options.engineOptions.items()}
        engine.update(_simulator.engine_options(json.dumps(given), "engineOptions"))
    return dict(engine)


def profile_of(options: SessionOptions, name: str) -> str:
    """The profile to write; its folder is made.

    Raises:
        popart_exception: with the reason why it cannot be made.
    """
    path = _profile_files.profile_file(engine_options(options), name)
    try:
        if path:
            os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise popart_exception(f"engine option autoReport.directory: cannot make the folder "
                               f"'{os.path.dirname(path)}': {error.strerror}; name one that can be "
                               "made") from None
    return path


def job_options(options: SessionOptions, device: DeviceInfo, flow: DataFlow, nodes: Iterable[Any],
                optimizer: Optional[Any], seed: Optional[int], for_values: bool) -> JobKeys:
    """The keys of a job; an optimizer makes it a training.

    A pipeline that trains without accumulation updates weights as soon as each gradient has come
    back. It is timed as one that fills and drains once a call; its values are those of updates after
    each micro-batch, while PopART's forward pass sees weights that are a few micro-batches old.

    Raises:
        popart_exception: for options that do not suit the model or the device.
    """
    training, places = optimizer is not None, _Places(nodes)
    ipus = _ipus(options, device, places)
    replicas, accumulation = replicas_of(options), accumulation_of(options, training)
    iterations = flow.batchesPerStep()
    continuous = updates_continuously(options, training)
    if continuous and not for_values:
        iterations, accumulation = 1, iterations
    keys = {"framework": "popart", "ipus": str(ipus), "replicas": str(replicas),
            "deviceIterations": str(iterations), **device._job_options()}
    keys.update(_execution(options, ipus, places))
    if continuous and for_values:
        keys["execution"] = "sharded"
    keys.update(_output_mode(flow, accumulation))
    chosen = _known_to_rows(options)
    if continuous and for_values and chosen.get("recompute") == "pipeline":
        del chosen["recompute"]  # of pipelines only, and without effect on values
    if optimizer is not None:
        keys["mode"] = "training"
        keys["gradientAccumulation"] = str(accumulation)
        if accumulation * replicas > 1:
            mean = ENUMS["ReductionType"]["Mean"]
            keys["accumulationReduction"] = (
                "mean" if options.accumulationAndReplicationReductionType == mean else "sum")
        keys.update(optimizer._job_options())
    locations = _locations(options, training, keys.get("optimizer", "sgd") != "sgd")
    keys.update({**chosen, **locations})
    if seed is not None:
        keys["seed"] = str(seed)
    if keys.get("execution") == "phased":
        keys["outputMode"] = "all"
    if keys.get("execution") in ("phased", "sharded") and keys.pop("ioTiles", "0") != "0":
        getLogger("session").warn("numIOTiles has no effect: I/O tiles are only simulated on one IPU"
                                  " and in pipelines")
    _drop(keys, {*chosen, *locations, "outputMode", "outputEvery"})
    if os.environ.get("TILESCOPE_CUSTOM_OPERATIONS"):
        keys["customOperations"] = os.environ["TILESCOPE_CUSTOM_OPERATIONS"]
    engine = engine_options(options)
    if engine:
        keys["engineOptions"] = json.dumps(engine)
    return keys


def _drop(keys: JobKeys, may_be: Iterable[str]) -> None:
    for key, why in drop_idle(keys, set(may_be)).items():
        getLogger("session").info(f"option {key} has no effect: {why}")
