"""Models compute and train as in PyTorch."""
import copy

import poptorch
import pytest
import torch
from models import (CLASSES, Classifier, TwoBlocks, assert_same_weights, images, labels, train_in_torch)
from torch import nn

BATCH = 4


def test_inference_computes_what_torch_does():
    model = Classifier().eval()
    data = images(2 * BATCH)
    compiled = poptorch.inferenceModel(model, poptorch.Options().deviceIterations(2))
    assert torch.allclose(compiled(data), model(data), atol=1e-4)


@pytest.mark.parametrize("name", ["expm1", "log1p", "sinh", "asinh", "atanh", "tan", "tanh"])
def test_functions_keep_their_digits_near_zero(name):
    function = getattr(torch, name)

    class Model(torch.nn.Module):
        def forward(self, x):
            return function(x)

    x = torch.tensor([1e-6, -3e-5, 2e-3, 0.4, -0.7, 0.0])
    assert torch.allclose(poptorch.inferenceModel(Model())(x), function(x), rtol=1e-6, atol=0)


def test_inference_leaves_dropout_and_modes_alone():
    model = nn.Sequential(nn.Linear(64, 8), nn.Dropout(0.5))
    model.train()
    compiled = poptorch.inferenceModel(model)
    data = torch.rand(BATCH, 64)
    assert torch.allclose(compiled(data), model[0](data), atol=1e-4)
    assert model.training and model[1].training


def test_changed_weights_reach_the_machine():
    model = Classifier().eval()
    data = images(BATCH)
    compiled = poptorch.inferenceModel(model)
    compiled(data)
    with torch.no_grad():
        model.last.bias += 1
    assert torch.allclose(compiled(data), model(data), atol=1e-4)


OPTIMIZERS = {
    "sgd": (torch.optim.SGD, torch.optim.SGD, {"lr": 0.05, "weight_decay": 0.1}),
    "momentum": (torch.optim.SGD, poptorch.optim.SGD, {"lr": 0.05, "momentum": 0.9}),
    "adam": (torch.optim.Adam, poptorch.optim.Adam, {"lr": 0.01, "weight_decay": 0.1}),
    "rmsprop": (torch.optim.RMSprop, poptorch.optim.RMSprop, {"lr": 0.01, "momentum": 0.5}),
    "centered": (torch.optim.RMSprop, poptorch.optim.RMSprop, {"lr": 0.01, "alpha": 0.9, "eps": 1e-2, "centered": True}),
    "adamw": (torch.optim.AdamW, poptorch.optim.AdamW, {"lr": 0.01}),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_is_that_of_torch(name):
    of_torch, of_poptorch, numbers = OPTIMIZERS[name]
    model = Classifier()
    other = copy.deepcopy(model)
    options = poptorch.Options().deviceIterations(2)
    options.Training.gradientAccumulation(3)
    compiled = poptorch.trainingModel(model, options, of_poptorch(model.parameters(), **numbers))
    optimizer = of_torch(other.parameters(), **numbers)
    data, wanted = images(6 * BATCH), labels(6 * BATCH)
    for _ in range(2):
        result, loss = compiled(data, wanted)
        expected, expected_loss = train_in_torch(other, optimizer, data, wanted, 2, 3, BATCH)
    assert result.shape == expected.shape and loss.shape == ()
    assert torch.allclose(result, expected, atol=5e-3)
    assert torch.allclose(loss, expected_loss, atol=5e-3)
    assert_same_weights(model, other)


@pytest.mark.parametrize("kind, scale", [("SGD", 1.0), ("SGD", 64.0), ("Adam", 1.0), ("AdamW", 32.0)])
@pytest.mark.parametrize("strategy, accumulation", [("one", 1), ("one", 4), ("sharded", 1), ("sharded", 4),
                                                    ("pipelined", 4)])
def test_gradients_have_a_bound_together(kind, scale, strategy, accumulation):
    """The norm is that of all stages' gradients, of their sum over an update."""
    bound = 0.05
    model = TwoBlocks()
    other, free = copy.deepcopy(model), copy.deepcopy(model)
    options = poptorch.Options().deviceIterations(2)
    options.Training.gradientAccumulation(accumulation)
    execution = poptorch.PipelinedExecution if strategy == "pipelined" else poptorch.ShardedExecution
    stages = ["AB"] if strategy == "one" else ["A", "B"]
    options.setExecutionStrategy(execution(*(poptorch.Stage(*blocks).ipu(i) for i, blocks in enumerate(stages))))
    compiled = poptorch.trainingModel(model, options, getattr(poptorch.optim, kind)(
        model.parameters(), lr=0.1, max_grad_norm=bound, loss_scaling=scale))
    data, wanted = images(2 * accumulation * BATCH), labels(2 * accumulation * BATCH)
    compiled(data, wanted)
    for peer, most in ((other, bound), (free, float("inf"))):
        optimizer = getattr(torch.optim, kind)(peer.parameters(), lr=0.1)
        step = optimizer.step
        optimizer.step = lambda peer=peer, most=most, step=step: (
            nn.utils.clip_grad_norm_(peer.parameters(), most) if most < float("inf") else None, step())
        train_in_torch(peer, optimizer, data, wanted, 2, accumulation, BATCH)
    assert_same_weights(model, other, 1e-4)
    if kind == "SGD":
        assert (other.first.weight - free.first.weight).abs().max() > 1e-3


def test_a_learning_rate_changes_between_calls():
    model = TwoBlocks()
    other = copy.deepcopy(model)
    options = poptorch.Options()
    options.setExecutionStrategy(poptorch.PipelinedExecution(poptorch.Stage("A", "B").ipu(0)))
    compiled = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
    data, wanted = images(BATCH), labels(BATCH)
    for rate in (0.1, 0.5):
        compiled.setOptimizer(torch.optim.SGD(model.parameters(), lr=rate))
        optimizer.param_groups[0]["lr"] = rate
        compiled(data, wanted)
        train_in_torch(other, optimizer, data, wanted, 1, 1, BATCH)
    assert_same_weights(model, other, 1e-4)


class TwoLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 16)
        self.second = nn.Linear(16, CLASSES)

    def forward(self, x, labels):
        x = self.second(torch.relu(self.first(x.flatten(1))))
        return x, nn.functional.cross_entropy(x, labels)


