"""Blocks, stages and strategies decide where a model runs."""
import copy
import pickle

import poptorch
import pytest
import torch
from models import TwoBlocks, assert_same_weights, images, labels, train_in_torch
from poptorch import _arguments, _jobs, _tracing
from torch import nn

BATCH = 4


def strategy_of(kind):
    return kind(poptorch.Stage("A").ipu(0), poptorch.Stage("B").ipu(1))


@pytest.mark.parametrize("kind", [poptorch.PipelinedExecution, poptorch.ShardedExecution])
def test_two_ipus_compute_what_one_does(kind):
    model = TwoBlocks()
    other = copy.deepcopy(model)
    options = poptorch.Options().deviceIterations(2)
    options.Training.gradientAccumulation(4)
    options.setExecutionStrategy(strategy_of(kind))
    options.TensorLocations.setOptimizerLocation(
        poptorch.TensorLocationSettings().useOnChipStorage(False))
    compiled = poptorch.trainingModel(model, options, poptorch.optim.AdamW(model.parameters(), 0.01))
    optimizer = torch.optim.AdamW(other.parameters(), lr=0.01)
    data, wanted = images(8 * BATCH), labels(8 * BATCH)
    for _ in range(2):
        result, loss = compiled(data, wanted)
        expected, expected_loss = train_in_torch(other, optimizer, data, wanted, 2, 4, BATCH)
    assert compiled._compiled.figures["ipus"] == 2
    assert torch.allclose(result, expected, atol=1e-3)
    assert torch.allclose(loss, expected_loss, atol=1e-3)
    assert_same_weights(model, other, 1e-3)
    options = options.clone().deviceIterations(8).outputMode(poptorch.OutputMode.All)
    options.Training.gradientAccumulation(1)
    inference = poptorch.inferenceModel(model, options)
    assert torch.allclose(inference(data), other(data), atol=1e-3)


def keys_of(strategy, training=True, **session):
    """The job of a model of two blocks."""
    model = TwoBlocks()
    options = poptorch.Options().outputMode(poptorch.OutputMode.All)
    options.setExecutionStrategy(strategy_of(strategy))
    for name, value in session.items():
        options._Popart.set(name, value)
    names = {id(weight): name for name, weight in model.named_parameters()}
    optimizer = poptorch.optim.SGD(model.parameters(), 0.1) if training else None
    return _jobs.make_job(options, training, optimizer, names, {0: ("A", None), 1: ("B", None)}, False).keys


def test_stages_of_a_pipeline_run_again_unless_told_otherwise():
    pipelined = poptorch.PipelinedExecution
    assert keys_of(pipelined, autoRecomputation=3)["recompute"] == "pipeline"
    assert keys_of(pipelined)["recompute"] == "pipeline"
    assert keys_of(pipelined, autoRecomputation=0).get("recompute", "none") == "none"
    assert keys_of(pipelined, autoRecomputation=1)["recompute"] == "standard"
    assert "recompute" not in keys_of(pipelined, training=False)
    assert "recompute" not in keys_of(poptorch.ShardedExecution)


class EarlyValue(torch.nn.Module):
    """What the first stage computes is used there, in the second stage, and by the caller."""

    def __init__(self, returned):
        super().__init__()
        self.returned = returned
        self.scale = torch.nn.Parameter(torch.tensor([0.9, 1.1]))

    def forward(self, data):
        with poptorch.Block("first", ipu_id=0):
            early = data * self.scale[0] + self.scale[1]
            hidden = early.relu() + 1
        with poptorch.Block("second", ipu_id=1):
            late = early * 2
            loss = (hidden.tanh() + late).abs().mean()
        return late if self.returned == "late" else early, poptorch.identity_loss(loss, "none")


@pytest.mark.parametrize("returned", ["late", "early"])
def test_stages_that_run_again_leave_results_of_newer_batches_alone(returned):
    options = poptorch.Options().outputMode(poptorch.OutputMode.All)
    options.Training.gradientAccumulation(4)
    model = EarlyValue(returned)
    data = torch.arange(48.0).reshape(12, 4) - 20
    expected = model(data)[0].detach()
    training = poptorch.trainingModel(model, options, poptorch.optim.SGD(model.parameters(), 0.0))
    assert torch.allclose(training(data)[0], expected, atol=1e-4)


