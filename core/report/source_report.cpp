// Costs by the lines of the user's program.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/accounting/called_cycles.h"
#include "core/analysis/accounting/cost_columns.h"
#include "core/analysis/insights/line_remarks.h"
#include "core/analysis/insights/wait_causes.h"
#include "core/analysis/source/files_on_disk.h"
#include "core/base/error.h"
#include "core/base/saturating.h"
#include "core/base/suggest.h"
#include "core/report/report.h"
#include "core/report/source_parts.h"

namespace tilescope {
namespace {

/// The layers that this report has, a line by default.
constexpr auto sourceLayers =
    std::to_array({CostLayer::Line, CostLayer::Statement, CostLayer::Function, CostLayer::File,
                   CostLayer::Stack});

/// What rows are; "line:libraries" also counts lines of libraries.
struct SourceBreakdown {
    CostLayer layer = CostLayer::Line;
    SourceReach reach = SourceReach::Mine;
};

SourceBreakdown sourceBreakdownFrom(std::string_view text) {
    constexpr std::string_view libraries = ":libraries";
    SourceBreakdown wanted;
    if (text.ends_with(libraries)) {
        wanted.reach = SourceReach::Libraries;
        text.remove_suffix(libraries.size());
    }
    if (text.empty())
        return wanted;
    std::vector<std::string> names;
    for (const CostLayer one : sourceLayers) {
        if (toString(one) == text)
            return {one, wanted.reach};
        names.emplace_back(toString(one));
    }
    throw UserError(fmt::format("option --by: '{}' is not one of {}, each also with '{}'.{}", text,
                                fmt::join(names, ", "), libraries,
                                didYouMean(std::string(text), names)));
}

/// Lines with the most cycles first, then those without a line by kind.
void sortByCost(std::vector<CostRow>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const CostRow& a, const CostRow& b) {
        if (a.kind.empty() != b.kind.empty())
            return a.kind.empty();
        return a.measuredCycles != b.measuredCycles ? a.measuredCycles > b.measuredCycles
                                                    : a.cyclesOnce() > b.cyclesOnce();
    });
}

/// Cycles in which IPUs wait for what a line does, by its row's path and IPU.
using Waits = std::map<std::pair<std::string, IpuId>, std::int64_t>;

/// The line that a wait belongs to.
SourceFrameId lineOf(const CausedWait& wait, const SourceNames& names) {
    return wait.anchor ? names.frameOf(*wait.anchor) : names.frameOf(wait.node);
}

/// That of the run that is asked for.
std::shared_ptr<const Accounting> accountingFor(const ProfileView& profile,
                                                const ReportRequest& request) {
    return request.run ? std::make_shared<const Accounting>(Accounting::make(profile, *request.run))
                       : accountingOf(profile);
}

/// Lines whose only cost is that others wait for them get rows of their own.
Waits addWaits(std::vector<CostRow>& rows, const ProfileView& profile, const SourceNames& names,
               CostLayer layer) {
    Waits waits;
    const auto grain = grainOf(layer);
    for (const CausedWait& wait : causedWaits(profile)) {
        const SourceFrameId frame = lineOf(wait, names);
        if (!frame.valid() || !grain)
            continue;
        const std::string path = names.name(frame, *grain);
        const bool isNew = waits.try_emplace({path, wait.ipu}, 0).second;
        std::int64_t& sum = waits[{path, wait.ipu}];
        sum = saturatingSum(sum, wait.cycles);
        const bool has = !isNew || std::any_of(rows.begin(), rows.end(), [&](const CostRow& row) {
            return row.kind.empty() && row.path == path && row.ipu == wait.ipu;
        });
        if (has)
            continue;
        CostRow row;
        row.path = path;
        row.ipu = wait.ipu;
        row.source = frame;
        rows.push_back(std::move(row));
    }
    return waits;
}

/// Cycles of lines and of all that they call, by a row's path and IPU.
using Called = std::map<std::pair<std::string, IpuId>, std::int64_t>;

/// Lines that only call others get rows of their own.
Called addCallers(std::vector<CostRow>& rows, const Accounting& accounting,
                  const SourceNames& names, const SourceBreakdown& wanted) {
    Called called;
    const auto grain = grainOf(wanted.layer);
    if (!grain || wanted.layer == CostLayer::Stack) // a stack is called by nothing
        return called;
    std::set<std::pair<std::string, IpuId>> there;
    for (const CostRow& row : rows)
        if (row.source.valid())
            there.insert({row.path, row.ipu});
    for (const auto& [place, of] : calledCycles(accounting, names, *grain)) {
        called[place] = of.cycles;
        if (there.contains(place))
            continue;
        CostRow row;
        row.path = place.first;
        row.ipu = place.second;
        row.source = of.frame;
        rows.push_back(std::move(row));
    }
    return called;
}

