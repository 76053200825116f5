// Reading and conversion of values of weights and constants.
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

/// A constant's values as a tensor of another type; the low bits of whole numbers beyond 32 bits.
TensorData dataOf(const Constant& constant, DataType type);
/// The reverse; `type` is the type in the model.
Constant constantOf(const TensorData& data, ElementType type);
/// The same values in another type, rounded or cut off.
TensorData converted(const TensorData& data, DataType type);

/// The data of an initialiser in another file, which has to be in the model's `folder` or below it.
/// Throws std::invalid_argument for data that cannot be read.
std::string externalBytes(const onnx::TensorProto& tensor, const std::filesystem::path& folder);

/// The values of an initialiser, in holdingType(); external data are read from files beside the
/// model, `folder`. Throws std::invalid_argument for data that cannot be read.
TensorData readTensor(const onnx::TensorProto& tensor, const std::filesystem::path& folder);

} // namespace tilescope::sim
