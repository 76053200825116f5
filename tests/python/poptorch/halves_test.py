"""Models in half precision, and what is of halves in others."""
import copy
import threading

import numpy
import poptorch
import pytest
import torch
from poptorch._half import limits_of_halves
from torch import nn

ONE, STEP = torch.ones(3).half(), torch.full((3, ), 2.0**-12).half()


class Computes(nn.Module):
    """The function of its operands; buffers are its state."""

    def __init__(self, function, *buffers):
        super().__init__()
        self.function = function
        for number, buffer in enumerate(buffers):
            self.register_buffer(f"b{number}", buffer)

    def forward(self, *operands):
        return self.function(*operands, *self.buffers())


@pytest.mark.parametrize("function, buffers", [
    (lambda one, step: (one + step) - one, []), (lambda one, step, other: (other + step) - one, [ONE]),
    (lambda one, step: ((one + step) - torch.ones(3, dtype=one.dtype)).half(), []),
    (lambda one, step, count: (one + step) - one * count, [torch.ones(3, dtype=torch.int32)])])
def test_what_is_lost_in_half_is_lost(function, buffers):
    model = Computes(function, *buffers)
    found, wanted = poptorch.inferenceModel(model)(ONE, STEP), model(ONE, STEP)
    assert found.dtype == wanted.dtype == torch.half
    assert torch.equal(found, wanted) and not wanted.any()


@pytest.mark.parametrize("function", [lambda one, step: (one.float() + step) - one,
                                      lambda one, step: (one + torch.ones(3) * step) - one])
def test_what_floats_keep_is_kept(function):
    model = Computes(function)
    found, wanted = poptorch.inferenceModel(model)(ONE, STEP), model(ONE, STEP)
    assert found.dtype == wanted.dtype == torch.float
    assert torch.equal(found, wanted) and wanted.all()


def test_a_half_model_is_not_copied():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
            self.second.weight = self.first.weight
            self.myself = (self, )

        def __deepcopy__(self, memo):
            raise RecursionError

        def forward(self, x):
            return self.second(self.first(x))

    model, data = Tied(), torch.rand(2, 4)
    wanted = model(data)
    result = poptorch.inferenceModel(model.half())(data.half())
    assert result.dtype == torch.float16 and torch.allclose(result.float(), wanted, atol=1e-2)
    assert model.first.weight.dtype == torch.float16 and model.second.weight is model.first.weight


def test_halves_with_float_parameters():
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Conv2d(3, 4, 3)

        def forward(self, x):
            return self.layer(x.half()).float()

    model, data = Mixed(), torch.rand(2, 3, 8, 8)
    compiled = poptorch.inferenceModel(model)
    assert compiled._executable is None
    assert torch.allclose(compiled(data), model.layer(data), atol=1e-2)
    assert compiled._executable is not None and model.layer.weight.dtype == torch.float32


