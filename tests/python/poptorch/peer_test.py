"""PopTorch's own tests, where they are at hand: what has passed still passes."""
import pytest

import peer_suite


#: Files of seconds; the others train for thousands of calls and are run by the script.
SHORT = ("buffers", "hooks", "if", "inplace", "inputs", "loop", "misc", "outputs", "precompilation",
         "requires_grad", "sharding", "slice")


@pytest.mark.skipif(peer_suite.folder() is None,
                    reason="PopTorch's own tests are left out: TILESCOPE_CLIENTS names no folder")
@pytest.mark.parametrize("name", SHORT)
def test_what_passed_still_passes(name):
    folder = peer_suite.folder()
    if not (folder / f"{name}_test.py").exists():
        pytest.skip(f"the folder has no {name}_test.py")
    assert not peer_suite.compare(folder, [name])


def test_the_ledger_is_consistent():
    rows = peer_suite.ledger()
    assert {row.status for row in rows.values()} <= {"passes", "open", *peer_suite.WITH_REASON}
    assert all(bool(row.reason) == (row.status in peer_suite.WITH_REASON) for row in rows.values())


@pytest.mark.parametrize("given, plain", [("test_a[trace_model:True-dim:1]", "test_a[dim:1]"),
                                          ("test_a[x-trace_model:False-y]", "test_a[x-y]"),
                                          ("test_a[trace_model:True]", "test_a"), ("test_a", "test_a")])
def test_names_do_not_tell_how_the_model_is_read(given, plain):
    assert peer_suite.plain(given) == plain
