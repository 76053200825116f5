"""Records a Keras model as a job that ``tilescope run`` simulates.

This file needs nothing but Python: put it next to a script written for the IPU, where Graphcore's
TensorFlow is installed, and call :func:`record` once the model is compiled and its pipelining and
gradient accumulation are set::

    import tilescope_keras
    with strategy.scope():
        model = make_model()
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=16)
        model.compile("sgd", "sparse_categorical_crossentropy", steps_per_execution=256)
        tilescope_keras.record(model, "job", config=cfg, batch_size=32)

The folder then has ``model.json`` (model.to_json()), ``model.weights.npz`` and ``job.json``, which
run anywhere: ``tilescope run job/job.json -o profile``.
"""
import enum
import json
import os
import re
import warnings

_SCHEDULES = {"grouped": "grouped", "interleaved": "interleaved", "sequential": "sequential"}

#: Numbers of optimizers: key of get_config(), key of a job.
_MOMENTS = (("beta_1", "beta1"), ("beta_2", "beta2"), ("epsilon", "optimizerEpsilon"))
_OPTIMIZERS = {
    "SGD": ("sgd", (("momentum", "momentum"), )),
    "Adam": ("adam", _MOMENTS),
    "AdamW": ("adamw", _MOMENTS),
    "LAMB": ("lamb", _MOMENTS),
    "RMSprop": ("rmsprop", (("rho", "beta2"), ("momentum", "momentum"),
                            ("epsilon", "optimizerEpsilon"))),
}

#: What optimizers may do, by key of get_config().
_VARIANTS = ("nesterov", "amsgrad", "centered")
#: Bounds of gradients: key of get_config(), key of a job.
_BOUNDS = (("clipvalue", "clipValue"), ("clipnorm", "clipNorm"), ("global_clipnorm", "globalClipNorm"))

#: Losses supported by jobs, by Keras's names of functions and classes.
_LOSSES = {
    "sparse_categorical_crossentropy": "sparse_categorical_crossentropy",
    "categorical_crossentropy": "categorical_crossentropy",
    "binary_crossentropy": "binary_crossentropy",
    "mean_squared_error": "mean_squared_error",
    "mse": "mean_squared_error",
    "mean_absolute_error": "mean_absolute_error",
    "mae": "mean_absolute_error",
}


def record(model, folder, config=None, batch_size=None, mode="training", weights=True,
           target=None, **more):
    """Writes a model and its training configuration into a folder, as a job.

    Args:
        model: a Sequential or functional model; to be compiled for training.
        folder: for the files; it is created.
        config: the IPUConfig of the program; one IPU by default.
        batch_size: of ``fit()``, samples of a micro-batch; by default that of the model's input.
        mode: "training" or "inference".
        weights: whether the weights are written, too; that needs numpy, as Keras itself does.
        target: "mk2" or "bow"; mk2 by default.
        more: further keys of the job, which override recorded ones ("tilescope schema --job").

    Returns the path of the job. Warns about anything that a job cannot express.

    Raises:
        ValueError: for an optimizer that is not simulated, and, if tilescope is installed, for values
            that ``tilescope run`` would refuse, with its message.
    """
    _check({"mode": mode})
    if mode not in ("training", "inference"):
        raise ValueError("mode '{}' is neither 'training' nor 'inference'".format(mode))
    os.makedirs(folder, exist_ok=True)
    text = json.loads(model.to_json())
    stages = _stages(model, text)
    _write(os.path.join(folder, "model.json"), text)
    if weights:
        _write_weights(model, os.path.join(folder, "model.weights.npz"))
    job = {"model": "model.json", "mode": mode, "framework": "keras"}
    if target is not None:
        job["target"] = target
    if batch_size is not None:
        job["batchSize"] = int(batch_size)
    job.update(job_keys(model, mode, stages, config))
    if mode == "training":
        job.update(_loss(getattr(model, "loss", None)))
    steps = _number(_first(model, "_steps_per_execution", "steps_per_execution"))
    if steps is not None and steps > 1:
        job["stepsPerExecution"] = steps
    job.update(more)
    _check(job)
    path = os.path.join(folder, "job.json")
    _write(path, job)
    return path


def job_keys(model, mode, stages, config=None):
    """The keys of a job for a model's stages, gradient accumulation and optimizer, and for the
    IPUConfig; `stages` is the number of pipeline stages, 0 for none."""
    training = mode == "training"
    job = {"mode": mode}
    job.update(_pipelining(model, stages, training))
    if training:
        job.update(_accumulation(model, pipelined=stages > 0))
        job.update(_optimizer(model.optimizer))
    if config is not None:
        job.update(_config(config, job))
    if not training:
        job.pop("recompute", None)
    return job


