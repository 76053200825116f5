"""pva.openTrace() reads what libpvti records, and what others write."""
import json
import os
import subprocess
import sys

import pva
import pytest

from .capturing import SCRIPT

RECORDED = """
import libpvti, threading
channel = libpvti.createTraceChannel("data")
def epoch(number):
    with libpvti.Tracepoint(channel, f"Epoch {number}"):
        with libpvti.Tracepoint(channel, "batch"):
            libpvti.Tracepoint.event(channel, "moment")
        with libpvti.Tracepoint(channel, "batch"):
            pass
for number in range(3):
    epoch(number)
other = threading.Thread(target=epoch, args=(3,), name="Other")
other.start()
other.join()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With the recordings of two processes."""
    made = tmp_path_factory.mktemp("events")
    options = {"enable": "true", "directory": str(made)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", RECORDED], check=True,
                       env={**os.environ, "PVTI_OPTIONS": json.dumps(options)})
    return made


def test_each_process_has_its_file(folder):
    files = sorted(folder.glob("*.pvti"))
    assert len(files) == 2
    assert (folder / "libpvti.json").read_text() in [file.read_text() for file in files]
    assert {file.name for file in folder.iterdir()} == {"libpvti.json", *(file.name for file in files)}


def test_events_are_nested_by_thread(folder):
    trace = pva.openTrace(next(folder.glob("*.pvti")))
    process, = trace.processes
    assert trace.process(process.pid) is process
    assert [thread.name for thread in process.threads] == ["MainThread", "Other"]
    main = process.threads[0]
    assert process.thread(main.tid) is main
    assert [event.label for event in main.events] == ["Epoch 0", "Epoch 1", "Epoch 2"]
    for event in main.events:
        first, second = event.children()
        assert (first.label, second.label, event.channel) == ("batch", "batch", "data")
        assert [(moment.label, moment.duration) for moment in first.children()] == [("moment", 0)]
        assert event.timestamp <= first.timestamp <= second.timestamp
        assert first.duration + second.duration <= event.duration + 0.01  # microseconds


def test_traces_of_others_are_read(tmp_path):
    file = tmp_path / "trace.json"
    file.write_text(json.dumps([
        {"ph": "X", "name": "inner", "cat": "op", "pid": "CPU", "tid": 1, "ts": 10.1, "dur": 5.2},
        {"ph": "X", "name": "outer", "cat": "op", "pid": "CPU", "tid": 1, "ts": 10.0, "dur": 5.3},
        {"ph": "X", "name": "after", "cat": "op", "pid": "CPU", "tid": 1, "ts": 15.3, "dur": 1},
    ]))
    thread = pva.openTrace(file).process("CPU").thread(1)
    assert [(event.label, [child.label for child in event.children()]) for event in thread.events] == [
        ("outer", ["inner"]), ("after", [])]
    assert thread.events[0].duration == pytest.approx(5.3)


# A closed one becomes such a trace where its pva is.
def test_the_capture_script_makes_a_trace_of_it(folder, tmp_path):
    closed, made = next(folder.glob("*.pvti")), tmp_path / "made.json"

    def events(threads):
        return [(event.label, event.channel, pytest.approx(event.timestamp), pytest.approx(event.duration),
                 events_within(event)) for thread in threads for event in thread.events]

    def events_within(event):
        return [(child.label, events_within(child)) for child in event.children()]
    words = [sys.executable, "-B", SCRIPT, closed, "-o", made]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "16 events\n")
    assert events(pva.openTrace(made).processes[0].threads) == events(pva.openTrace(closed).processes[0].threads)
    assert "--force" in subprocess.run(words, capture_output=True, text=True).stderr
    closed = tmp_path / "real.pvti"
    closed.write_bytes(b"SQLite format 3\0" + bytes(100))
    done = subprocess.run([sys.executable, "-B", SCRIPT, closed, "-o", tmp_path / "it.json"], capture_output=True, text=True)
    assert done.returncode == 2 and "pva cannot read" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["made.json", "real.pvti"]


def test_other_files_are_refused_by_name(tmp_path):
    file = tmp_path / "real.pvti"
    file.write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(pva.ProfileError, match="real.pvti"):
        pva.openTrace(file)
    with pytest.raises(KeyError, match="there are 1"):
        good = tmp_path / "good.json"
        good.write_text('[{"ph": "i", "name": "a", "pid": 1, "tid": 1, "ts": 1}]')
        pva.openTrace(good).process(2)
