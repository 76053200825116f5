"""Random programs, trained for a step here and in PyTorch from the same weights on the same data."""
import random

import numpy as np
import popart
import torch
from torch.nn import functional as F

from .models import ALL, small_device

TOLERANCE = 3e-3
SHAPES = [[3], [2, 4], [3, 6], [2, 3, 4], [1, 2, 6], [2, 4, 5, 5], [2, 2, 4, 5]]
MOST_ELEMENTS, RATE = 2000, 0.1
ROWS = {}  #: by name: whether an operand suits, and what makes the results of both


def row(name, make, fits=lambda v: True):
    ROWS[name] = fits, make


def dims(least, most=4):
    return lambda v: least <= v.dim() <= most


def same(name, function):
    row(name, lambda p, n, v: (getattr(p.onnx, name)([n]), function(v)))


for _name in ("relu", "tanh", "sigmoid", "abs", "neg", "exp", "sin", "erf"):
    same(_name, getattr(torch, _name))
for _name in ("softplus", "selu", "elu"):
    same(_name, getattr(F, _name))


def with_weight(name, function):
    def make(p, n, v):
        weight, w = p.weight(*(v.shape if p.rng.random() < 0.5 else v.shape[-1:]))
        return getattr(p.onnx, name)([n, weight]), function(v, w)
    row(name, make)


for _name, _function in (("add", torch.add), ("sub", torch.sub), ("mul", torch.mul), ("max", torch.maximum),
                         ("min", torch.minimum)):
    with_weight(_name, _function)


def reduction(name, function, fits=lambda v: True):
    def make(p, n, v):
        axis, keeps = p.rng.randrange(v.dim()), v.dim() == 1 or p.rng.random() < 0.5
        return getattr(p.onnx, name)([n], [axis], int(keeps)), function(v, axis, keeps)
    row(name, make, fits)


reduction("reducemean", lambda v, axis, keeps: v.mean(axis, keeps))
reduction("reducesum", lambda v, axis, keeps: v.sum(axis, keeps))
reduction("reducemax", lambda v, axis, keeps: v.amax(axis, keeps))
# The gradient of a norm of zeros is 0 in PyTorch and a quotient of zeros in PopART.
reduction("reducel2", lambda v, axis, keeps: v.norm(2, axis, keeps), lambda v: bool((v != 0).all()))
reduction("reducelogsumexp", lambda v, axis, keeps: v.logsumexp(axis, keeps))


def _above_one(p, n):
    """1 + n * n, whose powers and quotients are smooth."""
    return p.onnx.add([p.onnx.mul([n, n]), p.constant([1], np.float32)])


def _matmul(p, n, v):
    weight, w = p.weight(v.shape[-1], p.rng.randint(1, 5))
    return p.onnx.matmul([n, weight]), v @ w


def _gemm(p, n, v):
    first, second = p.rng.random() < 0.5, p.rng.random() < 0.5
    common, columns = v.shape[0 if first else 1], p.rng.randint(1, 4)
    weight, w = p.weight(*((columns, common) if second else (common, columns)))
    bias, b = p.weight(columns)
    product = (v.T if first else v) @ (w.T if second else w)
    return p.onnx.gemm([n, weight, bias], 0.5, 2.0, int(first), int(second)), 0.5 * product + 2 * b


def _transpose(p, n, v):
    order = p.rng.sample(range(v.dim()), v.dim())
    return p.onnx.transpose([n], order), v.permute(order)


def _concat(p, n, v):
    axis = p.rng.randrange(v.dim())
    return p.onnx.concat([n, n], axis), torch.cat([v, v], axis)


def _pad(p, n, v):
    before, after = [[p.rng.randint(0, 2) for _ in v.shape] for _ in range(2)]
    sizes = [size for pair in reversed(list(zip(before, after))) for size in pair]
    return p.onnx.pad([n], before + after, "constant", 0.5), F.pad(v, sizes, value=0.5)


def _gather(p, n, v):
    axis = p.rng.randrange(v.dim())
    places = [p.rng.randrange(v.shape[axis]) for _ in range(3)]
    return p.onnx.gather([n, p.constant(places, np.int32)], axis), v.index_select(axis, torch.tensor(places))


