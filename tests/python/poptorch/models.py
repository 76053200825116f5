"""Small models of the tests."""
import poptorch
import torch
from torch import nn

CLASSES = 10


class Computes(nn.Module):
    """The function of its operands."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *operands):
        return self.function(*operands)


class Classifier(nn.Module):
    """Convolution, all kinds of norm, two linear layers; with labels also its loss."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, bias=False)  # a norm would reduce a bias to rounding noise
        self.batch_norm = nn.BatchNorm2d(4)
        self.group_norm = nn.GroupNorm(2, 4)
        self.layer_norm = nn.LayerNorm(16)
        self.linear = nn.Linear(4 * 6 * 6, 16)
        self.last = nn.Linear(16, CLASSES)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x, labels=None):
        x = self.group_norm(torch.relu(self.batch_norm(self.conv(x))))
        x = self.layer_norm(self.linear(x.flatten(1)))
        x = self.last(torch.relu(x))
        return x if labels is None else (x, self.loss(x, labels))


class TwoBlocks(nn.Module):
    """Linear layers in blocks A and B."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 16)
        self.second = nn.Linear(16, CLASSES)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x, labels=None):
        with poptorch.Block("A"):
            x = torch.relu(self.first(x.flatten(1)))
        with poptorch.Block("B"):
            x = self.second(x)
            return x if labels is None else (x, self.loss(x, labels))


def images(count):
    return torch.rand(count, 1, 8, 8)


def labels(count):
    return torch.randint(0, CLASSES, (count, ))


def train_in_torch(model, optimizer, data, wanted, updates, accumulation, batch):
    """The same updates as a call of a training model; the last micro-batch's result and loss."""
    for update in range(updates):
        optimizer.zero_grad()
        for part in range(accumulation):
            first = (update * accumulation + part) * batch
            result, loss = model(data[first:first + batch], wanted[first:first + batch])
            (loss / accumulation).backward()
        optimizer.step()
    return result, loss


def assert_same_weights(one, other, tolerance=2e-3):
    for (name, a), b in zip(one.state_dict().items(), other.state_dict().values()):
        assert torch.allclose(a.float(), b.float(), atol=tolerance), name
