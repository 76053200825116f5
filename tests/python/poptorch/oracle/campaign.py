"""Runs many cases and reports failures."""
import collections
import json
import time

from generator import generate
from oracle import Difference, Unfit, check
from shrink import shrunk


def run(count, seed, only=None, shrinks=12, seconds=None, say=print):
    """Runs cases with seeds from ``seed``, until ``count`` have been compared or the time is up.
    Returns the failures, reduced: (case, error)."""
    say(f"oracle: {count} modules from seed {seed} on")
    begin, at = time.monotonic(), seed
    failures, rows, unfit, done, rounded = [], collections.Counter(), 0, 0, 0
    while done < count and (seconds is None or time.monotonic() - begin < seconds):
        case = generate(at, only)
        at += 1
        try:
            rounded += not check(case)
        except Unfit:
            unfit += 1
            continue
        except Difference:
            least, failure = shrunk(case, 150 if len(failures) < shrinks else 0)
            failures.append((least, failure))
            say(f"seed {case.seed}: {failure[:400]}\n  {json.dumps(least.as_dict())}")
        done += 1
        rows.update({step.row for step in case.steps})
    say(f"oracle: {done} modules compared in {time.monotonic() - begin:.0f} s, seeds {seed} to "
        f"{at - 1}, {unfit} that PyTorch itself does not run, {rounded} equal but for rounding, "
        f"{len(rows)} rows, {len(failures)} failures")
    return failures
