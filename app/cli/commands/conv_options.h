// The options that the convolution tools share.
#pragma once

#include "app/cli/commands/op_tools.h"

namespace tilescope::cli {

/// Arguments of a convolution, with their defaults.
std::map<std::string, std::string> convDefaults();
/// Those of its options that mean nothing here.
std::vector<IgnoredOptions> convIgnored();

/// The convolution that they describe, without what truncation and padding of its operands and its
/// result leave out: the same as one of a smaller field, a smaller kernel or other padding.
sim::SingleConvLayer convLayerOf(const OpArguments& a);

} // namespace tilescope::cli
