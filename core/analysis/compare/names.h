// Names that mean the same in two programs, although the compiler counted differently.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// The name without numbers that are mere counters: "copy12_Copy_a_to_b" and "copy7_Copy_a_to_b"
/// become equal, and so do "cs3_conv/ExchangePre" and "cs9_conv/ExchangePre", or the functions
/// "call_subgraph(2)" and "call_subgraph(5)". Everything else is kept.
std::string comparableName(std::string_view name);

/// `name` with the first whole occurrence of `from` (a debug path) replaced by `to`: what a
/// variable or compute set is called after its operation was renamed. "conv1" is not a part of
/// "conv10/weights".
std::string renamedWithin(std::string_view name, std::string_view from, std::string_view to);

} // namespace tilescope
