"""ipu.config: IPUConfig, a tree of attributes with types and defaults."""
from __future__ import annotations

import difflib
import enum
from typing import Any, Dict, List, Tuple, Union

from . import _system


class DeviceConnectionType(enum.Enum):
    """When a program attaches to IPUs."""
    ALWAYS = "ALWAYS"
    ON_DEMAND = "ON_DEMAND"
    PRE_COMPILE = "PRE_COMPILE"
    NEVER = "NEVER"


class SelectionOrder(enum.Enum):
    """How stages follow each other over the IPUs."""
    AUTO = "AUTO"
    ZIGZAG = "ZIGZAG"
    SNAKE = "SNAKE"
    HOOF = "HOOF"


class StochasticRoundingBehaviour(enum.Enum):
    """Where halves are rounded at random."""
    OFF = 0
    ON = 1
    REPLICA_IDENTICAL_ONLY = 2

    @classmethod
    def from_bool(cls, value: bool) -> "StochasticRoundingBehaviour":
        """ON for True."""
        return cls.ON if value else cls.OFF


class MergeRemoteBuffersBehaviour(enum.Enum):
    """Whether buffers in streaming memory are joined."""
    NO_MERGING = 0
    MERGE = 1
    IF_BENEFICIAL = 2


class ExecutionProfileType(enum.Enum):
    """What a profile says of times."""
    NO_PROFILE = 0
    DEVICE_PROFILE = 1
    IPU_PROFILE = 2
    TILE_PROFILE = 3


#: Attributes with their defaults; a dict is a category. The names are IPUConfig's.
_DEFAULTS: Dict[str, Any] = {
    "auto_select_ipus": [], "select_ipus": [], "allow_recompute": False,
    "selection_order": SelectionOrder.AUTO, "serialization_output_folder": "",
    "compilation_poplar_options": {}, "gcl_poplar_options": {},
    "device_connection": {
        "type": DeviceConnectionType.ALWAYS, "version": "", "enable_remote_buffers": False},
    "convolutions": {"poplar_options": {}},
    "matmuls": {"poplar_options": {}, "clear_pass_type": False},
    "slices": {"poplar_options": {}},
    "pooling": {"poplar_options": {}},
    "norms": {"use_stable_statistics": False,
              "experimental": {"distributed_batch_norm_replica_group_size": 1}},
    "floating_point_behaviour": {"inv": False, "div0": False, "oflo": False, "nanoo": False,
                                 "esr": StochasticRoundingBehaviour.OFF, "set_all": False},
    "io_tiles": {"num_io_tiles": 0, "place_ops_on_io_tiles": False,
                 "available_memory_proportion": 0.9},
    "ipu_model": {"compile_ipu_code": True, "tiles_per_ipu": 0, "version": "ipu2"},
    "scheduling": {"algorithm": None, "maximum_scheduler_lookahead_depth": 5,
                   "maximum_scheduler_search_space_size": 64},
    "optimizations": {
        "prefetch_data_streams": True, "combine_embedding_lookups": False,
        "combine_matmuls": False, "math": {"fast": False},
        "maximum_cross_replica_sum_buffer_size": 0, "maximum_reduce_scatter_buffer_size": 0,
        "maximum_inter_ipu_copies_buffer_size": 0, "maximum_send_recv_cluster_size": 0,
        "minimum_remote_tensor_size": 128, "merge_infeed_io_copies": True,
        "merge_remote_buffers": MergeRemoteBuffersBehaviour.IF_BENEFICIAL,
        "enable_fast_math": False, "enable_graph_outlining": True},
    "experimental": {"always_rearrange_copies_on_the_host": False,
                     "enable_remote_buffer_embedding": False, "enable_prng_stability": False},
}
#: Attributes that hold a dict of strings and are no category.
_DICTS = ("poplar_options", "compilation_poplar_options", "gcl_poplar_options")
_IPU_LISTS = ("auto_select_ipus", "select_ipus")


