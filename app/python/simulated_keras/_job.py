"""The keys of a job for a program: of the model's options, its optimizer and the IPUConfig.

What Keras' names mean is said once, in :mod:`tilescope.tilescope_keras`, which also records models
of a real TensorFlow.
"""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Tuple

from tilescope import _simulator, tilescope_keras

from . import _system

ENGINE_OPTIONS = "POPLAR_ENGINE_OPTIONS"
_PROPORTION = "availableMemoryProportion"

_folders: Dict[str, int] = {}  #: of profiles in this process, with how many programs have them


def _engine_options() -> Dict[str, str]:
    text = os.environ.get(ENGINE_OPTIONS)
    if not text:
        return {}
    return dict(_simulator.engine_options(text, f"environment variable {ENGINE_OPTIONS}"))


def profile_path(function: str) -> str:
    """The file for the profile of a program, by Poplar's rules; empty if none is wanted. Several
    programs of one function have numbered folders."""
    engine = _engine_options()

    def is_on(key: str, otherwise: str) -> bool:
        return engine.get(f"autoReport.{key}", otherwise).lower() in ("true", "1")

    everything = str(is_on("all", "false"))
    if not any(is_on(f"output{part}Profile", everything) for part in ("Graph", "Execution")):
        return ""
    count = _folders.get(function, 0)
    _folders[function] = count + 1
    name = function if count == 0 else f"{function}_{count}"
    folder = os.path.join(engine.get("autoReport.directory", "."), name)
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, "profile.pop")


def _stage_proportions(model: Any, mapping: List[int]) -> Optional[str]:
    """The memory that each stage's products may use, as a value of the key."""
    options = (model._pipelining_kwargs or {}).get("forward_propagation_stages_poplar_options")
    shares: Dict[int, str] = {}
    for ipu, stage in zip(mapping, options or []):
        for part in (stage.convolution_options, stage.matmul_options):
            if part and _PROPORTION in part:
                shares.setdefault(ipu, str(part[_PROPORTION]))
    return ",".join(f"ipu{ipu}={share}" for ipu, share in sorted(shares.items())) or None


def keys_of(model: Any, training: bool, stages: int, iterations: int, batch: int,
            accumulation: int) -> Dict[str, str]:
    """All keys of a program that runs this many iterations; `batch` is that of a micro-batch."""
    mode = "training" if training else "inference"
    job = tilescope_keras.job_keys(model, mode, stages, _system.configuration())
    job["framework"] = "keras"
    job["batchSize"] = batch
    job["deviceIterations"] = iterations
    if training and accumulation > 1:
        job["gradientAccumulation"] = accumulation
    mapping = model._pipelining_device_mapping or list(range(stages))
    proportions = _stage_proportions(model, mapping) if stages else None
    if proportions:
        job[_PROPORTION] = proportions
    if training and accumulation == 1 and job.get("replicas", 1) > 1:
        job["accumulationReduction"] = "mean"  # of the replicas
    engine = {**_engine_options(), **job.pop("engineOptions", {})}
    keys = {key: tilescope_keras.text_of(value) for key, value in job.items()}
    if engine:
        keys["engineOptions"] = json.dumps(engine)
    for key in set(_simulator.idle_options(keys)):
        keys.pop(key)
    return keys


def split_rate(keys: Dict[str, str]) -> Tuple[Dict[str, str], Optional[float]]:
    """The keys without the learning rate, which may change between calls, and that rate."""
    rest = dict(keys)
    rate = rest.pop("learningRate", None)
    return rest, None if rate is None else float(rate)
