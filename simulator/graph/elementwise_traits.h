// Properties of each elementwise function: one table for names, shapes, FLOPs and cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "simulator/graph/attributes.h"

namespace tilescope::sim {

/// The inner loop of a codelet: cycles of one pass, over so many elements.
struct InnerLoop {
    std::int64_t cycles = 0, elements = 1;
};
struct InnerLoops {
    InnerLoop half, single;
};

constexpr std::size_t anyNumberOfOperands = std::numeric_limits<std::size_t>::max();

struct ElementwiseTraits {
    std::string_view name; ///< popops' spelling, "RELU"
    std::size_t leastOperands = 1, mostOperands = 1;
    InnerLoops loops;        ///< on operands of the result's shape
    InnerLoops scalarLoops;  ///< where the second operand is one value
    InnerLoops loopsInPlace; ///< of one operand that the result overwrites
    /// It overwrites its first operand even where others still read it.
    bool updatesInPlace = false;
    bool countsFlops = true; ///< one for each element and operand after the first
    bool makesBool = false;  ///< a comparison, logic or a question about numbers
    bool isRandom = false;   ///< its results differ from call to call

    /// Runs as one ternary expression (popops::map), not operand after operand.
    [[nodiscard]] bool isTernary() const { return leastOperands > 2; }
};

/// Cycles: PopLibs popops/popopsCycleEstimators.hpp, popnn/codelets and poprand/codelets.
ElementwiseTraits traitsOf(ElementwiseFunction function);

} // namespace tilescope::sim
