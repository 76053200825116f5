"""Splits a model into pipeline stages, based on the memory of its layers in a profile of one IPU.

    plan_pipeline.py PROFILE STAGES

Everything named after a layer counts for that layer; layers stay in order, and the fullest stage is made as small as possible.
"""
import json
import re
import sys
from functools import lru_cache

import pva


def layer_of(name):
    """The number of a layer in a debug path ("encoder/layer.2/..." or "Layer2/..."); -1 before and after them."""
    found = re.search(r"[Ll]ayer[._/]?(\d+)", name)
    return int(found[1]) if found else -1


def bytes_by_layer(report):
    """Control code, state of vertices and variables that always live, by layer."""
    sizes = {}
    for program in report.compilation.programs:
        if program.children:
            continue
        layer = layer_of(program.name)
        size = int(program.controlCodeByTile.sum())
        if isinstance(program, pva.OnTileExecuteProgram):
            size += sum(int(kind.stateBytesByTile.sum()) for kind in program.computeset.vertices)
        sizes[layer] = sizes.get(layer, 0) + size
    for variable in report.compilation.alwaysLiveVariables:
        layer = layer_of(variable.name)
        sizes[layer] = sizes.get(layer, 0) + variable.size
    return sizes


def split(sizes, stages):
    """Ends of stages so that the fullest is smallest."""

    @lru_cache(None)
    def best(first, left):
        if left == 1:
            return sum(sizes[first:]), (len(sizes), )
        options = []
        for end in range(first + 1, len(sizes) - left + 2):
            rest, ends = best(end, left - 1)
            options.append((max(sum(sizes[first:end]), rest), (end, *ends)))
        return min(options)

    return best(0, stages)


def main():
    sizes = bytes_by_layer(pva.openReport(sys.argv[1]))
    layers = sorted(layer for layer in sizes if layer >= 0)
    fullest, ends = split([sizes[layer] for layer in layers], int(sys.argv[2]))
    print(json.dumps({"layers": {str(layer): sizes[layer] for layer in layers}, "outside": sizes.get(-1, 0),
                      "ends": list(ends), "fullest": fullest}))


if __name__ == "__main__":
    main()
