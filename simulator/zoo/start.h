// Initial values of weights of built-in models where these are computed.
#pragma once

namespace tilescope::sim::start {

// The doc_string of the node that makes the weight (a ConstantOfShape) is one of these words.
inline constexpr const char* byLayer = "weight"; ///< as in PyTorch's layer that reads it
inline constexpr const char* ones = "ones";
inline constexpr const char* zeros = "zeros";
inline constexpr const char* normal = "normal";   ///< of deviation 1
inline constexpr const char* causal = "causal";   ///< a mask to add, which hides later positions
inline constexpr const char* uniform = "uniform"; ///< with a bound: "uniform 0.05"
/// Ones from a column to before another, else zeros: "ones-within 8 16".
inline constexpr const char* onesWithin = "ones-within";

} // namespace tilescope::sim::start
