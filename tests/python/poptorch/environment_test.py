"""Invalid environment variables are reported with variable, key and remedy, in every program."""
import json
import os
import subprocess
import sys

import poptorch
import pytest
import torch
from poptorch import _logging

def call_a_model():
    poptorch.inferenceModel(torch.nn.Linear(2, 2), poptorch.Options())(torch.rand(1, 2))


def refusal_of(monkeypatch, **variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(poptorch.Error) as error:
        call_a_model()
    return error.value.message


def record(**variables):
    """A program that records an event, in its own process, as libpvti reads its variable once."""
    program = "import libpvti as p; p.Tracepoint.event(p.createTraceChannel('mine'), 'now')"
    return subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False,
                          env={**os.environ, **variables})


def a_file(folder):
    file = folder / "file"
    file.write_text("")
    return str(file)


@pytest.mark.parametrize("value, words", [("{", ["not valid JSON", '{"enable":"true"}']),
                                          ("[1]", ["a JSON object is needed"]),
                                          ('{"directory": 3}', ["key 'directory'", "name one"])])
def test_what_libpvti_cannot_read(value, words):
    done = record(PVTI_OPTIONS=value)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and "JSONDecodeError" not in done.stderr
    for word in ["ValueError: environment variable PVTI_OPTIONS", *words]:
        assert word in last


@pytest.mark.parametrize("variable, value, words", [
    ("POPLAR_ENGINE_OPTIONS", "{", ["not valid JSON", "it ends too early"]),
    ("POPLAR_ENGINE_OPTIONS", "[]", ["a JSON object such as"]),
    ("POPLAR_ENGINE_OPTIONS", '{"a": [1]}', ["'a'", "must be text, a number"]),
    ("POPTORCH_DEFAULT_OPTIONS", "{", ["not valid JSON", "device_iterations"]),
    ("POPTORCH_DEFAULT_OPTIONS", '{"deviceIteration": 4}', ["no option", "'deviceIterations'"]),
    ("OMPI_COMM_WORLD_SIZE", "two", ["'two' is not a whole number"]),
    ("TILESCOPE_POPTORCH_CHECK", "second", ["neither 'first'", "'off'"]),
    ("TILESCOPE_POPTORCH_RUN", "fast", ["neither 'compute'"]),
    ("TILESCOPE_POPTORCH_VALUES", "some", ["none of 'all'"]),
])
def test_values_that_cannot_be_read(variable, value, words, monkeypatch):
    said = refusal_of(monkeypatch, **{variable: value})
    for word in [f"environment variable {variable}", *words]:
        assert word in said


def test_a_folder_of_profiles_that_cannot_be_made(tmp_path, monkeypatch):
    options = json.dumps({"autoReport.all": "true", "autoReport.directory": a_file(tmp_path)})
    said = refusal_of(monkeypatch, POPLAR_ENGINE_OPTIONS=options)
    assert said.startswith("environment variable POPLAR_ENGINE_OPTIONS, key 'autoReport.directory': cannot make")
    assert said.endswith("name one that can be made")


def test_a_folder_of_events_that_cannot_be_made(tmp_path):
    done = record(PVTI_OPTIONS=json.dumps({"enable": "true", "directory": a_file(tmp_path)}))
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert "environment variable PVTI_OPTIONS, key 'directory': cannot write" in done.stderr
    assert "name a folder that can be made" in done.stderr


def test_a_folder_of_programs_that_cannot_be_made(tmp_path, monkeypatch):
    said = refusal_of(monkeypatch, POPTORCH_CACHE_DIR=a_file(tmp_path))
    assert "option executableCache (--executable-cache): cannot make the directory" in said


def test_a_name_that_is_a_call_says_so():
    with pytest.raises(AttributeError, match=r"'deviceIterations' is set by a call, as deviceIterations\(\.\.\.\); "
                                             "its value is named 'device_iterations'"):
        poptorch.Options().set(deviceIterations=3)


def test_an_executor_shows_what_it_wraps():
    text = repr(poptorch.inferenceModel(torch.nn.Linear(2, 3)))
    assert text == "PoplarExecutor(inference, Linear(in_features=2, out_features=3, bias=True))"


class WithLoss(torch.nn.Module):
    """A linear layer and a loss of labels."""

    def __init__(self):
        super().__init__()
        self.linear, self.loss = torch.nn.Linear(4, 3), torch.nn.CrossEntropyLoss()

    def forward(self, x, y):
        x = self.linear(x)
        return x, self.loss(x, y)


def test_labels_are_no_reason_to_warn(monkeypatch):
    said = []
    monkeypatch.setattr(_logging.logger, "warning", lambda text, *args: said.append(text))
    poptorch.trainingModel(WithLoss())(torch.rand(2, 4), torch.tensor([0, 2]))
    assert not said


def threads_after(imports, **variables):
    """Threads that a program has more than after its first sum, and those that Python has started."""
    program = f"""
import os, time, torch, _thread
torch.zeros(1 << 17).sum()
before = len(os.listdir("/proc/self/task"))
{imports}
wanted = (before + torch.get_num_threads(), 1) if {not variables} else (0, 0)
found, until = (0, 0), time.monotonic() + 60
while time.monotonic() < until:
    found = (len(os.listdir("/proc/self/task")), _thread._count())
    if found[0] >= wanted[0] and found[1] >= wanted[1]:
        break
    time.sleep(0.01)
print(found[0] >= wanted[0], found[1])
"""
    clean = {name: value for name, value in os.environ.items()
             if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True,
                          env={**clean, **variables})
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("package", ["poptorch", "tilescope"])
def test_a_sleeping_team_keeps_threads_that_came_first_from_spinning(package):
    assert threads_after(f"import {package}") == ["True", "1"]


@pytest.mark.parametrize("variable", ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT"])
def test_the_users_choice_of_waiting_is_kept(variable):
    value = "active" if variable == "OMP_WAIT_POLICY" else "100000"
    assert threads_after("import poptorch", **{variable: value}) == ["True", "0"]
