"""Models without parameters compute in the type of their operands."""
import poptorch
import pytest
import torch
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
