"""Small photographs in ten classes."""
import os
import pickle

import numpy

from ._files import Split, found


def _read(path: str, key: bytes) -> tuple:
    with open(path, "rb") as file:
        batch = pickle.load(file, encoding="bytes")
    images = numpy.asarray(batch[b"data"]).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return images, numpy.asarray(batch[key], numpy.uint8).reshape(-1, 1)


def load_data() -> Split:
    """Images of 32 x 32 x 3 bytes and their classes, from the files of the original."""
    folder = found("cifar-10-batches-py", "the unpacked folder of CIFAR-10")
    parts = [_read(os.path.join(folder, f"data_batch_{i}"), b"labels") for i in range(1, 6)]
    train = tuple(numpy.concatenate(column) for column in zip(*parts))
    return train, _read(os.path.join(folder, "test_batch"), b"labels")  # type: ignore[return-value]
