"""The same training in PyTorch: a module for each layer that the tests use, and loops."""
import numpy
import torch
from torch import nn


def tensor(array):
    return torch.from_numpy(numpy.array(array))


class Flat(nn.Module):
    """Keras flattens images with their channels last."""

    def forward(self, x):
        return (x.permute(0, 2, 3, 1) if x.dim() == 4 else x).flatten(1)


def dense(kernel, bias):
    layer = nn.Linear(kernel.shape[0], kernel.shape[1])
    layer.weight.data, layer.bias.data = tensor(kernel.T), tensor(bias)
    return layer


def convolution(kernel, bias, **options):
    layer = nn.Conv2d(kernel.shape[2], kernel.shape[3], kernel.shape[:2], **options)
    layer.weight.data, layer.bias.data = tensor(kernel.transpose(3, 2, 0, 1)), tensor(bias)
    return layer


def weights_of(module):
    """In Keras' order of dimensions."""
    made = []
    for parameter in module.parameters():
        value = parameter.detach().numpy()
        made.append(value.T if value.ndim == 2 else value.transpose(2, 3, 1, 0) if value.ndim == 4
                    else value)
    return made


def cross_entropy_of_probabilities(p, y):
    return -(y * torch.log(p.clamp(1e-7, 1 - 1e-7))).sum(1).mean()


def train(module, optimizer, loss, batches, accumulation=1, mean=False):
    """The loss of each batch; gradients of `accumulation` batches are added up, or averaged."""
    losses = []
    for number, (x, y) in enumerate(batches):
        value = loss(module(tensor(x)), tensor(y))
        losses.append(float(value.detach()))
        (value / accumulation if mean else value).backward()
        if number % accumulation == accumulation - 1:
            optimizer.step()
            optimizer.zero_grad()
    return losses


def batches_of(x, y, size, epochs=1):
    return [(x[i:i + size], y[i:i + size]) for _ in range(epochs) for i in range(0, len(x), size)]