def _check(job):
    """Checks like ``tilescope run``, if it is installed; otherwise the check is left to it."""
    try:
        from tilescope import _simulator
    except ImportError:
        return
    _simulator.check_options({key: text_of(value) for key, value in job.items() if key != "model"})


def text_of(value):
    """A value as written on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


def _say(text):
    warnings.warn("tilescope_keras: " + text, stacklevel=3)


def _first(of, *names):
    """The first attribute that exists and is not None."""
    for name in names:
        value = getattr(of, name, None)
        if value is not None:
            return value
    return None


def _number(value):
    """A whole number, which Keras may keep in a variable."""
    if value is None:
        return None
    return int(value.numpy() if hasattr(value, "numpy") else value)


def _word(value):
    """The name of an enumeration's value, or a string, in lower case."""
    return (value.name if isinstance(value, enum.Enum) else str(value)).lower()


def _write_weights(model, path):
    import numpy
    arrays = {}
    for weight in model.weights:
        arrays[getattr(weight, "path", None) or weight.name] = numpy.asarray(weight.numpy())
    numpy.savez(path, **arrays)


# Pipelines


def _stages(model, text):
    """The number of stages that the model is assigned to, 0 for none. Adds assignments that are
    missing in the JSON of Graphcore's Keras."""
    config = text["config"]
    if isinstance(config, list):  # a Sequential model of old versions: layers alone
        return 0
    recorded = config.get("pipeline_stage_assignment")
    if not recorded and hasattr(model, "get_pipeline_stage_assignment"):
        recorded = _assignment(model, config)
        if recorded:
            config["pipeline_stage_assignment"] = recorded
    if not recorded:
        return 0
    stages = [entry[2] if isinstance(entry, list) else entry for entry in recorded]
    return max(stages) + 1


def _assignment(model, config):
    """As in the JSON: a stage for each layer of a Sequential model, else [layer, node, stage]."""
    try:
        assigned = list(model.get_pipeline_stage_assignment())
    except (RuntimeError, ValueError):  # raised by Keras if there is none
        return []
    if not assigned or any(entry.pipeline_stage is None for entry in assigned):
        return []
    if not hasattr(assigned[0], "node_index"):
        return [int(entry.pipeline_stage) for entry in assigned]
    names = [layer.get("name") or layer["config"]["name"] for layer in config["layers"]]
    return [[names.index(entry.layer.name), int(entry.node_index), int(entry.pipeline_stage)]
            for entry in assigned]


def _pipelining(model, stages, training):
    """The arguments of set_pipelining_options()."""
    if stages == 0:
        return {}
    options = getattr(model, "_pipelining_kwargs", None) or {}
    mapping = getattr(model, "_pipelining_device_mapping", None)
    mapping = list(range(stages)) if mapping is None else [int(ipu) for ipu in mapping]
    job = {"ipus": max(mapping) + 1}
    if job["ipus"] == 1:
        _say("all {} stages run on one IPU, so the job has no pipeline".format(stages))
        return {}
    job["execution"] = "pipelined"
    if mapping != list(range(stages)):
        job["deviceMapping"] = ",".join(map(str, mapping))
    schedule = options.get("pipeline_schedule")
    if schedule is not None:
        job["schedule"] = _SCHEDULES[_word(schedule)]
    if not training:
        return job
    recomputation = options.get("recomputation_mode")
    if recomputation is not None and _word(recomputation) != "auto":
        job["recompute"] = "pipeline"
    offloaded = [kind for kind, names in (("optimizer", ("offload_weight_update_variables", )),
                                          ("activations", ("offload_activations", )),
                                          ("weights", ("offload_weights", )))
                 if any(options.get(name) is True for name in names)]
    if offloaded:
        job["offload"] = ",".join(offloaded)
    if options.get("replicated_optimizer_state_sharding") is True:
        job["replicatedTensorSharding"] = True
    return job


def _accumulation(model, pipelined):
    """From set_pipelining_options() or set_gradient_accumulation_options(), whichever applies."""
    name = "_gradient_accumulation_steps_per_replica"
    steps = _number(getattr(model, "_pipelining" + name if pipelined else name, None))
    if steps is None or steps <= 1:
        return {}
    method = _word(getattr(model, "_gradient_accumulation_reduction_method", None) or "sum")
    if method not in ("sum", "mean"):
        _say("gradients are accumulated by '{}'; the job uses their mean".format(method))
        method = "mean"
    return {"gradientAccumulation": steps, "accumulationReduction": method}


# compile()


