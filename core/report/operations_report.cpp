#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/accounting/cost_columns.h"
#include "core/analysis/accounting/roofline.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

/// What rows cover: "scope:2" means the first two parts of the paths.
struct Breakdown {
    CostLayer layer = CostLayer::Place;
    int depth = 1;
};

Breakdown breakdownFrom(const std::string& text) {
    Breakdown wanted;
    if (text.empty())
        return wanted;
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const std::optional<CostLayer> layer = fromName<CostLayer>(name);
    std::vector<std::string> names;
    names.reserve(costLayers.size());
    for (const CostLayer one : costLayers)
        names.emplace_back(toString(one));
    if (!layer)
        throw UserError(fmt::format("option --by: '{}' is not one of {}.{}", name,
                                    fmt::join(names, ", "), didYouMean(name, names)));
    wanted.layer = *layer;
    if (colon == text.npos)
        return wanted;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, wanted.depth);
    if (error != std::errc() || rest != end || wanted.depth < 1 || *layer != CostLayer::Scope)
        throw UserError(
            fmt::format("option --by: '{}' is not a depth of scopes, such as scope:2", text));
    return wanted;
}

/// Without --by the table and its first column have other names.
void nameAsBefore(Table& table) {
    table.key = "operations";
    table.columns.front().key = "name";
}

std::vector<std::int64_t> ofEachIpu(const ProfileView& profile, std::int64_t cycles) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(profile.machine().ipus), cycles);
}

} // namespace

Document operationsReport(const ProfileView& profile, const ReportRequest& request) {
    const Breakdown wanted = breakdownFrom(request.breakdown);
    const auto kept =
        request.run ? std::make_shared<const Accounting>(Accounting::make(profile, *request.run))
                    : accountingOf(profile);
    const Accounting& accounting = *kept;
    std::vector<CostRow> rows = costRows(profile, accounting, wanted.layer, wanted.depth);
    std::erase_if(rows, [&](const CostRow& row) { return !request.wants(row.path); });
    std::int64_t operations = 0;
    std::int64_t code = 0;
    std::int64_t once = 0;
    for (const CostRow& row : rows) {
        operations += row.operations;
        code += row.memory.code();
        once += row.cyclesOnce();
    }
    const RunTotals& totals = accounting.totals();
    Document document;
    document.fields = {{"totalOperations", "Operations", operations, Unit::Count},
                       {"totalCodeBytes", "Code", code, Unit::Bytes},
                       {"estimatedCyclesOnce",
                        "Estimated cycles, each place once, without host and sync", once,
                        Unit::Cycles}};
    if (totals.run >= 0) {
        document.fields.push_back({"run", "Run", totals.name});
        document.fields.push_back({"runCycles", "Cycles of the run", totals.cycles, Unit::Cycles});
        for (const TraceRun& other : accounting.otherRuns())
            document.fields.push_back(
                {"", "Not in these rows: " + other.name, other.cycles, Unit::Cycles, Shown::Text});
    }
    const RooflineLimits limits = rooflineLimits(profile.machine());
    const auto limit = [&](const char* key, const char* label, double value) {
        document.fields.push_back({key, label, std::int64_t{std::llround(value)}, Unit::Count});
    };
    limit("halfPeakFlopsPerCycle", "Peak FLOPs per cycle of an IPU, half", limits.halfFlops);
    limit("singlePeakFlopsPerCycle", "Peak FLOPs per cycle of an IPU, single", limits.singleFlops);
    limit("exchangeBytesPerCycle", "Bytes per cycle that its tiles can receive", limits.bytes);
    document.lists = {
        {"totals", "cyclesByIpu", "Cycles by IPU", ofEachIpu(profile, totals.cycles), Unit::Cycles},
        {"totals", "overlappedCyclesByIpu", "Overlapping other steps, by IPU", totals.overlapped,
         Unit::Cycles}};
    document.tables.push_back(costTable(rows, totals, wanted.layer));
    if (request.breakdown.empty())
        nameAsBefore(document.tables.back());
    return document;
}

} // namespace tilescope
