"""Sessions: anchors, weights, devices, profiles, and the texts of errors."""
import json

import numpy as np
import onnx
import popart
import pva
import pytest

from .models import ALL, BATCH, CLASSES, FEATURES, Classifier, device, infer, read, reals, small_device

WORKED = [("All", [1, 2, 3, 4, 5, 6, 7, 8]), (("EveryN", 4), [4, 8]), ("Final", [8]), ("Sum", [36])]


@pytest.mark.parametrize("kind, expected", WORKED)
def test_what_anchors_return(kind, expected):
    builder = popart.Builder()
    y = builder.aiOnnx.identity([builder.addInputTensor("FLOAT", [1])])
    kind = popart.AnchorReturnType(*(kind if isinstance(kind, tuple) else (kind.lower(), )))
    found, = infer(builder, {"input": np.arange(1, 9, dtype=np.float32)}, y, batches=8, kind=kind)
    assert found.ravel().tolist() == expected


@pytest.mark.parametrize("kind, leading", [("All", [3, 2, 2]), ("Final", [2]), ("Sum", [2]), (("EveryN", 3), [2, 2])])
def test_anchors_of_accumulation_and_replicas(kind, leading):
    """Leading dimensions are batches, micro-batches of an update, replicas; those of 1 are left out."""
    options = popart.SessionOptions()
    options.enableGradientAccumulation = options.enableReplicatedGraphs = True
    options.accumulationFactor = options.replicatedGraphCount = 2
    model = Classifier()
    kind = popart.AnchorReturnType(*(kind if isinstance(kind, tuple) else (kind, )))
    anchors = [model.loss, model.x, popart.reservedGradientPrefix() + model.b]
    session = model.training(anchors, None, 3, options, 2, kind)
    arrays, data = session.initAnchorArrays(), model.data(3, 2, 2)
    assert (session.accumulationFactor, session.replicationFactor) == (2, 2)
    session.run(popart.PyStepIO(data, arrays))
    assert [list(arrays[name].shape) for name in anchors] == [leading, [*leading, BATCH, FEATURES], [*leading, CLASSES]]
    name = kind.id().name
    expected = data[model.x].sum((0, 1)) if name == "Sum" else data[model.x] if name == "All" else (
        data[model.x][-1, -1] if name == "Final" else data[model.x][-1])
    assert np.allclose(arrays[model.x], expected, rtol=1e-5, atol=1e-5)


def test_weights_and_accumulators_are_anchors():
    """A weight is as a micro-batch finds it; the accumulator is the sum of the gradients until then."""
    options = popart.SessionOptions()
    options.enableGradientAccumulation, options.accumulationFactor = True, 3
    model = Classifier()
    gradient, sums = popart.reservedGradientPrefix() + model.w, popart.reservedAccumPrefix() + model.w
    session = model.training([model.w, gradient, sums], popart.ConstSGD(1.0), 2, options)
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO(model.data(2, 3), arrays))
    assert np.allclose(arrays[sums], arrays[gradient].cumsum(1), atol=1e-6)
    assert np.allclose(arrays[model.w][0], model.arrays[0])
    assert np.allclose(arrays[model.w][1], model.arrays[0] - arrays[sums][0, -1], rtol=2e-3, atol=1e-5)


def test_weights_go_to_the_host_and_back():
    model = Classifier()
    session = model.training([], popart.SGD({"defaultMomentum": (0.9, True)}))
    data = model.data()
    session.run(popart.PyStepIO(data, {}))
    trained = read(session, model.w)
    assert not np.allclose(trained, model.arrays[0])
    session.modelToHost("trained.onnx")
    names = [tensor.name for tensor in onnx.load("trained.onnx").graph.initializer]
    state = popart.reservedAcclPrefix() + model.w
    assert names[:2] == [model.w, model.b] and state in names
    session.run(popart.PyStepIO(data, {}))
    twice = read(session, model.w)
    session.resetHostWeights("trained.onnx")
    session.weightsFromHost()
    assert np.allclose(read(session, model.w), trained)
    session.run(popart.PyStepIO(data, {}))  # with the momentum of the file
    assert np.allclose(read(session, model.w), twice, rtol=1e-5)
    session.writeWeights(popart.PyWeightsIO({model.w: model.arrays[0]}))
    session.weightsFromHost()
    assert np.allclose(read(session, model.w), model.arrays[0])


