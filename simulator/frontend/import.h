// Imports ONNX models as the compiler's graph.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// Reads, checks, infers shapes, folds constants and BatchNormalization (inference), and expresses
/// the nodes in our operations. Only shapes of weights are needed: missing external data are fine.
/// Throws UserError naming file, node, operator and remedy.
Graph importOnnx(const std::filesystem::path& file, const ImportOptions& options);

/// The same for a model in memory; `origin` takes the place of a file name in messages.
Graph importOnnx(onnx::ModelProto model, const std::string& origin, const ImportOptions& options);

/// The part of a model's external data that its program depends on: the bytes of small constants.
/// Throws UserError as above.
std::string externalConstants(const std::filesystem::path& file);

/// ONNX operators (default domain) that the importer supports, sorted.
std::vector<std::string> supportedOperators();

} // namespace tilescope::sim
