#include "core/report/range_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/saturating.h"
#include "core/trace/range_programs.h"

namespace tilescope {
namespace {

struct Gathered {
    std::string name;
    OperationId operation;
    ProgramKind kind = ProgramKind::Sync;
    bool oneKind = true;
    std::set<ProgramId> programs;
    std::int64_t count = 0, cycles = 0, longest = 0, waiting = 0, bytesIn = 0;
    bool computes = false;
};

class Gatherer {
public:
    Gatherer(const ProfileView& profile, RangeGroup by, const std::stop_token& stop)
        : programs_(*profile.programs(stop))
        , operations_(*profile.operations(stop))
        , by_(by) {}

    void add(const RangeProgram& row) {
        const bool known = row.program.valid() && row.program.index() < programs_.size();
        OperationId operation = known ? programs_[row.program].operation : OperationId();
        if (operation.valid() && operation.index() >= operations_.size())
            operation = {};
        Gathered& sum = rows_.try_emplace(keyOf(row, operation), Gathered{}).first->second;
        if (sum.count == 0) {
            sum.name = nameOf(row, operation, known);
            sum.operation =
                by_ == RangeGroup::Kind || by_ == RangeGroup::Type ? OperationId() : operation;
            sum.kind = row.kind;
        }
        if (known)
            sum.programs.insert(row.program);
        sum.oneKind = sum.oneKind && sum.kind == row.kind;
        sum.count = saturatingSum(sum.count, row.count);
        sum.cycles = saturatingSum(sum.cycles, row.cycles);
        sum.longest = std::max(sum.longest, row.longest);
        sum.waiting = saturatingSum(sum.waiting, row.waiting);
        sum.bytesIn = saturatingSum(sum.bytesIn, row.bytesIn);
        sum.computes = sum.computes || row.kind == ProgramKind::OnTileExecute;
    }

    [[nodiscard]] std::vector<Gathered> rows() const {
        std::vector<Gathered> all;
        for (const auto& [key, row] : rows_)
            all.push_back(row);
        std::stable_sort(all.begin(), all.end(),
                         [](const Gathered& a, const Gathered& b) { return a.cycles > b.cycles; });
        return all;
    }

    [[nodiscard]] std::string operationName(OperationId operation) const {
        return operation.valid() ? operations_[operation].name : std::string();
    }

private:
    /// Steps without an operation are grouped by kind.
    [[nodiscard]] std::string keyOf(const RangeProgram& row, OperationId operation) const {
        const std::string kind(toString(row.kind));
        switch (by_) {
        case RangeGroup::Step:
            return std::to_string(row.program.value()) + " " + kind;
        case RangeGroup::Operation:
            return operation.valid() ? std::to_string(operation.value()) : kind;
        case RangeGroup::Type:
            return operation.valid() ? "type " + operations_[operation].type : kind;
        case RangeGroup::Kind:
            break;
        }
        return kind;
    }

    [[nodiscard]] std::string nameOf(const RangeProgram& row, OperationId operation,
                                     bool known) const {
        if (by_ == RangeGroup::Step && known && !programs_[row.program].name.empty())
            return programs_[row.program].name;
        if (by_ == RangeGroup::Operation && operation.valid())
            return operations_[operation].name;
        if (by_ == RangeGroup::Type && operation.valid())
            return operations_[operation].type;
        return std::string(toString(row.kind));
    }

