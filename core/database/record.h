// A record of a SQLite file (https://www.sqlite.org/fileformat.html#record_format): the values of a
// row as they lie in its pages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/database/file_pages.h"
#include "core/database/stored_row.h"

namespace tilescope {

/// A value: the type by its number in the file, and its bytes. Types are checked by Record.
struct RecordValue {
    std::uint64_t type = 0;
    std::span<const std::byte> bytes;

    [[nodiscard]] bool isNull() const { return type == 0; }
    [[nodiscard]] bool isNumber() const { return type >= 1 && type < firstBytes; }
    [[nodiscard]] std::int64_t integer() const; ///< 0 of what is no number
    [[nodiscard]] double real() const;
    [[nodiscard]] std::string text() const;
    /// Nothing of numbers.
    [[nodiscard]] std::span<const std::byte> blob() const;

    static constexpr std::uint64_t reals = 7;
    static constexpr std::uint64_t zero = 8; ///< and 9 is one, without bytes
    static constexpr std::uint64_t firstBytes = 12;
};

/// The record of a cell of a table's leaf. What does not fit in the leaf is read when it is asked
/// for.
class Record {
public:
    /// Knows the values up to this many of each record.
    explicit Record(std::size_t values)
        : fields_(values) {}

    /// Takes the cell at a place of a page, which must not change meanwhile, and returns its row
    /// id. Throws DamagedProfile for what is none.
    std::int64_t take(const FilePages& pages, std::span<const std::byte> page, std::size_t at);

    /// Bytes of it that are in the leaf.
    [[nodiscard]] std::size_t bytesInLeaf() const { return local_.size(); }
    /// A value, valid until the next cell; NULL behind the last one.
    [[nodiscard]] RecordValue value(const FilePages& pages, std::size_t at) const {
        const Field& field = fields_[at];
        const std::size_t end = std::size_t{field.at} + field.bytes;
        return {field.type,
                (end <= local_.size() ? local_ : upTo(pages, end)).subspan(field.at, field.bytes)};
    }

private:
    struct Field {
        std::uint64_t type = 0;
        std::uint32_t at = 0;
        std::uint32_t bytes = 0;
    };
    void readHeader(const FilePages& pages);
    void join(const FilePages& pages) const;
    /// The first bytes of the record, so many at least.
    [[nodiscard]] std::span<const std::byte> upTo(const FilePages& pages, std::size_t bytes) const;

    std::vector<Field> fields_;
    std::size_t total_ = 0;
    std::span<const std::byte> local_; ///< in the leaf
    std::uint32_t overflow_ = 0;       ///< the page with what follows; 0 if nothing does
    mutable std::vector<std::byte> joined_;
    mutable bool isJoined_ = false;
    mutable std::vector<std::byte> page_;
    mutable std::size_t overflowPages_ = 0; ///< of all records so far
};

} // namespace tilescope
