"""popdist identifies the instance, and libpvti records the program's events."""
import json
import os
import shutil
import subprocess
import sys

import popdist
import popdist.poptorch
import pytest


def instance(monkeypatch, rank, size, **more):
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", str(rank))
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", str(size))
    for name, value in more.items():
        monkeypatch.setenv(name, value)


def test_alone_there_is_one_instance():
    assert not popdist.isPopdistEnvSet()
    assert (popdist.getNumInstances(), popdist.getInstanceIndex()) == (1, 0)
    assert popdist.getNumTotalReplicas() == popdist.getNumLocalReplicas() == 1


def test_ranks_are_instances_that_share_replicas(monkeypatch):
    instance(monkeypatch, 1, 2, POPDIST_NUM_TOTAL_REPLICAS="8")
    assert popdist.isPopdistEnvSet()
    assert popdist.getInstanceIndex() == 1 and popdist.getNumLocalReplicas() == 4
    assert popdist.getReplicaIndexOffset() == 4
    options = popdist.poptorch.Options()
    assert options.replication_factor == 4
    assert (options.Distributed.processId, options.Distributed.numProcesses) == (1, 2)
    assert popdist.execute_on_instances({0})(lambda: 5)() is None
    assert popdist.execute_on_instances({1})(lambda: 5)() == 5


def test_what_does_not_fit_is_refused(monkeypatch):
    instance(monkeypatch, 0, 3, POPDIST_NUM_TOTAL_REPLICAS="4", POPDIST_NUM_IPUS_PER_REPLICA="2")
    with pytest.raises(ValueError, match="3 instances cannot share 4 replicas"):
        popdist.getNumLocalReplicas()
    with pytest.raises(ValueError, match="poprun was given 2"):
        popdist.poptorch.Options(ipus_per_replica=4)


RECORDED = """
import libpvti
channel = libpvti.createTraceChannel("mine")
with libpvti.Tracepoint(channel, "outer"):
    libpvti.Tracepoint.event(channel, "moment")
    @libpvti.instrument_fn(channel)
    def work(): pass
    work()
series = libpvti.Graph("loss", "units").addSeries("training")
series.add(0.5)
libpvti.HeatmapDouble("map", [1, 2]).add([0.5, 1.5, 1.6, 9])
print(libpvti.checkTracingEnabled())
"""


@pytest.mark.parametrize("enabled", [True, False])
def test_events_are_recorded_where_asked_for(tmp_path, enabled):
    options = {"enable": str(enabled).lower(), "directory": str(tmp_path / "events")}
    done = subprocess.run([sys.executable, "-c", RECORDED], capture_output=True, text=True,
                          check=True, env={**os.environ, "PVTI_OPTIONS": json.dumps(options)})
    file = tmp_path / "events" / "libpvti.json"
    assert done.stdout.strip() == str(enabled) and file.exists() == enabled
    if not enabled:
        return
    events = [e for e in json.loads(file.read_text())["traceEvents"] if e["ph"] != "M"]
    assert [(e["ph"], e["name"]) for e in events] == [("B", "outer"), ("i", "moment"), ("B", "work"),
                                                      ("E", "work"), ("E", "outer"), ("C", "loss"),
                                                      ("C", "map")]
    assert events[-2]["args"] == {"training": 0.5}
    assert events[-1]["args"] == {"1.0": 1, "2.0": 2, "more": 1}


def poprun(*arguments):
    return subprocess.run([sys.executable, "-m", "popdist.poprun", *arguments], capture_output=True,
                          text=True, check=False)


SAID = ("import popdist; print(popdist.getInstanceIndex(), popdist.getNumInstances(), "
        "popdist.getNumLocalReplicas(), popdist.getNumIpusPerReplica())")


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun (openmpi-bin)")
def test_poprun_starts_instances(tmp_path):
    # Each to its own file, as output printed at the same time may be mixed.
    to_file = (f"import popdist, sys; sys.stdout = open(r'{tmp_path}/%d' % popdist.getInstanceIndex(), 'w'); "
               + SAID)
    done = poprun("--num-instances", "2", "--num-replicas=6", "--ipus-per-replica", "4", "--numa-aware=yes",
                  sys.executable, "-c", to_file)
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / str(i)).read_text() for i in range(2)] == ["0 2 3 4\n", "1 2 3 4\n"]
    assert "--numa-aware has no effect" in done.stderr
    done = poprun("-n", "2", "--only-output-from-instance", "1", sys.executable, "-c", SAID)
    assert done.stdout == "1 2 1 1\n"
    assert poprun("-n", "2", sys.executable, "-c", "raise SystemExit(5)").returncode == 5


@pytest.mark.parametrize("arguments, text", [
    (["-n", "3", "-r", "4", "true"], "3 instances cannot share 4 replicas evenly"),
    (["-n", "2"], "there is no program to start"),
    (["--num-instance", "2", "true"], "--num-instance"),
    (["-n", "0", "true"], "must be at least 1"),
    (["-n", "2", "--only-output-from-instance", "2", "true"], "there is no instance 2"),
])
def test_what_poprun_cannot_start_is_refused(arguments, text):
    done = poprun(*arguments)
    assert done.returncode == 2 and text in done.stderr
