#include "core/trace/trace_reader.h"

#include <algorithm>
#include <memory>
#include <span>

#include "core/database/insert.h"
#include "core/trace/lanes_in_memory.h"
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

/// Calls put(number, content) with each page of a list.
template <class T>
void forEachPage(const std::vector<T>& all, std::size_t perPage, const auto& put) {
    for (std::size_t first = 0; first < all.size(); first += perPage)
        put(first / perPage, std::span(all).subspan(first, std::min(perPage, all.size() - first)));
}

} // namespace

void writeTracePages(const Database& db, const Trace& trace, std::int32_t ipus) {
    if (stepsOnIpus(trace) < shortestPagedTrace)
        return;
    const LanesInMemory lanes(std::shared_ptr<const Trace>(std::shared_ptr<void>(), &trace), ipus);
    Insert laneRow(db, "trace_lanes");
    Insert pageRow(db, "trace_pages");
    Insert itemsRow(db, "trace_item_pages");
    Insert totalRow(db, "trace_program_totals");
    Insert ipuTotalRow(db, "trace_ipu_totals");
    std::int64_t pages = 0;
    for (std::size_t at = 0; at < trace.bodies.size(); ++at) {
        const TraceBodyId body(at);
        for (std::int32_t i = 0; i < ipus; ++i) {
            const IpuId ipu(i);
            const Lane& lane = lanes.lane(body, ipu);
            if (lane.count == 0)
                continue;
            laneRow(body, ipu, lane.count, lane.sequential, encodeSummary(lane), pages + 1);
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
