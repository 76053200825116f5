// Topologies that come with TileScope, built as ONNX models whose weights have shapes but no data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

struct ZooEntry {
    std::string name;        ///< "resnet50"
    std::string description; ///< one line
    std::string inputShape;  ///< "[N,3,224,224]"
};

const std::vector<ZooEntry>& zooEntries();
bool isZooName(std::string_view name);

/// A valid ONNX model with a symbolic batch dimension "N" and weights made by ConstantOfShape.
/// Throws UserError that lists the names (and the nearest) for an unknown one.
onnx::ModelProto zooModel(std::string_view name);

/// Writes zooModel(name) atomically; throws UserError naming the file when that fails.
void exportZooModel(std::string_view name, const std::filesystem::path& file);

} // namespace tilescope::sim
