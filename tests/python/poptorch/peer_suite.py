"""Runs PopTorch's own tests against this package, and compares the outcome with peer_ledger.csv.

The tests are not part of the project: TILESCOPE_CLIENTS names a folder that has them in poptorch/tests.
Each file runs in a process of its own. The ledger has the name of each test with 'passes', 'refused'
(what it needs is refused by name), 'differs' (something else happens on purpose, or it reads logs and
graphs of PopTorch's own), both with the reason, or 'open'.

    TILESCOPE_CLIENTS=/data/clients python3 peer_suite.py [--update] [--timeout SECONDS] [FILE...]

--update writes outcomes into the ledger: what passes now, and as 'open' what no longer does.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

LEDGER = Path(__file__).with_name("peer_ledger.csv")
COLUMNS = ("file", "test", "status", "reason")
WITH_REASON = ("refused", "differs")  #: states of tests that are not expected to pass

#: Seconds for a file; the longest trains for thousands of calls.
TIMEOUT = 1800

Name = Tuple[str, str]  #: file and test


class Row(NamedTuple):
    """What is known of a test."""
    status: str  #: passes, refused, differs or open
    reason: str


def folder() -> Optional[Path]:
    """The folder with the tests, if there is one."""
    found = Path(os.environ.get("TILESCOPE_CLIENTS", "/nowhere")) / "poptorch" / "tests"
    return found if (found / "helpers.py").exists() else None


def ledger() -> Dict[Name, Row]:
    """The ledger's rows."""
    if not LEDGER.exists():
        return {}
    with LEDGER.open(encoding="utf-8", newline="") as file:
        return {(row["file"], row["test"]): Row(row["status"], row["reason"])
                for row in csv.DictReader(file)}


def write_ledger(rows: Dict[Name, Row]) -> None:
    """Writes the ledger, sorted."""
    with LEDGER.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (name, test), row in sorted(rows.items()):
            writer.writerow((name, test, row.status, row.reason))


def plain(test: str) -> str:
    """A test's name without the choice between tracer and dispatcher, which older files have."""
    test = re.sub(r"-?trace_model:(True|False)-?", lambda m: "-" if m[0][0] == m[0][-1] == "-" else "",
                  test)
    return test.replace("[]", "")


def run_file(path: Path, timeout: float) -> Dict[str, str]:
    """Outcome of each test of a file: passed, failed or skipped. Empty if it cannot be read at all."""
    with tempfile.TemporaryDirectory() as work:
        result = Path(work) / "result.xml"
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                   f"--rootdir={path.parent}", f"--junitxml={result}", str(path)]
        paths = [str(path.parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
        try:
            subprocess.run(command, cwd=work, env=environment, capture_output=True, check=False,
                           timeout=timeout)
        except subprocess.TimeoutExpired:
            print(f"{path.name}: not finished after {timeout:.0f} s")
        if not result.exists():
            return {}
        return outcomes(ElementTree.parse(result))


def outcomes(report: ElementTree.ElementTree) -> Dict[str, str]:
    """The outcomes in a report of pytest. One test skipped by a parameter does not count."""
    found: Dict[str, str] = {}
    for case in report.iter("testcase"):
        name = case.get("name", "")
        group = case.get("classname", "").split(".")[-1]
        test = plain(f"{group}::{name}" if group.startswith("Test") else name)
        kinds = {child.tag for child in case}
        outcome = ("failed" if kinds & {"failure", "error"} else
                   "skipped" if "skipped" in kinds else "passed")
        if found.get(test, "skipped") == "skipped":
            found[test] = outcome
    return found


def files(where: Path, wanted: List[str]) -> List[Path]:
    """The test files of the folder, or those wanted (with or without '_test.py')."""
    if not wanted:
        return sorted(where.glob("*_test.py"))
    return [where / (name if name.endswith(".py") else f"{name}_test.py") for name in wanted]


def compare(where: Path, wanted: List[str], timeout: float = TIMEOUT, update: bool = False) -> List[str]:
    """Runs files, prints counts, and returns a line for each test that passed before."""
    rows, lost = ledger(), []
    total: Counter = Counter()
    print(f"{'file':36} {'passed':>7} {'failed':>7} {'skipped':>7} {'refused':>8} "
          f"{'differs':>8} {'open':>6}")
    for path in files(where, wanted):
        name = path.name.replace("_test.py", "")
        counts: Counter = Counter()
        for test, outcome in run_file(path, timeout).items():
            before = rows.get((name, test), Row("open", ""))
            counts[outcome] += 1
            if outcome == "failed":
                counts[before.status if before.status in WITH_REASON else "open"] += 1
                if before.status == "passes":
                    lost.append(f"{path.name}::{test}")
            rows[name, test] = updated(before, outcome)
        total += counts
        print_counts(path.name, counts)
    print_counts("all", total)
    if update:
        write_ledger({name: row for name, row in rows.items() if row.status})
    return lost


def updated(before: Row, outcome: str) -> Row:
    """The ledger's row after a run."""
    if outcome == "passed":
        return Row("passes", "")
    if outcome == "skipped":
        return Row("", "")
    return Row("open", "") if before.status == "passes" else before


def print_counts(name: str, counts: Counter) -> None:
    """A line of the table."""
    print(f"{name:36} {counts['passed']:7} {counts['failed']:7} {counts['skipped']:7} "
          f"{counts['refused']:8} {counts['differs']:8} {counts['open']:6}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", help="such as 'inplace'; all if none is given")
    parser.add_argument("--update", action="store_true", help="write the outcomes into the ledger")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds for each file")
    arguments = parser.parse_args()
    where = folder()
    if where is None:
        print("TILESCOPE_CLIENTS names no folder with poptorch/tests")
        return 2
    lost = compare(where, arguments.files, arguments.timeout, arguments.update)
    for test in lost:
        print(f"no longer passes: {test}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
