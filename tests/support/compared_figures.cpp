#include "tests/support/compared_figures.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/accounting/cost_rows.h"

namespace tilescope::test {
namespace {

/// Where a comparison keeps what it says of one of its profiles.
struct Side {
    std::string name;
    const ProfileView& profile;
    const MemorySummary& memory;
    std::int64_t CauseList::*list;
    std::optional<double> ComparedMetric::*metric;
    std::vector<std::optional<std::int64_t>> ComparedRow::*row;
};

class ComparedChecker {
public:
    explicit ComparedChecker(const Comparison& comparison)
        : comparison_(comparison) {}

    void checkSide(const Side& side) {
        const ProfileInfo& info = side.profile.info();
        const std::int64_t held = heldBy(side.profile);
        same(side.name + ", memory", comparison_.memory.*side.list, held);
        same(side.name + ", summary of memory",
             side.memory.alwaysLive + side.memory.maxNotAlwaysLive, held);
        if (comparison_.cycleBasis == CycleBasis::Executed)
            same(side.name + ", cycles", comparison_.cycles.*side.list, info.cycles);
        const auto metric = comparison_.metrics[metricNamed("cycles")].*side.metric;
        same(side.name + ", the metric of cycles", metric ? static_cast<std::int64_t>(*metric) : 0,
             info.hasExecution ? info.cycles : 0);

        std::int64_t variables = 0;
        for (const Variable& variable : *side.profile.variables())
            variables += variable.bytes.sum();
        same(side.name + ", bytes of variables", sumOf("variables", side), variables);
        const auto accounting = accountingOf(side.profile);
        const auto& overlapped = accounting->totals().overlapped;
        if (comparison_.cycleBasis == CycleBasis::Executed && info.target.ipus == 1 &&
            std::count(overlapped.begin(), overlapped.end(), 0) == 1)
            same(side.name + ", cycles of operations", sumOf("operations", side),
                 cyclesOfOperations(side.profile, *accounting));
    }

    /// What is not listed is the same on both sides.
    void checkCauses(const std::string& of, const CauseList& list) {
        std::int64_t change = 0;
        for (const Cause& cause : list.causes)
            change += cause.difference();
        same("causes of " + of, change, list.after - list.before);
    }

    std::string complaints() && { return std::move(complaints_); }

private:
    void same(const std::string& what, std::int64_t got, std::int64_t wanted) {
        if (got != wanted)
            complaints_ += fmt::format("{}: {} is not {}\n", what, got, wanted);
    }

    static std::int64_t heldBy(const ProfileView& profile) {
        std::int64_t held = 0;
        for (const TileMemory& tile : *profile.tileMemory())
            held += tile.alwaysLive;
        const auto& live = profile.livenessCurve()->notAlwaysLive;
        return held + (live.empty() ? 0 : *std::max_element(live.begin(), live.end()));
    }

    static std::int64_t cyclesOfOperations(const ProfileView& profile,
                                           const Accounting& accounting) {
        std::int64_t cycles = 0;
        for (const CostRow& row : costRows(profile, accounting, CostLayer::Place))
            if (row.kind.empty())
                cycles += row.measuredCycles;
        return cycles;
    }

    /// Of the first column of a table.
    [[nodiscard]] std::int64_t sumOf(const std::string& key, const Side& side) const {
        std::int64_t sum = 0;
        for (const ComparedTable& table : comparison_.tables)
            if (table.key == key)
                for (const ComparedRow& row : table.rows)
                    sum += (row.*side.row).front().value_or(0);
        return sum;
    }

    const Comparison& comparison_;
    std::string complaints_;
};

} // namespace

std::string contradictions(const ProfilePair& pair, const Comparison& comparison) {
    ComparedChecker checker(comparison);
    checker.checkSide({"source", *pair.source, comparison.sourceMemory, &CauseList::before,
                       &ComparedMetric::source, &ComparedRow::before});
    checker.checkSide({"target", *pair.target, comparison.targetMemory, &CauseList::after,
                       &ComparedMetric::target, &ComparedRow::after});
    checker.checkCauses("memory", comparison.memory);
    checker.checkCauses("cycles", comparison.cycles);
    return std::move(checker).complaints();
}

} // namespace tilescope::test
