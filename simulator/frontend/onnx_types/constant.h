// Values that are known while compiling: shapes, axes, scalars.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "simulator/graph/graph.h"

namespace onnx {
class TensorProto;
}

namespace tilescope::sim {

/// Element types of ONNX with the numbers of the format (TensorProto.DataType).
enum class ElementType : std::int32_t {
    Undefined = 0,
    Float = 1,
    UInt8 = 2,
    Int8 = 3,
    UInt16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Double = 11,
    UInt32 = 12,
    UInt64 = 13,
    Complex64 = 14,
    Complex128 = 15,
    BFloat16 = 16,
};
bool isReal(ElementType type); ///< float, double, half, bfloat16
/// ONNX's name: "float16", "int64".
std::string_view toString(ElementType type);

/// Largest constant whose values are kept and computed with.
inline constexpr std::int64_t maxConstantElements = 4096;

/// An element of an operand's values, of which a file may give too few. Throws
/// std::invalid_argument.
template <class T> const T& valueAt(const std::vector<T>& values, std::size_t i) {
    if (i >= values.size())
        throw std::invalid_argument("its constant operands have too few values");
    return values[i];
}

/// A small tensor with values: reals for the floating-point types, ints for the others.
struct Constant {
    ElementType type = ElementType::Int64;
    Shape shape;
    std::vector<std::int64_t> ints;
    std::vector<double> reals;

    [[nodiscard]] std::size_t size() const { return isReal(type) ? reals.size() : ints.size(); }
    [[nodiscard]] double real(std::size_t i) const {
        return isReal(type) ? valueAt(reals, i) : static_cast<double>(valueAt(ints, i));
    }
};

Constant intConstant(std::vector<std::int64_t> values); ///< one-dimensional int64

/// Throws std::invalid_argument where type, sizes and data of the tensor disagree.
Constant constantFrom(const onnx::TensorProto& tensor);
onnx::TensorProto toTensorProto(const Constant& constant);

} // namespace tilescope::sim
