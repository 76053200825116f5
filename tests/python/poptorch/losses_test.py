"""The trained loss is the one returned by forward(), as with PyTorch's backward(), or it is an error."""
import copy

import poptorch
import pytest
import torch
from torch import nn

F = nn.functional


class Model(nn.Module):
    """Results of a function of predictions and targets."""

    def __init__(self, function):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.function = function

    def forward(self, x, target):
        return self.function(self, self.linear(x), target)


def penalty(m):
    return 0.1 * (m.linear.weight**2).sum()


def both(m, x, t):
    return poptorch.identity_loss(F.mse_loss(x, t) + F.l1_loss(x, t), "none")


def auxiliary(m, x, t):
    loss = F.mse_loss(x, t)
    return loss + penalty(m), loss.detach()


def marked_of_several(m, x, t):
    loss = poptorch.identity_loss(F.mse_loss(x, t), "none")
    return loss, torch.exp(loss)


def after_a_change(m, x, t):
    y = torch.zeros(x.shape)
    y.copy_(x)
    return 2 * F.mse_loss(y, t)


#: Results of forward(); PyTorch would call backward() on the first single number.
TRAINED = {
    "scaled": lambda m, x, t: 0.5 * F.mse_loss(x, t),
    "divided": lambda m, x, t: F.cross_entropy(x, t.argmax(1)) / 2,
    "penalty": lambda m, x, t: (x, F.mse_loss(x, t) + penalty(m)),
    "root": lambda m, x, t: torch.sqrt(F.mse_loss(x, t)),
    "of terms": lambda m, x, t: (F.mse_loss(x, t, reduction="none") * t).mean(),
    "of terms that are returned": lambda m, x, t: (lambda terms: (terms.mean(), terms))(
        F.mse_loss(x, t, reduction="none")),
    "marked and scaled": lambda m, x, t: poptorch.identity_loss((x - t)**2, "mean") * 3,
    "both": both,
    "auxiliary": auxiliary,
    "after a change": after_a_change,
    "marked of several": marked_of_several,
    "twice": lambda m, x, t: (lambda loss: (loss, {"loss": loss}))(F.mse_loss(x, t) * 2),
    "one element": lambda m, x, t: (F.mse_loss(x, t) * 2).reshape(1),
    "smoothed": lambda m, x, t: 2 * F.cross_entropy(x, t.argmax(1), label_smoothing=0.1),
}


def loss_of(result):
    while isinstance(result, tuple):
        result = next(part for part in result if isinstance(part, tuple) or part.numel() == 1)
    return result


@pytest.mark.parametrize("name", TRAINED)
def test_what_is_returned_is_trained(name):
    model = Model(TRAINED[name])
    other = copy.deepcopy(model)
    compiled = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
    x, target = torch.randn(5, 4), torch.rand(5, 3)
    for _ in range(3):
        loss = loss_of(compiled(x, target))
        expected = loss_of(other(x, target))
        optimizer.zero_grad()
        expected.backward()
        optimizer.step()
        assert torch.allclose(loss, expected, atol=1e-5)
    for one, two in zip(model.parameters(), other.parameters()):
        assert torch.allclose(one, two, atol=1e-5)


def dropped(m, x, t):
    F.mse_loss(x, t)
    return x, F.mse_loss(x, t).detach()


REFUSED = {
    "of several": (lambda m, x, t: (lambda loss: (loss + penalty(m), loss))(F.mse_loss(x, t)),
                   "results 0, 1 of forward"),
    "sum": (lambda m, x, t: F.mse_loss(x, t) + F.l1_loss(x, t), "several losses"),
    "detached": (dropped, "returns no number with a gradient"),
    "changed shape": (lambda m, x, t: F.mse_loss(x, t) * x, "returns no number with a gradient"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_leaves_it_open_is_refused(name):
    function, text = REFUSED[name]
    model = Model(function)
    compiled = poptorch.trainingModel(model)
    with pytest.raises(poptorch.Error, match=text) as error:
        compiled(torch.randn(5, 4), torch.rand(5, 3))
    assert "poptorch.identity_loss()" in str(error.value)


@pytest.mark.parametrize("loss", [F.cross_entropy, lambda x, t, **named: F.nll_loss(F.log_softmax(x, 1), t, **named)])
@pytest.mark.parametrize("reduction", ["sum", "none", "mean"])
def test_losses_where_no_label_counts(loss, reduction):
    """Sums are zero and train nothing. The mean is no number, as in PyTorch, and it spoils the weights: PopART
    divides also the gradients by the number of labels that count."""

    def all_ignored(m, x, t):
        made = loss(x, t.argmax(1), ignore_index=0, reduction=reduction)
        return x, poptorch.identity_loss(made, "sum") if reduction == "none" else made

    model = Model(all_ignored)
    before = copy.deepcopy(model.state_dict())
    x, t = torch.randn(5, 4), torch.tensor([[1.0, 0.0, 0.0]]).repeat(5, 1)
    wanted = model(x, t)[1].sum()
    found = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), 0.1))(x, t)[1]
    assert torch.equal(found, wanted) or bool(found.isnan()) and bool(wanted.isnan())
    if reduction == "mean":
        assert model.linear.bias.isnan().all()
    else:
        assert all(torch.equal(model.state_dict()[name], value) for name, value in before.items())


#: Of operands whose classes are the second dimension, and where a dimension of the same size is taken for it.
LOG_SOFTMAX = {
    "of the last, moved": lambda x: F.log_softmax(x, -1).transpose(1, 2),
    "of the last, moved twice": lambda x: F.log_softmax(x.unsqueeze(1), -1).permute(0, 3, 1, 2).squeeze(2),
    "of another": lambda x: F.log_softmax(x, -1),
    "of the classes": lambda x: F.log_softmax(x, -2),
    "of the first": lambda x: F.log_softmax(x, 0),
    "moved before": lambda x: F.log_softmax(x.transpose(1, 2), 1),
    "as rows": lambda x: F.log_softmax(x, -1).reshape(-1, 3, 1).expand(-1, 3, 3),
}


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", LOG_SOFTMAX)
def test_a_softmax_of_another_dimension_is_not_that_of_the_loss(name, reduction):
    x, labels = torch.randn(4, 3, 3), torch.randint(0, 3, (4, 3))
    labels = labels.repeat(3, 1) if name == "as rows" else labels
    model = Model(lambda m, x, t: F.nll_loss(LOG_SOFTMAX[name](x), t, reduction=reduction))
    model.linear = nn.Linear(3, 3)
    found, wanted = poptorch.inferenceModel(model)(x, labels), model(x, labels)
    assert torch.allclose(found, wanted, atol=1e-5)
