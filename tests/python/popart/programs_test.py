"""Programs that were written for PopART run whole: those beside the guides, where they stand, and small ones of our own
with the calls of published examples."""
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import popart
import pva
import pytest

from ..shown import assert_shown
from .models import ALL, Classifier, reals, small_device

SHARED = Path(os.environ.get("TILESCOPE_SHARED_DIR", "/nowhere")) / "programs" / "popart"


class Outcome:
    """What a program printed, its weights, the inputs and anchors of its runs, and its profile."""

    def __init__(self, name, folder):
        program = SHARED / name
        if not program.exists():
            pytest.skip(f"{program} is not there: TILESCOPE_SHARED_DIR names no folder with it")
        options = json.dumps({"autoReport.all": "true", "autoReport.directory": str(folder)})
        recorder = Path(__file__).with_name("traced_program.py")
        done = subprocess.run([sys.executable, "-B", recorder, folder / "kept", program], capture_output=True, text=True,
                              check=False, cwd=folder, env={**os.environ, "POPLAR_ENGINE_OPTIONS": options})
        assert done.returncode == 0, done.stderr[-3000:]
        self.lines = done.stdout.splitlines()
        self.weights, self.runs = pickle.loads((folder / "kept").read_bytes())
        profile = next(folder.glob("**/profile.pop"))
        assert_shown(profile)
        report = pva.openReport(str(profile))
        assert report.compilation.target.numTiles and any(run.steps for run in report.execution.runs)


def close(found, wanted):
    wanted = np.asarray(wanted, np.float64)
    assert np.abs(found - wanted).max() <= 2e-3 * max(1e-2, np.abs(wanted).max())


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_recomputation_and_checkpoint(tmp_path):
    made = Outcome("seed_recompute_checkpoint.py", tmp_path)
    w = 2.0
    for _, anchors in made.runs:
        close(*anchors.values(), sigmoid(w))
        w -= 0.01 * sigmoid(w) * (1 - sigmoid(w))
    assert len(made.lines) == len(made.runs) == 3


def test_memory_of_products(tmp_path):
    made = Outcome("seed_available_memory.py", tmp_path)
    (inputs, anchors), = made.runs
    x, first, second = (array.astype(np.float64) for array in (*inputs.values(), *made.weights))
    close(*anchors.values(), np.maximum(x @ first, 0) @ second)
    assert made.lines[-1] == "(64, 256)"


def test_partials_of_convolutions(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
    made = Outcome("seed_partials_type.py", tmp_path)
    (inputs, anchors), = made.runs
    x, w = (torch.tensor(array.astype(np.float32)) for array in (*inputs.values(), *made.weights))
    close(*anchors.values(), torch.nn.functional.conv2d(x[-1], w, padding=1))
    assert made.lines[-1] == "(1, 8, 16, 16) float16"


def test_offloaded_state_trains(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
    made = Outcome("seed_optimizer_offload.py", tmp_path)
    w = torch.tensor(made.weights[0], requires_grad=True)
    optimizer = torch.optim.Adam([w], 0.01, eps=1e-6)
    for step, (inputs, anchors) in enumerate(made.runs):
        found, = anchors.values()
        for x, labels, loss in zip(*map(torch.tensor, inputs.values()), found):
            own = torch.nn.functional.cross_entropy(x @ w, labels.long())
            close(loss, own.item())
            optimizer.zero_grad()
            own.backward()
            optimizer.step()
        optimizer.param_groups[0]["lr"] = 0.01 / (step + 2)
    losses = [float(line.split()[1]) for line in made.lines]
    assert losses == sorted(losses, reverse=True) and len(losses) == 3


def test_sharded_state_of_two_replicas(tmp_path):
    made = Outcome("seed_replicated_tensor_sharding.py", tmp_path)
    (inputs, anchors), = made.runs
    x, = inputs.values()
    close(*anchors.values(), 0.1 * np.abs(x @ made.weights[0]).mean((1, 2)))
    assert made.lines[-1].count(".") == 2


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


@pytest.mark.parametrize("pipelined, recomputation", [(True, "NoRecompute"), (True, "Pipeline"), (False, "NoRecompute"),
                                                      (False, "Standard")])
def test_two_stages_and_the_gradient_of_an_input(pipelined, recomputation):
    builder = popart.Builder()
    x, labels, w, arrays, loss = two_stages(builder)
    options = popart.SessionOptions()
    options.enablePipelining = pipelined
    options.autoRecomputation = getattr(popart.RecomputationType, recomputation)
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


def chain(builder, place):
    """Three layers, placed one by one, and the mean of what they make; their arrays."""
    y = builder.addInputTensor("FLOAT", [4, 6])
    arrays = [reals(6, 6) for _ in range(3)]
    for number, array in enumerate(arrays):
        w = builder.addInitializedInputTensor(array)
        with place(builder, number):
            y = builder.aiOnnx.tanh([builder.aiOnnx.matmul([y, w])])
    with place(builder, 2):
        loss = builder.aiGraphcore.l1loss([y], 1.0, popart.ReductionType.Sum)
    return arrays, loss


def losses_of_chain(arrays, data, rate):
    """numpy's losses of micro-batches, each with an update of the weights."""
    losses = []
    for x in data:
        values = [x]
        for w in arrays:
            values.append(np.tanh(values[-1] @ w))
        losses.append(np.abs(values[-1]).sum())
        gradient, updated = np.sign(values[-1]), []
        for w, before, after in zip(arrays[::-1], values[-2::-1], values[:0:-1]):
            gradient = gradient * (1 - after**2)
            updated.append(w - rate * before.T @ gradient)
            gradient = gradient @ w.T
        arrays = updated[::-1]
    return losses


def on_shard(builder, number):
    return builder.virtualGraph(number % 2)


def in_phase(builder, number):
    return builder.executionPhase(number)


@pytest.mark.parametrize("place, mode", [(on_shard, popart.VirtualGraphMode.Manual),
                                         (in_phase, popart.VirtualGraphMode.ExecutionPhases)])
def test_layers_return_to_an_ipu(place, mode):
    builder = popart.Builder()
    arrays, loss = chain(builder, place)
    options = popart.SessionOptions()
    options.virtualGraphMode = mode
    options.numIOTiles = 64
    options.executionPhaseSettings.phases = 3 if place is in_phase else 0
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(3, [loss]), loss, popart.ConstSGD(0.1),
                                     popart.DeviceManager().acquireAvailableDevice(2), userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors, data = session.initAnchorArrays(), reals(3, 4, 6)
    session.run(popart.PyStepIO({"input": data}, anchors))
    assert np.allclose(anchors[loss], losses_of_chain(arrays, data, 0.1), rtol=2e-3)


def test_a_recurrent_layer_in_half():
    """The size of its state follows from its weights."""
    builder = popart.Builder()
    x = builder.addInputTensor("FLOAT16", [3, 2, 8])
    w, r = (builder.addInitializedInputTensor(reals(1, 32, 8).astype(np.float16)) for _ in range(2))
    y, last, cell = builder.aiOnnx.lstm([x, w, r], 3, clip=None)
    assert [builder.getTensorShape(name) for name in (y, last, cell)] == [[3, 1, 2, 8], [1, 2, 8], [1, 2, 8]]
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(2, [y, last]), small_device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: reals(2, 3, 2, 8).astype(np.float16)}, anchors))
    assert np.array_equal(anchors[y][:, -1, 0], anchors[last][:, 0]) and anchors[y].any()
