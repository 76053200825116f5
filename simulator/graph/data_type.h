// Types and shapes of tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::sim {

using Shape = std::vector<std::int64_t>;
/// Saturates.
std::int64_t elementsOf(const Shape& shape);

/// Element types. Poplar has no 64-bit arithmetic: int64 is stored as int32 on the device.
enum class DataType : std::uint8_t { Float, Half, Int32, UInt32, Int8, UInt8, Bool };
/// Bytes of one element on a tile.
std::int64_t bytesOf(DataType type);
bool isFloating(DataType type);
/// Poplar's name: "float", "half", "int", "unsigned int", "char", "unsigned char", "bool".
std::string_view toString(DataType type);

/// "[1,64,112,112]"
std::string toString(const Shape& shape);

} // namespace tilescope::sim