def test_weights_of_another_model_are_refused():
    model, options = Classifier(), popart.SessionOptions()
    model.training([], popart.SGD({"defaultMomentum": (0.9, True)})).modelToHost("trained.onnx")
    options.constantWeights = False
    session = model.inference([model.y], options=options)
    with pytest.raises(popart.popart_exception) as caught:
        session.resetHostWeights("trained.onnx")
    assert caught.value.args[0] == f"resetWeights, no tensor 'Accl___{model.w}' in tensors"
    session.resetHostWeights("trained.onnx", ignoreWeightsInModelWithoutCorrespondingHostWeight=True)
    with pytest.raises(popart.popart_exception, match="constantWeights"):
        model.inference([model.y]).writeWeights(popart.PyWeightsIO({}))


def run(session, data):
    session.run(popart.PyStepIO(data, session.initAnchorArrays()))


def with_options(**values):
    options = popart.SessionOptions()
    for name, value in values.items():
        setattr(options, name, value)
    return options


ERRORS = [
    (lambda m: popart.DataFlow(0, []), "'Batches per step' must be greater than zero"),
    (lambda m: popart.DataFlow(3, ["x"], popart.AnchorReturnType("EveryN", 2)),
     "Return period must be a factor of the number of batches per step"),
    (lambda m: popart.AnchorReturnType("Every"), "Invalid anchor return type ID supplied: Every"),
    (lambda m: popart.AnchorReturnType("All", 2),
     "A return period should not be supplied for this anchor return type"),
    (lambda m: popart.AnchorReturnType("EveryN"), "Must specify return period with option 'EVERYN'"),
    (lambda m: popart.AnchorReturnType("EveryN", 0), "Anchor return period must be greater than zero"),
    (lambda m: m.inference([]), "User must specify an anchor tensor when doing inference."),
    (lambda m: m.inference(["nowhere"]), "Anchor tensor 'nowhere' not found"),
    (lambda m: m.inference([m.y], options=with_options(enableGradientAccumulation=True, accumulationFactor=2)),
     "Gradient Accumulation only available when training."),
    (lambda m: m.training([], options=with_options(enablePipelining=True)),
     "Pipelining requires more than 1 IPU (currently 1) and the 'virtualGraphMode' session option to not be "
     "VirtualGraphMode::Off (currently VirtualGraphMode::Off)."),
    (lambda m: m.training([], ipus=2, options=with_options(virtualGraphMode=popart.VirtualGraphMode.Manual)),
     "SessionOptions flag virtualGraphMode is VirtualGraphMode::Manual, but no Ops have been annotated with virtual "
     "graph information."),
    (lambda m: run(m.inference([m.y]), {}), "No tensor input provided in PyStepIO's inputs"),
    (lambda m: m.inference([m.y]).run(popart.PyStepIO(m.data(), {})), "No tensor Add:0 provided in PyStepIO's outputs"),
    (lambda m: run(m.inference([m.y], 2), m.data()),
     "Unexpected number of input elements for Tensor input. Expected 48, but received 24."),
    (lambda m: run(m.inference([m.y]), {m.x: reals(FEATURES, BATCH).T}),
     "PyStepIO is unable to use the numpy input array for tensor 'input' as it is not c-contiguous"),
    (lambda m: run(m.inference([m.y]), {m.x: np.zeros((BATCH, FEATURES))}),
     "Type discrepancy for tensor input. User provided : float64 and expected : float32"),
    (lambda m: m.inference([m.y]).getCycleCount(), "Must call run before getCycleCount."),
    (lambda m: m.inference([m.y]).getSummaryReport(), "getSummaryReport is not simulated"),
    (lambda m: m.inference([m.y]).compileAndExport("x"), "compileAndExport is not simulated"),
    (lambda m: m.inference([m.y]).getInfo("z"), "TensorInfo for `z' not set"),
    (lambda m: popart.SGD({"defaultRate": (1, True)}), "SGD has no value 'defaultRate'"),
    (lambda m: popart.Adam({}, mode=popart.AdamMode.AdaMax), "AdamMode.AdaMax is not simulated"),
    (lambda m: popart.DeviceManager().acquireAvailableDevice(3), "You have attempted to acquire 3 IPUs. The number of "
     "IPUs requested must be a power of two"),
    (lambda m: popart.DeviceManager().createIpuModelDevice({"tiles": 4}), "Invalid option 'tiles'"),
    (lambda m: popart.DeviceManager().createIpuModelDevice({"tilesPerIPU": 2}), "tilesPerIPU"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_texts_of_errors(number):
    call, text = ERRORS[number]
    with pytest.raises(popart.popart_exception) as caught:
        call(Classifier())
    assert text in caught.value.args[0]


def test_calls_out_of_order():
    model = Classifier()
    session = popart.TrainingSession(model.builder.getModelProto(), popart.DataFlow(1, [model.loss]), model.loss,
                                     popart.ConstSGD(0.1), device())
    for call in (session.weightsFromHost, session.weightsToHost, lambda: session.setRandomSeed(1),
                 lambda: run(session, model.data())):
        with pytest.raises(popart.popart_exception, match="must be called before"):
            call()
    session.prepareDevice()
    with pytest.raises(popart.popart_exception, match="Must call weightsFromHost before run as the model has"):
        run(session, model.data())


def test_a_loss_is_one_number_of_the_model():
    model = Classifier()
    for loss, text in ((model.y, "Loss tensor, 'Add:0', must be a scalar tensor"),
                       ("L", "Could not find loss tensor 'L' in main graph tensors")):
        with pytest.raises(popart.popart_exception) as caught:
            popart.TrainingSession(model.builder.getModelProto(), popart.DataFlow(1, []), loss, popart.ConstSGD(0.1),
                                   device())
        assert caught.value.args[0] == text


def test_a_model_that_does_not_fit():
    builder = popart.Builder()
    x, w = builder.addInputTensor("FLOAT", [8, 4096]), builder.addInitializedInputTensor(reals(4096, 1024))
    y = builder.aiOnnx.matmul([x, w])
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), small_device())
    with pytest.raises(popart.OutOfMemoryException, match="Out of memory on tile") as caught:
        session.prepareDevice()
    assert "bytes" in caught.value.getSummaryReport() and caught.value.getProfilePath() == ""


