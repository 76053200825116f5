"""Calls in less usual forms, by name, of numbers, of one sample, compute what PyTorch does or are refused as there."""
import math
import warnings

import poptorch
import pytest
import torch

from models import Computes

F = torch.nn.functional
R = torch.randn
INFINITE = math.inf


def whole(most, *shape):
    return torch.randint(0, most, shape)


def parts(made):
    return list(made) if isinstance(made, (list, tuple)) else [made]


def filled(out, function):
    with torch.no_grad():
        function(out)
        return out * 2


def resized_and_copied(x):
    y = torch.empty(0)
    y.resize_(3, 4)
    y.copy_(x)
    return y


MASK = torch.tensor([[True, False, True, False]]).expand(3, 4)
ROWS = torch.tensor([[0, 1, 1], [1, 0, 1]])

SAME = {
    "larger of a number and each element": (torch.max, torch.tensor(0.5), R(3)),
    "smaller of a number and each element, by name": (lambda x, y: torch.min(x, other=y), torch.tensor(0.5), R(3)),
    "larger of two numbers": (torch.max, torch.tensor(0.5), torch.tensor(2.0)),
    "resized and copied": (resized_and_copied, R(3, 4)),
    "resized as another": (lambda x: torch.empty(0).resize_as_(x).copy_(x), R(3, 4)),
    "resized and filled": (lambda x: torch.empty(2).resize_(3, 4).fill_(2) + x, R(3, 4)),
    "a result in a tensor without elements": (lambda x: filled(torch.empty(0), lambda out: torch.hypot(x, x, out=out)),
                                              R(3, 4)),
    "a larger constant, resized": (lambda x: torch.arange(6).resize_(2, 2) + x, R(2, 2)),
    "resized to the own sizes": (lambda x: (x + 1).resize_(3, 4) * 2, R(3, 4)),
    "resized to the own sizes, of a list": (lambda x: (x + 1).resize_([3, 4]) * 2, R(3, 4)),
    "resized as one of the own sizes": (lambda x, y: (x + 1).resize_as_(y) * y, R(3, 4), R(3, 4)),
    "masked_fill by name": (lambda x, m: torch.masked_fill(input=x, mask=m, value=2.0), R(3, 4), MASK),
    "masked_fill by name, of bytes": (lambda x, m: torch.masked_fill(input=x, mask=m, value=2.0), R(3, 4), MASK.byte()),
    "masked_select by name": (lambda x: torch.masked_select(input=x, mask=torch.tensor([True, False, True])), R(3)),
    "masked_scatter by name": (lambda x, m, y: torch.masked_scatter(input=x, mask=m, source=y), R(3, 4), MASK, R(12)),
    "index_put by name": (lambda x, y: torch.index_put(input=x, indices=(torch.tensor([1]), ), values=y), R(3, 4), R(4)),
    "diagonal by name": (lambda x: torch.diagonal(input=x, offset=1) * 2, R(3, 4)),
    "as_strided by name": (lambda x: torch.as_strided(input=x, size=(2, 2), stride=(1, 2)) * 2, R(3, 4)),
    "searchsorted by name": (lambda x, y: torch.searchsorted(sorted_sequence=x, input=y), torch.arange(4.0), R(5)),
    "where by name": (lambda m, x: torch.where(condition=m, input=x, other=-x), MASK, R(3, 4)),
    "embedding by name": (lambda i, w: F.embedding(input=i, weight=w), whole(3, 2), R(3, 4)),
    "largest of one image, last window in the padding": (lambda x: F.max_pool2d(x, 2, 2, 1, ceil_mode=True), R(3, 3, 5)),
    "largest of one row of channels": (lambda x: F.max_pool1d(x, 2, 2, 1, ceil_mode=True), R(3, 5)),
    "largest of one volume": (lambda x: F.max_pool3d(x, 2, 2, 1, ceil_mode=True), R(2, 3, 5, 3)),
    "mean of one image, last window cut off": (lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True), R(3, 6, 6)),
    "mean of one image, by a divisor": (lambda x: F.avg_pool2d(x, 2, divisor_override=3), R(3, 4, 4)),
    "mean of rows, last window cut off": (lambda x: F.avg_pool1d(x, 3, 2, ceil_mode=True), R(2, 3, 6)),
    "mean of one row of channels, last window cut off": (lambda x: F.avg_pool1d(x, 3, 2, 1, True, False), R(3, 7)),
    "mean of volumes, last window cut off": (lambda x: F.avg_pool3d(x, 3, 2, 1, True, False, 5), R(1, 2, 6, 4, 5)),
    "mean of one row of channels": (lambda x: F.avg_pool1d(x, 2), R(3, 6)),
    "truths into real numbers": (lambda x: filled(torch.zeros(2, 3), lambda out: torch.full((2, 3), True, out=out)) + x,
                                 R(2, 3)),
    "largest bytes by index": (lambda x, y: x.scatter_reduce(1, ROWS, y, "amax", include_self=False),
                               whole(200, 2, 3).byte(), whole(200, 2, 3).byte()),
    "smallest bytes by index": (lambda x, y: x.scatter_reduce(1, ROWS, y, "amin", include_self=False),
                                whole(200, 2, 3).byte(), whole(200, 2, 3).byte()),
    "zero times an infinite logarithm": (torch.xlogy, torch.tensor([0.0, 0.0, 0.0, 2.0]),
                                         torch.tensor([INFINITE, 0.0, -1.0, 3.0])),
    "zero times the logarithm of what is no number": (torch.xlogy, torch.zeros(1), torch.tensor([math.nan])),
    "xlogy of whole numbers": (torch.xlogy, whole(3, 4), whole(3, 4) + 1),
    "xlogy of a number": (lambda x: torch.xlogy(x, 2.0), R(4)),
    "xlogy of a whole number": (lambda x: torch.xlogy(x, 3), whole(4, 4)),
    "xlogy times a number": (lambda x: torch.xlogy(2.0, x), torch.rand(4)),
    "xlog1py of a number": (lambda x: torch.special.xlog1py(x, 2.0), R(4)),
    "cummax of truth values": (lambda x: torch.cummax(x, 0), torch.tensor([False, True, False, True])),
    "cummin of truth values": (lambda x: torch.cummin(x, 0), torch.tensor([True, True, False, True])),
    "cummax of bytes": (lambda x: torch.cummax(x, 0), torch.tensor([3, 200, 7], dtype=torch.uint8)),
    "a truth value in whole numbers": (lambda x: torch.fill(x, True) + x, whole(9, 4)),
    "whole numbers, rounded up, down and to zero": (lambda x: x.ceil() + x.floor() + x.trunc() + x.sign(), whole(9, 4)),
    "whole numbers, rounded": (torch.round, whole(9, 4)),
    "nearest of fewer": (lambda x: F.interpolate(x, scale_factor=0.6, mode="nearest"), R(1, 2, 7)),
    "nearest of fewer, in two dimensions": (lambda x: F.interpolate(x, scale_factor=(0.6, 1.7)), R(1, 2, 7, 5)),
    "nearest, by a computed scale": (lambda x: F.interpolate(x, scale_factor=0.6, recompute_scale_factor=True), R(1, 2, 7)),
    "nearest of sizes whose quotient is rounded": (lambda x: F.interpolate(x, size=15), R(1, 2, 21)),
    "nearest of sizes whose quotient is rounded up": (lambda x: F.interpolate(x, size=22), R(1, 2, 26)),
    "nearest of sizes whose quotient is rounded down": (lambda x: F.interpolate(x, size=46), R(1, 2, 30)),
    "nearest, by a scale that is rounded": (lambda x: F.interpolate(x, scale_factor=1.8), R(1, 1, 35)),
    "linear, by a scale that is rounded": (
        lambda x: F.interpolate(x, scale_factor=1.8, mode="linear", recompute_scale_factor=True), R(1, 1, 35)),
    "nearest of many fewer": (lambda x: F.interpolate(x, scale_factor=0.3), R(1, 1, 97)),
    "nearest, by a size": (lambda x: F.interpolate(x, size=(4, 9)), R(1, 2, 7, 5)),
    "amax of a number": (lambda x: x.amax() + torch.amin(x), torch.tensor(2.0)),
    "nansum of a number": (torch.nansum, torch.tensor(2.0)),
    "nansum of no number": (torch.nansum, torch.tensor(math.nan)),
    "nanmean of a number": (torch.nanmean, torch.tensor(2.0)),
    "variance of a number": (torch.var, torch.tensor(2.0)),
    "deviation of a number": (torch.std, torch.tensor(2.0)),
    "variance and mean of a number": (torch.var_mean, torch.tensor(2.0)),
}


