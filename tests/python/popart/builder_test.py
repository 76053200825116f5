"""The builder: names, operators of all opsets, attributes, what it knows of tensors, and errors."""
import numpy as np
import onnx
import popart
import pytest
from popart._operators import ONNX_VERSIONS, graphcore_operators, onnx_operators

from .models import infer, reals


@pytest.fixture(name="builder")
def builder_with_an_input():
    builder = popart.Builder()
    assert builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 3])) == "input"
    return builder


def nodes_of(builder):
    return onnx.load_model_from_string(builder.getModelProto()).graph.node


def test_names_are_those_of_popart(builder):
    assert builder.addInputTensor("FLOAT", [2, 3]) == "input/1"
    assert builder.addInputTensor(dataType="INT32", shape=[2], debugContext="labels") == "labels"
    weight = builder.addInitializedInputTensor(reals(3, 4))
    assert [weight, builder.addInitializedInputTensor(reals(3), "w")] == ["init_input", "w"]
    add = [builder.aiOnnx.add(["input", "input/1"], "named") for _ in range(2)]
    assert add == ["Add:0", "Add:0/1"]
    with builder.nameScope("layer"):
        assert builder.getNameScope("x") == "layer/x"
        assert builder.aiOnnx.relu(["input"]) == "layer/Relu:0"
        assert builder.aiOnnx.dropout(["input"], 2, ratio=0.1) == ["layer/Dropout:0", "layer/Dropout:1"]
    assert [node.name for node in nodes_of(builder)] == ["named", "named", "layer/Relu", "layer/Dropout"]


@pytest.mark.parametrize("version", ONNX_VERSIONS)
def test_operators_are_those_of_the_schemas(version):
    operators = onnx_operators(version)
    assert {"matmul", "conv", "lstm", "constant", "logical_and", "logical_if"} <= set(operators)
    assert ("where" in operators) == (version >= 9) and ("resize" in operators) == (version >= 10)
    assert "softmaxcrossentropyloss" not in operators
    builder = popart.Builder(opsets={"ai.onnx": version, "ai.graphcore": 1})
    assert "matmul" in dir(builder.aiOnnx) and str(builder.aiOnnx) == f"AiOnnx{version}"
    x = builder.addInputTensor("FLOAT", [2, 3])
    getattr(builder, f"aiOnnxOpset{version}").relu([x])
    model = onnx.load_model_from_string(builder.getModelProto())
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", version)]
    onnx.checker.check_model(model)


@pytest.mark.parametrize("method, signature", [
    ("gemm", "(args, alpha=1.0, beta=1.0, transA=0, transB=0, debugContext='')"),
    ("conv", "(args, dilations=None, group=1, kernel_shape=None, pads=None, strides=None, auto_pad='NOTSET', "
             "debugContext='')"),
    ("maxpool", "(args, num_outputs, kernel_shape, ceil_mode=0, dilations=None, pads=None, storage_order=0, "
                "strides=None, auto_pad='NOTSET', debugContext='')"),
    ("constant", "(value, debugContext='')"),
    ("softmax", "(args, axis=1, debugContext='')"),
])
def test_signatures(builder, method, signature):
    assert str(getattr(builder.aiOnnx, method).__signature__) == signature


@pytest.mark.parametrize("name", graphcore_operators())
def test_operators_of_graphcore_become_nodes(builder, name):
    operator = graphcore_operators()[name]
    of_type = {"INT": 1, "FLOAT": 0.5, "STRING": "Sum", "INTS": [1, 1]}
    values = [of_type[onnx.AttributeProto.AttributeType.Name(a.type)] for a in operator.attributes
              if a.is_required and a.type != onnx.AttributeProto.GRAPH]
    if name == "call":
        values = [1, builder.createSubgraphBuilder()]
    operands = [] if name == "init" else [["input", "input"]]
    getattr(builder.aiGraphcore, name)(*operands, *values)
    node = nodes_of(builder)[0]
    assert (node.op_type, node.domain) == (operator.type, "ai.graphcore")


