#include "core/analysis/compare/calibration_tables.h"

#include <cmath>
#include <string>

namespace tilescope {
namespace {

/// Of ratios and constants; more digits would not be known.
Cell rounded(double value) {
    if (value == 0 || !std::isfinite(value))
        return value == 0 ? Cell(0.0) : Cell();
    constexpr int digits = 4;
    const double scale = std::pow(10.0, digits - std::ceil(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

/// A ratio of a kind's steps.
Cell ofSteps(const CalibratedKind& kind, double ratio) {
    return kind.ratios.count == 0 ? Cell() : Cell(ratio);
}

/// The name of a constant for people.
std::string titleOf(const std::string& constant) {
    return constant == "internalSyncCycles"   ? "Tile sync"
           : constant == "externalSyncCycles" ? "Host sync"
           : constant == "hostLatencySeconds" ? "Host latency"
           : constant == "hostBytesPerSecond" ? "Host rate, a second"
                                              : "Streaming rate, a second";
}

/// How people read numbers of a constant: its unit is written with them.
Unit unitOf(const std::string& constant) {
    return constant.ends_with("Cycles")           ? Unit::Cycles
           : constant.ends_with("Seconds")        ? Unit::Seconds
           : constant.ends_with("BytesPerSecond") ? Unit::Bytes
                                                  : Unit::None;
}

Table kindsTable(const Calibration& calibration) {
    Table table{
        "kinds",
        "Kinds of steps, simulated and measured",
        {{"kind", "Kind"},
         {"simulatedCycles", "Simulated", Unit::Cycles},
         {"measuredCycles", "Measured", Unit::Cycles},
         {"simulatedMatched", "Matched", Unit::Share,
          "share of the simulated cycles in steps that match"},
         {"measuredMatched", "Of measured", Unit::Share},
         {"ratio", "Ratio", Unit::Share, "measured of simulated cycles, of the steps that match"},
         {"steps", "Steps", Unit::Count},
         {"p10", "Low", Unit::Share, "a tenth of the steps have a lower ratio"},
         {"median", "Median", Unit::Share, "half of the steps have a lower ratio"},
         {"p90", "High", Unit::Share, "a tenth of the steps have a higher ratio"}}};
    for (const CalibratedKind& kind : calibration.kinds)
        table.add({std::string(toString(kind.kind)), kind.simulatedCycles, kind.measuredCycles,
                   kind.simulatedMatched, kind.measuredMatched,
                   kind.simulatedMatched > 0 ? Cell(kind.ratio) : Cell(), kind.ratios.count,
                   ofSteps(kind, kind.ratios.p10), ofSteps(kind, kind.ratios.median),
                   ofSteps(kind, kind.ratios.p90)});
    return table;
}

Table constantsTable(const Calibration& calibration) {
    Table table{"constants",
                "Constants that the measured steps determine",
                {in(Shown::Printed, {"constant", "Constant"}),
                 in(Shown::Window, {"title", "Constant"}),
                 in(Shown::Data, {"unit", "Unit"}),
                 {"simulated", "Simulated"},
                 {"fitted", "Measured", Unit::None, "the median of the values"},
                 {"values", "Values", Unit::Count},
                 {"p10", "Low", Unit::None, "a tenth of the values are lower"},
                 {"p90", "High", Unit::None, "a tenth of the values are higher"},
                 {"differs", "Differs", Unit::None, "by more than 2 %"}}};
    table.emptyText = calibration.whyNoConstants.empty() ? "none" : calibration.whyNoConstants;
    for (const FittedConstant& constant : calibration.constants) {
        Row& row = table.add({constant.name, titleOf(constant.name), constant.unit,
                              rounded(constant.simulated), rounded(constant.fitted.median),
                              constant.fitted.count, rounded(constant.fitted.p10),
                              rounded(constant.fitted.p90), constant.differs});
        row.unit = unitOf(constant.name);
    }
    return table;
}

Table stepsTable(const ProfilePair& pair, const Calibration& calibration) {
    Table table{"steps",
                "Matched steps",
                {{"name", "Step"},
                 {"kind", "Kind"},
                 {"executions", "Executions", Unit::Count},
                 {"simulatedCycles", "Simulated", Unit::Cycles, "the mean of an execution"},
                 {"measuredCycles", "Measured", Unit::Cycles, "the mean of an execution"},
                 {"ratio", "Ratio", Unit::Share, "measured of simulated cycles"}}};
    table.idKey = "program";
    const auto programs = pair.source->programs();
    for (const MatchedStep& step : calibration.steps)
        table.add(
            {(*programs)[step.simulated].name, std::string(toString(step.kind)), step.executions,
             std::round(step.simulatedCycles), std::round(step.measuredCycles),
             step.simulatedCycles > 0 ? Cell(step.measuredCycles / step.simulatedCycles) : Cell()},
            step.simulated.value());
    return table;
}

} // namespace

Document calibrationDocument(const ProfilePair& pair, const Calibration& calibration) {
    return {{{"matched", "Matched cycles", calibration.matched, Unit::Share}},
            {kindsTable(calibration), constantsTable(calibration), stepsTable(pair, calibration)}};
}

} // namespace tilescope
