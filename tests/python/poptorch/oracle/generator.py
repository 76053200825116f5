"""Random modules from the table of rows: plain data that can be printed, reduced and kept."""
import random
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List

import poptorch
import rows_composed  # noqa: F401  its rows join the table
import rows_layers  # noqa: F401
import rows_more  # noqa: F401
import rows_views  # noqa: F401
import torch
from rows import ROWS
from torch import nn

F = nn.functional

#: Shapes of a sample.
SHAPES = [[4], [6], [1], [3, 4], [2, 3], [4, 2], [2, 4, 4], [4, 3, 5], [1, 4, 3]]
CLASSES = 4


@dataclass
class Step:
    """One operation: its row, the numbers of its operands among all values, its own numbers."""
    row: str
    operands: List[int]
    params: Dict[str, Any]


@dataclass
class Case:
    """A module and its use. Values are the inputs (a float and an index one, then another float one
    of the first's shape), then the results of the steps."""
    seed: int
    shape: List[int]
    batch: int
    steps: List[Step] = field(default_factory=list)
    results: List[int] = field(default_factory=list)  #: values that forward() returns
    structure: str = "args"  #: of inputs and results
    training: bool = False
    calls: int = 2
    loss: str = "mse"
    loss_form: str = "plain"  #: function of the loss that is returned
    optimizer: str = "sgd"
    groups: bool = False
    accumulation: int = 1
    iterations: int = 1
    replicas: int = 1
    half: bool = False
    output: str = "All"  #: of calls: Final, Sum, EveryN of two micro-batches
    reduction: str = "mean"  #: of gradients: mean or sum
    stage: int = 0  #: step with which the second stage of a pipeline begins; 0: there is one stage
    between: str = ""  #: what the program does between calls
    evaluated: bool = False  #: the module is used for an inference between and after calls that train

    def as_dict(self):
        return asdict(self)

    @staticmethod
    def of(values):
        return Case(**{**values, "steps": [Step(**step) for step in values["steps"]]})


INPUTS = 3
FLOATS = (0, 2)


#: Absolute size of a change, besides the part relative to the element: results of numbers near one
#: are off by roundings of these.
_OF_ONE = 0.2


def _nudge(tensor, by, seed):
    """Changes each element except zero in place, up or down, by the given fraction of itself."""
    if tensor.is_floating_point() and all(stride or size == 1 for stride, size in
                                          zip(tensor.stride(), tensor.shape)):
        signs = torch.randint(0, 2, tensor.shape,
                              generator=torch.Generator().manual_seed(seed)) * 2 - 1
        # Hidden from autograd, which does not allow changes of tensors that it keeps.
        tensor.data.add_((tensor.data + _OF_ONE * (tensor.data != 0)) * by * signs)


