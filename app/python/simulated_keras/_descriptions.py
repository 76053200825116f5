"""Models as plain data: their layers by the constructors' arguments, and how results are connected."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy

from . import _nest, _ops, _types, activations, initializers, regularizers
from ._errors import NotSimulated
from ._functional import Input, KerasTensor, OperationLayer
from ._graph import in_stage
from ._layer import Layer

_PLAIN = (bool, int, float, str)
#: Packages of objects that are described by their class and get_config().
_CONFIGURED = {"initializer": initializers, "regularizer": regularizers}


def _refuse(value: Any, of: str) -> Any:
    raise NotSimulated(f"{of}: {type(value).__name__} '{getattr(value, '__name__', value)}' in a saved model is not "
                       "simulated; save_weights() needs the weights only")


def _plain(value: Any, of: str, leaf: Optional[Callable[[Any], Any]] = None) -> Any:
    """An argument as plain data; `leaf` describes what is known elsewhere, or returns None."""
    known = leaf(value) if leaf else None
    if known is not None:
        return known
    if value is None or isinstance(value, _PLAIN):
        return value
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        made = [_plain(each, of, leaf) for each in value]
        return made if isinstance(value, list) else {"tuple": made}
    if isinstance(value, dict):
        return {"dict": [[_plain(key, of), _plain(each, of, leaf)] for key, each in value.items()]}
    if isinstance(value, slice):
        return {"slice": [_plain(each, of) for each in (value.start, value.stop, value.step)]}
    if value is Ellipsis:
        return {"ellipsis": True}
    if isinstance(value, _types.DType):
        return {"dtype": value.name}
    if isinstance(value, Layer):
        return {"layer": describe_layer(value)}
    for kind, package in _CONFIGURED.items():
        if getattr(package, type(value).__name__, None) is type(value):
            return {kind: type(value).__name__, "config": _plain(value.get_config(), of)}
    name = getattr(value, "__name__", "")
    if name and getattr(activations, name, None) is value:
        return {"activation": name}
    return _refuse(value, of)


def _value(data: Any, custom: Mapping[str, Any], leaf: Optional[Callable[[Any], Any]] = None) -> Any:
    """The argument that such data describe."""
    if isinstance(data, list):
        return [_value(each, custom, leaf) for each in data]
    if not isinstance(data, dict):
        return data
    if "tuple" in data:
        return tuple(_value(each, custom, leaf) for each in data["tuple"])
    if "dict" in data:
        return {_value(key, custom): _value(each, custom, leaf) for key, each in data["dict"]}
    if "slice" in data:
        return slice(*_value(data["slice"], custom))
    if "ellipsis" in data:
        return Ellipsis
    if "dtype" in data:
        return _types.dtype_of(data["dtype"])
    if "layer" in data:
        return layer_of(data["layer"], custom)
    if "activation" in data:
        return _public(activations, data["activation"])
    for kind, package in _CONFIGURED.items():
        if kind in data:
            return _public(package, data[kind])(**_value(data["config"], custom))
    return leaf(data) if leaf else None


def _public(package: Any, name: Any) -> Any:
    """A public name of a package.

    Raises:
        ValueError: if there is none.
    """
    found = vars(package).get(str(name))
    if str(name).startswith("_") or not callable(found):
        raise ValueError(f"'{name}' is not known")
    return found


def describe_layer(layer: Layer) -> Dict[str, Any]:
    """A layer, or a model within another."""
    from ._models import Functional, Model, Sequential
    common = {"name": layer.name, "trainable": layer.trainable, "stage": layer._stage}
    if isinstance(layer, OperationLayer):
        name = next((name for name, function in vars(_ops).items() if not name.startswith("_")
                     and getattr(function, "__wrapped__", None) is layer.function), None)
        if name is None:
            _refuse(layer.function, layer.name)
        return {"operation": name, **common}
    if type(layer) in (Functional, Sequential):
        return {"model": describe_model(layer), **common}
    if isinstance(layer, Model):
        _refuse(layer, layer.name)
    args, kwargs = layer._given
    return {"class": type(layer).__name__, "args": _plain(list(args), layer.name),
            "kwargs": _plain(dict(kwargs), layer.name), **common}


def layer_of(data: Mapping[str, Any], custom: Mapping[str, Any]) -> Layer:
    """The layer that such data describe; `custom` has classes of the script by name."""
    from . import layers
    stage = data.get("stage")
    with in_stage(stage):
        if "operation" in data:
            made: Layer = OperationLayer(_public(_ops, data["operation"]).__wrapped__)
        elif "model" in data:
            made = model_of(data["model"], custom)
        else:
            kind = custom.get(data["class"]) or (data["class"] in layers.__all__ and getattr(layers, data["class"]))
            if not kind:
                raise ValueError(f"Unknown layer: {data['class']}. Please ensure this object is passed to the "
                                 "`custom_objects` argument.")
            made = kind(*_value(data["args"], custom), **_value(data["kwargs"], custom))
    made._name, made.trainable = data["name"], data["trainable"]
    return made


def describe_model(model: Any) -> Dict[str, Any]:
    """A Sequential or a functional model.

    Raises:
        NotSimulated: naming a layer or argument that is not public.
    """
    from ._models import Sequential
    if isinstance(model, Sequential):
        entry = model._entry
        known = None if entry is None else {"shape": list(entry.shape), "dtype": entry.dtype.name}
        return {"kind": "Sequential", "name": model.name, "input": known,
                "layers": [{**describe_layer(layer), "stage": model._layer_stages[layer]} for layer in model._parts]}
    network = model._network
    places: Dict[int, List[int]] = {id(x): [-1, i] for i, x in enumerate(network.inputs)}
    own: List[Layer] = []
    calls = []

    def leaf(value: Any) -> Any:
        return {"result": places[id(value)]} if isinstance(value, KerasTensor) else None

    for number, node in enumerate(network.nodes):
        if node.layer not in own:
            own.append(node.layer)
        calls.append({"layer": own.index(node.layer), "stage": node.stage,
                      "args": _plain(list(node.args), node.layer.name, leaf),
                      "kwargs": _plain(dict(node.kwargs), node.layer.name, leaf)})
        for place, x in enumerate(_nest.flatten(node.results)):
            places[id(x)] = [number, place]
    inputs = [{"name": x.node.layer.name, "shape": list(x.shape), "dtype": x.dtype.name} for x in network.inputs]
    return {"kind": "Functional", "name": model.name, "inputs": inputs, "calls": calls,
            "layers": [describe_layer(layer) for layer in own],
            "given": _plain(model._nested_inputs, model.name, leaf),
            "outputs": _plain(network.outputs, model.name, leaf)}


def model_of(data: Mapping[str, Any], custom: Mapping[str, Any]) -> Any:
    """The model that such data describe, with new weights."""
    from ._models import Functional, Sequential
    if data["kind"] == "Sequential":
        model = Sequential(name=data["name"])
        if data["input"] is not None:
            model.add(Input(batch_shape=tuple(data["input"]["shape"]), dtype=data["input"]["dtype"]))
        for each in data["layers"]:
            model.add(layer_of(each, custom))
        return model
    results: List[List[Any]] = [[Input(batch_shape=tuple(x["shape"]), dtype=x["dtype"], name=x["name"])
                                 for x in data["inputs"]]]
    own = [layer_of(each, custom) for each in data["layers"]]

    def leaf(value: Any) -> Any:
        number, place = value["result"]
        return results[number + 1][place]

    for call in data["calls"]:
        with in_stage(call["stage"]):
            made = own[call["layer"]](*_value(call["args"], custom, leaf), **_value(call["kwargs"], custom, leaf))
        results.append(_nest.flatten(made))
    return Functional(_value(data["given"], custom, leaf), _value(data["outputs"], custom, leaf), name=data["name"])


