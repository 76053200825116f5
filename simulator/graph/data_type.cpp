#include "simulator/graph/data_type.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/saturating.h"

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

bool isFloating(DataType type) {
    return type == DataType::Float || type == DataType::Half;
}

std::string_view toString(DataType type) {
    static constexpr std::array<std::string_view, 7> names{
        "float", "half", "int", "unsigned int", "char", "unsigned char", "bool"};
    return names.at(static_cast<std::size_t>(type));
}

std::string toString(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape, ","));
}

std::int64_t elementsOf(const Shape& shape) {
    // Sizes that no memory holds, and a zero after them, occur in damaged models.
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        return 0;
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, saturatingProduct);
}

} // namespace tilescope::sim
