"""Constants of a forward(), among them those of functions that tell no mode, are changed in place once."""
import numpy
import pytest
import torch
from semantics_test import Of, assert_same, mean_square, train
from torch import nn

F = nn.functional


def changed_after_use(unseen, y):
    product, part = unseen * y, unseen[0]
    unseen += y
    part.mul_(2.5)
    unseen[1] = y[0]
    unseen[unseen > 3] = 7
    return product + unseen


def of_the_same_memory(_, y):
    array = numpy.ones((2, 2), numpy.float32)
    first, second = torch.from_numpy(array), torch.from_numpy(array)
    first += y
    second.t().add_(y)
    return first * second


UNSEEN = {
    "array": lambda m, y: changed_after_use(torch.from_numpy(numpy.ones((2, 2), numpy.float32)), y),
    "constructor": lambda m, y: changed_after_use(torch.Tensor([[1, 2], [3, 4]]), y),
    "tensor": lambda m, y: changed_after_use(torch.tensor([[1.0, 2], [3, 4]]), y),
    "two": of_the_same_memory,
    "out": lambda m, y: torch.add(one := torch.Tensor([[1, 2], [3, 4]]), y, out=one) + 1,
    "inplace": lambda m, y: F.leaky_relu(torch.Tensor([[-1, 2], [3, -4]]), 0.5, True) + y,
}


@pytest.mark.parametrize("name", UNSEEN)
def test_constants_change_once(name):
    assert_same(UNSEEN[name], torch.tensor([[0.5, 1.0], [2.0, 3.0]]))


def test_constants_that_change_have_the_gradient_of_the_change():
    def function(m, x):
        constant = torch.Tensor([[1, 2, 3], [4, 5, 6]])
        constant += x * m.w
        constant[1] = m.w * x[0]
        return mean_square(constant.mul_(2))

    train(Of(function, w=nn.Parameter(torch.tensor([0.1, 0.2, 0.3]))), torch.randn(2, 3))
