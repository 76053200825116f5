// Numbers that the tests and their references both make: reference_numbers.py is the same in
// Python.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/graph/tensor_data.h"

namespace tilescope::test {

/// FNV-1a of 32 bits.
inline std::uint32_t referenceSeed(std::string_view name) {
    std::uint32_t seed = 2166136261U;
    for (const char c : name)
        seed = (seed ^ static_cast<std::uint8_t>(c)) * 16777619U;
    return seed;
}

/// offset + scale u with u from -1 to 1.
inline sim::TensorData referenceNumbers(std::string_view name, sim::Shape shape, double offset = 0,
                                        double scale = 1) {
    sim::TensorData data(sim::DataType::Float, std::move(shape));
    const std::uint32_t seed = referenceSeed(name) * 2246822519U + 374761393U;
    for (std::int64_t i = 0; i < data.elements(); ++i) {
        std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761U + seed;
        x = (x ^ x >> 15) * 2246822519U;
        x = (x ^ x >> 13) * 3266489917U;
        x ^= x >> 16;
        data.setNumber(i, offset + scale * ((x >> 8) * 0x1p-23 - 1));
    }
    return data;
}

} // namespace tilescope::test
