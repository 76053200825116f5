"""Functions with a gradient of their own compute as PyTorch does, also where they change their tensors in place."""
import poptorch
import pytest
import torch
from torch import nn


def part(x):
    y = x.clone()
    y[:, 0] = 0
    return y


def view(x):
    y = x.clone()
    first = y.select(1, 0)
    first.zero_()
    first.add_(x[:, 1], alpha=2)
    return y * x


def filled(x):
    y = torch.zeros_like(x)
    y[:, 1].add_(x[:, 0])
    return y.mul_(3) + x


def one_after_the_other(x):
    total = x.new_zeros(x.shape)
    for i in range(1, x.shape[1]):
        before, now = total.select(1, i - 1), total.select(1, i)
        now.copy_(before)
        now.add_(x[:, i])
    return total * x


def of_all(x):
    y = x * x
    y.view(-1)[2:4] += 1
    y[:, x.shape[1] - 1] *= 2
    return y


#: In forms of ours, as outside of a Function.
FORWARD = {
    "part": part, "view": view, "filled": filled, "one after the other": one_after_the_other, "of all": of_all,
    "mask": lambda x: x.masked_fill(x > 0, 0.5) + torch.roll(x, 1, 0),
    "distances": lambda x: torch.cdist(x[None], x[None].flip(-1), p=3.0)[0],
    "products": lambda x: x.cumprod(1) + torch.fmod(x, 0.4),
}


def function_of(forward):

    class Function(torch.autograd.Function):
        """With the derivative of what it computes."""

        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(context, gradient):
            with torch.enable_grad():
                x = context.saved_tensors[0].detach().requires_grad_()
                return torch.autograd.grad(forward(x), x, gradient)[0]

    return Function.apply


class Trained(nn.Module):
    """A Function of what is changed in place before and after it."""

    def __init__(self, forward):
        super().__init__()
        self.function = function_of(forward)
        self.weight = nn.Parameter(torch.tensor([[0.3, -1.2, 0.7], [0.2, 1.1, -0.4], [-0.6, 0.9, 1.3]]))

    def forward(self, x):
        x = x * self.weight
        x[1].add_(1)
        y = self.function(x)
        z = y * 1
        z[0].mul_(2)
        return z, y, poptorch.identity_loss((x * z).sum() + self.function(y * 0.1).sum(), "sum")


@pytest.mark.parametrize("name", FORWARD)
def test_functions_that_change_their_tensors(name):
    model, peer = Trained(FORWARD[name]), Trained(FORWARD[name])
    x = torch.tensor([[0.5, 1.4, -0.8], [1.7, -0.3, 0.6], [0.9, -1.1, 0.4]])
    found = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))(x)
    wanted = peer(x)
    wanted[-1].backward()
    for one, other in zip(found, wanted):
        assert torch.allclose(one, other, atol=1e-4)
    assert torch.allclose(model.weight, peer.weight - 0.1 * peer.weight.grad, atol=1e-4)


def test_a_layer_of_pytorch_that_is_such_a_function():
    layer, x = nn.CrossMapLRN2d(3, alpha=0.5), torch.randn(2, 6, 4, 4)
    assert torch.allclose(poptorch.inferenceModel(layer)(x), layer(x), atol=1e-5)