def two_groups(model, decay=0.1, **numbers):
    """The first layer with other hyperparameters than the second."""
    return [{"params": model.second.parameters()},
            {"params": model.first.parameters(), "weight_decay": decay, **numbers}]


GROUPS = {
    "sgd": (torch.optim.SGD, {"lr": 0.05}, {"lr": 0.2}),
    "one has momentum": (torch.optim.SGD, {"lr": 0.05}, {"momentum": 0.9}),
    "momentum": (torch.optim.SGD, {"lr": 0.05, "momentum": 0.9}, {"lr": 0.2, "momentum": 0.0}),
    "adam": (torch.optim.Adam, {"lr": 0.01}, {"lr": 0.002, "betas": (0.5, 0.9), "eps": 1e-3}),
    "adamw": (torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.0}, {"lr": 0.003}),
    "rmsprop": (torch.optim.RMSprop, {"lr": 0.01}, {"alpha": 0.9, "momentum": 0.5}),
}


@pytest.mark.parametrize("accumulation", (1, 3))
@pytest.mark.parametrize("name", GROUPS)
def test_groups_have_numbers_of_their_own(name, accumulation):
    kind, numbers, own = GROUPS[name]
    model = TwoLayers()
    other = copy.deepcopy(model)
    options = poptorch.Options().deviceIterations(2)
    options.Training.gradientAccumulation(accumulation)
    compiled = poptorch.trainingModel(model, options, kind(two_groups(model, **own), **numbers))
    optimizer = kind(two_groups(other, **own), **numbers)
    count = 2 * accumulation * BATCH
    data, wanted = images(count), labels(count)
    for _ in range(2):
        compiled(data, wanted)
        train_in_torch(other, optimizer, data, wanted, 2, accumulation, BATCH)
    assert_same_weights(model, other, 1e-4)


def test_the_learning_rate_of_a_group_changes_without_compiling():
    model = TwoLayers()
    other = copy.deepcopy(model)
    make = lambda of, rate: torch.optim.SGD(two_groups(of, lr=rate), lr=0.1, momentum=0.9)
    compiled = poptorch.trainingModel(model, None, make(model, 0.1))
    optimizer = make(other, 0.1)
    data, wanted = images(BATCH), labels(BATCH)
    compiled(data, wanted)
    train_in_torch(other, optimizer, data, wanted, 1, 1, BATCH)
    program = compiled._compiled.program
    for rate in (0.0, 0.4):
        compiled.setOptimizer(make(model, rate))
        optimizer.param_groups[1]["lr"] = rate
        before = model.first.weight.clone()
        compiled(data, wanted)
        assert torch.equal(before, model.first.weight) == (rate == 0)
        train_in_torch(other, optimizer, data, wanted, 1, 1, BATCH)
    assert compiled._compiled.program is program
    assert_same_weights(model, other, 1e-4)