class Generated(nn.Module):
    """The module of a case; results of its steps can be moved by a fraction of themselves."""

    def __init__(self, case, nudge=0.0):
        super().__init__()
        torch.manual_seed(case.seed)
        self.case, self.nudge = case, nudge
        self.parts = nn.ModuleList()
        for step in case.steps:
            part = ROWS[step.row].part
            self.parts.append(nn.Identity() if part is None else part(step.params))
        self.scale = nn.Parameter(torch.tensor([0.9, 1.1]))

    def values(self, x, indices, other):
        """All values, so that generators see shapes."""
        values = [x, indices, other]
        for number, (step, part) in enumerate(zip(self.case.steps, self.parts)):
            if self.case.stage and number in (0, self.case.stage):
                poptorch.Block.start(f"stage {min(number, 1)}", ipu_id=min(number, 1))
            operands = [values[i] for i in step.operands]
            values.append(ROWS[step.row].compute(part, step.params, *operands))
            if self.nudge:
                _nudge(values[-1], self.nudge, len(values))
        return values

    def forward(self, *args, **kwargs):
        x, indices, other = self.inputs(args, kwargs)
        if self.case.training:
            x = x * self.scale[0] + self.scale[1] - 1
        values = self.values(x, indices, other)
        results = [values[i] for i in self.case.results]
        if self.case.training:
            return (*results, self.formed(self.loss(results, indices)))
        return self.packed(results)

    def inputs(self, args, kwargs):
        if self.case.structure == "dict":
            return args[0]["x"], args[0]["i"], args[0]["y"]
        if self.case.structure == "nested":
            return args[0][0], args[0][1]["i"], args[1]
        if self.case.structure == "keywords":
            return kwargs["x"], kwargs["i"], kwargs["y"]
        return args

    def packed(self, results):
        if self.case.structure == "dict":
            return {f"r{i}": result for i, result in enumerate(results)}
        if self.case.structure == "nested":
            return results[0], list(results[1:])
        return tuple(results)

    def formed(self, loss):
        if self.case.loss_form == "scaled":
            return 0.5 * loss
        if self.case.loss_form == "penalty":
            return loss + 0.1 * sum((p**2).sum() for p in self.parameters())
        if self.case.loss_form == "root":
            return (loss**2 + 1).sqrt()
        if self.case.loss_form == "two":
            return poptorch.identity_loss(loss + F.l1_loss(self.scale, self.scale.new_zeros(2)),
                                          "none")
        return loss

    def loss(self, results, indices):
        flat = [r.flatten(1) if r.dim() > 1 else r.reshape(-1, 1) for r in results
                if r.is_floating_point() and r.shape[:1] == indices.shape[:1]]
        x = torch.cat(flat, 1)
        kind = self.case.loss
        if kind in ("cross_entropy", "nll", "smoothed"):
            # A shift of all classes by the same amount has no gradient but rounding.
            classes = torch.stack([x.mean(1), x.logsumexp(1), x[:, 0] * 0.5, -x[:, -1]], 1)
            if kind == "nll":
                return F.nll_loss(F.log_softmax(classes, 1), indices[:, 0])
            return F.cross_entropy(classes, indices[:, 0],
                                   label_smoothing=0.1 if kind == "smoothed" else 0.0)
        target = torch.full_like(x, 0.25)
        if kind == "kl":
            return F.kl_div(F.log_softmax(x, 1), F.softmax(target, 1), reduction="batchmean")
        if kind == "identity_mean":
            return poptorch.identity_loss((x - target)**2, "mean")
        if kind == "identity_sum":
            return poptorch.identity_loss((x * x).sum() * 0.1 + x.mean(), "none")
        functions = {"mse": F.mse_loss, "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss,
                     "huber": F.huber_loss}
        if kind in functions:
            return functions[kind](x, target)
        if kind == "bce":
            return F.binary_cross_entropy(torch.sigmoid(x), target)
        return F.binary_cross_entropy_with_logits(x, target)


LOSSES = ["mse", "l1", "smooth_l1", "huber", "bce", "bce_logits", "cross_entropy", "nll",
          "smoothed", "kl", "identity_mean", "identity_sum"]
#: How losses are returned; most are as they are.
LOSS_FORMS = ["plain", "plain", "plain", "plain", "scaled", "penalty", "root", "two"]
OPTIMIZERS = ["sgd", "sgd", "sgd_decay", "momentum", "adam", "adamw", "rmsprop", "momentum_decay",
              "rmsprop_momentum", "adam_decay", "own_sgd", "own_adam", "own_adamw", "own_lamb",
              "own_lamb_bounded"]
#: What a program does between calls.
BETWEEN = ["", "", "", "rate", "numbers", "weights", "scheduler"]


def data_of(case, call, count):
    """Inputs of a call: ``count`` samples."""
    generator = torch.Generator().manual_seed(case.seed * 7 + call)
    x = torch.randn(count, *case.shape, generator=generator)
    indices = torch.randint(0, CLASSES, (count, 2), generator=generator)
    y = torch.randn(count, *case.shape, generator=generator)
    if case.half:
        x, y = x.half(), y.half()
    return x, indices, y


def kind_of(value):
    if value.dtype == torch.bool:
        return "b"
    return "f" if value.is_floating_point() else "i"


