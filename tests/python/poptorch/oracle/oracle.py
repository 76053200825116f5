"""Compares a case in poptorch with eager PyTorch."""
import copy
import warnings

import poptorch
import torch
from generator import Generated, data_of, kind_of
from poptorch._tracing import Tree


#: The fraction by which each result of a step is moved to find what depends on rounding alone: a few
#: roundings of single precision.
NUDGE = 1e-6


class Unfit(Exception):
    """Eager PyTorch cannot run the case, or its results are meaningless."""


class Difference(Exception):
    """poptorch differs; the text describes how."""


#: The divisor's epsilon of these: updates for gradients that are zero except for rounding stay small.
EPSILON = 1e-3

OPTIMIZERS = {
    "sgd": (torch.optim.SGD, {"lr": 0.05}),
    "sgd_decay": (torch.optim.SGD, {"lr": 0.05, "weight_decay": 0.1}),
    "momentum": (torch.optim.SGD, {"lr": 0.02, "momentum": 0.9}),
    "adam": (torch.optim.Adam, {"lr": 0.01, "eps": EPSILON}),
    "adamw": (torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1, "eps": EPSILON}),
    "rmsprop": (torch.optim.RMSprop, {"lr": 0.005, "eps": EPSILON}),
    "momentum_decay": (torch.optim.SGD, {"lr": 0.02, "momentum": 0.7, "weight_decay": 0.1}),
    "rmsprop_momentum": (torch.optim.RMSprop, {"lr": 0.002, "eps": EPSILON, "momentum": 0.8,
                                               "alpha": 0.9, "weight_decay": 0.1}),
    "adam_decay": (torch.optim.Adam, {"lr": 0.01, "eps": EPSILON, "betas": (0.8, 0.95),
                                      "weight_decay": 0.1}),
    "own_sgd": (poptorch.optim.SGD, {"lr": 0.05, "momentum": 0.5, "loss_scaling": 8.0,
                                     "use_combined_accum": True}),
    "own_adam": (poptorch.optim.Adam, {"lr": 0.01, "eps": EPSILON, "loss_scaling": 4.0,
                                       "bias_correction": False}),
    "own_adamw": (poptorch.optim.AdamW, {"lr": 0.01, "eps": EPSILON, "weight_decay": 0.1,
                                         "bias_correction": False}),
    "own_lamb": (poptorch.optim.LAMB, {"lr": 0.01, "eps": EPSILON, "weight_decay": 0.1}),
    "own_lamb_bounded": (poptorch.optim.LAMB, {"lr": 0.01, "eps": EPSILON, "max_weight_norm": 0.7,
                                               "bias_correction": False}),
}


def _optimizer(case, model):
    kind, numbers = OPTIMIZERS[case.optimizer]
    parameters = list(model.parameters())
    if case.groups and len(parameters) > 1:
        half = len(parameters) // 2
        return kind([{"params": parameters[:half]},
                     {"params": parameters[half:], "lr": numbers["lr"] / 4}], **numbers)
    return kind(parameters, **numbers)


def _arguments(case, data, turned=False):
    x, i, y = data
    if case.structure == "dict":
        parts = {"x": x, "i": i, "y": y}
        return ({key: parts[key] for key in (reversed(parts) if turned else parts)}, ), {}
    if case.structure == "nested":
        return ((x, {"i": i}), y), {}
    if case.structure == "keywords":
        return (), dict(reversed([("x", x), ("i", i), ("y", y)])) if turned else {"x": x, "i": i,
                                                                                  "y": y}
    return (x, i, y), {}


def _accumulation(case):
    return case.accumulation if case.training else 1


def _micro_batches(case):
    return case.iterations * case.replicas * _accumulation(case)


def _change(case, model, optimizer):
    """What a program does between calls; returns whether the optimizer has changed."""
    if case.between == "weights":
        with torch.no_grad():
            for weight in model.parameters():
                weight.mul_(0.9)
    elif case.between == "scheduler":
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5).step()
    elif case.between in ("rate", "numbers"):
        for group in optimizer.param_groups:
            group["lr"] *= 0.5
            if case.between == "numbers":
                group["weight_decay"] = 0.05
    return case.between in ("rate", "numbers", "scheduler")


def _returned(case, parts):
    """The micro-batches, or their sum, that calls return."""
    if case.output == "Final":  # the replicas' micro-batches of an update are one after the other
        each = _accumulation(case)
        return parts[len(parts) - case.replicas * each + each - 1::each]
    if case.output == "EveryN":
        return parts[1::2]
    return [sum(parts)] if case.output == "Sum" else parts