def test_casts_to_half_in_a_half_model():
    class Normalised(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Conv2d(3, 4, 3)
            self.scale = torch.tensor([0.5, 0.25, 0.125]).view(-1, 1, 1).half()

        def forward(self, x):
            return self.layer(x.to(torch.float16).half().mul(self.scale)).float()

    model = Normalised()
    data = torch.randint(0, 255, (2, 3, 8, 8)).byte()
    wanted = model.layer(data.float() * model.scale.float())
    result = poptorch.inferenceModel(model.half())(data)
    assert torch.allclose(result.float(), wanted, rtol=2e-2, atol=0.3)


def test_half_precision():
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    other = copy.deepcopy(model)
    data = torch.rand(4, 8)
    result = poptorch.inferenceModel(model.half())(data.half())
    assert result.dtype == torch.half
    assert torch.allclose(result.float(), other(data), atol=1e-2)
    assert all(parameter.dtype == torch.half for parameter in model.parameters())


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_networks_in_half(kind):
    """They keep their parameters in a list besides."""

    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers, self.out = kind(4, 5, 2, batch_first=True), nn.Linear(5, 3)

        def forward(self, x, labels):
            x = self.out(self.layers(x)[0][:, -1])
            return x, nn.functional.cross_entropy(x, labels)

    model = Last()
    other = copy.deepcopy(model)
    x, labels = torch.randn(6, 3, 4), torch.randint(0, 3, (6, ))
    optimizer = torch.optim.SGD(other.parameters(), lr=0.5)
    program = poptorch.trainingModel(model.half(), optimizer=torch.optim.SGD(model.parameters(), lr=0.5))
    for _ in range(2):
        loss = program(x.half(), labels)[1]
        wanted = other(x, labels)[1]
        optimizer.zero_grad()
        wanted.backward()
        optimizer.step()
        assert loss.dtype == torch.half and loss.float() == pytest.approx(wanted.item(), abs=0.01)
    assert all(own is kept for own, kept in zip(model.layers.parameters(), model.layers._flat_weights))
    for one, wanted in zip(model.parameters(), other.parameters()):
        assert one.dtype == torch.half and torch.allclose(one.float(), wanted, atol=5e-3)


class Masked(nn.Module):
    """Scores where a mask is set; the least number elsewhere."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x, mask):
        x = (x * self.scale).masked_fill(~mask, torch.finfo(x.dtype).min)
        return x, x.softmax(-1), torch.distributions.Categorical(logits=x).probs


def test_limits_of_numbers_are_those_of_halves():
    """A row that is wholly masked has equal weights, not none that are numbers."""
    mask = torch.tensor([[True, False, True], [False] * 3])
    model, x = Masked(), torch.randn(2, 3)
    scores, *weights = poptorch.inferenceModel(model.half())(x.half(), mask)
    assert torch.equal(scores, x.half().masked_fill(~mask, -65504.0))
    for one in weights:
        assert torch.allclose(one.float(), scores.float().softmax(-1), atol=2e-3)
    assert torch.finfo(torch.float32).min < -1e38
    scores, *_ = poptorch.inferenceModel(Masked())(x, mask)
    assert torch.equal(scores, Masked()(x, mask)[0])


def test_paths_that_are_not_possible_in_half():
    """The logarithm of zero stays a number that two of can be subtracted."""
    function = nn.functional.ctc_loss
    x, labels = torch.randn(6, 2, 4).log_softmax(-1), torch.tensor([[1, 2, 1], [3, 3, 1]])
    program = poptorch.inferenceModel(Computes(lambda x, t: function(x, t, (6, 5), (3, 2), reduction="none")))
    found, wanted = program(x.half(), labels), function(x, labels, (6, 5), (3, 2), reduction="none")
    assert found.dtype == torch.half and torch.allclose(found.float(), wanted, rtol=5e-3)


@pytest.mark.parametrize("zero_infinity", [False, True])
def test_large_losses_of_paths_in_half(zero_infinity):
    """What has too few steps, also for blanks between equal labels, is not possible; a large loss is."""
    x, labels = (torch.randn(12, 4, 5) * 300).log_softmax(-1).half(), torch.tensor([[1, 2, 3], [2, 2, 2], [1, 1, 2], [1, 1, 2]])

    def loss(x, t):
        return nn.functional.ctc_loss(x, t, (12, 12, 3, 4), (3, 3, 3, 3), reduction="none", zero_infinity=zero_infinity)

    found, wanted = poptorch.inferenceModel(Computes(loss))(x, labels), loss(x.float(), labels)
    assert wanted[:2].min() > 1640 and torch.allclose(found.float(), wanted, rtol=5e-3)


def changed(part, y):
    part.mul_(2.0)
    return part + y


class Weighed(nn.Module):
    """Changes a tensor made by the function in place, then computes with it and a half."""

    def __init__(self, make, change):
        super().__init__()
        self.make, self.change = make, change
        self.weight = nn.Parameter(ONE.clone())

    def forward(self, y):
        made = self.make()
        part = self.change(made)
        return part + y * self.weight, made + y


CHANGES = [lambda x: x.mul_(2.0), lambda x: x[0].mul_(2.0), lambda x: x.__iadd__(1.5), lambda x: x.zero_(),
           lambda x: nn.functional.relu(x, inplace=True)]


@pytest.mark.parametrize("change", CHANGES)
def test_halves_that_are_made_unseen_are_changed_only_as_clones(change):
    array = -numpy.ones((2, 3), numpy.float16)
    with pytest.raises(poptorch.Error, match=r"clone\(\) it first"):
        poptorch.inferenceModel(Weighed(lambda: torch.from_numpy(array), change))(ONE)
    found = poptorch.inferenceModel(Weighed(lambda: torch.from_numpy(array).clone(), change))(ONE)
    wanted = Weighed(lambda: torch.from_numpy(array).float(), change)(ONE)
    assert all(torch.equal(one.float(), other) for one, other in zip(found, wanted))


@pytest.mark.parametrize("change", CHANGES)
def test_floats_that_are_made_unseen_change_in_a_model_of_halves(change):
    model = Weighed(lambda: torch.Tensor([[1, 2, 3], [4, 5, 6]]), change)
    found, wanted = poptorch.inferenceModel(model)(ONE), model(ONE)
    assert all(torch.equal(one.float(), other) for one, other in zip(found, wanted))


def test_limits_are_those_of_the_thread():
    """Also of contexts that end in the order in which they began."""
    found, begun, ended = [], threading.Event(), threading.Event()

    def other():
        with limits_of_halves(True):
            begun.set()
            ended.wait(30)
            found.append(torch.finfo(torch.float32).max)

    thread, first = threading.Thread(target=other), limits_of_halves(True)
    with first:
        thread.start()
        assert begun.wait(30) and torch.finfo(torch.float32).max == 65504
        assert isinstance(torch.finfo(torch.float32), torch.finfo)
    assert torch.finfo(torch.float32).max > 65504
    ended.set()
    thread.join()
    assert found == [65504] and isinstance(torch.finfo, type) and torch.finfo.__module__ == "torch"
