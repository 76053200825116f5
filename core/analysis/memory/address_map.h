// The layout of one tile's memory, and the gaps in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/profile/profile.h"

namespace tilescope {

/// A variable's part on a tile; offsets count from the tile's memory base.
struct AddressBlock {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    VariableId variable;
    friend bool operator==(const AddressBlock&, const AddressBlock&) = default;
};

/// The blocks of a tile, by address; variables without bytes there are left out.
std::vector<AddressBlock> addressBlocks(const Placement& placement,
                                        const IdVector<VariableId, Variable>& variables,
                                        TileId tile);

/// Addresses [begin, end).
struct AddressRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t bytes() const { return end - begin; }
    friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

/// Ranges below the highest address in use that no block covers at any time: the cost of alignment
/// and memory elements. `blocks` from addressBlocks().
std::vector<AddressRange> addressGaps(const std::vector<AddressBlock>& blocks);

/// How much the variables of a tile share their addresses, which they may if they are live at
/// different times.
struct AddressSharing {
    std::int64_t variableBytes = 0; ///< of all blocks
    std::int64_t addressBytes = 0;  ///< addresses that any block covers
    std::int64_t sharing = 0;       ///< blocks that cover an address of another
    /// "2.54 MiB of variables at 611 KiB of addresses: 412 share addresses at different times";
    /// empty where none share.
    [[nodiscard]] std::string text(ByteUnits units = ByteUnits::Binary) const;
};
/// `blocks` as addressBlocks() gives them.
AddressSharing addressSharing(const std::vector<AddressBlock>& blocks);

/// A block over a range of steps.
struct AddressSpan {
    std::size_t block = 0; ///< index into the blocks
    StepInterval steps;
};

/// When each block is in use: always-live ones from the first step to the last, others over the
/// intervals of their class. Intervals are cut at `steps`.
std::vector<AddressSpan> addressSpans(const std::vector<AddressBlock>& blocks,
                                      const IdVector<VariableId, Variable>& variables,
                                      const IdVector<LivenessClassId, LivenessClass>& classes,
                                      std::size_t steps);

} // namespace tilescope