    const IdVector<ProgramId, Program>& programs_;
    const IdVector<OperationId, Operation>& operations_;
    RangeGroup by_;
    std::map<std::string, Gathered> rows_;
};

/// What a piece of the host's time has in a range; a moment has no length.
void addPart(Gathered& row, const CycleRange& cycles, const CycleRange& range) {
    const bool isMoment = cycles.begin == cycles.end;
    const std::int64_t begin = std::max(cycles.begin, range.begin);
    const std::int64_t end = std::min(cycles.end, range.end);
    if (isMoment ? begin > end || begin == range.end : begin >= end)
        return;
    ++row.count;
    row.cycles = saturatingSum(row.cycles, end - begin);
    row.longest = std::max(row.longest, cycles.cycles());
}

/// Tracepoints of all threads, by name and channel.
void addThreads(std::map<std::pair<std::string, std::string>, Gathered>& rows,
                const HostThreads& threads, const CycleRange& range) {
    std::unordered_map<std::uint64_t, Gathered> sums; // by the words' numbers
    constexpr int wordBits = 32;
    for (const HostThreads::Thread& thread : threads.threads())
        for (const HostThreads::Row& row : thread.rows)
            for (std::size_t at = row.firstFrom(range.begin);
                 at < row.events.size() && row.events[at].begin < range.end; ++at) {
                const HostThreads::Event& event = row.events[at];
                addPart(sums[(std::uint64_t{event.name} << wordBits) | event.channel],
                        {event.begin, event.end}, range);
            }
    for (const auto& [words, sum] : sums) {
        Gathered& row = rows[{threads.word(static_cast<std::uint32_t>(words >> wordBits)),
                              threads.word(static_cast<std::uint32_t>(words))}];
        row.count += sum.count;
        row.cycles = saturatingSum(row.cycles, sum.cycles);
        row.longest = std::max(row.longest, sum.longest);
    }
}

} // namespace

Column stepBalanceColumn() {
    return {"stepBalance", "Balance in steps", Unit::Share,
            "Tile cycles in which no tile waits for a slower one of the same compute set, of all"};
}

Cell balanceCell(std::optional<double> balance) {
    return balance ? Cell(*balance) : Cell();
}

RangeTable rangeTable(const ProfileView& profile, const std::vector<IpuId>& ipus, CycleRange range,
                      RangeGroup by, const std::stop_token& stop) {
    Gatherer gatherer(profile, by, stop);
    const auto trace = profile.trace(stop);
    for (const IpuId ipu : ipus)
        for (const RangeProgram& row : programsIn(*trace, ipu, range))
            gatherer.add(row);
    Table table{"range",
                "",
                {{"name", "Name"},
                 {"operation", "Operation"},
                 {"kind", "Kind"},
                 {"count", "Count", Unit::Count, "Executions that the range touches", true},
                 {"cycles", "Total", Unit::Cycles, "Cycles within the range", true},
                 {"mean", "Mean", Unit::Cycles, "Cycles within the range of an execution"},
                 {"longest", "Longest", Unit::Cycles,
                  "The longest execution, including parts outside the range"},
                 {"share", "Share", Unit::Share, "Of the range, on all IPUs that are shown", true},
                 stepBalanceColumn(),
                 {"bytesIn", "Received", Unit::Bytes,
                  "By tiles, from tiles, other IPUs and the host", true}}};
    table.emptyText = "nothing runs in the range";
    const double whole = static_cast<double>(range.cycles()) *
                         static_cast<double>(std::max<std::size_t>(1, ipus.size()));
    std::vector<RangeRow> rows;
    for (const Gathered& row : gatherer.rows()) {
        table.add({row.name, textOrNone(gatherer.operationName(row.operation)),
                   row.oneKind ? Cell(std::string(toString(row.kind))) : Cell(), row.count,
                   row.cycles, row.count > 0 ? Cell(row.cycles / row.count) : Cell(), row.longest,
                   whole > 0 ? static_cast<double>(row.cycles) / whole : 0.0,
                   row.computes ? balanceCell(stepBalance(row.waiting, row.cycles,
                                                          profile.machine().tilesPerIpu))
                                : Cell(),
                   row.bytesIn},
                  static_cast<std::int32_t>(rows.size()));
        rows.push_back({row.operation, {row.programs.begin(), row.programs.end()}});
    }
    return {std::move(table), std::move(rows)};
}

void addHostRows(RangeTable& table, const HostTimeline& host, CycleRange range,
                 bool compilationShown) {
    std::map<std::pair<std::string, std::string>, Gathered> rows; // by name and channel
    if (compilationShown)
        for (const HostLane& lane : host.before())
            for (const HostBox& box : lane.boxes)
                addPart(
                    rows[{box.name, box.work == HostWork::Compilation ? "compilation" : "loading"}],
                    box.cycles, range);
    addThreads(rows, host.threads(), range);
    const auto time = [&](std::int64_t cycles) { return Duration{cycles, host.clockHz()}; };
    for (const auto& [key, row] : rows) {
        if (row.count == 0)
            continue;
        const double share = range.cycles() > 0 ? static_cast<double>(row.cycles) /
                                                      static_cast<double>(range.cycles())
                                                : 0.0;
        table.table
            .add({key.first, Cell(), "Host: " + key.second, row.count, time(row.cycles),
                  time(row.cycles / row.count), time(row.longest), share, Cell(), Cell()},
                 static_cast<std::int32_t>(table.rows.size()))
            .unit = Unit::Seconds;
        table.rows.emplace_back();
    }
}

} // namespace tilescope
