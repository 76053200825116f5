#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/report/report_json.h"
#include "app/cli/report/sections.h"
#include "core/analysis/execution/pipeline.h"

namespace tilescope::cli {
namespace json = boost::json;
namespace {

Table stageTable(const PipelineReport& report) {
    Table stages{"stages",
                 report.stages.empty() ? "" : "Stages",
                 {{"stage", "Stage"},
                  {"ipu", "IPU"},
                  {"forwardCycles", "Forward", Unit::Cycles},
                  {"backwardCycles", "Backward", Unit::Cycles},
                  {"fifoDepth", "FIFO depth"},
                  {"fifoBytes", "FIFO", Unit::Bytes},
                  {"occupancy", "Occupancy", Unit::Share}},
                 {},
                 report.hint};
    for (const PipelineStage& s : report.stages)
        stages.rows.push_back({std::int64_t{s.stage}, std::int64_t{s.ipu.value()}, s.forwardCycles,
                               s.backwardCycles, s.fifoDepth, s.fifoBytes, s.occupancy});
    return stages;
}

Table slotTable(const PipelineReport& report) {
    Table slots{"slotTimes",
                "Slots",
                {{"part", "Part"},
                 {"repeats", "Times"},
                 {"programs", "Programs"},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"occupancy", "Occupancy", Unit::Share}},
                {}};
    for (const PipelineSlotTime& slot : report.slotTimes)
        slots.rows.push_back({std::string(toString(slot.part)), slot.repeats,
                              fmt::format("{}", fmt::join(slot.programs, " ")), slot.cycles,
                              slot.occupancy});
    return slots;
}

std::string slotText(const PipelineReport& report) {
    return fmt::format("{} ramp-up, {} main, {} ramp-down", report.rampUpSlots, report.mainSlots,
                       report.rampDownSlots);
}

std::string splitText(const PipelineReport& report) {
    return fmt::format("{}", fmt::join(report.better.split, ","));
}

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

Document pipelineSection(const ProfileReader& reader, const ReportRequest&) {
    const PipelineReport report = pipelineReport(reader);
    Document document{{{"schedule", "Schedule", report.schedule}}, {stageTable(report)}};
    if (report.stages.empty())
        return document;
    auto& fields = document.fields;
    fields.push_back({"microBatches", "Micro-batches", report.microBatches});
    fields.push_back({"slots", "Slots", slotText(report)});
    fields.push_back({"utilisation", "Utilisation", report.utilisation, Unit::Share});
    fields.push_back(
        {"scheduleUtilisation", "with equal stages", report.scheduleUtilisation, Unit::Share});
    fields.push_back({"bubbleShare", "Bubbles", report.bubbleShare, Unit::Share});
    fields.push_back(
        {"imbalanceShare", "Waiting for longer stages", report.imbalanceShare, Unit::Share});
    fields.push_back(
        {"overheadShare", "Copies, host, weight update", report.overheadShare, Unit::Share});
    fields.push_back({"longestStage", "Longest stage", std::int64_t{report.longestStage}});
    if (!report.better.split.empty()) {
        fields.push_back({"betterSplit", "Better --split", splitText(report)});
        fields.push_back({"betterSplitGain", "which would gain", report.better.gain, Unit::Share});
    }
    document.tables.push_back(slotTable(report));
    return document;
}

json::value pipelineJson(const ProfileReader& reader) {
    const PipelineReport report = pipelineReport(reader);
    json::object result{{"schedule", report.schedule},
                        {"stages", toJson(stageTable(report))},
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
    result["slotTimes"] = toJson(slotTable(report));
    result["betterSplit"] = betterJson(report.better);
    return result;
}

} // namespace tilescope::cli
