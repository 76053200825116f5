#include "app/cli/report/sections.h"

#include <boost/json.hpp>

#include "app/cli/report/report_json.h"

namespace tilescope::cli {

const std::vector<Section>& reportSections() {
    static const std::vector<Section> sections{
        {"memory", memorySection, true, true, false, true, true},
        {"liveness", livenessSection, true, true, true, false, true},
        {"variables", variablesSection, true, true, false, false, true},
        {"vertices", verticesSection, true, true, false, false, true},
        {"exchanges", exchangesSection, true, true, false, false, true},
        {"programs", programsSection, false, false, false, false, true},
        {"operations", operationsSection, false, false, false, false, true},
        {"trace", traceSection, false, true, true, false, false},
        {"pipeline", pipelineSection, false, false, false, false, false},
        {"phases", phasesSection, false, false, false, false, true},
        {"insights", insightsSection, true, true, false, false, false},
    };
    return sections;
}

boost::json::value sectionJson(const Section& section, const ProfileReader& reader,
                               const ReportRequest& request) {
    if (section.name == "insights")
        return insightsJson(reader, request);
    if (section.name == "pipeline")
        return pipelineJson(reader);
    return toJson(section.make(reader, request));
}

} // namespace tilescope::cli
