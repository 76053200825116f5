"""A layer of a transformer's encoder, as published models of PopART build it, trains as in PyTorch: two stages, two
replicas, accumulation, recomputation, and Adam's state in shards off the chip."""
import math
from contextlib import ExitStack

import numpy as np
import popart
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
functional = torch.nn.functional

SIZE, LENGTH, WORDS, HEADS, BATCH = 16, 8, 20, 2, 2
ACCUMULATION, REPLICAS, RATE = 3, 2, 0.01


class Encoder:
    """The model in PopART; `arrays` are its weights by id."""

    def __init__(self):
        self.builder = popart.Builder(opsets={"ai.onnx": 9, "ai.graphcore": 1})
        self.onnx, self.graphcore = self.builder.aiOnnx, self.builder.aiGraphcore
        self.arrays = {}
        self.words = self.builder.addInputTensor(popart.TensorInfo("INT32", [BATCH * LENGTH]), "words")
        self.labels = self.builder.addInputTensor(popart.TensorInfo("INT32", [BATCH * LENGTH]), "labels")
        self.mask = self.builder.addInputTensor(popart.TensorInfo("FLOAT", [BATCH, 1, 1, LENGTH]), "mask")
        with self._stage("Embedding", 0):
            x = self.norm(self.onnx.gather([self.weight("Table", WORDS, SIZE), self.words]), "Norm")
        with self._stage("Attention", 0):
            x = self.norm(self.onnx.add([x, self.attention(x)]), "Norm")
        with self._stage("Feedforward", 1):
            f = self.graphcore.gelu([self.dense(x, 4 * SIZE, "In")])
            x = self.norm(self.onnx.add([x, self.dense(f, SIZE, "Out")]), "Norm")
        with self._stage("Head", 1):
            p = self.onnx.softmax([self.onnx.matmul([x, self.weight("W", SIZE, WORDS)])], axis=1)
            self.loss = self.graphcore.nllloss([p, self.labels], popart.ReductionType.Sum, ignoreIndex=0)
            best = self.onnx.cast([self.onnx.argmax([p], axis=1, keepdims=0)], "INT32")
            hits = self.onnx.cast([self.onnx.equal([best, self.labels])], "INT32")
            self.hits = self.onnx.reducesum([hits], keepdims=0)

    def _stage(self, name, number):
        stack = ExitStack()
        for part in (self.builder.nameScope(name), self.builder.virtualGraph(number),
                     self.builder.pipelineStage(number)):
            stack.enter_context(part)
        return stack

    def weight(self, name, *shape):
        array = (np.random.randn(*shape) * 0.2 + (name == "Scale")).astype(np.float32)
        made = self.builder.addInitializedInputTensor(array, name)
        self.arrays[made] = array
        return made

    def norm(self, x, name):
        with self.builder.nameScope(name):
            operands = [x, self.weight("Scale", SIZE), self.weight("Shift", SIZE)]
        return self.graphcore.groupnormalization(operands, 1, 1e-5)[0]

    def dense(self, x, size, name):
        with self.builder.nameScope(name):
            w, b = self.weight("W", self.builder.getTensorShape(x)[1], size), self.weight("B", size)
        return self.onnx.add([self.onnx.matmul([x, w]), b])

    def heads(self, x, order):
        shaped = self.builder.reshape_const(self.onnx, [x], [BATCH, LENGTH, HEADS, SIZE // HEADS])
        return self.onnx.transpose([shaped], order)

    def constant(self, number):
        return self.onnx.constant(np.array(number, np.float32))

    def attention(self, x):
        q, k, v = self.onnx.split([self.onnx.matmul([x, self.weight("QKV", SIZE, 3 * SIZE)])], 3, axis=1,
                                  split=[SIZE] * 3)
        scores = self.onnx.matmul([self.heads(q, [0, 2, 1, 3]), self.heads(k, [0, 2, 3, 1])])
        scores = self.onnx.mul([scores, self.constant(1 / math.sqrt(SIZE // HEADS))])
        hidden = self.onnx.mul([self.onnx.sub([self.mask, self.constant(1)]), self.constant(1000)])
        p = self.onnx.softmax([self.onnx.add([scores, hidden])], axis=3)
        mixed = self.onnx.transpose([self.onnx.matmul([p, self.heads(v, [0, 2, 1, 3])])], [0, 2, 1, 3])
        return self.dense(self.builder.reshape_const(self.onnx, [mixed], [BATCH * LENGTH, SIZE]), SIZE, "Out")


def loss_of_torch(w, words, labels, mask):
    def norm(x, name):
        return functional.layer_norm(x, (SIZE, ), w[f"{name}/Norm/Scale"], w[f"{name}/Norm/Shift"])

    def dense(x, name):
        return x @ w[f"{name}/W"] + w[f"{name}/B"]

    x = norm(w["Embedding/Table"][words], "Embedding")
    q, k, v = [part.reshape(BATCH, LENGTH, HEADS, -1).transpose(1, 2) for part in (x @ w["Attention/QKV"]).chunk(3, 1)]
    p = (q @ k.transpose(2, 3) / math.sqrt(SIZE // HEADS) + (mask - 1) * 1000).softmax(3)
    mixed = (p @ v).transpose(1, 2).reshape(BATCH * LENGTH, SIZE)
    x = norm(x + dense(mixed, "Attention/Out"), "Attention")
    f = functional.gelu(dense(x, "Feedforward/In"), approximate="tanh")
    x = norm(x + dense(f, "Feedforward/Out"), "Feedforward")
    return functional.cross_entropy(x @ w["Head/W"], labels, reduction="sum", ignore_index=0)


def options_of_a_pipeline():
    options = popart.SessionOptions()
    options.enablePipelining = options.enableGradientAccumulation = options.enableReplicatedGraphs = True
    options.virtualGraphMode = popart.VirtualGraphMode.Manual
    options.accumulationFactor, options.replicatedGraphCount = ACCUMULATION, REPLICAS
    options.autoRecomputation = popart.RecomputationType.Pipeline
    location = popart.TensorLocation(popart.TensorStorage.OffChip, popart.ReplicatedTensorSharding.On)
    options.optimizerStateTensorLocationSettings = popart.TensorLocationSettings(location, 2, 16)
    return options


def test_an_encoder_layer_trains_as_in_pytorch():
    model = Encoder()
    optimizer = popart.Adam({"defaultLearningRate": (RATE, False), "defaultWeightDecay": (0.1, True),
                             "lossScaling": (8.0, True)})
    optimizer.insertSpecific("Head/W", {"weightDecay": (0.0, True)})
    flow = popart.DataFlow(1, {model.loss: popart.AnchorReturnType("All"), model.hits: popart.AnchorReturnType("Sum")})
    session = popart.TrainingSession(model.builder.getModelProto(), flow, model.loss, optimizer,
                                     popart.DeviceManager().acquireAvailableDevice(4),
                                     userOptions=options_of_a_pipeline())
    session.prepareDevice()
    session.weightsFromHost()
    arrays = session.initAnchorArrays()
    w = {name: torch.nn.Parameter(torch.tensor(array)) for name, array in model.arrays.items()}
    peer = torch.optim.AdamW([{"params": [w[name] for name in w if name != "Head/W"]},
                              {"params": [w["Head/W"]], "weight_decay": 0}], RATE, eps=1e-6, weight_decay=0.1)
    leading = (ACCUMULATION, REPLICAS)
    for _ in range(2):
        data = {model.words: np.random.randint(0, WORDS, (*leading, BATCH * LENGTH)).astype(np.int32),
                model.labels: np.random.randint(0, WORDS, (*leading, BATCH * LENGTH)).astype(np.int32),
                model.mask: (np.random.rand(*leading, BATCH, 1, 1, LENGTH) > 0.2).astype(np.float32)}
        session.run(popart.PyStepIO(data, arrays))
        peer.zero_grad()
        for at in np.ndindex(leading):
            words, labels, mask = (torch.tensor(array[at]) for array in data.values())
            loss = loss_of_torch(w, words.long(), labels.long(), mask)
            loss.backward()
            assert arrays[model.loss][at] == pytest.approx(loss.item(), rel=2e-3)
        peer.step()
    assert arrays[model.hits].shape == (REPLICAS, ) and arrays[model.hits].dtype == np.int32
    session.weightsToHost()
    read = {name: np.zeros_like(array) for name, array in model.arrays.items()}
    session.readWeights(popart.PyWeightsIO(read))
    for name, weight in w.items():
        assert np.allclose(read[name], weight.detach(), rtol=2e-3, atol=2e-3), name
