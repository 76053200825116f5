"""Opens a profile with pva and goes through every executed step, with time and memory of both.

usage: PYTHONPATH=build/release/python python3 tests/bench/step_walk.py PROFILE
The same walk in C++ is the program step_walk.
"""

import resource
import sys
import time


def megabytes() -> float:
    """The largest resident memory so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


begin = time.perf_counter()
import pva  # noqa: E402  (its import is part of what is measured)

report = pva.openReport(sys.argv[1])
print(f"import and openReport: {time.perf_counter() - begin:.2f} s, {megabytes():.0f} MB")
begin = time.perf_counter()
steps = report.execution.steps
print(f"{len(steps)} steps are known after {time.perf_counter() - begin:.2f} s, {megabytes():.0f} MB")
begin = time.perf_counter()
for _step in steps:
    pass
print(f"iterating: {time.perf_counter() - begin:.2f} s, {megabytes():.0f} MB")
begin = time.perf_counter()
cycles = sum(step.ipus[0].cycles for step in steps)
print(f"{cycles} cycles on IPU 0: {time.perf_counter() - begin:.2f} s, {megabytes():.0f} MB")
