"""Runs a program of Keras and keeps what its compiled programs were given and returned: traced_program.py FILE PROGRAM.

The file is a pickled list, of each compiled program that ran: whether it trains, its variables before and after (name and
array), and (inputs, results) of each run, with all micro-batches one after the other. With KEEP_ALL in the environment no
dropout drops anything, so that others can compute the same.
"""
import os
import pickle
import runpy
import sys

import numpy
from simulated_keras import initializers, layers
from simulated_keras._program import Program

made = []
run = Program.run
start = layers.Dropout.__init__


class Kept:
    """A compiled program."""

    def __init__(self, program):
        self.program, self.before, self.runs = program, self.variables(program), []

    @staticmethod
    def variables(program):
        return [(variable.name, numpy.array(variable.numpy()))
                for packing in program.graph.packings.values() for variable in packing.variables]

    def plain(self):
        return {"trains": self.program._optimizer is not None, "before": self.before,
                "after": self.variables(self.program), "runs": self.runs}


def traced(program, inputs, wanted):
    kept = next((one for one in made if one.program is program), None)
    if kept is None:
        kept = Kept(program)
        made.append(kept)
    results = run(program, inputs, wanted)
    kept.runs.append(([numpy.array(array) for array in inputs.values()], [numpy.array(array) for array in results]))
    return results


def harmless(layer, rate, *arguments, **named):
    start(layer, 0.0, *arguments, **named)


if __name__ == "__main__":
    Program.run = traced
    if "KEEP_ALL" in os.environ:
        layers.Dropout.__init__ = harmless
    # With a few weights of a thousand a program's descent diverges, here and elsewhere.
    numpy.random.seed(1)
    initializers.seed_all(1)
    target = sys.argv[1]
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
    with open(target, "wb") as file:
        pickle.dump([one.plain() for one in made], file)
