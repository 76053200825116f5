"""Operations with a declared cost: timed, and refused when values are needed."""
import json

import poptorch
import pytest
import tilescope
import torch
from torch import nn

DECLARED = {"custom.ops.Cube": {"vertex": "Cube<float>", "inputs": ["like-result"], "codeBytes": 200,
                                "cycles": "20 + workers * (17 + 200 * ceil(n / workers / 2))",
                                "flops": "2 * N"}}


class WithCube(nn.Module):
    """A linear layer before the operation."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 32)

    def forward(self, x):
        x = self.linear(x)
        return poptorch.custom_op([x], "Cube", "custom.ops", 1, example_outputs=[x],
                                  attributes={"alpha": 0.5})[0]


@pytest.fixture(name="declared")
def declared_operations(tmp_path, monkeypatch):
    file = tmp_path / "operations.json"
    file.write_text(json.dumps(DECLARED))
    monkeypatch.setenv("TILESCOPE_CUSTOM_OPERATIONS", str(file))
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true"}))


def test_it_is_timed(declared, monkeypatch):
    monkeypatch.setenv("TILESCOPE_POPTORCH_RUN", "time")
    result = poptorch.inferenceModel(WithCube())(torch.rand(4, 64))
    assert result.shape == (4, 32) and not result.any()
    profile = tilescope.open("inference/profile.pop")
    rows = profile.query("SELECT type, estimatedCycles AS cycles, flops FROM report_operations WHERE type = 'Cube'")
    assert len(rows) == 1 and rows["flops"][0] == 2 * 4 * 32
    # One element a tile at most: 20 + 6 * (17 + 200 * 1) cycles on six workers, and its exchange.
    assert 1322 <= rows["cycles"][0] < 3000
    vertices = profile.query("SELECT name FROM report_vertices WHERE name LIKE 'Cube%'")
    assert list(vertices["name"]) == ["Cube<float>"]


def test_its_values_are_refused_by_name(declared):
    model = poptorch.inferenceModel(WithCube())
    with pytest.raises(poptorch.Error, match="Cube"):
        model(torch.rand(4, 64))


def test_without_a_declaration_it_is_refused_by_name():
    with pytest.raises(poptorch.Error, match="Cube"):
        poptorch.inferenceModel(WithCube())(torch.rand(4, 64))


def test_what_is_not_simulated_of_it_is_refused():
    x = torch.rand(4, 64)
    with pytest.raises(poptorch.Error, match="custom_op 'Two' has 2 results"):
        poptorch.custom_op([x], "Two", "custom.ops", 1, example_outputs=[x, x])
