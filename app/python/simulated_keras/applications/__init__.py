"""keras.applications: known models."""
from .._errors import refuse_unknown
from . import resnet50
from .resnet50 import ResNet50

resnet = resnet50

__all__ = ["ResNet50", "resnet", "resnet50"]
__getattr__ = refuse_unknown("keras.applications", __all__)