def test_other_decay_of_a_group_compiles_again():
    model = TwoLayers()
    other = copy.deepcopy(model)
    make = lambda of, decay: torch.optim.SGD(two_groups(of, decay), lr=0.1, momentum=0.9)
    compiled = poptorch.trainingModel(model, None, make(model, 0.1))
    optimizer = make(other, 0.1)
    data, wanted = images(BATCH), labels(BATCH)
    for decay in (0.1, 0.5):
        compiled.setOptimizer(make(model, decay))
        optimizer.param_groups[1]["weight_decay"] = decay
        compiled(data, wanted)
        train_in_torch(other, optimizer, data, wanted, 1, 1, BATCH)
    assert_same_weights(model, other, 1e-4)


def test_groups_that_differ_in_what_the_whole_optimizer_has_are_refused():
    model = TwoLayers()
    optimizer = torch.optim.Adam(two_groups(model, amsgrad=True), lr=0.1)
    with pytest.raises(poptorch.Error, match="parameter group 1 of Adam has amsgrad = True"):
        poptorch.trainingModel(model, None, optimizer)


def test_other_numbers_compile_again_with_the_optimizers_state():
    model = nn.Linear(6, 3)
    model.forward = lambda x: poptorch.identity_loss(
        nn.functional.linear(x, model.weight, model.bias), "mean")
    compiled = poptorch.trainingModel(model, None,
                                      torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    other = nn.Linear(6, 3)
    other.load_state_dict(model.state_dict())
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1, momentum=0.9)
    data = torch.rand(BATCH, 6)
    for momentum in (0.9, 0.5):
        compiled.setOptimizer(torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum))
        optimizer.param_groups[0]["momentum"] = momentum
        compiled(data)
        optimizer.zero_grad()
        other(data).mean().backward()
        optimizer.step()
    assert_same_weights(model, other, 1e-4)


def kl_div(x, target):
    return nn.functional.kl_div(torch.log_softmax(x, -1), target, reduction="sum")


def two_losses(x, target):
    return poptorch.identity_loss(
        nn.functional.mse_loss(x, target) + nn.functional.l1_loss(x, target), reduction="none")


LOSSES = {
    "mse": nn.MSELoss(),
    "l1": nn.L1Loss(reduction="sum"),
    "smooth_l1": nn.SmoothL1Loss(beta=0.5),
    "huber": nn.HuberLoss(delta=0.3),
    "bce": lambda x, t: nn.functional.binary_cross_entropy(torch.sigmoid(x), t),
    "bce_with_logits": nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0])),
    "kl_div": kl_div,
    "identity": lambda x, t: poptorch.identity_loss((x - t)**2, reduction="mean"),
    "two": two_losses,
}


class WithLoss(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.linear = nn.Linear(6, 3)
        self.function = function

    def forward(self, x, target):
        return self.function(self.linear(x), target)


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    model = WithLoss(LOSSES[name])
    other = copy.deepcopy(model)
    compiled = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))
    data, target = torch.randn(BATCH, 5, 6), torch.rand(BATCH, 5, 3)
    loss = compiled(data, target)
    expected = other(data, target)
    expected.backward()
    torch.optim.SGD(other.parameters(), lr=0.1).step()
    assert torch.allclose(loss, expected, atol=1e-4)
    assert_same_weights(model, other, 1e-4)


def test_a_model_without_a_loss_is_refused():
    model = nn.Linear(6, 3)
    compiled = poptorch.trainingModel(model)
    with pytest.raises(poptorch.Error, match="has no loss to train on"):
        compiled(torch.rand(BATCH, 6))


def test_several_losses_are_refused():
    model = WithLoss(lambda x, t: (nn.functional.mse_loss(x, t), nn.functional.l1_loss(x, t)))
    compiled = poptorch.trainingModel(model)
    with pytest.raises(poptorch.Error, match="several losses"):
        compiled(torch.rand(BATCH, 6), torch.rand(BATCH, 3))


def test_parameters_that_the_optimizer_does_not_have_stay():
    model = Classifier()
    kept, changed = model.linear.weight.clone(), model.last.weight.clone()
    compiled = poptorch.trainingModel(model, None,
                                      torch.optim.SGD(model.last.parameters(), lr=0.1))
    compiled(images(BATCH), labels(BATCH))
    assert torch.equal(model.linear.weight, kept)
    assert not torch.equal(model.last.weight, changed)


