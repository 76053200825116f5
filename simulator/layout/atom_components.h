// Which dimensions of two blockings of a storage have to be compared with each other. Internal to
// traffic.
#pragma once

#include <span>
#include <vector>

#include "simulator/layout/blocking.h"

namespace tilescope::sim {

/// Dimensions of two blockings that share atoms, and so must be compared together.
struct AtomComponent {
    std::vector<int> storedDims, neededDims;
    std::int64_t size = 1; ///< elements of all its atoms
    /// One dimension on both sides; one that is cut across the other side's, in their order; or
    /// neither.
    enum class Kind { Same, StoredFlat, NeededFlat, Crossing } kind = Kind::Crossing;
};

/// All of them; `atomSizes` are those of the storage.
std::vector<AtomComponent> atomComponents(const Blocking& stored, const Blocking& needed,
                                          std::span<const std::int64_t> atomSizes);

/// Elements that blocks of two blockings have in common.
class BlockOverlap {
public:
    BlockOverlap(const Blocking& stored, const Blocking& needed,
                 const std::vector<AtomComponent>& components);
    /// Those of a block of each, given by the index of every dimension. A mean where cuts cross.
    double of(std::span<const std::int32_t> storedAt, std::span<const std::int32_t> neededAt);

private:
    double inComponent(const AtomComponent& component, std::span<const std::int32_t> storedAt,
                       std::span<const std::int32_t> neededAt);
    double flat(Interval range, const Blocking& pieces, const std::vector<int>& dims,
                std::span<const std::int32_t> at);

    const Blocking& stored_;
    const Blocking& needed_;
    const std::vector<AtomComponent>& components_;
    std::vector<std::int64_t> sizes_; ///< used again from block to block
    std::vector<Interval> ranges_;
};

inline const BlockedDim& dimAt(const Blocking& blocking, int dim) {
    return blocking.dims[static_cast<std::size_t>(dim)];
}

} // namespace tilescope::sim
