"""Gradients that follow conventions: of equal numbers, at bounds, at zero, and those written by the
program itself."""
import copy

import poptorch
import pytest
import torch
from torch import nn

F = nn.functional


class Of(nn.Module):
    """A weighed sum of a function's results."""

    def __init__(self, function, numbers):
        super().__init__()
        self.w = nn.Parameter(numbers.clone())
        self.v = nn.Parameter(numbers.clone())
        self.function = function

    def forward(self, x):
        y = self.function(self.w + x * 0, self.v + x * 0)
        weights = torch.arange(1, y.numel() + 1, dtype=torch.float32).reshape(y.shape)
        return poptorch.identity_loss((y * weights).sum(), "none")


#: Equal values, and values at the bounds of the functions below.
NUMBERS = torch.tensor([[0., 0., 1., 1.], [-1., -1., 0., 0.], [2., 6., 6., -3.]])

FUNCTIONS = {
    "maximum": torch.maximum,
    "fmax": torch.fmax,
    "atan2": lambda x, y: torch.atan2(x + 1, y - 1),
    "margin ranking": lambda x, y: F.margin_ranking_loss(x, x.flip(0) + y.flip(0) - y, torch.ones(3, 4),
                                                         reduction="none"),
    "hinge embedding": lambda x, y: F.hinge_embedding_loss(x, torch.ones(3, 4) * -1, reduction="none"),
    "binary cross entropy": lambda x, y: F.binary_cross_entropy_with_logits(x, torch.ones(3, 4) * 0.2),
    "cubic norm": lambda x, y: torch.linalg.vector_norm(torch.relu(x), 3, 1),
    "minimum": torch.minimum,
    "maximum with zero": lambda x, y: torch.maximum(x, torch.zeros(())),
    "amax": lambda x, y: x.amax(1),
    "amin": lambda x, y: x.amin(0),
    "amax of all": lambda x, y: x.amax(),
    "max of all": lambda x, y: x.max(),
    "max": lambda x, y: x.max(1)[0],
    "max by keyword": lambda x, y: torch.max(x, dim=-1, keepdim=True).values,
    "min": lambda x, y: x.min(0).values,
    "clamp": lambda x, y: x.clamp(0, 1),
    "clamp below": lambda x, y: x.clamp(min=0),
    "clamp above": lambda x, y: x.clamp_max(1),
    "clamp in place": lambda x, y: (x * 1).clamp_(0, 1),
    "clamp by tensors": lambda x, y: torch.clamp(x, y, torch.ones(())),
    "clamp by itself": lambda x, y: torch.clamp(x, max=y),
    "relu6": lambda x, y: F.relu6(x),
    "hardtanh": lambda x, y: F.hardtanh(x),
    "hardsigmoid": lambda x, y: F.hardsigmoid(x * 3),
    "hardswish": lambda x, y: F.hardswish(x * 3),
    "largest norm": lambda x, y: x.norm(float("inf"), 1),
    "renormed zeros": lambda x, y: torch.renorm(torch.relu(x) * torch.tensor([1., 0., 1., 0.]), 2, 1, 2.0),
    "cubic renormed zeros": lambda x, y: torch.renorm(torch.relu(x) * torch.tensor([1., 0., 1., 0.]), 3, 1, 2.0),
    "norm of zeros": lambda x, y: (x * 0).norm(3, 1),
    "distance of equal rows": lambda x, y: torch.cdist(x, y, p=3.),
    "normalised zeros": lambda x, y: F.normalize(x * 0, dim=1),
    "power of zero": lambda x, y: torch.pow(x.abs(), y.abs() + 1),
    "to the power of zero": lambda x, y: x**0 * x,
    "asinh": lambda x, y: torch.asinh(x),
    "max_pool": lambda x, y: F.max_pool2d(x[None, None], 2, 1, 1)[0, 0],
    "cross-entropy at zero": lambda x, y: F.binary_cross_entropy_with_logits(
        x, torch.full_like(x, 0.25), reduction="none"),
    "cross-entropy of certainties": lambda x, y: F.binary_cross_entropy(
        x.clamp(0, 1), torch.full_like(x, 0.25), reduction="none"),
}


