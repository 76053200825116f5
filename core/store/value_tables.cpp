// Values of a computed run: the curve of a training, statistics of tensors.
#include <fmt/format.h>
#include <limits>
#include <set>
#include <sqlite3.h>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"
#include "core/tiles/varint.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithValues = 10;

/// A number, NULL for NaN: SQLite has none.
std::optional<double> storedNumber(double number) {
    return std::isnan(number) ? std::nullopt : std::optional(number);
}

std::optional<double> storedNumber(const std::optional<double>& number) {
    return number ? storedNumber(*number) : std::nullopt;
}

std::optional<double> numberOrNull(const Statement& row, int at) {
    if (row.isNull(at))
        return std::nullopt;
    if (row.type(at) != SQLITE_FLOAT && row.type(at) != SQLITE_INTEGER)
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

ExponentCounts decodeExponents(std::span<const std::byte> blob) {
    ExponentCounts counts{};
    VarintReader reader(blob);
    for (std::uint64_t at = reader.next(); !reader.atEnd(); ++at) {
        const std::uint64_t count = reader.next();
        if (at >= counts.size() || count > std::numeric_limits<std::uint32_t>::max())
            throw DamagedProfile("a histogram of exponents is impossible");
        counts[at] = static_cast<std::uint32_t>(count);
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

void writeValues(const Profile& profile, const Database& db) {
    const ProfileValues& values = profile.values;
    Insert point(db, "value_curve");
    for (const CurvePoint& p : values.curve)
        point(p.iteration, storedNumber(p.loss), p.accuracy, p.learningRate, p.lossScale);
    Insert epoch(db, "value_epochs");
    for (const EpochPoint& e : values.epochs)
        epoch(e.epoch, e.iteration, storedNumber(e.loss), e.accuracy, storedNumber(e.evalLoss),
              e.evalAccuracy);
    Insert tensor(db, "value_tensors");
    std::int64_t id = 0;
    for (const ValueTensor& t : values.tensors)
        tensor(id++, t.name, toString(t.kind), t.type, t.shape, t.operation, t.place, t.stage,
               t.elementsOfSample, t.channels, t.deadElements, t.deadChannels);
    Insert sample(db, "value_samples");
    for (const ValueSample& s : values.samples)
        sample(s.tensor, s.iteration, s.elements, s.minimum, s.maximum, s.mean, s.deviation,
               s.zeros, s.subnormals, s.nans, s.infinities, s.atLimit, encodeExponents(s.exponents),
               storedNumber(s.partialsError));
}

void readCurve(const Database& db, ProfileValues& values) {
    Statement row = db.prepare("SELECT iteration, loss, accuracy, learning_rate, loss_scale FROM "
                               "value_curve ORDER BY iteration");
    while (row.step())
        values.curve.push_back({amountAt(row, 0), lossAt(row, 1), shareAt(row, 2), finiteAt(row, 3),
                                finiteAt(row, 4)});
    Statement epoch = db.prepare("SELECT epoch, iteration, loss, accuracy, eval_loss, "
                                 "eval_accuracy FROM value_epochs ORDER BY epoch");
    while (epoch.step()) {
        EpochPoint point{
            amountAt(epoch, 0), amountAt(epoch, 1), lossAt(epoch, 2), shareAt(epoch, 3), {},
            shareAt(epoch, 5)};
        // Both are present or neither: a NULL loss next to an accuracy has diverged.
        if (!epoch.isNull(4) || point.evalAccuracy)
            point.evalLoss = lossAt(epoch, 4);
        values.epochs.push_back(point);
    }
}

void readValueTensors(const Database& db, ProfileValues& values) {
    const References<OperationId> operationAt(db, "operations");
    Statement row = db.prepare(
        "SELECT id, name, kind, type, shape, operation, place, stage, sample_elements, channels, "
        "dead_elements, dead_channels FROM value_tensors ORDER BY id");
    while (row.step()) {
        if (row.integer(0) != static_cast<std::int64_t>(values.tensors.size()))
            throw DamagedProfile("the tensors with values have a gap");
        constexpr std::int64_t mostStages = std::numeric_limits<std::int32_t>::max();
        if (amountAt(row, 7) > mostStages)
            throw DamagedProfile("a tensor is of an impossible stage");
        const ValueTensor tensor{row.text(1),
                                 known(fromName<ValueKind>(row.text(2)), row, 2),
                                 row.text(3),
                                 row.text(4),
                                 operationAt(row, 5),
                                 row.text(6),
                                 static_cast<std::int32_t>(row.integer(7)),
                                 amountAt(row, 8),
                                 amountAt(row, 9),
                                 amountAt(row, 10),
                                 amountAt(row, 11)};
        if (tensor.deadElements > tensor.elementsOfSample || tensor.deadChannels > tensor.channels)
            throw DamagedProfile("a tensor has more dead elements than it has");
        values.tensors.add(tensor);
    }
}

void readSamples(const Database& db, ProfileValues& values) {
    // Heat maps have a cell for each tensor and iteration; the recorder makes 100,000 or so.
    constexpr std::size_t mostCells = std::size_t{1} << 22;
    std::set<std::int64_t> iterations;
    const auto tensors = static_cast<std::int64_t>(values.tensors.size());
    Statement row = db.prepare(
        "SELECT tensor, iteration, elements, minimum, maximum, mean, deviation, zeros, subnormals, "
        "nans, infinities, at_limit, exponents, partials_error FROM value_samples "
        "ORDER BY tensor, iteration");
    while (row.step()) {
        ValueSample sample;
        sample.tensor = idBelow<ValueTensorId>(row, 0, tensors);
        sample.iteration = amountAt(row, 1);
        sample.elements = amountAt(row, 2);
        sample.minimum = elementAt(row, 3);
        sample.maximum = elementAt(row, 4);
        sample.mean = elementAt(row, 5);
        sample.deviation = elementAt(row, 6);
        sample.zeros = amountAt(row, 7);
        sample.subnormals = amountAt(row, 8);
        sample.nans = amountAt(row, 9);
        sample.infinities = amountAt(row, 10);
        sample.atLimit = amountAt(row, 11);
        sample.exponents = decodeExponents(row.blob(12));
        sample.partialsError = numberOrNull(row, 13);
        if (sample.partialsError &&
            !(*sample.partialsError >= 0 && std::isfinite(*sample.partialsError)))
            throw DamagedProfile("an error of partial sums is impossible");
        checkSample(sample);
        iterations.insert(sample.iteration);
        if (iterations.size() * values.tensors.size() > mostCells)
            throw DamagedProfile("there are more samples of tensors than any run records");
        values.samples.push_back(sample);
    }
}

} // namespace

ProfileValues ProfileReader::values() const {
    ProfileValues values;
    if (!impl_->has(firstVersionWithValues))
        return values;
    readCurve(impl_->db, values);
    readValueTensors(impl_->db, values);
    readSamples(impl_->db, values);
    return values;
}

TableGroup valueTables() {
    return {firstVersionWithValues,
            R"sql(
-- A computed training (since version 10), a row for each call of the host. iteration: weight updates
-- so far. loss: mean over the call's samples, NULL where it is NaN. accuracy: share of
-- samples, NULL for models that do not sort into classes.
CREATE TABLE value_curve(iteration INTEGER PRIMARY KEY, loss REAL, accuracy REAL,
    learning_rate REAL, loss_scale REAL);
-- Its epochs. iteration: weight updates at the end. eval_loss, eval_accuracy: on other samples.
CREATE TABLE value_epochs(epoch INTEGER PRIMARY KEY, iteration INTEGER, loss REAL, accuracy REAL,
    eval_loss REAL, eval_accuracy REAL);
-- Tensors of a computed run whose values were sampled. kind: weight, activation, gradient,
-- optimizerState. operation: that makes it (of a weight: that reads it); place: its name in the
-- model. Of what a rectifier makes: elements and channels of a sample, and those that were zero for
-- all samples at all iterations (dead); 0 for others.
CREATE TABLE value_tensors(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, type TEXT, shape TEXT,
    operation INTEGER, place TEXT, stage INTEGER, sample_elements INTEGER, channels INTEGER,
    dead_elements INTEGER, dead_channels INTEGER);
-- Their elements at sampled iterations (in inference: micro-batches), of the first micro-batch of the
-- first replica. minimum to deviation: of finite elements. subnormals: of the tensor's type;
-- at_limit: at its largest number, or minus it. exponents: counts of elements by the exponent of two
-- of their magnitude as LEB128 numbers: the first bin, then its count and those of the next. Bin 0
-- is below 2^-40, bin 1 from 2^-40 to 2^-39, and so on to bin 61 from 2^20; bin 62 is from 2^21 on.
-- partials_error: of a product with half partial sums, relative to the one with float ones.
CREATE TABLE value_samples(tensor INTEGER, iteration INTEGER, elements INTEGER, minimum REAL,
    maximum REAL, mean REAL, deviation REAL, zeros INTEGER, subnormals INTEGER, nans INTEGER,
    infinities INTEGER, at_limit INTEGER, exponents BLOB, partials_error REAL,
    PRIMARY KEY(tensor, iteration)) WITHOUT ROWID;
)sql",
            writeValues, [](const ProfileReader& reader, Profile& profile) {
                profile.values = reader.values();
            }};
}

} // namespace tilescope
