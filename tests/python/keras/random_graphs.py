"""Random graphs of layers with several inputs and outputs, shared layers, merges, penalties, weighted samples and
metrics, trained and evaluated here and in PyTorch."""
import random

import numpy
import torch
from torch.nn import functional as F

from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.python import ipu

from random_layers import FUNCTIONS
from random_models import close

#: Merges of operands of one shape.
MERGES = {
    "Add": (layers.Add, sum), "Average": (layers.Average, lambda xs: sum(xs) / len(xs)),
    "Multiply": (layers.Multiply, lambda xs: xs[0] * xs[1] * (xs[2] if len(xs) > 2 else 1)),
    "Maximum": (layers.Maximum, lambda xs: torch.stack(xs).max(0)[0]),
    "Minimum": (layers.Minimum, lambda xs: torch.stack(xs).min(0)[0]),
    "Concatenate": (layers.Concatenate, lambda xs: torch.cat(xs, -1)),
    "Subtract": (layers.Subtract, lambda xs: xs[0] - xs[1]),
}
#: Losses by Keras' name: of an element of the result and the label, before the mean over a sample.
LOSSES = {
    "mse": lambda p, y: (p - y)**2, "mae": lambda p, y: (p - y).abs(),
    "huber": lambda p, y: F.huber_loss(p, y, reduction="none"),
    "log_cosh": lambda p, y: p - y + F.softplus(-2 * (p - y)) - numpy.log(2.0),
    "squared_hinge": lambda p, y: F.relu(1 - (2 * y - 1) * p)**2,
    "poisson": lambda p, y: p - y * torch.log(p + 1e-7),
    "kl_divergence": lambda p, y: y.clamp(1e-7, 1) * torch.log(y.clamp(1e-7, 1) / p.clamp(1e-7, 1)) * p.shape[-1],
}
METRICS = {"mse": LOSSES["mse"], "mae": LOSSES["mae"]}


class Adam:
    """Keras' Adam."""

    def __init__(self, weights):
        self.weights, self.m, self.v = weights, [0] * len(weights), [0] * len(weights)

    def step(self, number):
        for i, w in enumerate(self.weights):
            self.m[i] = 0.9 * self.m[i] + 0.1 * w.grad
            self.v[i] = 0.99 * self.v[i] + 0.01 * w.grad**2
            rate = 0.01 * (1 - 0.99**number)**0.5 / (1 - 0.9**number)
            w.data.sub_(rate * self.m[i] / (self.v[i]**0.5 + 1e-2))


class RMSprop:
    """Keras' RMSprop."""

    def __init__(self, weights):
        self.weights, self.v = weights, [0] * len(weights)

    def step(self, number):
        for i, w in enumerate(self.weights):
            self.v[i] = 0.8 * self.v[i] + 0.2 * w.grad**2
            w.data.sub_(0.01 * w.grad / (self.v[i]**0.5 + 1e-2))


class Descent:
    """Plain gradient descent."""

    def __init__(self, weights):
        self.weights = weights

    def step(self, number):
        for w in self.weights:
            w.data.sub_(0.05 * w.grad)


# Their epsilons are large: a gradient of zero but for its rounding must not decide.
OPTIMIZERS = [(lambda: keras.optimizers.SGD(0.05), Descent),
              (lambda: keras.optimizers.Adam(0.01, beta_2=0.99, epsilon=1e-2), Adam),
              (lambda: keras.optimizers.RMSprop(0.01, rho=0.8, epsilon=1e-2), RMSprop)]


class Graph:
    """A graph in Keras, and the same as functions of PyTorch."""

    def __init__(self, rng):
        self.rng, self.layers, self.text, self.penalties = rng, [], [], {}
        self.widths = [rng.randint(1, 6) for _ in range(rng.randint(1, 2))]
        inputs = [layers.Input([width]) for width in self.widths]
        self.nodes = [(tensor, lambda xs, seen, i=i: xs[i]) for i, tensor in enumerate(inputs)]
        for _ in range(rng.randint(2, 6)):
            rng.choice([self.dense, self.shared, self.merge])()
        self.losses, outputs, self.outputs = [], [], []
        for _ in range(rng.randint(1, 2)):
            self.losses.append(rng.choice(list(LOSSES)))
            outputs.append(self.dense({"poisson": "softplus", "kl_divergence": "softmax"}.get(self.losses[-1])))
            self.outputs.append(len(self.nodes) - 1)
        self.model = keras.Model(inputs, outputs)
        used = [number for number, layer in enumerate(self.layers) if any(layer is other for other in self.model.layers)]
        self.penalties = {number: strength for number, strength in self.penalties.items() if number in used}

    def add(self, text, tensor, run):
        self.text.append(f"{len(self.nodes)} = {text}")
        self.nodes.append((tensor, run))
        return tensor

    def dense(self, function="any"):
        rng, units = self.rng, self.rng.randint(2, 6)
        name = rng.choice(["relu", "tanh", "sigmoid", None, "softplus"]) if function == "any" else function
        strength = rng.choice([0, 0, 0.1])
        layer = layers.Dense(units, name, kernel_regularizer=keras.regularizers.l2(strength) if strength else None)
        number = len(self.layers)
        self.layers.append(layer)
        if strength:
            self.penalties[number] = strength
        return self.applied(number, name, rng.randrange(len(self.nodes)))

    def applied(self, number, name, at):
        run = self.nodes[at][1]
        act = (lambda x: x.softmax(-1)) if name == "softmax" else FUNCTIONS[name]

        def compute(xs, weights):
            return act(run(xs, weights) @ weights[number][0] + weights[number][1])

        return self.add(f"Dense{number}({name})({at})", self.layers[number](self.nodes[at][0]), compute)

    def shared(self):
        """A layer once more, on another operand of the same width."""
        fits = [(number, at) for number, layer in enumerate(self.layers) for at, (tensor, _) in enumerate(self.nodes)
                if tensor.shape[-1] == layer.input_shape[-1]] if self.layers else []
        if fits:
            number, at = self.rng.choice(fits)
            self.applied(number, self.layers[number].activation.__name__.replace("linear", "") or None, at)

    def merge(self):
        rng, at = self.rng, self.rng.randrange(len(self.nodes))
        same = [i for i, (tensor, _) in enumerate(self.nodes) if tensor.shape[-1] == self.nodes[at][0].shape[-1]]
        kind, own = rng.choice(list(MERGES.items()))
        count = 2 if kind == "Subtract" else rng.randint(2, 3)
        chosen = [rng.choice(range(len(self.nodes)) if kind == "Concatenate" else same) for _ in range(count)]
        runs = [self.nodes[i][1] for i in chosen]
        self.add(f"{kind}{chosen}", own[0]()([self.nodes[i][0] for i in chosen]),
                 lambda xs, weights: own[1]([run(xs, weights) for run in runs]))