def _is_category(name: str) -> bool:
    return isinstance(_find(_DEFAULTS, name), dict) and name.rpartition(".")[2] not in _DICTS


def _find(tree: Dict[str, Any], path: str) -> Any:
    at: Any = tree
    for part in path.split("."):
        at = at[part]
    return at


def _paths(tree: Dict[str, Any], lead: str = "") -> List[str]:
    """All attributes with their categories before them."""
    paths = []
    for key, value in tree.items():
        inner = isinstance(value, dict) and key not in _DICTS
        paths += [lead + key, *(_paths(value, f"{lead}{key}.") if inner else [])]
    return paths


class _Category:
    """Attributes under one name."""

    def __init__(self, tree: Dict[str, Any], lead: str) -> None:
        object.__setattr__(self, "_lead", lead)
        for key, value in tree.items():
            path = f"{lead}{key}"
            if isinstance(value, dict):
                value = _Category(value, f"{path}.") if _is_category(path) else dict(value)
            object.__setattr__(self, key, list(value) if isinstance(value, list) else value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._unknown(name)

    def _unknown(self, name: str) -> Exception:
        own = {key: f"{self._lead}{key}" for key in self.__dict__}
        known = {**{path.rpartition(".")[2]: path for path in _paths(_DEFAULTS)}, **own}
        near = difflib.get_close_matches(name, known, 1)
        hint = f"Did you mean '{known[near[0]]}'?" if near else ""
        return ValueError(f"'{self._lead}{name}' is not a valid attribute of this config. {hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise self._unknown(name)
        path = f"{self._lead}{name}"
        if _is_category(path):
            raise Exception(f"{path} is a category and cannot be assigned to.")
        _check(path, name, value)
        object.__setattr__(self, name, value)

    def as_tree(self) -> Dict[str, Any]:
        """All values."""
        return {key: value.as_tree() if isinstance(value, _Category) else value
                for key, value in self.__dict__.items() if key != "_lead"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Category) and self.as_tree() == other.as_tree()

    __hash__ = None  # type: ignore[assignment]


def _check(path: str, name: str, value: Any) -> None:
    """Raises TypeError for a value of another type than the default's."""
    default = _find(_DEFAULTS, path)
    kind: Union[type, Tuple[type, ...]] = type(default)
    text = type(default).__name__
    if name in _IPU_LISTS:
        kind, text = (int, list, tuple), "int or list"
    elif default is None:
        return
    elif isinstance(default, float):
        kind = (float, int)
    if not isinstance(value, kind) or (isinstance(value, bool) and not isinstance(default, bool)):
        if isinstance(default, StochasticRoundingBehaviour) and isinstance(value, bool):
            return
        raise TypeError(f"Trying to set {path} to {value}, but it must be of type {text}")
    if name == "select_ipus" and isinstance(value, (list, tuple)) and len(set(value)) < len(value):
        raise ValueError("All MultiIPU indices in `select_ipus` must be unique.")


class IPUConfig(_Category):
    """The configuration of a process' IPUs; it acts when configure_ipu_system() is called."""

    def __init__(self) -> None:
        super().__init__(_DEFAULTS, "")

    def configure_ipu_system(self, device: str = "cpu") -> None:
        """Takes the present values."""
        import copy
        _system.configure(copy.deepcopy(self))

    def to_dict(self) -> Dict[str, Any]:
        """All values."""
        return self.as_tree()


def configure_ipu_system(config: IPUConfig, device: str = "cpu", reset: bool = True) -> None:
    """The same as a function."""
    config.configure_ipu_system(device)


def reset_ipu_configuration() -> None:
    """Forgets the configuration."""
    _system.reset()


def get_ipu_config() -> Any:
    """The configuration that was taken."""
    config = _system.configuration()
    if config is None:
        raise RuntimeError("No IPU devices configured.")
    return config