@pytest.mark.parametrize("name", SAME)
def test_computes_as_in_pytorch(name):
    function, *operands = SAME[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = parts(function(*[x.clone() for x in operands]))
        found = parts(poptorch.inferenceModel(Computes(function))(*[x.clone() for x in operands]))
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert one.shape == other.shape and one.is_floating_point() == other.is_floating_point()
        assert (one.dtype == torch.bool) == (other.dtype == torch.bool)
        assert torch.allclose(one.double(), other.double(), rtol=1e-4, atol=1e-4, equal_nan=True), (one, other)


#: Name: what PyTorch refuses, too.
REFUSED = {
    "more steps than dimensions": (lambda x: torch.gradient(x, spacing=[1.0, 2.0, 3.0]), R(3, 4)),
    "a size and a scale": (lambda x: F.interpolate(x, size=3, scale_factor=0.5, mode="nearest-exact"), R(1, 2, 6)),
    "neither a size nor a scale": (F.interpolate, R(1, 2, 6)),
    "a grid of matrices": (lambda x, y: torch.meshgrid(x, y, indexing="xy"), R(2, 3), R(2)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_as_in_pytorch(name):
    function, *operands = REFUSED[name]
    with pytest.raises(Exception) as wanted:
        function(*operands)
    with pytest.raises(type(wanted.value)) as found:
        poptorch.inferenceModel(Computes(function))(*operands)
    assert str(found.value).splitlines()[0].startswith(str(wanted.value).splitlines()[0][:40])


def test_a_result_of_other_sizes_is_refused_by_name():
    def function(x):
        return filled(torch.zeros(2), lambda out: torch.hypot(x, x, out=out))

    with pytest.raises(poptorch.Error, match=r"hypot\(\).*out.*calls_test.py"):
        poptorch.inferenceModel(Computes(function))(R(3, 4))


def test_a_scale_that_gives_other_sizes_is_refused():
    with pytest.raises(poptorch.Error, match="give the size"):
        poptorch.inferenceModel(Computes(lambda x: F.interpolate(x, scale_factor=1.8, mode="linear")))(R(1, 1, 35))


def with_a_view(x):
    base = torch.zeros(2)
    view = base[:1]
    base.resize_(40)
    return view + x


@pytest.mark.parametrize("function", [lambda x: (x + 0).resize_(2, 2), with_a_view,
                                      lambda x: torch.zeros(4).copy_(x).resize_(2, 2)])
def test_what_is_not_a_constant_is_not_resized(function):
    with pytest.raises(poptorch.Error, match="gives a tensor other memory.*calls_test.py"):
        poptorch.inferenceModel(Computes(function))(R(4))
