"""Losses, gradients, updates and results equal PyTorch's."""
import numpy as np
import popart
import pytest

from .models import BATCH, CLASSES, FEATURES, Classifier, read, reals, small_device

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
functional = torch.nn.functional
GRADIENT = popart.reservedGradientPrefix()
TOLERANCE = 2e-3


def close(found, expected):
    expected = np.asarray(expected)
    return np.abs(found - expected).max() <= TOLERANCE * max(1e-2, np.abs(expected).max())


def sgd(**values):
    return popart.SGD({f"default{key}" if key != "lossScaling" else key: (value, True)
                       for key, value in values.items()})


def adam(decay=popart.WeightDecayMode.Decay, **values):
    return popart.Adam({f"default{key}": (value, True) for key, value in values.items()}, weight_decay_mode=decay)


L2 = popart.WeightDecayMode.L2Regularization
OPTIMIZERS = {
    "const": (lambda: popart.ConstSGD(0.1), lambda p: torch.optim.SGD(p, 0.1)),
    "number": (lambda: popart.SGD(0.1), lambda p: torch.optim.SGD(p, 0.1)),
    "decay": (lambda: sgd(LearningRate=0.1, WeightDecay=0.02, lossScaling=8.0),
              lambda p: torch.optim.SGD(p, 0.1, weight_decay=0.02)),
    "momentum": (lambda: sgd(LearningRate=0.1, Momentum=0.9, WeightDecay=0.02),
                 lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=0.02)),
    "adam": (lambda: adam(LearningRate=0.01), lambda p: torch.optim.Adam(p, 0.01, eps=1e-6)),
    "adamw": (lambda: adam(LearningRate=0.01, WeightDecay=0.1, Beta1=0.8),
              lambda p: torch.optim.AdamW(p, 0.01, betas=(0.8, 0.999), eps=1e-6, weight_decay=0.1)),
    "adam with L2": (lambda: adam(L2, LearningRate=0.01, WeightDecay=0.1),
                     lambda p: torch.optim.Adam(p, 0.01, eps=1e-6, weight_decay=0.1)),
    "rmsprop": (lambda: popart.Adaptive({"defaultLearningRate": (0.01, True)}),
                lambda p: torch.optim.RMSprop(p, 0.01, eps=1e-6)),
    "centered": (lambda: popart.Adaptive({"defaultLearningRate": (0.01, True), "defaultEps": (1e-3, True)},
                                         popart.AdaptiveMode.CenteredRMSProp),
                 lambda p: torch.optim.RMSprop(p, 0.01, eps=1e-3, centered=True)),
    "nesterov": (lambda: sgd(LearningRate=0.1, Momentum=0.9, Nesterov=1),
                 lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True)),
}


class Peer:
    """The classifier in PyTorch."""

    def __init__(self, model, make):
        self.weights = [torch.nn.Parameter(torch.tensor(array)) for array in model.arrays]
        self.optimizer = make(self.weights)

    def micro_batch(self, x, labels):
        x = torch.tensor(x, requires_grad=True)
        y = x @ self.weights[0] + self.weights[1]
        loss = functional.cross_entropy(y, torch.tensor(labels).long())
        before = self._gradient()
        loss.backward()
        return loss.item(), x.grad.numpy(), self._gradient() - before

    def _gradient(self):
        grad = self.weights[0].grad
        return np.zeros((FEATURES, CLASSES)) if grad is None else grad.numpy().copy()

    def update(self, divisor=1):
        for weight in self.weights:
            weight.grad /= divisor
        self.optimizer.step()
        self.optimizer.zero_grad()


def options_of(accumulation, replicas, mean):
    options = popart.SessionOptions()
    options.enableGradientAccumulation = accumulation > 1
    options.accumulationFactor = accumulation
    options.enableReplicatedGraphs = replicas > 1
    options.replicatedGraphCount = replicas
    if mean:
        options.accumulationAndReplicationReductionType = popart.ReductionType.Mean
    return options


