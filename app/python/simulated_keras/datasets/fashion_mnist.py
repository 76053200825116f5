"""Clothes."""
import gzip
import os

import numpy

from ._files import Split, found


def load_data() -> Split:
    """Images of 28 x 28 bytes and their classes, from the four files of the original."""
    def read(name: str, head: int) -> numpy.ndarray:
        path = found(os.path.join("fashion-mnist", name), f"Fashion-MNIST's {name}")
        with gzip.open(path, "rb") as file:
            return numpy.frombuffer(file.read(), numpy.uint8, offset=head)

    parts = []
    for part in ("train", "t10k"):
        labels = read(f"{part}-labels-idx1-ubyte.gz", 8)
        images = read(f"{part}-images-idx3-ubyte.gz", 16).reshape(len(labels), 28, 28)
        parts.append((images, labels))
    return parts[0], parts[1]
