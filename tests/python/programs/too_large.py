"""Searches a share of memory for temporary data with which a model fits, as users do by hand."""
import argparse

import poptorch
import torch
from torch import nn


def network(width):
    return nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(width, width, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(width, width, 3, padding=1), nn.AdaptiveAvgPool2d(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--side", type=int, default=16)
    parser.add_argument("--proportions", default="0.6,0.2")
    arguments = parser.parse_args()
    for share in map(float, arguments.proportions.split(",")):
        options = poptorch.Options().setAvailableMemoryProportion({"IPU0": share})
        options.enableProfiling("profiles").modelName(f"share_{share}")
        model = poptorch.inferenceModel(network(arguments.width).eval(), options)
        try:
            model.compile(torch.rand(2, 3, arguments.side, arguments.side))
            print(f"share {share}: fits, {model.isCompiled()}")
        except poptorch.Error as error:
            print(f"share {share}: {error.type}: {error.message.splitlines()[0]}")


if __name__ == "__main__":
    main()
