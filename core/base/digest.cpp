#include "core/base/digest.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <vector>

#include "core/base/error.h"

namespace tilescope {
namespace fs = std::filesystem;

std::string fileDigest(const fs::path& file) {
    // FNV-1a, 64 bits.
    constexpr std::uint64_t prime = 0x100000001B3;
    std::uint64_t digest = 0xCBF29CE484222325;
    std::error_code error;
    // Others may have no end.
    if (fs::exists(file, error) && !fs::is_regular_file(file, error))
        throw UserError(fmt::format("cannot read '{}': it is no regular file", file.string()));
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw UserError(fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
    std::vector<char> block(std::size_t{1} << 20);
    while (in) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        for (std::size_t i = 0; i < static_cast<std::size_t>(in.gcount()); ++i)
            digest = (digest ^ static_cast<unsigned char>(block[i])) * prime;
    }
    if (in.bad())
        throw UserError(fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
    return fmt::format("{:016x}", digest);
}

} // namespace tilescope
