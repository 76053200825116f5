// Buffers in streaming memory, off the chip.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/ids.h"

namespace tilescope {

using RemoteBufferId = Id<struct RemoteBufferTag>;

/// Tensors of one shape and type kept off the chip, one row each: Poplar's remote buffer.
struct RemoteBuffer {
    std::string name;  ///< "RB_0"
    std::string type;  ///< element type, "half"
    std::string shape; ///< of a row, "[512,784]"
    std::int64_t rows = 0;
    std::int64_t rowBytes = 0;
    friend bool operator==(const RemoteBuffer&, const RemoteBuffer&) = default;
};

} // namespace tilescope
