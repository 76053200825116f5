#!/usr/bin/env python3
"""Weights after ten steps of each optimizer, by PyTorch: makes optimizer_reference.h.

The model is y = x w + b with the mean squared error; LAMB (You et al. 2019, with bias correction)
and LARS (You et al. 2017) are not in PyTorch and are written out here. So are the optimizers of
tf.keras up to 2.10 ("keras..."), from the documentation of the operators that they call:
ResourceApplyKerasMomentum, ResourceApplyAdam, ResourceApplyAdamWithAmsgrad, ResourceApplyRMSProp and
ResourceApplyCenteredRMSProp.
"""
import math
import sys

import torch

torch.set_default_dtype(torch.float64)
STEPS = 10
RATE = 0.05


def numbers(count, function):
    return torch.tensor([function(i) for i in range(count)])


def model():
    w = numbers(12, lambda i: math.sin(i + 1) / 2).reshape(3, 4).requires_grad_()
    b = numbers(4, lambda i: math.cos(i) / 4).requires_grad_()
    x = numbers(15, lambda i: math.cos(2 * i)).reshape(5, 3)
    t = numbers(20, lambda i: math.sin(3 * i)).reshape(5, 4)
    return w, b, x, t


class Written:
    """An optimizer of one function from weight, gradient and state to the change."""

    def __init__(self, weights, step):
        self.weights, self.step_of, self.state, self.count = weights, step, [{} for _ in weights], 0
        self.rate = RATE

    def step(self):
        self.count += 1
        with torch.no_grad():
            for weight, state in zip(self.weights, self.state):
                weight -= self.step_of(weight, weight.grad, state, self.count)

    def zero_grad(self):
        for weight in self.weights:
            weight.grad = None


def lamb(decay):
    def step(weight, gradient, state, count):
        state["m"] = 0.9 * state.get("m", 0) + 0.1 * gradient
        state["v"] = 0.999 * state.get("v", 0) + 0.001 * gradient**2
        change = (state["m"] / (1 - 0.9**count)) / (
            (state["v"] / (1 - 0.999**count)).sqrt() + 1e-8) + decay * weight
        return RATE * weight.norm() / change.norm() * change
    return step


def lars(decay):
    def step(weight, gradient, state, _count):
        trust = 0.001 * weight.norm() / (gradient.norm() + decay * weight.norm())
        state["v"] = 0.9 * state.get("v", 0) + 100 * RATE * trust * (gradient + decay * weight)
        return state["v"]
    return step


class OfKeras(Written):
    """The same, of a function that has the rate, too, which halves after each three steps if it
    is `stepped`."""

    def __init__(self, weights, step, stepped):
        super().__init__(weights, lambda *of: step(self.rate, *of))
        self.stepped = stepped

    def step(self):
        super().step()
        if self.stepped and self.count % 3 == 0:
            self.rate /= 2


def keras_momentum(nesterov):
    def step(rate, _weight, gradient, state, _count):
        state["v"] = 0.9 * state.get("v", 0) - rate * gradient
        return rate * gradient - 0.9 * state["v"] if nesterov else -state["v"]
    return step


def keras_adam(amsgrad):
    def step(rate, _weight, gradient, state, count):
        state["m"] = 0.9 * state.get("m", 0) + 0.1 * gradient
        state["v"] = 0.999 * state.get("v", 0) + 0.001 * gradient**2
        state["most"] = torch.maximum(state.get("most", torch.zeros(())), state["v"])
        rate *= math.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        return rate * state["m"] / ((state["most"] if amsgrad else state["v"]).sqrt() + EPSILON)
    return step


def keras_rmsprop(centered, momentum):
    def step(rate, _weight, gradient, state, _count):
        state["ms"] = 0.9 * state.get("ms", 0) + 0.1 * gradient**2
        state["mg"] = 0.9 * state.get("mg", 0) + 0.1 * gradient
        size = state["ms"] - state["mg"]**2 if centered else state["ms"]
        if not momentum:
            return rate * gradient / (size.sqrt() + EPSILON)
        state["mom"] = momentum * state.get("mom", 0) + rate * gradient / (size + EPSILON).sqrt()
        return state["mom"]
    return step


