#include "views/values/values_content.h"

#include <algorithm>

#include "core/report/compared_tables.h"
#include "core/report/value_tables.h"
#include "views/tables/cell_text.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// The report's columns, the most important ones first.
Table tensorsOfOne(const ProfileValues& values) {
    const Table all = tensorValuesTable(values, {});
    std::vector<std::string_view> keys{
        "name",    "kind",      "place",      "type",      "leastExponent", "greatestExponent",
        "zeros",   "underflow", "subnormals", "nans",      "infinities",    "atLimit",
        "minimum", "maximum",   "mean",       "deviation", "deadElements",  "deadChannels",
        "shape",   "samples"};
    const bool staged = std::any_of(values.tensors.begin(), values.tensors.end(),
                                    [](const ValueTensor& tensor) { return tensor.stage > 0; });
    if (staged)
        keys.insert(keys.end() - 1, "stage");
    for (const Column& column : all.columns)
        if (column.key == "partialsError")
            keys.emplace_back("partialsError");
    Table table = onlyColumns(all, keys);
    table.columns[table.columnOf("leastExponent")].title = "From 2^";
    table.columns[table.columnOf("greatestExponent")].title = "To 2^";
    return table;
}

void addPairs(ValuesContent& content) {
    if (!content.comparing()) {
        content.tensors = tensorsOfOne(*content.source);
        for (std::size_t i = 0; i < content.source->tensors.size(); ++i)
            content.pairs.push_back({ValueTensorId(i), {}});
        return;
    }
    const ComparedValues compared = compareValues(*content.source, *content.target);
    content.tensors = comparedTensorsTable(compared, compared.tensors.size());
    std::int32_t place = 0;
    for (const ComparedTensor& tensor : compared.tensors) {
        content.tensors.rows.at(content.pairs.size()).id = place++;
        content.pairs.push_back({tensor.source, tensor.target});
    }
}

void addCurves(ValuesContent& content) {
    const auto made = [&content](Table (*make)(const ProfileValues&)) {
        return content.comparing() ? tableOfTwo(make(*content.source), make(*content.target))
                                   : make(*content.source);
    };
    content.epochs = made(epochTable);
    if (!content.comparing()) {
        content.updates = curveTable(*content.source);
        return;
    }
    const ComparedValues compared =
        compareValues({content.source->curve, {}, {}, {}}, {content.target->curve, {}, {}, {}});
    content.updates = comparedCurveTable(compared, compared.curve.size());
}

/// The share of a sample's elements that its type could not represent.
double lostShareOf(const ProfileValues& values, ValueTensorId tensor) {
    const ValueTotals totals = totalsOf(samplesOf(values, tensor));
    return underflowShare(values.tensors[tensor], totals) +
           totals.share(totals.nans + totals.infinities + totals.atLimit);
}

Table samplesOfOne(const ProfileValues& values, ValueTensorId tensor) {
    ProfileValues only;
    if (tensor.valid()) {
        const ValueTensorId first = only.tensors.add(values.tensors[tensor]);
        for (ValueSample sample : samplesOf(values, tensor)) {
            sample.tensor = first;
            only.samples.push_back(sample);
        }
    }
    Table table = sampleTable(only, {});
    std::vector<std::string_view> keys;
    for (const Column& column : table.columns)
        if (column.key != "name" && column.key != "place")
            keys.push_back(column.key);
    return onlyColumns(table, keys);
}

} // namespace

bool ValuesContent::trains() const {
    return !source->curve.empty() || !source->epochs.empty() ||
           (comparing() && (!target->curve.empty() || !target->epochs.empty()));
}

const ValueTensor& ValuesContent::tensorOf(int pair) const {
    const ValuePair& p = pairs.at(static_cast<std::size_t>(pair));
    return p.source.valid() ? source->tensors[p.source] : target->tensors[p.target];
}

std::int64_t ValuesContent::lastIteration() const {
    std::int64_t last = 1;
    for (const ProfileValues* values : {source.get(), target.get()}) {
        if (values == nullptr)
            continue;
        if (!values->curve.empty())
            last = std::max(last, values->curve.back().iteration);
        if (!values->epochs.empty())
            last = std::max(last, values->epochs.back().iteration);
        for (const ValueSample& sample : values->samples)
            last = std::max(last, sample.iteration);
    }
    return last;
}

ValuesContent readValues(const ProfilePair& profiles, const std::stop_token& stop) {
    ValuesContent content;
    content.source = profiles.source->values(stop);
    if (profiles.comparing())
        content.target = profiles.target->values(stop);
    addPairs(content);
    addCurves(content);
    return content;
}

Table tensorsOfKind(const ValuesContent& content, std::optional<ValueKind> kind) {
    Table table = content.tensors;
    if (kind)
        std::erase_if(table.rows,
                      [&](const Row& row) { return content.tensorOf(row.id).kind != *kind; });
    return table;
}

Table samplesTable(const ValuesContent& content, int pair) {
    const ValuePair& chosen = content.pairs.at(static_cast<std::size_t>(pair));
    const Table source = samplesOfOne(*content.source, chosen.source);
    if (!content.comparing())
        return source;
    const Table target = samplesOfOne(*content.target, chosen.target);
    Table table = source;
    table.columns.insert(table.columns.begin(), Column{"run", "Run"});
    table.rows.clear();
    const auto append = [&table](const Table& of, const QString& run) {
        for (const Row& row : of.rows) {
            std::vector<Cell> cells{run.toStdString()};
            cells.insert(cells.end(), row.cells.begin(), row.cells.end());
            table.add(std::move(cells));
        }
    };
    append(source, Text::tr("Source"));
    append(target, Text::tr("Target"));
    return table;
}

int pairOf(const ValuesContent& content, ValueTensorId tensor, OperationId operation, int shown) {
    const auto belongs = [&](const ValuePair& pair) {
        return pair.source.valid() && content.source->tensors[pair.source].operation == operation;
    };
    int first = -1;
    for (std::size_t i = 0; i < content.pairs.size(); ++i) {
        const ValuePair& pair = content.pairs[i];
        if (!belongs(pair))
            continue;
        if (pair.source == tensor)
            return static_cast<int>(i);
        if (operation.valid() &&
            (first < 0 || pair.source < content.pairs[static_cast<std::size_t>(first)].source))
            first = static_cast<int>(i);
    }
    const bool shownBelongs =
        first >= 0 && shown >= 0 && belongs(content.pairs[static_cast<std::size_t>(shown)]);
    return shownBelongs ? shown : first;
}

int mostLost(const ValuesContent& content) {
    int most = content.pairs.empty() ? -1 : 0;
    double largest = 0;
    for (std::size_t i = 0; i < content.pairs.size(); ++i) {
        const ValuePair& pair = content.pairs[i];
        double lost = 0;
        if (pair.source.valid())
            lost = lostShareOf(*content.source, pair.source);
        if (pair.target.valid())
            lost = std::max(lost, lostShareOf(*content.target, pair.target));
        if (lost > largest) {
            largest = lost;
            most = static_cast<int>(i);
        }
    }
    return most;
}

QString tensorText(const ValueTensor& tensor) {
    const QString kind = translated(std::string(displayName(tensor.kind))).toLower();
    QString text = Text::tr("%1: %2, %3 %4")
                       .arg(shownName(tensor.name, mostOfOne), kind,
                            shownName(tensor.type, mostOfOne), shownName(tensor.shape, mostOfOne));
    if (!tensor.place.empty() && tensor.place != tensor.name)
        text = Text::tr("%1, of %2").arg(text, shownName(tensor.place, mostOfOne));
    return text;
}

} // namespace tilescope::views
