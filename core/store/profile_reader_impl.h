// The open file of a ProfileReader. Internal to core/store.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/file_stamp.h"
#include "core/database/database.h"
#include "core/store/profile_reader.h"

namespace tilescope {

/// From this schema version on each distinct series of bytes, of cycles and of exchanged bytes is
/// in the file once.
inline constexpr std::int64_t firstVersionWithSeries = 8;

/// A file that is known to be a profile of a supported schema, with its info table read.
class ProfileReader::Impl {
public:
    /// Throws UserError for anything that is not such a file.
    explicit Impl(const std::filesystem::path& file);

    /// Throws UserError if the file's name now belongs to other contents than those of this stamp.
    void checkStamp(const FileStamp& expected) const;

    /// Whether the file's schema version is at least `since`.
    [[nodiscard]] bool has(std::int64_t since) const { return version >= since; }

    /// Values of the device's tiles, none of them negative: bytes, cycles and counts.
    [[nodiscard]] TileSeries series(const Statement& row, int at) const;

    /// The distinct series of variables' bytes, by id. Not of files before firstVersionWithSeries.
    [[nodiscard]] std::vector<TileSeries> variableSeries() const;

    /// Adds the tiles [first, first + tiles) of a row, after which no tile has a value yet.
    void appendRun(TileSeries& series, std::int64_t first, std::int64_t tiles,
                   std::int64_t value) const;

    /// Checks that ids are indices into a list: of `rows` rows the first must have id 0 and none
    /// may be missing up to the last.
    void checkIds(std::string_view table, std::string_view id, std::size_t rows) const;

    std::filesystem::path path;
    FileStamp stamp; ///< from before it was opened
    Database db;
    std::int64_t version = 0; ///< of the schema
    ProfileInfo info;
};

/// The info table. Throws UserError, naming the file, for what is missing or impossible.
ProfileInfo readInfo(const Database& db, const std::filesystem::path& path, std::int64_t version);

} // namespace tilescope
