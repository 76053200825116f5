// What files of ipu-stack say, and how it becomes a profile. Internal to core/import.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/capnp_message.h"
#include "core/profile/profile.h"

namespace tilescope {

enum class IpuStackKind : std::uint16_t { Exchange, Compute, Synchronization, Idle };

/// An interval of a tile, in cycles since the first sample of any tile.
struct IpuStackSample {
    std::int32_t tile = 0;
    std::uint32_t phase = 0, epoch = 0;
    IpuStackKind kind = IpuStackKind::Compute;
    std::string_view operation, kernel; ///< of the message
    std::int64_t begin = 0;
    std::int64_t cycles = 0;
};

/// The samples of a message, tile by tile. Throws UserError for a damaged one; `told` is called
/// with the fraction that is read.
std::vector<IpuStackSample> readSamples(const CapnpMessage& message, std::int32_t tiles,
                                        const std::function<void(double)>& told);

/// Clock in Hz; 0 if it is not said.
double clockOf(const CapnpMessage& cycles);
std::uint32_t versionOf(const CapnpMessage& message);

/// Programs and their trace. Returns the phase of each liveness step.
std::vector<std::uint32_t> addExecution(Profile& profile,
                                        const std::vector<IpuStackSample>& samples);

/// Variables, addresses and bytes of each tile. `phases` are those of the liveness steps.
void addMemory(Profile& profile, const CapnpMessage& memory,
               const std::vector<std::uint32_t>& phases);

} // namespace tilescope
