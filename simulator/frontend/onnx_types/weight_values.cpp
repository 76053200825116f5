#include "simulator/frontend/onnx_types/weight_values.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace tilescope::sim {
namespace {

namespace fs = std::filesystem;

std::int64_t numberOf(const std::string& text) {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        throw std::invalid_argument(fmt::format("'{}' is not an offset or length", text));
    return value;
}

} // namespace

std::string externalBytes(const onnx::TensorProto& tensor, const fs::path& folder) {
    std::string location;
    std::int64_t offset = 0;
    std::int64_t length = -1;
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() == "location")
            location = entry.value();
        else if (entry.key() == "offset")
            offset = numberOf(entry.value());
        else if (entry.key() == "length")
            length = numberOf(entry.value());
    }
    const fs::path inside = fs::path(location).lexically_normal();
    if (location.empty() || inside.is_absolute() || *inside.begin() == "..")
        throw std::invalid_argument(
            fmt::format("its data should be in '{}', which is not beside the model", location));
    const fs::path file = folder / inside;
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        throw std::invalid_argument(
            fmt::format("its data are missing: there is no file '{}'", file.string()));
    const auto size = static_cast<std::int64_t>(fs::file_size(file, error));
    if (length < 0)
        length = size - offset;
    if (error || length < 0 || offset > size || length > size - offset)
        throw std::invalid_argument(fmt::format("file '{}' ends before its data", file.string()));
    constexpr std::int64_t largestElement = 16; // bytes: two doubles
    const std::int64_t elements = elementsOf({tensor.dims().begin(), tensor.dims().end()});
    if (length / largestElement > elements)
        throw std::invalid_argument(fmt::format("its shape has {} elements, but file '{}' {} bytes",
                                                elements, file.string(), length));
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(offset);
    std::string bytes(static_cast<std::size_t>(length), '\0');
    if (!stream.read(bytes.data(), length))
        throw std::invalid_argument(fmt::format("file '{}' cannot be read", file.string()));
    return bytes;
}

DataType holdingType(ElementType type) {
    switch (type) {
    case ElementType::Float:
    case ElementType::Double:
    case ElementType::Float16:
    case ElementType::BFloat16:
        return DataType::Float;
    case ElementType::UInt16:
    case ElementType::UInt32:
    case ElementType::UInt64:
        return DataType::UInt32;
    case ElementType::Int8:
        return DataType::Int8;
    case ElementType::UInt8:
        return DataType::UInt8;
    case ElementType::Bool:
        return DataType::Bool;
    default:
        return DataType::Int32;
    }
}

TensorData dataOf(const Constant& constant, DataType type) {
    TensorData data(type, constant.shape);
    for (std::size_t i = 0; i < constant.size(); ++i)
        data.setNumber(static_cast<std::int64_t>(i), constant.real(i));
    return data;
}

Constant constantOf(const TensorData& data, ElementType type) {
    Constant constant{type, data.shape(), {}, {}};
    for (std::int64_t i = 0; i < data.elements(); ++i) {
        if (isReal(type))
            constant.reals.push_back(data.number(i));
        else
            constant.ints.push_back(static_cast<std::int64_t>(data.number(i)));
    }
    return constant;
}

TensorData converted(const TensorData& data, DataType type) {
    if (data.type() == type)
        return data;
    TensorData result(type, data.shape());
    for (std::int64_t i = 0; i < data.elements(); ++i)
        result.setNumber(i, data.number(i));
    return result;
}

TensorData readTensor(const onnx::TensorProto& tensor, const fs::path& folder) {
    const auto type = static_cast<ElementType>(tensor.data_type());
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
        onnx::TensorProto inside = tensor;
        inside.clear_external_data();
        inside.clear_data_location();
        inside.set_raw_data(externalBytes(tensor, folder));
        return readTensor(inside, folder);
    }
    const Shape shape(tensor.dims().begin(), tensor.dims().end());
    if (type == ElementType::Float && tensor.has_raw_data() &&
        tensor.raw_data().size() == static_cast<std::size_t>(elementsOf(shape)) * sizeof(float)) {
        TensorData data(DataType::Float, shape);
        std::memcpy(data.reals().data(), tensor.raw_data().data(), tensor.raw_data().size());
        return data;
    }
    return dataOf(constantFrom(tensor), holdingType(type));
}

} // namespace tilescope::sim