def _where(p, n, v):
    mask = p.numbers.random(v.shape) < 0.5
    return p.onnx.where([p.constant(mask, bool), n, p.onnx.neg([n])]), torch.where(torch.tensor(mask), v, -v)


GROUPS, EPSILON = 2, 1e-5


def _groups(p, n, v):
    (scale, s), (offset, o) = p.weight(v.shape[1]), p.weight(v.shape[1])
    return p.graphcore.groupnormalization([n, scale, offset], GROUPS, EPSILON)[0], F.group_norm(v, GROUPS, s, o, EPSILON)


def _has_groups(v):
    """Groups of nearly equal values, whose variance the device takes from the mean of squares, have only rounding."""
    if v.dim() < 2 or v.shape[1] % GROUPS or v[0].numel() <= GROUPS:
        return False
    groups = v.detach().reshape(v.shape[0], GROUPS, -1)
    return bool((groups.var(-1, unbiased=False) + EPSILON > 0.02 * groups.mean(-1)**2).all())


def _conv(p, n, v):
    size, stride, padding = p.rng.randint(1, min(3, *v.shape[2:])), p.rng.randint(1, 2), p.rng.randint(0, 1)
    weight, w = p.weight(p.rng.randint(1, 3), v.shape[1], size, size)
    return (p.onnx.conv([n, weight], strides=[stride] * 2, pads=[padding] * 4, dilations=[1, 1]),
            F.conv2d(v, w, None, stride, padding))


row("matmul", _matmul, dims(2))
row("gram", lambda p, n, v: (p.onnx.matmul([n, p.onnx.transpose([n], [*range(v.dim() - 2), v.dim() - 1, v.dim() - 2])]),
                             v @ v.transpose(-1, -2)), dims(2))
row("gemm", _gemm, dims(2, 2))
row("flatten", lambda p, n, v: (p.onnx.flatten([n], 1), v.flatten(1)), dims(2))
row("transpose", _transpose)
row("concat", _concat)
row("pad", _pad)
row("gather", _gather)
row("where", _where)
row("softmax", lambda p, n, v: (p.onnx.softmax([n], v.dim() - 1), v.softmax(-1)))
row("logsoftmax", lambda p, n, v: (p.onnx.logsoftmax([n], v.dim() - 1), v.log_softmax(-1)))
row("sqrt", lambda p, n, v: (p.onnx.sqrt([_above_one(p, n)]), (1 + v * v).sqrt()))
row("log", lambda p, n, v: (p.onnx.log([_above_one(p, n)]), (1 + v * v).log()))
row("div", lambda p, n, v: (p.onnx.div([n, _above_one(p, n)]), v / (1 + v * v)))
row("pow", lambda p, n, v: (p.onnx.pow([_above_one(p, n), p.constant([1.5], np.float32)]), (1 + v * v)**1.5))
row("clip", lambda p, n, v: (p.onnx.clip([n], 0.7, -0.6), v.clamp(-0.6, 0.7)))
row("leakyrelu", lambda p, n, v: (p.onnx.leakyrelu([n], 0.2), F.leaky_relu(v, 0.2)))
row("hardsigmoid", lambda p, n, v: (p.onnx.hardsigmoid([n], 0.2, 0.5), (0.2 * v + 0.5).clamp(0, 1)))
row("gelu", lambda p, n, v: (p.graphcore.gelu([n]), F.gelu(v, approximate="tanh")))
row("split", lambda p, n, v: (p.onnx.split([n], 2, v.dim() - 1, [1, v.shape[-1] - 1])[1], v[..., 1:]),
    lambda v: v.shape[-1] > 1)
row("topk", lambda p, n, v: (p.onnx.topk([n, p.constant([2], np.int64)], axis=v.dim() - 1)[0], v.topk(2, -1)[0]),
    lambda v: v.shape[-1] > 1)