/// Figures of a row that the accounting does not have.
template <class Figures> Cell figureOf(const Figures& figures, const CostRow& row) {
    const auto found = figures.find({row.path, row.ipu});
    return row.source.valid() && found != figures.end() ? Cell(found->second) : Cell();
}

/// The table of Operations, with the text of each line.
Table lineTable(const SourceNames& names, const std::vector<CostRow>& rows, const RunTotals& totals,
                CostLayer layer, const Called& called = {}, const Waits& waits = {}) {
    Table table = costTable(rows, totals, layer,
                            {"path", "ipu", "kind", "operations", "measuredShare", "measuredCycles",
                             "forwardCycles", "backwardCycles", "updateCycles", "estimatedCycles",
                             "flops", "bytesExchanged", "codeBytes", "vertexStateBytes",
                             "alwaysLiveBytes", "peakBytes"});
    table.key = "rows";
    table.title = "Source";
    table.columns.push_back({"inclusiveCycles", "With what it calls", Unit::Cycles,
                             "Cycles of the line and of all that it calls; what calls itself "
                             "counts once"});
    table.columns.push_back(
        {"waitCycles", "Waits", Unit::Cycles,
         "Cycles in which an IPU waits for what the line does; they are part of "
         "the rows without a line"});
    table.columns.push_back({"file", "File", Unit::None, {}, false, Shown::Data});
    table.columns.push_back({"line", "Line", Unit::None, {}, false, Shown::Data});
    table.columns.push_back({"endLine", "Last line", Unit::None, {}, false, Shown::Data});
    table.columns.push_back({"function", "Function", Unit::None, {}, false, Shown::Data});
    table.columns.push_back({"text", "Text"});
    for (Row& row : table.rows) {
        const CostRow& cost = rows[static_cast<std::size_t>(row.id)];
        const SourceFrameId frame = cost.source;
        row.cells.push_back(figureOf(called, cost));
        row.cells.push_back(figureOf(waits, cost));
        if (!frame.valid()) {
            row.cells.insert(row.cells.end(), {Cell(), Cell(), Cell(), Cell(), Cell()});
            continue;
        }
        const SourceFrame& at = names.code().frames[frame];
        const bool isStatement = layer == CostLayer::Statement;
        const bool isLine = layer == CostLayer::Line || layer == CostLayer::Stack || isStatement;
        const LineSpan span = isStatement ? names.statement(frame) : LineSpan{at.line, at.line};
        row.cells.emplace_back(names.shortPath(at.file));
        row.cells.push_back(isLine ? Cell(std::int64_t{span.first}) : Cell());
        row.cells.push_back(isLine ? Cell(std::int64_t{span.last}) : Cell());
        row.cells.push_back(layer == CostLayer::File ? Cell() : textOrNone(at.function));
        row.cells.push_back(isLine
                                ? textOrNone(names.text(frame, isStatement ? SourceGrain::Statement
                                                                           : SourceGrain::Line))
                                : Cell());
    }
    return table;
}

/// Files that may be the user's, with what is known of them; those of libraries only by request.
Table fileTable(const SourceNames& names, const std::filesystem::path& folder, SourceReach reach) {
    Table table{"files",
                "Files",
                {{"file", "File"},
                 in(Shown::Data, {"path", "Path"}),
                 {"origin", "Origin"},
                 {"textBytes", "Text", Unit::Bytes, "In the profile"},
                 {"state", "State", Unit::None,
                  "Of the text in the profile and the file on disk: notRecorded, recorded (and not "
                  "compared), same, changed, missing"}}};
    const auto states = statesOnDisk(names, folder);
    for (std::size_t i = 0; i < states.size(); ++i) {
        const SourceFileId id(i);
        const SourceFile& file = names.code().files[id];
        if (file.origin != SourceOrigin::Library || reach == SourceReach::Libraries)
            table.add({names.shortPath(id), file.path, std::string(toString(file.origin)),
                       static_cast<std::int64_t>(file.text.size()),
                       std::string(toString(states[id]))});
    }
    return table;
}

Cell numberOrNone(std::int64_t number) {
    return number > 0 ? Cell(number) : Cell();
}

/// What insights say of rows; they are those of the last run.
Table remarkTable(const ProfileView& profile, const SourceNames& names, CostLayer layer,
                  const ReportRequest& request) {
    Table table{"remarks",
                "What insights say",
                {{"path", std::string(titleOf(layer))},
                 {"kind", "Insight"},
                 {"level", "Level"},
                 {"costCycles", "Cycles", Unit::Cycles, "Of the insight, at all of its places"},
                 {"costBytes", "Bytes", Unit::Bytes, "Of the insight, at all of its places"},
                 {"title", "Remark"}}};
    const auto grain = grainOf(layer);
    if (!grain)
        return table;
    for (const LineRemark& remark : lineRemarks(profile, names, *grain))
        if (const std::string path = names.name(remark.frame, *grain); request.wants(path))
            table.add({path, remark.rule, std::string(toString(remark.level)),
                       numberOrNone(remark.cost.cycles), numberOrNone(remark.cost.bytes),
                       remark.title});
    return table;
}

