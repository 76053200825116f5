"""PyTorch's own table of operations with sample operands, from which its tests are made: each is computed and
trained here and in PyTorch."""
import random
import sys
import types
import unittest
import warnings
from typing import NamedTuple

import poptorch
import torch
from torch import nn

# PyTorch's module of the table wants a module for its own tests.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

TOLERANCE = 1e-3

#: Results that are drawn or are whatever is in memory.
DRAWN = {"bernoulli", "empty", "empty_like", "multinomial", "new_empty", "nn.functional.alpha_dropout",
         "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
         "nn.functional.feature_alpha_dropout", "nn.functional.rrelu", "normal", "rand_like", "randint", "randint_like",
         "randn", "randn_like", "uniform"}
#: Samples with the extreme of numbers that are none.
NOT_A_NUMBER = {"masked.argmax", "masked.argmin"}
#: Of whole numbers and truth values, besides these: which of equal elements comes first, products of whole numbers and
#: fractions, and sums of truth values as truth values.
UNDEFINED = NOT_A_NUMBER | {"addbmm", "addcmul", "addmv", "addr", "argsort", "cummax", "cummin", "kthvalue",
                            "masked.mean", "mode", "scatter_reduce.amax", "sort", "topk"}
#: Without training: gradients of a factor that PyTorch's own form detaches; weights that are no numbers or so large
#: that a step is lost in them; distances without a slope; a gradient that is no number, which PopART's masks multiply.
UNTRAINED = {"__rpow__", "cdist", "logsumexp", "nanmean", "nansum", "nn.functional.pdist", "special.entr"}
#: What becomes of a sample; those that PyTorch refuses are unfit.
UNFIT, REFUSED, COMPARED = range(3)
#: Operations drawn for each sample that is to be compared, at most.
MOST_DRAWN = 4
#: Minutes, each step of it a few operations.
LONG = {"nn.functional.ctc_loss"}


class Sample(NamedTuple):
    """A call of an operation: its tensors, and a function of them."""
    name: str
    tensors: list
    call: object


def _placed(value, tensors):
    """Arguments with the numbers of their tensors, which are appended to the list."""
    if isinstance(value, torch.Tensor):
        tensors.append(value.detach())
        return lambda given, place=len(tensors) - 1: given[place]
    if isinstance(value, dict):
        parts = {key: _placed(part, tensors) for key, part in value.items()}
        return lambda given: {key: part(given) for key, part in parts.items()}
    if type(value) in (list, tuple):
        made = [_placed(part, tensors) for part in value]
        return lambda given: type(value)(part(given) for part in made)
    return lambda given: value


def samples(rng, kind, count):
    """Some samples of random operations with operands of a type."""
    while True:
        info = rng.choice(op_db)
        name = f"{info.name}.{info.variant_test_name}" if info.variant_test_name else info.name
        if kind not in info.dtypes or {info.name, name} & (DRAWN | LONG):
            continue
        if {info.name, name} & (UNDEFINED if kind != torch.float32 else NOT_A_NUMBER):
            continue
        torch.manual_seed(rng.randrange(1000))
        made = list(info.sample_inputs("cpu", kind))
        for sample in rng.sample(made, min(count, len(made))):
            tensors = []
            parts = _placed([sample.input, list(sample.args), dict(sample.kwargs)], tensors)
            yield Sample(f"{name}{[tuple(t.shape) for t in tensors]}", tensors,
                         lambda given, parts=parts, op=info.op: _called(op, *parts(given)))


def _called(op, first, args, kwargs):
    return op(first, *args, **kwargs)


def _results(made):
    if isinstance(made, torch.Tensor):
        return [made]
    return [t for part in made for t in _results(part)] if isinstance(made, (list, tuple)) else []


