"""The helper that records Keras models as jobs.

TensorFlow is not needed: objects of the test stand in for Keras'. They have the names, arguments and
results of the public API (tf.keras 2: Model.to_json(), weights with name and numpy(), optimizer with
get_config(), loss; Graphcore's keras.ipu: get_pipeline_stage_assignment() with layer, node_index and
pipeline_stage; IPUConfig's nested attributes) and, for what set_pipelining_options() and
set_gradient_accumulation_options() were told, the attributes in which Graphcore's extension keeps it.
What they cannot show is that a version of TensorFlow really has them.
"""
import enum
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

BIN = Path(os.environ["TILESCOPE_BIN_DIR"])


@pytest.fixture(name="helper", scope="module")
def the_file_beside_a_script(tmp_path_factory):
    """Loaded as a single file, without its package."""
    import tilescope
    folder = tmp_path_factory.mktemp("script")
    copied = folder / "tilescope_keras.py"
    copied.write_text((Path(tilescope.__file__).parent / "tilescope_keras.py").read_text())
    spec = importlib.util.spec_from_file_location("tilescope_keras", copied)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class PipelineSchedule(enum.Enum):
    Grouped = 0
    Interleaved = 1
    Sequential = 2


class Optimizer:
    def __init__(self, **config):
        self._config = config

    def get_config(self):
        return {"name": type(self).__name__, **self._config}


class SGD(Optimizer):
    pass


class Adam(Optimizer):
    pass


class RMSprop(Optimizer):
    pass


class LossScaleOptimizer(Optimizer):
    """keras.mixed_precision.LossScaleOptimizer."""

    def __init__(self, inner_optimizer):
        super().__init__()
        self.inner_optimizer = inner_optimizer


class SparseCategoricalCrossentropy:
    pass


class Variable:
    def __init__(self, name, value):
        self.name, self._value = name, value

    def numpy(self):
        return self._value


def layer(kind, name, **config):
    return {"class_name": kind, "config": {"name": name, "dtype": "float32", **config}}


def dense(name, units, activation):
    return layer("Dense", name, units=units, activation=activation, use_bias=True, trainable=True)


class Model:
    """A Sequential of two dense layers."""

    def __init__(self, **attributes):
        self.optimizer = SGD(learning_rate=0.01, momentum=0.0, nesterov=False)
        self.loss = "sparse_categorical_crossentropy"
        self._steps_per_execution = Variable("steps", numpy.int64(1))
        shapes = {"first/kernel:0": (16, 8), "first/bias:0": (8, ),
                  "second/kernel:0": (8, 4), "second/bias:0": (4, )}
        generator = numpy.random.default_rng(1)
        self.weights = [Variable(name, generator.normal(size=shape).astype(numpy.float32))
                        for name, shape in shapes.items()]
        self.__dict__.update(attributes)

    def to_json(self):
        layers = [layer("InputLayer", "input_1", batch_input_shape=[None, 16], sparse=False),
                  dense("first", 8, "relu"), dense("second", 4, "softmax")]
        return json.dumps({"class_name": "Sequential",
                           "config": {"name": "sequential", "layers": layers},
                           "keras_version": "2.6.0", "backend": "tensorflow"})


class PipelinedModel(Model):
    """The same with Graphcore's extensions."""

    def get_pipeline_stage_assignment(self):
        return [SimpleNamespace(layer=SimpleNamespace(name=name), pipeline_stage=stage)
                for stage, name in enumerate(("first", "second"))]


def ipu_config(**settings):
    """An IPUConfig with some values changed from their defaults."""
    part = SimpleNamespace
    config = part(auto_select_ipus=[], compilation_poplar_options={}, allow_recompute=False,
                  convolutions=part(poplar_options={}), matmuls=part(poplar_options={}),
                  io_tiles=part(num_io_tiles=0, place_ops_on_io_tiles=False),
                  norms=part(experimental=part(distributed_batch_norm_replica_group_size=1)),
                  ipu_model=part(tiles_per_ipu=0, version="ipu2"),
                  optimizations=part(enable_graph_outlining=True,
                                     maximum_cross_replica_sum_buffer_size=0))
    for path, value in settings.items():
        *parts, last = path.split("__")
        at = config
        for name in parts:
            at = getattr(at, name)
        setattr(at, last, value)
    return config