def check_training(optimizer, make, accumulation=1, replicas=1, mean=False, scale=1, batches=2, calls=2):
    model = Classifier()
    anchors = [model.loss, model.w, GRADIENT + model.w, GRADIENT + model.x]
    session = model.training(anchors, optimizer, batches, options_of(accumulation, replicas, mean), replicas)
    peer, arrays = Peer(model, make), session.initAnchorArrays()
    leading = (batches, accumulation, replicas)
    for _ in range(calls):
        data = model.data(*leading)
        session.run(popart.PyStepIO(data, arrays))
        found = [arrays[name].reshape(*leading, *session.getInfo(name).shape()) for name in anchors]
        for batch in range(batches):
            for at in np.ndindex(accumulation, replicas):
                at = (batch, *at)
                assert close(found[1][at], peer.weights[0].detach())
                loss, of_x, of_w = peer.micro_batch(data[model.x][at], data[model.labels][at])
                assert close(found[0][at], loss)
                assert close(found[2][at] / scale, of_w) and close(found[3][at] / scale, of_x)
            peer.update(accumulation * replicas if mean else 1)
    session.weightsToHost()
    read = {name: np.zeros_like(array) for name, array in zip((model.w, model.b), model.arrays)}
    session.readWeights(popart.PyWeightsIO(read))
    assert all(close(read[name], weight.detach()) for name, weight in zip((model.w, model.b), peer.weights))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_steps(name):
    check_training(OPTIMIZERS[name][0](), OPTIMIZERS[name][1], scale=8 if name == "decay" else 1)


@pytest.mark.parametrize("accumulation, replicas", [(1, 1), (3, 1), (2, 2)])
def test_gradients_of_all_weights_have_a_bound(accumulation, replicas):
    bound = [popart.ClipNormSettings.clipAllWeights(0.1)]
    optimizer = popart.SGD({"defaultLearningRate": (0.1, True), "lossScaling": (8, True)}, bound)
    model = Classifier()
    session = model.training([model.w], optimizer, 2, options_of(accumulation, replicas, False), replicas)
    peer, arrays = Peer(model, lambda p: torch.optim.SGD(p, 0.1)), session.initAnchorArrays()
    data = model.data(2, accumulation, replicas)
    session.run(popart.PyStepIO(data, arrays))
    for batch in range(2):
        found = arrays[model.w].reshape(2, accumulation, replicas, FEATURES, CLASSES)[batch, 0, 0]
        assert np.abs(found - peer.weights[0].detach().numpy()).max() < 1e-5
        for at in np.ndindex(accumulation, replicas):
            peer.micro_batch(data[model.x][(batch, *at)], data[model.labels][(batch, *at)])
        assert float(torch.nn.utils.clip_grad_norm_(peer.weights, 0.1)) > 0.2
        peer.update()
    with pytest.raises(popart.popart_exception, match="with clip_norm_settings is not simulated"):
        model.training([GRADIENT + model.x], optimizer)
    with pytest.raises(popart.popart_exception, match="of some weights is not simulated"):
        popart.SGD({}, [popart.ClipNormSettings.clipWeights([model.w], 0.1)])


@pytest.mark.parametrize("name", ["const", "adam"])
@pytest.mark.parametrize("accumulation, replicas, mean", [(3, 1, False), (1, 2, False), (2, 2, True)])
def test_accumulation_and_replicas(name, accumulation, replicas, mean):
    check_training(OPTIMIZERS[name][0](), OPTIMIZERS[name][1], accumulation, replicas, mean)


def test_values_of_the_optimizer_change():
    """Learning rates at once, others by another program, with weights and state kept."""
    model = Classifier()

    def values(step):
        return popart.SGD({"defaultLearningRate": (0.1 / (step + 1), False),
                           "defaultMomentum": (0.9 - 0.2 * (step > 1), False)})

    session = model.training([model.loss], values(0))
    peer = Peer(model, lambda p: torch.optim.SGD(p, 0.1, momentum=0.9))
    arrays = session.initAnchorArrays()
    for step in range(4):
        data = model.data()
        session.run(popart.PyStepIO(data, arrays))
        loss, _, _ = peer.micro_batch(data[model.x], data[model.labels])
        assert close(arrays[model.loss], loss)
        peer.update()
        session.updateOptimizerFromHost(values(step + 1))
        peer.optimizer.param_groups[0].update(lr=0.1 / (step + 2), momentum=0.9 - 0.2 * (step + 1 > 1))
    with pytest.raises(popart.popart_exception, match="cannot change"):
        session.updateOptimizerFromHost(popart.SGD({"defaultMomentum": (0.9, False), "lossScaling": (2, True)}))


