// A long trace that stays in its file: summaries of its lanes in memory, pages read on request.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/database/database.h"
#include "core/trace/lanes.h"
#include "core/trace/trace_page_codec.h"

namespace tilescope {

/// Keeps what was read last, up to a limit.
class TracePages final : public TraceLanes {
public:
    /// None if the trace of the file is short or the file older than pages (schema version 5).
    /// Throws UserError as TraceIndex does.
    static std::shared_ptr<const TracePages> open(const std::filesystem::path& file,
                                                  std::int32_t ipus);
    ~TracePages() override;

    [[nodiscard]] bool inPages() const override { return true; }
    /// Files before schema version 14 are opened with all of them.
    [[nodiscard]] const std::vector<LaneBlock>& blocks(TraceBodyId body, IpuId ipu) const override;
    [[nodiscard]] TracePage<LaneEntry> entries(TraceBodyId body, IpuId ipu, std::size_t entry,
                                               Keep keep) const override;
    [[nodiscard]] TracePage<ItemContent> items(TraceBodyId body, std::size_t item) const override;
    [[nodiscard]] StepRange steps(TraceBodyId body, std::size_t from,
                                  std::size_t end) const override;
    /// Files before schema version 13 are asked step by step.
    [[nodiscard]] TracePage<StepAmounts> amounts(TraceBodyId body, IpuId ipu,
                                                 std::size_t entry) const override;
    [[nodiscard]] bool knowsWaiting() const override;
    /// Zeros if it does nothing there.
    [[nodiscard]] StepOnIpu stepOn(TraceBodyId body, IpuId ipu,
                                   const LaneEntry& entry) const override;
    /// Files before schema version 7 are summed up, which takes a second for ten million steps.
    [[nodiscard]] std::vector<IpuTotal> ipuTotals(TraceBodyId body) const override;

    /// Pages and summaries of lanes read from the file so far, to test what is not read.
    [[nodiscard]] std::int64_t pagesRead() const;
    [[nodiscard]] std::int64_t summariesRead() const;

private:
    TracePages(Database file, std::int32_t ipus);
    [[nodiscard]] std::vector<ProgramTotal> makeTotals(TraceBodyId body) const override;

    [[nodiscard]] std::uint64_t keyOf(TraceBodyId body, IpuId ipu, std::size_t page) const {
        return std::uint64_t{placeOf(body, ipu)} << 32 | page;
    }

    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Older files have rows only.
inline constexpr std::int64_t firstVersionWithTracePages = 5;
/// From this version on with totals of programs by IPU.
inline constexpr std::int64_t firstVersionWithIpuTotals = 7;
/// From this version on with what steps receive and wait, in pages and sums.
inline constexpr std::int64_t firstVersionWithAmounts = 13;
/// From this version on with the length and the sums of a lane beside its summary.
inline constexpr std::int64_t firstVersionWithLaneTotals = 14;
/// Traces with fewer steps on IPUs than this are read as a whole, which takes only a moment.
inline constexpr std::int64_t shortestPagedTrace = 200'000;

} // namespace tilescope
