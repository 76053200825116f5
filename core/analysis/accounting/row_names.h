// How rows of the accounting are called.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// The first `depth` parts of a path.
std::string firstParts(std::string_view path, int depth);

/// The call of a library that a step is part of: "conv1/Conv_7x7/Convolve/ExchangePre" and
/// "conv1/Conv_7x7/Convolve" are both of "conv1/Conv_7x7".
std::string libraryCall(std::string_view step);

} // namespace tilescope
