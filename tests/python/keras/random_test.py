"""Random models train as in PyTorch."""
import os

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")

from random_graphs import check_graph  # noqa: E402
from random_models import check  # noqa: E402

#: Models of a run in the gate; TILESCOPE_ORACLE_SEED and TILESCOPE_ORACLE_COUNT choose others.
COUNT, FIRST_SEED = 10, 1


@pytest.mark.parametrize("check", [check, check_graph])
def test_random_models(check):
    first = int(os.environ.get("TILESCOPE_ORACLE_SEED") or FIRST_SEED)
    failures = []
    for seed in range(first, first + int(os.environ.get("TILESCOPE_ORACLE_COUNT") or COUNT)):
        try:
            check(seed)
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, "\n".join(failures)