def _joined(parts):
    """Results of micro-batches as returned by a call."""
    if parts[0].dim() == 0:
        return torch.stack(parts) if len(parts) > 1 else parts[0]
    return torch.cat(parts)


#: Messages for programs that are refused for a reason, not for lack of an ONNX form.
REFUSED = ("Multiple independent losses found", "undefined in PyTorch", "the order of such updates is not simulated",
           "too few for 2 stages", "no node is annotated for stage")

#: The machine's variance is the mean square less the square of the mean, both in single precision, as
#: PopLibs' is. How many times the variance that square may be for results of this tolerance.
MOST_SQUARE = 300


def _refuse_near_constants(module, inputs):
    """Before a normalisation: the machine's variance of values that hardly differ is noise."""
    x = inputs[0].detach().double()
    if isinstance(module, torch.nn.GroupNorm):
        x = x.reshape(x.shape[0], module.num_groups, -1)
    elif isinstance(module, torch.nn.modules.instancenorm._InstanceNorm):
        x = x.flatten(2)
    elif module.training:
        x = x.transpose(0, 1).flatten(1)
    else:
        return
    variance = x.var(-1, unbiased=False)
    is_noise = (variance > 0) & (x.mean(-1)**2 > MOST_SQUARE * (variance + module.eps))
    if x.numel() and bool(is_noise.any()):
        raise Unfit("a normalisation of values that hardly differ")


def _has_statistics(module):
    return isinstance(module, (torch.nn.GroupNorm, torch.nn.modules.batchnorm._NormBase))


class Eager:
    """The same calls in PyTorch."""

    def __init__(self, case, model, dtype=torch.float32):
        self.case, self.dtype = case, dtype
        self.model = model.to(dtype)
        self.model.train(case.training)
        for part, mode in zip(self.model.modules(), [m.training for m in Generated(case).modules()]):
            part.training = mode if case.training else False
        self.optimizer = _optimizer(case, self.model) if case.training else None
        for part in filter(_has_statistics, self.model.modules()):
            part.register_forward_pre_hook(_refuse_near_constants)

    def call(self, data):
        """Results, and inputs after the call."""
        case = self.case
        data = [v.to(self.dtype) if v.is_floating_point() else v.clone() for v in data]
        parts = [[v.narrow(0, n * case.batch, case.batch) for v in data]
                 for n in range(_micro_batches(case))]
        results = []
        for iteration in range(case.iterations):
            per = case.replicas * _accumulation(case)
            share = per if case.reduction == "mean" else 1
            if self.optimizer:
                self.optimizer.zero_grad()
            for part in parts[iteration * per:(iteration + 1) * per]:
                results.append(self._micro_batch(part, share))
            if self.optimizer:
                self._refuse_decay_alone()
                self.optimizer.step()
        trees = [Tree(result).tensors for result in results]
        return [_joined(_returned(case, [tree[i].detach() for tree in trees]))
                for i in range(len(trees[0]))], data

    def evaluated(self, data):
        """Results of an inference with one micro-batch."""
        modes = [part.training for part in self.model.modules()]
        args, kwargs = _arguments(self.case, [v.to(self.dtype) if v.is_floating_point() else v for v in data])
        self.model.eval()
        with torch.no_grad():
            result = Tree(self.model(*args, **kwargs)).tensors
        for part, mode in zip(self.model.modules(), modes):
            part.training = mode
        return list(result)

    def change(self):
        """Does what the program does between calls."""
        _change(self.case, self.model, self.optimizer)

    def _refuse_decay_alone(self):
        """A weight that the loss does not depend on, as all that was made of it is overwritten, has
        a gradient of zero here, by which it decays, and none in an exported model."""
        decays = any(group.get("weight_decay") for group in self.optimizer.param_groups)
        if decays and any(p.grad is not None and not p.grad.any() for p in self.model.parameters()):
            raise Unfit("a weight only decays")

    def _micro_batch(self, part, share):
        args, kwargs = _arguments(self.case, part)
        if not self.optimizer:
            with torch.no_grad():
                return self.model(*args, **kwargs)
        result = self.model(*args, **kwargs)
        if not bool(torch.isfinite(result[-1])):
            raise Unfit("the loss is not finite")
        (result[-1] / share).backward()
        return copy.copy(tuple(r.detach().clone() for r in result))


def _run_eager(case, dtype, nudge=0.0):
    try:
        eager = Eager(case, Generated(case, nudge), dtype)
        rounds = []
        for n in range(case.calls):
            rounds.append(eager.call(data_of(case, n, case.batch * _micro_batches(case))))
            if case.evaluated:
                rounds[-1][0].extend(eager.evaluated(data_of(case, n, case.batch)))
            eager.change()
    except (RuntimeError, IndexError, ValueError, AttributeError) as error:
        raise Unfit(str(error)) from error
    return rounds, eager.model


