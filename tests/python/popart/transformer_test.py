"""Changes of whole models before a session takes them."""
import numpy as np
import onnx
import popart
import pytest

from .models import infer, reals


def graph_of(transformer):
    return onnx.load_model_from_string(transformer.getModelProto()).graph


@pytest.fixture(name="builder")
def builder_of_a_model():
    builder = popart.Builder()
    x = builder.addInputTensor("FLOAT", [2, 3, 4, 4], "x")
    scale, shift, mean, variance = (builder.addInitializedInputTensor(np.full(3, value, np.float32), name)
                                    for name, value in (("scale", 2), ("shift", 1), ("mean", 0.5), ("var", 4)))
    builder.addInitializedInputTensor(reals(3), "unused")
    y = builder.aiOnnx.batchnormalization([x, scale, shift, mean, variance], 1)[0]
    size = builder.addInitializedInputTensor(np.array([2, -1], np.int64), "size")
    builder.addOutputTensor(builder.aiOnnx.reshape([y, size]))
    return builder


def test_unused_inputs_go(builder):
    transformer = popart.GraphTransformer(builder.getModelProto())
    transformer.removeUnusedInputs()
    names = [value.name for value in graph_of(transformer).input]
    assert "unused" not in names and {"x", "scale", "size"} <= set(names)


def test_floats_become_halves(builder):
    builder.saveModelProto("model.onnx")
    transformer = popart.GraphTransformer("model.onnx")
    transformer.convertFloatsToHalfs()
    half = popart.Builder(transformer.getModelProto())
    y = half.getOutputTensorIds()[0]
    assert half.getTensorDtypeString(y) == half.getTensorDtypeString("scale") == "float16"
    data = reals(2, 3, 4, 4).astype(np.float16)
    found, = infer(half, {"x": data}, y)
    expected = ((data.astype(np.float32) - 0.5) / np.sqrt(4 + 1e-5) * 2 + 1).reshape(2, -1)
    assert np.allclose(found, expected, rtol=5e-3, atol=5e-3)


def test_normalisations_train(builder):
    transformer = popart.GraphTransformer(builder.getModelProto())
    transformer.prepareNodesForTraining()
    trained = popart.Builder(transformer.getModelProto())
    y = trained.getOutputTensorIds()[0]
    loss = trained.aiGraphcore.l1loss([y], 1.0)
    session = popart.TrainingSession(trained.getModelProto(), popart.DataFlow(1, [y]), loss, popart.ConstSGD(0.0),
                                     popart.DeviceManager().createIpuModelDevice({}))
    session.prepareDevice()
    session.weightsFromHost()
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO({"x": reals(2, 3, 4, 4) * 3}, arrays))
    of_channels = arrays[y].reshape(2, 3, 16)
    assert np.allclose(of_channels.mean((0, 2)), 1, atol=2e-3) and np.allclose(of_channels.std((0, 2)), 2, atol=1e-2)


def test_weights_become_constants(builder):
    transformer = popart.GraphTransformer(builder.getModelProto())
    transformer.convertAllFixedPointInitializersToConstants()
    transformer.convertInitializersToConstants(["scale"])
    graph = graph_of(transformer)
    assert {"size", "scale"}.isdisjoint(tensor.name for tensor in graph.initializer)
    assert [node.output[0] for node in graph.node if node.op_type == "Constant"] == ["scale", "size"]
    with pytest.raises(popart.popart_exception, match="'x' is not an initializer"):
        transformer.convertInitializersToConstants(["x"])


def test_whole_numbers_of_the_caller_have_32_bits():
    builder = popart.Builder()
    rows = builder.addInputTensor("INT64", [2])
    table = builder.addInitializedInputTensor(reals(4, 3))
    y = builder.aiOnnx.gather([table, rows])
    transformer = popart.GraphTransformer(builder.getModelProto())
    transformer.convertINT64ToINT32()
    changed = popart.Builder(transformer.getModelProto())
    assert changed.getTensorDtypeString(rows) == "int32"
    found, = infer(changed, {rows: np.array([3, 1], np.int32)}, y)
    assert found.shape == (2, 3)
