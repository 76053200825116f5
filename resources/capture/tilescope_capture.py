#!/usr/bin/env python3
"""Copies a profile of Graphcore's Poplar into a capture, which 'tilescope import' reads.

Runs where Poplar's SDK is: Python 3.6 or later and the SDK's module pva, nothing else. It reads the profile through
pva's documented names only and writes one SQLite file. What this version of pva lacks is recorded and left out.
A trace of the host, FILE.pvti, becomes trace events in JSON (-o NAME.json), which TileScope and others open.
Status: 0 everything was captured, 1 parts are missing, 2 the input or the command is wrong.
"""
import argparse
import hashlib
import itertools
import json
import operator
import os
import sqlite3
import sys
import time
from array import array

FORMAT = 1  # user_version of the file
APPLICATION_ID = 0x54534350  # the letters "TSCP"

# Blobs are LEB128 numbers. A series has a value for each tile as runs: their count, then for each run the tiles since
# the end of the one before, its length, and the zigzag difference of its value from the one before.
SCHEMA = """
-- What was captured, from what, by what; the machine is in target.*. Values that pva lacks have no row.
CREATE TABLE info(key TEXT PRIMARY KEY, value);
-- Parts of the capture: state is done, empty, failed or skipped.
CREATE TABLE sections(name TEXT PRIMARY KEY, state TEXT, rows INTEGER, seconds REAL, detail TEXT);
-- Names of pva: how often each was asked for and how often it failed, with the first error.
CREATE TABLE names(name TEXT PRIMARY KEY, asked INTEGER, failed INTEGER, optional INTEGER, error TEXT);
CREATE TABLE series(id INTEGER PRIMARY KEY, data BLOB);
-- Bytes of each tile of a replica. *_series are ids in series, here and below; NULL where pva has no value.
CREATE TABLE tiles(tile INTEGER PRIMARY KEY, including_gaps INTEGER, excluding_gaps INTEGER,
    overflowed_including INTEGER, overflowed_excluding INTEGER, always_live INTEGER, not_always_live INTEGER);
CREATE TABLE tile_categories(category TEXT, region TEXT, overlapped INTEGER, bytes_series INTEGER);
CREATE TABLE vertex_types(id INTEGER PRIMARY KEY, name TEXT, size INTEGER, code_series INTEGER);
CREATE TABLE compute_sets(id INTEGER PRIMARY KEY, name TEXT, estimated_series INTEGER);
CREATE TABLE vertex_instances(compute_set INTEGER, vertex_type INTEGER, count_series INTEGER);
-- context: the debug context; estimated_series: of an exchange.
CREATE TABLE programs(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, compute_set INTEGER, repeats INTEGER,
    target INTEGER, code_series INTEGER, control_code_series INTEGER, estimated_series INTEGER, context INTEGER);
CREATE TABLE program_children(program INTEGER, position INTEGER, child INTEGER, PRIMARY KEY(program, position));
-- kind: control or function.
CREATE TABLE roots(kind TEXT, position INTEGER, program INTEGER);
-- Groups of lowered variables that a program uses: differences of ascending ids.
CREATE TABLE program_variables(program INTEGER PRIMARY KEY, variables BLOB);
-- Steps over which variables of a class live: pairs (steps since the end of the interval before, length).
CREATE TABLE classes(id INTEGER PRIMARY KEY, intervals BLOB);
-- Lowered variables of one name, class and whole variable are one group. always_live: NULL if pva does not say.
CREATE TABLE variables(id INTEGER PRIMARY KEY, name TEXT, category TEXT, whole TEXT, always_live INTEGER,
    class INTEGER, pieces INTEGER, bytes_series INTEGER);
-- Live bytes; ipu_series has a value for each IPU.
CREATE TABLE liveness_steps(step INTEGER PRIMARY KEY, program INTEGER, bytes INTEGER, ipu_series INTEGER);
CREATE TABLE recorded_tiles(tile INTEGER);
CREATE TABLE runs(id INTEGER PRIMARY KEY, name TEXT, steps INTEGER, start_us REAL, end_us REAL);
-- What steps on an IPU have in common. span: from the first tile's start to the last one's end.
CREATE TABLE step_kinds(id INTEGER PRIMARY KEY, program INTEGER, type TEXT, ipu INTEGER, cycles INTEGER, span INTEGER,
    from_skew INTEGER, to_skew INTEGER, data_in INTEGER, data_out INTEGER, balance REAL, active_balance REAL,
    active_tiles INTEGER);
-- Executed steps of a run, in order: pairs (2 * kind + 1 if a step begins, zigzag difference of its start from the end
-- of the step before on that IPU); a span that is NULL counts as cycles.
CREATE TABLE step_chunks(run INTEGER, position INTEGER, rows INTEGER, data BLOB, PRIMARY KEY(run, position));
-- Measured cycles by tile of one execution.
CREATE TABLE measured(program INTEGER PRIMARY KEY, cycles_series INTEGER);
CREATE TABLE contexts(id INTEGER PRIMARY KEY, name TEXT, layer TEXT, json TEXT, parent INTEGER, file TEXT,
    line INTEGER);
CREATE TABLE operations(id INTEGER PRIMARY KEY, name TEXT, context INTEGER, first_step INTEGER, last_step INTEGER,
    flops REAL, programs BLOB);
"""

