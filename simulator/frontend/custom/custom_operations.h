// Reads declarations of operations.
#pragma once

#include <filesystem>

#include "simulator/frontend/onnx_types/custom_operation.h"

namespace tilescope::sim {

/// Reads a JSON object of operators: {"custom.ops.MyCube": {"vertex": "MyCube<float>", "inputs":
/// ["like-result"], "cycles": "20 + 3 * ceil(n / workers)", "codeBytes": 200}}; further keys are
/// "result" ({"shape": ["in0_0", ...], "type": "float"}), "stateBytes", "temporaryBytes" and
/// "flops". Throws UserError naming file, operation, key and remedy.
CustomOperations readCustomOperations(const std::filesystem::path& file);

} // namespace tilescope::sim