def job_of(path):
    return json.loads(Path(path).read_text())


def simulated(path, folder, *more):
    done = subprocess.run([BIN / "tilescope", "run", path, "-o", folder, *more],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    import tilescope
    return tilescope.open(folder / "profile.pop")


def test_a_compiled_model_is_a_job_that_runs(helper, tmp_path):
    path = helper.record(Model(), tmp_path / "job", batch_size=4)
    assert job_of(path) == {
        "model": "model.json", "mode": "training", "framework": "keras", "batchSize": 4,
        "optimizer": "sgd", "learningRate": 0.01, "loss": "sparse_categorical_crossentropy"}
    profile = simulated(path, tmp_path / "out")
    assert profile.info["mode"] == "training" and profile.info["model"] == "sequential"


def test_the_weights_are_those_of_the_model(helper, tmp_path):
    model = Model()
    path = helper.record(model, tmp_path / "job", mode="inference", batch_size=2)
    data = numpy.random.default_rng(2).normal(size=(2, 16)).astype(numpy.float32)
    numpy.save(tmp_path / "in.npy", data)
    simulated(path, tmp_path / "out", "--compute", "--inputs", tmp_path / "in.npy",
              "--save-outputs", tmp_path / "results")
    result, = (numpy.load(file) for file in (tmp_path / "results").iterdir())
    first, first_bias, second, second_bias = (weight.numpy() for weight in model.weights)
    scores = numpy.maximum(data @ first + first_bias, 0) @ second + second_bias
    expected = numpy.exp(scores) / numpy.exp(scores).sum(1, keepdims=True)
    assert numpy.allclose(result, expected, atol=1e-4)


def test_pipelines_replicas_and_accumulation(helper, tmp_path):
    model = PipelinedModel(_pipelining_gradient_accumulation_steps_per_replica=8,
                           _pipelining_device_mapping=None,
                           _pipelining_kwargs={"pipeline_schedule": PipelineSchedule.Interleaved},
                           _gradient_accumulation_reduction_method="mean",
                           _steps_per_execution=Variable("steps", numpy.int64(32)))
    config = ipu_config(auto_select_ipus=4,
                        compilation_poplar_options={"opt.maxComputeSetsPerLoweredCopy": 6},
                        convolutions__poplar_options={"availableMemoryProportion": "0.3"},
                        matmuls__poplar_options={"availableMemoryProportion": "0.3",
                                                 "partialsType": "half"},
                        allow_recompute=True)
    path = helper.record(model, tmp_path / "job", config=config, batch_size=2)
    job = job_of(path)
    assert job.items() >= {
        "ipus": 2, "execution": "pipelined", "schedule": "interleaved", "replicas": 2,
        "gradientAccumulation": 8, "accumulationReduction": "mean", "stepsPerExecution": 32,
        "availableMemoryProportion": "0.3", "partialsType": "half", "recompute": "pipeline",
        "engineOptions": {"opt.maxComputeSetsPerLoweredCopy": "6"}}.items()
    profile = simulated(path, tmp_path / "out")
    assert profile.info["replicas"] == 2
    assert len(profile.pipeline()) >= 2


#: What a program sets under each name that the option table has for Keras: of set_pipelining_options(),
#: of the model, or of its IPUConfig.
PIPELINING = {"pipeline_schedule": PipelineSchedule.Grouped, "replicated_optimizer_state_sharding": True,
              "offload_weight_update_variables": True, "offload_activations": True, "offload_weights": True}
OF_MODEL = {"set_pipelining_options": {}, "device_mapping": {"_pipelining_device_mapping": [1, 0]},
            "gradient_accumulation_steps_per_replica": {"_pipelining_gradient_accumulation_steps_per_replica": 16},
            "gradient_accumulation_reduction_method": {"_gradient_accumulation_reduction_method": "mean"},
            "steps_per_execution": {"_steps_per_execution": Variable("steps", numpy.int64(32))}}
OF_CONFIG = {"auto_select_ipus": 4, "allow_recompute": True, "io_tiles.num_io_tiles": 64,
             "compilation_poplar_options": {"opt.maxComputeSetsPerLoweredCopy": 6},
             "convolutions.poplar_options.availableMemoryProportion": {"availableMemoryProportion": "0.3"},
             "convolutions.poplar_options.partialsType": {"partialsType": "half"},
             "ipu_model.tiles_per_ipu": 64, "optimizations.enable_graph_outlining": False,
             "optimizations.maximum_cross_replica_sum_buffer_size": 4096,
             "norms.experimental.distributed_batch_norm_replica_group_size": 2}


def face_names():
    from tilescope import _simulator
    return [(name, key) for name, key, _, _ in _simulator.face_options("keras")]


@pytest.mark.parametrize("name, key", face_names())
def test_each_name_of_the_option_table_becomes_its_key(helper, tmp_path, monkeypatch, name, key):
    model = {"_pipelining_gradient_accumulation_steps_per_replica": 8,
             "_pipelining_kwargs": {name: PIPELINING[name]} if name in PIPELINING else {},
             **OF_MODEL.get(name, {})}
    config = {"auto_select_ipus": 4}
    if name in OF_CONFIG:
        path = name.partition("poplar_options.")[0] + "poplar_options" if "poplar_options." in name else name
        config[path.replace(".", "__")] = OF_CONFIG[name]
    if name == "io_tiles.num_io_tiles":
        config["io_tiles__place_ops_on_io_tiles"] = True
    if name == "ipu_model.tiles_per_ipu":  # which has no replicas
        monkeypatch.setenv("TF_POPLAR_FLAGS", "--use_ipu_model")
        config["auto_select_ipus"] = 2
    optimizer = SGD(learning_rate=0.01, momentum=0.9, nesterov=False)  # has a state to offload
    job = job_of(helper.record(PipelinedModel(optimizer=optimizer, **model), tmp_path / "job",
                               config=ipu_config(**config), batch_size=2))
    assert name in {**PIPELINING, **OF_MODEL, **OF_CONFIG} and key in job


def test_stages_of_functional_models(helper, tmp_path):
    class Functional(Model):
        def to_json(self):
            layers = [{**layer("InputLayer", "x", batch_input_shape=[None, 16]), "name": "x",
                       "inbound_nodes": []},
                      {**dense("first", 8, "relu"), "name": "first",
                       "inbound_nodes": [[["x", 0, 0, {}]]]},
                      {**dense("second", 4, "softmax"), "name": "second",
                       "inbound_nodes": [[["first", 0, 0, {}]]]}]
            return json.dumps({"class_name": "Functional", "keras_version": "2.6.0",
                               "config": {"name": "model", "layers": layers,
                                          "input_layers": [["x", 0, 0]],
                                          "output_layers": [["second", 0, 0]]}})

        def get_pipeline_stage_assignment(self):
            return [SimpleNamespace(layer=SimpleNamespace(name=name), node_index=0,
                                    pipeline_stage=stage)
                    for stage, name in enumerate(("first", "second"))]

    model = Functional(_pipelining_gradient_accumulation_steps_per_replica=4,
                       _pipelining_device_mapping=[1, 0], _pipelining_kwargs={})
    path = helper.record(model, tmp_path / "job", batch_size=1)
    assert job_of(path)["deviceMapping"] == "1,0"
    text = json.loads((tmp_path / "job" / "model.json").read_text())
    assert text["config"]["pipeline_stage_assignment"] == [[1, 0, 0], [2, 0, 1]]
    assert len(simulated(path, tmp_path / "out").pipeline()) >= 2


@pytest.mark.parametrize("optimizer, wanted", [
    (SGD(learning_rate=0.1, momentum=0.9, nesterov=False),
     {"optimizer": "momentum", "momentum": 0.9, "learningRate": 0.1}),
    (Adam(learning_rate=0.002, beta_1=0.8, beta_2=0.99, epsilon=1e-7, amsgrad=False),
     {"optimizer": "adam", "beta1": 0.8, "beta2": 0.99, "optimizerEpsilon": 1e-7,
      "learningRate": 0.002}),
    (RMSprop(learning_rate=0.001, rho=0.95, momentum=0.5, epsilon=1e-7, centered=False),
     {"optimizer": "rmsprop", "beta2": 0.95, "momentum": 0.5, "optimizerEpsilon": 1e-7,
      "learningRate": 0.001}),
    (LossScaleOptimizer(SGD(learning_rate=0.5, momentum=0.0)),
     {"optimizer": "sgd", "learningRate": 0.5}),
    (SGD(learning_rate=0.1, momentum=0.9, nesterov=True, global_clipnorm=2.0),
     {"optimizer": "momentum", "nesterov": True, "globalClipNorm": 2.0}),
    (RMSprop(learning_rate=0.1, rho=0.9, momentum=0.0, epsilon=1e-7, centered=True, clipvalue=0.5, clipnorm=3),
     {"optimizer": "rmsprop", "centered": True, "clipValue": 0.5, "clipNorm": 3.0}),
    (Adam(learning_rate=0.1, beta_1=0.8, beta_2=0.99, epsilon=1e-7, amsgrad=True),
     {"optimizer": "adam", "amsgrad": True}),
])
def test_optimizers(helper, tmp_path, optimizer, wanted):
    path = helper.record(Model(optimizer=optimizer), tmp_path / "job", batch_size=1, weights=False)
    assert job_of(path).items() >= wanted.items()
    simulated(path, tmp_path / "out")


def test_what_a_job_cannot_say_is_a_warning(helper, tmp_path):
    schedule = {"class_name": "ExponentialDecay", "config": {"initial_learning_rate": 0.3}}
    model = Model(optimizer=SGD(learning_rate=schedule, momentum=0.9, nesterov=True),
                  loss=lambda wanted, result: result)
    with pytest.warns(UserWarning) as said:
        job = job_of(helper.record(model, tmp_path, batch_size=1))
    texts = " ".join(str(warning.message) for warning in said)
    assert "initial learning rate" in texts and "loss" in texts
    assert job["learningRate"] == 0.3 and "loss" not in job


def test_losses_by_class_and_name(helper, tmp_path):
    for loss, name in ((SparseCategoricalCrossentropy(), "sparse_categorical_crossentropy"),
                       ("mse", "mean_squared_error"), (["mae"], "mean_absolute_error")):
        assert job_of(helper.record(Model(loss=loss), tmp_path, batch_size=1))["loss"] == name


def test_optimizers_that_are_not_simulated_are_refused(helper, tmp_path):
    class Ftrl(Optimizer):
        pass

    with pytest.raises(ValueError, match="optimizer Ftrl is not simulated"):
        helper.record(Model(optimizer=Ftrl(learning_rate=0.1)), tmp_path)
    with pytest.raises(ValueError, match="mode.*'fit' is not one of inference, training"):
        helper.record(Model(), tmp_path, mode="fit")


def test_all_keys_are_those_of_jobs(helper, tmp_path):
    schema = json.loads(subprocess.run([BIN / "tilescope", "schema", "--job"], capture_output=True,
                                       text=True, check=True).stdout)["properties"]
    config = ipu_config(auto_select_ipus=[8], io_tiles__num_io_tiles=32,
                        io_tiles__place_ops_on_io_tiles=True, allow_recompute=True,
                        optimizations__enable_graph_outlining=False,
                        optimizations__maximum_cross_replica_sum_buffer_size=1000,
                        norms__experimental__distributed_batch_norm_replica_group_size=2)
    options = {"offload_weight_update_variables": True, "offload_activations": True,
               "replicated_optimizer_state_sharding": True,
               "pipeline_schedule": PipelineSchedule.Grouped}
    model = PipelinedModel(_pipelining_kwargs=options, optimizer=Adam(learning_rate=0.1),
                           _pipelining_gradient_accumulation_steps_per_replica=4)
    job = job_of(helper.record(model, tmp_path, config=config, batch_size=1, target="bow"))
    assert set(job) <= set(schema)
    assert job["replicas"] == 4 and job["offload"] == "optimizer,activations"
    assert job["maxCrossReplicaBufferSize"] == 1000 and job["ioTiles"] == 32


def test_the_file_needs_nothing(tmp_path, helper):
    code = "import sys, tilescope_keras; print(sorted(m for m in sys.modules if m in " \
           "('numpy', 'tilescope', 'tensorflow')))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True,
                          check=True, env={"PYTHONPATH": str(Path(helper.__file__).parent)})
    assert done.stdout.strip() == "[]"