TARGET = ("type architecture numIPUs numReplicas ipusPerReplica tilesPerReplica tilesPerIpu numTiles bytesPerTile "
          "bytesPerIPU memoryPerReplica totalMemory clockFrequency minSyncDelay").split()
GRAPH = "numComputeSets numVertices numEdges numVars".split()
CATEGORIES = """vertexCode vertexInstanceState vertexFieldData vectorListDescriptor copyDescriptor internalExchangeCode
globalExchangeCode hostExchangeCode globalExchangePacketHeader hostExchangePacketHeader controlCode controlId
controlTable constant instrumentationResults stack variable message globalMessage hostMessage multiple outputEdge
rearrangement sharedCodeStorage sharedDataStorage""".split()
EXCHANGES = ("DoExchange", "GlobalExchange")
TIMED_BY_TILE = ("OnTileExecute",) + EXCHANGES
CONTROL = ("Sequence", "Repeat", "Call", "Switch")
BATCH = 5000  # rows of a statement
CHUNK = 1 << 16  # bytes of steps in a row
LONGEST = 16000  # characters of a text: its reader takes no more than 65,536 bytes


def number(out, value):
    """Appends a LEB128 number."""
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def zigzag(value):
    return value * 2 if value >= 0 else -value * 2 - 1


def whole(value):
    return None if value is None else int(value)


def plain(value):
    """The name of a value of pva's enumerations; None and numbers as they are."""
    if value is None or isinstance(value, (int, float)) and not hasattr(value, "name"):
        return value
    return str(getattr(value, "name", None) or str(value).split(".")[-1])


def text(value):
    """Names may be longer than anyone reads."""
    return None if value is None else str(value)[:LONGEST]


