"""A pva of another hand, for the capture script: values of pybind's kind, a machine with a history, and odd names.

It has the names that Graphcore's documents have, and nothing of our pva: enumerations that print as "Type.Sync", lists that
know only their length and their elements and make each element anew, ids with gaps, counters that count since the machine
was started, and texts that no one should trust.
"""

TILES = 3  # of an IPU
IPUS = 2
STARTED = 10**15  # cycles since then
SKEW = 2  # cycles by which the second IPU is later
ODD = "a/line\nbreak \x1b[31mred\x1b[0m \u202eevil \U0001f600 'q' \"d\" \\ %s {0}"
LONG = "block/" * 2000


class Value:
    """What pybind makes of a struct: its members, and nothing else."""

    def __init__(self, **members):
        self.__dict__.update(members)


class Enumerated:
    """A value of an enumeration of pybind."""

    def __init__(self, of, name, value):
        self._of, self.name, self.value = of, name, value

    def __int__(self):
        return self.value

    def __str__(self):
        return "{}.{}".format(self._of, self.name)


def enumeration(of, *names):
    members = {name: Enumerated(of, name, at) for at, name in enumerate(names)}
    return type(of, (), {"__members__": members, **members})


class Vector:
    """A list of C++: neither slices nor comparisons, and each element is another object every time."""

    def __init__(self, size, make):
        self._size, self._make = size, make

    def __len__(self):
        return self._size

    def __getitem__(self, at):
        if not isinstance(at, int):
            raise TypeError("__getitem__(): incompatible function arguments")
        if at >= self._size:
            raise IndexError()
        return self._make(at)


def vector(items):
    return Vector(len(items), lambda at: items[at])


Type = enumeration("Type", "Sequence", "Repeat", "Call", "OnTileExecute", "DoExchange", "StreamCopyMid", "Sync",
                   "OnEveryTileSwitch", "AbortOnCondition", "Breakpoint")
Kind = enumeration("Type", "Ipu", "IpuModel")
Architecture = enumeration("Architecture", "Ipu1", "Ipu2", "Ipu21")


class Program:
    Type = Type

    def __init__(self, at):
        self._id = at
        kind, self.name, self._below = PROGRAMS[at]
        self.type = Type.__members__[kind]
        if kind == "OnTileExecute":
            self.computeset = ComputeSet({900: 0, 901: 1, 902: 2}[at])
        if kind == "DoExchange":
            self.codeBytesByTile = [8] * (TILES * IPUS)
            self.estimatedCyclesByTile = vector([5] * (TILES * IPUS))

    @property
    def children(self):
        return vector([Program(at) for at in self._below])

    @property
    def controlCodeByTile(self):
        # With the children's, as the documents say.
        below = [Program(at).controlCodeByTile for at in self._below]
        return [4 + sum(of[tile] for of in below) for tile in range(TILES * IPUS)]

    @property
    def vars(self):
        return vector([Lowered(5)] if self._id == 900 else [])


# By id: kind, name, children. 7 is called by 12, which no name of pva says.
PROGRAMS = {
    40: ("Sequence", "", [3, 12, 60, 61, 41]),
    3: ("OnEveryTileSwitch", "switch", []),
    12: ("Call", "", []),
    60: ("DoExchange", ODD, []),
    61: ("AbortOnCondition", "", []),
    41: ("Repeat", "", [42]),
    42: ("Sequence", "", [900]),
    900: ("OnTileExecute", ODD, []),
    7: ("Sequence", "", [901, 902]),
    902: ("OnTileExecute", ODD, []),
    901: ("OnTileExecute", LONG, []),
}
ROOTS = [7, 40]  # the list has no others


class ComputeSet:
    def __init__(self, at):
        self.name = (ODD, LONG, ODD)[at]
        self.estimatedCyclesByTile = [0] * (TILES * IPUS)
        self._at = at

    @property
    def vertices(self):
        kind = Value(name=ODD if self._at == 1 else "poplin::Conv<half,\nfloat>", size=12)
        return vector([Value(type=kind, countByTile=[1, 2, 3, 0, 0, self._at])])


def number(at, tile):
    return 2**45 if (at, tile) == (6, 1) else at + 10 * tile


class Lowered:
    """On each tile one that lives in two intervals and one that always does; ids have gaps, and one is far away."""

    def __init__(self, at, tile=0):
        self._id, self.bytes = number(at, tile), 64 + tile
        self.name = ODD if at == 5 else "controlCode"
        self.hasUnloweredVar = at == 5
        self.alwaysLive = at == 6

    @property
    def unloweredVar(self):
        if not self.hasUnloweredVar:
            raise RuntimeError("no unlowered variable")
        return Value(_id=2**40, name="whole")


def brief(tile):
    """Only those that are not always live have a class."""
    steps = vector([Value(start=1, end=2), Value(start=3, end=4)])
    return Value(id=number(5, tile), bytes=64 + tile, tileId=tile, equivalenceClass=Value(id=77, steps=steps))


