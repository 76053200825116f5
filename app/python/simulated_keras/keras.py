"""The module `keras`, which is also `tf.keras` and `tensorflow.keras`."""
from __future__ import annotations

from types import ModuleType
from typing import Any, Dict

from . import (activations, applications, callbacks, datasets, initializers, layers, losses, metrics,
               optimizers, regularizers, utils)
from ._errors import make_module, refuse_unknown
from ._functional import Input
from ._ipu_options import PipelineSchedule
from ._layer import forget_names
from ._models import Functional, Model, Sequential, load_model
from ._stages import PipelineStage

__version__ = "2.6.0"

models = make_module("keras.models", "Classes of models.", Model=Model, Sequential=Sequential,
                     Functional=Functional, load_model=load_model,
                     save_model=lambda model, filepath, **named: model.save(filepath, **named))
backend = make_module("keras.backend", "Numbers of Keras.", epsilon=lambda: 1e-7,
                      clear_session=forget_names, floatx=lambda: "float32",
                      image_data_format=lambda: "channels_last")
sequence = make_module("keras.preprocessing.sequence", "Rows of one length.",
                       pad_sequences=utils.pad_sequences)
preprocessing = make_module("keras.preprocessing", "Data before training.", sequence=sequence)
ipu = make_module("keras.ipu", "Graphcore's additions.", PipelineStage=PipelineStage,
                  PipelineSchedule=PipelineSchedule)
schedules = make_module("keras.optimizers.schedules", "Step sizes for each update.",
                        **{name: getattr(optimizers, name) for name in (
                            "CosineDecay", "ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule",
                            "PiecewiseConstantDecay", "PolynomialDecay")})
setattr(optimizers, "schedules", schedules)

for _module, _name in ((activations, "activations"), (callbacks, "callbacks"), (losses, "losses"),
                       (metrics, "metrics"), (optimizers, "optimizers"), (utils, "utils"),
                       (initializers, "initializers"), (regularizers, "regularizers")):
    setattr(_module, "__getattr__", refuse_unknown(f"keras.{_name}", list(vars(_module))))

__all__ = ["Functional", "Input", "Model", "Sequential", "activations", "applications", "backend",
           "callbacks", "datasets", "initializers", "ipu", "layers", "losses", "metrics", "models",
           "optimizers", "preprocessing", "regularizers", "utils"]
__getattr__ = refuse_unknown("keras", __all__)


def modules() -> Dict[str, Any]:
    """All modules below keras by their paths, for `import keras.layers`."""
    found: Dict[str, Any] = {}

    def add(path: str, module: Any) -> None:
        found[path] = module
        for name, value in list(vars(module).items()):
            inner = isinstance(value, ModuleType) and not name.startswith("_")
            if inner and (value.__name__.startswith(("simulated_keras.", "keras."))):
                if value is not module and f"{path}.{name}" not in found and path.count(".") < 4:
                    add(f"{path}.{name}", value)

    for name in __all__:
        value = globals()[name]
        if isinstance(value, ModuleType):
            add(name, value)
    return found
