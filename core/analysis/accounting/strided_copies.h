// Operations that reorder operands element by element, and the cost of these copies.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// One operation and its strided copies. Cycles are of one execution of each step, slowest tile.
struct StridedOperation {
    OperationId operation;
    std::vector<CopyId> copies;      ///< most cycles first
    std::int64_t copyCycles = 0;     ///< of the copies themselves
    std::int64_t exchangeCycles = 0; ///< of the exchanges that bring the data they copy
    std::int64_t allCycles = 0;      ///< of all steps of the operation
    /// Cycles saved if the orders agree: the copies, and the exchanges where swapping operands
    /// leaves nothing to move.
    std::int64_t gainCycles = 0;
    std::size_t transposed = 0; ///< copies that are transposes of blocks
    [[nodiscard]] double share() const {
        return allCycles > 0 ? static_cast<double>(copyCycles) / static_cast<double>(allCycles) : 0;
    }
};

/// Operations with strided copies, most copy cycles first. Copies that belong to no operation are
/// one entry with an invalid id.
std::vector<StridedOperation> stridedOperations(const IdVector<CopyId, Copy>& copies,
                                                const IdVector<ComputeSetId, ComputeSet>& sets,
                                                const IdVector<ExchangeId, Exchange>& exchanges);

} // namespace tilescope
