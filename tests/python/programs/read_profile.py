"""Reads a profile with libpva: target, memory, programs, steps.

    read_profile.py PROFILE
"""
import sys
from collections import Counter

import pva


class Visitor(pva.ProgramVisitor):
    """Counts programs by kind, and the vertices of compute sets."""

    def __init__(self):
        super().__init__()
        self.kinds = Counter()
        self.vertices = 0

    def visitOnTileExecute(self, onTileExecute):
        self.kinds["execute"] += 1
        self.vertices += sum(int(kind.countByTile.sum())
                             for kind in onTileExecute.computeset.vertices)

    def visitDoExchange(self, doExchange):
        self.kinds["exchange"] += 1

    def visitStreamCopyMid(self, streamCopy):
        self.kinds["stream"] += 1


def main():
    report = pva.openReport(sys.argv[1])
    compilation = report.compilation
    target = compilation.target
    print("tiles", target.numTiles, "on", target.numIPUs, "IPUs at", target.clockFrequency)
    memory = [tile.memory for tile in compilation.tiles]
    print("most on a tile", max(tile.total.includingGaps for tile in memory))
    print("variables", sum(tile.category.variable.total for tile in memory))
    visitor = Visitor()
    for program in compilation.programs:
        program.accept(visitor)
    print("executes", visitor.kinds["execute"], "exchanges", visitor.kinds["exchange"], "streams",
          visitor.kinds["stream"], "vertices", visitor.vertices)
    live = [step.notAlwaysLiveMemory.bytes for step in compilation.livenessProgramSteps]
    print("most live", max(live), "of", len(live), "steps")
    for run in report.execution.runs:
        kinds = Counter(type(step.program).__name__ for step in run.steps)
        print("run", run.name, "of", len(run.steps), "steps, most of them", kinds.most_common(1)[0][0])
    busiest = max(report.execution.steps, key=lambda step: int(step.cyclesByTile.max()))
    print("longest", busiest.program.name)


if __name__ == "__main__":
    main()
