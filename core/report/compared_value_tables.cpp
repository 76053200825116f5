#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/report/value_tables.h"

namespace tilescope {
namespace {

/// None if it has diverged, as JSON has no NaN.
Cell numberCell(const std::optional<double>& number) {
    return number && std::isfinite(*number) ? Cell(*number) : Cell();
}

Cell differenceCell(const std::optional<double>& before, const std::optional<double>& after) {
    return before && after ? numberCell(*after - *before) : Cell();
}

Cell ifThere(ValueTensorId side, double number) {
    return side.valid() ? Cell(number) : Cell();
}

} // namespace

Table comparedTensorsTable(const ComparedValues& compared, std::size_t rows) {
    rows = std::min(rows, compared.tensors.size());
    Table table{
        "valueTensors",
        rows < compared.tensors.size()
            ? fmt::format("Tensors ({} of {}, largest shift first)", rows, compared.tensors.size())
            : std::string("Tensors, largest shift first"),
        {{"name", "Tensor"},
         {"kind", "Kind"},
         {"place", "Operation"},
         {"moved", "Moved", Unit::None,
          "Mean shift of the elements in powers of two: the earth mover's distance of the "
          "histograms"},
         differenceOf({"lostChange", "Zeros, NaN, infinite", Unit::Share,
                       "Change of their share of the elements"}),
         {"sourceDeviation", "Source deviation"},
         {"targetDeviation", "Target deviation"},
         {"sourceZeros", "Source zeros", Unit::Share},
         {"targetZeros", "Target zeros", Unit::Share},
         {"sourceSubnormals", "Source subnormal", Unit::Share},
         {"targetSubnormals", "Target subnormal", Unit::Share}}};
    for (std::size_t i = 0; i < rows; ++i) {
        const ComparedTensor& t = compared.tensors[i];
        const bool both = t.source.valid() && t.target.valid();
        table.add({t.name, std::string(displayName(t.kind)), t.place, cellOf(t.moved),
                   both ? Cell(t.lostChange()) : Cell(), ifThere(t.source, t.before.deviation),
                   ifThere(t.target, t.after.deviation),
                   ifThere(t.source, t.before.share(t.before.zeros)),
                   ifThere(t.target, t.after.share(t.after.zeros)),
                   ifThere(t.source, t.before.share(t.before.subnormals)),
                   ifThere(t.target, t.after.share(t.after.subnormals))},
                  t.source.value());
    }
    return table;
}

Table comparedCurveTable(const ComparedValues& compared, std::size_t rows) {
    rows = std::min(rows, compared.curve.size());
    Table table{"valueCurve",
                rows < compared.curve.size()
                    ? fmt::format("Training (the last {} of {} calls)", rows, compared.curve.size())
                    : std::string("Training"),
                {{"iteration", "Update"},
                 {"sourceLoss", "Source loss"},
                 {"targetLoss", "Target loss"},
                 differenceOf({"lossDifference", "Difference"}),
                 {"sourceAccuracy", "Source accuracy", Unit::Share},
                 {"targetAccuracy", "Target accuracy", Unit::Share}}};
    for (std::size_t i = compared.curve.size() - rows; i < compared.curve.size(); ++i) {
        const ComparedPoint& p = compared.curve[i];
        table.add({p.iteration, numberCell(p.sourceLoss), numberCell(p.targetLoss),
                   differenceCell(p.sourceLoss, p.targetLoss), cellOf(p.sourceAccuracy),
                   cellOf(p.targetAccuracy)});
    }
    return table;
}

} // namespace tilescope
