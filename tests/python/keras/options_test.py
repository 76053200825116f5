"""Options of IPUConfig and of models: which keys they become, and which errors they raise."""
import numpy
import pytest

import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
from tilescope import _simulator


def config_of(ipus=1, **values):
    """A configured IPUConfig; names have two underscores for a dot."""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    for path, value in values.items():
        *parts, last = path.split("__")
        at = config
        for part in parts:
            at = getattr(at, part)
        setattr(at, last, value)
    config.configure_ipu_system()
    return config


def pipelined(**options):
    model = keras.Sequential([keras.layers.Dense(4, input_shape=(4, )), keras.layers.Dense(4)])
    model.set_pipeline_stage_assignment([0, 1])
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=8, **options)
    model.compile(keras.optimizers.Adam(), "mse", steps_per_execution=16)
    return model


def keys_of(model):
    from simulated_keras._job import keys_of as keys
    return keys(model, True, model._stages(), 2, 4, 8)


#: For each name of the option table: how a script gives it, and its key's value then.
CONFIG = {
    "allow_recompute": ({"allow_recompute": True}, "pipeline"),
    "auto_select_ipus": ({"ipus": 4}, "2"),
    "io_tiles.num_io_tiles": ({"io_tiles__num_io_tiles": 64, "io_tiles__place_ops_on_io_tiles": True}, "64"),
    "convolutions.poplar_options.partialsType": ({"convolutions__poplar_options": {"partialsType": "half"}}, "half"),
    "convolutions.poplar_options.availableMemoryProportion":
        ({"convolutions__poplar_options": {"availableMemoryProportion": "0.3"}}, "0.3"),
    "optimizations.enable_graph_outlining": ({"optimizations__enable_graph_outlining": False}, "off"),
    "optimizations.maximum_cross_replica_sum_buffer_size":
        ({"ipus": 4, "optimizations__maximum_cross_replica_sum_buffer_size": 4096}, "4096"),
    "norms.experimental.distributed_batch_norm_replica_group_size":
        ({"ipus": 4, "norms__experimental__distributed_batch_norm_replica_group_size": 2}, "2"),
    "compilation_poplar_options": ({"compilation_poplar_options": {"opt.maxComputeSetsPerLoweredCopy": "6"}},
                                   '{"opt.maxComputeSetsPerLoweredCopy": "6"}'),
    "ipu_model.tiles_per_ipu": ({"ipu_model__tiles_per_ipu": 64}, "64"),
}
MODEL = {
    "set_pipelining_options": ({}, "pipelined"),
    "pipeline_schedule": ({"pipeline_schedule": ipu.pipelining_ops.PipelineSchedule.Interleaved}, "interleaved"),
    "device_mapping": ({"device_mapping": [1, 0]}, "1,0"),
    "gradient_accumulation_steps_per_replica": ({}, "8"),
    "gradient_accumulation_reduction_method": ({"gradient_accumulation_reduction_method": "mean"}, "mean"),
    "offload_weight_update_variables": ({"offload_weight_update_variables": True}, "optimizer"),
    "offload_activations": ({"offload_activations": True}, "activations"),
    "offload_weights": ({"offload_weights": True}, "weights"),
    "replicated_optimizer_state_sharding": ({"replicated_optimizer_state_sharding": True}, "on"),
}
ELSEWHERE = {"steps_per_execution"}  # values_test: iterations of an execution, for each replica


def test_the_option_table_has_no_other_names():
    names = {name for name, _, _, _ in _simulator.face_options("keras")}
    assert names == {*CONFIG, *MODEL, *ELSEWHERE}


@pytest.mark.parametrize("name", CONFIG)
def test_names_of_the_config(monkeypatch, name):
    values, wanted = CONFIG[name]
    key = {n: k for n, k, _, _ in _simulator.face_options("keras")}[name]
    if name.startswith("ipu_model"):
        monkeypatch.setenv("TF_POPLAR_FLAGS", "--use_ipu_model")
    config_of(**{"ipus": 2, **values})
    assert keys_of(pipelined())[key] == wanted


@pytest.mark.parametrize("name", MODEL)
def test_names_of_the_model(name):
    options, wanted = MODEL[name]
    key = {n: k for n, k, _, _ in _simulator.face_options("keras")}[name]
    config_of(4)
    keys = keys_of(pipelined(**options))
    assert keys[key] == wanted
    _simulator.check_options(keys)


def test_options_of_single_stages():
    config_of(2)
    options = [ipu.pipelining_ops.PipelineStageOptions(matmul_options={"availableMemoryProportion": share})
               for share in ("0.1", "0.4")]
    keys = keys_of(pipelined(forward_propagation_stages_poplar_options=options, device_mapping=[1, 0]))
    assert keys["availableMemoryProportion"] == "ipu0=0.4,ipu1=0.1"
    with pytest.raises(TypeError, match="PipelineStageOptions.matmul_options must be dictionary."):
        ipu.pipelining_ops.PipelineStageOptions(matmul_options=3)


