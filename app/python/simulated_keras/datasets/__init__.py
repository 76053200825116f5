"""keras.datasets: files in ~/.keras/datasets; nothing is downloaded."""
from .._errors import refuse_unknown
from . import cifar10, cifar100, fashion_mnist, imdb, mnist

__all__ = ["cifar10", "cifar100", "fashion_mnist", "imdb", "mnist"]
__getattr__ = refuse_unknown("keras.datasets", __all__)
