// From an ONNX model to the compiler's graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "simulator/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

struct ImportOptions {
    /// Value of a symbolic (or zero) batch dimension, and the micro-batch to run with: the first
    /// dimension of every model input becomes this where it was symbolic or where `forceBatch`.
    std::int64_t batchSize = 1;
    /// The user named a batch size: also replaces a fixed first dimension of the inputs.
    bool forceBatch = false;
    bool half = false; ///< turn float tensors into half (--precision half)
    /// For training: normalisations keep the statistics of their data (nothing is folded into
    /// convolutions) and Dropout drops.
    bool training = false;
};

/// Reads, checks, infers shapes, folds constants and BatchNormalization (inference), and expresses
/// the nodes in our operations. Only shapes of weights are needed: missing external data are fine.
/// Throws UserError naming file, node, operator and remedy.
Graph importOnnx(const std::filesystem::path& file, const ImportOptions& options);

/// The same for a model in memory; `origin` stands in messages where a file name would.
Graph importOnnx(onnx::ModelProto model, const std::string& origin, const ImportOptions& options);

/// ONNX operators (default domain) that the importer takes, sorted.
std::vector<std::string> supportedOperators();

} // namespace tilescope::sim
