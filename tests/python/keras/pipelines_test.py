"""Pipelines train as one IPU does, whatever their schedule and wherever their stages are."""
from contextlib import nullcontext

import numpy
import pytest

import keras
from tensorflow.keras import layers
from tensorflow.python import ipu

from programs_test import configured

Schedule = ipu.pipelining_ops.PipelineSchedule
MICRO_BATCHES = 8


def trained_weights(schedule=None, mapping=None, recompute=False):
    """The weights after two updates; without a schedule those of one IPU."""
    random = numpy.random.default_rng(3)
    x = random.random((64, 12)).astype(numpy.float32)
    y = random.random((64, 3)).astype(numpy.float32)
    initial = numpy.random.default_rng(4)
    with configured(len(set(mapping)) if mapping else 1, allow_recompute=recompute).scope():
        inputs = h = keras.Input(shape=(12, ), batch_size=4)
        first = None
        for stage in range(4):
            with keras.ipu.PipelineStage(stage) if schedule is not None else nullcontext():
                h = layers.Dense(3 if stage == 3 else 8, activation="tanh")(h)
                if stage == 0:
                    first = h
                if stage == 2:
                    h = layers.Dense(8)(layers.Activation("tanh")(layers.Multiply()([h, first])))
        model = keras.Model(inputs, h)
        model.set_weights([initial.normal(0, 0.4, weight.shape) for weight in model.get_weights()])
        if schedule is None:
            model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=MICRO_BATCHES)
        else:
            model.set_pipelining_options(gradient_accumulation_steps_per_replica=MICRO_BATCHES,
                                         pipeline_schedule=schedule, device_mapping=mapping)
        model.compile("sgd", "mse", steps_per_execution=MICRO_BATCHES)
        model.fit(x, y, epochs=1, batch_size=4, shuffle=False, verbose=0)
        return model.get_weights()


@pytest.mark.parametrize("schedule", [Schedule.Grouped, Schedule.Sequential], ids=["grouped", "sequential"])
@pytest.mark.parametrize("mapping", [[0, 1, 2, 3], [0, 1, 1, 0], [0, 1, 0, 1]], ids=["own", "back", "turns"])
@pytest.mark.parametrize("recompute", [False, True], ids=["kept", "recomputed"])
def test_stages_train_as_one_ipu(schedule, mapping, recompute):
    for found, wanted in zip(trained_weights(schedule, mapping, recompute), trained_weights(), strict=True):
        numpy.testing.assert_allclose(found, wanted, atol=1e-5, rtol=1e-4)
