"""Tensors within a model by name, and unknown names."""
import copy

import poptorch
import pytest
import torch
from models import TwoBlocks, images, labels

BATCH = 4


def made(anchors, accumulation=1, iterations=1, **modes):
    options = poptorch.Options().deviceIterations(iterations)
    options.Training.gradientAccumulation(accumulation)
    options.setExecutionStrategy(poptorch.ShardedExecution(poptorch.Stage("A", "B").ipu(0)))
    for short, long_name in anchors.items():
        options.anchorTensor(short, long_name, *modes.get(short, ()))
    model = TwoBlocks()
    return model, poptorch.trainingModel(model, options, poptorch.optim.SGD(model.parameters(), lr=0.1))


def test_gradients_are_those_of_pytorch():
    model, program = made({"weight": "Gradient___first.weight", "bias": "Gradient___second.bias"})
    other = copy.deepcopy(model)
    x, y = images(BATCH), labels(BATCH)
    program(x, y)
    other(x, y)[1].backward()
    assert torch.allclose(program.getAnchoredTensor("weight"), other.first.weight.grad, atol=1e-6)
    assert torch.allclose(program.getAnchoredTensor("bias"), other.second.bias.grad, atol=1e-6)


@pytest.mark.parametrize("name", ["UpdatedVar___model.first.weight", "UpdatedVar___first.weight"])
def test_weights_after_their_update(name):
    model, program = made({"updated": name})
    other = copy.deepcopy(model)
    x, y = images(BATCH), labels(BATCH)
    program(x, y)
    other(x, y)[1].backward()
    torch.optim.SGD(other.parameters(), lr=0.1).step()
    assert torch.allclose(program.getAnchoredTensor("updated"), other.first.weight, atol=1e-6)
    assert "UpdatedVar___first.weight" in program.getTensorNames()
    with pytest.raises(poptorch.Error, match="no tensor 'UpdatedVar___first.weight'"):
        options = poptorch.Options().anchorTensor("updated", name)
        options.setExecutionStrategy(poptorch.ShardedExecution(poptorch.Stage("A", "B").ipu(0)))
        poptorch.inferenceModel(model, options)(x)


def test_gradients_of_each_micro_batch_and_their_sum():
    both = {"all": (poptorch.OutputMode.All, ), "sum": (poptorch.OutputMode.Sum, )}
    model, program = made(dict.fromkeys(both, "Gradient___second.weight"), accumulation=3, **both)
    other = copy.deepcopy(model)
    x, y = images(3 * BATCH), labels(3 * BATCH)
    program(x, y)
    wanted = []
    for part in range(3):
        other.zero_grad()
        other(x[part * BATCH:][:BATCH], y[part * BATCH:][:BATCH])[1].backward()
        wanted.append(other.second.weight.grad.clone())
    assert torch.allclose(program.getAnchoredTensor("all"), torch.cat(wanted), atol=1e-6)
    assert torch.allclose(program.getAnchoredTensor("sum"), sum(wanted), atol=1e-6)


def test_a_tensor_within_the_model():
    model, program = made({})
    other = copy.deepcopy(model)
    x, y = images(BATCH), labels(BATCH)
    program.compile(x, y)
    names = program.getTensorNames()
    assert {"first.weight", "Gradient___first.weight", "x", "labels"} <= set(names)
    inner = next(name for name in names if "Relu" in name)
    model, program = made({"inner": inner, "whole": "second.weight"})
    other = copy.deepcopy(model)
    program(x, y)
    assert torch.allclose(program.getAnchoredTensor("inner"), torch.relu(other.first(x.flatten(1))), atol=1e-5)
    assert torch.equal(program.getAnchoredTensor("whole"), model.second.weight.detach())


@pytest.mark.parametrize("name, near", [("first.weigth", "first.weight"),
                                        ("Gradient___first.wieght", "Gradient___first.weight")])
def test_names_that_are_not_there_are_refused_when_it_compiles(name, near):
    _, program = made({"mine": name})
    with pytest.raises(poptorch.Error, match=f"'{name}'. Did you mean '{near}'"):
        program.compile(images(BATCH), labels(BATCH))


def test_anchors_of_a_pipeline_in_each_output_mode():
    options = poptorch.Options().deviceIterations(4).outputMode(poptorch.OutputMode.Final)
    options.setExecutionStrategy(poptorch.PipelinedExecution(poptorch.Stage("A").ipu(0),
                                                             poptorch.Stage("B").ipu(1)))
    x = images(4 * BATCH)
    model = TwoBlocks()
    first = poptorch.inferenceModel(model, options)
    first.compile(x)
    inner = next(name for name in first.getTensorNames() if "Relu" in name)
    for short, mode, every in (("own", None, 1), ("all", poptorch.OutputMode.All, 1),
                               ("second", poptorch.OutputMode.EveryN, 2)):
        options.anchorTensor(short, inner, mode, every)
    program = poptorch.inferenceModel(model, options)
    program(x)
    with torch.no_grad():
        wanted = torch.relu(model.first(x.flatten(1)))
    assert torch.allclose(program.getAnchoredTensor("all"), wanted, atol=1e-5)
    assert torch.allclose(program.getAnchoredTensor("own"), wanted[3 * BATCH:], atol=1e-5)
    assert torch.allclose(program.getAnchoredTensor("second"),
                          torch.cat([wanted[BATCH:2 * BATCH], wanted[3 * BATCH:]]), atol=1e-5)