def short_json(said):
    """What a layer said about its operation, as JSON; of a long one the short members."""
    if said is None or len(str(said)) <= LONGEST:
        return None if said is None else str(said)
    try:
        members = sorted(json.loads(str(said)).items())
    except (AttributeError, TypeError, ValueError):
        return None
    kept, left = {}, LONGEST
    for key, value in members:
        length = len(json.dumps({key: value}))
        if length < min(left, LONGEST // 4):
            kept[key] = value
            left -= length
    return json.dumps(kept)


def ascending(values):
    """A blob of ids."""
    out, before = bytearray(), 0
    for value in sorted(values):
        number(out, value - before)
        before = value
    return bytes(out)


def packed_numbers(values):
    """A list, or an array of numpy."""
    if str(getattr(values, "dtype", "")) != "int64":
        try:
            return array("q", values)
        except TypeError:  # cycles may be estimated in parts
            return array("q", map(int, values))
    packed = array("q")
    packed.frombytes(values.tobytes())
    return packed


class Runs:
    """Runs of equal values, given in the order of their tiles; several values of a tile are added up."""

    __slots__ = ("flat", "at", "value", "length")

    def __init__(self):
        self.flat = array("q")  # first, end, value of each run
        self.at, self.value, self.length = -1, 0, 1

    def add(self, at, value, length=1):
        if at == self.at:
            self.value += value
        else:
            self.close()
            self.at, self.value, self.length = at, value, length

    def close(self):
        flat, at = self.flat, self.at
        if not self.value:
            return
        if flat and flat[-2] == at and flat[-1] == self.value:
            flat[-2] += self.length
        else:
            flat.extend((at, at + self.length, self.value))
        self.value = 0

    def data(self):
        self.close()
        flat, out, end, before = self.flat, bytearray(), 0, 0
        number(out, len(flat) // 3)
        for i in range(0, len(flat), 3):
            number(out, flat[i] - end)
            number(out, flat[i + 1] - flat[i])
            number(out, zigzag(flat[i + 2] - before))
            end, before = flat[i + 1], flat[i + 2]
        return bytes(out)


class NumberById:
    """Numbers by ids, which are millions and close together: not a dictionary, except for ids that are far away."""

    CLOSE = 1 << 27

    def __init__(self):
        self.close, self.far = array("q"), {}

    def put(self, at, value):
        if not 0 <= at < self.CLOSE:
            self.far[at] = value
            return
        if at >= len(self.close):
            self.close.extend([-1] * (at + 1 - len(self.close)))
        self.close[at] = value

    def get(self, at):
        if 0 <= at < len(self.close):
            found = self.close[at]
            return None if found < 0 else found
        return self.far.get(at)


class Name:
    """A dotted name of pva, which may be missing: then it is None."""

    def __init__(self, path):
        self.path = path
        self.optional = path.endswith("?")
        path = path.rstrip("?")
        self.calls = path.endswith("()")
        self.read = operator.attrgetter(path.replace("()", "").split(".", 1)[1])
        self.asked = self.failed = 0
        self.error = None

    def __call__(self, thing, *arguments):
        if thing is None:
            return None
        self.asked += 1
        try:
            found = self.read(thing)
            return found(*arguments) if self.calls else found
        except Exception as error:  # whatever this pva raises
            self.failed += 1
            self.error = self.error or "{}: {}".format(type(error).__name__, str(error)[:200])
            return None

    def items(self, thing):
        """The same for a list that may be missing."""
        found = self(thing)
        return () if found is None else found


class Names(dict):
    """Name by "Owner.path"; "()" at the end calls it, "?" says that nothing is amiss without it."""

    def __missing__(self, path):
        self[path] = Name(path)
        return self[path]


class Skipped(Exception):
    """A section that was not wanted."""


class File:
    """The capture that is written."""

    def __init__(self, path):
        self.path, self.part = path, path + ".part"
        self.discard()
        self.db = sqlite3.connect(self.part, isolation_level=None)
        self.db.executescript("PRAGMA application_id={}; PRAGMA user_version={}; PRAGMA journal_mode=OFF; "
                              "PRAGMA synchronous=OFF; BEGIN; {}".format(APPLICATION_ID, FORMAT, SCHEMA))
        self.series_ids, self.seen = {}, {}
        self.tiles = 0  # of a replica: others have the same

    def discard(self):
        if os.path.exists(self.part):
            os.remove(self.part)

    def commit(self):
        self.db.execute("COMMIT")
        self.db.close()
        os.replace(self.part, self.path)

    def row(self, table, *values):
        self.rows(table, [values])

    def rows(self, table, rows):
        """Writes rows as they come; returns their number."""
        rows, count = iter(rows), 0
        while True:
            batch = list(itertools.islice(rows, BATCH))
            if not batch:
                return count
            self.db.executemany("INSERT INTO {} VALUES({})".format(table, ",".join("?" * len(batch[0]))), batch)
            count += len(batch)

    def series_of(self, data):
        found = self.series_ids.get(data)
        if found is None:
            found = self.series_ids[data] = len(self.series_ids)
            self.row("series", found, data)
        return found

    def series(self, values):
        """The id of a list of values by tile (or IPU); None for None."""
        if values is None:
            return None
        packed = packed_numbers(values)
        if self.tiles:
            packed = packed[:self.tiles]
        key = hashlib.md5(packed.tobytes()).digest()
        if key not in self.seen:
            runs, at = Runs(), 0
            for value, group in itertools.groupby(packed):
                length = sum(1 for _ in group)
                runs.add(at, value, length)
                at += length
            self.seen[key] = self.series_of(runs.data())
        return self.seen[key]


class Steps:
    """The executed steps of a run, in chunks."""

    def __init__(self, file, run, kinds):
        self.file, self.run, self.kinds = file, run, kinds
        self.out, self.rows, self.position, self.ends = bytearray(), 0, 0, {}

    def add(self, kind, start, begins):
        found = self.kinds.get(kind)
        if found is None:
            found = self.kinds[kind] = len(self.kinds)
            self.file.row("step_kinds", found, *kind)
        ipu, length = kind[2], kind[3] if kind[4] is None else kind[4]
        end = self.ends.get(ipu, 0)
        start = end if start is None else start
        number(self.out, 2 * found + begins)
        number(self.out, zigzag(start - end))
        self.ends[ipu] = start + length
        self.rows += 1
        if len(self.out) >= CHUNK:
            self.flush()

    def flush(self):
        if self.rows:
            self.file.row("step_chunks", self.run, self.position, self.rows, bytes(self.out))
            self.position += 1
            self.out, self.rows = bytearray(), 0


class Capture:
    """Reads a report, section by section."""

    def __init__(self, file, names, report, pva, options):
        self.file, self.names, self.report, self.pva, self.options = file, names, report, pva, options
        self.compilation = report.compilation
        self.types, self.code, self.contexts = {}, {}, {}
        self.set_ids, self.sets_by_name, self.set_contents = {}, {}, {}  # places of compute sets
        self.lowered = NumberById()  # group of each lowered variable
        target = self.compilation.target
        self.ipus = whole(names["Target.ipusPerReplica"](target)) or whole(names["Target.numIPUs"](target)) or 1
        file.tiles = whole(names["Target.tilesPerReplica"](target)) or len(self.compilation.tiles)

    def info(self):
        names, c, rows = self.names, self.compilation, {}
        for owner, thing, paths in (("Target", c.target, TARGET), ("Graph", names["Compilation.graph"](c), GRAPH)):
            for path in paths:
                rows[owner.lower() + "." + path] = plain(names[owner + "." + path](thing))
        rows["target.tiles"] = self.file.tiles
        rows["poplar"] = names["Report.poplarVersion.string"](self.report)
        for part in ("major", "minor", "point"):
            rows["report." + part] = names["Report.version." + part](self.report)
        for part in ("compute", "externalExchange"):
            rows["instrumentation." + part] = plain(names["Report.instrumentationSettings." + part](self.report))
        timestamp = names["Compilation.timestamp"](c)
        rows["timestamp"] = None if timestamp is None else str(timestamp)
        options = names["Compilation.engineOptions"](c)
        rows["engineOptions"] = json.dumps(options) if isinstance(options, dict) else None
        kinds = names["Program.Type.__members__"](getattr(self.pva, "Program", None))
        rows["programKinds"] = " ".join(kinds) if kinds else None
        return self.file.rows("info", [(key, value) for key, value in rows.items() if value is not None])

    def vertex_type(self, kind):
        key = (text(self.names["VertexType.name"](kind)) or "", whole(self.names["VertexType.size"](kind)))
        return self.types.setdefault(key, len(self.types))

    def tiles(self):
        names, rows, regions = self.names, [], {}
        totals = [names["TileMemory." + path] for path in (
            "total.includingGaps", "total.excludingGaps", "overflowed.includingGaps", "overflowed.excludingGaps",
            "alwaysLiveBytes", "notAlwaysLiveBytes")]
        categories = [(name, names["Categories.{}?".format(name)]) for name in CATEGORIES]
        parts = [(region, lap, names["CategoryBytes.{}.{}".format(region, lap)])
                 for region in ("nonInterleaved", "interleaved", "overflowed") for lap in ("nonOverlapped", "overlapped")]
        total = names["CategoryBytes.total"]
        for at, tile in enumerate(itertools.islice(self.compilation.tiles, self.file.tiles)):
            memory = names["Tile.memory"](tile)
            rows.append((at,) + tuple(whole(read(memory)) for read in totals))
            category = names["TileMemory.category"](memory)
            for name, read in categories:
                of = read(category)
                if not total(of):
                    continue
                known = 0
                for region, lap, part in parts:
                    value = whole(part(of)) or 0
                    known += value
                    if value:
                        regions.setdefault((name, region, int(lap == "overlapped")), Runs()).add(at, value)
                if not known:
                    regions.setdefault((name, None, None), Runs()).add(at, int(total(of)))
            for vertices in names["TileMemory.vertices"].items(memory):
                size = whole(names["VertexMemory.codeBytes"](vertices))
                if size:
                    kind = self.vertex_type(names["VertexMemory.type"](vertices))
                    self.code.setdefault(kind, Runs()).add(at, size)
        self.file.rows("tile_categories", [key + (self.file.series_of(of.data()),) for key, of in regions.items()])
        return self.file.rows("tiles", rows)

    def compute_sets(self):
        names, count = self.names, 0
        for at, item in enumerate(self.compilation.computeSets):
            name = text(names["ComputeSet.name"](item)) or ""
            number_ = names["ComputeSet._id"](item)
            if number_ is not None:
                self.set_ids[number_] = at
            self.sets_by_name.setdefault(name, []).append(at)
            self.file.row("compute_sets", at, name, self.file.series(names["ComputeSet.estimatedCyclesByTile"](item)))
            for vertices in names["ComputeSet.vertices"].items(item):
                self.file.row("vertex_instances", at, self.vertex_type(names["VertexInstances.type"](vertices)),
                              self.file.series(names["VertexInstances.countByTile"](vertices)))
            count += 1
        for (name, size), at in self.types.items():
            code = self.code.get(at)
            self.file.row("vertex_types", at, name, size, code and self.file.series_of(code.data()))
        return count

    def context(self, thing):
        """The id of a debug context, which is written with those above it."""
        names = self.names
        key = whole(names["DebugContext.id"](thing))
        if key is None or key in self.contexts:
            return key
        self.contexts[key] = None
        above = [self.context(parent) for parent in names["DebugContext.parents"].items(thing)]
        layer = names["DebugContext.layer"](thing)
        try:
            layer = json.loads(layer)["layer"]
        except (TypeError, ValueError, KeyError):
            layer = plain(layer)
        self.contexts[key] = (key, text(names["DebugContext.name"](thing)), text(layer),
                              short_json(names["DebugContext.json"](thing)), above[0] if above else None,
                              text(names["DebugContext.location.fileName?"](thing)),
                              whole(names["DebugContext.location.lineNumber?"](thing)))
        return key

    def content(self, compute_set):
        """What tells compute sets of one name apart where they have no ids."""
        names, digest_ = self.names, hashlib.md5()
        for of in names["ComputeSet.vertices"].items(compute_set):
            digest_.update(b"%d " % self.vertex_type(names["VertexInstances.type"](of)))
            digest_.update(packed_numbers(names["VertexInstances.countByTile"].items(of)).tobytes())
        digest_.update(packed_numbers(names["ComputeSet.estimatedCyclesByTile"].items(compute_set)).tobytes())
        return digest_.digest()

    def set_of(self, program):
        found = self.names["OnTileExecute.computeset"](program)
        number_ = self.names["ComputeSet._id"](found)
        if number_ in self.set_ids:
            return self.set_ids[number_]
        named = self.sets_by_name.get(text(self.names["ComputeSet.name"](found)), [])
        if len(named) > 1:
            content = self.content(found)
            for at in named:
                if at not in self.set_contents:
                    self.set_contents[at] = self.content(self.compilation.computeSets[at])
                if self.set_contents[at] == content:
                    return at
        return named[0] if named else None

    def every_program(self):
        """Each program once, whether the list has those within others or not."""
        seen = set()
        for listed in self.compilation.programs:
            open_ = [listed]
            while open_:
                program = open_.pop()
                if program._id not in seen:
                    seen.add(program._id)
                    yield program
                    open_.extend(self.names["Program.children"].items(program))

    def programs(self):
        names, series, count = self.names, self.file.series, 0
        for program in self.every_program():
            at, kind = program._id, plain(program.type)
            children = [child._id for child in names["Program.children"].items(program)]
            self.file.rows("program_children", [(at, place, child) for place, child in enumerate(children)])
            moves = kind in EXCHANGES
            target = names["Call.target"](program) if kind == "Call" else None
            self.file.row(
                "programs", at, kind, text(names["Program.name"](program)) or "",
                self.set_of(program) if kind == "OnTileExecute" else None,
                whole(names["Repeat.count"](program)) if kind == "Repeat" else None,
                None if target is None else target._id,
                series(names["Exchange.codeBytesByTile"](program)) if moves else None,
                series(names["Program.controlCodeByTile"](program)),
                series(names["Exchange.estimatedCyclesByTile"](program)) if moves else None,
                self.context(names["Program.debugContext"](program)))
            count += 1
        for kind in ("control", "function"):
            roots = names["Compilation.{}Programs".format(kind)].items(self.compilation)
            self.file.rows("roots", [(kind, place, root._id) for place, root in enumerate(roots)])
        return count

    def classes_of_variables(self):
        """The liveness class of each lowered variable by its id."""
        of, written = NumberById(), set()
        for brief in self.names["LoweredVariables.allBriefVars"].items(self.compilation.loweredVariables):
            live = brief.equivalenceClass
            of.put(brief.id, live.id)
            if live.id not in written:
                written.add(live.id)
                out, end = bytearray(), 0
                for interval in live.steps:
                    number(out, interval.start - end)
                    number(out, interval.end - interval.start)
                    end = interval.end
                self.file.row("classes", live.id, bytes(out))
        return of

    def variables(self):
        if self.options.no_variables:
            raise Skipped
        names, groups, lowered = self.names, {}, self.compilation.loweredVariables
        category, always = names["LoweredVariable.category"], names["LoweredVariable.alwaysLive"]
        has_whole, whole_of = names["LoweredVariable.hasUnloweredVar"], names["LoweredVariable.unloweredVar"]
        whole_id, whole_name = names["UnloweredVariable._id"], names["UnloweredVariable.name"]
        count = 0
        try:
            classes = self.classes_of_variables()
        except Exception as error:  # whatever this pva raises; the bytes are known without
            classes, missing = NumberById(), names["LoweredVariables.allBriefVars"]
            missing.asked = missing.failed = max(missing.asked, 1)
            missing.error = "{}: {}".format(type(error).__name__, str(error)[:200])
        for tile in range(self.file.tiles):
            for item in lowered.forTile(tile):
                of = whole_of(item) if has_whole(item) else None
                same = whole_id(of)
                if of is not None and same is None:
                    same = whole_name(of)
                at = item._id
                key = (text(item.name), plain(category(item)), None if same is None else str(same), always(item),
                       classes.get(at))
                found = groups.get(key)
                if found is None:
                    found = groups[key] = (len(groups), Runs(), array("q", [0]))
                found[1].add(tile, int(item.bytes))
                found[2][0] += 1
                self.lowered.put(at, found[0])
                count += 1
        self.file.rows("variables", ((at,) + key[:3] + (whole(key[3]), key[4], pieces[0],
                                                        self.file.series_of(runs.data()))
                                     for key, (at, runs, pieces) in groups.items()))
        return count

    def program_variables(self):
        if self.options.no_variables:
            raise Skipped
        names, lowered, count = self.names, self.lowered, 0
        for program in self.every_program():
            if plain(program.type) in CONTROL:
                continue
            used = {lowered.get(v._id) for v in names["Program.vars"].items(program)}
            used.discard(None)
            if used:
                self.file.row("program_variables", program._id, ascending(used))
                count += 1
        return count

    def liveness(self):
        names = self.names
        tiles = names["Compilation.tilesWithLivenessInfo"].items(self.compilation)
        self.file.rows("recorded_tiles", [(whole(names["Tile.id"](tile)),) for tile in tiles])
        program, total = names["LivenessProgramStep.program._id"], names["LivenessProgramStep.notAlwaysLiveMemory.bytes"]
        live, size = names["LivenessProgramStep.notAlwaysLiveMemoryForIpu()"], names["LiveMemory.bytes"]

        def of(step):
            by_ipu = [whole(size(live(step, ipu))) for ipu in range(self.ipus)] if self.ipus > 1 else [None]
            return None if None in by_ipu else self.file.series(by_ipu)
        return self.file.rows("liveness_steps", ((at, program(step), whole(total(step)), of(step)) for at, step
                                                 in enumerate(self.compilation.livenessProgramSteps)))

    def step_reader(self):
        """A function that yields what a step does on each IPU: its kind without the program, and its start."""
        names = self.names
        bounds = [[names["StepIpu.{}.{}.{}".format(cycles, at, which)] for at in ("cyclesFrom", "cyclesTo")
                   for which in ("min", "max")] for cycles in ("activeCycles", "allCycles")]
        figures = [names["StepIpu." + path] for path in ("dataIn", "dataOut", "tileBalance", "activeTileBalance",
                                                         "activeTiles")]
        cycles, ipus = names["StepIpu.cycles"], names["ExecutionStep.ipus"]

        def read(step):
            for ipu, of in enumerate(itertools.islice(ipus.items(step), self.ipus)):
                taken = whole(cycles(of)) or 0
                if not taken and not figures[-1](of):
                    continue
                first, first_max, last_min, last = [whole(bound(of)) for bound in bounds[0]]
                # Without tiles that are active, as in a sync, their counters are nowhere.
                if first is None or not last:
                    first, first_max, last_min, last = [whole(bound(of)) for bound in bounds[1]]
                skews = (None, None, None) if None in (first, first_max, last_min, last) else (
                    last - first, first_max - first, last - last_min)
                yield (ipu, taken) + skews + tuple(figure(of) for figure in figures), first
        return read

    def execution(self):
        names, runs = self.names, list(enumerate(self.report.execution.runs))
        if len(runs) > self.options.runs:
            runs = runs[:self.options.runs - 1] + runs[-1:]
            print("Only the first {} runs and the last are captured (--runs)".format(len(runs) - 1), file=sys.stderr)
        read, kinds, measured, count = self.step_reader(), {}, set(), 0
        for number_, run in runs:
            steps, before = Steps(self.file, number_, kinds), count
            for step in run.steps:
                program = names["ExecutionStep.program"](step)
                at = whole(names["Program._id"](program))
                kind, begins = plain(names["Program.type"](program)), 1
                for figures, start in read(step):
                    steps.add((at, kind) + figures, start, begins)
                    begins = 0
                # Cycles by tile of a compute set are kept once, those of its last execution.
                if at is not None and at not in measured and kind in TIMED_BY_TILE:
                    measured.add(at)
                    self.file.row("measured", at, self.file.series(self.measured_of(step)))
                count += 1
            steps.flush()
            self.file.row("runs", number_, text(names["Run.name"](run)), count - before,
                          names["Run.microseconds.start"](run), names["Run.microseconds.end"](run))
        return count

    def measured_of(self, step):
        for of in self.names["ExecutionStep.computeSets"].items(step):
            return self.names["ComputeSetStep.cyclesByTile"](of)
        return self.names["ExecutionStep.cyclesByTile?"](step)

    def operations(self):
        names, count = self.names, 0
        for at, item in enumerate(self.pva.OperationAnalysis(self.report).operations):
            programs = [p._id for p in names["Operation.programs()"].items(item)]
            self.file.row("operations", at, text(names["Operation.name"](item)) or "",
                          self.context(names["Operation.debugContext"](item)),
                          whole(names["Operation.firstStepIndex"](item)), whole(names["Operation.lastStepIndex"](item)),
                          names["Operation.flops"](item), ascending(programs))
            count += 1
        self.file.rows("contexts", (row for row in self.contexts.values() if row))
        return count

    def section(self, name, read):
        start, rows, detail = time.time(), 0, None
        try:
            rows = read()
            state = "done" if rows else "empty"
        except Skipped:
            state = "skipped"
        except Exception as error:  # whatever this pva raises
            state, detail = "failed", "{}: {}".format(type(error).__name__, str(error)[:500])
        took = time.time() - start
        self.file.row("sections", name, state, rows, took, detail)
        print("{:18} {:8} {:9d} rows {:8.2f} s {}".format(name, state, rows, took, detail or ""), file=sys.stderr)
        return state == "done"

    def all(self):
        """Whether nothing is missing."""
        sections = (("info", self.info), ("tiles", self.tiles), ("computeSets", self.compute_sets),
                    ("programs", self.programs), ("variables", self.variables),
                    ("programVariables", self.program_variables), ("liveness", self.liveness),
                    ("execution", self.execution), ("operations", self.operations))
        complete = [self.section(name, read) for name, read in sections]
        lacking = [n.path for n in self.names.values() if n.asked and n.asked == n.failed and not n.optional]
        if lacking:
            print("This pva has no " + ", ".join(sorted(lacking)), file=sys.stderr)
        self.file.rows("names", [(n.path.rstrip("?"), n.asked, n.failed, int(n.optional), n.error)
                                 for n in self.names.values()])
        return all(complete) and not lacking


def digest(path):
    sum_ = hashlib.sha256()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            sum_.update(part)
    return sum_.hexdigest()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profile", help="profile.pop of Poplar, or FILE.pvti of libpvti")
    parser.add_argument("debug", nargs="?", help="its debug.cbor")
    parser.add_argument("-o", "--output", required=True, help="capture to write")
    parser.add_argument("--runs", type=int, default=10, help="most runs to capture: the first ones and the last [10]")
    parser.add_argument("--no-variables", action="store_true", help="without variables: smaller and faster")
    parser.add_argument("--force", action="store_true", help="overwrite the capture")
    options = parser.parse_args()
    for path in (options.profile, options.debug):
        if path and not os.path.isfile(path):
            parser.error("there is no file '{}'".format(path))
    if os.path.exists(options.output) and not options.force:
        parser.error("'{}' is there already: --force overwrites it".format(options.output))
    if options.runs < 1:
        parser.error("--runs is at least 1")
    return parser, options


def imported(parser):
    """The module of the SDK."""
    try:
        import pva
    except ImportError as error:
        parser.error("pva cannot be imported ({}): source the enable script of Poplar's SDK first".format(error))
    return pva


def opened(parser, options):
    """The module and the report."""
    pva = imported(parser)
    try:
        report = pva.openReport(*(path for path in (options.profile, options.debug) if path))
        len(report.compilation.tiles)
        report.compilation.target
    except Exception as error:  # whatever this pva raises
        parser.error("pva cannot read '{}': {}".format(options.profile, error))
    return pva, report


def events_of(trace):
    """Events with those within them, thread by thread."""
    for process in trace.processes:
        for thread in process.threads:
            open_ = [iter(thread.events)]
            while open_:
                event = next(open_[-1], None)
                if event is None:
                    open_.pop()
                    continue
                lasts = {"ph": "X", "dur": event.duration} if event.duration else {"ph": "i", "s": "t"}
                yield dict(lasts, name=event.label, cat=event.channel, pid=process.pid, tid=thread.tid,
                           ts=event.timestamp)
                open_.append(iter(event.children()))


def capture_trace(parser, options):
    part = options.output + ".part"
    try:
        trace, count = imported(parser).openTrace(options.profile), 0
        with open(part, "w") as out:
            out.write('{"traceEvents": [')
            for event in events_of(trace):
                out.write((",\n" if count else "\n") + json.dumps(event))
                count += 1
            out.write("\n]}\n")
        os.replace(part, options.output)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        parser.error("cannot write '{}': {}".format(options.output, error.strerror))
    except Exception as error:  # whatever this pva raises
        parser.error("pva cannot read '{}': {}".format(options.profile, error))
    finally:
        if os.path.exists(part):
            os.remove(part)
    print("{} events".format(count), file=sys.stderr)
    return 0 if count else 1


def main():
    parser, options = arguments()
    if options.profile.endswith(".pvti"):
        return capture_trace(parser, options)
    pva, report = opened(parser, options)
    start, file = time.time(), File(options.output)
    try:
        complete = Capture(file, Names(), report, pva, options).all()
        file.rows("info", [
            ("capture.seconds", time.time() - start), ("capture.python", sys.version.split()[0]),
            ("capture.created", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())),
            ("file.name", os.path.basename(os.path.abspath(options.profile))),
            ("file.digest", digest(options.profile)), ("file.bytes", os.path.getsize(options.profile))])
        file.commit()
    except KeyboardInterrupt:
        return 130
    finally:
        file.discard()
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