def labels(numbers, loss, count, width):
    if loss == "squared_hinge":
        return numbers.integers(0, 2, (count, width)).astype(numpy.float32)
    made = numbers.random((count, width)) if loss in ("poisson", "kl_divergence") else numbers.normal(size=(count, width))
    return made.astype(numpy.float32)


def check_graph(seed):
    """Raises an AssertionError that names the graph if anything differs."""
    rng, numbers = random.Random(seed), numpy.random.default_rng(seed)
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        graph = Graph(rng)
        batch, steps = rng.randint(1, 4), rng.randint(1, 4)
        count, shares = batch * steps, [rng.choice([1.0, 0.3]) for _ in graph.losses]
        optimizer, peer_optimizer = rng.choice(OPTIMIZERS)
        metric = rng.choice(list(METRICS))
        what = f"seed {seed}: {'; '.join(graph.text)} -> {graph.losses}, {type(optimizer()).__name__}"
        x = [numbers.normal(size=(count, width)).astype(numpy.float32) for width in graph.widths]
        y = [labels(numbers, loss, count, graph.nodes[at][0].shape[-1]) for loss, at in zip(graph.losses, graph.outputs)]
        heavy = numbers.random(count).astype(numpy.float32) if len(y) == 1 and rng.random() < 0.5 else None
        one = lambda values: values if len(values) > 1 else values[0]  # noqa: E731
        graph.model.compile(optimizer(), one(graph.losses), loss_weights=one([[s] for s in shares]) if len(y) == 1 else shares,
                            metrics=[metric], steps_per_execution=rng.choice([1, steps]))
        weights = [[torch.tensor(numpy.array(v.numpy())) for v in layer.weights] for layer in graph.layers]
        trained = [w.requires_grad_(True) for of in weights for w in of]

        def run(at):
            parts = [torch.tensor(part[at:at + batch]) for part in x]
            return [graph.nodes[node][1](parts, weights) for node in graph.outputs]

        def total(results, at, weighted):
            value = sum(strength * (weights[number][0]**2).sum() for number, strength in graph.penalties.items())
            for result, label, loss, share in zip(results, y, graph.losses, shares):
                each = LOSSES[loss](result, torch.tensor(label[at:at + batch])).mean(-1)
                value = value + share * (each * torch.tensor(heavy[at:at + batch]) if weighted else each).mean()
            return value

        with torch.no_grad():
            batches = [run(at) for at in range(0, count, batch)]
            losses = [total(results, i * batch, False) for i, results in enumerate(batches)]
            found = graph.model.evaluate(one(x), one(y), batch_size=batch, verbose=0)
            close(f"{what}: evaluated", found[0], numpy.mean(losses))
            for i, label in enumerate(y):
                wanted = METRICS[metric](torch.cat([results[i] for results in batches]), torch.tensor(label)).mean()
                close(f"{what}: metric", found[-len(y) + i], wanted)
        last = graph.model.fit(one(x), one(y), batch_size=batch, sample_weight=heavy, shuffle=False, verbose=0).history["loss"][0]
        losses, stepper = [], peer_optimizer(trained)
        for number, at in enumerate(range(0, count, batch), 1):
            for weight in trained:
                weight.grad = torch.zeros_like(weight)
            value = total(run(at), at, heavy is not None)
            value.backward()
            losses.append(value.item())
            stepper.step(number)
        close(f"{what}: loss", last, numpy.mean(losses))
        for layer, of in zip(graph.layers, weights):
            for variable, weight in zip(layer.weights, of):
                close(f"{what}: {variable.name}", variable.numpy(), weight.detach())