class _Sketch:
    """A case as it grows, with the values of its steps."""

    def __init__(self, rng, case):
        self.rng, self.case = rng, case
        self.values = [v.float() if v.is_floating_point() else v
                       for v in data_of(case, 0, case.batch)]
        # Calls of poptorch are per micro-batch: a batch dimension must remain one.
        self.whole = [True] * INPUTS

    def grow(self, names):
        row = ROWS[self.rng.choice(names)]
        operands = self._operands(row)
        if operands is None:
            return
        chosen = [self.values[i] for i in operands]
        try:
            if not row.fits(*chosen):
                return
            params = row.params(self.rng, *chosen)
            part = row.part(params) if row.part else nn.Identity()
            with torch.no_grad():
                copies = [v.clone() for v in chosen]
                result = row.compute(part, params, *copies)
        except (IndexError, RuntimeError, ValueError, AssertionError):
            return
        if result.numel() == 0 or result.numel() > 2000 or not bool(
                torch.isfinite(result.float()).all()) or float(result.float().abs().max()) > 50:
            return
        self.case.steps.append(Step(row.name, operands, params))
        self.values.append(result)

    def _operands(self, row):
        chosen = []
        for kind in row.kinds:
            fitting = [i for i, v in enumerate(self.values) if kind_of(v) == kind
                       and (v.dim() > 0 or row.name == "")]
            if kind == "i" and any(word in row.name for word in ("embedding", "gather")):
                fitting = [1]
            elif kind == "i" and len(row.kinds) > 1 or row.name == "one_hot":
                fitting = [1]
            if not fitting:
                return None
            same = [i for i in fitting if chosen and kind == "f"
                    and self.values[i].shape == self.values[chosen[0]].shape]
            if kind == "b" and chosen:
                same = [i for i in fitting if self.values[i].shape == self.values[chosen[0]].shape]
            # Mostly the latest results, so that modules are deep.
            pool = same or fitting
            chosen.append(pool[-1] if self.rng.random() < 0.6 else self.rng.choice(pool))
        return chosen


def generate(seed, only=None):
    """A case that eager PyTorch can run as far as is known without running it."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    case = Case(seed, rng.choice(SHAPES), rng.choice([2, 3]))
    case.training = rng.random() < 0.6
    case.half = not case.training and rng.random() < 0.08
    names = [name for name, row in ROWS.items() for _ in range(row.weight)
             if (row.half or not case.half) and (only is None or name in only)]
    if not names:
        case.half, names = False, list(only)
    sketch = _Sketch(rng, case)
    wanted = rng.choice([1, 2, 3, 4, 6, 8])
    for _ in range(wanted * 8):
        sketch.grow(names)
        if len(case.steps) == wanted:
            break
    _finish(rng, case, sketch)
    return case


def _finish(rng, case, sketch):
    made = list(range(INPUTS, len(sketch.values))) or [0]
    floats = [i for i in made if kind_of(sketch.values[i]) == "f"
              and sketch.values[i].shape[:1] == (case.batch, )] or [0]
    used = {i for step in case.steps for i in step.operands}
    ends = [i for i in (floats if case.training else made) if i not in used] or floats[-1:]
    case.results = sorted(set(ends[-3:] + rng.sample(floats, 1)))
    case.structure = rng.choice(["args", "args", "dict", "nested", "keywords"])
    state = any(ROWS[step.row].state for step in case.steps)
    case.iterations = rng.choice([1, 1, 2])
    case.replicas = 1 if state else rng.choice([1, 1, 1, 2])
    # Steps amplify rounding errors of weights.
    smooth = all(ROWS[step.row].smooth for step in case.steps)
    if not smooth and case.training:
        case.iterations = 1
    if case.training:
        case.calls = 3 if smooth else 1
        case.loss = rng.choice(LOSSES)
        case.loss_form = rng.choice(LOSS_FORMS)
        # No gradient at all differs from a gradient of zero, with which weights would decay.
        case.optimizer = rng.choice(OPTIMIZERS if smooth else ["sgd", "momentum", "adam"])
        case.groups = rng.random() < 0.25
        case.accumulation = rng.choice([1, 1, 2, 3])
        case.reduction = rng.choice(["mean", "mean", "mean", "sum"])
        case.between = rng.choice(BETWEEN)
        case.evaluated = not state and rng.random() < 0.2
    _choose_output(rng, case, sketch)


def _choose_output(rng, case, sketch):
    if len(case.steps) > 1 and rng.random() < 0.15:
        case.stage, case.evaluated = rng.randrange(1, len(case.steps)), False
        case.iterations, case.accumulation = (1, 3) if case.training else (3, 1)
    case.output = rng.choice(["All", "All", "Final", "Sum", "EveryN"])
    accumulation = case.accumulation if case.training else 1
    results = [sketch.values[i] for i in case.results]
    if case.output == "EveryN" and (accumulation > 1 or case.iterations % 2) or case.output != "All" and (
            case.replicas > 1 or any(kind_of(result) != "f" for result in results)):
        case.output = "Final"
