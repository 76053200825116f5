// A capture: what tilescope_capture.py copied out of a profile of Poplar. Every value is checked
// when it is taken. Internal to core/import.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/database.h"
#include "core/store/schema.h"
#include "core/tiles/tile_series.h"

namespace tilescope {

/// SQLite user_version of the captures that are read.
inline constexpr std::int32_t captureFormat = 1;

/// Largest amount of bytes, cycles or things in a capture: sums of many cannot overflow.
inline constexpr std::int64_t largestAmount = std::int64_t{1} << 46;
inline constexpr std::int64_t largestId = std::numeric_limits<std::int32_t>::max();

/// An open capture with its series by tile.
class CaptureFile {
public:
    /// Throws UserError for anything that is not a capture of a known format.
    CaptureFile(const std::filesystem::path& file, std::stop_token stop);

    [[nodiscard]] const Database& database() const { return db_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// A value of the info table, as text; none if it has no row.
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
    /// A whole number of the info table within limits; none if it has no row.
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view key, std::int64_t least,
                                                     std::int64_t most) const;
    [[nodiscard]] std::optional<double> real(std::string_view key) const;
    /// Whether a name of pva was asked for and never there.
    [[nodiscard]] bool lacksName(std::string_view name) const;
    /// Whether a section was captured and has rows.
    [[nodiscard]] bool has(std::string_view section) const;

    /// Reads the series, whose values are of tiles [0, tiles).
    void readSeries(std::int64_t tiles);
    /// Throws UserError that names the file, the table, the row's key and the remedy.
    [[noreturn]] void damaged(std::string_view table, std::string_view key,
                              std::string_view what) const;

private:
    friend class CaptureRows;
    void checkTables() const;
    [[nodiscard]] Statement info(std::string_view key) const;

    std::filesystem::path path_;
    Database db_;
    std::vector<TileSeries> series_;
    /// Runs that may still be copied into the profile: rows may share a series, so that a small
    /// file could take all memory.
    mutable std::int64_t runsLeft_ = std::int64_t{1} << 26;
};

/// The rows of a table, in the order of the first column unless told otherwise.
class CaptureRows {
public:
    CaptureRows(const CaptureFile& file, std::string_view table,
                std::vector<std::string_view> columns, std::string_view order = "1");

    /// False after the last row. Throws Cancelled after a stop.
    bool next() { return row_.step(); }
    [[nodiscard]] bool isNull(int at) const { return row_.isNull(at); }
    /// A whole number within limits.
    [[nodiscard]] std::int64_t number(int at, std::int64_t least = 0,
                                      std::int64_t most = largestAmount) const;
    /// The same, or none for NULL.
    [[nodiscard]] std::optional<std::int64_t> maybe(int at, std::int64_t least = 0,
                                                    std::int64_t most = largestAmount) const;
    [[nodiscard]] std::int32_t id(int at) const {
        return static_cast<std::int32_t>(number(at, 0, largestId));
    }
    /// A number of pva's own, which may be any; none for NULL.
    [[nodiscard]] std::optional<std::int64_t> anyNumber(int at) const {
        return maybe(at, std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::int64_t>::max());
    }
    [[nodiscard]] std::optional<double> real(int at) const;
    [[nodiscard]] std::string text(int at) const; ///< empty for NULL
    [[nodiscard]] std::span<const std::byte> blob(int at) const { return row_.blob(at); }
    /// A series by its id; empty for NULL.
    [[nodiscard]] const TileSeries& series(int at) const;
    /// The numbers of a blob of ascending ids.
    [[nodiscard]] std::vector<std::int64_t> ascending(int at) const;
    /// Of a value that contradicts others.
    [[noreturn]] void damaged(int at, std::string_view what) const;

private:
    const CaptureFile& file_;
    std::string_view table_;
    std::vector<std::string_view> columns_;
    Statement row_;
};

} // namespace tilescope