@pytest.mark.parametrize("mode, samples, losses", [(poptorch.OutputMode.All, 8, (8, )),
                                                   (poptorch.OutputMode.Final, 2, (2, )),
                                                   (poptorch.OutputMode.Sum, 2, (2, ))])
def test_output_modes_and_replicas(mode, samples, losses):
    model = WithLoss(nn.MSELoss())
    options = poptorch.Options().deviceIterations(2).replicationFactor(2).outputMode(mode)
    options.Training.gradientAccumulation(2)
    compiled = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    data, target = torch.rand(8 * BATCH, 6), torch.rand(8 * BATCH, 3)
    loss = compiled(data, target)
    assert loss.shape == losses


def test_a_sum_is_that_of_each_replica():
    model = WithLoss(nn.MSELoss())
    options = poptorch.Options().deviceIterations(2).replicationFactor(2)
    options.Training.gradientAccumulation(3)
    data, target = torch.rand(12 * BATCH, 6), torch.rand(12 * BATCH, 3)
    results = []
    for mode in (poptorch.OutputMode.All, poptorch.OutputMode.Sum):
        compiled = poptorch.trainingModel(model, copy.deepcopy(options).outputMode(mode),
                                          torch.optim.SGD(model.parameters(), lr=0.0))
        results.append(compiled(data, target))
    assert torch.allclose(results[1], results[0].reshape(2, 2, 3).sum((0, 2)), rtol=1e-5)


def test_names_of_scopes_from_hooks():
    """As programs do that name their layers by torch's registered operators."""
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    model.register_forward_pre_hook(lambda *_: torch.ops.poptorch.push_name_scope("mine"))
    model.register_forward_hook(lambda *_: torch.ops.poptorch.pop_name_scope())
    compiled = poptorch.inferenceModel(model)
    compiled(torch.ones(2, 4))
    assert any(name.startswith("mine/") for name in compiled.getTensorNames())
    assert torch.allclose(compiled(torch.ones(2, 4)), model(torch.ones(2, 4)), atol=1e-5)


def test_an_input_of_doubles_is_float_on_the_machine():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Conv2d(1, 2, 1)

        def forward(self, x, factors):
            return self.layer(x * factors.reshape(-1, 1, 1, 1))

    model, x, factors = Scaled(), torch.rand(2, 1, 3, 3), torch.rand(2).double()
    result = poptorch.inferenceModel(model)(x, factors)
    assert torch.allclose(result.float(), model(x, factors.float()), atol=1e-5)


def test_replicas_average_their_gradients():
    model = WithLoss(nn.MSELoss())
    other = copy.deepcopy(model)
    compiled = poptorch.trainingModel(model,
                                      poptorch.Options().replicationFactor(2),
                                      torch.optim.SGD(model.parameters(), lr=0.1))
    data, target = torch.rand(2 * BATCH, 6), torch.rand(2 * BATCH, 3)
    compiled(data, target)
    other(data, target).backward()
    torch.optim.SGD(other.parameters(), lr=0.1).step()
    assert_same_weights(model, other, 1e-4)


def test_nested_arguments_and_results():
    class Nested(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 2)

        def forward(self, pair, more=None, scale=2):
            x = self.linear(pair[0] + more["a"])
            return {"sum": x, "both": (x * scale, pair[1])}

    model = Nested()
    compiled = poptorch.inferenceModel(model)
    pair, more = (torch.rand(BATCH, 3), torch.rand(BATCH, 2)), {"a": torch.rand(BATCH, 3)}
    result = compiled(pair, more=more)
    expected = model(pair, more=more)
    assert torch.allclose(result["sum"], expected["sum"], atol=1e-5)
    assert torch.allclose(result["both"][0], expected["both"][0], atol=1e-5)
    assert torch.equal(result["both"][1], pair[1])


def test_results_have_no_backward():
    compiled = poptorch.inferenceModel(nn.Linear(3, 2))
    with pytest.raises(poptorch.Error, match="backward\\(\\) cannot be called"):
        compiled(torch.rand(BATCH, 3)).backward()


def test_other_shapes_are_refused():
    compiled = poptorch.inferenceModel(nn.Linear(3, 2))
    compiled(torch.rand(BATCH, 3))
    with pytest.raises(poptorch.Error, match="compiled for"):
        compiled(torch.rand(BATCH - 1, 3))
