"""Hooks, files, arguments, element types, loops and conditions, and the machine's state of optimizers."""
import copy

import poptorch
import pytest
import torch
from torch import nn


class Calls(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *operands, **named):
        return self.function(*operands, **named)


class Fits(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)
        self.loss = nn.MSELoss()

    def forward(self, x, y=None):
        made = self.linear(x)
        return made if y is None else (made, self.loss(made, y))


def on_ipu(function, *operands, **named):
    return poptorch.inferenceModel(Calls(function))(*operands, **named)


def test_hooks_are_called_around_each_compilation_until_removed():
    calls = []
    handles = [poptorch.registerPreCompileHook(lambda: calls.append("before")),
               poptorch.registerPostCompileHook(lambda: calls.append("after"))]
    on_ipu(lambda x: x + 1, torch.ones(2))
    for handle in handles:
        handle.remove()
    on_ipu(lambda x: x + 1, torch.ones(2))
    assert calls == ["before", "after"]
    with pytest.raises(RuntimeError, match="must be callable"):
        poptorch.registerPreCompileHook("x")


@pytest.mark.parametrize("export", [True, False])
def test_a_file_makes_the_same_model(tmp_path, export):
    model, x, y = Fits(), torch.rand(3, 4), torch.rand(3, 2)
    options = poptorch.Options().useOfflineIpuTarget()
    poptorch.trainingModel(model, options).compileAndExport(str(tmp_path / "kept"), x, y, export_model=export)
    other = copy.deepcopy(model)
    poptorch.trainingModel(other)(x, y)
    if export:
        program = poptorch.load(str(tmp_path / "kept"), edit_opts_fn=lambda o: o.deviceIterations(1))
    else:
        with pytest.raises(poptorch.Error, match="has no module"):
            poptorch.load(str(tmp_path / "kept"))
        program = poptorch.trainingModel(model)
        program.loadExecutable(str(tmp_path / "kept"))
    assert program.isCompiled()
    program(x, y)
    assert torch.equal(program.model.linear.weight, other.linear.weight)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text").write_text("no model")
    with pytest.raises(poptorch.Error, match="is not a file of"):
        poptorch.load(str(tmp_path / "text"))
    with pytest.raises(poptorch.Error, match="no such file"):
        poptorch.load(str(tmp_path / "none"))


@pytest.mark.parametrize("call, said", [
    (lambda p, x: p(x.int(), [x], n=2), "Type mismatch for x: expected torch.float32 but got torch.int32"),
    (lambda p, x: p(x[:1], [x], n=2), r"Shape mismatch for x: expected torch.Size\(\[2\]\) but got"),
    (lambda p, x: p(x, [x, x], n=2), "Length mismatch for parts: expected 1 but got 2"),
    (lambda p, x: p(x, (x, ), n=2), "Type mismatch for parts: expected <class 'list'>"),
    (lambda p, x: p(x, [x], n=3), "Value mismatch for n: expected 2 but got 3"),
    (lambda p, x: p(x, [x], n=2, more=x), "Unexpected arguments: more"),
    (lambda p, x: p(x, n=2), "Mandatory parameter parts missing")])
def test_arguments_must_be_those_of_the_compiled_model(call, said):

    class Adds(nn.Module):
        def forward(self, x, parts, n=1, **named):
            return sum(parts, x) * n

    program, x = poptorch.inferenceModel(Adds()), torch.ones(2)
    program(x, [x], n=2)
    with pytest.raises(poptorch.Error, match=said):
        call(program, x)
    assert torch.equal(program(x, [x], n=2), torch.full((2, ), 4.0))


def test_tensors_that_are_defaults_may_be_given_later():

    class Scales(nn.Module):
        def forward(self, x, factor=torch.tensor([3.0])):
            return x * factor

    program = poptorch.inferenceModel(Scales())
    assert program(torch.ones(1)) == 3 and program(torch.ones(1), factor=torch.tensor([5.0])) == 5


HALF = torch.ones(3, dtype=torch.half)


@pytest.mark.parametrize("function, operand, kind", [
    (lambda x: x * 2, HALF, torch.half), (lambda x: x + torch.ones(3), HALF, torch.float),
    (lambda x: x.float(), HALF, torch.float), (lambda x: torch.rand(3, dtype=x.dtype), HALF, torch.half),
    (lambda x: x > 0, HALF, torch.bool), (torch.argmax, torch.rand(3), torch.int32),
    (lambda x: x * 2, torch.ones(3, dtype=torch.float64), torch.float)])
def test_results_have_the_types_of_the_machine(function, operand, kind):
    assert on_ipu(function, operand).dtype == kind


@pytest.mark.parametrize("weights, given", [(torch.half, torch.float), (torch.float, torch.half)])
def test_a_product_has_the_type_of_its_operand(weights, given):
    layer = nn.Linear(3, 2).to(weights)
    assert poptorch.inferenceModel(layer)(torch.ones(1, 3, dtype=given)).dtype == given


