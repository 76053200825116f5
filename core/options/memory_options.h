// What is not kept on the chip: activations that are computed again, and what lives in streaming
// memory.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tilescope {

enum class Recompute { None, Standard, NormOnly, All, Pipeline };
/// Data that may be kept in streaming memory and brought to the chip only while needed.
enum class OffChip { Optimizer, Activations, Weights };

struct MemoryOptions {
    Recompute recompute = Recompute::None;
    std::vector<std::string> checkpoints; ///< operations or scopes whose results are kept
    std::set<OffChip> offload;            ///< data kept in streaming memory

    [[nodiscard]] bool isOffChip(OffChip what) const { return offload.contains(what); }
    friend bool operator==(const MemoryOptions&, const MemoryOptions&) = default;
};

} // namespace tilescope
