"""Lines of the program in profiles."""
import json
import linecache
import os

import poptorch
import pva
import pytest
import tilescope
import torch

PROGRAM = '''
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 16)
        self.second = nn.Linear(16, 4)
        self.loss = nn.MSELoss()

    def forward(self, x, y):
        x = self.first(x)
        x = torch.relu(x)
        x = helper(self.second, x)
        return x, self.loss(x, y)


def helper(layer, x):
    return layer(x)
'''


def line_of(text):
    return 1 + PROGRAM[:PROGRAM.index(text)].count("\n")


def net_in(path, program=PROGRAM):
    """The module, as if it came from a file."""
    names = {}
    exec(compile(program, str(path), "exec"), names)  # pylint: disable=exec-used
    torch.manual_seed(0)
    return names["Net"]()


@pytest.fixture(name="net")
def net_of_a_file(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(PROGRAM)
    return net_in(path)


def trained(net, monkeypatch, options=None):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true"}))
    optimizer = poptorch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    model = poptorch.trainingModel(net, options, optimizer)
    model(torch.rand(2, 16), torch.rand(2, 4))
    return tilescope.open("training/profile.pop")


def rows_of(profile, sql):
    return list(profile.query(sql).itertuples(index=False, name=None))


def lines_of(profile):
    """Cycles of each line by pass, of the rows with a line."""
    return {
        path: cycles
        for path, *cycles in rows_of(
            profile, "SELECT path, sum(forwardCycles), sum(backwardCycles), sum(updateCycles) "
            "FROM report_source WHERE kind IS NULL GROUP BY path")
    }


def test_each_line_has_its_passes(net, monkeypatch):
    lines = lines_of(trained(net, monkeypatch))
    files = {path.rsplit(":", 1)[0].rsplit("/", 1)[-1] for path in lines}
    assert files == {"net.py", os.path.basename(__file__)}
    cost = {int(path.rsplit(":", 1)[1]): cycles for path, cycles in lines.items() if "net.py" in path}
    for text in ("x = self.first", "x = torch.relu", "return layer(x)", "return x, self.loss"):
        assert cost[line_of(text)][0] > 0, text
        assert cost[line_of(text)][1] > 0, text
    assert sum(cost[line_of("x = helper")]) == 0  # its operations are those of the helper's line
    profile = tilescope.open("training/profile.pop").source()
    total = {row.line: row.inclusiveCycles for row in profile.itertuples() if "net.py:" in row.path}
    assert total[line_of("x = helper")] == total[line_of("return layer(x)")] == sum(cost[line_of("return layer(x)")])
    # Other lines of this file only wait for the host.
    updates = [cycles for path, cycles in lines.items() if os.path.basename(__file__) in path and sum(cycles) > 0]
    assert len(updates) == 1


def test_pva_has_the_line_of_an_operation(net, monkeypatch, tmp_path):
    trained(net, monkeypatch)
    report = pva.openReport("training/profile.pop")
    places = {
        operation.debugContext.location
        for operation in pva.OperationAnalysis(report).operations
        if "relu" in operation.name.lower() and "grad" not in operation.name.lower()
    }
    assert (str(tmp_path / "net.py"), line_of("x = torch.relu"), "forward") in places


def texts_of(profile):
    """Sizes of the texts by path."""
    return dict(rows_of(profile, "SELECT path, bytes FROM source_files WHERE origin = 'mine'"))


@pytest.mark.parametrize("choice, kept", [("text", True), ("lines", False)])
def test_texts_are_kept_as_the_environment_says(net, monkeypatch, tmp_path, choice, kept):
    monkeypatch.setenv("TILESCOPE_SOURCE", choice)
    texts = texts_of(trained(net, monkeypatch))
    assert (texts[str(tmp_path / "net.py")] == len(PROGRAM)) == kept


def test_off_records_no_lines(net, monkeypatch):
    monkeypatch.setenv("TILESCOPE_SOURCE", "off")
    profile = trained(net, monkeypatch)
    assert not rows_of(profile, "SELECT * FROM source_frames")


def test_another_choice_is_refused(net, monkeypatch):
    monkeypatch.setenv("TILESCOPE_SOURCE", "all")
    with pytest.raises(poptorch.Error, match="TILESCOPE_SOURCE: 'all' is not one of text, lines, off"):
        trained(net, monkeypatch)


def test_texts_of_libraries_are_never_kept(net, monkeypatch):
    profile = trained(net, monkeypatch)
    assert not rows_of(profile, "SELECT * FROM source_files WHERE origin = 'library' AND text IS NOT NULL")


def test_excluded_files_are_libraries(net, monkeypatch):
    options = poptorch.Options().appendToLocationExcludes("/net.py")
    profile = trained(net, monkeypatch, options)
    assert not [path for path in texts_of(profile) if path.endswith("net.py")]
    assert all("net.py" not in path for path in lines_of(profile))


def test_a_file_that_is_no_text_does_no_harm(net, monkeypatch, tmp_path):
    (tmp_path / "net.py").write_bytes(b"\xff\xfe\x00" * 100)
    assert lines_of(trained(net, monkeypatch))


def test_a_file_that_was_deleted_has_lines_and_no_text(net, monkeypatch, tmp_path):
    (tmp_path / "net.py").unlink()
    profile = trained(net, monkeypatch)
    assert texts_of(profile)[str(tmp_path / "net.py")] == 0
    assert any("net.py" in path for path in lines_of(profile))


def test_the_text_of_a_large_file_is_left_out(monkeypatch, tmp_path):
    path = tmp_path / "net.py"
    program = PROGRAM + "# more\n" * 200000
    path.write_text(program)
    assert texts_of(trained(net_in(path, program), monkeypatch))[str(path)] == 0


def make_pipe(path):
    os.mkfifo(path)


def make_folder(path):
    path.mkdir()


def make_endless(path):
    path.symlink_to("/dev/zero")


def make_sparse(path):
    with open(path, "wb") as file:
        file.truncate(1 << 40)


def make_loop(path):
    path.symlink_to(path)


@pytest.mark.parametrize("make", [make_pipe, make_folder, make_endless, make_sparse, make_loop])
def test_what_is_no_file_is_not_read(monkeypatch, tmp_path, make):
    path = tmp_path / "net.py"
    make(path)
    linecache.clearcache()
    profile = trained(net_in(path), monkeypatch)
    assert texts_of(profile)[str(path)] == 0
    assert sum(sum(cycles) for cycles in lines_of(profile).values()) > 0


def test_a_file_that_became_shorter_keeps_its_lines(net, monkeypatch, tmp_path):
    (tmp_path / "net.py").write_text("# all gone\n")
    linecache.clearcache()
    profile = trained(net, monkeypatch)
    assert texts_of(profile)[str(tmp_path / "net.py")] == len("# all gone\n")
    lines = [int(path.rsplit(":", 1)[1]) for path in lines_of(profile) if "net.py" in path]
    assert max(lines) == line_of("return layer(x)")


@pytest.mark.parametrize("name", ["a(3): b.py", "a\nb.py", "\u202enet.py", "<ipython-input-1-ab>", "x" * 5000, "%s{}"])
def test_any_name_of_a_file_is_harmless(monkeypatch, name):
    profile = trained(net_in(name), monkeypatch)
    assert sum(sum(cycles) for cycles in lines_of(profile).values()) > 0


def test_a_kept_program_has_the_lines_of_the_present_file(monkeypatch, tmp_path):
    options = poptorch.Options().enableExecutableCaching(str(tmp_path / "kept"))
    path = tmp_path / "net.py"
    found = []
    for program in (PROGRAM, "# one line more\n" + PROGRAM):
        path.write_text(program)
        linecache.clearcache()
        lines = lines_of(trained(net_in(path, program), monkeypatch, options))
        found.append({int(key.rsplit(":", 1)[1]) for key in lines if "net.py" in key})
    assert len(list((tmp_path / "kept").iterdir())) == 1
    assert found[1] == {line + 1 for line in found[0]}


def test_values_are_the_same_without_lines(net, monkeypatch):
    data = torch.rand(2, 16), torch.rand(2, 4)
    results = []
    for choice in ("text", "off"):
        monkeypatch.setenv("TILESCOPE_SOURCE", choice)
        results.append(poptorch.inferenceModel(net)(*data)[0])
    assert torch.equal(*results)


def piped(options, training):
    options.setExecutionStrategy(poptorch.PipelinedExecution())
    if training:
        options.Training.gradientAccumulation(4)
    else:
        options.deviceIterations(4)


def recomputed(options, training):
    options._Popart.set("autoRecomputation", 3)  # pylint: disable=protected-access
    piped(options, training)


def sharded(options, _):
    options.setExecutionStrategy(poptorch.ShardedExecution())


def replicated(options, _):
    options.replicationFactor(2).deviceIterations(3)


#: How a net runs: the number of its IPUs, micro-batches in a call, and what sets the options.
EXECUTIONS = {
    "one IPU": (1, 1, lambda options, training: None),
    "pipelined": (2, 4, piped),
    "recomputed": (2, 4, recomputed),
    "sharded": (2, 1, sharded),
    "replicated": (1, 6, replicated)
}


@pytest.mark.parametrize("training", [True, False], ids=["training", "inference"])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_costs_are_never_lost(net, monkeypatch, assert_sums, execution, training):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true"}))
    ipus, batches, choose = EXECUTIONS[execution]
    options = poptorch.Options()
    choose(options, training)
    if ipus == 2:
        net.first = poptorch.BeginBlock(net.first, "0", ipu_id=0)
        net.second = poptorch.BeginBlock(net.second, "1", ipu_id=1)
    data = torch.rand(2 * batches, 16), torch.rand(2 * batches, 4)
    if training:
        poptorch.trainingModel(net, options, poptorch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9))(*data)
    else:
        poptorch.inferenceModel(net.eval(), options)(*data)
    assert_sums(("training" if training else "inference") + "/profile.pop")
