#include "core/store/compression.h"

#include <new>
#include <string>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"

namespace tilescope {
namespace {

constexpr int compressionLevel = 3;

} // namespace

std::vector<std::byte> compressed(std::span<const std::byte> raw) {
    std::vector<std::byte> packed(ZSTD_compressBound(raw.size()));
    const std::size_t size =
        ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), compressionLevel);
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
        throw std::bad_alloc();
    if (ZSTD_isError(size))
        throw InternalError(std::string("zstd: ") + ZSTD_getErrorName(size));
    packed.resize(size);
    return packed;
}

std::vector<std::byte> decompressed(std::span<const std::byte> packed, std::size_t most,
                                    const char* damage) {
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most)
        throw DamagedProfile(damage);
    std::vector<std::byte> raw(size);
    const std::size_t got = ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
    if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        throw std::bad_alloc();
    if (ZSTD_isError(got) || got != raw.size())
        throw DamagedProfile(damage);
    return raw;
}

} // namespace tilescope
