"""Options of an instance."""
from __future__ import annotations

from typing import Any

import poptorch

import popdist

__all__ = ["Options"]


class Options(poptorch.Options):
    """:class:`poptorch.Options` with replicas, process number and process count of the instance.

    Args:
        ipus_per_replica: checked against the number given to poprun.
    """

    def __init__(self, ipus_per_replica: int = 1, **kwargs: Any) -> None:
        super().__init__()
        popdist.checkNumIpusPerReplica(ipus_per_replica)
        self.replicationFactor(popdist.getNumLocalReplicas())
        self.Distributed.configureProcessId(popdist.getInstanceIndex(), popdist.getNumInstances())
