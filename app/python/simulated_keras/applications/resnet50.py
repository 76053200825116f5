"""ResNet50, with the names of layers that Keras gives them (He et al., arXiv 1512.03385)."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from .. import layers
from .._functional import Input
from .._models import Model
from ..datasets._files import found

#: Filters, blocks and stride of each group of blocks.
_GROUPS = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
_EPSILON = 1.001e-5  #: of the normalisations
_EXPANSION = 4  #: channels of a block's result, as a multiple of its filters


def _convolved(x: Any, filters: int, size: int, stride: int, name: str, activate: bool,
               padding: str = "valid") -> Any:
    x = layers.Conv2D(filters, size, strides=stride, padding=padding, name=f"{name}_conv")(x)
    x = layers.BatchNormalization(epsilon=_EPSILON, name=f"{name}_bn")(x)
    return layers.Activation("relu", name=f"{name}_relu")(x) if activate else x


def _block(x: Any, filters: int, stride: int, project: bool, name: str) -> Any:
    shortcut = x
    if project:
        shortcut = _convolved(x, _EXPANSION * filters, 1, stride, f"{name}_0", False)
    y = _convolved(x, filters, 1, stride, f"{name}_1", True)
    y = _convolved(y, filters, 3, 1, f"{name}_2", True, "same")
    y = _convolved(y, _EXPANSION * filters, 1, 1, f"{name}_3", False)
    y = layers.Add(name=f"{name}_add")([shortcut, y])
    return layers.Activation("relu", name=f"{name}_out")(y)


def ResNet50(include_top: bool = True, weights: Optional[str] = "imagenet",  # noqa: N802
             input_tensor: Any = None, input_shape: Optional[Sequence[int]] = None,
             pooling: Optional[str] = None, classes: int = 1000, **kwargs: Any) -> Model:
    """Residual blocks over 50 layers.

    Args:
        weights: None for random ones, a file, or "imagenet" for Keras' file in ~/.keras/models.
    """
    inputs = input_tensor if input_tensor is not None else Input(shape=input_shape or (224, 224, 3))
    x = layers.ZeroPadding2D(3, name="conv1_pad")(inputs)
    x = _convolved(x, 64, 7, 2, "conv1", True)
    x = layers.ZeroPadding2D(1, name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for group, (filters, blocks, stride) in enumerate(_GROUPS, 2):
        for block in range(1, blocks + 1):
            x = _block(x, filters, stride if block == 1 else 1, block == 1,
                       f"conv{group}_block{block}")
    if include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        activation = kwargs.pop("classifier_activation", "softmax")
        x = layers.Dense(classes, activation=activation, name="predictions")(x)
    elif pooling == "avg":
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
    elif pooling == "max":
        x = layers.GlobalMaxPooling2D(name="max_pool")(x)
    model = Model(inputs, x, name="resnet50")
    if weights == "imagenet":
        top = "" if include_top else "_notop"
        name = f"../models/resnet50_weights_tf_dim_ordering_tf_kernels{top}.h5"
        model.load_weights(found(name, "Keras' weights of ResNet50"))
    elif weights is not None:
        model.load_weights(weights)
    return model
