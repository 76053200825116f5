#include "views/operations/operations_content.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/profile/run_samples.h"
#include "core/report/compared_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

CostTableData readRows(const ProfileView& profile, const GroupChoice& choice,
                       const std::stop_token& stop) {
    const auto accounting = accountingOf(profile, stop);
    return {costRows(profile, *accounting, choice.layer, choice.depth, stop, choice.reach),
            accounting->totals(), accounting->otherRuns()};
}

/// Names that several rows of a profile have, one for each IPU.
std::set<std::string> namesOfSeveral(const OperationsReport& report) {
    std::set<std::string> several;
    for (const CostTableData* data : {&report.source, &report.target}) {
        std::set<std::string_view> known;
        for (const CostRow& row : data->rows)
            if (!known.insert(row.path).second)
                several.insert(row.path);
    }
    return several;
}

std::vector<NamedValue> valuesOf(const CostTableData& data, const CostColumn& column,
                                 const std::set<std::string>& several) {
    std::vector<NamedValue> values;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        const CostRow& row = data.rows[i];
        const auto value = numberOf(column.value(row, data.totals));
        if (!value)
            continue;
        std::string name = row.path;
        if (row.ipu.valid() && several.contains(row.path))
            name += Text::tr(", IPU %1").arg(row.ipu.value()).toStdString();
        values.push_back(
            {std::move(name), static_cast<std::int64_t>(*value), static_cast<std::int32_t>(i)});
    }
    return values;
}

/// The total of which the measured cycles are parts, and cycles that are not included.
QString summaryOf(const CostTableData& data) {
    const auto text = [](std::int64_t n) { return QString::fromStdString(formatCycles(n)); };
    QString line = shownName(data.totals.name) + QLatin1String(": ") + text(data.totals.cycles);
    if (data.totals.measured.size() > 1)
        line += Text::tr(" on each of %1 IPUs").arg(data.totals.measured.size());
    std::int64_t overlapped = 0;
    for (const std::int64_t cycles : data.totals.overlapped)
        overlapped += cycles;
    if (overlapped > 0)
        line += Text::tr("; %1 more overlap other steps").arg(text(overlapped));
    for (const TraceRun& other : data.otherRuns)
        line += Text::tr("; not in it: %1, %2").arg(shownName(other.name), text(other.cycles));
    return line;
}

/// The operation of each row or, of several, that of the step with the most cycles.
std::vector<OperationId> mainOperations(const ProfileView& profile,
                                        const std::vector<CostRow>& rows,
                                        const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    std::vector<OperationId> operations;
    for (const CostRow& row : rows) {
        OperationId operation = row.operation;
        std::int64_t most = -1;
        for (const RowStep& step : row.steps)
            if (!row.operation.valid() && step.cycles > most &&
                (*programs)[step.program].operation.valid()) {
                most = step.cycles;
                operation = (*programs)[step.program].operation;
            }
        operations.push_back(operation);
    }
    return operations;
}

bool isCostly(const CostRow& row) {
    return row.measuredCycles > 0 || row.cyclesOnce() > 0 || row.memory != OperationBytes{};
}

/// Leaves out rows without cost; the summary says how many.
void keepCostly(Table& table, const std::vector<CostRow>& rows) {
    const auto left = std::erase_if(table.rows, [&rows](const Row& row) {
        return !isCostly(rows.at(static_cast<std::size_t>(row.id)));
    });
    if (left == 0)
        return;
    const QString hidden = Text::tr("without cost, hidden: %1").arg(left);
    table.summary += (table.summary.empty() ? "" : "; ") + hidden.toStdString();
}

} // namespace

std::vector<const CostColumn*> comparableColumns() {
    std::vector<const CostColumn*> columns;
    for (const CostColumn& one : costColumns())
        if (one.column.unit != Unit::None && one.column.unit != Unit::Share)
            columns.push_back(&one);
    return columns;
}

