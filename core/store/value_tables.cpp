// Values of a computed run: the curve of a training, statistics of tensors.
#include <limits>
#include <set>

#include "core/store/table_group.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithValues = 10;

std::optional<double> numberOrNull(const Statement& row, int at) {
    if (row.isNull(at))
        return std::nullopt;
    if (!row.isNumber(at))
        throw DamagedProfile("a value is not a number");
    return row.real(at);
}

double finiteAt(const Statement& row, int at) {
    const std::optional<double> number = numberOrNull(row, at);
    if (!number || !std::isfinite(*number))
        throw DamagedProfile("a value is not a number");
    return *number;
}

/// A share of samples; none for NULL.
std::optional<double> shareAt(const Statement& row, int at) {
    const std::optional<double> share = numberOrNull(row, at);
    if (share && !(*share >= 0 && *share <= 1))
        throw DamagedProfile("an accuracy is impossible");
    return share;
}

/// A loss, NaN for NULL.
double lossAt(const Statement& row, int at) {
    return numberOrNull(row, at).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// The first bin that has elements, then the counts from it to the last that has.
std::vector<std::byte> encodeExponents(const ExponentCounts& counts) {
    std::vector<std::byte> blob;
    std::size_t first = 0;
    std::size_t end = counts.size();
    while (first < end && counts[first] == 0)
        ++first;
    while (end > first && counts[end - 1] == 0)
        --end;
    putVarint(blob, first);
    for (std::size_t i = first; i < end; ++i)
        putVarint(blob, counts[i]);
    return blob;
}

ExponentCounts exponentsAt(const Statement& row, int at) {
    ExponentCounts counts{};
    VarintReader reader(row.blob(at));
    for (std::uint64_t bin = reader.next(); !reader.atEnd(); ++bin) {
        const std::uint64_t count = reader.next();
        if (bin >= counts.size() || count > std::numeric_limits<std::uint32_t>::max())
            throw DamagedProfile("a histogram of exponents is impossible");
        counts[bin] = static_cast<std::uint32_t>(count);
    }
    return counts;
}

/// A number of a float or a half.
double elementAt(const Statement& row, int at) {
    const double number = finiteAt(row, at);
    if (std::fabs(number) > double{std::numeric_limits<float>::max()})
        throw DamagedProfile("a value is larger than any element");
    return number;
}

/// Relative to the exact sums; none for NULL.
std::optional<double> partialsErrorAt(const Statement& row, int at) {
    const std::optional<double> error = numberOrNull(row, at);
    if (error && !(*error >= 0 && std::isfinite(*error)))
        throw DamagedProfile("an error of partial sums is impossible");
    return error;
}

std::int32_t stageAt(const Statement& row, int at) {
    const std::int64_t stage = amountAt(row, at);
    if (!std::in_range<std::int32_t>(stage))
        throw DamagedProfile("a tensor is of an impossible stage");
    return static_cast<std::int32_t>(stage);
}

void checkTensor(const ValueTensor& tensor) {
    if (tensor.deadElements > tensor.elementsOfSample || tensor.deadChannels > tensor.channels)
        throw DamagedProfile("a tensor has more dead elements than it has");
}

void checkSample(const ValueSample& sample) {
    std::int64_t sum = sample.zeros + sample.nans + sample.infinities;
    std::int64_t finite = 0;
    for (const std::uint32_t count : sample.exponents)
        finite += count;
    sum += finite;
    if (sum != sample.elements || sample.subnormals > finite || sample.atLimit > finite ||
        sample.minimum > sample.maximum || sample.deviation < 0)
        throw DamagedProfile("the statistics of a tensor contradict each other");
}

constexpr auto curveTable =
    storedTable<CurvePoint>({.name = "value_curve", .key = "iteration"}, [](auto& to, auto& c) {
        to(field("iteration", c.iteration), field("loss", c.loss, lossAt),
           field("accuracy", c.accuracy, shareAt), field("learning_rate", c.learningRate, finiteAt),
           field("loss_scale", c.lossScale, finiteAt));
    });

constexpr auto epochTable =
    storedTable<EpochPoint>({.name = "value_epochs", .key = "epoch"}, [](auto& to, auto& e) {
        to(field("epoch", e.epoch), field("iteration", e.iteration), field("loss", e.loss, lossAt),
           field("accuracy", e.accuracy, shareAt), field("eval_loss", e.evalLoss, numberOrNull),
           field("eval_accuracy", e.evalAccuracy, shareAt));
    });

constexpr auto tensorTable = storedTable<ValueTensor>(
    {.name = "value_tensors", .check = checkTensor}, [](auto& to, auto& v) {
        to(rowNumber("id"), field("name", v.name), field("kind", v.kind), field("type", v.type),
           field("shape", v.shape), field("operation", v.operation), field("place", v.place),
           field("stage", v.stage, stageAt), field("sample_elements", v.elementsOfSample),
           field("channels", v.channels), field("dead_elements", v.deadElements),
           field("dead_channels", v.deadChannels));
    });

constexpr auto sampleTable = storedTable<ValueSample>(
    {.name = "value_samples", .key = "tensor, iteration", .check = checkSample},
    [](auto& to, auto& v) {
        to(field("tensor", v.tensor, required), field("iteration", v.iteration),
           field("elements", v.elements), field("minimum", v.minimum, elementAt),
           field("maximum", v.maximum, elementAt), field("mean", v.mean, elementAt),
           field("deviation", v.deviation, elementAt), field("zeros", v.zeros),
           field("subnormals", v.subnormals), field("nans", v.nans),
           field("infinities", v.infinities), field("at_limit", v.atLimit),
           derived("exponents", [&] { return encodeExponents(v.exponents); }),
           readFrom("exponents", v.exponents, exponentsAt),
           field("partials_error", v.partialsError, partialsErrorAt));
    });

void writeValues(const Profile& profile, const Database& db) {
    writeRows(db, curveTable, profile.values.curve);
    writeRows(db, epochTable, profile.values.epochs);
    writeRows(db, tensorTable, profile.values.tensors);
    writeRows(db, sampleTable, profile.values.samples);
}

std::vector<ValueSample> readSamples(const RowSource& file, std::size_t tensors) {
    // Heat maps have a cell for each tensor and iteration; the recorder makes 100,000 or so.
    constexpr std::size_t mostCells = std::size_t{1} << 22;
    std::vector<ValueSample> samples;
    std::set<std::int64_t> iterations;
    eachRow(file, sampleTable, [&](const ValueSample& sample, const Statement&) {
        iterations.insert(sample.iteration);
        if (iterations.size() * tensors > mostCells)
            throw DamagedProfile("there are more samples of tensors than any run records");
        samples.push_back(sample);
    });
    return samples;
}

ProfileValues readValues(const ProfileReader::Impl& of) {
    ProfileValues values;
    if (!of.has(firstVersionWithValues))
        return values;
    const RowSource file = of.rows();
    values.curve = readRows<std::vector<CurvePoint>>(file, curveTable);
    values.epochs = readRows<std::vector<EpochPoint>>(file, epochTable);
    // Both are present or neither: a NULL loss next to an accuracy has diverged.
    for (EpochPoint& epoch : values.epochs)
        if (!epoch.evalLoss && epoch.evalAccuracy)
            epoch.evalLoss = std::numeric_limits<double>::quiet_NaN();
    values.tensors = readRows<IdVector<ValueTensorId, ValueTensor>>(file, tensorTable);
    values.samples = readSamples(file, values.tensors.size());
    return values;
}

} // namespace

