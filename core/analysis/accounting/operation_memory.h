// Bytes on the tiles attributed to operations.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/view/profile_view.h"

namespace tilescope {

/// Over the tiles of one IPU. Sums over operations never exceed what the tiles hold: a codelet that
/// several operations use on a tile is attributed to none of them, and only variables of different
/// operations at one step are added up.
struct OperationBytes {
    std::int64_t vertexCode = 0;  ///< codelets that no other operation uses on the tile
    std::int64_t vertexState = 0; ///< instances of its vertices
    std::int64_t exchangeCode = 0;
    std::int64_t controlCode = 0;
    std::int64_t alwaysLive = 0; ///< variables and constants with addresses of their own
    std::int64_t atPeak = 0;     ///< not-always-live variables, at the step with the most live
                                 ///< bytes
    /// All variables and constants. Those that are never live together share addresses, so a sum
    /// may exceed the memory.
    std::int64_t variables = 0;

    [[nodiscard]] std::int64_t code() const { return vertexCode + exchangeCode + controlCode; }
    OperationBytes& operator+=(const OperationBytes& other);
    friend bool operator==(const OperationBytes&, const OperationBytes&) = default;
};

/// Of an operation on the IPUs where it has any, in their order: most are on few of many.
using BytesByIpu = std::vector<std::pair<IpuId, OperationBytes>>;

/// Of a whole profile, by IPU.
struct MemoryByOperation {
    std::vector<BytesByIpu> byOperation;
    std::vector<OperationBytes> withoutOperation; ///< [ipu]
    std::vector<std::int64_t> sharedVertexCode;   ///< [ipu] codelets of several operations
    std::vector<bool> half;                       ///< [operation] has variables of type half

    [[nodiscard]] OperationBytes of(OperationId operation, IpuId ipu) const;
};

/// Computed once per view.
std::shared_ptr<const MemoryByOperation> memoryByOperation(const ProfileView& profile,
                                                           const std::stop_token& stop = {});

} // namespace tilescope
