// Enumerations without gaps: their values, and their names in both directions.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace tilescope {

/// All values of an enumeration, given its last.
template <auto last>
inline constexpr auto valuesUpTo = [] {
    std::array<decltype(last), static_cast<std::size_t>(last) + 1> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<decltype(last)>(i);
    return values;
}();

/// The names of an enumeration's values, in order, specialised next to it: for files and programs,
/// and for people.
template <class Enum> inline constexpr std::array<std::string_view, 0> enumNames{};
template <class Enum> inline constexpr std::array<std::string_view, 0> enumTitles{};

template <class Enum>
requires(!enumNames<Enum>.empty()) constexpr std::string_view toString(Enum value) {
    return enumNames<Enum>.at(static_cast<std::size_t>(value));
}

template <class Enum>
requires(!enumTitles<Enum>.empty()) constexpr std::string_view displayName(Enum value) {
    return enumTitles<Enum>.at(static_cast<std::size_t>(value));
}

/// The value with this name; none if there is none.
template <class Enum> std::optional<Enum> fromName(std::string_view name) {
    const auto found = std::find(enumNames<Enum>.begin(), enumNames<Enum>.end(), name);
    return found == enumNames<Enum>.end()
               ? std::nullopt
               : std::optional(static_cast<Enum>(found - enumNames<Enum>.begin()));
}

} // namespace tilescope
