// Values of weights and constants on their way from a file to the graph.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

#include "simulator/frontend/onnx_types/constant.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

/// By name of the initialiser.
using WeightValues = std::unordered_map<std::string, std::shared_ptr<const TensorData>>;

/// The type that holds all values of an ONNX type which an IPU can compute with: float for real
/// types, a 32-bit integer for others.
DataType holdingType(ElementType type);

/// A constant's values as a tensor of another type; of whole numbers beyond 32 bits the low bits.
TensorData dataOf(const Constant& constant, DataType type);
/// The other way; `type` is what the model calls it.
Constant constantOf(const TensorData& data, ElementType type);
/// The same values in another type, rounded or cut off.
TensorData converted(const TensorData& data, DataType type);

/// The data of an initialiser that are in another file, which has to be in the model's `folder` or
/// below it. Throws std::invalid_argument for what cannot be read.
std::string externalBytes(const onnx::TensorProto& tensor, const std::filesystem::path& folder);

/// The values of an initialiser, in holdingType(); external data are read from files beside the
/// model, `folder`. Throws std::invalid_argument for what cannot be read.
TensorData readTensor(const onnx::TensorProto& tensor, const std::filesystem::path& folder);

} // namespace tilescope::sim
