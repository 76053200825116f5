// Moving elements, whatever they mean.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {

/// All elements have four bytes.
const std::int32_t* elementWords(const TensorData& data);
std::int32_t* elementWords(TensorData& data);

/// Copies a box of elements; steps say how far apart neighbours along each dimension are.
void copyStrided(const std::int32_t* from, const std::vector<std::int64_t>& stepsFrom,
                 std::int32_t* to, const std::vector<std::int64_t>& stepsTo, const Shape& sizes);

/// The data at `begin` of a tensor of the given shape full of a value; what lies outside is left
/// out.
TensorData padded(const TensorData& data, const std::vector<std::int64_t>& begin, Shape shape,
                  double value);

} // namespace tilescope::sim
