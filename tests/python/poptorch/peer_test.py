"""PopTorch's own tests, where they are at hand: what has passed still passes."""
import pytest

from . import peer_suite


@pytest.mark.skipif(peer_suite.folder() is None,
                    reason="PopTorch's own tests are left out: TILESCOPE_CLIENTS names no folder")
def test_what_passed_still_passes():
    assert not peer_suite.compare(peer_suite.folder(), [])


def test_the_ledger_is_consistent():
    rows = peer_suite.ledger()
    assert {row.status for row in rows.values()} <= {"passes", "refused", "open"}
    assert all(bool(row.reason) == (row.status == "refused") for row in rows.values())


@pytest.mark.parametrize("given, plain", [("test_a[trace_model:True-dim:1]", "test_a[dim:1]"),
                                          ("test_a[x-trace_model:False-y]", "test_a[x-y]"),
                                          ("test_a[trace_model:True]", "test_a"), ("test_a", "test_a")])
def test_names_do_not_tell_how_the_model_is_read(given, plain):
    assert peer_suite.plain(given) == plain
