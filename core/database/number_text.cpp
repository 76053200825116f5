#include "core/database/number_text.h"

#include <array>
#include <charconv>
#include <limits>

#include "core/base/damaged_profile.h"

namespace tilescope {
namespace {

[[noreturn]] void unreadable() {
    throw DamagedProfile("a list of numbers cannot be read");
}

} // namespace

void addNumber(std::string& text, std::int64_t number) {
    std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits; // and a sign
    text.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

std::int64_t NumberText::number() {
    // So many digits cannot overflow; signs and longer numbers are rare.
    constexpr std::ptrdiff_t safeDigits = std::numeric_limits<std::int64_t>::digits10;
    const char* digit = at_;
    std::int64_t value = 0;
    for (; digit != end_ && *digit >= '0' && *digit <= '9' && digit - at_ < safeDigits; ++digit)
        value = 10 * value + (*digit - '0');
    if (digit != at_ && (digit == end_ || *digit < '0' || *digit > '9')) {
        at_ = digit;
        return value;
    }
    const auto [rest, error] = std::from_chars(at_, end_, value);
    if (error != std::errc())
        unreadable();
    at_ = rest;
    return value;
}

void NumberText::expect(char wanted) {
    if (!take(wanted))
        unreadable();
}

void NumberText::expectEnd() const {
    if (!atEnd())
        unreadable();
}

} // namespace tilescope