def test_devices():
    manager = popart.DeviceManager()
    assert popart.DeviceManager() is manager
    model = small_device()
    assert (model.type, model.numIpus, model.tilesPerIPU) == (popart.DeviceType.IpuModel, 1, 4)
    assert manager.tryAcquireAvailableDevice(3) is None and len(manager.enumerateDevices(numIpus=4)) == 1
    on_demand = manager.acquireAvailableDevice(2, connectionType=popart.DeviceConnectionType.OnDemand)
    assert not on_demand.isAttached
    with on_demand as attached:
        assert attached.isAttached
    assert not on_demand.isAttached


def test_an_offline_device_only_compiles():
    model = Classifier()
    session = popart.InferenceSession(model.builder.getModelProto(), popart.DataFlow(1, [model.y]),
                                      popart.DeviceManager().createOfflineIPUDevice({"numIPUs": 1}))
    session.prepareDevice()
    with pytest.raises(popart.popart_exception, match="Offline IPU device is not configured for execution"):
        run(session, model.data())


def test_profiles(tmp_path, monkeypatch):
    """Engine options of the session and of the environment name the folder; the session's name is the engine's."""
    model = Classifier()
    report = model.inference([model.y]).getReport()
    assert isinstance(report, pva.Report) and report.compilation.target.numTiles == 1472
    model.training([], options=with_options(engineOptions={"autoReport.all": "true",
                                                           "autoReport.directory": str(tmp_path / "own")}))
    assert (tmp_path / "own" / "training" / "profile.pop").exists()
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true"}))
    session = model.inference([model.y])
    assert pva.openReport(tmp_path / "inference" / "profile.pop").compilation.target.numIPUs == 1
    run(session, model.data())
    assert session.getReport().execution.runs


def test_random_numbers_follow_from_the_seed():
    builder = popart.Builder()
    x = builder.addInputTensor("FLOAT", [1000])
    w = builder.addInitializedInputTensor(np.ones(1000, np.float32))
    y = builder.aiOnnx.dropout([builder.aiOnnx.mul([x, w])], 1, ratio=0.5)[0]
    loss = builder.aiGraphcore.l1loss([y], 1.0)
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [y]), loss, popart.ConstSGD(0.0),
                                     device())
    session.prepareDevice()
    arrays, found = session.initAnchorArrays(), []
    for seed in (1, 2, 1):
        session.setRandomSeed(seed)
        session.weightsFromHost()
        session.run(popart.PyStepIO({x: np.ones(1000, np.float32)}, arrays))
        found.append(arrays[y].copy())
    assert 350 < np.count_nonzero(found[0]) < 650 and (found[0] != found[1]).any()
    assert (found[0] == found[2]).all()


def test_imported_models_with_open_shapes():
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Relu", ["x"], ["y"])], "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 3])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", 3])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 10)])
    onnx.save(model, "model.onnx")
    shapes = popart.InputShapeInfo()
    shapes.add("x", popart.TensorInfo("FLOAT", [2, 3]))
    session = popart.InferenceSession("model.onnx", popart.DataFlow(1, {"y": ALL}), small_device(), shapes)
    session.prepareDevice()
    arrays, data = session.initAnchorArrays(), reals(2, 3)
    session.run(popart.PyStepIO({"x": data}, arrays))
    assert np.allclose(arrays["y"], np.maximum(data, 0))
