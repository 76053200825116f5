"""Layers with random arguments, and what they compute in PyTorch with the same weights.

A row makes a layer for operands of a shape (without the batch), or None if none suits. Operands have
their channels last, as in Keras; weights are in the order of the layer.
"""
from typing import Callable, NamedTuple

import numpy
import torch
from torch.nn import functional as F

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

#: torch's own gelu() has wrong gradients here for operands that are not contiguous.
FUNCTIONS = {
    "relu": F.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "elu": F.elu, "selu": F.selu,
    "softplus": F.softplus, "softsign": F.softsign, "swish": F.silu, None: lambda x: x,
    "gelu": lambda x: 0.5 * x * (1 + torch.erf(x * 0.5**0.5)),
    "hard_sigmoid": lambda x: torch.clamp(0.2 * x + 0.5, 0, 1),
}
CONVOLUTIONS, MOST, MEAN = ((None, F.conv1d, F.conv2d, F.conv3d), (None, F.max_pool1d, F.max_pool2d, F.max_pool3d),
                            (None, F.avg_pool1d, F.avg_pool2d, F.avg_pool3d))


class Made(NamedTuple):
    text: str
    layer: layers.Layer
    run: Callable  #: of the operand, the layer's weights, and whether it is in training


def function(rng):
    return rng.choice(list(FUNCTIONS))


def first(x):
    return x.movedim(-1, 1).contiguous()


def last(x):
    return x.movedim(1, -1)


