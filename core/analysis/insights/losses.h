// Where the cycles of a run go: one list of losses which, together with the matrix units' cycles at
// their peak, adds up to the run.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/insights/insights.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// What cycles, or bytes, are lost to.
enum class LossKind : std::uint8_t {
    Compute,         ///< not a loss: cycles of the FLOPs with all matrix units at their peak
    Utilisation,     ///< tiles compute, but their matrix units are idle or not at their peak
    TileImbalance,   ///< tiles wait for the slowest of a compute set
    Copies,          ///< compute sets that reorder operands
    Exchange,        ///< between tiles of an IPU
    GlobalExchange,  ///< between IPUs, and waits for those of other IPUs
    Host,            ///< copies with the host during which nothing else runs, and waits for other
                     ///< IPUs'
    StreamingMemory, ///< likewise copies with remote buffers
    Sync,            ///< syncs of tiles, and waits for other IPUs that nothing else explains
    Bubbles,         ///< IPUs of a pipeline without a stage to run
    StageImbalance,  ///< IPUs of a pipeline that wait for a longer stage
    Idle,            ///< nothing runs
    Memory           ///< bytes over the limit of the fullest tile
};
inline constexpr auto lossKinds = valuesUpTo<LossKind::Memory>;
template <>
inline constexpr auto enumNames<LossKind> = std::to_array<std::string_view>(
    {"compute", "utilisation", "tileImbalance", "copies", "exchange", "globalExchange", "host",
     "streamingMemory", "sync", "bubbles", "stageImbalance", "idle", "memory"});
template <>
inline constexpr auto enumTitles<LossKind> = std::to_array<std::string_view>(
    {"Matrix units at their peak", "Low FLOP utilisation", "Imbalance of tiles",
     "Copies and rearrangements", "Exchange", "Exchange between IPUs", "Host", "Streaming memory",
     "Sync", "Pipeline bubbles", "Imbalance of stages", "Idle", "Memory over the limit"});

/// A sentence that explains a loss and distinguishes it from the others.
std::string_view meaningOf(LossKind kind);

/// A place of the model, or steps without an operation, with its part of a loss.
struct LossPlace {
    std::string path; ///< "layer1/0/conv2"; "(host)"
    OperationId operation;
    IpuId ipu;
    std::int64_t cycles = 0;
};

struct Loss {
    LossKind kind = LossKind::Compute;
    IpuId ipu;                    ///< none: all IPUs
    std::int64_t cycles = 0;      ///< of the run, mean over the IPUs
    double share = 0;             ///< of the run, 0 to 1; of the memory of a tile for Memory
    std::int64_t bytes = 0;       ///< Memory
    std::string place;            ///< the largest of the places; "tile 12" for Memory; may be empty
    std::string cause;            ///< why, with numbers, in a sentence
    std::vector<Advice> remedies; ///< largest predicted gain first
    std::vector<LossPlace> places;   ///< largest first, at most a few
    std::vector<std::int64_t> byIpu; ///< cycles; they and those of other kinds add up to the run
    InsightLink link;                ///< where reports show it
    bool flopsKnown = true; ///< else Utilisation is what tiles compute, however well they do
};

/// The name of its kind, as far as the profile says what it is.
std::string_view nameOf(const Loss& loss);

/// Losses of the last run, largest first, with Compute among them: their cycles add up to the run.
/// A model that does not fit comes first. Without a trace only Memory is found. Throws UserError
/// for a damaged profile, Cancelled after a stop.
std::vector<Loss> findLosses(const ProfileView& profile, const std::stop_token& stop = {});

/// Both for one profile, which is read only once.
struct Findings {
    std::vector<Loss> losses;
    std::vector<Insight> insights;
};
Findings findAll(const ProfileView& profile, const std::stop_token& stop = {});

/// Remedies of losses with a value to try: each option and value once, the largest loss first.
std::vector<Advice> suggestionsOf(const std::vector<Loss>& losses);

} // namespace tilescope
