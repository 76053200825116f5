// A long trace that stays in its file: summaries of its lanes in memory, pages read on request.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/database/database.h"
#include "core/profile/trace.h"
#include "core/trace/trace_page_codec.h"

namespace tilescope {

/// A body on one IPU.
struct PagedLane {
    std::size_t entries = 0;
    bool sequential = true; ///< no two entries overlap
    LaneSummary summary;
};

/// Executions of a program by a body, once: how often, and the cycles of the IPU that takes
/// longest.
struct ProgramTotal {
    ProgramId program;
    std::int64_t count = 0;
    std::int64_t cycles = 0;
};

/// The same on one IPU: cycles until its own tiles are done.
struct IpuTotal {
    ProgramId program;
    IpuId ipu;
    std::int64_t count = 0;
    std::int64_t cycles = 0;
};

/// Steps of a part of a body, as stored in the file. Items that are calls are left out.
struct StepRange {
    struct Step {
        std::int64_t item = 0;
        ProgramKind kind = ProgramKind::OnTileExecute;
        ProgramId program;          ///< none for a Sync
        std::uint32_t firstIpu = 0; ///< its IPUs are `ipus` from here
        std::uint32_t endIpu = 0;   ///< to here
    };
    std::vector<Step> steps;
    std::vector<StepOnIpu> ipus;
};

/// Thread-safe. Keeps what was read last, up to a limit. All calls throw UserError on a damaged
/// file.
class TracePages {
public:
    /// None if the trace of the file is short or the file older than pages (schema version 5).
    static std::shared_ptr<const TracePages> open(const std::filesystem::path& file,
                                                  std::int32_t ipus);
    ~TracePages();

    /// Runs and bodies with their calls, but without items and steps.
    [[nodiscard]] const Trace& outline() const;
    /// Steps and calls of a body, together.
    [[nodiscard]] std::int64_t items(TraceBodyId body) const;
    /// The item of each call of a body, ascending.
    [[nodiscard]] const std::vector<std::int32_t>& callItems(TraceBodyId body) const;
    [[nodiscard]] const PagedLane& lane(TraceBodyId body, IpuId ipu) const;

    using Entries = std::shared_ptr<const std::vector<LaneEntry>>;
    /// Entries [page * entriesPerPage, ...) of a lane. With Keep::No, for a pass over the whole
    /// lane, pages are not kept for others.
    enum class Keep { Yes, No };
    [[nodiscard]] Entries page(TraceBodyId body, IpuId ipu, std::size_t page,
                               Keep keep = Keep::Yes) const;
    using Items = std::shared_ptr<const std::vector<ItemContent>>;
    /// Items [page * itemsPerPage, ...) of a body.
    [[nodiscard]] Items itemPage(TraceBodyId body, std::size_t page) const;
    /// A step of a body on all its IPUs.
    [[nodiscard]] TraceStep step(TraceBodyId body, std::int64_t item) const;
    /// Items [from, end) of a body that are steps, on all their IPUs, read in one go.
    [[nodiscard]] StepRange steps(TraceBodyId body, std::int64_t from, std::int64_t end) const;
    /// The same as step() on one IPU; zeros if it does nothing there.
    [[nodiscard]] StepOnIpu stepOn(TraceBodyId body, std::int64_t item, IpuId ipu) const;
    /// Totals of each program that a body executes in steps of its own.
    [[nodiscard]] const std::vector<ProgramTotal>& totals(TraceBodyId body) const;
    /// The same by IPU, read anew by each call; files before schema version 7 are summed up, which
    /// takes a second for ten million steps.
    [[nodiscard]] std::vector<IpuTotal> ipuTotals(TraceBodyId body) const;

    /// Pages read from the file so far, to test what is not read.
    [[nodiscard]] std::int64_t pagesRead() const;

private:
    TracePages(const std::filesystem::path& file, std::int32_t ipus);
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Older files have rows only.
inline constexpr std::int64_t firstVersionWithTracePages = 5;
/// From this version on with totals of programs by IPU.
inline constexpr std::int64_t firstVersionWithIpuTotals = 7;
/// Traces with fewer steps on IPUs than this are read as a whole, which takes only a moment.
inline constexpr std::int64_t shortestPagedTrace = 200'000;

} // namespace tilescope
