#include "core/database/record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/base/damaged_profile.h"
#include "core/database/file_header.h"

namespace tilescope {
namespace {

[[noreturn]] void noRecord() {
    throw DamagedProfile("a row of a table cannot be read");
}

/// Takes a number of one to nine bytes, of seven bits each but the ninth, most significant first.
std::uint64_t takeLongNumber(std::span<const std::byte> bytes, std::size_t& at) {
    constexpr std::size_t most = 9;
    std::uint64_t number = 0;
    for (std::size_t taken = 1;; ++taken) {
        if (at >= bytes.size())
            noRecord();
        const auto byte = std::to_integer<std::uint64_t>(bytes[at++]);
        if (taken == most)
            return number << 8 | byte;
        number = number << 7 | (byte & 0x7F);
        if (byte < 0x80)
            return number;
    }
}

/// Most have one byte.
inline std::uint64_t takeNumber(std::span<const std::byte> bytes, std::size_t& at) {
    if (at < bytes.size() && bytes[at] < std::byte{0x80})
        return std::to_integer<std::uint64_t>(bytes[at++]);
    return takeLongNumber(bytes, at);
}

/// Bytes of values by their types of one byte.
constexpr std::uint8_t noSize = 0xFF; // types for SQLite's own use
constexpr auto sizes = [] {
    std::array<std::uint8_t, 0x80> of{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, noSize, noSize};
    for (std::size_t type = RecordValue::firstBytes; type < of.size(); ++type)
        of[type] = static_cast<std::uint8_t>((type - RecordValue::firstBytes) / 2);
    return of;
}();

/// Bytes of a number of a size that is known here.
template <class Whole> std::int64_t wholeNumber(std::span<const std::byte> bytes) {
    std::make_unsigned_t<Whole> number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    static_assert(std::endian::native == std::endian::little);
    if constexpr (sizeof number == 2)
        number = __builtin_bswap16(number);
    else if constexpr (sizeof number == 4)
        number = __builtin_bswap32(number);
    return static_cast<Whole>(number);
}

/// Bytes of a record that are in the leaf itself.
std::size_t localBytes(std::size_t total, std::size_t usable) {
    const std::size_t most = usable - 35;
    if (total <= most)
        return total;
    const std::size_t least = (usable - 12) * 32 / 255 - 23;
    const std::size_t fitting = least + (total - least) % (usable - 4);
    return fitting <= most ? fitting : least;
}

std::string_view charactersOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Number> Number parsed(std::span<const std::byte> bytes) {
    Number number{};
    const std::string_view text = charactersOf(bytes);
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::int64_t rounded(double value) {
    // The limits as SQLite has them; a NaN becomes 0.
    constexpr double limit = 9223372036854775808.0; // 2^63
    if (value >= limit)
        return std::numeric_limits<std::int64_t>::max();
    if (value <= -limit)
        return std::numeric_limits<std::int64_t>::min();
    return value == value ? static_cast<std::int64_t>(value) : 0;
}

} // namespace

std::int64_t RecordValue::integer() const {
    if (type == reals)
        return rounded(real());
    if (type >= firstBytes)
        return parsed<std::int64_t>(bytes);
    if (type >= zero)
        return static_cast<std::int64_t>(type - zero);
    switch (bytes.size()) {
    case 0:
        return 0;
    case 1:
        return static_cast<std::int8_t>(bytes[0]);
    case 2:
        return wholeNumber<std::int16_t>(bytes);
    case 4:
        return wholeNumber<std::int32_t>(bytes);
    default:
        break;
    }
    const std::size_t unused = 64 - 8 * bytes.size();
    // The first bit is the sign.
    return static_cast<std::int64_t>(bigEndian(bytes) << unused) >> unused;
}

double RecordValue::real() const {
    if (type == reals)
        return std::bit_cast<double>(bigEndian(bytes));
    if (type >= firstBytes)
        return parsed<double>(bytes);
    return static_cast<double>(integer());
}

std::string RecordValue::text() const {
    if (type >= firstBytes)
        return std::string(charactersOf(bytes));
    if (isNull())
        return {};
    return type == reals ? fmt::format("{}", real()) : std::to_string(integer());
}

std::span<const std::byte> RecordValue::blob() const {
    return type >= firstBytes ? bytes : std::span<const std::byte>();
}

std::int64_t Record::take(const FilePages& pages, std::span<const std::byte> page, std::size_t at) {
    page = page.first(pages.usableBytes());
    const std::uint64_t total = takeNumber(page, at);
    constexpr std::uint64_t longest = 1'000'000'000; // SQLite has none that is longer
    if (total > std::min(longest, std::uint64_t{pages.count()} * pages.usableBytes()))
        noRecord();
    total_ = total;
    const auto rowId = static_cast<std::int64_t>(takeNumber(page, at));
    const std::size_t local = localBytes(total_, page.size());
    constexpr std::size_t pageNumber = 4;
    const bool continues = local < total_;
    if (local + (continues ? pageNumber : 0) > page.size() - at)
        noRecord();
    local_ = page.subspan(at, local);
    overflow_ =
        continues ? static_cast<std::uint32_t>(bigEndian(page.subspan(at + local, pageNumber))) : 0;
    isJoined_ = false;
    readHeader(pages);
    return rowId;
}

void Record::readHeader(const FilePages& pages) {
    std::size_t at = 0;
    const std::uint64_t size = takeNumber(local_, at);
    if (size < at || size > total_)
        noRecord();
    const std::span<const std::byte> header = upTo(pages, size).first(size);
    std::uint64_t begin = size;
    auto field = fields_.begin();
    for (; field != fields_.end() && at < header.size(); ++field) {
        const std::uint64_t type = takeNumber(header, at);
        std::uint64_t bytes = 0;
        if (type < sizes.size()) {
            bytes = sizes[type];
            if (bytes == noSize)
                noRecord();
        } else {
            bytes = (type - RecordValue::firstBytes) / 2;
            if (bytes > total_)
                noRecord();
        }
        *field = {type, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(bytes)};
        begin += bytes;
    }
    if (begin > total_)
        noRecord();
    std::fill(field, fields_.end(), Field{});
}

std::span<const std::byte> Record::upTo(const FilePages& pages, std::size_t bytes) const {
    if (bytes <= local_.size())
        return local_;
    if (!isJoined_)
        join(pages);
    return joined_;
}

void Record::join(const FilePages& pages) const {
    joined_.assign(local_.begin(), local_.end());
    std::uint32_t next = overflow_;
    while (joined_.size() < total_) {
        // A page belongs to one record. Damaged ones that share long chains would never end.
        if (++overflowPages_ > pages.count())
            noRecord();
        pages.read(next, page_);
        const std::span<const std::byte> page = std::span(page_).first(pages.usableBytes());
        next = static_cast<std::uint32_t>(bigEndian(page.first(4)));
        const auto content = page.subspan(4, std::min(page.size() - 4, total_ - joined_.size()));
        joined_.insert(joined_.end(), content.begin(), content.end());
    }
    isJoined_ = true;
}

} // namespace tilescope
