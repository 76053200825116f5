"""Models of halves that compute in float in parts: each result has the type and the value that PyTorch's rules give."""
import copy

import poptorch
import pytest
import torch
from torch import nn

F = nn.functional


class Computes(nn.Module):
    """The function of a half that is scaled by a parameter, and of a float."""

    def __init__(self, function):
        super().__init__()
        self.function, self.scale = function, nn.Parameter(torch.ones(1))

    def forward(self, x, y):
        return self.function(x * self.scale, y)


LABELS = torch.tensor([1, 2])
TABLE = torch.randn(5, 3) * 300.01


def put(x, y):
    x[:, 1] = y[:, 0]
    x[0].mul_(3)
    return x


def change(number, x):
    number += x.sum()
    number.mul_(30000.01).add_(x.mean(), alpha=1000.01)
    return number, number / 3


def into(function):
    out = torch.zeros(())
    function(out)
    return out / 3


#: What half would overflow, lose or round.
FUNCTIONS = {
    "norm of large ones": lambda x, y: (lambda f: f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True)))((x * 300).float()),
    "back in half": lambda x, y: F.layer_norm((x * 300).float(), (4, )).type_as(x),
    "softmax": lambda x, y: x.float().softmax(-1).to(x.dtype),
    "softmax of a type": lambda x, y: F.softmax(x, -1, dtype=torch.float32),
    "logarithm of it": lambda x, y: F.log_softmax(x * 10, -1, dtype=torch.float),
    "loss": lambda x, y: F.cross_entropy(100 * x.float(), LABELS),
    "loss of squares": lambda x, y: F.mse_loss(300 * x.float(), -300 * x.float()),
    "logistic loss": lambda x, y: F.binary_cross_entropy_with_logits(x.float(), y.sigmoid()),
    "norms of a type": lambda x, y: tuple(torch.linalg.vector_norm(x * 300, k, 1, dtype=torch.float32) for k in (1, 2, 3)),
    "sum of a type": lambda x, y: x.abs().sum(dtype=torch.float32),
    "numbers without dimension": lambda x, y: x.float().abs().sum() * 10000 / 3 + x.float().mean(),
    "their variance": lambda x, y: x.float().var() * 100 - x.float().std(),
    "least numbers": lambda x, y: x.float().masked_fill(y > 0, -1e30),
    "limits": lambda x, y: (torch.full_like(x, torch.finfo(x.dtype).max), torch.full_like(y, torch.finfo(y.dtype).max)),
    "promoted": lambda x, y: torch.where(y > 0, x, y * 1000.0001),
    "joined": lambda x, y: torch.cat([x, y], 1) * 1.0001,
    "sum of both": lambda x, y: x + y / 3,
    "changed in place": lambda x, y: x.clone().add_(y),
    "of whole numbers": lambda x, y: torch.arange(4) / 3 + x.float(),
    "count": lambda x, y: (y > 0).sum() / 3.0 + x.float().mean(),
    "made in the model": lambda x, y: torch.tensor([1.0, 2, 3, 4]) / 3 + torch.ones(4) / 7 + x,
    "products": lambda x, y: x.float() @ y.t() + torch.einsum("ij,kj->ik", x.float(), y),
    "bounds": lambda x, y: x.float().clamp(-0.1001, 0.3003),
    "small ones": lambda x, y: (x.float() * 0 + 1e-8).sqrt(),
    "branches on the type": lambda x, y: x * 2 if x.dtype == torch.float16 and y.dtype == torch.float32 else x * 3,
    "type of another": lambda x, y: (y * 1.001).to(x.dtype) + x.to(y.dtype).to(dtype=torch.float32),
    "parts of halves": lambda x, y: (x[0] + x[1], x[:, 1:3] * 3, x[..., None, 0]),
    "put into parts": lambda x, y: put(x.clone(), y),
    "loss of pixels": lambda x, y: F.cross_entropy(8 * x.float().reshape(1, 4, 2, 1), LABELS.reshape(1, 2, 1)),
    "default type": lambda x, y: torch.zeros(2, 4).scatter_add(1, LABELS.reshape(2, 1), x.float() / 3),
    "numbers by a mask": lambda x, y: torch.where(y > 0, 1.0001, -1e30),
    "numbers of two types by a mask": lambda x, y: torch.where(y > 0, 1, -1.0001),
    "whole numbers and a number by a mask": lambda x, y: torch.where(y > 0, torch.arange(4), -1.0001),
    "infinite numbers by a mask": lambda x, y: x + torch.where(y > 0, 0.0, -float("inf")),
    "numbers by a mask of halves": lambda x, y: x + torch.where(x > 0, 0.0, -1e4),
    "number without dimension by a mask": lambda x, y: torch.where(y > 0, y.sum() * 1.0001, -1e30),
    "whole numbers by one without dimension": lambda x, y: torch.arange(4) * (y.abs().sum() * 30000),
    "whole numbers over one without dimension": lambda x, y: torch.arange(4) / y.abs().sum() * 100000.,
    "whole number without dimension": lambda x, y: torch.tensor(7) * y.sum() * 30000.,
    "count by a number": lambda x, y: (y > 0).sum() * y.sum() * 30000.,
    "mask by a number": lambda x, y: (y > 0) * (y.sum() * 30000.),
    "scaled operand without dimension": lambda x, y: torch.add(x.float().sum() * 1.00001, y.sum(), alpha=2.00001),
    "quotient rounded down": lambda x, y: torch.div(y.sum() * 30000., 7, rounding_mode="floor"),
    "power of a number": lambda x, y: (1.5001 ** y.abs().sum(), y.abs().sum() ** torch.tensor(3), 7 - y.sum() * 3e4),
    "number changed in place": lambda x, y: change(y.sum(), x.float()),
    "outer products": lambda x, y: (torch.outer(torch.arange(4), y[0] * 1.0001), torch.outer(x[0], y[0] * 1.0001),
                                    torch.outer(LABELS, x[0]), torch.outer(y[0], y[1])),
    "number given for the result": lambda x, y: into(lambda out: torch.add(y.detach().sum() * 30000., 1.5, out=out)),
    "number of halves": lambda x, y: torch.arange(4) * x.sum(),
    "compared to a number": lambda x, y: torch.arange(4) > y.abs().sum(),
    "type by its text": lambda x, y: x.type("torch.FloatTensor") * 1000.001 + LABELS.type(
        "torch.FloatTensor").sum() / 3,
    "type by its class": lambda x, y: (x.type(torch.FloatTensor) / 3 * 1e6, y.type(torch.HalfTensor) * 3),
    "type by itself": lambda x, y: (x.type(torch.float32) / 3, y.type(dtype=torch.half), x.type(torch.Tensor) / 3),
    "branches on the type's text": lambda x, y: x * 2 if x.type() == "torch.HalfTensor" and (
        y.type(), LABELS.type()) == ("torch.FloatTensor", "torch.LongTensor") else x * 3,
    "rows of a table": lambda x, y: (TABLE[(y[:, 0] > 0).long()] * 1.0001, TABLE[1] / 3, TABLE.half()[1] / 3),
    "table itself": lambda x, y: (TABLE + y[0, :3], TABLE),
    "bound by floats": lambda x, y: (torch.clamp(x, max=y.abs() * 1.00001), x.clip(min=y * 1.00001),
                                     torch.clamp_min(x, y * 1.00001), y.clip(-1e-3, 0.1001)),
    "bounds of a number": lambda x, y: (y.sum() * 3e4).clamp(min=1.0001) + (y.sum() * 3e4).clip(y.sum(), y.sum() * 1e4),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_floats_of_a_model_of_halves(name):
    model = Computes(FUNCTIONS[name]).half()
    x, y = torch.randn(2, 4).half(), torch.randn(2, 4)
    found, wanted = poptorch.inferenceModel(model)(x, y), model(x, y)
    for one, other in zip(*((made if isinstance(made, tuple) else (made, )) for made in (found, wanted))):
        assert one.dtype == other.dtype and one.shape == other.shape
        rounding = 2e-3 if one.dtype == torch.half else 1e-6
        assert torch.allclose(one.double(), other.double(), rtol=rounding, atol=rounding), (one, other)


