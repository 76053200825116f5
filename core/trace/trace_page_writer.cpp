#include "core/trace/trace_page_writer.h"

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/saturating.h"
#include "core/trace/lanes.h"
#include "core/trace/trace_pages.h"

namespace tilescope {
namespace {

std::int64_t stepsOnIpus(const Trace& trace) {
    std::int64_t count = 0;
    for (const TraceBody& body : trace.bodies)
        for (const TraceStep& step : body.steps)
            count += number(step.ipus.size());
    return count;
}

class PageWriter {
public:
    PageWriter(const Database& db, const TraceLanes& lanes)
        : lanes_(lanes)
        , lane_(db.prepare("INSERT INTO trace_lanes VALUES(?,?,?,?,?)"))
        , page_(db.prepare("INSERT INTO trace_pages VALUES(?,?,?,?)"))
        , items_(db.prepare("INSERT INTO trace_item_pages VALUES(?,?,?,?)"))
        , total_(db.prepare("INSERT INTO trace_program_totals VALUES(?,?,?,?)")) {}

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
        const std::vector<std::byte> summary = encodeSummary(summaryOf(lane));
        lane_.bind(0, std::int64_t{body.value()})
            .bind(1, std::int64_t{ipu.value()})
            .bind(2, number(lane.entries.size()))
            .bind(3, std::int64_t{lane.sequential ? 1 : 0})
            .bind(4, std::span<const std::byte>(summary));
        lane_.run();
        std::vector<LaneEntry> all = lane.entries;
        for (LaneEntry& entry : all)
            if (entry.call >= 0)
                entry.call = callAt(entry.item);
        for (std::size_t first = 0; first < all.size(); first += entriesPerPage) {
            const std::vector<std::byte> data = encodeEntries(
                std::span(all).subspan(first, std::min(entriesPerPage, all.size() - first)));
            page_.bind(0, std::int64_t{body.value()})
                .bind(1, std::int64_t{ipu.value()})
                .bind(2, number(first / entriesPerPage))
                .bind(3, std::span<const std::byte>(data));
            page_.run();
        }
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
            const std::vector<std::byte> data = encodeItems(page);
            items_.bind(0, std::int64_t{id.value()})
                .bind(1, number(at / itemsPerPage))
                .bind(2, number(page.size()))
                .bind(3, std::span<const std::byte>(data));
            items_.run();
            page.clear();
        }
    }

    void writeTotals(TraceBodyId id) {
        struct Total {
            std::int64_t count = 0;
            std::int64_t cycles = 0;
        };
        std::map<ProgramId, Total> totals;
        for (const TraceStep& step : lanes_.trace().bodies[id].steps) {
            if (!step.program.valid())
                continue;
            std::int64_t cycles = 0;
            for (const StepOnIpu& on : step.ipus)
                cycles = std::max(cycles, on.cycles);
            Total& total = totals[step.program];
            ++total.count;
            total.cycles = saturatingSum(total.cycles, cycles);
        }
        for (const auto& [program, total] : totals) {
            total_.bind(0, std::int64_t{id.value()})
                .bind(1, std::int64_t{program.value()})
                .bind(2, total.count)
                .bind(3, total.cycles);
            total_.run();
        }
    }

    const TraceLanes& lanes_;
    Statement lane_;
    Statement page_;
    Statement items_;
    Statement total_;
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
