"""Random programs compute and train as in PyTorch."""
import os

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")

from .random_programs import Program  # noqa: E402

#: Programs of a run in the gate; TILESCOPE_ORACLE_SEED and TILESCOPE_ORACLE_COUNT choose others.
COUNT, FIRST_SEED = 40, 1


def test_random_programs():
    first = int(os.environ.get("TILESCOPE_ORACLE_SEED") or FIRST_SEED)
    failures = []
    for seed in range(first, first + int(os.environ.get("TILESCOPE_ORACLE_COUNT") or COUNT)):
        try:
            Program(seed).check()
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, "\n".join(failures)
