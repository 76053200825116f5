#include "core/trace/lanes_in_memory.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

void addExecution(auto& total, std::int64_t cycles) {
    ++total.count;
    total.cycles = saturatingSum(total.cycles, cycles);
}

template <class Key, class Total> std::vector<Total> valuesOf(const std::map<Key, Total>& totals) {
    std::vector<Total> values;
    values.reserve(totals.size());
    for (const auto& [key, total] : totals)
        values.push_back(total);
    return values;
}

} // namespace

LanesInMemory::LanesInMemory(std::shared_ptr<const Trace> trace, std::int32_t ipus)
    : TraceLanes(ipus)
    , trace_(std::move(trace))
    , entries_(trace_->bodies.size() * static_cast<std::size_t>(ipus))
    , blocks_(entries_.size()) {
    std::vector<BodyItems> items;
    for (const TraceBody& body : trace_->bodies)
        items.push_back(takeItems(body));
    build(trace_, items,
          [this](TraceBodyId body, std::span<Lane> lanes) { fillLanes(body, lanes); });
}

LanesInMemory::BodyItems LanesInMemory::takeItems(const TraceBody& body) {
    BodyItems items;
    std::vector<ItemContent>& content = items_.emplace_back();
    content.reserve(body.items.size());
    std::size_t steps = 0;
    for (const TraceItem& item : body.items) {
        if (item.step >= 0 && std::cmp_equal(item.step, steps) && steps < body.steps.size()) {
            content.push_back({body.steps[steps++].program.value(), -1});
        } else if (item.step < 0 && std::cmp_equal(item.call, items.calls.size())) {
            items.calls.push_back(static_cast<std::int32_t>(content.size()));
            content.push_back({-1, item.call});
        } else {
            damaged("has an item that is not the next step or call");
        }
    }
    if (items.calls.size() != body.calls.size())
        damaged("has an item that is not the next step or call");
    for (const TraceStep& step : body.steps)
        for (const StepOnIpu& on : step.ipus) {
            checkIpu(on.ipu, ipus());
            checkCycles(on.start, on.cycles);
        }
    items.count = static_cast<std::int64_t>(content.size());
    return items;
}

void LanesInMemory::takeEntries(TraceBodyId id) {
    const TraceBody& body = trace_->bodies[id];
    const auto add = [&](IpuId ipu, const LaneEntry& entry) {
        checkCycles(entry.begin, entry.end - entry.begin);
        entries_[placeOf(id, ipu)].push_back(entry);
    };
    for (std::int32_t at = 0; std::cmp_less(at, body.items.size()); ++at) {
        const TraceItem& item = body.items[static_cast<std::size_t>(at)];
        std::int32_t onIpu = 0;
        if (item.step >= 0) {
            const TraceStep& step = body.steps[static_cast<std::size_t>(item.step)];
            for (const StepOnIpu& on : step.ipus)
                add(on.ipu,
                    {on.start, on.start + on.cycles, at, -1, onIpu++, step.program, step.kind});
            continue;
        }
        const TraceCall& call = body.calls[static_cast<std::size_t>(item.call)];
        for (const CallOnIpu& on : call.ipus) {
            const Repetition r = repetition(call, on);
            if (r.count > 0)
                add(on.ipu, {on.start,
                             on.start + (r.count - 1) * r.period + r.length,
                             at,
                             item.call,
                             onIpu,
                             {},
                             ProgramKind::Call});
            ++onIpu;
        }
    }
}

void LanesInMemory::fillLanes(TraceBodyId id, std::span<Lane> lanes) {
    takeEntries(id);
    for (std::size_t ipu = 0; ipu < lanes.size(); ++ipu) {
        Lane& lane = lanes[ipu];
        std::vector<LaneEntry>& entries = entries_[placeOf(id, IpuId(ipu))];
        std::vector<LaneBlock>& blocks = blocks_[placeOf(id, IpuId(ipu))];
        std::stable_sort(entries.begin(), entries.end(),
                         [](const LaneEntry& a, const LaneEntry& b) { return a.begin < b.begin; });
        lane.count = entries.size();
        std::int64_t maxEnd = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const LaneEntry& entry = entries[i];
            if (i % entriesPerBlock == 0)
                blocks.push_back({entry.begin, 0, entry.item, {}, {}, lane.total});
            LaneBlock& block = blocks.back();
            lane.sequential = lane.sequential && entry.begin >= maxEnd;
            maxEnd = std::max(maxEnd, entry.end);
            block.maxEnd = maxEnd;
            if (entry.program.valid()) {
                block.last = {entry.item, entry.program};
                if (!block.first.program.valid())
                    block.first = block.last;
            }
            lane.total += sumsOf(id, IpuId(ipu), entry);
        }
        lane.length = maxEnd;
        blocks.shrink_to_fit();
    }
}

TracePage<LaneEntry> LanesInMemory::entries(TraceBodyId body, IpuId ipu, std::size_t, Keep) const {
    return TracePage(entries(body, ipu));
}

TracePage<ItemContent> LanesInMemory::items(TraceBodyId body, std::size_t) const {
    return TracePage(items(body));
}

StepRange LanesInMemory::steps(TraceBodyId id, std::size_t from, std::size_t end) const {
    const TraceBody& body = trace_->bodies[id];
    StepRange range;
    for (std::size_t at = from; at < end; ++at) {
        if (body.items[at].step < 0)
            continue;
        const TraceStep& step = body.steps[static_cast<std::size_t>(body.items[at].step)];
        const auto first = static_cast<std::uint32_t>(range.ipus.size());
        range.ipus.insert(range.ipus.end(), step.ipus.begin(), step.ipus.end());
        range.steps.push_back({static_cast<std::int64_t>(at), step.kind, step.program, first,
                               static_cast<std::uint32_t>(range.ipus.size())});
    }
    return range;
}

StepOnIpu LanesInMemory::stepOn(TraceBodyId id, IpuId, const LaneEntry& entry) const {
    const TraceBody& body = trace_->bodies[id];
    const TraceItem& item = body.items[static_cast<std::size_t>(entry.item)];
    return body.steps[static_cast<std::size_t>(item.step)]
        .ipus[static_cast<std::size_t>(entry.onIpu)];
}

std::vector<ProgramTotal> LanesInMemory::makeTotals(TraceBodyId id) const {
    std::map<ProgramId, ProgramTotal> totals;
    for (const TraceStep& step : trace_->bodies[id].steps) {
        if (!step.program.valid())
            continue;
        std::int64_t cycles = 0;
        for (const StepOnIpu& on : step.ipus)
            cycles = std::max(cycles, on.cycles);
        addExecution(totals.try_emplace(step.program, ProgramTotal{step.program}).first->second,
                     cycles);
    }
    return valuesOf(totals);
}

std::vector<IpuTotal> LanesInMemory::ipuTotals(TraceBodyId id) const {
    std::map<std::pair<ProgramId, IpuId>, IpuTotal> totals;
    for (const TraceStep& step : trace_->bodies[id].steps)
        for (const StepOnIpu& on : step.ipus)
            if (step.program.valid())
                addExecution(
                    totals.try_emplace({step.program, on.ipu}, IpuTotal{step.program, on.ipu})
                        .first->second,
                    on.cycles);
    return valuesOf(totals);
}

} // namespace tilescope
