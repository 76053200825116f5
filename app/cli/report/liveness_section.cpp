#include <fmt/format.h>

#include "app/cli/report/sections.h"
#include "core/analysis/liveness/liveness.h"

namespace tilescope::cli {
namespace {

Table sizesTable(std::string key, std::string title, const std::vector<SizedVariable>& variables,
                 const ReportRequest& request) {
    Table table{std::move(key),
                std::move(title),
                {{"variable", "Id"},
                 {"name", "Variable"},
                 {"category", "Category"},
                 {"bytes", "Bytes", Unit::Bytes}},
                {}};
    for (const SizedVariable& v : variables)
        if (request.wants(v.name))
            table.rows.push_back({std::int64_t{v.variable.value()}, v.name,
                                  std::string(toString(v.category)), v.bytes});
    return table;
}

LivenessSeries seriesOf(const ProfileReader& reader, const ReportRequest& request,
                        std::size_t steps) {
    const Target& target = reader.info().target;
    if (request.selection.tile().valid())
        return livenessOf(target, reader.variables(), reader.livenessClasses(), steps,
                          request.selection);
    return livenessFromCurve(reader.livenessCurve(), target, reader.tileMemory(),
                             request.selection);
}

Table stepsTable(const LivenessSeries& series, const std::vector<std::string>& names,
                 const ReportRequest& request) {
    Table table{"steps",
                "Live memory by step",
                {{"step", "Step"},
                 {"program", "Program"},
                 {"notAlwaysLive", "Not always live", Unit::Bytes},
                 {"live", "All", Unit::Bytes}},
                {}};
    for (std::size_t step = 0; step < names.size(); ++step)
        if (request.wants(names[step]))
            table.rows.push_back({static_cast<std::int64_t>(step), names[step],
                                  series.notAlwaysLive[step],
                                  series.alwaysLive + series.notAlwaysLive[step]});
    return table;
}

} // namespace

Document livenessSection(const ProfileReader& reader, const ReportRequest& request) {
    const Target& target = reader.info().target;
    const std::vector<std::string> names = stepNames(reader.programs(), reader.steps());
    const LivenessSeries series = seriesOf(reader, request, names.size());
    Document document;
    document.fields = {
        {"tiles", "Tiles", request.selection.label()},
        {"alwaysLive", "Always live", series.alwaysLive, Unit::Bytes},
        {"maxNotAlwaysLive", "Not always live, at most", series.maxNotAlwaysLive(), Unit::Bytes},
        {"peak", "Peak", series.peak(), Unit::Bytes}};
    if (series.peakStep.valid()) {
        document.fields.push_back({"peakStep", "Peak step", std::int64_t{series.peakStep.value()}});
        document.fields.push_back(
            {"peakProgram", "Peak program", names.at(series.peakStep.index())});
    }
    if (!request.step) {
        document.tables.push_back(stepsTable(series, names, request));
        return document;
    }
    const IdVector<VariableId, Variable> variables = reader.variables();
    const auto live = notAlwaysLiveVariables(target, variables, reader.livenessClasses(),
                                             names.size(), *request.step, request.selection);
    document.fields.push_back({"step", "Step", std::int64_t{request.step->value()}});
    document.fields.push_back({"program", "Program", names.at(request.step->index())});
    document.fields.push_back({"notAlwaysLive", "Not always live", totalBytes(live), Unit::Bytes});
    document.tables.push_back(
        sizesTable("notAlwaysLiveVariables", "Not always live variables", live, request));
    document.tables.push_back(sizesTable("alwaysLiveVariables", "Always live variables",
                                         alwaysLiveVariables(target, variables, request.selection),
                                         request));
    return document;
}

} // namespace tilescope::cli