def test_the_body_of_a_loop_gets_copies():
    x = torch.ones(2)
    assert torch.equal(on_ipu(lambda x: poptorch.for_loop(3, lambda y: y.add_(1), [x])[0], x), torch.full((2, ), 4.0))
    assert torch.equal(x, torch.ones(2))
    with pytest.raises(ValueError, match="index 0 is not torch.tensor"):
        on_ipu(lambda x: poptorch.for_loop(3, lambda y: y, [1]), x)


@pytest.mark.parametrize("name", ["for_loop", "cond"])
def test_control_flow_is_not_for_training(name):

    class Model(Fits):
        def forward(self, x, y):
            made = super().forward(x)
            if name == "for_loop":
                made = poptorch.for_loop(2, lambda z: z * 2, [made])[0]
            else:
                made = poptorch.cond(y.sum() > 0, lambda z: z, [made], lambda z: -z, [made])[0]
            return made, self.loss(made, y)

    with pytest.raises(poptorch.Error, match=rf"poptorch.{name}\(\) is only supported in inference"):
        poptorch.trainingModel(Model())(torch.rand(3, 4), torch.rand(3, 2))


@pytest.mark.parametrize("holds", [True, False])
def test_a_condition_selects_results(holds):

    def choose(condition, x):
        return poptorch.cond(condition, lambda y: (y.add_(1), y * 2), [x], lambda y: (y - 1, x), [x])

    condition, x = torch.tensor([holds]), torch.tensor([3.0, 4.0])
    program = poptorch.inferenceModel(Calls(choose))
    program(torch.tensor([not holds]), x)
    wanted = choose(condition, x)
    assert all(torch.equal(a, b) for a, b in zip(wanted, program(condition, x)))
    assert torch.equal(x, torch.tensor([3.0, 4.0]))


@pytest.mark.parametrize("size, said", [(0, "must be different"), (-1, "end less than the start"),
                                        (3, r"size of the slice \(3\) must be a factor")])
def test_slices_of_other_sizes_are_refused(size, said):
    with pytest.raises(poptorch.Error, match=said):
        poptorch.dynamic_slice(torch.rand(8), 0, torch.tensor([0]), size, 1)


def test_a_slice_is_replaced_wherever_it_begins():
    program = poptorch.inferenceModel(Calls(lambda x, part, i: poptorch.dynamic_update(x, part, 1, i, 2)))
    x, part = torch.rand(3, 5), torch.rand(3, 2)
    program.compile(x, part, torch.tensor([900]))  # a place that does not exist is no error yet
    for start in (0, 3):
        wanted = x.clone()
        wanted[:, start:start + 2] = part
        assert torch.equal(program(x, part, torch.tensor([start])), wanted)


