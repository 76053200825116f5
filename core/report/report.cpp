#include "core/report/report.h"

#include <algorithm>

#include "core/report/missing_parts.h"

namespace tilescope {

bool Report::listensTo(ReportOption option) const {
    return std::find(accepts.begin(), accepts.end(), option) != accepts.end();
}

const std::vector<Report>& allReports() {
    using enum ReportOption;
    static const std::vector<Report> reports{
        {"memory", memoryReport, {Tile, Ipu, By, Filter}},
        {"liveness", livenessReport, {Tile, Ipu, Step, Filter}},
        {"variables", variablesReport, {Tile, Ipu, Filter}},
        {"vertices", verticesReport, {Tile, Ipu, Filter}},
        {"exchanges", exchangesReport, {Tile, Ipu, Filter}},
        {"programs", programsReport, {Filter}},
        {"operations", operationsReport, {Run, By, Filter}},
        {"source", sourceReport, {Run, By, Filter, Sources}},
        {"trace", traceReport, {Ipu, Step, By}, true},
        {"pipeline", stagesReport, {}},
        {"phases", phasesReport, {Filter}},
        {"hosts", hostsReport, {By, Filter}},
        {"values", valuesReport, {By, Filter}},
        {"insights", insightsReport, {Tile, Ipu}},
    };
    return reports;
}

Document makeReport(const Report& report, const ProfileView& profile,
                    const ReportRequest& request) {
    const ProfileInfo& info = profile.info();
    if (report.needsExecution && !info.hasExecution)
        return {{{"execution", "Execution",
                  std::string(info.fits ? "none recorded" : "none: the model does not fit")}},
                {}};
    if (std::optional<std::string> why = whyNotKnown(report.id, info))
        return {{{"known", "Known", "not in this profile: " + *why}}, {}};
    Document document = report.make(profile, request);
    leaveOutMissing(document, report.id, info);
    return document;
}

} // namespace tilescope
