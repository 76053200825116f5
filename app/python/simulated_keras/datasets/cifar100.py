"""Small photographs in a hundred classes."""
import os

from ._files import Split, found
from .cifar10 import _read


def load_data(label_mode: str = "fine") -> Split:
    """Images of 32 x 32 x 3 bytes and their classes, from the files of the original."""
    folder = found("cifar-100-python", "the unpacked folder of CIFAR-100")
    key = f"{label_mode}_labels".encode()
    return (_read(os.path.join(folder, "train"), key),  # type: ignore[return-value]
            _read(os.path.join(folder, "test"), key))
