// Models with the values of their weights.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

/// Imports a model with values. Built-in models start with weights of options.compute.seed, and so
/// do Keras models without a file of weights beside them (keras_weights.h); other models must
/// contain theirs.
Graph valuedModel(const std::string& model, const RunOptions& options);

/// Weights by name.
using NamedWeights = std::map<std::string, TensorData>;

/// Gives weights of a graph the values of those with their names. Returns how many that were.
std::size_t takeWeights(Graph& graph, const NamedWeights& weights);

/// Reads the weights of an ONNX file. Throws UserError.
NamedWeights readWeights(const std::filesystem::path& file);

/// Throws UserError if a model cannot be saved with its weights, or not to this file.
void checkSavable(const std::string& model, const std::filesystem::path& file);

/// Writes the model, an ONNX file or a built-in one, with these weights in the place of its own.
void saveModel(const std::string& model, const RunOptions& options, const NamedWeights& weights,
               const std::filesystem::path& file);

} // namespace tilescope::sim
