"""Digits."""
from ._files import Split, load_split


def load_data(path: str = "mnist.npz") -> Split:
    """Images of 28 x 28 bytes and their digits."""
    return load_split(path, "MNIST's mnist.npz (x_train, y_train, x_test, y_test)")
