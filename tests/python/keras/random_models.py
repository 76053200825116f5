"""Random models, trained here and in PyTorch from the same weights on the same data."""
import random

import numpy
import torch
from torch.nn import functional as F

from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.python import ipu

from random_layers import ROWS, Made, dense

TOLERANCE = 2e-3
SHAPES = {1: lambda rng: [rng.randint(1, 8)], 2: lambda rng: [rng.randint(1, 6), rng.randint(1, 6)],
          3: lambda rng: [rng.randint(2, 7), rng.randint(2, 7), rng.randint(1, 4)],
          4: lambda rng: [rng.randint(2, 4), rng.randint(2, 4), rng.randint(2, 4), rng.randint(1, 3)]}
MOST_ELEMENTS = 400  #: of a layer's operand, so that models stay small
MOMENTUM = 0.8


class Momentum:
    """Keras' SGD."""

    def __init__(self, weights):
        self.weights, self.velocities = weights, [torch.zeros_like(w) for w in weights]

    def step(self, number):
        for w, v in zip(self.weights, self.velocities):
            v.mul_(MOMENTUM).sub_(0.02 * w.grad)
            w.data.add_(v)


OPTIMIZERS = [
    (lambda: keras.optimizers.SGD(0.02, momentum=MOMENTUM), Momentum),
]


def loss_for(rng, shape):
    """A loss of Keras, PyTorch's, and labels for it."""
    classes = shape[-1]
    kinds = [("mse", F.mse_loss, "reals"), ("mae", F.l1_loss, "reals"),
             (keras.losses.Huber(), F.huber_loss, "reals"),
             (keras.losses.BinaryCrossentropy(from_logits=True), F.binary_cross_entropy_with_logits, "bits")]
    if classes > 1 and len(shape) < 3:
        kinds.append((keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                      lambda p, y: F.cross_entropy(p.reshape(-1, classes), y.reshape(-1).long()), "classes"))
    own, other, kind = rng.choice(kinds)
    make = {"reals": lambda g, n: g.normal(size=(n, *shape)).astype(numpy.float32),
            "bits": lambda g, n: g.integers(0, 2, (n, *shape)).astype(numpy.float32),
            "classes": lambda g, n: g.integers(0, classes, (n, *shape[:-1])).astype(numpy.int32)}[kind]
    return own, other, make


def chain(rng):
    """Some layers one after the other, the shape of the data, and that of the result."""
    if rng.random() < 0.2:
        words, width, steps = rng.randint(3, 9), rng.randint(1, 5), rng.randint(2, 5)
        rows, shape, data = [Made(f"Embedding({words}, {width})", layers.Embedding(words, width),
                                  lambda x, w, t: w[0][x.long()])], [steps, width], ([steps], words)
    else:
        shape = SHAPES[rng.randint(1, 4)](rng)
        rows, data = [], (shape, 0)
    wanted = len(rows) + rng.randint(1, 5)
    while len(rows) < wanted:
        made = rng.choice(ROWS[len(shape)])(rng, shape)
        after = made and made.layer.compute_output_shape((None, *shape))[1:]
        if after and len(after) <= 4 and int(numpy.prod(after)) <= MOST_ELEMENTS:
            rows.append(made)
            shape = [int(size) for size in after]
    if not any(row.layer.trainable_weights for row in rows):
        rows.append(dense(rng, shape))
        shape = [*shape[:-1], rows[-1].layer.units]
    return rows, data, shape


def close(what, found, wanted):
    found, wanted = numpy.asarray(found, float), numpy.asarray(wanted, float)
    assert found.shape == wanted.shape, what
    if not numpy.isfinite(wanted).all():
        return
    scale = max(numpy.abs(wanted).max(), 1e-2)
    difference = numpy.abs(found - wanted).max()
    assert difference <= TOLERANCE * scale, f"{what}: {difference:.3g} of {scale:.3g}"


class Peer:
    """The same layers in PyTorch."""

    def __init__(self, rows):
        self.rows = rows
        self.weights = [[torch.tensor(numpy.array(v.numpy())) for v in row.layer.weights] for row in rows]
        self.trained = []
        for row, tensors in zip(rows, self.weights):
            for variable, tensor in zip(row.layer.weights, tensors):
                if any(variable is v for v in row.layer.trainable_weights):
                    self.trained.append(tensor.requires_grad_(True))

    def __call__(self, x, training):
        x = torch.tensor(x)
        for row, weights in zip(self.rows, self.weights):
            x = row.run(x, weights, training)
        return x


def check(seed):
    """Raises an AssertionError that names the model if anything differs."""
    rng, numbers = random.Random(seed), numpy.random.default_rng(seed)
    replicas, accumulation, batch = rng.choice([1, 1, 2]), rng.choice([1, 2]), rng.randint(1, 4)
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = replicas
    config.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        rows, (shape, words), results = chain(rng)
        own, other, labels = loss_for(rng, results)
        optimizer, peer_optimizer = rng.choice(OPTIMIZERS)
        steps = accumulation * rng.randint(1, 3)
        count = batch * steps * replicas
        x = (numbers.integers(0, words, (count, *shape)).astype(numpy.int32) if words else
             numbers.normal(size=(count, *shape)).astype(numpy.float32))
        y = labels(numbers, count)
        what = f"seed {seed}: {' > '.join(row.text for row in rows)}, {type(optimizer()).__name__}"
        model = keras.Sequential([row.layer for row in rows])
        if accumulation > 1:
            model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=accumulation)
        model.compile(optimizer(), own, steps_per_execution=rng.choice([accumulation, steps]))
        model.predict(x, batch_size=batch)  # makes the weights
        for variable in model.trainable_weights:  # no biases of zero, whose sums are equal
            variable.assign(variable.numpy() + numbers.normal(0, 0.1, variable.shape).astype(numpy.float32))
        found = model.predict(x, batch_size=batch)
        peer = Peer(rows)
        with torch.no_grad():
            close(what, found, torch.cat([peer(part, False) for part in numpy.split(x, count // batch)]))
        last = model.fit(x, y, batch_size=batch, shuffle=False, verbose=0).history["loss"][0]
        losses = train(peer, peer_optimizer(peer.trained), other, x, y, batch, accumulation, replicas)
        close(f"{what}: loss", last, numpy.mean(losses))
        if replicas == 1 or "BatchNormalization" not in what:  # whose statistics are those of a replica
            for row, weights in zip(rows, peer.weights):
                for variable, weight in zip(row.layer.weights, weights):
                    close(f"{what}: {variable.name}", variable.numpy(), weight.detach())


def train(peer, optimizer, loss, x, y, batch, accumulation, replicas):
    """Gradients of accumulated micro-batches are added up, those of replicas averaged."""
    losses, each = [], batch * accumulation * replicas
    for number, start in enumerate(range(0, len(x), each), 1):
        for weight in peer.trained:
            weight.grad = torch.zeros_like(weight)
        for at in range(start, start + each, batch):
            value = loss(peer(x[at:at + batch], True), torch.tensor(y[at:at + batch]))
            losses.append(value.item())
            (value / replicas).backward()
        optimizer.step(number)
    return losses
