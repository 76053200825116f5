"""What goes between host and machine: batches of a call, and the tensors that it returns."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from ._enums import ENUMS
from ._errors import popart_exception

_Id = ENUMS["AnchorReturnTypeId"]
_IDS = {member.name.upper(): member for member in _Id}


class AnchorReturnType:
    """Which values of a tensor a call returns: "All", "Final", "Sum", or ("EveryN", n)."""

    def __init__(self, anchorReturnTypeString: str, returnPeriod: Optional[int] = None,
                 tileSet: Any = ENUMS["TileSet"]["Compute"],
                 exchangeStrategy: Any = ENUMS["ExchangeStrategy"]["JustInTime"]) -> None:
        if isinstance(returnPeriod, ENUMS["TileSet"]):  # (string, tile set, exchange strategy)
            returnPeriod, tileSet, exchangeStrategy = None, returnPeriod, tileSet
        name = str(anchorReturnTypeString)
        if name.upper() not in _IDS:
            raise popart_exception(f"Invalid anchor return type ID supplied: {name}")
        self._id = _IDS[name.upper()]
        if self._id == _Id["EveryN"]:
            if returnPeriod is None:
                raise popart_exception("Must specify return period with option 'EVERYN'")
            if returnPeriod <= 0:
                raise popart_exception("Anchor return period must be greater than zero")
        elif returnPeriod is not None:
            raise popart_exception(
                "A return period should not be supplied for this anchor return type")
        self._period = returnPeriod
        self._tiles, self._strategy = tileSet, exchangeStrategy

    def id(self) -> Any:
        """The type, an AnchorReturnTypeId."""
        return self._id

    def rp(self) -> int:
        """The period of "EveryN"."""
        if self._period is None:
            raise popart_exception("A return period is only known for the type 'EVERYN'")
        return self._period

    def tileSet(self) -> Any:
        """Tiles that send the values; without effect."""
        return self._tiles

    def exchangeStrategy(self) -> Any:
        """When they are sent; without effect."""
        return self._strategy

    def __repr__(self) -> str:
        return f"AnchorReturnType({self._id.name}, {self._period})"


class DataFlow:
    """Batches of a call, and its anchors: DataFlow(batches, {id: type}) or (batches, [ids], type)."""

    def __init__(self, batchesPerStep: int,
                 anchorTensors: Union[Mapping[str, AnchorReturnType], Iterable[str], None] = None,
                 anchorReturnType: Optional[AnchorReturnType] = None, *,
                 anchorIds: Optional[Iterable[str]] = None) -> None:
        anchors = anchorTensors if anchorTensors is not None else anchorIds or ()
        if batchesPerStep <= 0:
            raise popart_exception("'Batches per step' must be greater than zero")
        self._batches = int(batchesPerStep)
        if isinstance(anchors, Mapping):
            self._anchors: Dict[str, AnchorReturnType] = dict(anchors)
        else:
            kind = anchorReturnType or AnchorReturnType("All")
            self._anchors = {name: kind for name in anchors}
        for kind in self._anchors.values():
            if kind.id() == _Id["EveryN"] and self._batches % kind.rp():
                raise popart_exception(
                    "Return period must be a factor of the number of batches per step")

    def batchesPerStep(self) -> int:
        """Batches of a call."""
        return self._batches

    def anchors(self) -> List[str]:
        """Ids of the anchors."""
        return list(self._anchors)

    def nAnchors(self) -> int:
        """Number of anchors."""
        return len(self._anchors)

    def isAnchored(self, id: str) -> bool:
        """Whether a tensor is an anchor."""
        return id in self._anchors

    def art(self, id: str) -> AnchorReturnType:
        """The return type of an anchor."""
        return self._anchors[id]


class InputSettings:
    """How an input is exchanged; without effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass


class InputShapeInfo:
    """Types and shapes of inputs that the model leaves open."""

    def __init__(self) -> None:
        self._infos: Dict[str, Any] = {}

    def add(self, id: str, info: Any) -> None:
        """Sets the type and shape of an input."""
        self._infos[id] = info

    def get(self, id: str) -> Any:
        """The type and shape of an input."""
        return self._infos[id]

    def has(self, id: str) -> bool:
        """Whether the input is known."""
        return id in self._infos


class CommGroup:
    """Replicas that belong together."""

    def __init__(self, type: Any = ENUMS["CommGroupType"]["All"],
                 replicaGroupSize: int = 0) -> None:
        self.type, self.replicaGroupSize = type, replicaGroupSize


class VariableSettings:
    """Which replicas share a weight; only the same weight on all of them is simulated."""

    def __init__(self, commGroup: Optional[CommGroup] = None,
                 retrievalMode: Any = ENUMS["VariableRetrievalMode"]["OnePerGroup"]) -> None:
        if not isinstance(commGroup, CommGroup) and commGroup is not None:
            commGroup, retrievalMode = None, commGroup
        self._group, self._mode = commGroup or CommGroup(), retrievalMode

    @property
    def is_grouped(self) -> bool:
        """Whether weights of replicas differ, or all are returned."""
        return self.getGroupCount(2) > 1 or self.numReplicasReturningVariable(2) > 1

    def getGroupCount(self, replicas: int) -> int:
        """Number of groups."""
        kinds, size = ENUMS["CommGroupType"], self._group.replicaGroupSize
        if self._group.type == kinds["All"]:
            return 1
        if self._group.type == kinds["Ungrouped"]:
            return replicas
        return max(1, replicas // (size or replicas))

    def numReplicasReturningVariable(self, replicas: int) -> int:
        """Replicas whose values are read."""
        every = self._mode == ENUMS["VariableRetrievalMode"]["AllReplicas"]
        return replicas if every else self.getGroupCount(replicas)
