"""The first call of a model is compared with PyTorch, without any effect visible to the program."""
import random

import numpy
import poptorch
import pytest
import torch
from models import Classifier, images, labels
from poptorch import _check, _logging
from torch import nn


class Branching(nn.Module):
    """Returns something else when traced, which no comparison of graphs would find."""

    def __init__(self):
        super().__init__()
        self.inner = Scaled()
        self.outer = nn.Linear(4, 2)

    def forward(self, x):
        x = self.inner(x)  # the line of the call
        return self.outer(x)


class Scaled(nn.Module):
    """Multiplies by one more in a trace."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        factor = 2.0 if torch._C._get_tracing_state() is not None else 1.0
        return x * self.weight * factor


@pytest.fixture(name="said")
def everything_said(monkeypatch):
    said = []
    monkeypatch.setattr(_logging, "_said", set())
    for level in ("warning", "info"):
        monkeypatch.setattr(_logging.logger, level,
                            lambda text, *args, level=level: said.append((level, text % args if args else text)))
    return said


def warnings_in(said):
    return [text for level, text in said if level == "warning" and "differs from PyTorch" in text]


def test_the_first_module_that_differs_is_named_with_its_line(said):
    with open(__file__, encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if "# the line of the call" in text)
    poptorch.inferenceModel(Branching())(torch.rand(3, 4))
    text, = warnings_in(said)
    assert "result 0 has" in text and "TILESCOPE_POPTORCH_CHECK=off" in text
    assert f"module 'inner' (Scaled), called in {__file__}:{line}" in text


def test_only_the_first_call_is_compared(said):
    program = poptorch.inferenceModel(Branching())
    for _ in range(3):
        program(torch.rand(3, 4))
    assert len(warnings_in(said)) == 1


def test_off_compares_nothing(said, monkeypatch):
    monkeypatch.setenv("TILESCOPE_POPTORCH_CHECK", "off")
    poptorch.inferenceModel(Branching())(torch.rand(3, 4))
    assert not warnings_in(said)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("half", [False, True])
def test_models_that_are_right_are_not_complained_of(said, training, half):
    model = Classifier()
    x, y = images(8), labels(8)
    if half:
        model, x = model.half(), x.half()
    if training:
        program = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))
        program(x, y)
    else:
        poptorch.inferenceModel(model.eval())(x)
    assert not [text for _, text in said if "PyTorch" in text]


@pytest.mark.parametrize("mode", [poptorch.OutputMode.All, poptorch.OutputMode.Final, poptorch.OutputMode.Sum])
def test_results_are_as_without_it(mode, monkeypatch, said):
    model, results = Classifier().eval(), []
    x = images(6)
    for word in ("off", "first"):
        monkeypatch.setenv("TILESCOPE_POPTORCH_CHECK", word)
        options = poptorch.Options().deviceIterations(3).outputMode(mode)
        results.append(poptorch.inferenceModel(model, options)(x))
    assert torch.equal(*results) and not warnings_in(said)


class Nosy(nn.Module):
    """Uses what a second run could disturb: random numbers, a buffer, its input, a list of its own."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(1))
        self.calls = []

    def forward(self, x):
        self.calls.append(len(self.calls))
        random.random()
        numpy.random.rand()
        return self.linear(x) * (1 + 0 * x)


@pytest.mark.parametrize("hooks", [False, True])
def test_nothing_of_the_program_is_disturbed(monkeypatch, hooks):
    def states(word):
        monkeypatch.setenv("TILESCOPE_POPTORCH_CHECK", word)
        torch.manual_seed(1)
        random.seed(1)
        numpy.random.seed(1)
        model, hooked = Nosy(), []
        if hooks:
            model.linear.register_forward_hook(lambda *args: hooked.append(1))
        x = torch.rand(2, 4)
        before = x.clone()
        poptorch.inferenceModel(model)(x)
        assert torch.equal(x, before)
        return (len(model.calls), len(hooked), model.seen.item(), random.random(), numpy.random.rand(),
                torch.rand(1).item(), model.training)

    assert states("off") == states("first")


class Prints(nn.Linear):
    """Prints a message when it is run."""

    def forward(self, x):
        print("here")
        return super().forward(x)


def test_what_the_program_prints_is_printed_as_without_it(monkeypatch, capfd):
    printed = []
    for word in ("off", "first"):
        monkeypatch.setenv("TILESCOPE_POPTORCH_CHECK", word)
        poptorch.inferenceModel(Prints(2, 2))(torch.rand(1, 2))
        printed.append(capfd.readouterr().out)
    assert printed[0] == printed[1]


class Drops(nn.Module):
    """Draws random numbers in training."""

    def __init__(self):
        super().__init__()
        self.linear, self.drop, self.loss = nn.Linear(4, 2), nn.Dropout(0.5), nn.MSELoss()

    def forward(self, x, y):
        x = self.drop(self.linear(x))
        return x, self.loss(x, y)


def test_random_numbers_are_left_out_and_said_to_be(said):
    model = Drops()
    poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))(torch.rand(4, 4), torch.rand(4, 2))
    assert not warnings_in(said)
    assert any("is not compared with PyTorch" in text and "draws random numbers" in text for _, text in said)


def test_floats_of_a_mixed_model_have_limits_of_their_own(said):
    class Least(nn.Linear):
        def forward(self, x):
            return torch.full_like(x, torch.finfo(x.dtype).min) * 0.5

    found = poptorch.inferenceModel(Least(2, 2).half())(torch.rand(1, 2))
    assert found.min() < -1e38 and not warnings_in(said)


def test_what_takes_too_long_is_left_out_and_said_to_be(said, monkeypatch):
    for name, word in (("MOST_SECONDS", "s to trace"), ("MOST_BYTES", "MiB of parameters")):
        with monkeypatch.context() as patch:
            patch.setattr(_check, name, 0)
            poptorch.inferenceModel(Branching())(torch.rand(3, 4))
        assert not warnings_in(said)
        assert any(word in text for _, text in said)


def test_a_model_that_pytorch_cannot_run_is_left_out(said):
    class OnlyTraced(nn.Linear):
        def forward(self, x):
            if torch._C._get_tracing_state() is None:
                raise OSError("no such luck")
            return super().forward(x)

    poptorch.inferenceModel(OnlyTraced(2, 2))(torch.rand(1, 2))
    assert any("OSError: no such luck" in text for _, text in said)
