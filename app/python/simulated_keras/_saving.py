"""Weights in files: numpy's .npz, and .h5 where h5py is installed."""
from __future__ import annotations

import os
from typing import Any, Dict, List

import numpy


def _named(model: Any) -> Dict[str, numpy.ndarray]:
    """The values by the variables' names; a number is added to names that occur twice."""
    arrays: Dict[str, numpy.ndarray] = {}
    for number, variable in enumerate(model.weights):
        name = variable.name if variable.name not in arrays else f"{variable.name}_{number}"
        arrays[name] = numpy.asarray(variable.numpy())
    return arrays


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise ImportError("weights in .h5 files need the package h5py (python3-h5py); a name that "
                          "ends in .npz needs nothing") from error
    return h5py


def save_weights(model: Any, path: str) -> None:
    """Writes all variables of a model."""
    arrays = _named(model)
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    if path.endswith((".h5", ".hdf5")):
        with _h5py().File(path, "w") as file:
            file.attrs["weight_names"] = [name.encode() for name in arrays]
            for name, array in arrays.items():
                file.create_dataset(name, data=array)
        return
    with open(path if path.endswith(".npz") else f"{path}.npz", "wb") as file:
        numpy.savez(file, **arrays)


def _read(path: str) -> List[numpy.ndarray]:
    if path.endswith((".h5", ".hdf5")):
        with _h5py().File(path, "r") as file:
            return [numpy.asarray(file[_text(name)])
                    for name in file.attrs["weight_names"]]
    with numpy.load(path if path.endswith(".npz") else f"{path}.npz") as file:
        return [file[name] for name in file.files]


def _read_layers(file: Any, layers: List[Any]) -> None:
    """Reads a file of Keras itself, which has a group of weights for each layer."""
    names = [_text(name) for name in file.attrs["layer_names"]]
    groups = [group for group in (file[name] for name in names) if len(group.attrs["weight_names"])]
    own = [layer for layer in layers if layer.weights]
    if len(own) != len(groups):
        raise ValueError(f"You are trying to load a weight file containing {len(groups)} layers into "
                         f"a model with {len(own)} layers.")
    for layer, group in zip(own, groups):
        layer.set_weights([numpy.asarray(group[_text(name)])
                           for name in group.attrs["weight_names"]])


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def load_weights(model: Any, path: str) -> None:
    """Reads all variables of a model, in the order in which they were written."""
    if path.endswith((".h5", ".hdf5")):
        with _h5py().File(path, "r") as file:
            if "layer_names" in file.attrs:
                _read_layers(file, model.layers)
                return
    model.set_weights(_read(path))