def _optimizer(optimizer):
    """The optimizer's class and hyperparameters; unwraps wrappers such as that for loss scaling."""
    job = {}
    inner = optimizer
    while not _is_known(inner):
        wrapped = _first(inner, "inner_optimizer", "_optimizer", "_opt")
        if wrapped is None:
            raise ValueError("optimizer {} is not simulated; {} are".format(
                type(optimizer).__name__, ", ".join(sorted(_OPTIMIZERS))))
        inner = wrapped
    kind, numbers = _OPTIMIZERS[type(inner).__name__]
    config = inner.get_config()
    job["optimizer"] = kind
    job["learningRate"] = _rate(config["learning_rate"])
    for key, named in numbers:
        if config.get(key) is not None:
            job[named] = float(config[key])
    if kind == "sgd" and job.pop("momentum", 0.0) != 0.0:
        job["optimizer"], job["momentum"] = "momentum", float(config["momentum"])
    if config.get("weight_decay"):
        job["weightDecay"] = float(config["weight_decay"])
    for key in _VARIANTS:
        if config.get(key) and (key != "nesterov" or job["optimizer"] == "momentum"):
            job[key] = True
    for key, named in _BOUNDS:
        bound = config[key] if config.get(key) is not None else getattr(inner, key, None)
        if bound is not None:
            job[named] = float(bound)
    return job


def _is_known(optimizer):
    return type(optimizer).__name__ in _OPTIMIZERS


def _rate(value):
    """The learning rate; the first one of a schedule."""
    if isinstance(value, dict):
        start = value.get("config", {}).get("initial_learning_rate")
        if start is None:
            raise ValueError("the learning rate's schedule {} has no initial_learning_rate".format(
                value.get("class_name")))
        _say("the job uses the schedule's initial learning rate {} throughout".format(start))
        return float(start)
    return float(value)


def _loss(loss):
    """The loss by name; one not supported by jobs is left out, and the model's last layer decides."""
    if isinstance(loss, (list, tuple)) and len(loss) == 1:
        loss = loss[0]
    if loss is None:
        return {}
    name = loss if isinstance(loss, str) else (getattr(loss, "__name__", None) or
                                               type(loss).__name__)
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    if name not in _LOSSES:
        _say("the loss '{}' is left out of the job, which then ends in a softmax cross-entropy; "
             "give another by loss=...".format(name))
        return {}
    return {"loss": _LOSSES[name]}


# IPUConfig


def _config(config, job):
    """The options of an IPUConfig for the machine and the compiler."""
    own = {}
    ipus = _ipus(config)
    needed = job.get("ipus", 1)
    if ipus is not None and ipus > needed:
        own["replicas"] = ipus // needed
    options = dict(_first(config, "compilation_poplar_options") or {})
    if options:
        own["engineOptions"] = {str(key): str(value) for key, value in options.items()}
    own.update(_poplibs(config))
    tiles = _first(_first(config, "io_tiles"), "num_io_tiles")
    if tiles and _first(config.io_tiles, "place_ops_on_io_tiles"):
        own["ioTiles"] = int(tiles)
    if job.get("mode") == "training" and _first(config, "allow_recompute") and "recompute" not in job:
        own["recompute"] = "pipeline" if "execution" in job else "standard"
    optimizations = _first(config, "optimizations")
    if _first(optimizations, "enable_graph_outlining") is False:
        own["outline"] = "off"
    buffer = _first(optimizations, "maximum_cross_replica_sum_buffer_size")
    if buffer and own.get("replicas", 1) > 1 and job.get("mode") == "training":
        own["maxCrossReplicaBufferSize"] = int(buffer)
    group = _first(_first(_first(config, "norms"), "experimental"),
                   "distributed_batch_norm_replica_group_size")
    if group and int(group) > 1:
        own["distributedBatchNormReplicaGroupSize"] = int(group)
    if "use_ipu_model" in os.environ.get("TF_POPLAR_FLAGS", ""):
        own["ipuModel"] = True
        tiles = _first(_first(config, "ipu_model"), "tiles_per_ipu")
        if tiles:
            own["tilesPerIpu"] = int(tiles)
    return own


def _ipus(config):
    """The number of IPUs requested, for the first device if there are several."""
    count = _first(config, "auto_select_ipus")
    if isinstance(count, (list, tuple)):
        count = count[0] if count else None
    return int(count) if count else None


def _poplibs(config):
    """Options of convolutions and products; a job has one value for both."""
    sources = [dict(_first(_first(config, part), "poplar_options") or {})
               for part in ("convolutions", "matmuls")]
    own = {}
    for key, named in (("availableMemoryProportion", "availableMemoryProportion"),
                       ("partialsType", "partialsType")):
        values = [source[key] for source in sources if key in source]
        if len(set(map(str, values))) > 1:
            _say("convolutions and matmuls differ in {}; the job uses that of convolutions".format(
                key))
        if values:
            own[named] = str(values[0])
    return own
