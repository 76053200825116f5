// Sorting by a number, without comparing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

/// Sorts by keyOf(item), a std::uint64_t; items of equal keys stay in their order. The bits
/// from the first to the last in which keys differ are divided among few passes: for lists of
/// hundreds it takes half the time of std::sort. `sorted`: memory that sorts one after the other
/// share; its contents do not matter.
template <class T, class KeyOf>
void radixSort(std::vector<T>& items, const KeyOf& keyOf, std::vector<T>& sorted) {
    constexpr std::size_t worthIt = 64; // below, counting takes longer than comparing
    if (items.size() < worthIt) {
        std::stable_sort(items.begin(), items.end(),
                         [&](const T& a, const T& b) { return keyOf(a) < keyOf(b); });
        return;
    }
    // Fewer passes pay if there are more items than there are digits.
    constexpr int mostDigitBits = 10;
    std::uint64_t differing = 0;
    for (const T& item : items)
        differing |= keyOf(item) ^ keyOf(items.front());
    if (differing == 0)
        return;
    const int lowest = std::countr_zero(differing);
    const int bits = static_cast<int>(std::bit_width(differing)) - lowest;
    const int most = std::min(mostDigitBits, static_cast<int>(std::bit_width(items.size())));
    const int passes = (bits + most - 1) / most;
    const int digitBits = (bits + passes - 1) / passes;
    const std::size_t digits = std::size_t{1} << digitBits;
    sorted.resize(items.size());
    for (int pass = 0; pass < passes; ++pass) {
        const int shift = lowest + pass * digitBits;
        if ((differing >> shift & (digits - 1)) == 0)
            continue;
        const auto digitOf = [&](const T& item) {
            return static_cast<std::size_t>(keyOf(item) >> shift) & (digits - 1);
        };
        // By digit, where its next item goes.
        std::array<std::uint32_t, (std::size_t{1} << mostDigitBits) + 1> next;
        std::fill_n(next.begin(), digits + 1, 0);
        for (const T& item : items)
            ++next[digitOf(item) + 1];
        for (std::size_t digit = 1; digit < digits; ++digit)
            next[digit] += next[digit - 1];
        for (const T& item : items)
            sorted[next[digitOf(item)]++] = item;
        items.swap(sorted);
    }
}

/// The same with memory of its own.
template <class T, class KeyOf> void radixSort(std::vector<T>& items, const KeyOf& keyOf) {
    std::vector<T> sorted;
    radixSort(items, keyOf, sorted);
}

} // namespace tilescope
