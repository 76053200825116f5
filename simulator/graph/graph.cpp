#include "simulator/graph/graph.h"

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilescope::sim {

std::int64_t bytesOf(DataType type) {
    switch (type) {
    case DataType::Float:
    case DataType::Int32:
    case DataType::UInt32:
        return 4;
    case DataType::Half:
        return 2;
    case DataType::Int8:
    case DataType::UInt8:
    case DataType::Bool:
        return 1;
    }
    return 0;
}

std::string_view toString(DataType type) {
    switch (type) {
    case DataType::Float:
        return "float";
    case DataType::Half:
        return "half";
    case DataType::Int32:
        return "int";
    case DataType::UInt32:
        return "unsigned int";
    case DataType::Int8:
        return "char";
    case DataType::UInt8:
        return "unsigned char";
    case DataType::Bool:
        return "bool";
    }
    return "";
}

std::string_view toString(Pass pass) {
    switch (pass) {
    case Pass::Forward:
        return "forward";
    case Pass::Backward:
        return "backward";
    case Pass::Update:
        return "update";
    }
    return "";
}

std::string toString(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape, ","));
}

std::int64_t Tensor::elements() const {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<OpId> Graph::producers() const {
    std::vector<OpId> result(tensors.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const TensorId output : ops[OpId(i)].outputs)
            result.at(output.index()) = OpId(i);
    }
    return result;
}

std::vector<std::vector<OpId>> Graph::consumers() const {
    std::vector<std::vector<OpId>> result(tensors.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const TensorId input : ops[OpId(i)].inputs) {
            auto& readers = result.at(input.index());
            if (readers.empty() || readers.back() != OpId(i))
                readers.push_back(OpId(i));
        }
    }
    return result;
}

} // namespace tilescope::sim
