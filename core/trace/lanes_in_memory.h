// A trace in memory as lanes. Internal to core/trace.
#pragma once

#include "core/trace/lanes.h"

namespace tilescope {

/// Sorts and sums up what the bodies of a trace do on each IPU. All of a lane is one page.
class LanesInMemory final : public TraceLanes {
public:
    /// Throws UserError as TraceIndex does.
    LanesInMemory(std::shared_ptr<const Trace> trace, std::int32_t ipus);

    [[nodiscard]] bool inPages() const override { return false; }
    [[nodiscard]] const std::vector<LaneBlock>& blocks(TraceBodyId body, IpuId ipu) const override {
        return blocks_[placeOf(body, ipu)];
    }
    [[nodiscard]] TracePage<LaneEntry> entries(TraceBodyId body, IpuId ipu, std::size_t entry,
                                               Keep keep) const override;
    [[nodiscard]] TracePage<ItemContent> items(TraceBodyId body, std::size_t item) const override;
    [[nodiscard]] StepRange steps(TraceBodyId body, std::size_t from,
                                  std::size_t end) const override;
    [[nodiscard]] StepOnIpu stepOn(TraceBodyId body, IpuId ipu,
                                   const LaneEntry& entry) const override;
    [[nodiscard]] std::vector<IpuTotal> ipuTotals(TraceBodyId body) const override;
    /// All of a lane, and of a body.
    [[nodiscard]] const std::vector<LaneEntry>& entries(TraceBodyId body, IpuId ipu) const {
        return entries_[placeOf(body, ipu)];
    }
    [[nodiscard]] const std::vector<ItemContent>& items(TraceBodyId body) const {
        return items_[body.index()];
    }

private:
    [[nodiscard]] std::vector<ProgramTotal> makeTotals(TraceBodyId body) const override;
    BodyItems takeItems(const TraceBody& body);
    void takeEntries(TraceBodyId body);
    void fillLanes(TraceBodyId body, std::span<Lane> lanes);

    std::shared_ptr<const Trace> trace_;
    std::vector<std::vector<ItemContent>> items_; ///< [body]
    std::vector<std::vector<LaneEntry>> entries_; ///< [body * ipus + ipu]
    std::vector<std::vector<LaneBlock>> blocks_;  ///< likewise
};

} // namespace tilescope
