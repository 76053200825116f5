// The machine that a model runs on: the IPUs of one replica.
#pragma once

#include <cstdint>

#include "core/target/target.h"

namespace tilescope {

struct MachineOptions {
    Target target = targetPreset("mk2"); ///< with the tiles and IPUs that are used
    /// Of each IPU, set aside for transfers with the host (PopTorch numIOTiles, TensorFlow
    /// num_io_tiles with place_ops_on_io_tiles).
    std::int32_t ioTiles = 0;
    /// Account as the IPU Model does, which runs code on the host: of memory, data and vertex state
    /// count, code and stacks do not, unless it compiles them; plain copies on a tile take more
    /// cycles.
    bool ipuModel = false;
    /// The IPU Model also compiles code for the IPU, which then takes memory (Poplar's
    /// IPUModel::compileIPUCode).
    bool ipuModelCompilesCode = false;
    friend bool operator==(const MachineOptions&, const MachineOptions&) = default;
};

} // namespace tilescope
