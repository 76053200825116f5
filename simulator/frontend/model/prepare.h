// Checks and changes of a model before its shapes are inferred.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// Takes the values of inputs that decide shapes (a Reshape's shape, a Resize's scales) from the
/// test data beside the model, as in ONNX's models (test_data_set_0/input_0.pb, ...): an IPU's
/// program has fixed shapes. These inputs become constants. Throws UserError naming a damaged file
/// of such a value.
void takeGivenValues(onnx::ModelProto& model, const std::filesystem::path& file,
                     std::vector<GraphMessage>& messages);

/// Replaces nodes that call functions by their bodies: functions of the model itself, and operators
/// that are not `supported` (sorted) where ONNX defines them by others.
void inlineFunctions(onnx::ModelProto& model, const std::vector<std::string>& supported);

/// Removes nodes that no output depends on.
void removeDeadNodes(onnx::ModelProto& model);

/// The newest operator set of ONNX that is read.
std::int64_t newestOpset();

/// Rewrites a model of an operator set that the ONNX library does not know yet into its newest one,
/// where operators changed between; GroupNormalization, which came later, becomes that of
/// ai.graphcore. Leaves sets that are too new as they are. Throws UserError naming a node that has
/// no such form.
void readNewerOpset(onnx::ModelProto& model, const std::string& origin,
                    std::vector<GraphMessage>& messages);

/// PopART's own domain.
inline constexpr const char* graphcoreDomain = "ai.graphcore";

/// Its operator that overwrites a weight (first operand) by a value (second); kept even if nothing
/// reads its result.
inline constexpr const char* variableUpdateOperator = "CopyVarUpdate";

/// Refuses operator sets that are too new, foreign domains and operators that are not `supported`
/// (sorted), all of them in one UserError. Lowers an IR version that is only newer than the
/// checker's.
void checkOperators(onnx::ModelProto& model, const std::string& origin,
                    const std::vector<std::string>& supported, std::vector<GraphMessage>& messages);

/// Puts the data of small initialisers that lie in files of `folder` in the model, as they may
/// decide shapes; returns them. What cannot be read stays as it is.
std::string takeSmallExternalData(onnx::ModelProto& model, const std::string& origin,
                                  const std::filesystem::path& folder);

/// Turns large or external initialisers into graph inputs without data and returns their names.
/// With `values`, that receives what they hold: data, also those in files of `folder`. Throws
/// UserError for impossible sizes and, with `values`, for data that cannot be read.
NameSet detachWeights(onnx::ModelProto& model, const std::string& origin,
                      WeightValues* values = nullptr, const std::filesystem::path& folder = {});

/// Turns the nodes that make the weights of a built-in model (zoo/start.h) into graph inputs with
/// their doc_string, and adds their names to the weights.
void detachFilled(onnx::ModelProto& model, NameSet& weights);

/// Gives weights that have no data the values with which PyTorch's layers begin
/// (torch/nn/modules: uniform within 1/sqrt(fan-in) for convolutions and products and their biases,
/// ones and zeros for normalisations, normal for embeddings); others are normal, with a deviation
/// of 0.02, as in BERT. The same for the same names and seed.
void initialiseWeights(const onnx::ModelProto& model, const NameSet& weights, std::uint64_t seed,
                       WeightValues& values);

/// The ONNX checker; its complaints become UserErrors.
void checkModel(const onnx::ModelProto& model, const std::string& origin);

/// Gives symbolic batch dimensions a value, and fixed ones too where the user wants it; the latter
/// is returned. Throws UserError for other symbolic dimensions.
std::optional<BatchChange> setBatch(onnx::ModelProto& model, const NameSet& weights,
                                    const std::string& origin, const ImportOptions& options,
                                    std::vector<GraphMessage>& messages);

/// Reads and parses a file. Throws UserError naming the file when it is missing, unreadable, empty,
/// too large, not an ONNX model, or damaged. Data of large tensors are left out unless `withData`.
onnx::ModelProto loadModel(const std::filesystem::path& file, bool withData = false);

} // namespace tilescope::sim
