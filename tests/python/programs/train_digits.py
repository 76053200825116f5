"""Trains a small network, split over IPUs as its options say, and tests it on one.

    train_digits.py --strategy pipelined --accumulation 4
    train_digits.py --strategy torch --accumulation 4      # the same training, without an IPU
"""
import argparse

import poptorch
import torch
from digits import CLASSES, SIDE, Bars
from torch import nn

BATCH = 8


class Network(nn.Module):
    """Two convolutions and two linear layers, a block each."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU())
        self.body = nn.Sequential(nn.Conv2d(4, 4, 3, stride=2), nn.ReLU())
        self.neck = nn.Linear(4 * 5 * 5, 16)
        self.head = nn.Linear(16, CLASSES)

    def forward(self, images):
        with poptorch.Block("stem"):
            x = self.stem(images)
        with poptorch.Block("body"):
            x = self.body(x).flatten(1)
        poptorch.Block.start("neck")
        x = torch.relu(self.neck(x))
        poptorch.Block.start("head")
        return self.head(x)


class WithLoss(nn.Module):
    """Scores and loss of a network."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.loss = nn.CrossEntropyLoss()

    def forward(self, images, labels=None):
        scores = self.network(images)
        return scores if labels is None else (scores, self.loss(scores, labels))


def strategy_of(name):
    """How blocks share the IPUs."""
    if name == "pipelined":
        return poptorch.PipelinedExecution(
            poptorch.Stage("stem").ipu(0), poptorch.Stage("body").ipu(1),
            poptorch.Stage("neck", "head").ipu(0))
    if name == "sharded":
        return poptorch.ShardedExecution(poptorch.Stage("stem", "body").ipu(0),
                                         poptorch.Stage("neck", "head").ipu(1))
    if name == "serial":
        return poptorch.SerialPhasedExecution(["stem", "body"], ["neck", "head"])
    if name == "parallel":
        return poptorch.ParallelPhasedExecution(
            poptorch.Phase(poptorch.Stage("stem", "body").ipu(0)),
            poptorch.Phase(poptorch.Stage("neck", "head").ipu(1)))
    return poptorch.ShardedExecution(poptorch.Stage("stem", "body", "neck", "head").ipu(0))


def options_of(arguments):
    options = poptorch.Options()
    options.deviceIterations(arguments.device_iterations).randomSeed(1)
    options.Training.gradientAccumulation(arguments.accumulation)
    options.outputMode(poptorch.OutputMode.All)
    options.setExecutionStrategy(strategy_of(arguments.strategy))
    if arguments.offload:
        options.TensorLocations.setOptimizerLocation(
            poptorch.TensorLocationSettings().useOnChipStorage(False))
    if arguments.anchors:
        options.anchorTensor("weight", "network.head.weight")
        options.anchorTensor("gradient", "Gradient___network.head.weight",
                             poptorch.OutputMode.Final)
    if arguments.profile:
        options.enableProfiling(arguments.profile)
    return options


def train_on_ipu(arguments, model, data):
    options = options_of(arguments)
    optimizer = poptorch.optim.AdamW(model.parameters(), lr=arguments.learning_rate, weight_decay=0)
    trained = poptorch.trainingModel(model, options, optimizer)
    mode = poptorch.DataLoaderMode.Async if arguments.loader == "async" else poptorch.DataLoaderMode.Sync
    loader = poptorch.DataLoader(options, data, batch_size=BATCH, drop_last=True, mode=mode)
    for epoch in range(arguments.epochs):
        for images, labels in loader:
            scores, loss = trained(images, labels)
            assert len(scores) == len(images)
        print(f"epoch {epoch} loss {loss.mean().item():.5f}")
    if arguments.anchors:
        weight, gradient = (trained.getAnchoredTensor(name) for name in ("weight", "gradient"))
        print("anchored", torch.equal(weight, model.network.head.weight.detach()),
              tuple(gradient.shape), bool(gradient.abs().sum() > 0))
    trained.detachFromDevice()
    inference = poptorch.Options().deviceIterations(4).setExecutionStrategy(strategy_of("single"))
    if arguments.profile:
        inference.enableProfiling(arguments.profile)
    return poptorch.inferenceModel(model, inference)


def train_in_torch(arguments, model, data):
    optimizer = torch.optim.AdamW(model.parameters(), lr=arguments.learning_rate, weight_decay=0)
    calls = BATCH * arguments.accumulation * arguments.device_iterations
    for epoch in range(arguments.epochs):
        for call in range(len(data) // calls):
            losses = []
            for update in range(arguments.device_iterations):
                optimizer.zero_grad()
                for part in range(arguments.accumulation):
                    first = call * calls + (update * arguments.accumulation + part) * BATCH
                    loss = model(data.images[first:first + BATCH], data.labels[first:first + BATCH])[1]
                    (loss / arguments.accumulation).backward()
                    losses.append(loss.item())
                optimizer.step()
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.5f}")
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", default="single",
                        choices=["single", "pipelined", "sharded", "serial", "parallel", "torch"])
    parser.add_argument("--accumulation", type=int, default=1)
    parser.add_argument("--device-iterations", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--loader", choices=["sync", "async"], default="sync")
    parser.add_argument("--offload", action="store_true", help="optimizer state in streaming memory")
    parser.add_argument("--anchors", action="store_true")
    parser.add_argument("--profile", help="folder of profiles")
    arguments = parser.parse_args()
    torch.manual_seed(3)
    model, data, unseen = WithLoss(Network()), Bars(256), Bars(128, seed=1)
    train = train_in_torch if arguments.strategy == "torch" else train_on_ipu
    predict = train(arguments, model, data)
    with torch.no_grad():
        hits = sum((predict(unseen.images[i:i + 32]).argmax(1) == unseen.labels[i:i + 32]).sum().item()
                   for i in range(0, len(unseen), 32))
    print(f"accuracy {100 * hits / len(unseen):.2f}")


if __name__ == "__main__":
    main()
