#include "core/analysis/liveness/liveness.h"
#include "core/report/item_tables.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

Table stepsTable(const LivenessSeries& series, const std::vector<std::string>& names,
                 const ReportRequest& request) {
    Table table{"steps",
                "Memory by program step, all IPUs at one step",
                {{"step", "Step"},
                 {"program", "Program"},
                 {"notAlwaysLive", "Not always live", Unit::Bytes},
                 {"live", "All", Unit::Bytes}}};
    for (std::size_t step = 0; step < names.size(); ++step)
        if (request.wants(names[step]))
            table.add({static_cast<std::int64_t>(step), names[step], series.notAlwaysLive[step],
                       series.alwaysLive + series.notAlwaysLive[step]});
    return table;
}

} // namespace

Document livenessReport(const ProfileView& profile, const ReportRequest& request) {
    const Target& target = profile.machine();
    const std::vector<std::string> names = stepNames(*profile.programs(), *profile.steps());
    const LivenessSeries series = livenessOf(profile, request.selection);
    Document document;
    document.fields = {{"tiles", "Tiles", request.selection.label()},
                       {"alwaysLive", "Always live", series.alwaysLive, Unit::Bytes},
                       {"maxNotAlwaysLive", "Not always live, peak of all steps",
                        series.maxNotAlwaysLive(), Unit::Bytes},
                       {"peak", "Peak of a program step", series.peak(), Unit::Bytes}};
    if (series.peakStep.valid()) {
        document.fields.push_back({"peakStep", "Peak step", std::int64_t{series.peakStep.value()}});
        document.fields.push_back(
            {"peakProgram", "Peak program", names.at(series.peakStep.index())});
    }
    if (!request.step) {
        document.tables.push_back(stepsTable(series, names, request));
        return document;
    }
    const IdVector<VariableId, Variable>& variables = *profile.variables();
    const auto live = notAlwaysLiveVariables(target, variables, *profile.livenessClasses(),
                                             names.size(), *request.step, request.selection);
    document.fields.push_back({"step", "Step", std::int64_t{request.step->value()}});
    document.fields.push_back({"program", "Program", names.at(request.step->index())});
    document.fields.push_back({"notAlwaysLive", "Not always live", totalBytes(live), Unit::Bytes});
    document.tables = {sizesTable("notAlwaysLiveVariables", "Not always live variables", live),
                       sizesTable("alwaysLiveVariables", "Always live variables",
                                  alwaysLiveVariables(target, variables, request.selection))};
    for (Table& table : document.tables)
        keepWanted(table, request);
    return document;
}

} // namespace tilescope