OperationsReport readOperations(const ProfilePair& profiles, const GroupChoice& choice,
                                const std::stop_token& stop) {
    OperationsReport report;
    report.choice = choice;
    report.source = readRows(*profiles.source, choice, stop);
    report.depth = scopeDepth(*accountingOf(*profiles.source, stop));
    report.hasLines = !profiles.source->source(stop)->frames.empty();
    const auto namesOf = [&](const ProfileView& profile) {
        return std::make_shared<const SourceNames>(profile, choice.reach, stop);
    };
    const auto folderFor = [&](const ProfileView& profile, const SourceNames& names) {
        return choice.sources.empty() ? folderOfSources(profile, names.code()) : choice.sources;
    };
    if (choice.layer == CostLayer::Line) {
        report.names = namesOf(*profiles.source);
        report.remarks = std::make_shared<LazyPart<std::vector<LineRemark>>>();
        report.folder = folderFor(*profiles.source, *report.names);
        report.states = statesOnDisk(*report.names, report.folder);
        report.mainOperations = mainOperations(*profiles.source, report.source.rows, stop);
    }
    if (choice.layer == CostLayer::Line && choice.waitsByCause && !profiles.comparing())
        report.waits = causedWaits(*profiles.source, stop);
    report.executed = profiles.source->info().hasExecution;
    if (choice.layer == CostLayer::Line && report.hasLines && report.executed &&
        !profiles.comparing())
        for (auto& [place, of] :
             calledCycles(*accountingOf(*profiles.source, stop), *report.names, SourceGrain::Line))
            report.called.push_back(of);
    if (profiles.comparing()) {
        report.target = readRows(*profiles.target, choice, stop);
        if (choice.layer == CostLayer::Line && report.hasLines &&
            !profiles.target->source(stop)->frames.empty()) {
            report.targetNames = namesOf(*profiles.target);
            report.targetFolder = folderFor(*profiles.target, *report.targetNames);
            report.targetStates = statesOnDisk(*report.targetNames, report.targetFolder);
        }
        report.executed = report.executed && profiles.target->info().hasExecution;
        report.runsAlike = report.executed && runSamplesOf(profiles.source->info()).samples() ==
                                                  runSamplesOf(profiles.target->info()).samples();
    }
    return report;
}

QStringList standardColumns() {
    QStringList keys;
    for (const CostColumn& one : costColumns())
        if (one.standard)
            keys.append(QString::fromStdString(one.column.key));
    return keys;
}

Table groupTable(const OperationsReport& report, const QStringList& columns, ShownRows shown) {
    const bool severalIpus = report.source.totals.measured.size() > 1;
    std::vector<std::string> kept{"path"};
    for (const QString& key : columns) {
        const bool typeTwice =
            report.choice.layer == CostLayer::Type && key == QLatin1String("type");
        const bool oneIpu = !severalIpus && key == QLatin1String("ipu");
        if (!typeTwice && !oneIpu)
            kept.push_back(key.toStdString());
    }
    Table table = costTable(report.source.rows, report.source.totals, report.choice.layer,
                            {kept.begin(), kept.end()});
    if (report.executed)
        table.summary = summaryOf(report.source).toStdString();
    if (shown == ShownRows::Costly)
        keepCostly(table, report.source.rows);
    // The most expensive rows come first, rows without cost last.
    const auto cyclesOf = [&](const Row& row) {
        const CostRow& of = report.source.rows.at(static_cast<std::size_t>(row.id));
        return report.executed ? of.measuredCycles : of.cyclesOnce();
    };
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [&](const Row& a, const Row& b) { return cyclesOf(a) > cyclesOf(b); });
    return table;
}

Table comparedGroups(const OperationsReport& report, const CostColumn& column) {
    const std::string title(titleOf(report.choice.layer));
    const std::set<std::string> several = namesOfSeveral(report);
    return comparedByName(
        title + " (" + QString::fromStdString(column.column.title).toLower().toStdString() + ")",
        column.column.unit, valuesOf(report.source, column, several),
        valuesOf(report.target, column, several));
}

} // namespace tilescope::views
