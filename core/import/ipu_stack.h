// Profiles of ipu-stack, an open compiler and runtime for the IPU21 (github.com/osmarks/ipu-stack).
// Their layout is that of its documented schemas, schemas/profile.capnp and memory_profile.capnp.
#pragma once

#include <filesystem>
#include <optional>

#include "core/import/import.h"

namespace tilescope {

enum class IpuStackPart : std::uint8_t {
    Cycles, ///< samples of the cycle counter of each tile
    Memory, ///< addresses of each tile
};

/// What a file of ipu-stack has; none if it is not one.
std::optional<IpuStackPart> ipuStackPartOf(const std::filesystem::path& file);

/// The file of the same folder that has the other part; none if there is none, or several.
std::optional<std::filesystem::path> ipuStackPartner(const std::filesystem::path& file);

/// Both as one of our profiles, whose reports are about memory as much as about time. Throws
/// UserError for a damaged file, and Cancelled after a stop.
Imported importIpuStack(const std::filesystem::path& cycles, const std::filesystem::path& memory,
                        const ImportOptions& options, const ImportProgress& progress = {},
                        const std::stop_token& stop = {});

} // namespace tilescope