class Computes(nn.Module):
    """The results of a sample; its real operands are parameters if it is trained."""

    def __init__(self, sample, trained, weights=None):
        super().__init__()
        self.sample, self.weights = sample, weights
        self.places = [i for i, t in enumerate(sample.tensors) if trained and t.is_floating_point()]
        self.operands = nn.ParameterList([nn.Parameter(sample.tensors[i].clone()) for i in self.places])

    def forward(self, *tensors):
        given = [tensor.clone() for tensor in tensors]
        for place, operand in zip(self.places, self.operands):
            given[place] = operand * 1.0
        made = _results(self.sample.call(given))
        return made if self.weights is None else (made, poptorch.identity_loss(self.loss(made), "sum"))

    def loss(self, made):
        reals = [one for one in made if one.is_floating_point() and one.requires_grad]
        return sum((one * weight).sum() for one, weight in zip(reals, self.weights))


def _in_pytorch(sample, trained):
    """The results, and the module that has the gradients; None for what is not compared."""
    model = Computes(sample, trained)
    try:
        with torch.set_grad_enabled(trained):
            made = model(*sample.tensors)
        if not made or any(one.numel() == 0 or one.is_complex() for one in made):
            return None
        if trained:
            if not all(bool(torch.isfinite(one).all()) for one in sample.tensors):
                return None  # a step from what is no number
            reals = [one for one in made if one.is_floating_point() and one.requires_grad]
            model.weights = [torch.rand(one.shape) + 0.5 for one in reals]
            model.loss(made).backward()
    except Exception:  # pylint: disable=broad-except  # whatever PyTorch itself refuses
        return None
    return made, model


def _difference(what, found, wanted):
    if found.shape != wanted.shape:
        return f"{what}: shape {list(found.shape)} for {list(wanted.shape)}"
    if found.is_floating_point() != wanted.is_floating_point() or (found.dtype == torch.bool) != (wanted.dtype == torch.bool):
        return f"{what}: {found.dtype} for {wanted.dtype}"
    if not torch.allclose(found.double(), wanted.double(), rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
        return f"{what}:\n{found}\nfor\n{wanted}"
    return None


def compared(sample, trained):
    """What became of a sample, and what differs. What is not simulated is refused by a poptorch.Error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = _in_pytorch(sample, trained)
        if there is None:
            return UNFIT, None
        wanted, peer = there
        model = Computes(sample, trained, peer.weights)
        try:
            if trained:
                program = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
                found = program(*sample.tensors)[0]
            else:
                found = poptorch.inferenceModel(model)(*sample.tensors)
        except poptorch.Error as error:
            return REFUSED, f"{sample.name}: {error}" if "internal error" in str(error) else None
        except Exception as error:  # pylint: disable=broad-except
            return REFUSED, f"{sample.name}: {type(error).__name__}: {error}"
    found = _results(found)
    if len(found) != len(wanted):
        return COMPARED, f"{sample.name}: {len(found)} results for {len(wanted)}"
    pairs = [(f"result {i}", one, other.detach()) for i, (one, other) in enumerate(zip(found, wanted))]
    for place, mine, theirs in zip(model.places, model.operands, peer.operands):
        gradient = torch.zeros_like(mine) if theirs.grad is None else theirs.grad
        pairs.append((f"gradient of operand {place}", sample.tensors[place] - mine.detach(), gradient))
    told = [_difference(what, one, other) for what, one, other in pairs]
    return COMPARED, next((f"{sample.name}: {text}" for text in told if text), None)


def failures(seed, count, kinds=(torch.float32, torch.float32, torch.int64, torch.bool), each=3):
    """Compares ``count`` samples; the number compared, that of those which PyTorch computes, and what differs."""
    rng, done, tried, found = random.Random(seed), 0, 0, []
    for _ in range(MOST_DRAWN * count):
        if done >= count:
            break
        kind = rng.choice(kinds)
        trained = kind == torch.float32 and rng.random() < 0.5
        for sample, _ in zip(samples(rng, kind, each), range(each)):
            name = sample.name.split("[")[0]
            if trained and (name in UNTRAINED or name.startswith("masked.")):
                continue
            outcome, difference = compared(sample, trained)
            done += outcome == COMPARED
            tried += outcome != UNFIT
            if difference:
                found.append(("trained " if trained else "") + difference)
    return done, tried, found
