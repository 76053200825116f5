#include "core/trace/trace_reader.h"

#include <algorithm>
#include <memory>
#include <span>

#include "core/database/insert.h"
#include "core/trace/lanes_in_memory.h"
#include "core/trace/trace_pages.h"

namespace tilescope {
namespace {

/// Calls put(number, content) with each page of a list.
template <class T>
void forEachPage(const std::vector<T>& all, std::size_t perPage, const auto& put) {
    for (std::size_t first = 0; first < all.size(); first += perPage)
        put(first / perPage, std::span(all).subspan(first, std::min(perPage, all.size() - first)));
}

} // namespace

std::shared_ptr<const LanesInMemory> lanesOfLongTrace(const Trace& trace, std::int32_t ipus) {
    std::int64_t steps = 0;
    for (const TraceBody& body : trace.bodies)
        for (const TraceStep& step : body.steps)
            steps += static_cast<std::int64_t>(step.ipus.size());
    if (steps < shortestPagedTrace)
        return {};
    return std::make_shared<const LanesInMemory>(
        std::shared_ptr<const Trace>(std::shared_ptr<void>(), &trace), ipus);
}

void writeTracePages(const Database& db, const LanesInMemory& lanes) {
    const Trace& trace = lanes.outline();
    Insert laneRow(db, "trace_lanes");
    Insert pageRow(db, "trace_pages");
    Insert itemsRow(db, "trace_item_pages");
    Insert totalRow(db, "trace_program_totals");
    Insert ipuTotalRow(db, "trace_ipu_totals");
    std::int64_t pages = 0;
    for (std::size_t at = 0; at < trace.bodies.size(); ++at) {
        const TraceBodyId body(at);
        for (std::int32_t i = 0; i < lanes.ipus(); ++i) {
            const IpuId ipu(i);
            const Lane& lane = lanes.lane(body, ipu);
            if (lane.count == 0)
                continue;
            laneRow(body, ipu, lane.count, lane.sequential, pages + 1, lane.length,
                    encodeTotal(lane.total), encodeSummary({lanes.blocks(body, ipu), lane.total}));
            forEachPage(lanes.entries(body, ipu), entriesPerPage, [&](auto page, auto entries) {
                std::vector<StepAmounts> amounts(entries.size());
                for (std::size_t i = 0; i < entries.size(); ++i)
                    if (hasAmounts(entries[i]))
                        amounts[i] =
                            amountsOf(entries[i].kind, lanes.stepOn(body, ipu, entries[i]));
                pageRow(++pages, body, ipu, page, encodeEntries(entries),
                        encodeAmounts(entries, amounts));
            });
        }
        forEachPage(lanes.items(body), itemsPerPage, [&](auto page, auto items) {
            itemsRow(body, page, items.size(), encodeItems(items));
        });
        for (const ProgramTotal& total : lanes.totals(body))
            totalRow(body, total.program, total.count, total.cycles);
        for (const IpuTotal& total : lanes.ipuTotals(body))
            ipuTotalRow(body, total.program, total.ipu, total.count, total.cycles);
    }
}

} // namespace tilescope