class Clipped:
    """Clips before each step of plain descent."""

    def __init__(self, weights, clip):
        self.weights, self.clip, self.inner = weights, clip, torch.optim.SGD(weights, RATE)
        self.zero_grad = self.inner.zero_grad

    def step(self):
        self.clip(self.weights)
        self.inner.step()


def clip_each_norm(weights):
    for weight in weights:
        torch.nn.utils.clip_grad_norm_([weight], BOUND)


EPSILON = 0.01  # so large that its place shows
BOUND = 0.25
OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, RATE),
    "sgdDecayed": lambda p: torch.optim.SGD(p, RATE, weight_decay=0.1),
    "momentum": lambda p: torch.optim.SGD(p, RATE, momentum=0.9),
    "momentumDecayed": lambda p: torch.optim.SGD(p, RATE, momentum=0.9, weight_decay=0.1),
    "adam": lambda p: torch.optim.Adam(p, RATE),
    "adamDecayed": lambda p: torch.optim.Adam(p, RATE, weight_decay=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, RATE),
    "lamb": lambda p: Written(p, lamb(0.1)),
    "lars": lambda p: Written(p, lars(0.1)),
    "nesterov": lambda p: torch.optim.SGD(p, RATE, momentum=0.9, nesterov=True),
    "amsgrad": lambda p: torch.optim.Adam(p, RATE, amsgrad=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, RATE, 0.9, eps=EPSILON, momentum=0.9),
    "rmspropCentered": lambda p: torch.optim.RMSprop(p, RATE, 0.9, eps=EPSILON, centered=True),
    "clipValue": lambda p: Clipped(p, lambda w: torch.nn.utils.clip_grad_value_(w, 0.05)),
    "clipNorm": lambda p: Clipped(p, clip_each_norm),
    "globalClipNorm": lambda p: Clipped(p, lambda w: torch.nn.utils.clip_grad_norm_(w, BOUND)),
}

#: Of Keras: each also with a rate that halves.
OF_KERAS = {
    "kerasMomentum": keras_momentum(False),
    "kerasNesterov": keras_momentum(True),
    "kerasAdam": keras_adam(False),
    "kerasAmsgrad": keras_adam(True),
    "kerasRmsprop": keras_rmsprop(False, 0),
    "kerasRmspropCentered": keras_rmsprop(True, 0),
    "kerasRmspropMomentum": keras_rmsprop(False, 0.9),
    "kerasRmspropBoth": keras_rmsprop(True, 0.9),
}


# The rate halves after each three steps.
STEPPED = ("sgd", "momentum", "momentumDecayed", "adam", "adamw", "nesterov")


def trained(make, stepped=False):
    w, b, x, t = model()
    optimizer = make([w, b])
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5) if stepped else None
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(x @ w + b, t)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
        if schedule:
            schedule.step()
    return losses[-1], torch.cat([w.detach().flatten(), b.detach()])


def main():
    print("// Made by optimizer_reference.py: the loss before the tenth step, then weights and bias.")
    print("#pragma once\n")
    print("#include <map>\n#include <string>\n#include <vector>\n")
    print("namespace tilescope::test {\n")
    print("inline const std::map<std::string, std::vector<double>>& optimizerReference() {")
    print("    static const std::map<std::string, std::vector<double>> all{")
    runs = [(name, False) for name in OPTIMIZERS] + [(name, True) for name in STEPPED]
    runs += [(name, stepped) for name in OF_KERAS for stepped in (False, True)]
    for name, stepped in runs:
        if name in OF_KERAS:
            loss, weights = trained(lambda p, name=name, stepped=stepped: OfKeras(p, OF_KERAS[name], stepped))
        else:
            loss, weights = trained(OPTIMIZERS[name], stepped)
        values = ", ".join(f"{v:.9g}" for v in [loss, *weights.tolist()])
        print(f'        {{"{name}{"Stepped" * stepped}", {{{values}}}}},')
    print("    };\n    return all;\n}\n\n} // namespace tilescope::test")


if __name__ == "__main__":
    sys.exit(main())