def test_an_opset_is_chosen_once(builder):
    builder.aiOnnx.relu(["input"])
    with pytest.raises(RuntimeError, match="Invalid opset 'aiOnnxOpset9' selected. Opset for domain ai.onnx already "
                       "defined as 10"):
        builder.aiOnnxOpset9.relu(["input"])


@pytest.mark.parametrize("call, error, says", [
    (lambda b: b.aiOnnx.matmull(["input"]), AttributeError, "did you mean 'matmul'"),
    (lambda b: b.aiOnnx.matmul(["input"]), popart.popart_exception, "invalid number of inputs 1"),
    (lambda b: b.aiOnnx.relu(["x"]), popart.popart_exception, "Unknown tensor 'x'"),
    (lambda b: b.aiOnnx.matmul(["input", "input"]), popart.popart_exception, "Incompatible dimensions"),
    (lambda b: b.aiOnnx.relu(["input"], slope=1), TypeError, "slope"),
    (lambda b: b.aiGraphcore.packedDataBlock(["input"]), popart.popart_exception, "not simulated"),
    (lambda b: b.aiGraphcore.multiconv([["input", "input"]], strides=[[1], [1]]), popart.popart_exception,
     "1 convolutions, but 2 strides"),
    (lambda b: b.getTensorShape("y"), popart.popart_exception, "y is not an known tensor"),
    (lambda b: b.virtualGraph("y", 1), popart.popart_exception, "Could not find a node"),
    (lambda b: popart.TensorInfo("FLOAT8", [1]), popart.popart_exception, "FLOAT8"),
    (lambda b: popart.Builder("missing.onnx"), popart.popart_exception, "Failed to load"),
    (lambda b: b.nonsense, AttributeError, "nonsense"),
])
def test_errors(builder, call, error, says):
    with pytest.raises(error, match=says):
        call(builder)


def test_what_is_known_of_tensors(builder):
    weight = builder.addInitializedInputTensor(reals(3, 4).astype(np.float16), "w")
    half = builder.aiOnnx.cast(["input"], "FLOAT16")
    product = builder.aiOnnx.matmul([half, weight])
    loss = builder.aiGraphcore.l1loss([product], 0.1)
    builder.addOutputTensor(product)
    assert builder.getTensorShape(product) == [2, 4] and builder.getTensorDtypeString(product) == "float16"
    assert builder.getTensorShape(loss) == []
    assert builder.getInputTensorIds() == ["input", "w"] and builder.getOutputTensorIds() == [product]
    assert builder.getValueTensorIds() == [half, product, loss] and builder.getTrainableTensorIds() == ["w"]
    assert builder.isInitializer("w") and not builder.isInitializer("input")
    again = popart.Builder(builder.getModelProto())
    assert again.getTensorShape(product) == [2, 4] and again.aiOnnx.relu([product]) == "Relu:0"
    reshaped = builder.reshape_const(builder.aiOnnx, [product], [4, -1])
    assert builder.getTensorShape(reshaped) == [4, 2]


def test_attributes_of_operations(builder):
    with builder.virtualGraph(1), builder.pipelineStage(2), builder.schedulePriority(3.0):
        y = builder.aiOnnx.relu(["input"])
        assert (builder.getVirtualGraph(), builder.getPipelineStage(), builder.hasExecutionPhase()) == (1, 2, False)
    z = builder.aiOnnx.relu([y])
    builder.virtualGraph(z, 3)
    builder.executionPhase({z}, 4)
    builder.recomputeOutputInBackwardPass(z)
    builder.setAvailableMemoryProportion({z}, 0.25)
    builder.setPartialsType(z, "HALF")
    builder.addNodeAttribute("mine", [1, 2], {z})
    assert builder.getVirtualGraph(y) == 1 and builder.getVirtualGraph(z) == 3
    assert builder.getRecomputeOutputInBackwardPass(z) and not builder.getRecomputeOutputInBackwardPass(y)
    assert builder.getPartialsType(z) == "HALF" and builder.getPartialsType(y) == "FLOAT"
    assert builder.getInt64VectorNodeAttribute("mine", {z}) == [1, 2]
    assert builder.getFloatNodeAttribute("__available_memory", {z}) == 0.25
    builder.removeNodeAttribute("mine", {z})
    assert not builder.nodeHasAttribute("mine", {z})
    with pytest.raises(popart.popart_exception, match="already has attribute __ipu_number"):
        builder.virtualGraph(z, 0)
    with pytest.raises(popart.popart_exception, match="does not have an attribute mine"):
        builder.getStringNodeAttribute("mine", {z})
    kept = builder.checkpointOutput([z])
    assert kept == ["Identity:0"] and builder.getInt64NodeAttribute("__recompute_output_in_backward_pass", kept) == 1


