#include "simulator/data/digits.h"

#include <cmath>
#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/data/idx.h"

namespace tilescope::sim {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> fileOf(const fs::path& folder, const std::string& stem) {
    std::error_code error;
    for (const char* suffix : {"", ".gz"})
        if (fs::is_regular_file(folder / (stem + suffix), error))
            return folder / (stem + suffix);
    return std::nullopt;
}

Standard standardOf(const TensorData& bytes) {
    constexpr double most = 255;
    double sum = 0;
    double squares = 0;
    for (const std::int32_t byte : bytes.ints()) {
        const double value = byte / most;
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(bytes.elements());
    const double mean = sum / count;
    const double variance = squares / count - mean * mean;
    return {mean, variance > 0 ? std::sqrt(variance) : 1};
}

TensorData standardised(const TensorData& bytes, const Standard& standard) {
    constexpr double most = 255;
    TensorData values(DataType::Float, bytes.shape());
    const auto from = bytes.ints();
    const auto to = values.reals();
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = static_cast<float>((from[i] / most - standard.mean) / standard.deviation);
    return values;
}

} // namespace

std::optional<LabelledImages> readImages(const fs::path& folder, ImageSet set,
                                         std::optional<Standard>& standard) {
    const std::string prefix = set == ImageSet::Training ? "train" : "t10k";
    const auto images = fileOf(folder, prefix + "-images-idx3-ubyte");
    const auto labels = fileOf(folder, prefix + "-labels-idx1-ubyte");
    if (!images && !labels)
        return std::nullopt;
    if (!images || !labels)
        throw UserError(fmt::format("{}: has {} but no {}-{}-ubyte[.gz] beside it", folder.string(),
                                    (images ? images : labels)->filename().string(), prefix,
                                    images ? "labels-idx1" : "images-idx3"));
    const TensorData bytes = readIdx(*images);
    const TensorData numbers = readIdx(*labels);
    if (bytes.shape().size() != 3 || bytes.type() != DataType::UInt8)
        throw UserError(fmt::format("{}: has shape {} where images are [count, rows, columns] of "
                                    "bytes",
                                    images->string(), toString(bytes.shape())));
    if (numbers.shape().size() != 1 || numbers.isReal() ||
        numbers.elements() != bytes.shape().front())
        throw UserError(fmt::format("{}: has {} labels for {} images", labels->string(),
                                    numbers.elements(), bytes.shape().front()));
    if (!standard)
        standard = standardOf(bytes);
    TensorData wide(DataType::Int32, numbers.shape());
    for (std::int64_t i = 0; i < numbers.elements(); ++i) {
        wide.setNumber(i, numbers.number(i));
        if (numbers.number(i) < 0)
            throw UserError(
                fmt::format("{}: label {} is below zero", labels->string(), numbers.number(i)));
    }
    return LabelledImages{standardised(bytes, *standard), std::move(wide)};
}

} // namespace tilescope::sim