def _run_poptorch(case, model):
    options = poptorch.Options().deviceIterations(case.iterations)
    options.replicationFactor(case.replicas)
    options.outputMode(getattr(poptorch.OutputMode, case.output), 2 if case.output == "EveryN" else None)
    optimizer = inference = None
    if case.training:
        options.Training.gradientAccumulation(case.accumulation)
        options.Training.accumulationAndReplicationReductionType(
            getattr(poptorch.ReductionType, case.reduction.title()))
        optimizer = _optimizer(case, model)
        modes = [m.training for m in model.modules()]
        compiled = poptorch.trainingModel(model, options, optimizer)
        assert [m.training for m in model.modules()] == modes
    else:
        compiled = poptorch.inferenceModel(model.eval(), options)
    rounds = []
    for n in range(case.calls):
        data = data_of(case, n, case.batch * _micro_batches(case))
        args, kwargs = _arguments(case, data, turned=n > 0)
        rounds.append((list(Tree(compiled(*args, **kwargs)).tensors), data))
        if case.evaluated:
            inference = inference or poptorch.inferenceModel(model)
            args, kwargs = _arguments(case, data_of(case, n, case.batch))
            rounds[-1][0].extend(Tree(inference(*args, **kwargs)).tensors)
        if _change(case, model, optimizer):
            compiled.setOptimizer(optimizer)
    return rounds


def _worst(one, other, exacts, tolerance):
    """The difference of two tensors in multiples of the tolerance; `exacts` are the other's in double,
    also with steps moved by a rounding."""
    if one.shape != other.shape or kind_of(one) != kind_of(other):
        return float("inf")
    a, b, *es = (t.double() for t in (one, other, *exacts))
    if not one.is_floating_point():
        return float((a != b).any()) * 2 * float(all((b == e).all() for e in es))
    same = (a == b) | (a.isnan() & b.isnan())
    # How far eager PyTorch itself is off: an element may be right by luck, not a whole tensor.
    noise = torch.stack([(b - e).abs() for e in es]).amax(0)
    common = (noise / (1 + b.abs())).max() if noise.numel() else 0.0
    allowed = (tolerance + 5 * common) * (1 + b.abs()) + 30 * noise
    share = torch.where(same, torch.zeros_like(a), (a - b).abs() / allowed)
    share = torch.where(share.isnan(), torch.full_like(a, float("inf")), share)
    return float(share.max()) if share.numel() else 0.0


def _named(rounds, model, case):
    """All results of a run, in order: (what, tensor)."""
    for call, (results, inputs) in enumerate(rounds):
        for i, result in enumerate(results):
            yield f"call {call}: result {i}", result
        if case.replicas == 1 or not case.training:
            for name, value in zip(("x", "indices", "y"), inputs):
                yield f"call {call}: input {name}", value
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        yield f"'{name}'", value.detach()


def _difference(case, run, eager, exacts):
    """A description of the first difference, or nothing."""
    for n, (one, other) in enumerate(zip(run[0], eager[0])):
        if len(one[0]) != len(other[0]):
            return f"call {n}: {len(one[0])} results for {len(other[0])}"
    tolerance = 2e-2 if case.half else 1e-3 if case.training else 2e-4
    mine = dict(_named(*run, case))
    of_exacts = [dict(_named(*exact, case)) for exact in exacts]
    for what, other in _named(*eager, case):
        worst = _worst(mine[what], other, [exact[what] for exact in of_exacts], tolerance)
        if worst > 1:
            return f"{what} is off by {worst:.3g} tolerances:\n{mine[what]}\nfor\n{other}"
    return None


def check(case):
    """Raises Difference, or Unfit. Whether all is equal without moving steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eager = _run_eager(case, torch.float32)
        exact = _run_eager(case, torch.float64)
        model = Generated(case)
        if case.half:
            model = model.half()
        try:
            rounds = _run_poptorch(case, model)
        except Exception as error:  # whatever else it raises is a fault
            if any(words in str(error) for words in REFUSED):
                raise Unfit(str(error)) from error
            raise Difference(f"{type(error).__name__}: {error}") from error
        if not all(bool(torch.isfinite(t.double()).all()) for _, t in _named(*exact, case)):
            raise Unfit("results are not finite")
        found = _difference(case, (rounds, model), eager, [exact])
        if not found:
            return True
        # Results that depend on rounding alone, such as the sign of a zero sum, are no difference.
        moved = [_run_eager(case, torch.float64, by) for by in (NUDGE, -NUDGE)]
        found = _difference(case, (rounds, model), eager, [exact, *moved])
        if found:
            raise Difference(found)
        return False