def test_errors_of_the_config():
    config = ipu.config.IPUConfig()
    with pytest.raises(ValueError, match="'auto_select_ipu' is not a valid attribute of this config. "
                                         "Did you mean 'auto_select_ipus'?"):
        config.auto_select_ipu = 1
    with pytest.raises(ValueError, match="Did you mean 'convolutions.poplar_options'?"):
        config.convolutions.poplar_option = {}
    with pytest.raises(TypeError, match="Trying to set allow_recompute to 1, but it must be of type bool"):
        config.allow_recompute = 1
    with pytest.raises(Exception, match="convolutions is a category and cannot be assigned to."):
        config.convolutions = {}
    config.device_connection.type = ipu.config.DeviceConnectionType.ON_DEMAND
    config.selection_order = ipu.config.SelectionOrder.ZIGZAG
    other = ipu.config.IPUConfig()
    other.convolutions.poplar_options["key"] = "0.5"
    assert config.convolutions.poplar_options == {} and config != other


def test_a_second_configuration_is_said(capsys):
    config_of(1)
    config_of(1)
    assert "Resetting" not in capsys.readouterr().err
    config_of(2)
    from simulated_keras import _system
    assert _system.attached_ipus() == 2


DATA = (numpy.zeros((64, 4), numpy.float32), numpy.zeros((64, 4), numpy.float32))


def scope():
    return ipu.ipu_strategy.IPUStrategy().scope()


def test_an_unconfigured_system():
    with scope():
        model = keras.Sequential([keras.layers.Dense(4)])
        model.compile("sgd", "mse")
        with pytest.raises(RuntimeError, match="No IPU devices configured."):
            model.fit(*DATA, verbose=0)


def test_errors_of_fit():
    config_of(2)
    with scope():
        model = pipelined()
        model.set_pipelining_options()
        with pytest.raises(ValueError, match="`gradient_accumulation_steps_per_replica` has not been set"):
            model.fit(*DATA, batch_size=4, verbose=0)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=3)
        with pytest.raises(RuntimeError, match="The pipelined model has been configured .*set to 16. is not divisible"):
            model.fit(*DATA, batch_size=4, verbose=0)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=2)
        with pytest.raises(tf.errors.FailedPreconditionError, match="must be a multiple of 4, but it is 2"):
            model.fit(*DATA, batch_size=4, verbose=0)
        with pytest.raises(ValueError, match="partial batch"):
            model.fit(*DATA, batch_size=5, verbose=0)
        with pytest.raises(ValueError, match="must be a divisor of the number of batches"):
            model.compile("sgd", "mse", steps_per_execution=3)
            model.fit(*DATA, batch_size=4, verbose=0)
        with pytest.raises(RuntimeError, match="Keras models cannot run eagerly"):
            model.compile("sgd", "mse", run_eagerly=True)


def test_too_few_ipus():
    config_of(1)
    with scope(), pytest.raises(ValueError, match="Current device has 1 IPUs attached, however the current model "
                                                  "requires a multiple of 2 IPUs."):
        pipelined().fit(*DATA, batch_size=4, verbose=0)


def test_data_that_do_not_suit():
    config_of(1)
    with scope():
        model = keras.Sequential([keras.layers.Dense(4)])
        model.compile("sgd", "mse")
        slices = tf.data.Dataset.from_tensor_slices(DATA)
        with pytest.raises(ValueError, match="not fully defined"):
            model.fit(slices.batch(4), verbose=0)
        with pytest.raises(ValueError, match="does not have enough data.*at least 20 .*only generate 16 batches"):
            model.fit(slices.batch(4, drop_remainder=True), steps_per_epoch=20, verbose=0)
        with pytest.raises(ValueError, match="Could not infer the size of the data"):
            model.fit(slices.batch(4, drop_remainder=True).repeat(), verbose=0)


def test_stages_in_disorder():
    model = keras.Sequential([keras.layers.Dense(4) for _ in range(3)])
    with pytest.raises(ValueError, match=r"assignment` \(2\) does not match"):
        model.set_pipeline_stage_assignment([0, 1])
    with pytest.raises(RuntimeError, match="must have at lease one layer"):
        model.set_pipeline_stage_assignment([0, 0, 2])
    with pytest.raises(ValueError, match="has a dependency from a pipeline stage which has not yet been executed"):
        model.set_pipeline_stage_assignment([1, 0, 1])
    with pytest.raises(ValueError, match="Found `repeat_count` key in `pipelining_kwargs`"):
        model.set_pipelining_options(repeat_count=3)


def test_assignments_of_a_functional_model(capsys):
    x = inputs = keras.Input((4, ))
    for _ in range(2):
        x = keras.layers.Dense(4)(x)
    model = keras.Model(inputs, x)
    assignments = model.get_pipeline_stage_assignment()
    assert [a.pipeline_stage for a in assignments] == [None, None]
    for stage, assignment in enumerate(assignments):
        assert assignment.node_index == 0 and assignment.layer in model.layers
        assignment.pipeline_stage = stage
    model.set_pipeline_stage_assignment(assignments)
    model.print_pipeline_stage_assignment_summary()
    rows = [line.split()[-1] for line in capsys.readouterr().out.splitlines() if "(Dense)" in line]
    assert rows == ["0", "1"]
    model.reset_pipeline_stage_assignment()
    assert model._stages() == 0


def test_steps_of_one_s_own():
    class Own(keras.Model):
        def train_step(self, data):
            return {}

        def call(self, inputs):
            return inputs

    config_of(1)
    with scope(), pytest.raises(RuntimeError, match="The function `train_step` for the model own has been overridden"):
        model = Own(name="own")
        model.compile("sgd", "mse")
        model.fit(*DATA, batch_size=4)