def category(bytes_):
    parts = Value(nonOverlapped=bytes_, overlapped=0)
    none = Value(nonOverlapped=0, overlapped=0)
    return Value(total=bytes_, nonInterleaved=parts, interleaved=none, overflowed=none)


def tile(at):
    always = 64 + at
    zero = Value(includingGaps=0, excludingGaps=0)
    return Value(memory=Value(
        total=Value(includingGaps=1000 + at, excludingGaps=2 * always), overflowed=zero, alwaysLiveBytes=always,
        notAlwaysLiveBytes=always, category=Value(variable=category(always), controlCode=category(always)),
        vertices=vector([Value(type=Value(name="poplin::Conv<half,\nfloat>", size=12), codeBytes=100)])))


def live(step):
    size = 64 * TILES * IPUS + sum(range(TILES * IPUS)) if step in (1, 3) else 0
    return Value(program=Program([900, 901, 60, 900, 3][step]), notAlwaysLiveMemory=Value(bytes=size),
                 notAlwaysLiveMemoryForIpu=lambda ipu: Value(bytes=size // IPUS))


class Bounds:
    def __init__(self, first, last, skew):
        self.cyclesFrom = Value(min=first, max=first + skew)
        self.cyclesTo = Value(min=max(first, last - skew), max=last)


def executed(program, start, cycles, data=0):
    """A step; a sync has no active tiles, so that their counters are 0."""
    def on(ipu):
        first = STARTED + start + SKEW * ipu
        isSync = program is None
        bounds = Bounds(first, first + cycles, 0 if isSync else 1)
        return Value(cycles=cycles, dataIn=data, dataOut=0, activeCycles=Bounds(0, 0, 0) if isSync else bounds,
                     allCycles=bounds, tileBalance=0.0 if isSync else 0.5, activeTileBalance=0.0 if isSync else 0.75)
    kind = Value(type=Type.Sync, name="External", _id=-1) if program is None else Program(program)
    sets = vector([Value(name="", cyclesByTile=[cycles + 0.25] * (TILES * IPUS))] if program in (900, 901, 902) else [])
    return Value(program=kind, ipus=Vector(IPUS, on), computeSets=sets)


def run(at):
    rows, now = [], 10_000 * at
    for program, cycles in [(3, 5), (901, 70), (902, 20), (None, 30), (60, 10)] + [(900, 40)] * 6:
        rows.append(executed(program, now, cycles))
        now += cycles
    return Value(steps=vector(rows), microseconds=Value(start=1.7e15 + at * 400, end=1.7e15 + at * 400 + 300))


class LoweredVariables:
    @property
    def allBriefVars(self):
        return Vector(TILES * IPUS, brief)

    def forTile(self, at):
        return vector([Lowered(5, at), Lowered(6, at)])


class Operation:
    def __init__(self, at):
        above = Value(id=2**33, name=ODD, layer='{"layer": "poptorch"}', json="not json", parents=vector([]),
                      location=Value(fileName="/home/x/model.py", lineNumber=3))
        # What layers write about an operation may be long.
        said = '{"op_type": "MatMul", "op_name": "m", "inputs": ["%s"]}' % ("x" * 100_000 if at else "x")
        self.name = [ODD, "second"][at]
        self.debugContext = Value(id=2**33 + 1 + at, name="m", layer="popart", json=said, parents=vector([above]),
                                  location=Value())
        self.firstStepIndex, self.lastStepIndex = 0, 3

    def programs(self):
        return vector([Program([900, 901][self.debugContext.id - 2**33 - 1])])


class OperationAnalysis:
    def __init__(self, report):
        self.operations = Vector(2, Operation)


def openReport(profile, debug=None):
    size = TILES * IPUS
    target = Value(type=Kind.Ipu, architecture=Architecture.Ipu21, numIPUs=IPUS, numReplicas=1, ipusPerReplica=IPUS,
                   tilesPerReplica=size, tilesPerIpu=TILES, numTiles=size, bytesPerTile=638976,
                   bytesPerIPU=638976 * TILES, memoryPerReplica=638976 * size, totalMemory=638976 * size,
                   clockFrequency=1_850_000_000.0, minSyncDelay=40)
    compilation = Value(
        target=target, graph=Value(numComputeSets=3, numVertices=21), tiles=Vector(size, tile),
        computeSets=Vector(3, ComputeSet), programs=vector([Program(at) for at in ROOTS]),
        loweredVariables=LoweredVariables(), livenessProgramSteps=Vector(5, live), tilesWithLivenessInfo=vector([]))
    settings = Value(compute=2, externalExchange="Tile")
    return Value(compilation=compilation, execution=Value(runs=Vector(3, run)), instrumentationSettings=settings,
                 poplarVersion=Value(string="3.4.0 (a1b2c3)"), version=Value(major=1, minor=2, point=3))
