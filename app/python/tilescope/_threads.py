"""How threads that compute wait for each other.

OpenMP's threads spin while they wait. Next to any other busy process that makes each small product many
times slower, so that they sleep instead. The library of these threads reads the environment once, when it
is loaded. Where a program has imported PyTorch before, it is loaded already; but it spins hardly at all
while it has more threads than there are processors, so that a second team is kept asleep.
"""
import _thread
import os
import sys
from typing import Any

#: Elements that PyTorch gives to a thread at least.
_SHARE = 32768


def _keep_a_team(torch: Any) -> None:
    """Adds with a team of threads, and keeps it. Its threads end with the one that has made it."""
    torch.zeros(_SHARE * torch.get_num_threads()).add_(1)
    forever = _thread.allocate_lock()
    forever.acquire()
    forever.acquire()


if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ):
    os.environ["OMP_WAIT_POLICY"] = "passive"
    if hasattr(sys.modules.get("torch"), "get_num_threads"):
        _thread.start_new_thread(_keep_a_team, (sys.modules["torch"],))