@pytest.mark.parametrize("mode, most", [("Lamb", 10.0), ("Lamb", 0.5), ("LambNoBias", 0.5)])
def test_lamb(mode, most):
    """The weight's norm is bounded in its ratio to the step's."""
    values = {"defaultLearningRate": (0.1, True), "defaultWeightDecay": (0.01, True),
              "defaultMaxWeightNorm": (most, True)}
    model = Classifier()
    session = model.training([GRADIENT + model.w], popart.Adam(values, mode=getattr(popart.AdamMode, mode)), 2)
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO(model.data(2), arrays))
    w, m, v = model.arrays[0], 0, 0
    for step, g in enumerate(arrays[GRADIENT + model.w], 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        of_m, of_v = (1 - 0.9**step, 1 - 0.999**step) if mode == "Lamb" else (1, 1)
        u = m / of_m / (np.sqrt(v / of_v) + 1e-6) + 0.01 * w
        w = w - 0.1 * min(np.linalg.norm(w), most) / np.linalg.norm(u) * u
    assert close(read(session, model.w), w)


def test_a_bound_of_one_weight_alone_is_refused():
    optimizer = popart.Adam({"defaultLearningRate": (0.1, True)}, mode=popart.AdamMode.Lamb)
    model = Classifier()
    optimizer.insertSpecific(model.w, {"maxWeightNorm": (1.0, True)})
    with pytest.raises(popart.popart_exception, match="a maxWeightNorm of 'init_input' alone is not simulated"):
        model.training([], optimizer)


def test_values_of_single_weights():
    model = Classifier()
    optimizer = popart.SGD({"defaultLearningRate": (0.1, False)})
    optimizer.insertSpecific(model.b, {"learningRate": (0.5, False)})
    session = model.training([model.loss], optimizer)
    peer = Peer(model, lambda p: torch.optim.SGD([{"params": p[:1]}, {"params": p[1:], "lr": 0.5}], 0.1))
    arrays, data = session.initAnchorArrays(), model.data()
    for _ in range(2):
        session.run(popart.PyStepIO(data, arrays))
        loss, _, _ = peer.micro_batch(data[model.x], data[model.labels])
        assert close(arrays[model.loss], loss)
        peer.update()


def conv_net(b, x, w):
    h = b.aiOnnx.relu([b.aiOnnx.conv([x[0], w[0], w[1]], pads=[1, 1, 1, 1], strides=[1, 1])])
    h = b.aiOnnx.maxpool([h], 1, [2, 2], strides=[2, 2])[0]
    return b.aiOnnx.averagepool([h], kernel_shape=[2, 2], strides=[2, 2])


def conv_net_of_torch(x, w):
    return functional.avg_pool2d(functional.max_pool2d(functional.relu(
        functional.conv2d(x[0], w[0], w[1], padding=1)), 2), 2)


def product(b, x, w):
    return b.aiOnnx.matmul([x[0], w[0]])


def lstm_of_torch(x, w):
    h = c = torch.zeros(2, 4)
    results = []
    for step in x[0]:
        i, o, f, g = (step @ w[0][0].t() + h @ w[1][0].t()).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        results.append(h)
    return torch.stack(results)[:, None]


def losses_of(b, x, w):
    p = b.aiOnnx.softmax([product(b, x, w)])
    return b.aiOnnx.add([b.aiGraphcore.nllloss([p, x[1]], popart.ReductionType.Sum),
                         b.aiGraphcore.l1loss([w[0]], 0.1)])


#: operator, shapes of inputs (those without a fraction are labels), shapes of weights, in PopART, in PyTorch.
NETWORKS = {
    "conv": ([(2, 3, 8, 8)], [(4, 3, 3, 3), (4, )], conv_net, conv_net_of_torch),
    "gemm": ([(4, 6)], [(5, 6), (5, )], lambda b, x, w: b.aiOnnx.gemm([x[0], w[0], w[1]], transB=1, alpha=2.0),
             lambda x, w: 2 * (x[0] @ w[0].t()) + w[1]),
    "lstm": ([(3, 2, 5)], [(1, 16, 5), (1, 16, 4)],
             lambda b, x, w: b.aiOnnx.lstm([x[0], w[0], w[1]], 1, hidden_size=4)[0], lstm_of_torch),
    "group norm": ([(4, 4, 5, 5)], [(4, ), (4, )],
                   lambda b, x, w: b.aiGraphcore.groupnormalization([x[0], w[0], w[1]], 2)[0],
                   lambda x, w: functional.group_norm(x[0], 2, w[0], w[1])),
    "fixed batch norm": ([(4, 3, 5, 5)], [(3, ), (3, )],
                         lambda b, x, w: b.aiOnnx.batchnormalization(
                             [x[0], w[0], w[1], b.addInitializedInputTensor(np.full(3, 0.5, np.float32)),
                              b.addInitializedInputTensor(np.full(3, 2, np.float32))], 1)[0],
                         lambda x, w: functional.batch_norm(x[0], torch.full((3, ), 0.5), torch.full((3, ), 2.0),
                                                            w[0], w[1])),
    "batch norm": ([(4, 3, 5, 5)], [(3, ), (3, )],
                   lambda b, x, w: b.aiOnnx.batchnormalization(
                       [x[0], w[0], w[1], b.addInitializedInputTensor(np.zeros(3, np.float32)),
                        b.addInitializedInputTensor(np.ones(3, np.float32))], 5)[0],
                   lambda x, w: functional.batch_norm(x[0], None, None, w[0], w[1], True)),
    "gather": ([4], [(3, 6)], lambda b, x, w: b.aiOnnx.gather([w[0], x[0]], axis=0), lambda x, w: w[0][x[0].long()]),
    "split": ([(4, 6)], [(6, 5)], lambda b, x, w: b.aiOnnx.split([product(b, x, w)], 2, axis=1, split=[2, 3])[1],
              lambda x, w: (x[0] @ w[0])[:, 2:]),
    "reduce": ([(4, 6)], [(6, )], lambda b, x, w: b.aiOnnx.reducemean(
        [b.aiOnnx.exp([b.aiOnnx.add([x[0], w[0]])])], axes=[1], keepdims=0), lambda x, w: (x[0] + w[0]).exp().mean(1)),
    "gelu": ([(4, 6)], [(6, 5)], lambda b, x, w: b.aiGraphcore.gelu([product(b, x, w)]),
             lambda x, w: functional.gelu(x[0] @ w[0], approximate="tanh")),
    "reshape": ([(4, 6)], [(6, 5)], lambda b, x, w: b.aiGraphcore.reshape([product(b, x, w)], [2, -1]),
                lambda x, w: (x[0] @ w[0]).reshape(2, -1)),
    "scaled add": ([(4, 6)], [(6, 5), (5, )],
                   lambda b, x, w: b.aiGraphcore.scaledadd([product(b, x, w), w[1]], 0.5, 2.0),
                   lambda x, w: (x[0] @ w[0]) * 0.5 + 2 * w[1]),
    "two losses": ([(4, 6), 4], [(6, 5)], losses_of, lambda x, w: functional.cross_entropy(
        x[0] @ w[0], x[1].long(), reduction="sum") + 0.1 * w[0].abs().mean()),
    "ignored labels in a sum": ([(4, 6), 4], [(6, 5)], lambda b, x, w: b.aiGraphcore.nllloss(
        [b.aiOnnx.softmax([product(b, x, w)]), x[1]], popart.ReductionType.Sum, ignoreIndex=0),
                                lambda x, w: functional.cross_entropy(x[0] @ w[0], x[1].long(), ignore_index=0,
                                                                      reduction="sum")),
    "ignored labels": ([(4, 6), 4], [(6, 5)], lambda b, x, w: b.aiGraphcore.nllloss(
        [b.aiOnnx.logsoftmax([product(b, x, w)]), x[1]], ignoreIndex=0, inputIsLogProbability=True),
                       lambda x, w: functional.cross_entropy(x[0] @ w[0], x[1].long(), ignore_index=0)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_train(name):
    inputs, weights, build, reference = NETWORKS[name]
    builder = popart.Builder()
    x = [builder.addInputTensor("FLOAT", list(shape)) if isinstance(shape, tuple) else
         builder.addInputTensor("INT32", [shape]) for shape in inputs]
    arrays = [reals(*shape) for shape in weights]
    w = [builder.addInitializedInputTensor(array) for array in arrays]
    y = build(builder, x, w)
    loss = builder.aiGraphcore.l1loss([y], 0.5, popart.ReductionType.Sum) if builder.getTensorShape(y) else y
    anchors = [y, loss, *(GRADIENT + name for name in w)]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, anchors), loss, popart.ConstSGD(0.1),
                                     popart.DeviceManager().createIpuModelDevice({"tilesPerIPU": 64}))
    session.prepareDevice()
    session.weightsFromHost()
    found, peers = session.initAnchorArrays(), [torch.nn.Parameter(torch.tensor(array)) for array in arrays]
    optimizer = torch.optim.SGD(peers, 0.1)
    for _ in range(2):
        data = [reals(*shape) if isinstance(shape, tuple) else np.array([0, 1, 2, 1], np.int32) for shape in inputs]
        session.run(popart.PyStepIO(dict(zip(x, data)), found))
        optimizer.zero_grad()
        result = reference([torch.tensor(array) for array in data], peers)
        total = result.abs().sum() * 0.5 if result.dim() else result
        total.backward()
        expected = [result.detach(), total.detach(), *(peer.grad for peer in peers)]
        assert all(close(found[name], value) for name, value in zip(anchors, expected))
        optimizer.step()


def test_half_is_rounded_as_on_the_device():
    builder = popart.Builder()
    x = builder.addInputTensor("FLOAT16", [BATCH, FEATURES])
    w = builder.addInitializedInputTensor(reals(FEATURES, CLASSES).astype(np.float16))
    y = builder.aiOnnx.matmul([x, w])
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y, w]), small_device())
    session.prepareDevice()
    session.weightsFromHost()
    arrays, data = session.initAnchorArrays(), reals(BATCH, FEATURES).astype(np.float16)
    session.run(popart.PyStepIO({x: data}, arrays))
    assert arrays[y].dtype == np.float16
    assert np.allclose(arrays[y], data.astype(np.float32) @ arrays[w].astype(np.float32), rtol=2e-3, atol=2e-3)