def blocks_of(model, *tensors):
    """The blocks of a trace, and of each node by its operator."""
    import onnx
    names, values = _arguments.bind(model, tensors, {})
    traced = _tracing.trace(model, names, values, False)
    nodes = onnx.load_from_string(traced.onnx).graph.node
    return traced.blocks, [(node.op_type, node.name) for node in nodes]


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 4), poptorch.BeginBlock(nn.ReLU(), "relu", 1))
        self.second = nn.Sigmoid()
        self.third = poptorch.BeginBlock(nn.Tanh(), ipu_id=2)

    def forward(self, x):
        return self.third(self.second(self.first(x)))


def test_a_block_goes_on_after_the_module_that_it_began_in():
    pytest.importorskip("onnx")
    blocks, nodes = blocks_of(Layers(), torch.rand(2, 4))
    assert blocks.pop(-1) == ("", 0)  # operations before the first
    assert blocks.pop(0) == ("relu", 1) and [ipu for _, ipu in blocks.values()] == [2]
    last = {kind: name.split("tilescope-block-")[-1][:1] if "tilescope" in name else ""
            for kind, name in nodes}
    assert last == {"Gemm": "", "Relu": "0", "Sigmoid": "0", "Tanh": "1"}


def test_a_module_may_have_the_name_of_a_marker():
    pytest.importorskip("onnx")

    class Named(nn.Module):
        def __init__(self):
            super().__init__()
            self.add_module("tilescope-block-0", nn.Linear(4, 4))
            self.add_module("tilescope-block-none", nn.Linear(4, 4))
            self.marked = poptorch.BeginBlock(nn.Tanh(), "tanh", 0)

        def forward(self, x):
            x = getattr(self, "tilescope-block-0")(x)
            return self.marked(getattr(self, "tilescope-block-none")(x))

    torch.manual_seed(3)
    model = Named()
    x = torch.rand(2, 4)
    blocks, nodes = blocks_of(model, x)
    assert blocks == {-1: ("", 0), 0: ("tanh", 0)}
    assert [kind for kind, name in nodes if "tilescope-block-0" in name] == ["Tanh"]
    result = poptorch.inferenceModel(model)(x)
    assert torch.allclose(result, model(x), rtol=1e-3, atol=1e-4)


def test_blocks_begin_once_and_can_be_removed():
    layer = nn.ReLU()
    poptorch.BeginBlock(layer, ipu_id=1)
    with pytest.raises(poptorch.Error, match="already been assigned to a block"):
        poptorch.BeginBlock(layer, ipu_id=2)
    poptorch.removeBlocks(nn.Sequential(layer))
    poptorch.BeginBlock(layer, ipu_id=2)


def test_functions_begin_blocks():
    pytest.importorskip("onnx")

    class Calls(nn.Module):
        @poptorch.BlockFunction("f", ipu_id=0)
        def part(self, x):
            return torch.relu(x)

        def forward(self, x):
            return torch.tanh(self.part(x))

    blocks, nodes = blocks_of(Calls(), torch.rand(2, 4))
    assert blocks == {0: ("f", 0)}
    assert all("tilescope-block-0" in name for _, name in nodes)


def test_blocks_without_names_have_numbers_when_asked():
    class Numbered(nn.Module):
        def forward(self, x):
            for _ in range(2):
                with poptorch.Block(ipu_id=0):
                    x = torch.relu(x)
            return x

    poptorch.Block.useAutoId()
    try:
        for _ in range(2):
            assert blocks_of(Numbered(), torch.rand(2, 4))[0] == {0: ("0", 0), 1: ("1", 0)}
    finally:
        poptorch.Block._numbers_blocks = False


def test_automatic_stages():
    same = poptorch.PipelinedExecution(poptorch.AutoStage.SameAsIpu)
    assert same._place("A", 1) == (1, 1, -1)
    with pytest.raises(AssertionError, match="no IPU was specified for block A"):
        same._place("A", None)
    counted = poptorch.PipelinedExecution(poptorch.AutoStage.AutoIncrement)
    assert [counted._place(name, None) for name in "ABA"] == [(0, 0, -1), (1, 1, -1), (0, 0, -1)]


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])

    def forward(self, x):
        for part in self.parts:
            x = torch.tanh(part(x))
        return x


