"""Numbers that the tests and their references both make: reference_numbers.h is the same in C++."""
import numpy as np


def seed_of(name):
    """FNV-1a of 32 bits."""
    seed = 2166136261
    for byte in name.encode():
        seed = (seed ^ byte) * 16777619 % 2**32
    return seed


def numbers(name, shape, offset=0.0, scale=1.0):
    """offset + scale u with u from -1 to 1, in double precision."""
    seed = np.uint64(seed_of(name)) * np.uint64(2246822519) + np.uint64(374761393)
    mask = np.uint64(2**32 - 1)
    x = np.arange(int(np.prod(shape)), dtype=np.uint64)
    x = (x * np.uint64(2654435761) + seed) & mask
    for shift, factor in ((15, 2246822519), (13, 3266489917), (16, 1)):
        x ^= x >> np.uint64(shift)
        x = x * np.uint64(factor) & mask
    units = (x >> np.uint64(8)).astype(np.float64) / 2**23 - 1
    return (offset + scale * units).astype(np.float32).astype(np.float64).reshape(shape)
