// Seals of a profile's pages: what a disk, a copy or another program changed is noticed when it is
// read, and nothing else costs anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

struct sqlite3;

namespace tilescope {

/// Bytes at the end of each page of a SQLite file that SQLite leaves alone (its header calls them
/// reserved, https://www.sqlite.org/fileformat.html#resbyte). A sealed file has a check sum of the
/// rest of the page and of its place there.
inline constexpr int sealBytes = 8;

/// The name of a SQLite VFS that refuses to read a page of a sealed file that does not bear its
/// seal (SQLITE_IOERR_DATA). Files without seals are read as they are. Registered on the first
/// call.
const char* sealingVfs();

/// Whether a read through this VFS met a page without its seal: errors of SQLite lose the reason on
/// some of their ways.
bool metBrokenSeal(sqlite3* db);

/// Pages of a file that was just made through this VFS get seals from now on; false if they cannot.
bool sealNewFile(sqlite3* db);

/// True if pages of the file have seals; false for what cannot be read.
bool isSealed(const std::filesystem::path& file);

/// Looks at every page of a sealed file of up to `wholeCheckBytes`, so that damage is said when it
/// is opened, wherever it lies; larger files are checked as they are read. Throws UserError naming
/// the page.
void checkSeals(const std::filesystem::path& file);
/// So many bytes take about 55 ms once the file is in the cache of the system.
inline constexpr std::uintmax_t wholeCheckBytes = std::uintmax_t{64} << 20;

/// Seals the pages of a whole file in memory anew, for what was changed on purpose; does nothing to
/// a file without seals or that is none.
void sealPages(std::span<std::byte> file);

} // namespace tilescope
