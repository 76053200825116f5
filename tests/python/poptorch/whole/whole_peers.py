"""Trains whole models in poptorch and in PyTorch, in the modes in which a machine runs them."""
import random
import warnings
from typing import NamedTuple

import poptorch
import torch
import whole_images  # noqa: F401  # pylint: disable=unused-import  # registers its models
import whole_language  # noqa: F401  # pylint: disable=unused-import
import whole_others  # noqa: F401  # pylint: disable=unused-import
from whole_base import MODELS

BATCH = 3

#: The divisor's epsilon: updates for gradients that are zero but for rounding stay small.
EPSILON = 1e-3
OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01, eps=EPSILON),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, eps=EPSILON, weight_decay=0.1),
}


class Mode(NamedTuple):
    """How a machine runs a model."""
    replicas: int = 1
    accumulation: int = 1
    iterations: int = 1
    staged: bool = False
    strategy: object = None
    half: bool = False

    def each(self):
        """Micro-batches of an update."""
        return self.replicas * self.accumulation


MODES = {
    "plain": Mode(), "iterations": Mode(iterations=3), "replicated": Mode(replicas=2), "accumulated": Mode(accumulation=3),
    "pipelined": Mode(accumulation=4, staged=True),
    "sharded": Mode(accumulation=2, staged=True, strategy=poptorch.ShardedExecution),
    "all": Mode(2, 4, 2, staged=True), "half": Mode(half=True),
}

#: Refused for a reason, in words of the messages.
REFUSED = ("does not support broadcasting buffers", "is read in one stage or phase of the model and changed in another")

#: Bounds, of rounding in single precision and in half, and of what a model in half may be off by: of a loss, and a
#: share of the weights' change.
SINGLE, HALF, LOSS_IN_HALF, CHANGE_IN_HALF = 1e-5, 2**-11, 0.06, 0.6


class Marked(torch.nn.Module):
    """A model whose last result is its loss, marked for the machine."""

    def __init__(self, marked):
        super().__init__()
        self.marked = marked

    def forward(self, *given):
        *results, loss = self.marked(*given)
        return (*results, poptorch.identity_loss(loss, "none"))


def _made(name, seed):
    torch.manual_seed(seed)
    return MODELS[name]()


def _in_torch(module, optimizer, data, mode):
    """Losses of the micro-batches."""
    optimizer = OPTIMIZERS[optimizer](module.parameters())
    losses = []
    for call in data:
        parts = list(zip(*(t.split(BATCH) for t in call)))
        for first in range(0, len(parts), mode.each()):
            optimizer.zero_grad()
            for part in parts[first:first + mode.each()]:
                loss = module(*part)[-1]
                (loss / mode.each()).backward()
                losses.append(loss.detach().double())
            optimizer.step()
    return torch.stack(losses)


def _here(module, optimizer, data, mode):
    options = poptorch.Options().replicationFactor(mode.replicas).deviceIterations(mode.iterations)
    options.Training.gradientAccumulation(mode.accumulation)
    options.outputMode(poptorch.OutputMode.All)
    if mode.strategy is not None:
        options.setExecutionStrategy(mode.strategy(poptorch.AutoStage.AutoIncrement))
    if mode.staged:
        poptorch.BeginBlock(module.get_submodule(module.halfway), ipu_id=1)
    program = poptorch.trainingModel(Marked(module), options, OPTIMIZERS[optimizer](module.parameters()))
    losses = [program(*call)[-1].detach().double().reshape(-1) for call in data]
    program.destroy()
    return torch.cat(losses)


def _as(dtype, data):
    return [tuple(t.to(dtype) if t.is_floating_point() else t for t in call) for call in data]


def _told(what, off):
    return [] if off <= 1 else [f"{what} off by {off:.3g} tolerances"]


def differences(name, mode_name, optimizer, seed, calls=3):
    """Texts of what differs after some calls; None for what is refused for a reason."""
    mode = MODES[mode_name]
    torch.manual_seed(seed)
    data = [MODELS[name].data(BATCH * mode.each() * mode.iterations) for _ in range(calls)]
    model, single, double = (_made(name, seed).train() for _ in range(3))
    first = {key: value.double().clone() for key, value in model.state_dict().items()}
    exact = _in_torch(double.double(), optimizer, _as(torch.double, data), mode)
    noise = 30 * (_in_torch(single, optimizer, data, mode) - exact).abs().max()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            mine = (_here(model.half(), optimizer, _as(torch.half, data), mode) if mode.half else
                    _here(model, optimizer, data, mode))
        except poptorch.Error as error:
            if any(words in str(error) for words in REFUSED):
                return None
            raise
    tolerance = (LOSS_IN_HALF if mode.half else SINGLE) * (1 + exact.abs()) + noise
    told = _told("losses", float(((mine - exact).abs() / tolerance).max()))
    return told + (_change_in_half(model, double, first) if mode.half else _weights(model, single, double, mode))


def _weights(model, single, double, mode):
    told, buffers = [], dict(model.named_buffers())
    for key, value in model.state_dict().items():
        if mode.replicas > 1 and key in buffers:
            continue  # each replica has its own
        wanted = double.state_dict()[key].double()
        allowed = SINGLE * (1 + wanted.abs()) + 30 * (single.state_dict()[key].double() - wanted).abs().max()
        told += _told(key, float(((value.double() - wanted).abs() / allowed).max()))
    return told


def _change_in_half(model, double, first):
    """Of all weights together: gradients of some are almost zero, and only rounding there."""
    off = change = size = 0.0
    for key, value in model.state_dict().items():
        wanted = double.state_dict()[key].double()
        off += float((value.double() - wanted).square().sum())
        change += float((wanted - first[key]).square().sum())
        size += float(first[key].square().sum())
    return _told("weights", off**0.5 / (CHANGE_IN_HALF * change**0.5 + HALF * size**0.5))


def failures(seed, count):
    """Trains ``count`` random models in random modes; the number compared, and what differs."""
    rng, compared, found = random.Random(seed), 0, []
    while compared < count:
        name, mode, optimizer = (rng.choice(list(table)) for table in (MODELS, MODES, OPTIMIZERS))
        if MODES[mode].staged and MODELS[name].halfway is None:
            continue
        told = differences(name, mode, optimizer, rng.randrange(1000))
        compared += told is not None
        if told:
            found.append(f"{name}, {mode}, {optimizer}: " + "; ".join(told[:4]))
    return compared, found
