// Checksums of a profile's pages: what a disk, a copy or another program changed is noticed when it
// is read, and nothing else costs anything.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

struct sqlite3;

namespace tilescope {

/// Bytes at the end of each page of a SQLite file that SQLite leaves alone (its header calls them
/// reserved, https://www.sqlite.org/fileformat.html#resbyte). A file with checksums has one of
/// the rest of the page and of its place there.
inline constexpr int checksumBytes = 8;

/// The name of a SQLite VFS that refuses to read a page whose checksum is wrong
/// (SQLITE_IOERR_DATA). Files without checksums are read as they are. Registered on the first call.
const char* checksumVfs();

/// Whether a read through this VFS met a page with a wrong checksum: errors of SQLite lose the
/// reason on some of their ways.
bool metWrongChecksum(sqlite3* db);

/// Pages of a file that was just made through this VFS get checksums from now on; false if they
/// cannot.
bool addChecksums(sqlite3* db);

/// True if pages of the file have checksums; false for what cannot be read.
bool hasChecksums(const std::filesystem::path& file);

/// Looks at every page of a file of up to `wholeCheckBytes`, so that damage is reported when it is
/// opened, wherever it is; larger files are checked as they are read. Throws UserError naming
/// the page.
void verifyChecksums(const std::filesystem::path& file);
/// So many bytes take about 55 ms once the file is in the cache of the system.
inline constexpr std::uintmax_t wholeCheckBytes = std::uintmax_t{64} << 20;

/// Computes the checksums of a whole file in memory anew, after it was changed on purpose; does
/// nothing to a file without checksums, or to what is none.
void renewChecksums(std::span<std::byte> file);

} // namespace tilescope
