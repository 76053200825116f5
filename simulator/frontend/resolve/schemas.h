// ONNX's descriptions of operators, each made when a model needs it.
#pragma once

#include <map>
#include <onnx/defs/schema.h>
#include <string>

namespace tilescope::sim {

/// The first question to libonnx's registry makes the descriptions of all versions of all
/// operators, a fifth of the instructions of a small model's run. Those of schemas.def are made one
/// by one.
class Schemas {
public:
    /// Of the operator that a set of this version has; null if there is none.
    const onnx::OpSchema* of(const std::string& type, int opset);

    /// The same, if it is made without the registry.
    const onnx::OpSchema* ownOf(const std::string& type, int opset);

private:
    std::map<std::string, onnx::OpSchema> made_; ///< by operator and version: "Conv 11"
};

} // namespace tilescope::sim
