"""Random modules compute and train as in eager PyTorch; cases found once are kept."""
import json
import os
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent / "oracle"
sys.path.insert(0, str(_HERE))

from campaign import run  # noqa: E402
from generator import Case  # noqa: E402
from oracle import Unfit, check  # noqa: E402

KEPT = json.loads((_HERE / "kept.json").read_text())

#: Limits of a run in the gate, in modules and seconds.
COUNT, SECONDS = 200, 60

#: Default seed. The gate derives one from the tree that it tests: new with each change, and the same
#: when repeated.
FIRST_SEED = 202_342_763


@pytest.mark.parametrize("name", KEPT)
def test_kept(name):
    check(Case.of(KEPT[name]))


def test_random_modules(capsys):
    """TILESCOPE_ORACLE_SEED and TILESCOPE_ORACLE_COUNT set the first seed and the number."""
    seed = int(os.environ.get("TILESCOPE_ORACLE_SEED") or FIRST_SEED)
    given = os.environ.get("TILESCOPE_ORACLE_COUNT")
    with capsys.disabled():
        print()
        failures = run(int(given or COUNT), seed, seconds=None if given else SECONDS)
    assert not failures, json.dumps(failures[0][0].as_dict()) + "\n" + failures[0][1]


def test_a_fault_is_found_and_cut_down(monkeypatch):
    """The oracle detects the errors that it is meant to detect."""
    from generator import generate
    from oracle import Difference
    from shrink import shrunk
    import poptorch._decompositions as decompositions

    monkeypatch.setitem(decompositions.TABLE, "sinh", lambda x: x * 1.01)
    for seed in range(200):
        case = generate(seed, ["sinh", "add", "mul", "relu"])
        try:
            check(case)
        except Difference:
            break
        except Unfit:
            continue
    else:
        pytest.fail("no module has shown it")
    least, failure = shrunk(case)
    assert "tolerances" in failure
    assert [step.row for step in least.steps] == ["sinh"]
