"""Buffers that a model changes in stages and phases: they have PyTorch's values, or are refused by name."""
import poptorch
import pytest
import torch
from torch import nn

MICRO_BATCHES, BATCH = 4, 3


class Counts(nn.Module):
    """Two blocks. `reads` and `changes` are the blocks that read and change a counter; `normalises` those that share
    a normalisation."""

    def __init__(self, reads="", changes="", normalises=""):
        super().__init__()
        torch.manual_seed(0)
        self.reads, self.changes, self.normalises = reads, changes, normalises
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.norm = nn.BatchNorm1d(3)
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x, wanted):
        for number, layer in enumerate(self.layers):
            poptorch.Block.start(f"S{number}", ipu_id=number)
            x = torch.tanh(layer(x))
            if str(number) in self.reads:
                x = x + self.count * 0.1
            if str(number) in self.changes:
                self.count += 1
            if str(number) in self.normalises:
                x = self.norm(x)
        return x, nn.functional.mse_loss(x, wanted)


def pipelined():
    return poptorch.PipelinedExecution(poptorch.Stage("S0").ipu(0), poptorch.Stage("S1").ipu(1))


def sharded():
    return poptorch.ShardedExecution(poptorch.Stage("S0").ipu(0), poptorch.Stage("S1").ipu(1))


def phased():
    return poptorch.SerialPhasedExecution(poptorch.Phase(poptorch.Stage("S0")), poptorch.Phase(poptorch.Stage("S1")))


def phased_over_ipus():
    """Two IPUs to a phase."""
    return poptorch.SerialPhasedExecution(poptorch.Phase(poptorch.Stage("S0").ipu(0)),
                                          poptorch.Phase(poptorch.Stage("S1").ipu(1)))


def phased_in_parallel():
    return poptorch.ParallelPhasedExecution(poptorch.Phase(poptorch.Stage("S0").ipu(0)),
                                            poptorch.Phase(poptorch.Stage("S1").ipu(1)))


PHASED = (phased, phased_over_ipus, phased_in_parallel)


def trained(strategy, accumulation=MICRO_BATCHES, **of_model):
    """The losses of two calls, and the buffers afterwards, here and in PyTorch."""
    torch.manual_seed(1)
    model, peer = Counts(**of_model), Counts(**of_model)
    options = poptorch.Options().outputMode(poptorch.OutputMode.All)
    options.Training.gradientAccumulation(accumulation)
    options.setExecutionStrategy(strategy())
    program = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    optimizer = torch.optim.SGD(peer.parameters(), lr=0.1)
    found, expected = [], []
    for _ in range(2):
        x, wanted = torch.randn(2, accumulation * BATCH, 3)
        found.append(program(x, wanted)[1].reshape(-1))
        optimizer.zero_grad()
        losses = [peer(*part)[1] for part in zip(x.split(BATCH), wanted.split(BATCH))]
        (sum(losses) / accumulation).backward()
        optimizer.step()
        expected.append(torch.stack(losses).detach())
    return (torch.cat(found), *model.buffers()), (torch.cat(expected), *peer.buffers())


@pytest.mark.parametrize("strategy, of_model", [
    (pipelined, {"reads": "0", "changes": "0"}), (pipelined, {"reads": "1", "changes": "1"}),
    (pipelined, {"reads": "01", "changes": "0"}), (pipelined, {"normalises": "1"}),
    (sharded, {"reads": "0", "changes": "0"}), (sharded, {"reads": "01", "changes": "0"}),
    (sharded, {"normalises": "0"}),
    *((each, {"reads": block, "changes": block}) for each in PHASED for block in "01"),
    (phased_over_ipus, {"normalises": "1"}), (phased_in_parallel, {"normalises": "0"})])
def test_state_is_that_of_pytorch(strategy, of_model):
    found, expected = trained(strategy, 1 if strategy in PHASED else MICRO_BATCHES, **of_model)
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("strategy, of_model, said", [
    (pipelined, {"reads": "0", "changes": "1"}, "buffer 'count' is read in one stage"),
    (sharded, {"reads": "01", "changes": "01"}, "buffer 'count' is read in one stage"),
    (phased, {"reads": "0", "changes": "1"}, "buffer 'count' is read in one stage or phase"),
    (pipelined, {"normalises": "01"}, "'norm.running_mean' is used in several stages"),
    (sharded, {"normalises": "01"}, "'norm.running_mean' is used in several stages")])
def test_an_order_that_is_not_the_programs_is_refused(strategy, of_model, said):
    with pytest.raises(poptorch.Error, match=said):
        trained(strategy, 1 if strategy in PHASED else MICRO_BATCHES, **of_model)


class Penalised(nn.Module):
    """A parameter that both stages read, and which nothing changes in place."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([0.9, 1.1, 1.0]))

    def forward(self, x, wanted):
        poptorch.Block.start("S0", ipu_id=0)
        x = x * self.scale
        poptorch.Block.start("S1", ipu_id=1)
        loss = nn.functional.mse_loss(x, wanted) + nn.functional.l1_loss(self.scale, self.scale.new_zeros(3))
        return x, poptorch.identity_loss(loss, "none")


def test_a_parameter_that_is_only_read_is_no_state():
    model, options = Penalised(), poptorch.Options()
    options.Training.gradientAccumulation(MICRO_BATCHES)
    options.setExecutionStrategy(pipelined())
    program = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    program(*torch.zeros(2, MICRO_BATCHES, 3))
    # Zeros leave the penalty alone, whose slope is a third.
    assert model.scale.detach().tolist() == pytest.approx([0.9 - 0.1 / 3, 1.1 - 0.1 / 3, 1.0 - 0.1 / 3])


def test_a_normalisation_of_two_phases_has_the_statistics_of_pytorch():
    found, expected = trained(phased, 1, normalises="01")
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-4)
