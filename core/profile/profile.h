// A whole profile as values: what the simulator records and profile.pop stores. Nothing in it is
// unrolled: a function exists once, a repeat has a count, per-tile data are runs, a timed body is
// stored once and its executions are calls with a start cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/profile/coverage.h"
#include "core/profile/host.h"
#include "core/profile/host_record.h"
#include "core/profile/kinds.h"
#include "core/profile/model_graph.h"
#include "core/profile/origin.h"
#include "core/profile/pipeline.h"
#include "core/profile/remote.h"
#include "core/profile/source_code.h"
#include "core/profile/trace.h"
#include "core/profile/values.h"
#include "core/target/target.h"
#include "core/tiles/tile_series.h"

namespace tilescope {

/// A message of the compiler: a warning of the planner, a replaced value, an option without effect,
/// out of memory.
struct Message {
    Severity severity = Severity::Info;
    std::string text;
    OperationId operation; ///< none if it concerns the whole model
};

/// An operation of the model: the debug context that programs, variables and compute sets belong
/// to.
struct Operation {
    std::string name; ///< debug path, nested with '/': "layer1/0/conv2"
    std::string type; ///< operator of the model: "Conv"
    double flops = 0; ///< of one execution; a multiply-accumulate counts two
    std::string outputShape;
    std::string plan;    ///< JSON object: the planner's choice; empty if there was nothing to plan
    std::string options; ///< JSON object: options in force, such as availableMemoryProportion
};

/// Steps [first, end).
struct StepInterval {
    StepId first;
    StepId end;
    friend bool operator==(const StepInterval&, const StepInterval&) = default;
};

/// The steps over which variables of one class are live: sorted intervals that do not touch.
struct LivenessClass {
    std::vector<StepInterval> intervals;
    [[nodiscard]] bool contains(StepId step) const;
    [[nodiscard]] bool overlaps(const LivenessClass& other) const;
    friend bool operator==(const LivenessClass&, const LivenessClass&) = default;
};

/// A lowered variable: bytes on many tiles under one name. Code, vertex state and the like are
/// variables too, whose name is that of their category.
struct Variable {
    std::string name;
    MemoryCategory category = MemoryCategory::Variable;
    OperationId operation;
    bool alwaysLive = false;
    LivenessClassId liveness; ///< none for always-live variables
    std::string type;         ///< element type, "half"; empty for code and state
    std::string shape;        ///< "[1,64,56,56]" or empty
    TileSeries bytes;
};

/// A codelet with its template arguments.
struct VertexType {
    std::string name;
    TileSeries codeBytes; ///< code on each tile that runs it (stored once a tile)
};

/// Vertices of one type in a compute set.
struct VertexInstances {
    VertexTypeId type;
    TileSeries count;
    TileSeries stateBytes; ///< instance state and field data, all instances of the tile
    std::int32_t edgesPerVertex = 0;
};

struct ComputeSet {
    std::string name;
    OperationId operation;
    TileSeries cycles; ///< estimated, for one execution
    std::vector<VertexInstances> vertices;
};

/// Data moved between tiles of one IPU before a compute set or by a copy.
struct Exchange {
    std::string name;
    OperationId operation;
    TileSeries bytesReceived; ///< by each tile, without what was already there
    TileSeries bytesSent;     ///< a byte sent to three tiles counts three times: sums equal
    TileSeries codeBytes;     ///< internal exchange code; none if an equal exchange has it
    TileSeries cycles;
    std::int64_t runBytes = 0; ///< typical contiguous run at the source; 0 if nothing moves
};

using StreamId = Id<struct StreamTag>;
using PlacementId = Id<struct PlacementTag>;

/// A tensor that the host or streaming memory sends or receives.
struct Stream {
    std::string name; ///< "h2d_data_0", "anchor_d2h_prob_1"
    bool toDevice = true;
    TileSeries bytes;                 ///< landing on (or leaving) each tile
    RemoteBufferId remoteBuffer = {}; ///< that it reads or writes a row of; none: the host
};

using CopyId = Id<struct CopyTag>;

/// An on-tile step that reorders an operand for its operation: a copy, or a transpose of blocks.
/// Its cycles, vertices and operation are those of the compute set.
struct Copy {
    ComputeSetId computeSet;
    ProgramId program;
    ExchangeId exchange; ///< that brought the elements to the tiles; none if they were there
    VariableId variable; ///< the operand as its producer laid it out
    VariableId result;   ///< what the operation reads
    CopyCause cause = CopyCause::Consumer;
    std::string shape; ///< of the operand as the operation sees it; empty if it has no tensor
    /// Orders on a tile, outermost first: "[N][C/16][HW][16]" is groups of 16 channels, innermost.
    std::string sourceOrder, wantedOrder;
    std::int64_t runElements = 0; ///< elements that lie next to each other in both orders
    std::int64_t runBytes = 0;
    bool strided = false;    ///< runs are too short for the 64-bit moves of a plain copy
    bool transposed = false; ///< blocks are transposed, so that whole groups can move afterwards
};

/// A node of the program tree.
struct Program {
    ProgramKind kind = ProgramKind::Sequence;
    std::string name;
    ProgramId parent; ///< none for control programs and functions
    std::vector<ProgramId> children;
    std::int64_t count = 1; ///< of a Repeat
    ProgramId target;       ///< function that a Call runs
    ComputeSetId computeSet;
    ExchangeId exchange;
    StreamId stream;
    OperationId operation;
    TileSeries controlCode; ///< bytes of its own, without its children
    std::vector<VariableId> variablesRead;
    std::vector<VariableId> variablesWritten;
    std::string originalKind; ///< Poplar's name of an unknown kind, "OnEveryTileSwitch"; else empty

