// An ONNX file as a protocol buffer.
#pragma once

#include <filesystem>

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// Reads and parses a file. Throws UserError naming the file when it is missing, unreadable, empty,
/// too large, not an ONNX model, or damaged.
onnx::ModelProto loadModel(const std::filesystem::path& file);

} // namespace tilescope::sim
