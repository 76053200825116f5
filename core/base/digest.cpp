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

namespace {

// FNV-1a, 64 bits.
constexpr std::uint64_t emptyDigest = 0xCBF29CE484222325;

std::uint64_t digested(std::uint64_t digest, const char* data, std::size_t size) {
    constexpr std::uint64_t prime = 0x100000001B3;
    for (std::size_t i = 0; i < size; ++i)
        digest = (digest ^ static_cast<unsigned char>(data[i])) * prime;
    return digest;
}

} // namespace

std::string textDigest(std::string_view text) {
    return fmt::format("{:016x}", digested(emptyDigest, text.data(), text.size()));
}

std::string fileDigest(const fs::path& file) {
    std::uint64_t digest = emptyDigest;
    std::error_code error;
    // Other files may have no end.
    if (fs::exists(file, error) && !fs::is_regular_file(file, error))
        throw UserError(fmt::format("cannot read '{}': it is not a regular file", file.string()));
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw UserError(fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
    std::vector<char> block(std::size_t{1} << 20);
    while (in) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        digest = digested(digest, block.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad())
        throw UserError(fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
    return fmt::format("{:016x}", digest);
}

} // namespace tilescope
