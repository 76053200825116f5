"""Runs a program and keeps its weights and what its sessions were given and returned: traced_program.py FILE PROGRAM.

The file is a pickled pair: the arrays of initialised tensors in order, and (inputs, anchors) of each run.
"""
import pickle
import runpy
import sys

import numpy as np
import popart

weights, runs = [], []
add = popart.Builder.addInitializedInputTensor


def added(builder, value, *arguments, **named):
    weights.append(np.array(value))
    return add(builder, value, *arguments, **named)


def traced(run):
    def call(session, stepio, *arguments, **named):
        inputs = {name: np.array(array) for name, array in stepio._inputs.items()}
        made = run(session, stepio, *arguments, **named)
        runs.append((inputs, {name: np.array(array) for name, array in stepio._outputs.items()}))
        return made
    return call


if __name__ == "__main__":
    popart.Builder.addInitializedInputTensor = added
    for kind in (popart.InferenceSession, popart.TrainingSession):
        kind.run = traced(kind.run)
    runpy.run_path(sys.argv[2], run_name="__main__")
    with open(sys.argv[1], "wb") as file:
        pickle.dump((weights, runs), file)
