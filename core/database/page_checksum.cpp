#include "core/database/page_checksum.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <sqlite3.h>

#include "core/base/error.h"

namespace tilescope {
namespace {

// Of the header of a SQLite file (https://www.sqlite.org/fileformat.html#the_database_header).
constexpr std::size_t headerBytes = 100;
constexpr std::size_t pageSizeAt = 16;
constexpr std::size_t reservedAt = 20;
constexpr std::array<char, 16> magic{'S', 'Q', 'L', 'i', 't', 'e', ' ', 'f',
                                     'o', 'r', 'm', 'a', 't', ' ', '3', '\0'};
constexpr std::size_t leastPage = 512;
constexpr std::size_t mostPage = 65536;

/// Every step is a bijection of the number so far, so that no change of a single word is lost.
std::uint64_t hashOf(std::span<const std::byte> content, std::uint64_t place) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15; // 2^64 by the golden ratio, odd
    std::uint64_t sum = (place + 1) * factor;
    for (std::size_t at = 0; at + sizeof sum <= content.size(); at += sizeof sum) {
        std::uint64_t word = 0;
        std::memcpy(&word, content.data() + at, sizeof word);
        sum = (sum ^ word) * factor;
        sum ^= sum >> 32;
    }
    return sum;
}

std::array<std::byte, checksumBytes> checksumOf(std::span<const std::byte> page,
                                                std::uint64_t place) {
    const std::uint64_t sum = hashOf(page.first(page.size() - checksumBytes), place);
    std::array<std::byte, checksumBytes> checksum{};
    std::memcpy(checksum.data(), &sum, sizeof sum);
    return checksum;
}

void writeChecksum(std::span<std::byte> page, std::uint64_t place) {
    const auto sum = checksumOf(page, place);
    std::memcpy(page.data() + page.size() - checksumBytes, sum.data(), sum.size());
}

bool hasItsChecksum(std::span<const std::byte> page, std::uint64_t place) {
    const auto sum = checksumOf(page, place);
    return std::memcmp(page.data() + page.size() - checksumBytes, sum.data(), sum.size()) == 0;
}

bool saysChecksums(std::span<const std::byte> header) {
    return header.size() >= headerBytes &&
           std::memcmp(header.data(), magic.data(), magic.size()) == 0 &&
           header[reservedAt] == std::byte{checksumBytes};
}

/// The file of the VFS below follows it, where SQLite made room for both.
struct ChecksumFile {
    sqlite3_file base;
    bool verifies; ///< it has checksums
    bool writes;   ///< it gets them
    bool broken;   ///< a page had a wrong checksum
};

// Operations from 100 on are free for those who write a VFS
// (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
constexpr int beginChecksums = 0x54534373;
constexpr int askWrongChecksum = beginChecksums + 1;

sqlite3_file* below(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<ChecksumFile*>(file) + 1);
}

bool isPage(int bytes, sqlite3_int64 offset) {
    const auto size = static_cast<std::size_t>(bytes);
    return size >= leastPage && size <= mostPage && (size & (size - 1)) == 0 && offset % bytes == 0;
}

int closeFile(sqlite3_file* file) {
    return below(file)->pMethods == nullptr ? SQLITE_OK
                                            : below(file)->pMethods->xClose(below(file));
}

int readFile(sqlite3_file* file, void* data, int bytes, sqlite3_int64 offset) {
    const int code = below(file)->pMethods->xRead(below(file), data, bytes, offset);
    if (code != SQLITE_OK || !reinterpret_cast<ChecksumFile*>(file)->verifies ||
        !isPage(bytes, offset))
        return code;
    const std::span page(static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes));
    if (hasItsChecksum(page, static_cast<std::uint64_t>(offset / bytes)))
        return SQLITE_OK;
    reinterpret_cast<ChecksumFile*>(file)->broken = true;
    return SQLITE_IOERR_DATA;
}

int writeFile(sqlite3_file* file, const void* data, int bytes, sqlite3_int64 offset) {
    if (!reinterpret_cast<ChecksumFile*>(file)->writes || !isPage(bytes, offset))
        return below(file)->pMethods->xWrite(below(file), data, bytes, offset);
    std::array<std::byte, mostPage> page;
    std::memcpy(page.data(), data, static_cast<std::size_t>(bytes));
    writeChecksum(std::span(page).first(static_cast<std::size_t>(bytes)),
                  static_cast<std::uint64_t>(offset / bytes));
    return below(file)->pMethods->xWrite(below(file), page.data(), bytes, offset);
}

