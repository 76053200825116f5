#include "tests/support/damage.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <random>

#include "tests/support/damage_sql.h"

namespace tilescope::test {
namespace {

constexpr std::size_t headerBytes = 100; // of a SQLite file
constexpr std::size_t pageSizeAt = 16;   // two bytes, big-endian; 1 stands for 65,536

std::size_t pageBytes(const std::string& file) {
    constexpr std::size_t usual = 4096;
    if (file.size() < headerBytes)
        return usual;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(file[at]); };
    const std::size_t stated = byte(pageSizeAt) * std::size_t{256} + byte(pageSizeAt + 1);
    return stated == 1 ? 65536 : stated >= 512 ? stated : usual;
}

void flip(std::string& file, std::size_t at, const Draw& draw) {
    file[at] = static_cast<char>(file[at] ^ static_cast<char>(1 + draw(255)));
}

std::string flipIn(std::string& file, std::size_t begin, std::size_t end, const Draw& draw) {
    const std::size_t at = begin + draw(end - begin);
    flip(file, at, draw);
    return fmt::format("byte {} flipped", at);
}

std::string flipMany(std::string& file, const Draw& draw) {
    constexpr std::uint64_t most = 64;
    const std::uint64_t count = 2 + draw(most);
    for (std::uint64_t i = 0; i < count; ++i)
        flip(file, draw(file.size()), draw);
    return fmt::format("{} bytes flipped", count);
}

// The first bytes of a page say what it is and where its cells lie.
std::string flipPageHead(std::string& file, const Draw& draw) {
    constexpr std::size_t head = 24;
    const std::size_t page = draw(std::max<std::size_t>(1, file.size() / pageBytes(file)));
    const std::size_t begin = page == 0 ? headerBytes : page * pageBytes(file);
    return begin + head > file.size() ? flipMany(file, draw)
                                      : flipIn(file, begin, begin + head, draw);
}

std::string overwritePage(std::string& file, const Draw& draw) {
    const std::size_t size = pageBytes(file);
    const std::size_t pages = file.size() / size;
    if (pages < 2)
        return flipMany(file, draw);
    const std::size_t page = 1 + draw(pages - 1);
    const std::size_t other = draw(pages);
    const std::uint64_t way = draw(3);
    if (way == 2)
        file.replace(page * size, size, file.substr(other * size, size));
    else
        file.replace(page * size, size, size, way == 0 ? '\0' : '\xff');
    return way == 2 ? fmt::format("page {} is a copy of page {}", page, other)
                    : fmt::format("page {} overwritten", page);
}

std::string cut(std::string& file, std::size_t size) {
    file.resize(size);
    return fmt::format("cut to {} bytes", size);
}

std::string damageBytes(std::string& file, const Draw& draw) {
    if (file.size() < headerBytes)
        return "nothing left to damage";
    switch (draw(8)) {
    case 0:
        return flipIn(file, 0, headerBytes, draw);
    case 1:
    case 2:
        return flipIn(file, headerBytes - 1, file.size(), draw);
    case 3:
        return flipMany(file, draw);
    case 4:
        return flipPageHead(file, draw);
    case 5:
        return overwritePage(file, draw);
    case 6:
        return cut(file, draw(file.size()));
    default:
        return cut(file, draw(file.size() / pageBytes(file) + 1) * pageBytes(file));
    }
}

std::string damageOnce(std::string& file, const Draw& draw) {
    constexpr std::uint64_t kinds = 10;
    constexpr std::uint64_t kindsOfBytes = 3;
    std::string what;
    if (draw(kinds) >= kindsOfBytes)
        what = damageContent(file, draw);
    return what.empty() ? damageBytes(file, draw) : what;
}

} // namespace

Draw seededDraw(std::uint64_t seed) {
    // The engine's numbers are the standard's; a distribution's would be the library's.
    return
        [engine = std::mt19937_64(seed)](std::uint64_t bound) mutable { return engine() % bound; };
}

DamagedCopy damagedCopy(const std::string& profile, const Draw& draw) {
    DamagedCopy copy{profile, {}};
    // A change of a table without rows is none.
    constexpr int tries = 6;
    for (int i = 0; i < tries && copy.bytes == profile; ++i)
        copy.what = damageOnce(copy.bytes, draw);
    return copy;
}

DamagedCopy hostileCopy(const std::string& profile, const Draw& draw) {
    DamagedCopy copy{profile, {}};
    copy.what = renameAll(copy.bytes, draw);
    return copy;
}

} // namespace tilescope::test
