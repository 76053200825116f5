// What a run computed: training's curve, and tensors at sampled iterations.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/report/value_tables.h"

namespace tilescope {
namespace {

enum class ValuesBreakdown { Tensor, Iteration, Exponent, Update };

ValuesBreakdown valuesBreakdownFrom(const std::string& text) {
    static const std::vector<std::string> names{"tensor", "iteration", "exponent", "update"};
    if (text.empty())
        return ValuesBreakdown::Tensor;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == text)
            return static_cast<ValuesBreakdown>(i);
    throw UserError(fmt::format("option --by: '{}' is not one of {}.{}", text,
                                fmt::join(names, ", "), didYouMean(text, names)));
}

/// A loss; none if it has diverged, as JSON has no NaN.
Cell lossCell(const std::optional<double>& loss) {
    return loss && std::isfinite(*loss) ? Cell(*loss) : Cell();
}

/// The text that --filter is matched against.
bool wantsTensor(const ReportRequest& request, const ValueTensor& tensor) {
    return request.wants(tensor.name) || request.wants(tensor.place);
}

/// The last loss and accuracies.
void addCurveFields(const ProfileValues& values, Document& document) {
    auto& fields = document.fields;
    if (!values.curve.empty()) {
        const CurvePoint& last = values.curve.back();
        fields.push_back({"updates", "Weight updates", last.iteration, Unit::Count});
        fields.push_back({"learningRate", "Learning rate", last.learningRate});
        fields.push_back({"lossScale", "Loss scale", last.lossScale});
        fields.push_back({"loss", "Loss of the last call", lossCell(last.loss)});
        if (last.accuracy)
            fields.push_back({"accuracy", "Accuracy of that call", *last.accuracy, Unit::Share});
    }
    if (!values.epochs.empty() && values.epochs.back().evalAccuracy)
        fields.push_back({"evalAccuracy", "Accuracy on test data",
                          *values.epochs.back().evalAccuracy, Unit::Share});
    fields.push_back({"sampledIterations", "Sampled iterations",
                      static_cast<std::int64_t>(sampledIterationsOf(values).size()), Unit::Count});
}

std::string exponentText(std::size_t bin) {
    const int exponent = exponents::of(bin);
    if (exponent < exponents::first)
        return fmt::format("below 2^{}", exponents::first);
    return exponent > exponents::last ? fmt::format("2^{} and above", exponent)
                                      : fmt::format("2^{}", exponent);
}

/// The position of a bin relative to the range of half: "subnormal half", "above half".
std::string rangeText(std::size_t bin) {
    const int exponent = exponents::of(bin);
    if (exponent < half_range::leastSubnormal)
        return "below half";
    if (exponent < half_range::leastNormal)
        return "subnormal half";
    return exponent > half_range::greatest ? "above half" : "half";
}

std::vector<Column> totalsColumns() {
    return {
        {"minimum", "Minimum", Unit::None, "Of finite elements, as are the next three"},
        {"maximum", "Maximum"},
        {"mean", "Mean"},
        {"deviation", "Deviation"},
        {"zeros", "Zeros", Unit::Share, "Of all elements"},
        {"subnormals", "Subnormal", Unit::Share, "Of the tensor's own type"},
        {"nans", "NaN", Unit::Share},
        {"infinities", "Infinite", Unit::Share},
        {"atLimit", "At limit", Unit::Share,
         "At plus or minus the largest finite number of the type, 65504 for half"},
        {"leastExponent", "Least", Unit::None,
         "Exponent of two of the smallest magnitude that is not zero"},
        {"greatestExponent", "Largest", Unit::None, "Exponent of two of the largest magnitude"}};
}

void addTotals(std::vector<Cell>& cells, const ValueTotals& totals) {
    const auto exponent = [](const std::optional<int>& e) {
        return e ? Cell(std::int64_t{*e}) : Cell();
    };
    for (const double number : {totals.minimum, totals.maximum, totals.mean, totals.deviation})
        cells.emplace_back(number);
    for (const std::int64_t count :
         {totals.zeros, totals.subnormals, totals.nans, totals.infinities, totals.atLimit})
        cells.emplace_back(totals.share(count));
    cells.push_back(exponent(totals.leastExponent()));
    cells.push_back(exponent(totals.greatestExponent()));
}

void append(std::vector<Column>& columns, std::vector<Column> more) {
    for (Column& column : more)
        columns.push_back(std::move(column));
}

Cell shareOfDead(std::int64_t dead, std::int64_t of) {
    return of > 0 ? Cell(static_cast<double>(dead) / static_cast<double>(of)) : Cell();
}

bool anyPartialsError(const ProfileValues& values) {
    for (const ValueSample& sample : values.samples)
        if (sample.partialsError)
            return true;
    return false;
}

} // namespace

