// The values of a tensor: of weights and constants while a model is compiled, of all tensors where
// it is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "simulator/graph/data_type.h"

namespace tilescope::sim {

/// Elements in row-major order, four bytes each whatever the type: floats for float and half (of
/// the latter only values that a half can hold), 32-bit integers for all others (unsigned int: its
/// bits; bool: 0 or 1). Copies share their elements.
class TensorData {
public:
    TensorData() = default;
    /// Elements are not set.
    TensorData(DataType type, Shape shape);
    static TensorData filled(DataType type, Shape shape, double value);
    static TensorData scalar(DataType type, double value) { return filled(type, {}, value); }

    [[nodiscard]] DataType type() const { return type_; }
    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] std::int64_t elements() const { return elements_; }
    [[nodiscard]] bool isReal() const { return isFloating(type_); }
    [[nodiscard]] bool isEmpty() const { return !storage_; } ///< has no elements yet

    /// Of floating-point types.
    [[nodiscard]] std::span<float> reals();
    [[nodiscard]] std::span<const float> reals() const;
    /// Of all others.
    [[nodiscard]] std::span<std::int32_t> ints();
    [[nodiscard]] std::span<const std::int32_t> ints() const;
    /// An element as a number, whatever the type.
    [[nodiscard]] double number(std::int64_t i) const;
    /// Sets an element; integers wrap, reals are rounded to the type.
    void setNumber(std::int64_t i, double value);

    /// The same elements in the same order under another shape of as many.
    [[nodiscard]] TensorData reshaped(Shape shape) const;
    /// Elements of its own.
    [[nodiscard]] TensorData copy() const;
    /// Whether both are the same elements in memory.
    [[nodiscard]] bool sharesWith(const TensorData& other) const {
        return storage_ == other.storage_;
    }
    /// Whether no other has these elements.
    [[nodiscard]] bool isAlone() const { return storage_.use_count() == 1; }

private:
    DataType type_ = DataType::Float;
    Shape shape_;
    std::int64_t elements_ = 0;
    std::shared_ptr<std::byte[]> storage_;
};

/// A number as an integer type or bool stores it: without its fraction, then the low bits.
std::int32_t wrapped(DataType type, double value);

/// Whether the processor converts between floats and halves (F16C of x86-64).
bool hasHalfConversions();

/// The nearest half, ties to even, as a float; too large becomes infinity.
float roundedToHalf(float value);
/// The same for many values.
void roundToHalf(std::span<float> values);

} // namespace tilescope::sim
