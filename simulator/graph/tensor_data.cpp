#include "simulator/graph/tensor_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel_for.h"
#include "simulator/graph/size_bounds.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace tilescope::sim {
namespace {

constexpr std::size_t elementBytes = 4;
/// The best alignment for vector instructions.
constexpr std::align_val_t alignment{64};

std::shared_ptr<std::byte[]> allocated(std::int64_t elements) {
    if (elements > mostValues)
        throw UserError(fmt::format("a tensor of {} elements is too large to be computed; the "
                                    "limit is {}",
                                    elements, mostValues));
    const std::size_t bytes = static_cast<std::size_t>(elements) * elementBytes;
    auto* memory = static_cast<std::byte*>(::operator new(bytes, alignment));
    return {memory, [](std::byte* p) { ::operator delete(p, alignment); }};
}

/// Elements that one thread rounds at a time.
constexpr std::size_t blockElements = std::size_t{1} << 16;

#if defined(__x86_64__)
/// Read from CPUID, as Clang before 15 has no name for it in __builtin_cpu_supports.
bool hasHalfConversions() {
    static const bool known = [] {
        unsigned int a = 0;
        unsigned int b = 0;
        unsigned int features = 0;
        unsigned int d = 0;
        // "avx" implies that the system saves the wide registers.
        return __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &a, &b, &features, &d) != 0 &&
               (features & bit_F16C) != 0;
    }();
    return known;
}

__attribute__((target("avx,f16c"))) void roundBlockF16c(float* values, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m128i half =
            _mm256_cvtps_ph(_mm256_loadu_ps(values + i), _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_ps(values + i, _mm256_cvtph_ps(half));
    }
    for (; i < count; ++i)
        values[i] = roundedToHalf(values[i]);
}
#endif

void roundBlock(float* values, std::size_t count) {
#if defined(__x86_64__)
    if (hasHalfConversions()) {
        roundBlockF16c(values, count);
        return;
    }
#endif
    std::transform(values, values + count, values, roundedToHalf);
}

} // namespace

TensorData::TensorData(DataType type, Shape shape)
    : type_(type)
    , shape_(std::move(shape))
    , elements_(elementsOf(shape_))
    , storage_(allocated(elements_)) {}

TensorData TensorData::filled(DataType type, Shape shape, double value) {
    TensorData data(type, std::move(shape));
    if (data.elements_ == 0)
        return data;
    data.setNumber(0, value);
    if (data.isReal())
        std::fill(data.reals().begin(), data.reals().end(), data.reals().front());
    else
        std::fill(data.ints().begin(), data.ints().end(), data.ints().front());
    return data;
}

std::span<float> TensorData::reals() {
    const auto values = std::as_const(*this).reals();
    return {const_cast<float*>(values.data()), values.size()};
}

std::span<const float> TensorData::reals() const {
    if (!isReal())
        throw InternalError("whole numbers are read as reals");
    return {reinterpret_cast<const float*>(storage_.get()), static_cast<std::size_t>(elements_)};
}

std::span<std::int32_t> TensorData::ints() {
    const auto values = std::as_const(*this).ints();
    return {const_cast<std::int32_t*>(values.data()), values.size()};
}

std::span<const std::int32_t> TensorData::ints() const {
    if (isReal())
        throw InternalError("reals are read as whole numbers");
    return {reinterpret_cast<const std::int32_t*>(storage_.get()),
            static_cast<std::size_t>(elements_)};
}

double TensorData::number(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    if (isReal())
        return static_cast<double>(reals()[at]);
    return type_ == DataType::UInt32 ? static_cast<double>(std::bit_cast<std::uint32_t>(ints()[at]))
                                     : static_cast<double>(ints()[at]);
}

void TensorData::setNumber(std::int64_t i, double value) {
    const auto at = static_cast<std::size_t>(i);
    if (isReal()) {
        const auto single = static_cast<float>(value);
        reals()[at] = type_ == DataType::Half ? roundedToHalf(single) : single;
        return;
    }
    ints()[at] = wrapped(type_, value);
}

TensorData TensorData::reshaped(Shape shape) const {
    if (elementsOf(shape) != elements_)
        throw InternalError("a view has another number of elements than its tensor");
    TensorData view = *this;
    view.shape_ = std::move(shape);
    return view;
}

TensorData TensorData::copy() const {
    TensorData own(type_, shape_);
    std::memcpy(own.storage_.get(), storage_.get(),
                static_cast<std::size_t>(elements_) * elementBytes);
    return own;
}

std::int32_t wrapped(DataType type, double value) {
    if (type == DataType::Bool)
        return value != 0 ? 1 : 0;
    // Numbers beyond 64 bits have no defined result.
    constexpr double most = 9.2e18;
    const double limited = std::isnan(value) ? 0 : std::clamp(std::trunc(value), -most, most);
    const auto whole = static_cast<std::int64_t>(limited);
    switch (type) {
    case DataType::Int8:
        return static_cast<std::int8_t>(whole);
    case DataType::UInt8:
        return static_cast<std::uint8_t>(whole);
    default:
        return static_cast<std::int32_t>(whole);
    }
}

float roundedToHalf(float value) {
    const float magnitude = std::fabs(value);
    // Halfway between the largest half, 65,504, and the next power of two.
    constexpr float overflows = 65520.0F;
    if (std::isnan(value) || magnitude >= overflows)
        return std::isnan(value) ? value : std::copysign(INFINITY, value);
    // Halves below 2^-14 are multiples of 2^-24, others have eleven significant bits.
    constexpr float leastNormal = 0x1p-14F;
    constexpr float leastSubnormal = 0x1p-24F;
    if (magnitude < leastNormal)
        return std::copysign(std::nearbyint(magnitude / leastSubnormal) * leastSubnormal, value);
    int exponent = 0;
    const float fraction = std::frexp(value, &exponent);
    constexpr float significand = 0x1p11F;
    return std::ldexp(std::nearbyint(fraction * significand) / significand, exponent);
}

void roundToHalf(std::span<float> values) {
    const std::size_t blocks = (values.size() + blockElements - 1) / blockElements;
    if (blocks <= 1) {
        roundBlock(values.data(), values.size());
        return;
    }
    parallelFor(blocks, [&](std::size_t block) {
        const std::size_t first = block * blockElements;
        roundBlock(values.data() + first, std::min(blockElements, values.size() - first));
    });
}

} // namespace tilescope::sim
