"""A module has the same semantics in Python and on the machine: state, changes in place, keys,
modes, branches."""
import copy

import poptorch
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

F = nn.functional


class Of(nn.Module):
    """forward() is a function; parts are parameters, buffers and modules."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            if isinstance(part, torch.Tensor) and not isinstance(part, nn.Parameter):
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def train(model, *data, calls=3):
    """Losses of a model that returns one, by poptorch, and the same by PyTorch."""
    other = copy.deepcopy(model)
    compiled, optimizer = poptorch.trainingModel(model, None, sgd(model)), sgd(other)
    losses, expected = [], []
    for _ in range(calls):
        losses.append(compiled(*data).item())
        optimizer.zero_grad()
        loss = other(*data)
        loss.backward()
        optimizer.step()
        expected.append(loss.item())
    for (name, one), two in zip(model.state_dict().items(), other.state_dict().values()):
        assert torch.allclose(one.float(), two.float(), atol=1e-4), name
    assert losses == pytest.approx(expected, abs=1e-4)
    return losses


def assert_same(function, *data, calls=2, **parts):
    """The function in a module computes the same as in PyTorch, call after call."""
    model = Of(function, **parts)
    other = copy.deepcopy(model)
    compiled = poptorch.inferenceModel(model)
    for _ in range(calls):
        mine, theirs = [d.clone() for d in data], [d.clone() for d in data]
        assert torch.allclose(compiled(*mine), other(*theirs), atol=1e-4)
        for one, two in zip(mine, theirs):
            assert torch.equal(one, two)


def mean_square(x):
    return poptorch.identity_loss(x * x, "mean")


ONE_ELEMENT = {
    "added": (lambda m, x: mean_square(x + m.b), {"b": nn.Parameter(torch.tensor([1.5]))}),
    "exponent": (lambda m, x: mean_square(x * m.t.exp()), {"t": nn.Parameter(torch.tensor(0.5))}),
    # Called like variables of PopTorch's tracing.
    "named": (lambda m, x: mean_square(x * m.tensor.exp() + m.name),
              {"tensor": nn.Parameter(torch.tensor(0.5)), "name": nn.Parameter(torch.tensor(0.1))}),
    "linear": (lambda m, x: mean_square(m.l(x)), {"l": nn.Linear(3, 1)}),
    "prelu": (lambda m, x: mean_square(m.l(x)), {"l": nn.PReLU()}),
    "two": (lambda m, x: mean_square(x * m.s[0] + m.s[1]),
            {"s": nn.Parameter(torch.tensor([0.5, 1.0]))}),
}


@pytest.mark.parametrize("name", ONE_ELEMENT)
def test_small_parameters_train(name):
    function, parts = ONE_ELEMENT[name]
    losses = train(Of(function, **copy.deepcopy(parts)), torch.randn(4, 3))
    assert losses[0] != losses[-1]


def test_one_channel_trains():
    layers = nn.Sequential(nn.Conv2d(1, 1, 2), nn.BatchNorm2d(1))
    train(Of(lambda m, x: mean_square(m.layers(x) + 1), layers=layers), torch.randn(4, 1, 5, 5))


def test_parameters_that_no_input_reaches_train():
    losses = train(Of(lambda m, x: x.sum() * 0 + poptorch.identity_loss((m.w**2).sum(), "sum"),
                      w=nn.Parameter(torch.ones(3))), torch.randn(4, 3))
    assert losses[-1] < losses[0]


def test_repeated_indices_add_up():
    assert_same(lambda m, x: x.index_add(0, torch.tensor([0, 0, 1]), x[:3]), torch.randn(4, 3))
    rows = torch.tensor([[0, 0, 1], [0, 1, 1]])
    assert_same(lambda m, x: torch.zeros(2, 3).scatter_add(0, rows, x[:2]), torch.randn(4, 3))


def test_a_part_in_evaluation_mode_stays_in_it():
    norm, dropout = nn.BatchNorm1d(3), nn.Dropout(0.9)
    norm.running_mean += 0.5
    model = Of(lambda m, x: mean_square(m.dropout(m.norm(x))), norm=norm, dropout=dropout)
    norm.eval(), dropout.eval()
    train(model, torch.randn(4, 3))
    assert not norm.training and model.training
    assert norm.num_batches_tracked == 0


def test_norms_that_track_no_running_statistics_take_those_of_the_batch_in_an_inference():
    model = nn.BatchNorm1d(3, track_running_stats=False)
    model.running_mean, model.running_var = torch.ones(3), torch.ones(3)
    x = torch.randn(8, 3) * 2 + 5
    result = poptorch.inferenceModel(model)(x)
    torch.testing.assert_close(result, model(x).detach(), rtol=1e-4, atol=1e-5)
    assert model.training


def test_a_norm_in_training_mode_takes_the_statistics_of_the_data_in_an_inference():
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5))
    model[0].running_mean += 4
    x = torch.randn(8, 3) * 2 + 5
    wanted = nn.functional.batch_norm(x, None, None, training=True)
    torch.testing.assert_close(poptorch.inferenceModel(model)(x), wanted, rtol=1e-4, atol=1e-5)
    assert model.training and model[0].track_running_stats
    assert model[0].num_batches_tracked == 0 and float(model[0].running_mean[0]) == 4


def test_a_part_that_is_computed_again_has_its_gradient():
    def of(m, x):
        return mean_square(checkpoint(lambda y: torch.tanh(m.first(y)) * m.second, x * m.second))

    losses = train(Of(of, first=nn.Linear(3, 3), second=nn.Parameter(torch.rand(3))), torch.randn(4, 3))
    assert losses[0] != losses[-1]


def test_running_variance_is_of_samples():
    norm = nn.BatchNorm1d(3)
    train(Of(lambda m, x: mean_square(m.norm(x) + 1), norm=norm), torch.randn(4, 3))
    assert norm.num_batches_tracked == 3


def count(m, x):
    m.n.add_(1)
    return x * 0 + m.n


def test_buffers_are_state():
    model = Of(count, n=torch.zeros(1))
    compiled = poptorch.inferenceModel(model, poptorch.Options().deviceIterations(2))
    assert compiled(torch.zeros(4, 1)).flatten().tolist() == [1, 1, 2, 2]
    assert model.n.item() == 2
    assert compiled(torch.zeros(4, 1)).flatten().tolist() == [3, 3, 4, 4]
    model.n.zero_()
    assert compiled(torch.zeros(4, 1)).flatten().tolist() == [1, 1, 2, 2]


def test_state_moves_between_models():
    def forward(m, x):
        y = m.l(x)
        m.n.add_(1)
        return y, poptorch.identity_loss((y - m.n)**2, "mean")

    model = Of(forward, l=nn.Linear(2, 2), n=torch.zeros(()))
    options = poptorch.Options()
    options.Training.gradientAccumulation(3)
    training = poptorch.trainingModel(model, options, sgd(model))
    inference = poptorch.inferenceModel(model)
    training(torch.randn(6, 2))
    training.copyWeightsToHost()
    assert model.n.item() == 3
    inference.compile(torch.randn(2, 2))
    inference.copyWeightsToDevice()
    x = torch.randn(2, 2)
    result, _ = inference(x)
    assert torch.allclose(result, model.l(x), atol=1e-4) and model.n.item() == 4
    training(torch.randn(6, 2))
    assert model.n.item() == 7


def add_to_part(m, x):
    x[1:3] += 1
    return x


@pytest.mark.parametrize("function", [lambda m, x: x.data * 2, lambda m, x: (x.data > 0) * x,
                                      lambda m, x: x * x.max().data])
def test_data_are_those_of_each_call(function):
    model = Of(function)
    compiled = poptorch.inferenceModel(model)
    for _ in range(2):
        x = torch.randn(3, 3)
        assert torch.allclose(compiled(x), model(x))


def give_data(m, x):
    y = x * 1
    y.data = x * 2
    return y


@pytest.mark.parametrize("function, text", [(give_data, r"assignments to Tensor\.data"),
                                            (lambda m, x: copy.copy(x) * 2, r"copy\(\) or pickle")])
def test_what_a_trace_would_take_for_a_constant_is_refused(function, text):
    with pytest.raises(poptorch.Error, match=text):
        poptorch.inferenceModel(Of(function))(torch.randn(3, 3))


#: Views of a tensor that are used to change the tensor itself.
OWN_VIEWS = {
    "of its shape": lambda x: x.view(x.shape),
    "a dimension more and less": lambda x: x.unsqueeze(0)[0],
    "nothing squeezed": lambda x: x.squeeze(1),
    "all rows": lambda x: x[:],
    "in its order": lambda x: x.permute(0, 1),
    "in a list": lambda x: torch.stack([x.view(x.shape), x])[0],
}


@pytest.mark.parametrize("view", OWN_VIEWS)
def test_a_tensor_is_changed_by_a_view_of_itself(view):

    def changed(_, x):
        x = x * 1
        x += OWN_VIEWS[view](x)
        x.mul_(other=OWN_VIEWS[view](x))
        return x.addcmul_(OWN_VIEWS[view](x), x, value=0.5)

    x = torch.randn(3, 3)
    module = Of(changed)
    assert torch.allclose(poptorch.inferenceModel(module)(x), module(x), atol=1e-4)


def test_what_is_changed_may_be_named_or_in_a_list():
    def changed(_, x):
        x, y = x * 1, x * 2
        torch.relu_(input=x)
        torch._foreach_add_([x, y], 1.5)
        return x + y

    assert_same(changed, torch.randn(3, 3))


def test_a_part_is_changed_by_another():
    def changed(_, x):
        x = x * 1
        x[0] += x[1]
        x[:, 1:].mul_(x[:, :1])
        return x

    assert_same(changed, torch.randn(3, 3))


@pytest.mark.parametrize("view", [lambda x: x.t(), lambda x: x[:, :1], lambda x: x[0]])
def test_a_tensor_is_not_changed_by_its_own_elements_elsewhere(view):
    def changed(_, x):
        x = x * 1
        x += view(x)
        return x

    with pytest.raises(poptorch.Error, match="undefined in PyTorch"):
        poptorch.inferenceModel(Of(changed))(torch.randn(3, 3))


def test_changes_in_place_happen_once():
    assert_same(add_to_part, torch.tensor([0.0, 1, 2, 3]))
    assert_same(lambda m, x: poptorch.for_loop(6, lambda y: y.add_(1), [x])[0], torch.ones(2))


def test_inputs_change_for_the_caller():
    def forward(m, x):
        x += 1

    compiled = poptorch.inferenceModel(Of(forward), poptorch.Options().deviceIterations(2))
    x = torch.tensor([1.0, 2.0])
    assert compiled(x) is None and x.tolist() == [2, 3]
    assert compiled(x) is None and x.tolist() == [3, 4]


def test_tracing_leaves_inputs_and_parameters():
    def forward(m, x):
        y = x.clamp_(0, 1)
        return mean_square(y @ m.w)

    model = Of(forward, w=nn.Parameter(torch.ones(3, 1)))
    x = torch.randn(4, 3)
    before = x.clone()
    poptorch.trainingModel(model, None, sgd(model)).compile(x)
    assert torch.equal(x, before) and torch.equal(model.w, torch.ones(3, 1))


def transposed(m, x):
    y = x * 1
    y.t().add_(torch.arange(4.0)[None])
    row = y[1]
    y.mul_(2)
    row[0] = 9
    return y + row


def test_views_follow_each_other():
    assert_same(transposed, torch.randn(4, 4))


def test_dicts_are_bound_by_key():
    compiled = poptorch.inferenceModel(Of(lambda m, d: d["a"] - d["b"] * 2))
    a, b = torch.tensor([10.0]), torch.tensor([3.0])
    assert compiled({"a": a, "b": b}).item() == 4
    assert compiled({"b": b, "a": a}).item() == 4
    with pytest.raises(poptorch.Error, match="mismatch for args_0\\['c'\\]"):
        compiled({"a": a, "b": b, "c": b})
    named = poptorch.inferenceModel(Of(lambda m, **d: d["a"] - d["b"] * 2))
    assert named(a=a, b=b).item() == 4 and named(b=b, a=a).item() == 4


def test_other_numbers_are_refused():
    compiled = poptorch.inferenceModel(Of(lambda m, x, factor: x * factor))
    assert compiled(torch.ones(1), 2).item() == 2
    with pytest.raises(poptorch.Error, match="mismatch for args_1: expected 2 but got 3"):
        compiled(torch.ones(1), 3)


def branch(m, x):
    if x.sum() > 0:
        return x + 1
    return x - 1


BRANCHES = {
    "condition": branch,
    "item": lambda m, x: x * x.sum().item(),
    "int": lambda m, x: x * int(x.sum()),
    "range": lambda m, x: sum((x for _ in range(int(m.n) + 1)), x),
    "tolist": lambda m, x: x * x.tolist()[0],
    "equal": lambda m, x: x if torch.equal(x, x * 2) else x * 3,
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_on_values_are_errors(name):
    compiled = poptorch.inferenceModel(Of(BRANCHES[name], n=torch.ones(())))
    with pytest.raises(poptorch.Error, match=r"static graph.*semantics_test\.py:\d+: "):
        compiled(torch.ones(3))


def test_branches_on_shapes_are_not():
    def forward(m, x):
        if x.shape[0] > 1 and len(x) == 3 and x.numel() == 3:
            x = x + x.size(0)
        limit = torch.tensor(2.0)
        return x * 2 if limit > 1 else x

    assert_same(forward, torch.ones(3))


WRONG_FORMS = {
    "floor_divide": lambda m, x: torch.floor_divide(x, 0.3),
    "bucketize": lambda m, x: torch.bucketize(x, torch.tensor([-1.0, 0.5, 1]), right=True).float(),
    "mask of bytes": lambda m, x: x.clone().index_put(
        (torch.tensor([1, 0, 1, 0], dtype=torch.bool), ), torch.tensor(5.0)),
    "p distance": lambda m, x: F.pairwise_distance(x, x.flip(0) * 2, p=1),
    "cdist": lambda m, x: torch.cdist(x, x.flip(0) * 2, p=3),
}


@pytest.mark.parametrize("name", WRONG_FORMS)
def test_what_torch_exports_otherwise(name):
    assert_same(WRONG_FORMS[name], torch.randn(4, 3))


@pytest.mark.filterwarnings("ignore")
def test_masks_of_bytes():
    mask = torch.tensor([1, 0, 1, 0], dtype=torch.uint8)
    assert_same(lambda m, x: x.clone().index_put((mask, ), torch.tensor(5.0)), torch.randn(4, 3))


def test_constants_that_change_compile_again():
    model = Of(lambda m, x: x[:, m.rows], rows=torch.tensor([0, 2]))
    compiled = poptorch.inferenceModel(model)
    x = torch.randn(2, 3)
    assert torch.allclose(compiled(x), x[:, [0, 2]])
    model.rows.fill_(1)
    assert torch.allclose(compiled(x), x[:, [1, 1]])


def test_what_is_written_past_versions_reaches_the_machine():
    model = nn.Linear(3, 2)
    compiled = poptorch.inferenceModel(model)
    x = torch.randn(2, 3)
    compiled(x)
    model.weight.data.mul_(3)
    assert torch.allclose(compiled(x), model(x), atol=1e-4)


def test_what_is_detached_gets_no_gradient():
    def forward(m, x):
        with torch.no_grad():
            target = m.other(x) * 2
        y = m.layer(x)
        y = y + m.layer(x).detach() * y
        y[:, 0] = y[:, 1].detach()
        return mean_square(y - target)

    train(Of(forward, layer=nn.Linear(3, 3), other=nn.Linear(3, 3)), torch.randn(4, 3))


def test_padding_of_embeddings_gets_no_gradient():
    model = Of(lambda m, i: mean_square(m.table(i)), table=nn.Embedding(4, 3, padding_idx=1))
    train(model, torch.tensor([[1, 2], [3, 1]]))


def test_all_micro_batches_have_results_where_nothing_trains():
    def forward(m, x):
        y = x * 0 + 0.7
        return y, poptorch.identity_loss((m.w - y).detach(), "mean")

    options = poptorch.Options().outputMode(poptorch.OutputMode.All)
    options.Training.gradientAccumulation(3)
    model = Of(forward, w=nn.Parameter(torch.ones(2)))
    result, _ = poptorch.trainingModel(model, options, sgd(model))(torch.ones(6, 2))
    assert torch.allclose(result, torch.full((6, 2), 0.7))


def test_deviations_and_norms_of_zero_have_no_gradient():
    def forward(m, x):
        y = m.layer(x)
        y = y - y
        return mean_square(y.std(1) + y.norm(2, 1) + torch.std_mean(y, 1)[0] + m.layer(x)[:, 0])

    train(Of(forward, layer=nn.Linear(3, 3)), torch.randn(4, 3))


def test_buffers_that_are_only_written_are_state():
    def forward(m, x):
        m.last.copy_(x[0])
        return x + 1

    model = Of(forward, last=torch.zeros(3))
    x = torch.randn(2, 3)
    assert torch.allclose(poptorch.inferenceModel(model)(x), x + 1, atol=1e-4)
    assert torch.allclose(model.last, x[0])
