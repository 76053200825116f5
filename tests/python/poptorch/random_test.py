"""Random numbers of a fixed shape, slices with a computed start, and messages for faults of the simulator."""
import poptorch
import pytest
import torch
from torch import nn


class Calls(nn.Module):
    """A function of its inputs and of a parameter."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, *tensors):
        return self.function(tensors[0] * self.scale, *tensors[1:])


@pytest.mark.parametrize("make, mean, deviation", [
    (lambda x: x + torch.randn(2000), 0, 1),
    (lambda x: x + torch.randn(1, 2000), 0, 1),
    (lambda x: x + torch.rand(2000), 0.5, 12**-0.5),
    (lambda x: x + torch.randn_like(x), 0, 1),
    (lambda x: x + torch.normal(3., 2., (2000, )), 3, 2),
])
def test_random_numbers_of_a_fixed_shape(make, mean, deviation):
    result = poptorch.inferenceModel(Calls(make))(torch.zeros(1, 2000))
    assert result.mean().item() == pytest.approx(mean, abs=0.15)
    assert result.std().item() == pytest.approx(deviation, rel=0.1)


def test_single_random_numbers():
    def forward(x):
        uniform = torch.distributions.Uniform(0.25, 0.75).sample()
        return x + torch.where(torch.rand(()) < 2, uniform, torch.tensor(9.0)), torch.randn(()) * x

    program = poptorch.inferenceModel(Calls(forward), poptorch.Options().deviceIterations(200))
    uniform, normal = program(torch.ones(200, 1))
    assert 1.25 <= uniform.min() < 1.35 and 1.65 < uniform.max() <= 1.75
    assert normal.std().item() == pytest.approx(1, rel=0.2)


@pytest.mark.parametrize("inplace", [False, True])
def test_dropout_of_channels(inplace):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))
            self.drop = nn.Dropout2d(0.25, inplace=inplace)

        def forward(self, x):
            y = self.drop(x * self.scale)
            return y, poptorch.identity_loss(y.mean(), "none")

    model = Model()
    y, _ = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.0))(torch.ones(50, 40, 2, 3))
    channels = y.flatten(2)
    assert (channels == channels[:, :, :1]).all()
    assert channels.unique().tolist() == pytest.approx([0, 4 / 3])
    assert (channels[:, :, 0] == 0).float().mean().item() == pytest.approx(0.25, abs=0.05)
    result = poptorch.inferenceModel(model)(torch.ones(50, 40, 2, 3))[0]
    assert (result == 1).all()


def test_random_numbers_differ_between_calls_and_not_between_programs():
    def drawn():
        program = poptorch.inferenceModel(Calls(lambda x: x + torch.randn(5)), poptorch.Options().randomSeed(7))
        return program(torch.zeros(1, 5)), program(torch.zeros(1, 5))

    first, second = drawn()
    assert not torch.equal(first, second)
    assert all(torch.equal(a, b) for a, b in zip(drawn(), (first, second)))


def test_random_numbers_in_training():
    class Noisy(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.loss = nn.Linear(4, 1), nn.MSELoss()

        def forward(self, x, y):
            out = self.linear(x + torch.randn(4) * 0.01)
            return out, self.loss(out, y)

    model = Noisy()
    program = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))
    x = torch.rand(8, 4)
    losses = [program(x, x.sum(1, keepdim=True))[1].item() for _ in range(20)]
    assert losses[-1] < 0.3 * losses[0]


@pytest.mark.parametrize("size, step", [(2, 1), (6, 2), (3, 1)])
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("start", [torch.tensor(1), torch.tensor([1]), torch.tensor([1], dtype=torch.int32)])
def test_slices_that_begin_where_it_is_computed(dim, size, step, start):
    start = start * 0 if size == 6 else start
    x = torch.rand(6, 6, 6)
    cut = poptorch.inferenceModel(Calls(lambda x, i: poptorch.dynamic_slice(x, dim, i, size, step)))
    wanted = x.index_select(dim, start.reshape(1) + torch.arange(0, size, step))
    assert torch.equal(cut(x, start), wanted)
    fixed = poptorch.inferenceModel(Calls(lambda x: poptorch.dynamic_slice(x, dim, start.clone(), size, step)))
    assert torch.equal(fixed(x), wanted)


def test_a_fault_of_the_simulator_is_framed():
    program = poptorch.inferenceModel(nn.Linear(2, 2))
    program(torch.rand(1, 2))
    compiled = program._compiled.program
    with pytest.raises(RuntimeError, match="^internal error of TileScope: .*; please report it"):
        compiled.run({name: torch.rand(*shape).numpy() for name, shape, _ in compiled.inputs}, [99])
