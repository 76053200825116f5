"""Exported traces are what readers of the trace event format expect, and open in one.

The rules are those of Google's document "Trace Event Format"; that slices of a thread nest is checked in the floating
point of JavaScript, in which readers add beginning and duration.
"""

import base64
import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from .browser import Page, chromium
from .conftest import BIN

# Metadata of the format: the key of its argument and the argument's type.
METADATA = {"process_name": ("name", str), "thread_name": ("name", str), "process_labels": ("labels", str),
            "process_sort_index": ("sort_index", int), "thread_sort_index": ("sort_index", int)}
KNOWN = {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}


def exported(profile: Path, folder: Path, *options: str) -> Path:
    file = folder / "trace.json"
    done = subprocess.run([BIN / "tilescope", "export", profile, "--format", "chrome-trace", "-o", file, *options],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return file


def noConstant(word: str) -> float:
    raise AssertionError(f"'{word}' is no JSON")


def unique(pairs: list) -> dict:
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


def problems(trace: dict) -> list[str]:
    """What is against the rules of the format."""
    found = []

    def check(holds: bool, event: dict, rule: str) -> None:
        if not holds:
            found.append(f"{rule}: {event}")
    check(trace["displayTimeUnit"] in ("ms", "ns"), {}, "unit")
    slices = defaultdict(list)
    named: dict = defaultdict(set)
    for event in trace["traceEvents"]:
        check(set(event) <= KNOWN, event, "keys")
        for key in ("pid", "tid"):
            check(type(event[key]) is int and 0 <= event[key] < 2**31, event, key)
        check(type(event["name"]) is str and event["name"] != "", event, "name")
        if event["ph"] == "M":
            key, kind = METADATA[event["name"]]
            check(type(event["args"].get(key)) is kind, event, "metadata")
            where = (event["name"], event["pid"], event["tid"])
            check(not named[where], event, "named twice")
            named[where].add(json.dumps(event["args"]))
            continue
        check(event["ph"] == "X", event, "phase")
        check(type(event["cat"]) is str and "," not in event["cat"], event, "category")
        check(type(event.get("args", {})) is dict, event, "arguments")
        if all(type(event[key]) in (int, float) and event[key] >= 0 for key in ("ts", "dur")):
            slices[event["pid"], event["tid"]].append(event)
        else:
            found.append(f"time: {event}")
    for (process, thread), events in slices.items():
        check(bool(named["process_name", process, 0]), events[0], "a process without a name")
        check(bool(named["thread_name", process, thread]), events[0], "a thread without a name")
        open_: list[float] = []
        for event in sorted(events, key=lambda each: (each["ts"], -each["dur"])):
            end = event["ts"] + event["dur"]
            while open_ and open_[-1] <= event["ts"]:
                open_.pop()
            check(not open_ or end <= open_[-1], event, "does not nest")
            open_.append(end)
    return found


@pytest.mark.parametrize("which", ["training", "inference"])
def test_the_rules_of_the_format_hold(request: pytest.FixtureRequest, tmp_path: Path, which: str) -> None:
    for options in ([], ["--from", "100", "--to", "60000"]):
        text = exported(request.getfixturevalue(which), tmp_path, *options).read_text()
        trace = json.loads(text, object_pairs_hook=unique, parse_constant=noConstant)
        assert len(trace["traceEvents"]) > 20
        assert problems(trace) == []


def test_the_rules_find_what_breaks_them() -> None:
    good = {"ph": "X", "name": "a", "cat": "c", "pid": 0, "tid": 0, "ts": 1.5, "dur": 2}
    names = [{"ph": "M", "name": f"{what}_name", "pid": 0, "tid": 0, "args": {"name": "n"}} for what in
             ("process", "thread")]

    def found(*events: dict) -> list[str]:
        return problems({"displayTimeUnit": "ns", "traceEvents": [*names, *events]})
    assert found(good, {**good, "ts": 3.5}) == []
    for change in ({"ts": 3.4999999}, {"ts": -1}, {"dur": "2"}, {"name": ""}, {"tid": 1}, {"ph": "B"}, {"pid": "0"}):
        assert found(good, {**good, **change}), change


def speedscope() -> Path | None:
    """The page of npm's package of that name: in TILESCOPE_SPEEDSCOPE, or where npm installs for all."""
    named = os.environ.get("TILESCOPE_SPEEDSCOPE")
    for folder in [named] if named else ["/usr/local/lib/node_modules/speedscope", "/usr/lib/node_modules/speedscope"]:
        page = Path(folder) / "dist" / "release" / "index.html"
        if page.is_file():
            return page
    return None


@pytest.mark.skipif(chromium() is None, reason="needs Chromium")
@pytest.mark.skipif(speedscope() is None, reason="needs npm's speedscope: see TILESCOPE_SPEEDSCOPE")
def test_speedscope_opens_it(training: Path, tmp_path: Path) -> None:
    content = base64.b64encode(exported(training, tmp_path).read_bytes()).decode()
    script = tmp_path / "load.js"
    script.write_text(f'speedscope.loadFileFromBase64("trace.json", "{content}")')
    with Page(f"{speedscope().as_uri()}#localProfilePath={script}", tmp_path / "home") as page:
        title = page.evaluate("""new Promise((resolve) => {
            const look = () => document.title.startsWith("trace.json") || document.body?.innerText.includes("went wrong")
                ? resolve(document.title) : setTimeout(look, 20);
            look();
        })""")
        shown = page.evaluate("document.body.innerText")
    assert title == "trace.json - speedscope"
    # One profile for each thread of the host and the IPUs; nothing had to be mended.
    assert "IPU 0" in shown and "(1/" in shown
    assert [line for line in page.said if line[0] in ("warning", "error", "assert", "exception")] == []
