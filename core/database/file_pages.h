// The pages of a SQLite file (https://www.sqlite.org/fileformat.html), as the VFS of its connection
// reads them: with their checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/database/database.h"

struct sqlite3_file;

namespace tilescope {

/// Pages are read past SQLite, so that nobody may write them meanwhile: a statement of the
/// connection must be in the middle of its rows. The database outlives it.
class FilePages {
public:
    /// None if only SQLite can read the file: it is written to, in memory, has a write-ahead log,
    /// or texts that are not UTF-8.
    static std::optional<FilePages> of(const Database& db);

    /// Bytes of a page without those that SQLite leaves alone.
    [[nodiscard]] std::size_t usableBytes() const { return usable_; }
    [[nodiscard]] std::size_t count() const { return count_; }

    /// Reads a page, counted from 1. Throws UserError if it cannot be read or is damaged, Cancelled
    /// after a stop.
    void read(std::uint32_t number, std::vector<std::byte>& page) const;

private:
    FilePages(const Database& db, sqlite3_file* file)
        : db_(&db)
        , file_(file) {}

    const Database* db_;
    sqlite3_file* file_;
    std::size_t size_ = 0;
    std::size_t usable_ = 0;
    std::size_t count_ = 0;
};

} // namespace tilescope
