"""The optimizer's state is PyTorch's own: checkpoints contain the machine's moments and resume from them."""
import copy

import poptorch
import pytest
import torch
from models import TwoBlocks, assert_same_weights, images, labels

BATCH = 4
OPTIMIZERS = {
    "momentum": (poptorch.optim.SGD, torch.optim.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.01)),
    "adam": (poptorch.optim.Adam, torch.optim.Adam, dict(lr=0.01)),
    "adamw": (poptorch.optim.AdamW, torch.optim.AdamW, dict(lr=0.01, weight_decay=0.1)),
    "rmsprop": (poptorch.optim.RMSprop, torch.optim.RMSprop, dict(lr=0.01, momentum=0.5)),
}


def offloaded(options):
    options.TensorLocations.setOptimizerLocation(
        poptorch.TensorLocationSettings().useOnChipStorage(False))
    return options


def shared(options):
    options.TensorLocations.setOptimizerLocation(
        poptorch.TensorLocationSettings().useReplicatedTensorSharding().
        minElementsForReplicatedTensorSharding(100))
    return options.replicationFactor(2)


PLACES = {"chip": lambda options: options, "off": offloaded, "shared": shared}


def made(kind, model, place="chip", **more):
    optimizer = OPTIMIZERS[kind][0](model.parameters(), **{**OPTIMIZERS[kind][2], **more})
    options = poptorch.Options()
    options.setExecutionStrategy(poptorch.ShardedExecution(poptorch.Stage("A", "B").ipu(0)))
    return poptorch.trainingModel(model, PLACES[place](options), optimizer), optimizer


def batches(count, replicas=1):
    return [(images(BATCH * replicas), labels(BATCH * replicas)) for _ in range(count)]


def trained_in_torch(kind, model, data):
    optimizer = OPTIMIZERS[kind][1](model.parameters(), **OPTIMIZERS[kind][2])
    for x, y in data:
        optimizer.zero_grad()
        model(x, y)[1].backward()
        optimizer.step()
    return optimizer


def assert_same_state(ours, theirs):
    assert ours["state"].keys() == theirs["state"].keys()
    for number, values in theirs["state"].items():
        assert ours["state"][number].keys() == values.keys()
        for key, value in values.items():
            found = torch.as_tensor(ours["state"][number][key]).float()
            assert torch.allclose(found, torch.as_tensor(value).float(), rtol=1e-3, atol=1e-6), key


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_the_state_is_that_of_pytorch(kind):
    model, data = TwoBlocks(), batches(3)
    other = copy.deepcopy(model)
    program, optimizer = made(kind, model)
    for x, y in data:
        program(x, y)
    theirs = trained_in_torch(kind, other, data)
    assert_same_weights(model, other)
    assert_same_state(optimizer.state_dict(), theirs.state_dict())


@pytest.mark.parametrize("kind, place", [("momentum", "chip"), ("adam", "chip"), ("adam", "off"),
                                         ("adamw", "shared"), ("rmsprop", "chip")])
def test_a_checkpoint_goes_on_as_if_nothing_had_happened(kind, place, tmp_path):
    whole, data = TwoBlocks(), batches(4, 2 if place == "shared" else 1)
    half = copy.deepcopy(whole)
    program, _ = made(kind, whole, place)
    for x, y in data:
        program(x, y)
    program, optimizer = made(kind, half, place)
    for x, y in data[:2]:
        program(x, y)
    torch.save({"model": half.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "kept")
    kept = torch.load(tmp_path / "kept")
    resumed = TwoBlocks()
    program, optimizer = made(kind, resumed, place)
    resumed.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    for x, y in data[2:]:
        program(x, y)
    for (name, a), b in zip(whole.state_dict().items(), resumed.state_dict().values()):
        assert torch.equal(a, b), name


def test_a_checkpoint_of_pytorch_goes_on_here_and_back():
    model, data = TwoBlocks(), batches(4)
    other = copy.deepcopy(model)
    theirs = trained_in_torch("adam", model, data[:2])
    program, optimizer = made("adam", model)
    optimizer.load_state_dict(theirs.state_dict())
    for x, y in data[2:]:
        program(x, y)
    assert_same_state(optimizer.state_dict(), trained_in_torch("adam", other, data).state_dict())
    assert_same_weights(model, other)


def test_momentum_is_without_the_scale_of_the_loss():
    model, data = TwoBlocks(), batches(2)
    other = copy.deepcopy(model)
    program, optimizer = made("momentum", model, loss_scaling=64.0)
    for x, y in data:
        program(x, y)
    assert_same_state(optimizer.state_dict(), trained_in_torch("momentum", other, data).state_dict())


@pytest.mark.parametrize("place", ["off", "shared"])
def test_state_outlives_a_recompilation_wherever_it_is(place):
    """Another weight decay compiles again; moments stay."""
    model, data = TwoBlocks(), batches(3, 2 if place == "shared" else 1)
    other = copy.deepcopy(model)
    results = []
    for trained, where in ((model, place), (other, place if place == "shared" else "chip")):
        program, _ = made("adamw", trained, where)
        for i, (x, y) in enumerate(data):
            if i == 2:
                program.setOptimizer(poptorch.optim.AdamW(trained.parameters(), lr=0.01, weight_decay=0.2))
            program(x, y)
        results.append(program._optimizer.state_dict())
    assert_same_state(*results)
    steps = [float(values["step"]) for values in results[0]["state"].values()]
    assert steps == [3.0] * 4


def test_what_the_program_changes_reaches_the_machine():
    model = TwoBlocks()
    program, optimizer = made("momentum", model)
    x, y = batches(1)[0]
    program(x, y)
    with torch.no_grad():
        optimizer.state[model.first.weight]["momentum_buffer"].fill_(100)
    before = model.first.weight.detach().clone()
    program(x, y)
    assert (before - model.first.weight).min() > 5
