"""Large products while a module is traced are computed by oneDNN, with PyTorch's values and shapes."""
import threading
import warnings

import poptorch
import pytest
import torch
from poptorch._products import fast_products

LARGE = (160, 200, 144)  #: rows, common, columns: more than four million multiplications


def of(rows, columns, *batch, dtype=torch.float32):
    return (torch.randn(*batch, rows, columns) * 4).to(dtype)


def convolutions(function):
    """What a function makes, and how many convolutions compute it."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        made = function()
    return made, sum(event.count for event in profile.key_averages() if event.key == "aten::mkldnn_convolution")


def assert_same(function, fast):
    expected, own = convolutions(function)
    with fast_products():
        made, used = convolutions(function)
    again, after = convolutions(function)
    assert (own, used, after) == (0, int(fast), 0)
    assert torch.equal(again, expected)
    assert made.dtype == expected.dtype and made.stride() == expected.stride()
    assert torch.allclose(made, expected, atol=2e-3 if expected.is_floating_point() else 0)


@pytest.mark.parametrize("function", [
    lambda: of(160, 200) @ of(200, 144),
    lambda: of(200, 160).t() @ of(144, 200).t(),
    lambda: torch.addmm(of(160, 144), of(160, 200), of(200, 144), beta=0.5, alpha=-3),
    lambda: torch.addmm(torch.randn(144), of(160, 200), of(200, 144)),
    lambda: torch.addmm(torch.full((144,), float("nan")), of(160, 200), of(200, 144), beta=0),
    lambda: torch.bmm(of(80, 100, 6), of(100, 90, 6)),
    lambda: torch.bmm(of(100, 80, 6).transpose(1, 2), of(90, 100, 6).transpose(1, 2)),
    lambda: torch.baddbmm(of(80, 90, 1), of(80, 100, 6), of(100, 90, 6), beta=2, alpha=0.25),
    lambda: torch.nn.functional.linear(of(80, 200, 2), of(144, 200), torch.randn(144)),
])
def test_large_products(function):
    def drawn():
        torch.manual_seed(1)
        return function()
    assert_same(drawn, fast=True)


@pytest.mark.parametrize("function", [
    lambda: of(4, 5) @ of(5, 6),
    lambda: of(0, 200) @ of(200, 144),
    lambda: torch.bmm(of(3, 4, 2), of(4, 5, 2)),
    lambda: of(160, 200, dtype=torch.float64) @ of(200, 144, dtype=torch.float64),
    lambda: of(160, 200, dtype=torch.int64) @ of(200, 144, dtype=torch.int64),
    lambda: torch.addmm(of(4, 6), of(4, 5), of(5, 6), beta=0.5, alpha=-3),
])
def test_products_that_stay_as_they_are(function):
    def drawn():
        torch.manual_seed(1)
        return function()
    assert_same(drawn, fast=False)


def test_wrong_shapes_are_refused_as_ever():
    for one, two in ((of(160, 200), of(201, 144)), (of(160, 200, 3), of(200, 144, 2)),
                     (of(160, 30000), torch.randn(30000))):
        said = []
        for context in (fast_products(), torch.no_grad()):
            with context, pytest.raises(RuntimeError) as error:
                (torch.mm if one.dim() == 2 else torch.bmm)(one, two)
            said.append(str(error.value))
        assert said[0] == said[1]


def test_threads_share_them():
    """Those that end first leave them to the others."""
    inside, leave = threading.Barrier(3), threading.Event()
    failed = []

    def work():
        try:
            with fast_products():
                inside.wait()
                leave.wait()
        except BaseException as error:  # what a thread raises is lost otherwise
            failed.append(error)
            inside.abort()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    with fast_products():
        inside.wait()
    used = convolutions(lambda: of(160, 200) @ of(200, 144))[1]
    leave.set()
    for thread in threads:
        thread.join()
    assert not failed and used == 1
    assert convolutions(lambda: of(160, 200) @ of(200, 144))[1] == 0


def test_a_program_s_own_kernel_stays():
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.impl("mm", lambda one, two: torch.full((one.shape[0], two.shape[1]), 7.0), "CPU")
    with fast_products():
        assert float((of(160, 200) @ of(200, 144)).min()) == 7
    assert float((of(4, 5) @ of(5, 6)).min()) == 7
    del library


def test_tracing_and_comparing_use_them():
    model, data = torch.nn.Linear(LARGE[1], LARGE[2]), of(*LARGE[:2])
    made, used = convolutions(lambda: poptorch.inferenceModel(model)(data))
    assert used == 2
    assert torch.allclose(made, model(data), atol=1e-3)
