// The equation of an Einsum.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// A label for each dimension of each operand and of the result. An ellipsis' dimensions have the
/// labels '0', '1', ... from their last one on.
struct EinsumTerms {
    std::vector<std::string> operands;
    std::string result;
    std::map<char, std::int64_t> sizes;
};

/// Throws std::invalid_argument where the equation does not fit the shapes.
EinsumTerms parseEinsum(const std::string& equation, const std::vector<Shape>& shapes);

Shape einsumShape(const EinsumTerms& terms, const std::string& labels);

} // namespace tilescope::sim
