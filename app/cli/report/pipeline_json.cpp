#include <boost/json.hpp>

#include "app/cli/document.h"
#include "app/cli/report/report_json.h"
#include "core/report/pipeline_tables.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

json::value betterJson(const BetterSplit& better) {
    if (better.split.empty())
        return nullptr;
    return json::object{{"split", json::value_from(better.split)},
                        {"stageCycles", json::value_from(better.stageCycles)},
                        {"longestCycles", better.longestCycles},
                        {"gainCycles", better.gainCycles},
                        {"gain", better.gain}};
}

} // namespace

json::value pipelineJson(const ProfileReader& reader, const ReportRequest&) {
    const PipelineReport report = pipelineReport(ProfileView(reader.file(), reader.info()));
    json::object result{{"schedule", report.schedule},
                        {"stages", toJson(stagesTable(report))},
                        {"slots",
                         {{"rampUp", report.rampUpSlots},
                          {"main", report.mainSlots},
                          {"rampDown", report.rampDownSlots}}}};
    if (report.stages.empty()) {
        result["utilisation"] = nullptr;
        result["longestStage"] = nullptr;
        result["hint"] = report.hint;
        return result;
    }
    result["slots"].as_object()["busy"] = report.busySlots;
    result["utilisation"] = report.utilisation;
    result["longestStage"] = report.longestStage;
    result["microBatches"] = report.microBatches;
    result["iterations"] = report.iterations;
    result["scheduleUtilisation"] = report.scheduleUtilisation;
    result["bubbleShare"] = report.bubbleShare;
    result["imbalanceShare"] = report.imbalanceShare;
    result["overheadShare"] = report.overheadShare;
    result["slotTimes"] = toJson(slotsTable(report));
    result["betterSplit"] = betterJson(report.better);
    return result;
}

} // namespace tilescope::cli
