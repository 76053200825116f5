// Everything that is said and done about a model before its shapes are inferred.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// Removes the nodes whose results reach no output.
void removeDeadNodes(onnx::ModelProto& model);

/// The newest operator set of ONNX that is read.
std::int64_t newestOpset();

/// Rewrites a model of an operator set that the ONNX library does not know yet into its newest one,
/// where operators changed between; GroupNormalization, which came later, becomes that of
/// ai.graphcore. Leaves sets that are too new as they are. Throws UserError naming a node that has
/// no such form.
void readNewerOpset(onnx::ModelProto& model, const std::string& origin,
                    std::vector<GraphMessage>& messages);

/// Operators of PopART's own domain that the importer takes: ai.graphcore GroupNormalization.
bool isGraphcoreOperator(const std::string& domain, const std::string& type);

/// Refuses operator sets that are too new, foreign domains and operators that are not `supported`
/// (sorted), all of them in one UserError. Lowers an IR version that is only newer than the
/// checker's.
void checkOperators(onnx::ModelProto& model, const std::string& origin,
                    const std::vector<std::string>& supported, std::vector<GraphMessage>& messages);

/// Turns large or external initialisers into graph inputs without data and returns their names.
/// Throws UserError for impossible sizes.
NameSet detachWeights(onnx::ModelProto& model, const std::string& origin);

/// The ONNX checker; its complaints become UserErrors.
void checkModel(const onnx::ModelProto& model, const std::string& origin);

/// Gives symbolic batch dimensions a value, and fixed ones too where the user wants it; the latter
/// is returned. Throws UserError for other symbolic dimensions.
std::optional<BatchChange> setBatch(onnx::ModelProto& model, const NameSet& weights,
                                    const std::string& origin, const ImportOptions& options,
                                    std::vector<GraphMessage>& messages);

/// Reads and parses a file. Throws UserError naming the file when it is missing, unreadable, empty,
/// too large, not an ONNX model, or damaged.
onnx::ModelProto loadModel(const std::filesystem::path& file);

} // namespace tilescope::sim