def test_calls_of_a_subgraph(builder):
    weight = builder.addInitializedInputTensor(np.full((3, 3), 0.5, np.float32))
    inner = builder.createSubgraphBuilder()
    x, w = inner.addInputTensor("FLOAT", [2, 3]), inner.addInputTensor("FLOAT", [3, 3])
    inner.addOutputTensor(inner.aiOnnx.relu([inner.aiOnnx.matmul([x, w])]))
    first = builder.aiGraphcore.call(["input", weight], 1, inner)[0]
    second = builder.aiGraphcore.call([first, weight], 1, inner)[0]
    data = reals(2, 3)
    found, = infer(builder, {"input": data}, second)
    expected = data
    for _ in range(2):
        expected = np.maximum(expected @ np.full((3, 3), 0.5), 0)
    assert np.allclose(found, expected, rtol=2e-3)


def test_convolutions_that_run_together():
    builder = popart.Builder()
    x = [builder.addInputTensor("FLOAT", [1, 2, 6, 6]) for _ in range(2)]
    kernels = [reals(3, 2, 3, 3), reals(4, 2, 1, 1)]
    w = [builder.addInitializedInputTensor(kernel) for kernel in kernels]
    made = builder.aiGraphcore.multiconv(list(zip(x, w)), pads=[[1] * 4, [0] * 4], planType="parallel",
                                         availableMemoryProportions=[0.3, 0.4], perConvReservedTiles=2)
    assert [builder.getTensorShape(name) for name in made] == [[1, 3, 6, 6], [1, 4, 6, 6]]
    assert [builder.getInt64NodeAttribute("__multi_conv", {name}) for name in made] == [0, 0]
    data = [reals(1, 2, 6, 6) for _ in x]
    found = infer(builder, dict(zip(x, data)), *made)
    assert np.allclose(found[1][0], np.einsum("chw,oc->ohw", data[1][0], kernels[1][:, :, 0, 0]), rtol=2e-3, atol=1e-5)
    padded = np.pad(data[0][0], ((0, 0), (1, 1), (1, 1)))
    corner = (padded[:, :3, :3] * kernels[0][0]).sum()
    assert found[0][0, 0, 0, 0] == pytest.approx(corner, rel=2e-3)


@pytest.mark.parametrize("axis, shape", [(-1, [4, 3]), (0, [3, 4])])
def test_the_shape_of_one_hot_numbers_is_known(axis, shape):
    """ONNX's own inference leaves it out; what follows has a shape and can be an anchor."""
    builder = popart.Builder()
    numbers = builder.addInputTensor("INT32", [4])
    depth, values = builder.aiOnnx.constant(np.array([3])), builder.aiOnnx.constant(np.array([0, 2], np.float32))
    made = builder.aiOnnx.onehot([numbers, depth, values], axis=axis)
    doubled = builder.aiOnnx.add([made, made])
    assert builder.getTensorShape(doubled) == shape
    found, = infer(builder, {numbers: np.array([2, 0, 1, 2], np.int32)}, doubled)
    wanted = 4 * np.eye(3, dtype=np.float32)[[2, 0, 1, 2]]
    assert np.array_equal(found, wanted.T if axis == 0 else wanted)
