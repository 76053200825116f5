"""Reports as frames."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import tilescope

from .conftest import BIN


def test_every_report_has_a_method(training: Path) -> None:
    profile = tilescope.open(training)
    for name in profile.reports():
        frame = getattr(profile, name)()
        assert len(frame.columns) > 1 or name == "values"  # of a run without values there are none
        assert profile.report(name).name == name


def test_reports_are_html_for_notebooks(training: Path) -> None:
    profile = tilescope.open(training)
    html = profile.report("memory")._repr_html_()
    assert "<h3>Memory</h3>" in html and "<td>" in html
    if (BIN / "tilescope-gui").exists():
        assert 'src="data:image/png;base64,iVBOR' in html
    assert "<img" not in profile.report("vertices")._repr_html_()


def test_the_summary_of_a_notebook_has_time_and_memory(training: Path, tmp_path: Path) -> None:
    html = tilescope.open(training)._repr_html_()
    said = subprocess.run([BIN / "tilescope", "info", training], capture_output=True, text=True, check=True).stdout
    for title, unit in (("Fullest tile", "KiB"), ("Always live", "MiB"), ("Time", "us")):
        value = html.split(f"<th>{title}</th><td>")[1].split("</td>")[0]
        assert value.endswith(unit) and value in said
    assert "<th>Samples per second</th>" in html
    if (BIN / "tilescope-gui").exists():
        assert 'src="data:image/png;base64,iVBOR' in html
    file = tmp_path / "<b>&.pop"
    file.write_bytes(training.read_bytes())
    assert "&lt;b&gt;&amp;.pop" in tilescope.open(file)._repr_html_()
    notRun = tilescope.run("resnet50", out=tmp_path / "out", tiles_per_ipu=64)
    assert "<th>Fits</th><td>no</td>" in notRun._repr_html_()


def test_ids_are_whole_numbers(training: Path) -> None:
    operations = tilescope.open(training).operations()
    assert str(operations["operation"].dtype) == "Int64" and operations["operation"].isna().any()
    assert operations["ipu"].dtype.kind == "i"


def test_frames_join(training: Path, inference: Path) -> None:
    trained, ran = tilescope.open(training), tilescope.open(inference)
    both = trained.operations().join(ran.operations(), rsuffix="Inference", how="inner")
    assert 0 < len(both) <= len(ran.operations())
    assert (both["name"] == both["nameInference"]).all() and (both["ipu"] == both["ipuInference"]).all()
    live = trained.query("SELECT variable, bytes AS again FROM report_variables").set_index("variable")
    joined = trained.variables().join(live)
    assert (joined["bytes"] == joined["again"]).all()
    assert trained.exchanges().merge(trained.operations(), left_on="operation", right_on="name").shape[0] > 0


def test_a_profile_is_closed_by_with(training: Path) -> None:
    with tilescope.open(training) as profile:
        assert profile.info["fits"]
    with pytest.raises(tilescope.ProfileError, match="is closed"):
        profile.operations()


def test_a_pickled_profile_is_its_path(training: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(training.parent)
    pickled = pickle.dumps(tilescope.open(training.name))
    monkeypatch.chdir("/")
    assert len(pickled) < 500
    assert pickle.loads(pickled).info == tilescope.open(training).info


def test_comparing(training: Path, inference: Path) -> None:
    comparison = tilescope.diff(inference, tilescope.open(training), fail_if="cycles>+1%")
    assert not comparison and not comparison.same and "cycles>+1%" in comparison.exceeded[0]
    cycles = tilescope.open(training).info["cycles"]
    assert comparison.frame.loc["cycles", "target"] == cycles
    assert comparison.tables["operations"].frame["state"].isin(["changed", "added", "removed"]).any()
    assert "Different" in comparison._repr_html_() and "Exceeded" in comparison._repr_html_()
    same = tilescope.open(inference).diff(inference, fail_if=["cycles>+1%", "maxTile>+1%"])
    assert same and same.same and same.exceeded == []
    with pytest.raises(tilescope.ProfileError, match="cylces"):
        tilescope.diff(inference, training, fail_if="cylces>+1%")


def test_sweeping(tmp_path: Path) -> None:
    sweep = tilescope.sweep("mlp", {"batch_size": [1, 2], "precision": ["float", "half"]}, out=tmp_path / "sweep",
                            device_iterations=2)
    frame = sweep.frame
    assert list(frame["batchSize"]) == [1, 1, 2, 2] and set(frame["status"]) == {"fits"}
    assert sweep.errors == 0 and os.path.exists(sweep.database)
    again = tilescope.sweep("mlp", {"batchSize": "1:2:1", "precision": "float,half"}, out=tmp_path / "sweep",
                            deviceIterations=2)
    assert (again.frame == frame).to_numpy()[:, :4].all() and "<td>float</td>" in again._repr_html_()
    with pytest.raises(tilescope.ProfileError, match="batchSizes"):
        tilescope.sweep("mlp", {"batchSizes": [1]}, out=tmp_path / "wrong")


def test_trying(tmp_path: Path) -> None:
    profile = tilescope.run("mlp", out=tmp_path / "run")
    trials = profile.try_(out=tmp_path / "tried")
    assert {"change", "predicted", "gained", "verdict"} <= set(trials.columns)
    assert all(tilescope.open(file).info["model"] == "mlp" for file in trials["profile"])


def test_exporting(training: Path, tmp_path: Path) -> None:
    profile = tilescope.open(training)
    trace = json.loads(profile.export("chrome-trace", tmp_path / "trace.json", start=0, end=5000).read_text())
    assert trace["traceEvents"]
    folder = tilescope.export(training, "csv", tmp_path / "csv")
    assert (folder / "operations.csv").read_text().startswith("name,operation,ipu")
    assert "digraph" in profile.export("dot", tmp_path / "graph.dot", expand="all").read_text()
    with pytest.raises(tilescope.ProfileError, match="unknown format 'svg'"):
        profile.export("svg", tmp_path / "x.svg")


def test_what_is_built_in() -> None:
    assert "resnet50" in tilescope.models().index
    machines = tilescope.targets()
    assert machines.loc["mk2", "tilesPerIpu"] == 1472
    assert {"value", "source"} <= set(tilescope.targets("mk2").columns)
    with pytest.raises(tilescope.ProfileError, match="no machine 'mk3'.*mk2"):
        tilescope.targets("mk3")
    assert "CREATE TABLE" in tilescope.schema() and "CREATE TABLE" in tilescope.schema("sweep")
    assert "batchSize" in tilescope.schema("job")["properties"]
    assert "clockHz" in tilescope.schema("target")["properties"]["constants"]["properties"]
    with pytest.raises(tilescope.ProfileError, match="no schema of 'file'"):
        tilescope.schema("file")
    said = subprocess.run([BIN / "tilescope", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"TileScope {tilescope.__version__}\n"


def test_running_a_model(tmp_path: Path) -> None:
    profile = tilescope.run("mnist-tutorial", out=tmp_path / "run", batch_size=2, precision="half")
    assert profile.info["fits"] and profile.info["batchSize"] == 2
    assert profile.info["options"]["precision"] == "half"
    with pytest.raises(tilescope.ProfileError, match="no built-in model 'mnist-tutorail'"):
        tilescope.run("mnist-tutorail", out=tmp_path / "wrong")
    with pytest.raises(tilescope.ProfileError, match="batchSizes"):
        tilescope.run("mnist-tutorial", out=tmp_path / "wrong", batch_sizes=2)


@pytest.mark.parametrize("name", ["operations", "vertices", "exchanges", "variables"])
def test_frames_are_what_the_command_line_says(training: Path, name: str) -> None:
    done = subprocess.run([BIN / "tilescope", "report", training, name, "--json"], capture_output=True, text=True,
                          check=True)
    said = json.loads(done.stdout)
    report = tilescope.open(training).report(name)
    table = next(iter(report.tables.values()))
    rows = said[table.key]
    assert len(rows) == len(table.rows)
    for row, expected in zip(table.rows, rows):
        for key, value in zip(table.columns, row):
            assert value == pytest.approx(expected[key]) if isinstance(value, float) else value == expected[key]


def test_units_are_with_the_frame(training: Path) -> None:
    frame = tilescope.open(training).exchanges()
    assert frame.attrs["units"]["bytesReceived"] == "bytes"
    assert frame["cycles"].dtype.kind == "i"


def test_requests(training: Path) -> None:
    profile = tilescope.open(training)
    everywhere = profile.variables()["bytes"].sum()
    assert 0 < profile.variables(tile=3)["bytes"].sum() < everywhere
    with pytest.raises(tilescope.ProfileError, match="takes no 'step'"):
        profile.report("variables", step=1)
    with pytest.raises(tilescope.ProfileError, match="no report 'memry'.*memory"):
        profile.report("memry")
    with pytest.raises(tilescope.ProfileError):
        profile.variables(tile=1_000_000)


def test_numbers_count_from_0(training: Path) -> None:
    profile = tilescope.open(training)
    for request in ({"tile": -1}, {"ipu": -1}):
        with pytest.raises(tilescope.ProfileError, match="there is no .* -1: they are counted from 0"):
            profile.memory(**request)
    with pytest.raises(tilescope.ProfileError, match="there is no step -1"):
        profile.liveness(step=-1)


def test_a_folder_is_its_profile(tmp_path: Path) -> None:
    made = tilescope.run("mlp", out=tmp_path / "-out")
    assert tilescope.open(tmp_path / "-out").path == made.path
    assert repr(made) == f"<Profile {made.path!r}: 'mlp' on {made.target['name']}>"


def test_what_no_option_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tilescope.ProfileError, match=r"learningRate.*'nan' is not a number"):
        tilescope.run("mlp", out="out", mode="training", learning_rate=float("nan"))
    if (BIN / "tilescope-gui").exists():
        with pytest.raises(tilescope.ProfileError, match="--help"):
            tilescope.show("--help")


def test_names_command_no_terminal(training: Path, tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[31mb.pop"
    file.write_bytes(training.read_bytes())
    assert "\x1b" not in repr(tilescope.open(file))


def test_sql(training: Path) -> None:
    profile = tilescope.open(training)
    frame = profile.query("SELECT name, measuredCycles FROM report_operations ORDER BY measuredCycles DESC LIMIT 3")
    assert list(frame.columns) == ["name", "measuredCycles"] and len(frame) == 3
    with pytest.raises(tilescope.ProfileError):
        profile.query("DROP TABLE programs")


def test_without_pandas(training: Path) -> None:
    code = ("import sys; sys.modules['pandas'] = None; import tilescope; "
            f"rows = tilescope.open({str(training)!r}).exchanges(); print(type(rows).__name__, sorted(rows[0])[0])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["list", "bytesReceived"]


def test_pandas_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, pva, tilescope; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_window_is_opened_at_a_place(training: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (BIN / "tilescope-gui").exists():
        pytest.skip("there is no window in this build")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    name = tilescope.open(training).query("SELECT name FROM report_operations LIMIT 1")["name"][0]
    window = tilescope.show(training, view="trace", select={"operation": name}, range=(1000, 2000), compare=training)
    try:
        assert window.args[1:] == [str(training), "--view=trace", f"--select=operation={name}", "--range=1000:2000",
                                   f"--compare={training}"]
        assert window.poll() is None
    finally:
        window.terminate()
        window.wait()
    for wrong, text in (({"view": "tracks"}, "unknown view 'tracks': it can be"),
                        ({"view": "trace", "select": name + "x"}, f"no operation or step '{name}x'. Did you mean"),
                        ({"range": (1, 2)}, "the view 'summary' has no axis"),
                        ({"view": "trace", "range": "2:1"}, "--range needs FROM:TO"),
                        ({"compare": "nowhere.pop"}, "nowhere.pop")):
        with pytest.raises(tilescope.ProfileError, match=text):
            tilescope.show(training, **wrong)
    with pytest.raises(tilescope.ProfileError, match="not both"):
        tilescope.show(training, training, compare=training)


def test_threads_of_scripts_sleep_while_they_wait_unless_told_otherwise(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    environment = {"PATH": "/usr/bin:/bin", "TILESCOPE_PYTHON": sys.executable}
    for given, wanted in (({}, "passive"), ({"OMP_WAIT_POLICY": "active"}, "active")):
        script.write_text("import os; print(os.environ['OMP_WAIT_POLICY'])")
        done = subprocess.run([BIN / "tilescope", "python", script], capture_output=True, text=True,
                              env={**environment, **given}, check=True)
        assert done.stdout.strip() == wanted
        packages = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.environ["PYTHONPATH"], **given}
        script.write_text("import popart")
        done = subprocess.run([sys.executable, script], capture_output=True, text=True,
                              env={**packages, "OMP_DISPLAY_ENV": "verbose"}, check=True)
        assert ("GOMP_SPINCOUNT = '0'" in done.stderr) == (wanted == "passive"), done.stderr


def test_the_program_starts_scripts_with_the_packages(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import pva, sys; print(pva.__name__, sys.argv[1:])")
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path), "TILESCOPE_PYTHON": sys.executable}
    command = [BIN / "tilescope", "python", script, "--help", "-x", "a b"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "pva ['--help', '-x', 'a b']\n"
    environment["TILESCOPE_PYTHON"] = "/nothing/python"
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2 and "cannot start '/nothing/python'" in done.stderr
    done = subprocess.run([BIN / "tilescope", "python", "--help"], capture_output=True, text=True, check=True)
    assert "Starts a Python script" in done.stdout
