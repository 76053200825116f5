"""Devices, all of which are simulated."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from tilescope import _simulator

from ._enums import ENUMS
from ._errors import popart_exception, refused

_Type = ENUMS["DeviceType"]
_Connection = ENUMS["DeviceConnectionType"]

#: Tiles per IPU of a model of the IPU for which a program does not give the number (willow's
#: defaulttilecount.hpp).
_MODEL_TILES = 4
#: Options of createIpuModelDevice and createOfflineIPUDevice; unknown ones are errors.
_MODEL_OPTIONS = ("numIPUs", "tilesPerIPU", "compileIPUCode", "ipuVersion")
_OFFLINE_OPTIONS = ("numIPUs", "tilesPerIPU", "ipuVersion", "syncPattern",
                    "syncReplicasIndependently")
#: Targets by the names of Poplar's versions.
_TARGETS = {"ipu1": "mk1", "ipu2": "mk2", "ipu21": "bow"}


class DeviceInfo:
    """A device: its kind, IPUs and tiles; a context that attaches it."""

    def __init__(self, type: Any, num_ipus: int, tiles: int = 0,
                 connection: Any = _Connection["Always"], version: str = "ipu2",
                 id: int = 0) -> None:
        self.type = type
        self.numIpus = num_ipus
        self.tilesPerIPU = tiles  #: 0: all of the target
        self.connectionType = connection
        self.version = version
        self.id = id
        self.isAttached = connection == _Connection["Always"]
        self.driverIds = [id]
        _simulator.check_options(self._job_options())

    def _job_options(self) -> Dict[str, str]:
        """Keys of a job for the kind of device and its tiles."""
        keys = {}
        if self.type in (_Type["IpuModel"], _Type["Cpu"]):
            keys["ipuModel"] = "on"
        if self.tilesPerIPU:
            keys["tilesPerIpu"] = str(self.tilesPerIPU)
        if self.version != "ipu2":
            keys["target"] = _TARGETS.get(self.version, self.version)
        return keys

    def attach(self) -> bool:
        """Attaches the device."""
        self.isAttached = True
        return True

    def tryAttachUntilTimeout(self) -> bool:
        """Attaches the device, which never takes long here."""
        return self.attach()

    def detach(self) -> None:
        """Releases the device."""
        self.isAttached = False

    def __enter__(self) -> "DeviceInfo":
        self.attach()
        return self

    def __exit__(self, *error: Any) -> None:
        self.detach()

    def __repr__(self) -> str:
        return f"Device Type:{self.type.name} Number of IPUs:{self.numIpus}"


def _made(kind: Any, options: Mapping[str, Any], known: Any, tiles: int,
          connection: Any) -> DeviceInfo:
    for name in options:
        if name not in known:
            raise popart_exception(f"Invalid option '{name}'; options are {', '.join(known)}")
    try:
        return DeviceInfo(kind, int(options.get("numIPUs", 1)),
                          int(options.get("tilesPerIPU", tiles)), connection,
                          str(options.get("ipuVersion", "ipu2")))
    except ValueError as error:
        raise popart_exception(f"device options {dict(options)}: {error}") from None


class DeviceManager:
    """Makes devices; any number of IPUs that is a power of two is available."""

    _only: Optional["DeviceManager"] = None

    def __new__(cls) -> "DeviceManager":
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def acquireAvailableDevice(self, numIpus: int = 1, tilesPerIpu: int = 0,
                               pattern: Any = ENUMS["SyncPattern"]["Full"],
                               connectionType: Any = _Connection["Always"],
                               selectionCriterion: Any = None) -> DeviceInfo:
        """IPUs; `tilesPerIpu` = 0 uses all tiles."""
        if numIpus < 1 or numIpus & (numIpus - 1):
            raise popart_exception(f"You have attempted to acquire {numIpus} IPUs. The number of "
                                   "IPUs requested must be a power of two")
        try:
            return DeviceInfo(_Type["Ipu"], numIpus, tilesPerIpu or 0, connectionType)
        except ValueError as error:
            raise popart_exception(f"Failed to acquire device with {numIpus} IPUs. {error}"
                                   ) from None

    def tryAcquireAvailableDevice(self, *args: Any, **kwargs: Any) -> Optional[DeviceInfo]:
        """The same, but None where there is no such device."""
        try:
            return _acquire(self, *args, **kwargs)
        except popart_exception:
            return None

    def acquireDeviceById(self, id: int, pattern: Any = None,
                          connectionType: Any = _Connection["Always"]) -> DeviceInfo:
        """One IPU."""
        return DeviceInfo(_Type["Ipu"], 1, 0, connectionType, id=id)

    def enumerateDevices(self, pattern: Any = None, numIpus: int = 1,
                         deviceType: Any = _Type["Ipu"],
                         connectionType: Any = _Connection["Always"],
                         tilesPerIPU: int = 0) -> List[DeviceInfo]:
        """The device of that number of IPUs."""
        device = self.tryAcquireAvailableDevice(numIpus, tilesPerIPU, connectionType=connectionType)
        return [device] if device else []

    def createIpuModelDevice(self, options: Mapping[str, Any]) -> DeviceInfo:
        """A model of IPUs on the host: numIPUs (1), tilesPerIPU (4), compileIPUCode, ipuVersion."""
        return _made(_Type["IpuModel"], options, _MODEL_OPTIONS, _MODEL_TILES,
                     _Connection["Always"])

    def createOfflineIPUDevice(self, opts: Mapping[str, Any]) -> DeviceInfo:
        """IPUs for which programs are compiled, but cannot run."""
        return _made(_Type["OfflineIpu"], opts, _OFFLINE_OPTIONS, 0, _Connection["Never"])

    def createCpuDevice(self) -> DeviceInfo:
        """Stands for the host: a model of one IPU with all its tiles."""
        return DeviceInfo(_Type["Cpu"], 1)

    def createSimDevice(self, options: Mapping[str, Any]) -> DeviceInfo:
        """Refused: instructions are not simulated one by one."""
        raise refused("createSimDevice", "use createIpuModelDevice")

    def setOnDemandAttachTimeout(self, attachTimeout: int) -> None:
        """How long an attempt to attach waits; nothing to wait for here."""


#: Programs replace the method of the class by one that calls tryAcquireAvailableDevice.
_acquire = DeviceManager.acquireAvailableDevice