    /// Its kind for people.
    [[nodiscard]] std::string_view kindText() const {
        return originalKind.empty() ? toString(kind) : std::string_view(originalKind);
    }
};

/// Bytes of a category in a region. `overlapped`: bytes of variables that are not always live,
/// whose addresses others may use at other times; a shared byte counts once, for the variable that
/// begins lowest.
struct CategoryMemory {
    MemoryCategory category = MemoryCategory::Variable;
    MemoryRegion region = MemoryRegion::NonInterleaved;
    bool overlapped = false;
    TileSeries bytes;
};

/// One tile's totals, bytes.
struct TileMemory {
    std::int64_t includingGaps = 0; ///< highest address used, as an offset
    std::int64_t excludingGaps = 0; ///< bytes that belong to some variable
    std::int64_t nonInterleaved = 0;
    std::int64_t interleaved = 0;
    std::int64_t overflowed = 0;
    std::int64_t alwaysLive = 0;
    std::int64_t maxNotAlwaysLive = 0; ///< largest over the steps
    friend bool operator==(const TileMemory&, const TileMemory&) = default;
};

/// A variable at an address (offset from the tile's memory base).
struct PlacedVariable {
    VariableId variable;
    std::int64_t offset = 0;
    friend bool operator==(const PlacedVariable&, const PlacedVariable&) = default;
};

/// Addresses on a tile, sorted by offset; tiles with equal variable lists share one.
struct Placement {
    std::vector<PlacedVariable> variables;
};

/// Placements that follow each other as the file has them (core/store/placement_codec.h): as values
/// those of a large model take six times as much memory.
struct PlacementChunk {
    std::size_t placements = 0; ///< how many
    std::vector<std::byte> packed;
};

/// What was run, on what, and the headline figures. Written to and read from the `info` table.
struct ProfileInfo {
    std::string creator;   ///< "TileScope 0.1.0"
    std::string createdAt; ///< UTC, "2024-05-01T12:00:00Z"
    std::string model;     ///< file name, zoo name or job name
    std::string mode;      ///< "inference", "training"; empty if it is not known
    Target target;
    Origin origin;
    Coverage coverage;                 ///< what an imported profile lacks
    std::int64_t batchSize = 1;        ///< micro-batch; 0 if it is not known
    std::int64_t deviceIterations = 1; ///< batches in one run; 0 if they are not known
    std::int64_t replicas = 1;
    std::map<std::string, std::string> options;       ///< run options that were in force, camelCase
    std::map<std::string, std::string> engineOptions; ///< Poplar engine options as given
    std::int64_t edges = 0;
    std::int64_t vertices = 0;
    bool fits = true;
    bool hasExecution = false;             ///< false if it did not fit or was only compiled
    std::int64_t cycles = 0;               ///< of the main program's run, longest IPU
    double hostCallSeconds = 0;            ///< overhead of the host for each run
    double throughput = 0;                 ///< samples a second, host overhead included
    std::map<std::string, double> timings; ///< seconds of each phase of the compilation

    /// Whether the profile has (something of) a part.
    [[nodiscard]] bool has(ProfilePart part) const { return coverage.has(part); }
    [[nodiscard]] double seconds() const {
        return target.clockHz > 0 ? static_cast<double>(cycles) / target.clockHz : 0;
    }
    /// Seconds from one call of the engine to the next.
    [[nodiscard]] double callSeconds() const { return seconds() + hostCallSeconds; }
};

struct Profile {
    ProfileInfo info;
    std::vector<Message> messages;
    IdVector<OperationId, Operation> operations;
    ModelGraph modelGraph;
    IdVector<LivenessClassId, LivenessClass> livenessClasses;
    IdVector<VariableId, Variable> variables;
    IdVector<VertexTypeId, VertexType> vertexTypes;
    IdVector<ComputeSetId, ComputeSet> computeSets;
    IdVector<ExchangeId, Exchange> exchanges;
    IdVector<CopyId, Copy> copies; ///< in the order of their programs
    IdVector<StreamId, Stream> streams;
    IdVector<RemoteBufferId, RemoteBuffer> remoteBuffers;
    IdVector<ProgramId, Program> programs;
    std::vector<ProgramId> controlPrograms; ///< in the order of their index
    std::vector<ProgramId> functions;
    /// Liveness order: leaves of the control programs, depth first, with those of a function at
    /// each of its calls; after them, once, those of the functions called by a pipeline's slots.
    IdVector<StepId, ProgramId> steps;
    std::vector<CategoryMemory> categoryMemory;
    IdVector<TileId, TileMemory> tileMemory;
    std::vector<PlacementChunk> placements; ///< by PlacementId
    TileSeries placementOfTile; ///< index into placements, plus one (0: nothing on the tile)
    Trace trace;
    Pipeline pipeline; ///< empty if the execution is not pipelined
    /// Phased execution: the sequence of each phase in the order in which they run, then that of a
    /// weight update of its own.
    std::vector<ProgramId> phases;
    std::vector<HostSpan> hostSpans; ///< in the order in which they began
    HostRecord hostRecord;           ///< of the program that ran the machine
    SourceCode source;               ///< of the program that made the model
    ProfileValues values;            ///< empty if nothing was computed
};
} // namespace tilescope
