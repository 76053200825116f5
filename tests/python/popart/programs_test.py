"""Programs that were written for PopART run whole: those beside the guides, where they stand, and small ones of our own
with the calls of published examples."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import popart
import pytest

from .models import ALL, Classifier, reals, small_device

SHARED = Path(os.environ.get("TILESCOPE_SHARED_DIR", "/nowhere")) / "programs" / "popart"


def output_of(name):
    program = SHARED / name
    if not program.exists():
        pytest.skip(f"{program} is not there: TILESCOPE_SHARED_DIR names no folder with it")
    done = subprocess.run([sys.executable, "-B", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_recomputation_and_checkpoint():
    lines = output_of("seed_recompute_checkpoint.py")
    w = 2.0
    for step, line in enumerate(lines):
        assert float(line.strip(f"{step} []")) == pytest.approx(sigmoid(w), rel=2e-3)
        w -= 0.01 * sigmoid(w) * (1 - sigmoid(w))
    assert len(lines) == 3


@pytest.mark.parametrize("name, last", [
    ("seed_available_memory.py", "(64, 256)"),
    ("seed_partials_type.py", "(1, 8, 16, 16) float16"),
])
def test_prints_the_shape_of_its_result(name, last):
    assert output_of(name)[-1] == last


def test_offloaded_state_trains():
    losses = [float(line.split()[1]) for line in output_of("seed_optimizer_offload.py")]
    assert losses == sorted(losses, reverse=True) and len(losses) == 3


def test_sharded_state_of_two_replicas():
    assert output_of("seed_replicated_tensor_sharding.py")[-1].count(".") == 2


def test_an_addition_by_callbacks():
    """Each input is asked for, first as a prefetch; each result has an array and a call when it is there."""
    builder = popart.Builder()
    names = [builder.addInputTensor(popart.TensorInfo("FLOAT", [10])) for _ in range(2)]
    results = [builder.aiOnnx.add(names), builder.aiOnnx.mul(names)]
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(2, results), small_device())
    session.prepareDevice()
    data = {name: iter(reals(2, 10)) for name in names}
    given, calls, filled = {name: [] for name in names}, [], {name: [] for name in results}
    arrays = {name: np.zeros(10, np.float32) for name in results}

    def ask(name, is_prefetch):
        calls.append((name, is_prefetch))
        if is_prefetch:
            return None
        given[name].append(next(data[name]))
        return given[name][-1]

    session.run(popart.PyStepIOCallback(ask, lambda name: calls.append(name), lambda name: arrays[name],
                                        lambda name: filled[name].append(arrays[name].copy())))
    a, b = (np.array(given[name]) for name in names)
    assert np.allclose(filled[results[0]], a + b) and np.allclose(filled[results[1]], a * b)
    assert calls[:3] == [(names[0], True), (names[0], False), names[0]]


def two_stages(builder, hidden=8):
    labels = builder.addInputTensor(popart.TensorInfo("INT32", [4]))
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 6]))
    arrays = [reals(6, hidden), reals(hidden), reals(hidden, 3), reals(3)]
    w = [builder.addInitializedInputTensor(array) for array in arrays]
    with builder.virtualGraph(0):
        h = builder.aiOnnx.relu([builder.aiOnnx.gemm([x, w[0], w[1]], debugContext="first")])
    with builder.virtualGraph(1):
        y = builder.aiOnnx.softmax([builder.aiOnnx.gemm([h, w[2], w[3]])], axis=1)
    loss = builder.aiGraphcore.nllloss([y, labels], popart.ReductionType.Sum, debugContext="loss")
    builder.virtualGraph(loss, 1)
    return x, labels, w, arrays, loss


def likelihood_step(arrays, x, labels, rate):
    """numpy's loss, gradient of the input, and update of one micro-batch."""
    a, b, c, d = arrays
    h = np.maximum(x @ a + b, 0)
    e = np.exp(h @ c + d)
    p = e / e.sum(1, keepdims=True)
    loss = -np.log(p[np.arange(len(labels)), labels]).sum()
    g = p - np.eye(p.shape[1])[labels]
    gh = (g @ c.T) * (h > 0)
    grads = [x.T @ gh, gh.sum(0), h.T @ g, g.sum(0)]
    return loss, gh @ a.T, [w - rate * grad for w, grad in zip(arrays, grads)]


@pytest.mark.parametrize("pipelined", [True, False])
def test_two_stages_and_the_gradient_of_an_input(pipelined):
    builder = popart.Builder()
    x, labels, w, arrays, loss = two_stages(builder)
    options = popart.SessionOptions()
    options.enablePipelining = pipelined
    options.virtualGraphMode = popart.VirtualGraphMode.Manual
    gradient = popart.reservedGradientPrefix() + x
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(8, {loss: ALL, gradient: ALL}), loss,
                                     popart.ConstSGD(0.01), popart.DeviceManager().acquireAvailableDevice(2),
                                     userOptions=options)
    anchors = session.initAnchorArrays()
    session.prepareDevice()
    session.weightsFromHost()
    data = {x: reals(8, 4, 6), labels: np.random.randint(0, 3, (8, 4)).astype(np.int32)}
    session.run(popart.PyStepIO(data, anchors))
    for i in range(8):
        expected, of_x, arrays = likelihood_step(arrays, data[x][i], data[labels][i], 0.01)
        assert anchors[loss][i] == pytest.approx(expected, rel=2e-3)
        assert np.allclose(anchors[gradient][i], of_x, rtol=2e-3, atol=1e-5)
    session.weightsToHost()
    found = np.zeros_like(arrays[2])
    session.readWeights(popart.PyWeightsIO({w[2]: found}))
    assert np.allclose(found, arrays[2], rtol=2e-3, atol=1e-5)


def test_training_and_validation_take_turns():
    """Weights go through a file, as between two sessions on one device."""
    model = Classifier(popart.ReductionType.Sum)
    options = popart.SessionOptions()
    options.constantWeights = False
    training = model.training([model.loss], popart.ConstSGD(0.05), batches=5)
    validation = model.inference([model.loss], batches=5, options=options)
    data, losses = model.data(5), []
    anchors = {session: session.initAnchorArrays() for session in (training, validation)}
    for _ in range(3):
        training.run(popart.PyStepIO(data, anchors[training]))
        training.modelToHost("weights.onnx")
        validation.resetHostWeights("weights.onnx")
        validation.weightsFromHost()
        validation.run(popart.PyStepIO(data, anchors[validation]))
        losses.append(anchors[validation][model.loss].mean())
    assert losses == sorted(losses, reverse=True)
    training.resetHostWeights("weights.onnx")
    training.weightsFromHost()
    training.run(popart.PyStepIO(data, anchors[training]))
    assert anchors[training][model.loss][0] == pytest.approx(anchors[validation][model.loss][0], rel=2e-3)


def test_a_benchmark_on_synthetic_data():
    """No values go to or from the device, and cycles are counted."""
    model = Classifier()
    options = popart.SessionOptions()
    options.syntheticDataMode = popart.SyntheticDataMode.Zeros
    options.instrumentWithHardwareCycleCounter = True
    session = model.training([model.loss], batches=3, options=options)
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(model.data(3), anchors))
    assert session.getCycleCount() > 0 and not anchors[model.loss].any()
