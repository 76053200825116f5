#include "core/trace/trace_reader.h"

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/saturating.h"
#include "core/database/insert.h"
#include "core/trace/lanes.h"
#include "core/trace/trace_pages.h"

namespace tilescope {
namespace {

std::int64_t stepsOnIpus(const Trace& trace) {
    std::int64_t count = 0;
    for (const TraceBody& body : trace.bodies)
        for (const TraceStep& step : body.steps)
            count += static_cast<std::int64_t>(step.ipus.size());
    return count;
}

class PageWriter {
public:
    PageWriter(const Database& db, const TraceLanes& lanes)
        : lanes_(lanes)
        , lane_(db, "trace_lanes")
        , page_(db, "trace_pages")
        , items_(db, "trace_item_pages")
        , total_(db, "trace_program_totals")
        , ipuTotal_(db, "trace_ipu_totals") {}

    void write(TraceBodyId body) {
        // A reader finds calls in the order of their items.
        callItems_.clear();
        const std::vector<TraceItem>& items = lanes_.trace().bodies[body].items;
        for (std::size_t at = 0; at < items.size(); ++at)
            if (items[at].step < 0)
                callItems_.push_back(static_cast<std::int32_t>(at));
        for (std::int32_t ipu = 0; ipu < lanes_.ipus(); ++ipu)
            writeLane(body, IpuId(ipu));
        writeItems(body);
        writeTotals(body);
    }

private:
    [[nodiscard]] std::int32_t callAt(std::int32_t item) const {
        return static_cast<std::int32_t>(
            std::lower_bound(callItems_.begin(), callItems_.end(), item) - callItems_.begin());
    }

    void writeLane(TraceBodyId body, IpuId ipu) {
        const Lane& lane = lanes_.lane(body, ipu);
        if (lane.entries.empty())
            return;
        lane_(body, ipu, lane.entries.size(), lane.sequential, encodeSummary(summaryOf(lane)));
        std::vector<LaneEntry> all = lane.entries;
        for (LaneEntry& entry : all)
            if (entry.call >= 0)
                entry.call = callAt(entry.item);
        for (std::size_t first = 0; first < all.size(); first += entriesPerPage)
            page_(body, ipu, first / entriesPerPage,
                  encodeEntries(
                      std::span(all).subspan(first, std::min(entriesPerPage, all.size() - first))));
    }

    static LaneSummary summaryOf(const Lane& lane) {
        LaneSummary summary;
        summary.total = lane.total;
        for (std::size_t first = 0; first < lane.entries.size(); first += entriesPerBlock) {
            const std::size_t end = std::min(first + entriesPerBlock, lane.entries.size());
            LaneBlock block;
            block.begin = lane.entries[first].begin;
            block.maxEnd = lane.maxEnd[end - 1];
            block.item = lane.entries[first].item;
            block.before = lane.blockSums[first / entriesPerBlock];
            for (std::size_t i = first; i < end; ++i) {
                if (!lane.entries[i].program.valid())
                    continue;
                block.last = {lane.entries[i].item, lane.entries[i].program};
                if (!block.first.program.valid())
                    block.first = block.last;
            }
            summary.blocks.push_back(block);
        }
        return summary;
    }

    void writeItems(TraceBodyId id) {
        const TraceBody& body = lanes_.trace().bodies[id];
        std::vector<ItemContent> page;
        for (std::size_t at = 0; at < body.items.size(); ++at) {
            const TraceItem& item = body.items[at];
            page.push_back(
                item.step >= 0
                    ? ItemContent{body.steps[static_cast<std::size_t>(item.step)].program.value(),
                                  -1}
                    : ItemContent{-1, callAt(static_cast<std::int32_t>(at))});
            if (page.size() < itemsPerPage && at + 1 < body.items.size())
                continue;
            items_(id, at / itemsPerPage, page.size(), encodeItems(page));
            page.clear();
        }
    }

    void writeTotals(TraceBodyId id) {
        struct Total {
            std::int64_t count = 0;
            std::int64_t cycles = 0;
        };
        std::map<ProgramId, Total> totals;
        std::map<std::pair<ProgramId, IpuId>, Total> byIpu;
        const auto add = [](Total& total, std::int64_t cycles) {
            ++total.count;
            total.cycles = saturatingSum(total.cycles, cycles);
        };
        for (const TraceStep& step : lanes_.trace().bodies[id].steps) {
            if (!step.program.valid())
                continue;
            std::int64_t cycles = 0;
            for (const StepOnIpu& on : step.ipus) {
                cycles = std::max(cycles, on.cycles);
                add(byIpu[{step.program, on.ipu}], on.cycles);
            }
            add(totals[step.program], cycles);
        }
        for (const auto& [program, total] : totals)
            total_(id, program, total.count, total.cycles);
        for (const auto& [key, total] : byIpu)
            ipuTotal_(id, key.first, key.second, total.count, total.cycles);
    }

    const TraceLanes& lanes_;
    Insert lane_;
    Insert page_;
    Insert items_;
    Insert total_;
    Insert ipuTotal_;
    std::vector<std::int32_t> callItems_; ///< of the body that is written
};

} // namespace

void writeTracePages(const Database& db, const Trace& trace, std::int32_t ipus) {
    if (stepsOnIpus(trace) < shortestPagedTrace)
        return;
    const TraceLanes lanes(std::shared_ptr<const Trace>(std::shared_ptr<void>(), &trace), ipus);
    PageWriter writer(db, lanes);
    for (std::size_t body = 0; body < trace.bodies.size(); ++body)
        writer.write(TraceBodyId(body));
}

} // namespace tilescope