class Own(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.register_buffer("kept", torch.ones(2))
        self.change = change

    def forward(self, x):
        self.change(self, x)
        return x + 1


def removed(m, x):
    del m._buffers["kept"]


def replaced(m, x):
    m.kept = x


def added(m, x):
    m.kept += x


@pytest.mark.parametrize("change, replicas, said", [(removed, 1, "Buffer kept is removed"), (replaced, 1, "is reassigned"),
                                                    (added, 2, "does not support broadcasting buffers")])
def test_changes_of_buffers_that_are_refused(change, replicas, said):
    with pytest.raises(poptorch.Error, match=said):
        poptorch.inferenceModel(Own(change), poptorch.Options().replicationFactor(replicas))(torch.ones(2 * replicas))


def test_options_are_fixed_once_a_model_has_them():
    options = poptorch.Options().deviceIterations(2)
    program = poptorch.inferenceModel(nn.Linear(2, 2), options)
    for change in (lambda o: o.deviceIterations(3), lambda o: o.Training.gradientAccumulation(2),
                   lambda o: o._Popart.set("autoRecomputation", 1)):
        with pytest.raises(AttributeError, match="Can't modify frozen"):
            change(options)
        with pytest.raises(AttributeError, match="Can't modify frozen"):
            change(program.options)
        change(options.clone())
        change(copy.deepcopy(options))


def test_default_options_are_calls(monkeypatch):
    monkeypatch.setenv("POPTORCH_DEFAULT_OPTIONS",
                       '{"deviceIterations": 3, "Training.gradientAccumulation": 4, "output_return_period": 2, '
                       '"connectionType": "ConnectionType.OnDemand"}')
    options = poptorch.Options()
    assert options.device_iterations == 3 and options.Training.gradient_accumulation == 4
    assert options.output_return_period == 2 and options.connection_type == poptorch.ConnectionType.OnDemand


@pytest.mark.parametrize("kind", [poptorch.optim.Adam, poptorch.optim.AdamW, poptorch.optim.LAMB])
@pytest.mark.parametrize("corrects", [True, False])
def test_updates_with_and_without_bias_correction_are_those_of_the_host(kind, corrects):
    model = Fits()
    other, x, y = copy.deepcopy(model), torch.rand(3, 4), torch.rand(3, 2)
    program = poptorch.trainingModel(model, None, kind(model.parameters(), lr=0.05, bias_correction=corrects))
    optimizer = kind(other.parameters(), lr=0.05, bias_correction=corrects)
    for _ in range(4):
        program(x, y)
        optimizer.zero_grad()
        other(x, y)[1].backward()
        optimizer.step()
    assert torch.allclose(model.linear.weight, other.linear.weight, atol=1e-5)


def test_the_norm_of_weights_is_bounded_in_the_ratio_of_lamb():
    model = Fits()
    other, x, y = copy.deepcopy(model), torch.rand(3, 4), torch.rand(3, 2)
    program = poptorch.trainingModel(model, None, poptorch.optim.LAMB(model.parameters(), 0.05, max_weight_norm=0.3))
    optimizer = poptorch.optim.LAMB(other.parameters(), 0.05, max_weight_norm=0.3)
    for _ in range(3):
        program(x, y)
        optimizer.zero_grad()
        other(x, y)[1].backward()
        optimizer.step()
    assert torch.allclose(model.linear.weight, other.linear.weight, atol=1e-5)


def test_a_loss_scaling_that_is_an_attribute_acts():
    model = Fits()
    optimizer = poptorch.optim.SGD(model.parameters(), lr=0.1)
    program = poptorch.trainingModel(model, None, optimizer)
    program(torch.rand(3, 4), torch.rand(3, 2))
    optimizer.loss_scaling = 8.0
    program.setOptimizer(optimizer)
    program(torch.rand(3, 4), torch.rand(3, 2))
    assert program._compiled.keys["lossScaling"] == "8.0"


def test_the_state_on_the_machine_goes_to_another_optimizer():
    model, x, y = Fits(), torch.rand(3, 4), torch.rand(3, 2)
    optimizer = poptorch.optim.Adam(model.parameters(), lr=0.25)
    program = poptorch.trainingModel(model, None, optimizer)
    assert optimizer.state_dict()["ipu_state"] is None
    program(x, y)
    state = optimizer.state_dict()
    name = "model.linear.weight"
    moment = state["ipu_state"][f"Accl1___{name}"]
    assert torch.equal(moment, optimizer.state[model.linear.weight]["exp_avg"])
    assert state["ipu_param"][f"learningRate___specific___{name}"] == 0.25
    fresh = poptorch.optim.Adam(model.parameters(), lr=0.25)
    fresh.load_state_dict({**state, "state": {}})  # as written by PopTorch
    assert torch.equal(fresh.state_dict()["ipu_state"][f"Accl1___{name}"], moment)
    other = copy.deepcopy(model)
    program(x, y)
    again = poptorch.optim.Adam(other.parameters(), lr=0.25)
    again.load_state_dict({**state, "state": {}})
    poptorch.trainingModel(other, None, again)(x, y)
    assert torch.equal(other.linear.weight, model.linear.weight)


@pytest.mark.parametrize("kind, error", [("PoplarRecoverableFullReset", poptorch.RecoverableError),
                                         ("PoplarUnrecoverable", poptorch.UnrecoverableError),
                                         ("PoplarLinkError", poptorch.Error)])
def test_programs_can_try_how_they_handle_errors(kind, error):
    core = poptorch.poptorch_core
    with pytest.raises(error) as raised:
        core._throwTestError(core.TestErrorType[kind])
    assert "topLevel" in raised.value.location and raised.value.type.startswith("poplar_")


def test_empty_tensors_are_refused():
    with pytest.raises(poptorch.Error, match=r"Zero-sized tensors are unsupported \(Got shape \[0, 2\]\)"):
        on_ipu(lambda x: x + 1, torch.ones(0, 2))


def test_a_mask_assigns_a_row_to_each_row_it_chooses():
    def put(x, mask, row):
        x[mask] = row
        return x

    x, mask, row = torch.rand(3, 2), torch.tensor([True, False, True]), torch.rand(2)
    wanted = put(x.clone(), mask, row)
    assert torch.equal(on_ipu(put, x.clone(), mask, row), wanted)


def test_schedulers_add_nothing_that_is_warned_of(capfd):
    model = Fits()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    program = poptorch.trainingModel(model, None, optimizer)
    program(torch.rand(3, 4), torch.rand(3, 2))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.5, 6, cycle_momentum=False)
    schedule.step()
    program.setOptimizer(optimizer)
    optimizer.surprise = 1
    program.setOptimizer(optimizer)
    warned = [line for line in capfd.readouterr().err.splitlines() if "unexpected" in line]
    assert len(warned) == 1 and "'surprise'" in warned[0]


def test_whole_numbers_that_do_not_fit_are_refused():
    found = on_ipu(lambda x: x + 1, torch.tensor([2**31 - 2, -2**31]))
    assert found.tolist() == [2**31 - 1, 1 - 2**31]
    with pytest.raises(poptorch.Error, match=f"int64 has {2**40}, but whole numbers are int32"):
        on_ipu(lambda x: x + 1, torch.tensor([1, 2**40]))
