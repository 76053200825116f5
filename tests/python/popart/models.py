"""Small models and sessions of the tests."""
import numpy as np
import popart

ALL = popart.AnchorReturnType("All")
FEATURES, CLASSES, BATCH = 6, 5, 4


def device(ipus=1):
    return popart.DeviceManager().acquireAvailableDevice(ipus)


def small_device():
    """The model of an IPU of four tiles."""
    return popart.DeviceManager().createIpuModelDevice({})


def reals(*shape):
    return (np.random.randn(*shape) * 0.5).astype(np.float32)


class Classifier:
    """A linear layer, softmax and the likelihood loss."""

    def __init__(self, reduction=popart.ReductionType.Mean):
        self.builder = builder = popart.Builder()
        self.x = builder.addInputTensor(popart.TensorInfo("FLOAT", [BATCH, FEATURES]))
        self.labels = builder.addInputTensor("INT32", [BATCH])
        self.arrays = [reals(FEATURES, CLASSES), reals(CLASSES)]
        self.w, self.b = [builder.addInitializedInputTensor(array) for array in self.arrays]
        self.y = builder.aiOnnx.add([builder.aiOnnx.matmul([self.x, self.w]), self.b])
        probabilities = builder.aiOnnx.softmax([self.y])
        self.loss = builder.aiGraphcore.nllloss([probabilities, self.labels], reduction)

    def training(self, anchors, optimizer=None, batches=1, options=None, ipus=1, kind=ALL):
        session = popart.TrainingSession(self.builder.getModelProto(),
                                         popart.DataFlow(batches, anchors, kind), self.loss,
                                         optimizer or popart.ConstSGD(0.1), device(ipus),
                                         userOptions=options)
        session.prepareDevice()
        session.weightsFromHost()
        return session

    def inference(self, anchors, batches=1, options=None):
        session = popart.InferenceSession(self.builder.getModelProto(),
                                          popart.DataFlow(batches, anchors), device(),
                                          userOptions=options)
        session.prepareDevice()
        return session

    def data(self, *leading):
        return {self.x: reals(*leading, BATCH, FEATURES),
                self.labels: np.random.randint(0, CLASSES, (*leading, BATCH)).astype(np.int32)}


def infer(builder, inputs, *anchors, batches=1, kind=ALL):
    """The values of anchors."""
    session = popart.InferenceSession(builder.getModelProto(),
                                      popart.DataFlow(batches, list(anchors), kind), small_device())
    session.prepareDevice()
    session.weightsFromHost()
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, arrays))
    return [arrays[name] for name in anchors]


def read(session, name):
    """A weight on the device."""
    session.weightsToHost()
    array = np.zeros(session.getInfo(name).shape(), session.getInfo(name).numpy_type())
    session.readWeights(popart.PyWeightsIO({name: array}))
    return array
