// What stands out in a profile, with the numbers that show it and the option that would change it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/execution/pipeline.h"
#include "core/profile/profile.h"
#include "core/store/profile_reader.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// What an insight is about; each kind appears at most once, StridedCopies once an operation.
enum class InsightKind {
    Fit,               ///< fits, or by how much it does not
    WorstTiles,        ///< the five tiles that use most memory
    PeakVariables,     ///< largest variables at the peak of liveness
    SinglePrecision,   ///< much of the fullest tile is single precision
    Gaps,              ///< much of the fullest tile is gaps
    VertexCode,        ///< vertex type with most code
    VertexState,       ///< vertex type with most state
    ExchangeCode,      ///< exchange with most code
    RepeatedCode,      ///< operations that are planned alike have code of their own each
    LongestOperations, ///< the five operations that take most measured cycles
    ExchangeBound,     ///< a large share of the cycles is exchange within an IPU
    HostBound,         ///< a large share of the cycles waits for or talks to the host
    MemoryBound,       ///< a large share of the cycles is copies with streaming memory
    LinkBound,         ///< a large share of the cycles is exchange between IPUs
    SyncBound,         ///< a large share of the cycles is syncs
    IdleTime,          ///< an IPU has nothing to do for a large share of the cycles
    StridedCopies,     ///< an operation spends much of its time putting an operand in order
    ShortRunCopies,    ///< other copies of runs under 8 bytes, which move elements one by one
    TileImbalance,     ///< few tiles do most of the work
    PipelineBubbles,   ///< IPUs without a stage to run in ramp-up and ramp-down
    UnbalancedStages,  ///< stages wait for the longest one
};
std::string_view toString(InsightKind kind); ///< "worstTiles"

enum class InsightLevel { Good, Note, Warning, Problem };
std::string_view toString(InsightLevel level); ///< "good", "note", "warning", "problem"

/// A number behind an insight.
struct Evidence {
    enum class Unit { Bytes, Cycles, Share, Count, Text };
    std::string label;
    double value = 0;
    Unit unit = Unit::Count;
    TileId tile; ///< what the number belongs to, where it has a place
    OperationId operation;
    std::string text; ///< instead of a value, for Unit::Text: "[N][C/16][HW][16]"
};
/// The value in its unit: "1.50 MiB", "34,655 cycles", "12.3 %", "42".
std::string formatEvidence(const Evidence& evidence);

/// Where in the reports to look.
struct InsightLink {
    std::string report; ///< section of `tilescope report`: "memory", "liveness", "trace", ...
    std::vector<std::string> also = {}; ///< further sections that show the same place
    TileId tile;
    StepId step;
    OperationId operation;
    VariableId variable;
    VertexTypeId vertexType; ///< row of "vertices"
    ExchangeId exchange;     ///< row of "exchanges"
    ProgramId program;       ///< step of "trace"
};

struct Insight {
    InsightKind kind = InsightKind::Fit;
    InsightLevel level = InsightLevel::Note;
    std::string title;  ///< one line
    std::string advice; ///< what to change, naming the option; may be empty
    std::vector<Evidence> evidence;
    InsightLink link;
};

/// Runs shorter than this are moved element by element.
inline constexpr std::int64_t shortRunBytes = 8;

/// What the rules look at. The largest part of a profile, the addresses, is not among it.
struct InsightParts {
    const ProfileInfo& info;
    const IdVector<OperationId, Operation>& operations;
    const IdVector<LivenessClassId, LivenessClass>& livenessClasses;
    const IdVector<VariableId, Variable>& variables;
    const IdVector<VertexTypeId, VertexType>& vertexTypes;
    const IdVector<ComputeSetId, ComputeSet>& computeSets;
    const IdVector<ExchangeId, Exchange>& exchanges;
    const IdVector<CopyId, Copy>& copies;
    const IdVector<StreamId, Stream>& streams;
    const IdVector<TileId, TileMemory>& tileMemory;
    const IdVector<StepId, ProgramId>& steps;
    const TraceIndex& trace;
    const PipelineReport& pipeline;
    const IdVector<ProgramId, Program>& programs;
};

/// All insights that apply, in the order of InsightKind; without a trace those about time are left
/// out.
std::vector<Insight> findInsights(const InsightParts& parts);
/// Reads only the parts.
std::vector<Insight> findInsights(const ProfileReader& reader);
std::vector<Insight> findInsights(const Profile& profile);

} // namespace tilescope
