// Weights of a Keras model, which its JSON does not contain.
#pragma once

#include <filesystem>
#include <optional>

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// model.weights.npz for model.json, if there is such a file: arrays by the names that Keras gives
/// its weights (numpy.savez with w.name of Keras 2 or w.path of Keras 3).
std::optional<std::filesystem::path> kerasWeightsFile(const std::filesystem::path& model);

/// Gives the weights of the ONNX model of a Keras model (kerasAsOnnx) the file's values, in ONNX's
/// order of dimensions and gates. Throws UserError naming the file for a weight that it lacks, for
/// one that does not fit and for one that the model does not have.
void giveKerasWeights(onnx::ModelProto& model, const std::filesystem::path& file);

} // namespace tilescope::sim