class Normalised(nn.Module):
    """A layer in half, a norm and a loss in float; the norm's weight is a float, too."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 8).half(), nn.Linear(8, 3).half()
        self.weight = nn.Parameter(torch.full((8, ), 1.0))
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x, labels):
        x = self.first(x.to(self.first.weight.dtype)).to(self.weight.dtype) * 100
        self.mean.mul_(0.5).add_(x.detach().mean(0), alpha=0.5)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight
        x = self.last(x.to(self.last.weight.dtype)).to(self.weight.dtype)
        return x, F.cross_entropy(x, labels)


@pytest.mark.parametrize("mode", ["plain", "accumulated", "staged"])
def test_models_of_both_types_train(mode):
    """Floats are kept as such: parameters, buffers and gradients."""
    model = Normalised()
    peer = copy.deepcopy(model).float()
    optimizer = torch.optim.SGD(peer.parameters(), lr=0.1)
    options, each = poptorch.Options(), 1 if mode == "plain" else 3
    options.Training.gradientAccumulation(each)
    options.outputMode(poptorch.OutputMode.All)
    if mode == "staged":
        poptorch.BeginBlock(model.last, ipu_id=1)
    program = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(2):
        x, labels = torch.randn(2 * each, 4), torch.randint(0, 3, (2 * each, ))
        loss = program(x.half(), labels)[1]
        losses = [peer(*part)[1] for part in zip(x.split(2), labels.split(2))]
        optimizer.zero_grad()
        (sum(losses) / each).backward()
        optimizer.step()
        assert loss.dtype == torch.float32
        assert torch.allclose(loss.reshape(-1), torch.stack(losses).detach(), atol=5e-3)
    for (name, one), wanted in zip(model.state_dict().items(), peer.state_dict().values()):
        assert torch.allclose(one.float(), wanted, rtol=2e-2, atol=5e-3), name
    assert model.weight.dtype == torch.float32 and model.first.weight.dtype == torch.half


def test_what_pytorch_refuses_of_types_runs_in_half():
    """A float input of a model of halves, as machines take it."""
    model, x = nn.Linear(4, 3), torch.randn(2, 4)
    wanted = model(x)
    found = poptorch.inferenceModel(model.half())(x)
    assert torch.allclose(found.float(), wanted, atol=1e-2)


@pytest.mark.parametrize("function", [torch.var, torch.std, lambda x: torch.var_mean(x)[0],
                                      lambda x: torch.std(x, 0, unbiased=False)])
def test_deviations_of_more_elements_than_half_counts(function):
    x = torch.randn(70000).half()
    found = poptorch.inferenceModel(Computes(lambda x, y: function(x)).half())(x, torch.ones(1).half())
    assert found.dtype == torch.half and found.float() == pytest.approx(function(x.float()).item(), rel=2e-3)


class Caches(nn.Module):
    """Makes the table of its rotations in the first call."""

    def __init__(self):
        super().__init__()
        self.scale, self.table, self.kept = nn.Parameter(torch.ones(4)), None, {"all": []}

    def forward(self, x):
        if self.table is None:
            self.table = 1.0 / (10000 ** (torch.arange(0, 4).float() / 4))
            self.kept["all"].append((self.table.to(x.dtype), 1))
        return x * self.scale * self.kept["all"][0][0].to(x.dtype), self.table


@pytest.mark.parametrize("is_half_first", [True, False])
def test_what_a_model_keeps_has_its_own_type(is_half_first):
    model, x = Caches(), torch.randn(2, 4)
    peer = copy.deepcopy(model)
    for is_half in (is_half_first, True):
        of_type = nn.Module.half if is_half else nn.Module.float
        data = x.half() if is_half else x
        found, wanted = poptorch.inferenceModel(of_type(model))(data), of_type(peer)(data)
        for one, other in zip([*found, model.table, model.kept["all"][0][0]],
                              [*wanted, peer.table, peer.kept["all"][0][0]]):
            assert one.dtype == other.dtype
            assert torch.allclose(one.float(), other.float(), rtol=2e-3 if one.dtype == torch.half else 1e-6)
    assert [one.dtype for one in model.float()(x)] == [torch.float, torch.float]


def test_what_runs_in_half_is_said(capfd):
    model = Computes(lambda x, y: (x.float() * 3).sum() + F.linear(x, y).sum()).half()
    found = poptorch.inferenceModel(model)(torch.ones(2, 4).half(), torch.ones(2, 4))
    assert found.item() == 40
    assert "all of it is computed in half: " in capfd.readouterr().err


@pytest.mark.parametrize("change", [lambda part, y: part.add_(y),  # a line of its own: each is said once
                                    lambda part, y: part.copy_(y),
                                    lambda part, y: part.__setitem__(0, y[0])])
def test_changes_of_a_part_of_a_table_are_not_lost_unsaid(change, capfd):
    """A copy stands for the table, which would not change."""
    table = torch.ones(5, 3)
    model = Computes(lambda x, y: (change(table[0], y[0, :3]), table / 3)[1]).half()
    poptorch.inferenceModel(model)(torch.ones(2, 4).half(), torch.ones(2, 4))
    assert "all of it is computed in half: " in (said := capfd.readouterr().err)
    assert "is changed in place in a model of halves, which is not simulated" in said