Table tensorValuesTable(const ProfileValues& values, const ReportRequest& request) {
    Table table{
        "tensors",
        "Tensors, over all sampled iterations",
        {{"name", "Tensor"},
         {"kind", "Kind"},
         {"type", "Type"},
         {"shape", "Shape"},
         {"place", "Operation", Unit::None, "That makes it; for a weight, the first that reads it"},
         {"stage", "Stage"},
         {"samples", "Samples", Unit::Count}}};
    append(table.columns, totalsColumns());
    append(table.columns,
           {{"underflow", "Underflow", Unit::Share,
             "Subnormal halves, and zeros that were numbers, as estimated from the histogram of "
             "exponents"},
            {"deadElements", "Dead", Unit::Share,
             "Elements of a rectifier's result that are zero for every sample at every sampled "
             "iteration"},
            {"deadChannels", "Dead channels", Unit::Share,
             "Channels in which all elements are dead"}});
    if (anyPartialsError(values))
        table.columns.push_back({"partialsError", "Half partials", Unit::Share,
                                 "How far the product is from one with float partials"});
    for (std::size_t i = 0; i < values.tensors.size(); ++i) {
        const ValueTensor& t = values.tensors[ValueTensorId(i)];
        if (!wantsTensor(request, t))
            continue;
        const ValueTotals totals = totalsOf(samplesOf(values, ValueTensorId(i)));
        std::vector<Cell>& cells =
            table
                .add({t.name, std::string(displayName(t.kind)), t.type, t.shape, t.place,
                      std::int64_t{t.stage}, totals.samples},
                     static_cast<std::int32_t>(i))
                .cells;
        addTotals(cells, totals);
        cells.push_back(isHalfTensor(t) ? Cell(underflowShare(t, totals)) : Cell());
        cells.push_back(shareOfDead(t.deadElements, t.elementsOfSample));
        cells.push_back(shareOfDead(t.deadChannels, t.channels));
        if (anyPartialsError(values))
            cells.push_back(cellOf(totals.partialsError));
    }
    return table;
}

Table sampleTable(const ProfileValues& values, const ReportRequest& request) {
    Table table{"samples",
                "Tensors at sampled iterations",
                {{"name", "Tensor"},
                 {"place", "Operation"},
                 {"iteration", "Iteration"},
                 {"elements", "Elements", Unit::Count}}};
    append(table.columns, totalsColumns());
    for (const ValueSample& sample : values.samples) {
        const ValueTensor& t = values.tensors[sample.tensor];
        if (!wantsTensor(request, t))
            continue;
        std::vector<Cell>& cells =
            table.add({t.name, t.place, sample.iteration, sample.elements}, sample.tensor.value())
                .cells;
        addTotals(cells, totalsOf({&sample, 1}));
    }
    return table;
}

Table exponentTable(const ProfileValues& values, const ReportRequest& request) {
    std::vector<ValueTensorId> tensors;
    for (std::size_t i = 0; i < values.tensors.size(); ++i)
        if (wantsTensor(request, values.tensors[ValueTensorId(i)]))
            tensors.emplace_back(i);
    const ValueMatrix matrix = exponentMap(values, tensors);
    Table table{"exponents",
                "Share of the elements by the exponent of their magnitude, over iterations",
                {{"exponent", "Magnitude"}, {"range", "In the range of"}}};
    for (const std::int64_t iteration : matrix.iterations)
        table.columns.push_back(
            {fmt::format("at{}", iteration), std::to_string(iteration), Unit::Share});
    for (std::size_t bin = exponents::bins; bin-- > 0;) {
        const std::vector<double>& row = matrix.rows[bin];
        if (std::none_of(row.begin(), row.end(), [](double share) { return share > 0; }))
            continue;
        Row& made = table.add({exponentText(bin), rangeText(bin)});
        for (const double share : row)
            made.cells.push_back(std::isnan(share) ? Cell() : Cell(share));
    }
    return table;
}

Table curveTable(const ProfileValues& values) {
    Table table{"curve",
                "Training, a row for each call of the host",
                {{"iteration", "Update"},
                 {"loss", "Loss"},
                 {"accuracy", "Accuracy", Unit::Share},
                 {"learningRate", "Learning rate"},
                 {"lossScale", "Loss scale"}}};
    for (const CurvePoint& p : values.curve)
        table.add({p.iteration, lossCell(p.loss), cellOf(p.accuracy), p.learningRate, p.lossScale});
    return table;
}

Table epochTable(const ProfileValues& values) {
    Table table{"epochs",
                "Epochs",
                {{"epoch", "Epoch"},
                 {"iteration", "Updates"},
                 {"loss", "Loss"},
                 {"accuracy", "Accuracy", Unit::Share},
                 {"evalLoss", "Test loss"},
                 {"evalAccuracy", "Test accuracy", Unit::Share}}};
    for (const EpochPoint& e : values.epochs)
        table.add({e.epoch, e.iteration, lossCell(e.loss), cellOf(e.accuracy), lossCell(e.evalLoss),
                   cellOf(e.evalAccuracy)});
    return table;
}

Document valuesReport(const ProfileView& profile, const ReportRequest& request) {
    const ValuesBreakdown wanted = valuesBreakdownFrom(request.breakdown);
    const auto kept = profile.values();
    const ProfileValues& values = *kept;
    Document document;
    if (values.empty()) {
        document.fields = {{"values", "Values",
                            std::string("none recorded; `tilescope run --compute` computes them")}};
        return document;
    }
    addCurveFields(values, document);
    switch (wanted) {
    case ValuesBreakdown::Tensor:
        document.tables = {tensorValuesTable(values, request)};
        if (!values.epochs.empty())
            document.tables.push_back(epochTable(values));
        break;
    case ValuesBreakdown::Iteration:
        document.tables = {sampleTable(values, request)};
        break;
    case ValuesBreakdown::Exponent:
        document.tables = {exponentTable(values, request)};
        break;
    case ValuesBreakdown::Update:
        document.tables = {curveTable(values)};
        break;
    }
    return document;
}

} // namespace tilescope
