// Keras models (model.to_json()) as models to run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/frontend/import.h"

namespace tilescope::sim {

/// Reads a Keras model and imports it as the ONNX model that it stands for, with the names of its layers. Weights have
/// shapes only, as the file has no values. Pipeline stages assigned in Keras become those of the graph. Throws UserError
/// naming file, layer, key and remedy.
Graph importKeras(const std::filesystem::path& file, const ImportOptions& options);

/// The same for text; `origin` stands in messages where a file name would.
Graph importKeras(std::string_view text, const std::string& origin, const ImportOptions& options);

/// The ONNX model that a Keras model stands for.
onnx::ModelProto kerasAsOnnx(std::string_view text, const std::string& origin);

/// Classes of layers that are known, sorted.
std::vector<std::string> supportedKerasLayers();

} // namespace tilescope::sim
