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

#: Elements of a sum that PyTorch shares among threads: more than 32,768, its smallest share.
_SHARED = 1 << 17


def _keep_a_team(torch: Any) -> None:
    """Computes a sum with a team of threads, and keeps it. Its threads end with the one that has made it."""
    torch.zeros(_SHARED).sum()
    forever = _thread.allocate_lock()
    forever.acquire()
    forever.acquire()


if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ):
    os.environ["OMP_WAIT_POLICY"] = "passive"
    if sys.modules.get("torch") is not None:
        _thread.start_new_thread(_keep_a_team, (sys.modules["torch"],))
