// Imports a model that the user specifies as a graph.
#pragma once

#include <map>
#include <string>

#include "core/options/batch_options.h"
#include "core/options/model_options.h"
#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Everything that an imported graph depends on, except for the content of files.
struct ModelSource {
    std::string model; ///< an .onnx file, a Keras model, a list of operations or a zoo name
    ImportOptions import;
    std::map<std::string, std::string> modelOptions; ///< of a built-in model
    friend bool operator==(const ModelSource&, const ModelSource&) = default;
};

ModelSource sourceOf(const std::string& model, const BatchOptions& batch,
                     const ModelOptions& options);

/// Throws UserError for a model that cannot be read, imported or built.
Graph importModel(const ModelSource& source);

} // namespace tilescope::sim
