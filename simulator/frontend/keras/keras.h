// Keras models (model.to_json()) as models to run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/frontend/import.h"

namespace tilescope::sim {

/// Changes a model before it is imported.
using AdjustModel = std::function<void(onnx::ModelProto&)>;

/// Imports a Keras model's text as the equivalent ONNX model, with the names of its layers.
/// Weights have shapes only, as the file has no values: `adjust` may give them some. Pipeline
/// stages assigned in Keras become those of the graph. `origin` is the file's name for messages.
/// Throws UserError naming file, layer, key and remedy.
Graph importKeras(std::string_view text, const std::string& origin, const ImportOptions& options,
                  const AdjustModel& adjust = {});

/// The ONNX model equivalent to a Keras model.
onnx::ModelProto kerasAsOnnx(std::string_view text, const std::string& origin);

/// The known classes of layers, sorted.
std::vector<std::string> supportedKerasLayers();

} // namespace tilescope::sim
