"""How threads that compute wait for each other, set before the library of these threads is loaded.

OpenMP's threads spin while they wait. Next to any other busy process that makes each small product many
times slower, so that they sleep instead. The library reads the environment once: where a program has
imported PyTorch before, its threads stay as they are.
"""
import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
