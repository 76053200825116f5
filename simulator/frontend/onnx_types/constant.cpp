#include "simulator/frontend/onnx_types/constant.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace tilescope::sim {

namespace {

double fromHalf(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0)
        return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double fromBFloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Values stored as little-endian bytes in the file.
template <class T, class Out, class Convert = std::identity>
void readRaw(const std::string& raw, std::vector<Out>& out, Convert convert = {}) {
    for (std::size_t at = 0; at + sizeof(T) <= raw.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, raw.data() + at, sizeof(T));
        out.push_back(static_cast<Out>(convert(value)));
    }
}

void readRawValues(const std::string& raw, Constant& out) {
    switch (out.type) {
    case ElementType::Float:
        return readRaw<float>(raw, out.reals);
    case ElementType::Double:
        return readRaw<double>(raw, out.reals);
    case ElementType::Float16:
        return readRaw<std::uint16_t>(raw, out.reals, fromHalf);
    case ElementType::BFloat16:
        return readRaw<std::uint16_t>(raw, out.reals, fromBFloat16);
    case ElementType::UInt8:
    case ElementType::Bool:
        return readRaw<std::uint8_t>(raw, out.ints);
    case ElementType::Int8:
        return readRaw<std::int8_t>(raw, out.ints);
    case ElementType::UInt16:
        return readRaw<std::uint16_t>(raw, out.ints);
    case ElementType::Int16:
        return readRaw<std::int16_t>(raw, out.ints);
    case ElementType::Int32:
        return readRaw<std::int32_t>(raw, out.ints);
    case ElementType::UInt32:
        return readRaw<std::uint32_t>(raw, out.ints);
    case ElementType::Int64:
    case ElementType::UInt64:
        return readRaw<std::int64_t>(raw, out.ints);
    default:
        return;
    }
}

void readFieldValues(const onnx::TensorProto& tensor, Constant& out) {
    switch (out.type) {
    case ElementType::Float:
        out.reals.assign(tensor.float_data().begin(), tensor.float_data().end());
        return;
    case ElementType::Double:
        out.reals.assign(tensor.double_data().begin(), tensor.double_data().end());
        return;
    case ElementType::Float16:
    case ElementType::BFloat16:
        for (const std::int32_t bits : tensor.int32_data()) {
            const auto half = static_cast<std::uint16_t>(bits);
            out.reals.push_back(out.type == ElementType::Float16 ? fromHalf(half)
                                                                 : fromBFloat16(half));
        }
        return;
    case ElementType::Int64:
        out.ints.assign(tensor.int64_data().begin(), tensor.int64_data().end());
        return;
    case ElementType::UInt32:
    case ElementType::UInt64:
        for (const std::uint64_t value : tensor.uint64_data())
            out.ints.push_back(static_cast<std::int64_t>(value));
        return;
    default:
        out.ints.assign(tensor.int32_data().begin(), tensor.int32_data().end());
    }
}

} // namespace

bool isReal(ElementType type) {
    return type == ElementType::Float || type == ElementType::Double ||
           type == ElementType::Float16 || type == ElementType::BFloat16;
}

std::string_view toString(ElementType type) {
    static constexpr std::array names{"undefined",  "float",   "uint8",  "int8",   "uint16",
                                      "int16",      "int32",   "int64",  "string", "bool",
                                      "float16",    "double",  "uint32", "uint64", "complex64",
                                      "complex128", "bfloat16"};
    const auto index = static_cast<std::size_t>(type);
    return index < names.size() ? names[index] : "unknown";
}

Constant intConstant(std::vector<std::int64_t> values) {
    Constant result;
    result.shape = {static_cast<std::int64_t>(values.size())};
    result.ints = std::move(values);
    return result;
}

Constant constantFrom(const onnx::TensorProto& tensor) {
    Constant result;
    result.type = static_cast<ElementType>(tensor.data_type());
    result.shape.assign(tensor.dims().begin(), tensor.dims().end());
    if (result.type == ElementType::String || result.type == ElementType::Complex64 ||
        result.type == ElementType::Complex128)
        throw std::invalid_argument(
            fmt::format("elements of type {} are not supported", toString(result.type)));
    if (tensor.has_raw_data())
        readRawValues(tensor.raw_data(), result);
    else
        readFieldValues(tensor, result);
    if (static_cast<std::int64_t>(result.size()) != elementsOf(result.shape))
        throw std::invalid_argument(fmt::format("it has {} values where its shape {} needs {}",
                                                result.size(), toString(result.shape),
                                                elementsOf(result.shape)));
    return result;
}

onnx::TensorProto toTensorProto(const Constant& constant) {
    onnx::TensorProto result;
    // Shape inference reads integers and single-precision values; no other type decides a shape.
    const bool real = isReal(constant.type);
    result.set_data_type(real ? onnx::TensorProto::FLOAT : static_cast<int>(constant.type));
    for (const std::int64_t size : constant.shape)
        result.add_dims(size);
    for (const double value : constant.reals)
        result.add_float_data(static_cast<float>(value));
    for (const std::int64_t value : constant.ints) {
        if (constant.type == ElementType::Int64)
            result.add_int64_data(value);
        else if (constant.type == ElementType::UInt32 || constant.type == ElementType::UInt64)
            result.add_uint64_data(static_cast<std::uint64_t>(value));
        else
            result.add_int32_data(static_cast<std::int32_t>(value));
    }
    return result;
}

} // namespace tilescope::sim