def test_operations_before_the_first_block_are_a_stage_of_their_own():
    """Unnamed blocks are apart, also on the same IPU."""
    model, x = Chain(), torch.rand(5, 4)
    for part, ipu in zip(model.parts[1:], (1, 2, 1)):
        poptorch.BeginBlock(part, ipu_id=ipu)
    options = poptorch.Options().deviceIterations(5).autoRoundNumIPUs(True)
    options.setExecutionStrategy(poptorch.PipelinedExecution(poptorch.AutoStage.AutoIncrement))
    compiled = poptorch.inferenceModel(model, options)
    assert torch.allclose(compiled(x), model(x), rtol=1e-3, atol=1e-4)
    places = [places for _, places in sorted(_jobs._places(options, blocks_of(model, x[:1])[0]).items())]
    assert places == [(0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 1, -1)]


def test_blocks_are_shown_and_kept():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    assert poptorch.module_repr(model) == repr(model)
    poptorch.BeginBlock(model[1], "end", 1)
    for made in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert "(1): BeginBlock(user_id=end, ipu_id=1): ReLU()" in poptorch.module_repr(made)
        assert "BeginBlock" not in repr(made)
    again = pickle.loads(pickle.dumps(poptorch.inferenceModel(model)))
    assert "BeginBlock(user_id=end, ipu_id=1)" in repr(again)


def test_a_function_in_a_block_has_its_place():
    block = poptorch.BeginBlock(torch.relu, 1, 2)
    assert (block._user_id, block._ipu_id) == (1, 2)

    class Model(nn.Module):
        def forward(self, x):
            return block(x)

    assert blocks_of(Model(), torch.rand(2, 4))[0] == {0: ("1", 2)}


def test_strategies_refuse_blocks_that_they_do_not_have():
    strategy = poptorch.PipelinedExecution(poptorch.Stage("A", "B"), "C")
    assert strategy.stage("B").blocks == ("A", "B")
    assert strategy._place("C", None) == (1, 1, -1)
    with pytest.raises(AssertionError, match="Unknown Block 'D'"):
        strategy._place("D", 0)
    with pytest.raises(AssertionError, match="more than one stage"):
        poptorch.PipelinedExecution("A", "A")


def test_phases_have_ipus():
    strategy = poptorch.SerialPhasedExecution([poptorch.Stage("A"), poptorch.Stage("A2")],
                                              [poptorch.Stage("B"), poptorch.Stage("B2")])
    strategy.phase(1).ipus(0, 1)
    assert strategy._place("B2", None) == (-1, 1, 1)
    assert strategy._job_options(2) == {"execution": "phased", "phases": "2", "phaseStages": "1"}


def test_the_program_knows_when_it_is_compiled():
    seen = []

    class Looks(nn.Module):
        def forward(self, x):
            seen.append(poptorch.isRunningOnIpu())
            return x + 1

    model = Looks()
    model(torch.rand(2))
    poptorch.inferenceModel(model).compile(torch.rand(2))
    assert seen[0] is False and seen[-1] is True


def test_memory_shares_and_names_reach_the_operations():
    class Noted(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(64, 32)

        def forward(self, x):
            with poptorch.NameScope("mine"):
                return poptorch.set_available_memory(self.linear(x), 0.125)

    model = Noted()
    compiled = poptorch.inferenceModel(model)
    data = torch.rand(4, 3, 64)
    assert torch.allclose(compiled(data), model(data), atol=1e-4)
    with pytest.raises(ValueError, match="from 0 to 1"):
        poptorch.set_available_memory(data, 1.5)


class TwoConvolutions(nn.Module):
    """Of an image and of its half, planned together or not."""

    def __init__(self, plan_type):
        super().__init__()
        self.fine = nn.Conv2d(4, 8, 3, padding=1)
        self.coarse = nn.Conv2d(4, 8, 3, padding=1)
        self.plan_type = plan_type

    def forward(self, x):
        half = nn.functional.avg_pool2d(x, 2)
        context = poptorch.MultiConv().planType(self.plan_type).perConvReservedTiles(16)
        with context.cycleBackOff(0.5).availableMemoryProportions([0.5, 0.25]):
            fine = self.fine(x)
            coarse = self.coarse(half)
        return nn.functional.avg_pool2d(fine, 2) + coarse


def test_convolutions_that_run_together():
    data = torch.rand(2, 4, 32, 32)
    cycles = {}
    for plan_type in poptorch.MultiConvPlanType:
        model = TwoConvolutions(plan_type)
        compiled = poptorch.inferenceModel(model)
        assert torch.allclose(compiled(data), model(data), atol=1e-4)
        cycles[plan_type] = compiled._compiled.figures["cycles"]
    together, apart = poptorch.MultiConvPlanType.Parallel, poptorch.MultiConvPlanType.Serial
    assert cycles[together] < cycles[apart]
