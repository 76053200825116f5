// The format of MNIST's files (yann.lecun.com/exdb/mnist), plain or gzipped.
#pragma once

#include <filesystem>

#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

/// Throws UserError naming the file. Bytes come as unsigned char, other whole numbers as int, reals
/// as float.
TensorData readIdx(const std::filesystem::path& file);

} // namespace tilescope::sim
