#!/usr/bin/env python3
"""What published networks answer, by PyTorch: reference_models.py FOLDER makes model_reference.json.

The folder has ONNX's light models (onnx/backend/test/data/light), whose weights are all the same
number: as no mistake in the order of channels would show with these, they get numbers that differ,
by the names of the nodes that make them; models_test.cpp does the same. Needs python3-onnx.
"""
import json
import math
import pathlib
import sys

import onnx
import torch
from onnx import numpy_helper

import onnx_by_torch
from reference_numbers import numbers

SAMPLES = 250


def generated_weights(model):
    """Small enough for a softmax that leaves many classes a chance."""
    shapes = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    weights = {}
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape":
            continue
        shape = [int(n) for n in shapes[node.input[0]]]
        name = node.output[0]
        if len(shape) > 1:
            scale = math.sqrt((6 if len(shape) > 2 else 0.5) / math.prod(shape[1:]))
            weights[name] = torch.from_numpy(numbers(name, shape, 0, scale))
        else:
            weights[name] = torch.from_numpy(numbers(name, shape, 0.1, 0.05))
    return weights


def answer(file):
    model = onnx.load(file)
    values = generated_weights(model)
    given = {t.name for t in model.graph.initializer}
    for tensor in model.graph.input:
        if tensor.name not in given:
            shape = [d.dim_value for d in tensor.type.tensor_type.shape.dim]
            values[tensor.name] = torch.from_numpy(numbers(tensor.name, shape))
    with torch.no_grad():
        output = onnx_by_torch.run(model, values)[model.graph.output[0].name].flatten()
    step = max(1, len(output) // SAMPLES)
    return {"step": step, "values": [float(f"{v:.7g}") for v in output[::step]]}


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("light_*.onnx"))
    results = {file.stem: answer(file) for file in files}
    target = pathlib.Path(__file__).with_name("model_reference.json")
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in results.items())
    target.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    sys.exit(main())
