#!/usr/bin/env python3
"""Weights after ten steps of each optimizer, by PyTorch: makes optimizer_reference.h.

The model is y = x w + b with the mean squared error; LAMB (You et al. 2019, with bias correction)
and LARS (You et al. 2017) are not in PyTorch and are written out here.
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
}


# The rate halves after each three steps.
STEPPED = ("sgd", "momentum", "momentumDecayed", "adam", "adamw")


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
    for name, stepped in runs:
        loss, weights = trained(OPTIMIZERS[name], stepped)
        values = ", ".join(f"{v:.9g}" for v in [loss, *weights.tolist()])
        print(f'        {{"{name}{"Stepped" * stepped}", {{{values}}}}},')
    print("    };\n    return all;\n}\n\n} // namespace tilescope::test")


if __name__ == "__main__":
    sys.exit(main())
