#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>

#include "core/report/pipeline_tables.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

std::string slotsText(const PipelineReport& report) {
    return fmt::format("{} ramp-up, {} main, {} ramp-down", report.rampUpSlots, report.mainSlots,
                       report.rampDownSlots);
}

/// What the depth of stage i's buffers counts, of N stages counted from 0; the published sources
/// differ by one.
std::string depthText(const PipelineReport& report) {
    static const std::map<std::string, const char*, std::less<>> texts{
        {"popart", "2 (N-1-i) + 1: micro-batches from stash to restore, including the current one "
                   "(PopART, pipeline.cpp, getStashSize); none in the last stage"},
        {"grouped", "2 (N-1-i): waiting micro-batches in addition to the current one (TensorFlow, "
                    "pipeline_util.cc, GetFifoDepthMultiplier); PopART would count one more"},
        {"interleaved", "N-1-i: waiting micro-batches in addition to the current one (TensorFlow, "
                        "pipeline_util.cc, GetFifoDepthMultiplier)"},
        {"sequential", "0: each micro-batch ends before the next begins, so a copy is enough "
                       "(TensorFlow, pipeline_util.cc, GetFifoDepthMultiplier)"}};
    const auto found = texts.find(report.schedule);
    return found == texts.end() ? std::string() : found->second;
}

bool isTraining(const PipelineReport& report) {
    return std::any_of(report.stages.begin(), report.stages.end(),
                       [](const PipelineStage& s) { return s.backwardCycles > 0; });
}

// The window has no room for columns without values.
void hideZeros(Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        Column& column = table.columns[i];
        const bool zero = std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
            return numberOf(row.cells[i]) == 0.0;
        });
        if (column.unit != Unit::None && zero)
            column.shown = column.shown == Shown::Window ? Shown::Nowhere : Shown::Printed;
    }
}

} // namespace

Table stagesTable(const PipelineReport& report) {
    Table table{
        "stages",
        report.stages.empty() ? "" : "Stages",
        {in(Shown::Window, {"name", "Stage"}),
         in(Shown::Printed, {"stage", "Stage"}),
         in(Shown::Printed, {"ipu", "IPU"}),
         {"forwardCycles", "Forward", Unit::Cycles, "Cycles of one micro-batch"},
         {"backwardCycles", "Backward", Unit::Cycles,
          "Cycles of one micro-batch, including recomputation"},
         in(Shown::Window, {"recomputeCycles", "Recompute", Unit::Cycles,
                            "Of the backward cycles, those of forward operations that run again"}),
         in(Shown::Window, {"updateCycles", "Update", Unit::Cycles,
                            "Compute and exchange cycles of one weight update"}),
         in(Shown::Window, {"fifoCycles", "FIFO cycles", Unit::Cycles,
                            "To advance the FIFOs once; stashes are part of forward and backward"}),
         {"fifoDepth", "FIFO depth", Unit::Count,
          "Micro-batches that an activation waits for its backward pass"},
         {"fifoBytes", "FIFO", Unit::Bytes,
          "Stashes or FIFOs of activations, all their rows, all tiles"},
         {"occupancy", "Occupancy", Unit::Share,
          "Share of the step in which the IPU runs the stage"}},
        {},
        report.hint};
    for (const PipelineStage& s : report.stages) {
        const bool longest = s.stage == report.longestStage;
        table.add({fmt::format("Stage {} on IPU {}{}", s.stage, s.ipu.value(),
                               longest && s.cycles() > 0 ? " \u2013 longest" : ""),
                   s.stage, cellOf(s.ipu), s.forwardCycles, s.backwardCycles, s.recomputeCycles,
                   s.updateCycles, s.fifoCycles, s.fifoDepth, s.fifoBytes, s.occupancy},
                  s.stage, longest);
    }
    hideZeros(table);
    return table;
}

Table slotsTable(const PipelineReport& report) {
    Table table{"slotTimes",
                "Slots",
                {{"part", "Part"},
                 {"repeats", "Times"},
                 {"programs", "Programs"},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"occupancy", "Occupancy", Unit::Share}}};
    for (const PipelineSlotTime& slot : report.slotTimes)
        table.add({std::string(toString(slot.part)), slot.repeats,
                   fmt::format("{}", fmt::join(slot.programs, " ")), slot.cycles, slot.occupancy});
    return table;
}

Document stagesReport(const ProfileView& profile, const ReportRequest&) {
    return stagesDocument(pipelineReport(profile));
}

Document stagesDocument(const PipelineReport& report) {
    Document document{{{"schedule", "Schedule", report.schedule}}, {stagesTable(report)}};
    if (report.stages.empty())
        return document;
    auto& fields = document.fields;
    fields.push_back({"microBatches", "Micro-batches", report.microBatches});
    fields.push_back({"slotCounts", "Slots", slotsText(report)});
    fields.push_back({"utilisation", "Utilisation", report.utilisation, Unit::Share});
    fields.push_back(
        {"scheduleUtilisation", "with equal stages", report.scheduleUtilisation, Unit::Share});
    fields.push_back({"bubbleShare", "Bubbles", report.bubbleShare, Unit::Share});
    fields.push_back(
        {"imbalanceShare", "Waiting for longer stages", report.imbalanceShare, Unit::Share});
    fields.push_back(
        {"overheadShare", "Copies, host, weight update", report.overheadShare, Unit::Share});
    if (const std::string text = depthText(report); !text.empty() && isTraining(report))
        fields.push_back({"fifoDepthCounts", "FIFO depth counts", text});
    fields.push_back({"longestStage", "Longest stage", std::int64_t{report.longestStage}});
    if (!report.better.split.empty()) {
        fields.push_back({"betterSplitNames", "Better --split",
                          fmt::format("{}", fmt::join(report.better.split, ","))});
        fields.push_back({"betterSplitGain", "which would gain", report.better.gain, Unit::Share});
    }
    document.tables.push_back(slotsTable(report));
    return document;
}

} // namespace tilescope
