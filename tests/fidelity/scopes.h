// Published memory of parts of a whole model against the simulated one.
#pragma once

#include <ostream>
#include <string>

namespace tilescope::fidelity {

/// Reads a table of layers and one of operations (popliner's columns), runs the model they are of
/// and prints the ratio simulated / published of each category.
void compareBertLarge(const std::string& layersFile, const std::string& operationsFile,
                      std::ostream& out);

} // namespace tilescope::fidelity
