#!/usr/bin/env python3
"""How many instructions users' commands take: whether this build needs more than the file says.

    instruction_counts.py BUILD [--rewrite] [--only NAME ...] [--runs N]

BUILD      a build directory of the preset release
--rewrite  puts this build's counts in instruction_counts.csv
--only     only the commands of these names
--runs     count each command so many times and print how far the counts are apart

Ends with 1 if a command takes over 3 % more than the file has, 2 if it cannot count. A change that is
worth its cost rewrites the file, so that its diff says what it costs.

Counts are cachegrind's. One thread of one processor runs everything, so that they hardly vary from run
to run (0.005 %). valgrind shows programs a processor of its own, the same on every x86-64 machine that
has AVX2: what libc and oneDNN choose by processor does not change from one such machine to another.
What does: the compiler and the libraries, which are Debian 12's. On other machines nothing is counted.

`bert_pod16` is the job bert_large_pod16 with 5 of its 24 layers, two of them on one IPU: they run the
same code, placements of thousands of tiles and repeated layers, in fewer instructions.

`plot` asks for what a first plot of a long trace shows, the counters over its whole length. Its trace
has a tenth of the 10 million steps that the benchmarks draw: the count is 30 % of theirs, as columns
cost more than steps, and writing that profile would take longer than all else.
"""
import argparse
import csv
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = pathlib.Path(__file__).with_name("instruction_counts.csv")
TOLERANCE = 0.03
JOBS = ROOT / "resources" / "jobs"
PLOT_STEPS = 1_000_000
BERT_LAYERS = 5
BERT_SPLIT = "Layer1,Layer2,Layer3,MLM"

#: Name and arguments of `tilescope`; later ones read what earlier ones wrote.
COMMANDS = {
    "resnet50": ["run", "resnet50", "-o", "resnet50"],
    "mnist-cnn": ["run", "mnist-cnn", "-o", "mnist-cnn"],
    "tutorial_pipelined": ["run", str(JOBS / "tutorial_pipelined.json"), "-o", "tutorial"],
    "bert_pod16": ["run", "bert.json", "-o", "bert"],
    "report": ["report", "bert", "operations"],
    "plot": ["report", "long.pop", "trace", "--by", "time"],
}


class CannotCount(Exception):
    """Says why."""


def has_avx2():
    if platform.machine() != "x86_64":
        return False
    try:
        return " avx2 " in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False


def write_bert(file):
    job = json.loads((JOBS / "bert_large_pod16.json").read_text(encoding="utf-8"))
    job["modelOptions"]["layers"] = BERT_LAYERS
    job["split"] = BERT_SPLIT
    job["checkpoint"] = ",".join(f"Layer{layer}" for layer in range(BERT_LAYERS))
    file.write_text(json.dumps(job), encoding="utf-8")


def prepare(build, name, folder):
    """Makes what a command reads, where no command before has made it."""
    if not (folder / "bert.json").exists():
        write_bert(folder / "bert.json")
    if name == "report" and not (folder / "bert").exists():
        subprocess.run([build / "bin" / "tilescope", *COMMANDS["bert_pod16"]],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if name == "plot" and not (folder / "long.pop").exists():
        subprocess.run([build / "bench" / "scale_profile", "long.pop", "--steps", str(PLOT_STEPS)],
                       cwd=folder, check=True)


def count(build, name, folder):
    """Instructions of a command, and of what it starts nothing."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("POPLAR_", "POPLIBS_", "TILESCOPE_", "LD_", "OMP_", "MALLOC_"))
    }
    environment.update(LC_ALL="C", OMP_NUM_THREADS="1")
    result = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
         build / "bin" / "tilescope", *COMMANDS[name]],
        cwd=folder, env=environment, capture_output=True, text=True, check=False)
    found = re.search(r"I +refs: +([\d,]+)", result.stderr)
    if result.returncode or not found:
        raise CannotCount(f"{name}: {result.stderr[-2000:]}")
    return int(found[1].replace(",", ""))


def known():
    with open(FILE, newline="", encoding="utf-8") as file:
        return {row["command"]: int(row["instructions"]) for row in csv.DictReader(file)}


def rewrite(counts):
    with open(FILE, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["command", "instructions"])
        writer.writerows(counts.items())


def spread(counts):
    return (max(counts) - min(counts)) / min(counts)


def compare(counts, before):
    """Prints all counts and returns the names of those that are too high."""
    too_high = []
    for name, now in counts.items():
        if name not in before:
            too_high.append(name)
            print(f"{name:20} {now:15,}  not in {FILE.name}")
            continue
        change = now / before[name] - 1
        print(f"{name:20} {now:15,}  {change:+.2%} of {before[name]:,}")
        if change > TOLERANCE:
            too_high.append(name)
        elif change < -TOLERANCE:
            print(f"{name:20} takes less: --rewrite keeps it so")
    return too_high


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("--only", action="append", choices=list(COMMANDS))
    parser.add_argument("--runs", type=int, default=1)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if not shutil.which("valgrind") or not has_avx2():
        print("Nothing is counted: valgrind or a processor with AVX2 is missing")
        return 0
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    counts = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name in arguments.only or COMMANDS:
            prepare(build, name, folder)
            several = [count(build, name, folder) for _ in range(arguments.runs)]
            counts[name] = min(several)
            if arguments.runs > 1:
                print(f"{name:20} {arguments.runs} runs are {spread(several):.5%} apart")
    if arguments.rewrite:
        before = known() if FILE.exists() else {}
        rewrite({name: counts.get(name, before.get(name)) for name in COMMANDS
                 if name in counts or name in before})
        return 0
    too_high = compare(counts, known())
    if too_high:
        print(f"Over {TOLERANCE:.0%} more than {FILE.name} has: {', '.join(too_high)}. If that is worth it:\n"
              f"  tests/bench/instruction_counts.py BUILD --rewrite")
    return 1 if too_high else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (CannotCount, OSError, subprocess.CalledProcessError) as error:
        print(f"instruction_counts.py: {error}", file=sys.stderr)
        sys.exit(2)