def test_running_statistics_are_weights():
    """ONNX's momentum is the share that is kept; validation normalises by what training has left."""
    def model(outputs):
        builder = popart.Builder()
        x = builder.addInputTensor("FLOAT", [4, 3, 5, 5])
        operands = [builder.addInitializedInputTensor(np.full(3, value, np.float32)) for value in (1, 0, 0, 1)]
        y = builder.aiOnnx.batchnormalization([x, *operands], outputs, momentum=0.75)[0]
        return builder, x, operands, y, builder.aiGraphcore.l1loss([y], 1.0)

    builder, x, (_, _, mean, variance), y, loss = model(5)
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(2, [loss]), loss, popart.ConstSGD(0.0),
                                     small_device())
    session.prepareDevice()
    session.weightsFromHost()
    data = reals(2, 4, 3, 5, 5) * 2 + 1
    session.run(popart.PyStepIO({x: data}, session.initAnchorArrays()))
    expected_mean, expected_variance = np.zeros(3), np.ones(3)
    for batch in data:
        expected_mean = 0.75 * expected_mean + 0.25 * batch.mean((0, 2, 3))
        expected_variance = 0.75 * expected_variance + 0.25 * batch.var((0, 2, 3))
    assert close(read(session, mean), expected_mean) and close(read(session, variance), expected_variance)
    session.modelToHost("trained.onnx")
    builder, x, _, y, _ = model(1)
    options = popart.SessionOptions()
    options.constantWeights = False
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), small_device(),
                                      userOptions=options)
    session.prepareDevice()
    session.resetHostWeights("trained.onnx")
    session.weightsFromHost()
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: data[0].copy()}, arrays))
    found = torch.tensor(data[0])
    expected = functional.batch_norm(found, torch.tensor(expected_mean).float(), torch.tensor(expected_variance).float())
    assert close(arrays[y], expected)


@pytest.mark.parametrize("reduction", ["Sum", "Mean"])
def test_ignored_labels_in_half(reduction):
    builder = popart.Builder()
    x, labels = builder.addInputTensor("FLOAT16", [4, 5]), builder.addInputTensor("INT32", [4])
    w = builder.addInitializedInputTensor(np.eye(5, dtype=np.float16))
    p = builder.aiOnnx.softmax([builder.aiOnnx.matmul([x, w])])
    loss = builder.aiGraphcore.nllloss([p, labels], popart.ReductionType[reduction], ignoreIndex=2)
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.1),
                                     small_device())
    session.prepareDevice()
    session.weightsFromHost()
    arrays, data = session.initAnchorArrays(), reals(4, 5).astype(np.float16)
    session.run(popart.PyStepIO({x: data, labels: np.array([0, 2, 4, 2], np.int32)}, arrays))
    expected = functional.cross_entropy(torch.tensor(data).float(), torch.tensor([0, 2, 4, 2]), ignore_index=2,
                                        reduction=reduction.lower())
    assert arrays[loss].dtype == np.float16 and arrays[loss] == pytest.approx(expected.item(), rel=5e-3)
