// Programs of PopLibs calls, described in a job file in place of an ONNX model.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "simulator/frontend/import.h"

namespace tilescope::sim {

/// Reads the object under the key "model" of a job file:
///
///     {"name": "...", "dataType": "float"|"half",
///      "variables": {"a": [4, 8], ...},
///      "operations": [{"name": "c", "type": "matMul", "inputs": ["a", "b"]}, ...]}
///
/// Variables stay on the device, as those of a Poplar program without streams. A result has the
/// name of its operation. Types are matMul and the elementwise functions of popops (add, sub, mul,
/// ...). Shapes are fixed: a batch size is refused. Throws UserError naming file, operation and
/// key.
Graph importOperationList(const std::filesystem::path& job, const ImportOptions& options);

/// The same from text; `origin` takes the place of a file name in messages.
Graph importOperationList(std::string_view job, const std::string& origin,
                          const ImportOptions& options);

} // namespace tilescope::sim