def gradients(function, numbers=NUMBERS):
    """By poptorch, and by PyTorch."""
    model = Of(function, numbers)
    other = copy.deepcopy(model)
    compiled = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=1.0))
    loss = other(torch.ones(1))
    loss.backward()
    assert torch.allclose(compiled(torch.ones(1)), loss, atol=1e-4)
    return [(numbers - getattr(model, name).detach(),
             torch.zeros_like(numbers) if getattr(other, name).grad is None else
             getattr(other, name).grad) for name in ("w", "v")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_conventions(name):
    for one, other in gradients(FUNCTIONS[name]):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-3)


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(context, gradient):
        (x, ) = context.saved_tensors
        s = torch.sigmoid(x)
        return gradient * s * (1 + x * (1 - s))


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return torch.round(x)

    @staticmethod
    def backward(context, gradient):
        return gradient


class Changing(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(context, gradient):
        return gradient * 2


def after_a_change(x, y):
    x = x * 1
    x[:, :1].mul_(3)
    return Swish.apply(x)


def clipped(w, x):
    with torch.no_grad():
        w.clamp_(-0.5, 0.5)
    return x @ w


def clipped_data(w, x):
    w.data.clamp_(-0.5, 0.5)
    return x @ w


def decayed_later(w, x):
    y = x @ w
    with torch.no_grad():
        w.mul_(0.9)
    return y


def without_a_row(w, x):
    with torch.no_grad():
        w[0] = 0.0
    return x @ w


def of_length_one(w, x):
    with torch.no_grad():
        w.div_(w.norm(dim=0, keepdim=True))
    return x @ w


def doubled_result(w, x):
    y = x @ w
    with torch.no_grad():
        y.mul_(2)
    return y


def doubled_detached(w, x):
    y = x @ w
    y.detach().mul_(2)
    return y


def by_its_data(w, x):
    y = x @ w
    return y * y.data


class Weighted(nn.Module):
    def __init__(self, function):
        super().__init__()
        torch.manual_seed(1)
        self.weight, self.function = nn.Parameter(torch.randn(4, 3)), function

    def forward(self, x, target):
        y = self.function(self.weight, x)
        return y, nn.functional.mse_loss(y, target)


@pytest.mark.parametrize("function", [clipped, clipped_data, decayed_later, without_a_row,
                                      of_length_one, doubled_result, doubled_detached, by_its_data])
def test_gradients_go_past_changes_that_autograd_does_not_see(function):
    x, target = torch.randn(5, 4), torch.randn(5, 3)
    eager, model = Weighted(function), Weighted(function)
    optimizer = torch.optim.SGD(eager.parameters(), lr=0.1)
    compiled = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(3):
        optimizer.zero_grad()
        _, loss = eager(x, target)
        loss.backward()
        optimizer.step()
        assert torch.allclose(compiled(x, target)[1], loss, atol=1e-4)
    assert torch.allclose(model.weight, eager.weight, atol=1e-4)


# As often done by programs: calling this does not look anything up in the class.
swish, rounded, changing = Swish.apply, Rounded.apply, Changing.apply


def of_a_copy(x, y):
    z = torch.zeros_like(y)
    z.copy_(x * y)
    return swish(z)


def of_a_changed_view(x, y):
    z = x * 1.5
    view = z[:, :1]
    z.mul_(y)
    return swish(view)


def without_gradient(x, y):
    with torch.no_grad():
        z = swish(x)
    return z + x


@pytest.mark.parametrize("function", [lambda x, y: Swish.apply(x), lambda x, y: swish(x),
                                      after_a_change, of_a_copy, of_a_changed_view,
                                      without_gradient])
def test_a_function_with_its_derivative(function):
    for one, other in gradients(function):
        assert torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("function", [rounded, lambda x: Rounded.apply(x)])
def test_a_function_without_gradient_may_have_any(function):

    def forward(x, y):
        with torch.no_grad():
            z = function(x)
        return z + x

    for one, other in gradients(forward):
        assert torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("function, text", [(Rounded, "is not the derivative"),
                                            (Changing, "in place")])
def test_a_function_that_means_something_else(function, text):
    taken = {Rounded: rounded, Changing: changing}[function]
    for apply in (lambda x: function.apply(x), taken):
        with pytest.raises(poptorch.Error, match=text):
            gradients(lambda x, y: apply(x * 1))


class Norms(nn.Module):
    """A normalisation and a function of its result."""

    def __init__(self, norm, function):
        super().__init__()
        self.norm, self.function = norm, function
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return poptorch.identity_loss((self.function(self.norm, x * self.scale)**2), "mean")


UNUSED = {
    "unused": lambda norm, x: (norm(x), x)[1],
    "of its shape": lambda norm, x: torch.zeros_like(norm(x)) + x,
    "twice unused": lambda norm, x: (norm(x), norm(x + 1), x)[2],
    "twice": lambda norm, x: norm(norm(x) * 2 + 1),
    "overwritten": lambda norm, x: norm(x).fill_(0.5) + x,
}


@pytest.mark.parametrize("accumulation", [1, 2])
@pytest.mark.parametrize("name", UNUSED)
def test_running_statistics_of_what_nobody_reads(name, accumulation):
    assert_same_state(Norms(nn.BatchNorm2d(2), UNUSED[name]), accumulation)


@pytest.mark.parametrize("affine", [False, True])
def test_running_statistics_of_instances(affine):
    norm = nn.InstanceNorm2d(2, affine=affine, track_running_stats=True)
    model = Norms(norm, lambda norm, x: norm(poptorch.recomputationCheckpoint(x)) + 1)
    assert_same_state(model, 2)
    norm.running_mean += 0.5
    model.eval()
    x = torch.randn(4, 2, 3, 3)
    assert torch.allclose(poptorch.inferenceModel(model)(x), model(x), atol=1e-4)


def assert_same_state(model, accumulation):
    other = copy.deepcopy(model)
    options = poptorch.Options()
    options.Training.gradientAccumulation(accumulation)
    compiled = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
    data = torch.randn(4 * accumulation, 2, 3, 3)
    for _ in range(2):
        compiled(data)
        optimizer.zero_grad()
        for part in data.chunk(accumulation):
            (other(part) / accumulation).backward()
        optimizer.step()
    for (name, one), two in zip(model.state_dict().items(), other.state_dict().values()):
        assert torch.allclose(one.float(), two.float(), atol=1e-4), name


def test_a_normalisation_that_is_used_once_of_twice_is_refused():
    model = Norms(nn.BatchNorm2d(2), lambda norm, x: (norm(x), norm(x + 1))[1])
    with pytest.raises(poptorch.Error, match="not all results are used"):
        poptorch.trainingModel(model)(torch.randn(4, 2, 3, 3))


def test_a_change_of_overlapping_elements_is_refused():
    class Overlapping(nn.Module):
        def forward(self, x):
            y = x.unfold(1, 2, 1)
            y += 1
            return x

    class Numbers(nn.Module):
        def forward(self, x):
            y = x.expand(2, 2, 4)
            y[:, :, 1] = 0.5
            return x

    for model in (Overlapping(), Numbers()):
        with pytest.raises(poptorch.Error, match="contains elements several times"):
            poptorch.inferenceModel(model)(torch.randn(2, 4))


class UnreadNorms(nn.Module):
    """The second normalisation reads the first one, and the result of the second is unused."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        self.norm(self.norm(x) + 1)
        return poptorch.identity_loss(x, "mean")


def test_updates_of_unread_norms_that_depend_on_each_other_are_refused():
    model = poptorch.trainingModel(UnreadNorms())
    with pytest.raises(poptorch.Error, match="the order of such updates is not simulated"):
        model(torch.rand(3, 4))