TableGroup valueTables() {
    return {firstVersionWithValues,
            tablesSql(R"sql(
-- A computed training (since version 10), a row for each call of the host. iteration: weight updates
-- so far. loss: mean over the call's samples, NULL where it is NaN. accuracy: share of
-- samples, NULL for models that do not sort into classes.
CREATE TABLE value_curve{};
-- Its epochs. iteration: weight updates at the end. eval_loss, eval_accuracy: on other samples.
CREATE TABLE value_epochs{};
-- Tensors of a computed run whose values were sampled. kind: weight, activation, gradient,
-- optimizerState. operation: that makes it (of a weight: that reads it); place: its name in the
-- model. Of what a rectifier makes: elements and channels of a sample, and those that were zero for
-- all samples at all iterations (dead); 0 for others.
CREATE TABLE value_tensors{};
-- Their elements at sampled iterations (in inference: micro-batches), of the first micro-batch of the
-- first replica. minimum to deviation: of finite elements. subnormals: of the tensor's type;
-- at_limit: at its largest number, or minus it. exponents: counts of elements by the exponent of two
-- of their magnitude as LEB128 numbers: the first bin, then its count and those of the next. Bin 0
-- is below 2^-40, bin 1 from 2^-40 to 2^-39, and so on to bin 61 from 2^20; bin 62 is from 2^21 on.
-- partials_error: of a product with half partial sums, relative to the one with float ones.
CREATE TABLE value_samples{};
)sql",
                      curveTable, epochTable, tensorTable, sampleTable),
            {part<&Profile::values>(writeValues, readValues)}};
}

} // namespace tilescope