int controlFile(sqlite3_file* file, int operation, void* argument) {
    if (operation == beginChecksums) {
        reinterpret_cast<ChecksumFile*>(file)->writes = true;
        return SQLITE_OK;
    }
    if (operation == askWrongChecksum) {
        *static_cast<bool*>(argument) = reinterpret_cast<ChecksumFile*>(file)->broken;
        return SQLITE_OK;
    }
    return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

/// What the file below does alone.
template <auto method, typename... Arguments>
constexpr void passOn(int (*&own)(sqlite3_file*, Arguments...)) {
    own = [](sqlite3_file* file, Arguments... arguments) {
        return (below(file)->pMethods->*method)(below(file), arguments...);
    };
}

// Without later versions' methods SQLite neither maps the file nor shares memory, so that every
// page comes through readFile().
constexpr sqlite3_io_methods makeMethods() {
    sqlite3_io_methods methods{};
    methods.iVersion = 1;
    methods.xClose = closeFile;
    methods.xRead = readFile;
    methods.xWrite = writeFile;
    methods.xFileControl = controlFile;
    passOn<&sqlite3_io_methods::xTruncate>(methods.xTruncate);
    passOn<&sqlite3_io_methods::xSync>(methods.xSync);
    passOn<&sqlite3_io_methods::xFileSize>(methods.xFileSize);
    passOn<&sqlite3_io_methods::xLock>(methods.xLock);
    passOn<&sqlite3_io_methods::xUnlock>(methods.xUnlock);
    passOn<&sqlite3_io_methods::xCheckReservedLock>(methods.xCheckReservedLock);
    passOn<&sqlite3_io_methods::xSectorSize>(methods.xSectorSize);
    passOn<&sqlite3_io_methods::xDeviceCharacteristics>(methods.xDeviceCharacteristics);
    return methods;
}

sqlite3_vfs* systemVfs() {
    static sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
    return vfs;
}

int openFile(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* outFlags) {
    static const sqlite3_io_methods methods = makeMethods();
    auto& opened = *reinterpret_cast<ChecksumFile*>(file);
    opened = {};
    const int code = systemVfs()->xOpen(systemVfs(), name, below(file), flags, outFlags);
    // SQLite closes a file that has methods even if it could not be opened.
    if (below(file)->pMethods != nullptr)
        opened.base.pMethods = &methods;
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0)
        return code;
    std::array<std::byte, headerBytes> header{};
    opened.verifies =
        below(file)->pMethods->xRead(below(file), header.data(), headerBytes, 0) == SQLITE_OK &&
        saysChecksums(header);
    return SQLITE_OK;
}

} // namespace

const char* checksumVfs() {
    // An exception makes the next call try again.
    static sqlite3_vfs vfs = [] {
        sqlite3_vfs* const system = systemVfs();
        if (system == nullptr)
            throw std::bad_alloc(); // SQLite could not begin
        // All but opening is as it was; the methods see the same fields.
        sqlite3_vfs copy = *system;
        copy.zName = "tilescope-checksums";
        copy.szOsFile += static_cast<int>(sizeof(ChecksumFile));
        copy.xOpen = openFile;
        copy.pNext = nullptr;
        return copy;
    }();
    static const bool registered = [] {
        if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
            throw std::bad_alloc();
        return true;
    }();
    return registered ? vfs.zName : nullptr;
}

bool addChecksums(sqlite3* db) {
    int reserved = checksumBytes;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved) == SQLITE_OK &&
           sqlite3_file_control(db, "main", beginChecksums, nullptr) == SQLITE_OK;
}

namespace {

/// What the system cannot read is no damage.
void expectReadable(const std::ifstream& stream, const std::filesystem::path& file) {
    if (!stream.is_open() || stream.bad())
        throw UserError(fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
}

} // namespace

bool hasChecksums(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::array<char, headerBytes> header{};
    const bool whole = static_cast<bool>(stream.read(header.data(), header.size()));
    expectReadable(stream, file);
    return whole && saysChecksums(std::as_bytes(std::span(header)));
}

bool metWrongChecksum(sqlite3* db) {
    bool broken = false;
    return sqlite3_file_control(db, "main", askWrongChecksum, &broken) == SQLITE_OK && broken;
}

namespace {

/// 0 if the header states none that can be.
std::size_t pageSize(std::span<const std::byte> header) {
    const std::size_t stated = std::to_integer<std::size_t>(header[pageSizeAt]) * 256 +
                               std::to_integer<std::size_t>(header[pageSizeAt + 1]);
    const std::size_t size = stated == 1 ? mostPage : stated;
    return isPage(static_cast<int>(size), 0) ? size : 0;
}

} // namespace

void verifyChecksums(const std::filesystem::path& file) {
    std::error_code error;
    if (const std::uintmax_t bytes = std::filesystem::file_size(file, error);
        error || bytes > wholeCheckBytes)
        return;
    std::ifstream stream(file, std::ios::binary);
    std::array<std::byte, mostPage> page{};
    const auto read = [&](std::size_t size) {
        return static_cast<bool>(
            stream.read(reinterpret_cast<char*>(page.data()), static_cast<std::streamsize>(size)));
    };
    const bool says = read(headerBytes) && saysChecksums(std::span(page).first(headerBytes));
    expectReadable(stream, file);
    if (!says)
        return;
    const std::size_t size = pageSize(page);
    stream.seekg(0);
    for (std::uint64_t place = 0; size > 0 && read(size); ++place)
        if (!hasItsChecksum(std::span(page).first(size), place))
            throw UserError(
                fmt::format("'{}' is damaged: its page {} is not as it was written. Write "
                            "the profile again.",
                            file.string(), place + 1));
    expectReadable(stream, file);
}

void renewChecksums(std::span<std::byte> file) {
    if (!saysChecksums(file.first(std::min(file.size(), headerBytes))))
        return;
    const std::size_t size = pageSize(file);
    for (std::size_t page = 0; size > 0 && (page + 1) * size <= file.size(); ++page)
        writeChecksum(file.subspan(page * size, size), page);
}

} // namespace tilescope