row("tile", lambda p, n, v: (p.onnx.tile([n, p.constant([2] * v.dim(), np.int64)]), v.repeat([2] * v.dim())), dims(1, 3))
row("unsqueeze", lambda p, n, v: (p.onnx.unsqueeze([n], [0]), v.unsqueeze(0)), dims(1, 3))
row("groupnormalization", _groups, _has_groups)
row("conv", _conv, dims(4))
row("maxpool", lambda p, n, v: (p.onnx.maxpool([n], 1, [2, 2], strides=[2, 2], pads=[0] * 4)[0], F.max_pool2d(v, 2, 2)),
    lambda v: v.dim() == 4 and min(v.shape[2:]) > 1)
row("averagepool", lambda p, n, v: (p.onnx.averagepool([n], [2, 2], 0, pads=[0] * 4, strides=[1, 1]), F.avg_pool2d(v, 2, 1)),
    lambda v: v.dim() == 4 and min(v.shape[2:]) > 1)


class Program:
    """A builder's graph, and its values in PyTorch."""

    def __init__(self, seed):
        self.rng, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.builder = popart.Builder()
        self.onnx, self.graphcore = self.builder.aiOnnx, self.builder.aiGraphcore
        self.weights = {}  #: by name, in PyTorch
        shape = self.rng.choice(SHAPES)
        self.data = self.numbers.normal(size=shape).astype(np.float32)
        self.input = self.builder.addInputTensor(popart.TensorInfo("FLOAT", shape))
        self.leaf = torch.tensor(self.data, requires_grad=True)
        self.text = f"seed {seed}, {shape}:"
        made = [(self.input, self.leaf)]
        for _ in range(self.rng.randint(2, 7)):
            name, value = made[-1] if self.rng.random() < 0.75 else self.rng.choice(made)
            kind, (fits, make) = self.rng.choice(list(ROWS.items()))
            if fits(value):
                made.append(make(self, name, value))
                self.text += f" {kind}{list(made[-1][1].shape)}"
        self.name, self.value = next(pair for pair in reversed(made) if pair[1].numel() <= MOST_ELEMENTS)
        weight, w = self.weight(self.value.shape[-1])
        self.name, self.value = self.onnx.mul([self.name, weight]), self.value * w

    def weight(self, *shape):
        array = (self.numbers.normal(size=shape) * 0.5).astype(np.float32)
        name = self.builder.addInitializedInputTensor(array)
        self.weights[name] = torch.tensor(array, requires_grad=True)
        return name, self.weights[name]

    def constant(self, values, kind):
        return self.onnx.constant(np.array(values, kind))

    def check(self):
        """Raises an AssertionError that names the program if anything differs."""
        factors = self.numbers.normal(size=tuple(self.value.shape)).astype(np.float32)
        mean = self.rng.random() < 0.5
        loss = self.graphcore.identityloss([self.onnx.mul([self.name, self.constant(factors, np.float32)])],
                                           popart.ReductionType.Mean if mean else popart.ReductionType.Sum)
        each = self.value * torch.tensor(factors)
        (each.mean() if mean else each.sum()).backward()
        wanted = {self.name: self.value.detach()}
        if self.leaf.grad is not None:
            wanted[popart.reservedGradientPrefix() + self.input] = self.leaf.grad
        session = popart.TrainingSession(self.builder.getModelProto(), popart.DataFlow(1, [*wanted, loss], ALL), loss,
                                         popart.ConstSGD(RATE), small_device())
        session.prepareDevice()
        session.weightsFromHost()
        found = session.initAnchorArrays()
        session.run(popart.PyStepIO({self.input: self.data}, found))
        session.weightsToHost()
        for name, weight in self.weights.items():
            if weight.grad is not None:
                found[name], wanted[name] = np.zeros(tuple(weight.shape), np.float32), weight.detach() - RATE * weight.grad
                session.readWeights(popart.PyWeightsIO({name: found[name]}))
        for name, value in wanted.items():
            self.close(name, found[name], value.numpy())

    def close(self, name, found, wanted):
        if np.isfinite(wanted).all() and np.abs(wanted).max() < 1e5:
            difference, scale = np.abs(found.reshape(wanted.shape) - wanted).max(), max(np.abs(wanted).max(), 0.05)
            assert difference <= TOLERANCE * scale, f"{self.text}: {name}: {difference:.3g} of {scale:.3g}"
