// Published memory of parts of a whole model against the simulated one.
#pragma once

namespace tilescope::fidelity {

/// Reads a table of layers and one of operations (popliner's columns), runs the model they are of
/// and prints the ratio simulated / published of each category. Exit status.
int compareBertLarge(const char* layersFile, const char* operationsFile);

} // namespace tilescope::fidelity
