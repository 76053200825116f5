"""Whole models in files: what their layers are, their weights, and how they are compiled.

A name that ends in .keras is one file, any other a folder, as of TensorFlow's own format. Files of Keras
itself are not read.
"""
from __future__ import annotations

import io
import json
import os
import zipfile
from typing import Any, Dict, List, Mapping, Optional

import numpy

from . import losses, metrics, optimizers
from ._descriptions import _public, describe_model, model_of
from ._errors import NotSimulated

_MODEL, _WEIGHTS, _STATE = "model.json", "weights.npz", "optimizer.npz"
_VERSION = 1


def _named(value: Any, package: Any) -> Any:
    """A loss or metric by name or class, also in lists."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return [_named(each, package) for each in value]
    if isinstance(value, dict):
        return {"each": {key: _named(each, package) for key, each in value.items()}}
    kind = type(value).__name__
    if getattr(package, kind, None) is type(value):
        options = {"name": value.name, **({"reduction": value.reduction, **value._given}
                                          if package is losses else {})}
        return {"class": kind, "options": options}
    name = getattr(value, "__name__", "")
    if getattr(package, name, None) is value or getattr(losses, name, None) is value:
        return name
    raise NotSimulated(f"'{name or value}' of compile() in a saved model is not simulated; save with "
                       "include_optimizer=False and compile the loaded model")


def _unnamed(data: Any, package: Any) -> Any:
    if isinstance(data, list):
        return [_unnamed(each, package) for each in data]
    if isinstance(data, dict) and "each" in data:
        return {key: _unnamed(each, package) for key, each in data["each"].items()}
    return _public(package, data["class"])(**data["options"]) if isinstance(data, dict) else data


def _compiled(model: Any) -> Optional[Dict[str, Any]]:
    if model.optimizer is None:
        return None
    return {"optimizer": type(model.optimizer).__name__, "config": model.optimizer.get_config(),
            "iterations": int(model.optimizer.iterations), "loss": _named(model.loss, losses),
            "loss_weights": model._loss_weights, "metrics": _named(model._given_metrics, metrics),
            "weighted_metrics": _named(model._weighted_metrics, metrics),
            "steps_per_execution": model._steps_per_execution}


def _arrays(values: Mapping[str, numpy.ndarray]) -> bytes:
    file = io.BytesIO()
    numpy.savez(file, **values)
    return file.getvalue()


def save_model(model: Any, path: str, include_optimizer: bool = True) -> None:
    """Writes a Sequential or a functional model.

    Raises:
        NotSimulated: for a subclassed model, or naming what a file cannot hold.
    """
    if path.endswith((".h5", ".hdf5")):
        raise NotSimulated("whole models in .h5 files are not simulated; save to a folder or to a name that ends "
                           "in .keras, or save the weights only")
    if type(model).__name__ not in ("Functional", "Sequential"):
        raise NotSimulated(f"'{model.name}' is a subclassed model, which cannot be saved as a whole; "
                           "save_weights() is simulated")
    model._reset_programs()  # the optimizer has its moments again
    described = {"version": _VERSION, "model": describe_model(model),
                 "compiled": _compiled(model) if include_optimizer else None}
    weights = {f"{i:06}": numpy.asarray(variable.numpy()) for i, variable in enumerate(model.weights)}
    parts = {_MODEL: json.dumps(described).encode(), _WEIGHTS: _arrays(weights)}
    if described["compiled"] is not None:
        parts[_STATE] = _arrays(model.optimizer.state)
    if path.endswith(".keras"):
        with open(f"{path}.part", "wb") as file, zipfile.ZipFile(file, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        os.replace(f"{path}.part", path)
        return
    os.makedirs(path, exist_ok=True)
    for name, content in parts.items():
        with open(os.path.join(path, f"{name}.part"), "wb") as file:
            file.write(content)
        os.replace(os.path.join(path, f"{name}.part"), os.path.join(path, name))


def _parts_of(path: str) -> Dict[str, bytes]:
    if os.path.isdir(path):
        names = [name for name in (_MODEL, _WEIGHTS, _STATE) if os.path.exists(os.path.join(path, name))]
        if _MODEL not in names:
            raise OSError(f"'{path}' has no {_MODEL}: only models that Model.save() has written here are read")
        found = {}
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found[name] = file.read()
        return found
    if not os.path.exists(path):
        raise OSError(f"No file or directory found at {path}")
    if not zipfile.is_zipfile(path):
        raise OSError(f"'{path}' is not a model that Model.save() has written here; "
                      "load_weights() reads the weights of Keras' .h5 files")
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name in (_MODEL, _WEIGHTS, _STATE)}


def _read_arrays(content: bytes) -> List[Any]:
    with numpy.load(io.BytesIO(content), allow_pickle=False) as file:
        return [(name, file[name]) for name in file.files]


def load_model(path: str, custom: Mapping[str, Any], compiles: bool = True) -> Any:
    """Reads a model, with classes of the script's own in `custom`.

    Raises:
        OSError: if there is no such model.
        ValueError: for a damaged file, or a class that is not given.
    """
    parts = _parts_of(path)
    try:
        described = json.loads(parts[_MODEL])
        model = model_of(described["model"], custom)
        arrays = [array for _, array in _read_arrays(parts[_WEIGHTS])]
        if arrays:
            model.set_weights(arrays)
        compiled = described["compiled"] if compiles else None
        if compiled is not None:
            optimizer = _public(optimizers, compiled["optimizer"])(**compiled["config"])
            optimizer.iterations.assign(compiled["iterations"])
            optimizer.state = dict(_read_arrays(parts[_STATE]))
            model.compile(optimizer, _unnamed(compiled["loss"], losses), _unnamed(compiled["metrics"], metrics),
                          compiled["loss_weights"],
                          weighted_metrics=_unnamed(compiled["weighted_metrics"], metrics),
                          steps_per_execution=compiled["steps_per_execution"])
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"'{path}' is damaged or of another version: {type(error).__name__}: {error}") from error
    return model