def pads(spatial, sizes, strides, dilations, padding):
    """Before and after in each dimension, as TensorFlow defines it."""
    made = []
    for length, size, stride, dilation in zip(spatial, sizes, strides, dilations):
        reach = (size - 1) * dilation + 1
        if padding == "same":
            missing = max((-(-length // stride) - 1) * stride + reach - length, 0)
            made.append((missing // 2, missing - missing // 2))
        else:
            made.append((reach - 1 if padding == "causal" else 0, 0))
    return made


def padded(x, sizes, value=0.0):
    return F.pad(x, [size for pair in reversed(sizes) for size in pair], value=value)


def dense(rng, shape):
    units, name, biased = rng.randint(1, 6), function(rng), rng.random() < 0.8
    return Made(f"Dense({units}, {name}, {biased})", layers.Dense(units, name, biased),
                lambda x, w, t: FUNCTIONS[name](x @ w[0] + (w[1] if biased else 0)))


def convolution(rng, shape):
    rank, channels = len(shape) - 1, shape[-1]
    sizes = [rng.randint(1, min(3, n)) for n in shape[:-1]]
    strides, dilations = [1] * rank, [1] * rank
    if rng.random() < 0.5:
        strides = [rng.randint(1, 3) for _ in sizes]
    else:
        dilations = [rng.randint(1, 2) for _ in sizes]
    padding = rng.choice(["valid", "same"] + ["causal"] * (rank == 1))
    if padding == "valid" and any((k - 1) * d + 1 > n for k, d, n in zip(sizes, dilations, shape)):
        return None
    groups = rng.choice([g for g in (1, 2, 3) if channels % g == 0])
    filters, name, biased = groups * rng.randint(1, 3), function(rng), rng.random() < 0.8

    def run(x, w, t):
        x = padded(first(x), pads(shape[:-1], sizes, strides, dilations, padding))
        kernel = w[0].permute(rank + 1, rank, *range(rank)).contiguous()
        y = CONVOLUTIONS[rank](x, kernel, w[1] if biased else None, strides, 0, dilations, groups)
        return FUNCTIONS[name](last(y))

    kind = (None, layers.Conv1D, layers.Conv2D, layers.Conv3D)[rank]
    options = dict(strides=strides, padding=padding, dilation_rate=dilations, groups=groups, activation=name,
                   use_bias=biased)
    return Made(f"{kind.__name__}({filters}, {sizes}, {options})", kind(filters, sizes, **options), run)


def by_channel(rng, shape):
    channels, size, stride = shape[-1], rng.randint(1, min(3, *shape[:2])), rng.randint(1, 2)
    padding, times, filters, name = rng.choice(["valid", "same"]), rng.randint(1, 2), rng.randint(1, 3), function(rng)
    separable = rng.random() < 0.5

    def run(x, w, t):
        x = padded(first(x), pads(shape[:-1], [size] * 2, [stride] * 2, [1, 1], padding))
        kernel = w[0].permute(2, 3, 0, 1).reshape(channels * times, 1, size, size)
        if not separable:
            return last(F.conv2d(x, kernel, w[1], stride, groups=channels))
        y = F.conv2d(x, kernel, None, stride, groups=channels)
        return FUNCTIONS[name](last(F.conv2d(y, w[1].permute(3, 2, 0, 1).contiguous(), w[2])))

    options = dict(strides=stride, padding=padding, depth_multiplier=times)
    if not separable:
        return Made(f"Depthwise({size}, {options})", layers.DepthwiseConv2D(size, **options), run)
    return Made(f"Separable({filters}, {size}, {options}, {name})",
                layers.SeparableConv2D(filters, size, activation=name, **options), run)


def transposed(rng, shape):
    size, stride, filters = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 3)
    padding, name = rng.choice(["valid", "same"]), function(rng)

    def run(x, w, t):
        y = F.conv_transpose2d(first(x), w[0].permute(3, 2, 0, 1).contiguous(), None, stride)
        for d, length in enumerate(shape[:2]):
            before = max(size - stride, 0) // 2 if padding == "same" else 0
            wanted = length * stride + (0 if padding == "same" else max(size - stride, 0))
            lacking = max(before + wanted - y.shape[2 + d], 0)
            y = F.pad(y, [0, 0] * (1 - d) + [0, lacking]).narrow(2 + d, before, wanted)
        return FUNCTIONS[name](last(y) + w[1])

    return Made(f"Transposed({filters}, {size}, {stride}, {padding}, {name})",
                layers.Conv2DTranspose(filters, size, strides=stride, padding=padding, activation=name), run)


def pool(rng, shape):
    rank, most, padding = len(shape) - 1, rng.random() < 0.5, rng.choice(["valid", "same"])
    sizes = [rng.randint(1, min(3, n)) for n in shape[:-1]]
    strides = rng.choice([sizes, [rng.randint(1, 3) for _ in sizes]])
    around = pads(shape[:-1], sizes, strides, [1] * rank, padding)

    def run(x, w, t):
        if most:
            return last(MOST[rank](padded(first(x), around, -1e30), sizes, strides))
        ones = MEAN[rank](padded(torch.ones_like(first(x)), around), sizes, strides)
        return last(MEAN[rank](padded(first(x), around), sizes, strides) / ones)

    kind = f"{'Max' if most else 'Average'}Pooling{rank}D"
    size, stride = (sizes[0], strides[0]) if rank == 1 else (sizes, strides)
    return Made(f"{kind}({sizes}, {strides}, {padding})", getattr(layers, kind)(size, strides=stride, padding=padding),
                run)


def global_pool(rng, shape):
    kind, dims = rng.choice(["Max", "Average"]), tuple(range(1, len(shape)))
    return Made(f"Global{kind}", getattr(layers, f"Global{kind}Pooling{len(shape) - 1}D")(),
                lambda x, w, t: x.amax(dims) if kind == "Max" else x.mean(dims))


def batch_norm(rng, shape):
    kept, center, scale = rng.choice([0.99, 0.5]), rng.random() < 0.8, rng.random() < 0.8

    def run(x, w, t):
        rest = list(w)
        gamma = rest.pop(0) if scale else 1
        beta = rest.pop(0) if center else 0
        mean, variance = rest
        if t:
            dims, count = tuple(range(x.dim() - 1)), x.numel() // x.shape[-1]
            own_mean, own = x.mean(dims), x.var(dims, unbiased=False)
            estimate = own * count / max(count - 1, 1) if x.dim() >= 4 else own
            mean.data.mul_(kept).add_((1 - kept) * own_mean.detach())
            variance.data.mul_(kept).add_((1 - kept) * estimate.detach())
            mean, variance = own_mean, own
        return (x - mean) / torch.sqrt(variance + 1e-2) * gamma + beta

    return Made(f"BatchNormalization({kept}, {center}, {scale})",
                layers.BatchNormalization(momentum=kept, epsilon=1e-2, center=center, scale=scale), run)


def layer_norm(rng, shape):
    return Made("LayerNormalization", layers.LayerNormalization(epsilon=1e-2),
                lambda x, w, t: F.layer_norm(x, (shape[-1], ), w[0], w[1], 1e-2))


def activation(rng, shape):
    name, kind = rng.choice(list(FUNCTIONS)[:-1]), rng.randint(0, 3)
    axis, most, slope = rng.randint(1, len(shape)), rng.choice([None, 1.0]), rng.choice([0.0, 0.1])
    if kind == 0:
        bounded = (lambda x: x) if most is None else (lambda x: x.clamp(max=most))
        return Made(f"ReLU({most}, {slope})", layers.ReLU(most, slope),
                    lambda x, w, t: bounded(torch.where(x > 0, x, slope * x)))
    if kind == 1:
        return Made(f"Softmax({axis})", layers.Softmax(axis), lambda x, w, t: F.softmax(x, axis))
    return Made(f"Activation({name})", layers.Activation(name), lambda x, w, t: FUNCTIONS[name](x))


def arranged(rng, shape):
    rank, size = len(shape), int(numpy.prod(shape))
    order = rng.sample(range(1, rank + 1), rank)
    by = rng.choice([d for d in range(1, size + 1) if size % d == 0])
    rows = [Made("Flatten", layers.Flatten(), lambda x, w, t: x.reshape(x.shape[0], -1)),
            Made(f"Reshape(-1, {by})", layers.Reshape((-1, by)), lambda x, w, t: x.reshape(x.shape[0], -1, by)),
            Made(f"Permute({order})", layers.Permute(order), lambda x, w, t: x.permute(0, *order))]
    if rank == 1:
        rows.append(Made("RepeatVector", layers.RepeatVector(2), lambda x, w, t: x[:, None].repeat(1, 2, 1)))
    return rng.choice(rows)


def bordered(rng, shape):
    rank, kind = len(shape) - 1, rng.randint(0, 2)
    pairs = [(rng.randint(0, 1), rng.randint(0, 1)) for _ in range(rank)]
    given = pairs[0] if rank == 1 else pairs
    if kind == 0:
        return Made(f"ZeroPadding({pairs})", getattr(layers, f"ZeroPadding{rank}D")(given),
                    lambda x, w, t: last(padded(first(x), pairs)))
    if kind == 1:
        if any(sum(pair) >= length for pair, length in zip(pairs, shape)):
            return None
        return Made(f"Cropping({pairs})", getattr(layers, f"Cropping{rank}D")(given),
                    lambda x, w, t: last(padded(first(x), [(-a, -b) for a, b in pairs])))
    times = [rng.randint(1, 2) for _ in pairs]

    def run(x, w, t):
        for d, factor in enumerate(times):
            x = x.repeat_interleave(factor, 1 + d)
        return x

    return Made(f"UpSampling({times})", getattr(layers, f"UpSampling{rank}D")(times[0] if rank == 1 else times), run)


def steps_of(kind, x, w, units, reset_after):
    """The results of all steps; weights are kernel, recurrent kernel and bias."""
    kernel, recurrent, bias = w
    h = c = torch.zeros(x.shape[0], units)
    made = []
    for now in x.unbind(1):
        if kind == "SimpleRNN":
            h = torch.tanh(now @ kernel + h @ recurrent + bias)
        elif kind == "LSTM":
            i, f, g, o = (now @ kernel + h @ recurrent + bias).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        else:
            own, of_state = bias if reset_after else (bias, torch.zeros_like(bias))
            z, r, n = (now @ kernel + own).chunk(3, 1)
            z_state, r_state, n_state = (h @ recurrent + of_state).chunk(3, 1)
            z, r = torch.sigmoid(z + z_state), torch.sigmoid(r + r_state)
            n = n + (r * n_state if reset_after else (r * h) @ recurrent[:, 2 * units:])
            h = z * h + (1 - z) * torch.tanh(n)
        made.append(h)
    return torch.stack(made, 1)


def recurrent(rng, shape):
    kind, units, sequences = rng.choice(["LSTM", "GRU", "SimpleRNN"]), rng.randint(1, 3), rng.random() < 0.5
    reset_after, both, backwards = rng.random() < 0.6, rng.random() < 0.4, rng.random() < 0.3
    mode = rng.choice(["concat", "sum", "mul", "ave"])
    options = {"return_sequences": sequences}
    if kind == "GRU":
        options["reset_after"] = reset_after
    own = getattr(layers, kind)(units, go_backwards=backwards and not both, **options)

    def one(x, w, reverse):
        y = steps_of(kind, x.flip(1) if reverse else x, w, units, reset_after)
        return y if sequences else y[:, -1]

    if not both:
        return Made(f"{kind}({units}, {options}, {backwards})", own, lambda x, w, t: one(x, w, backwards))

    def run(x, w, t):
        a, b = one(x, w[:3], False), one(x, w[3:], True)
        b = b.flip(1) if sequences else b
        return {"concat": torch.cat([a, b], -1), "sum": a + b, "mul": a * b, "ave": (a + b) / 2}[mode]

    return Made(f"Bidirectional({kind}({units}, {options}), {mode})", layers.Bidirectional(own, mode), run)


EXPRESSIONS = {
    "1 - x * x": (lambda x: 1 - x * x, lambda x: 1 - x * x),
    "abs": (tf.abs, torch.abs),
    "x - mean": (lambda x: x - tf.reduce_mean(x, -1, keepdims=True), lambda x: x - x.mean(-1, keepdim=True)),
    "x - mean of the first": (lambda x: x - tf.reduce_mean(x, 1, keepdims=True), lambda x: x - x.mean(1, keepdim=True)),
    "backwards": (lambda x: x[:, ::-1] / 2, lambda x: x.flip(1) / 2),
    "first and all": (lambda x: x[:, :1] + x, lambda x: x[:, :1] + x),
    "root": (lambda x: tf.sqrt(tf.abs(x) + 1), lambda x: torch.sqrt(x.abs() + 1)),
    "clip": (lambda x: tf.clip_by_value(x, -0.5, 0.5), lambda x: x.clamp(-0.5, 0.5)),
}


def expression(rng, shape):
    name = rng.choice(list(EXPRESSIONS))
    own, other = EXPRESSIONS[name]
    return Made(f"Lambda({name})", layers.Lambda(own), lambda x, w, t: other(x))


class Branches(keras.layers.Layer):
    """Two dense layers side by side, and a layer that merges them."""

    def __init__(self, units, merge):
        super().__init__()
        self.one, self.other, self.merge = layers.Dense(units), layers.Dense(units, "tanh"), merge

    def call(self, x):
        return self.merge([self.one(x), self.other(x)])


def merged(rng, shape):
    axis = rng.randint(1, len(shape))
    merges = {"Add": torch.add, "Subtract": torch.sub, "Multiply": torch.mul, "Maximum": torch.maximum,
              "Minimum": torch.minimum, "Average": lambda a, b: (a + b) / 2,
              "Concatenate": lambda a, b: torch.cat([a, b], axis)}
    name = rng.choice(list(merges))
    merge = layers.Concatenate(axis) if name == "Concatenate" else getattr(layers, name)()
    return Made(f"{name} of branches", Branches(shape[-1], merge),
                lambda x, w, t: merges[name](x @ w[0] + w[1], torch.tanh(x @ w[2] + w[3])))


_ANYWHERE = [dense, batch_norm, activation, arranged, expression]
_SPATIAL = [convolution, convolution, pool, global_pool, bordered]
#: By the number of dimensions without the batch.
ROWS = {1: [*_ANYWHERE, dense, layer_norm, merged],
        2: [*_ANYWHERE, *_SPATIAL, layer_norm, merged, recurrent, recurrent],
        3: [*_ANYWHERE, *_SPATIAL, by_channel, transposed, merged], 4: [*_ANYWHERE, *_SPATIAL]}
