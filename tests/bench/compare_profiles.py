#!/usr/bin/env python3
"""Whether two builds of tilescope write equal profiles.

    compare_profiles.py BEFORE AFTER [--leave-out TABLE,...] [--jobs FOLDER] [--only TEXT] [--keep FOLDER]

BEFORE, AFTER  two `tilescope` programs
--leave-out    tables that are meant to differ, or that only one of them has
--jobs         where the jobs are (resources/jobs)
--only         only runs whose name has this in it; may be given more than once
--keep         keep the profiles there

Runs every job and some built-in models with both, and compares every table of the two profiles row
by row, whatever the order of the rows. Views follow from tables: only their SQL is compared, but for
a view that takes the place of a table. What a clock or a version says is not compared: the creator,
the date and the times of the compiler in `info`, start and length of `host_spans`.
A run that ends in an error has to end in the same one. Says which table of which run differs, with
the first row of each side that the other lacks; ends with 1 if any does, 2 if it cannot run.

Nothing but Python's standard library is needed. With a program that was built before a change:
    tests/bench/compare_profiles.py /tmp/tilescope-before build/release/bin/tilescope
"""
import argparse
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Forms of a run that no job has; name and arguments of `tilescope run`.
MODELS = {
    "resnet50-half": ["resnet50", "--batch-size", "4", "--precision", "half"],
    "resnet50-mk1": ["resnet50", "--target", "mk1"],
    "resnext50": ["resnext50_32x4d"],
    "vit-base": ["vit-base", "--precision", "half"],
    "gpt2-small-training": ["gpt2-small", "--mode", "training", "--precision", "half"],
    "mnist-cnn": ["mnist-cnn", "--batch-size", "16", "--device-iterations", "10"],
    "bert-base": ["bert-base", "--precision", "half"],
}

# Columns that tell the time, by table.
CLOCKS = {"host_spans": {"start", "seconds"}}
NOT_COMPARED = "key NOT IN ('creator', 'createdAt') AND key NOT LIKE 'timing.%'"


def run(program, arguments, folder):
    """What is wrong with the run; nothing if it wrote folder/profile.pop."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [program, "run", *arguments, "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if (folder / "profile.pop").exists():
        return ""
    return f"exit status {done.returncode}: {done.stderr.strip()}".replace(str(folder), "FOLDER")


class Listing:
    """A table or view of a profile."""

    def __init__(self, profile, kind, name, sql):
        self.profile, self.is_view, self.name, self.sql = profile, kind == "view", name, sql
        self.columns = [row[1] for row in profile.execute(f'PRAGMA table_info("{name}")')]

    def rows(self, in_order):
        """Its rows as they are stored, or in an order that does not depend on that."""
        clocks = CLOCKS.get(self.name, ())
        listed = ", ".join(f'"{column}"' for column in self.columns if column not in clocks)
        where = f"WHERE {NOT_COMPARED}" if self.name == "info" else ""
        order = f"ORDER BY {listed}" if in_order else ""
        return self.profile.execute(f'SELECT {listed} FROM "{self.name}" {where} {order}')


def listings(profile):
    found = profile.execute(
        "SELECT type, name, sql FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    )
    return {name: Listing(profile, kind, name, sql) for kind, name, sql in found.fetchall()}


def short(row):
    texts = [f"blob of {len(v)} bytes" if isinstance(v, bytes) else repr(v) for v in row]
    return ", ".join(text if len(text) <= 60 else text[:57] + "..." for text in texts)


def first_difference(before, after, in_order):
    """The first rows that differ, or nothing."""
    ours, theirs = before.rows(in_order), after.rows(in_order)
    while True:
        a, b = ours.fetchmany(4096), theirs.fetchmany(4096)
        if a != b:
            for x, y in zip(a + [()], b + [()]):
                if x != y:
                    return f"before: ({short(x)}) after: ({short(y)})"
        if not a:
            return ""


def difference(before, after):
    """What differs between two listings of a name, or nothing."""
    if before.columns != after.columns:
        return f"columns {before.columns} before, {after.columns} after"
    if before.is_view and after.is_view:
        return "" if before.sql == after.sql else "the SQL of the view"
    # Mostly equal rows are stored in the same order, and sorting takes far longer than reading.
    return first_difference(before, after, False) and first_difference(before, after, True)


def differences(before_file, after_file, left_out):
    """(table, what differs) of two profiles."""
    with sqlite3.connect(f"file:{before_file}?mode=ro", uri=True) as before, sqlite3.connect(
        f"file:{after_file}?mode=ro", uri=True
    ) as after:
        ours, theirs = listings(before), listings(after)
        for table in sorted(set(ours) | set(theirs)):
            if table in left_out:
                continue
            if table not in ours or table not in theirs:
                yield table, f"only {'before' if table in ours else 'after'}"
            elif found := difference(ours[table], theirs[table]):
                yield table, found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--leave-out", default="", metavar="TABLE,...")
    parser.add_argument("--jobs", type=pathlib.Path, default=ROOT / "resources" / "jobs")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()

    runs = {job.stem: [str(job.resolve())] for job in sorted(options.jobs.glob("*.json"))} | MODELS
    runs = {
        name: arguments
        for name, arguments in runs.items()
        if not options.only or any(text in name for text in options.only)
    }
    if not runs:
        print("compare_profiles: no such run", file=sys.stderr)
        return 2
    left_out = set(filter(None, options.leave_out.split(",")))
    programs = [str(pathlib.Path(p).resolve()) for p in (options.before, options.after)]
    differing = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, arguments in runs.items():
            made = [folder.resolve() / f"{name}.{side}" for side in ("before", "after")]
            failures = [run(p, arguments, to) for p, to in zip(programs, made)]
            if any(failures):
                found = [] if failures[0] == failures[1] else [("run", " | ".join(failures))]
                same = f"both end with {failures[0]}"
            else:
                found = list(differences(*(to / "profile.pop" for to in made), left_out))
                same = "equal"
            for table, what in found:
                print(f"{name}: {table} differs: {what}")
            if not found:
                print(f"{name}: {same}")
            sys.stdout.flush()
            differing += bool(found)
            if not options.keep:
                for to in made:
                    shutil.rmtree(to, ignore_errors=True)
    print(f"{len(runs)} runs, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, sqlite3.Error) as error:
        print(f"compare_profiles: {error}", file=sys.stderr)
        sys.exit(2)
