// Published measurements of operations against the simulated ones.
#pragma once

#include <ostream>
#include <string>

namespace tilescope::fidelity {

/// Runs each row of a table of measurements through `tilescope op`, of one family or of all (""),
/// and prints how far off they are, by family and by row. Whether all of them ran.
bool compareOperations(const std::string& file, const std::string& family, std::ostream& out);

} // namespace tilescope::fidelity