std::filesystem::path folderFor(const ProfileView& profile, const SourceCode& source,
                                const std::filesystem::path& chosen) {
    if (chosen.empty())
        return folderOfSources(profile, source);
    std::error_code error;
    if (!std::filesystem::is_directory(chosen, error))
        throw UserError(fmt::format("option --source-folder: '{}' is not a folder; it is the one "
                                    "that the files of the program are in",
                                    chosen.string()));
    return chosen;
}

} // namespace

Document sourceReport(const ProfileView& profile, const ReportRequest& request) {
    const SourceBreakdown wanted = sourceBreakdownFrom(request.breakdown);
    const SourceNames names(profile, wanted.reach);
    const std::filesystem::path folder = folderFor(profile, names.code(), request.sources);
    Document document;
    if (!names.recorded()) {
        document.fields = {{"source", "Source lines",
                            std::string("none recorded: the model's file has no stacks of the "
                                        "program that made it")}};
        document.tables.push_back(lineTable(names, {}, {}, wanted.layer));
        return document;
    }
    const auto kept = accountingFor(profile, request);
    std::vector<CostRow> rows = costRows(profile, *kept, wanted.layer, 1, {}, wanted.reach);
    // They are those of the last run.
    const Waits waits = request.run ? Waits() : addWaits(rows, profile, names, wanted.layer);
    const Called called = addCallers(rows, *kept, names, wanted);
    std::erase_if(rows, [&](const CostRow& row) { return !request.wants(row.path); });
    sortByCost(rows);
    const RunTotals& totals = kept->totals();
    std::int64_t recorded = 0;
    for (const SourceFile& file : names.code().files)
        recorded += file.text.empty() ? 0 : 1;
    document.fields = {
        {"fileCount", "Files", static_cast<std::int64_t>(names.code().files.size()), Unit::Count},
        {"filesWithText", "Files with their text in the profile", recorded, Unit::Count}};
    if (totals.run >= 0) {
        document.fields.push_back({"run", "Run", totals.name});
        document.fields.push_back({"runCycles", "Cycles of the run", totals.cycles, Unit::Cycles});
    }
    document.tables.push_back(lineTable(names, rows, totals, wanted.layer, called, waits));
    document.tables.push_back(fileTable(names, folder, wanted.reach));
    if (!request.run)
        document.tables.push_back(remarkTable(profile, names, wanted.layer, request));
    return document;
}

SourceParts sourceParts(const ProfileView& profile, const ReportRequest& request) {
    const SourceBreakdown wanted = sourceBreakdownFrom(request.breakdown);
    const SourceNames names(profile, wanted.reach);
    const auto kept = accountingFor(profile, request);
    SourceParts parts{
        {"places",
         "",
         {{"path", "Row"},
          {"ipu", "IPU"},
          {"place", "Place"},
          {"pass", "Pass"},
          {"how", "Has the line because"},
          {"cycles", "Cycles", Unit::Cycles}}},
        {"losses",
         "",
         {{"path", "Row"}, {"ipu", "IPU"}, {"kind", "Loss"}, {"cycles", "Cycles", Unit::Cycles}}}};
    const auto grain = grainOf(wanted.layer);
    if (!grain || !names.recorded())
        return parts;
    const auto graph = profile.modelGraph();
    const auto programs = profile.programs();
    for (const CostPlace& place : kept->places()) {
        const SourceFrameId frame = names.frameOf(place.node);
        if (!place.operation.valid() || !frame.valid())
            continue;
        std::map<IpuId, std::int64_t> cycles;
        for (const PlacedStep& step : place.steps)
            cycles[step.once.ipu] =
                saturatingSum(cycles[step.once.ipu],
                              kept->totals().run >= 0 ? step.cycles : cyclesOnce(*programs, step));
        for (const auto& [ipu, sum] : cycles)
            parts.places.add({names.name(frame, *grain), std::int64_t{ipu.value()}, place.path,
                              std::string(toString(place.pass)),
                              std::string(toString(graph->nodes[place.node].source.link)), sum});
    }
    if (request.run)
        return parts; // waits are those of the last run
    std::map<std::tuple<std::string, IpuId, LossKind>, std::int64_t> losses;
    for (const CausedWait& wait : causedWaits(profile))
        if (const SourceFrameId frame = lineOf(wait, names); frame.valid()) {
            std::int64_t& sum = losses[{names.name(frame, *grain), wait.ipu, wait.kind}];
            sum = saturatingSum(sum, wait.cycles);
        }
    for (const auto& [of, cycles] : losses)
        parts.losses.add({std::get<0>(of), std::int64_t{std::get<1>(of).value()},
                          std::string(toString(std::get<2>(of))), cycles});
    return parts;
}

} // namespace tilescope
