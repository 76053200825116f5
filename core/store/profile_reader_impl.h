// The open file behind a ProfileReader. Internal to core/store.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/database/database.h"
#include "core/store/profile_reader.h"

namespace tilescope {

/// A file that has been found to be a profile of a schema we know, with its plain fields read.
class ProfileReader::Impl {
public:
    /// Throws UserError for anything that is not such a file.
    explicit Impl(const std::filesystem::path& file);

    /// Values of the device's tiles, none of them negative: bytes, cycles and counts.
    [[nodiscard]] TileSeries series(const Statement& row, int at) const;

    /// Ids are places in a list: of `rows` rows the first must have 0 and the last must have none
    /// missing before it.
    void checkIds(std::string_view table, std::string_view id, std::size_t rows) const;

    std::filesystem::path path;
    Database db;
    ProfileInfo info;

private:
    void loadInfo();
    void checkMachine() const;
    /// Of a plain field: a whole number from 0 to `most`.
    [[nodiscard]] std::int64_t infoNumber(const Statement& row, std::string_view key,
                                          std::int64_t most) const;
};

} // namespace tilescope
