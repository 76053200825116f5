// Topologies that come with TileScope, built as ONNX models whose weights have shapes but no data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// A size or a variant that a model can be built with.
struct ZooOption {
    std::string key;                  ///< "sequenceLength"
    std::string defaultValue;         ///< "128"
    std::int64_t least = 1, most = 1; ///< of a size
    std::vector<std::string> choices; ///< of a variant; a size has none

    /// "1 to 512 [128]", "mlm|squad [mlm]".
    [[nodiscard]] std::string values() const;
};

struct ZooEntry {
    std::string name;        ///< "resnet50"
    std::string description; ///< one line
    std::string inputShape;  ///< "[N,3,224,224]"
    std::vector<ZooOption> options;
};

/// Options of a model by key; those that are missing take their defaults.
using ZooOptions = std::map<std::string, std::string>;

const std::vector<ZooEntry>& zooEntries();
/// A file with such a name has to be given with its folder: "./resnet50".
bool isZooName(std::string_view name);

/// A valid ONNX model with a symbolic batch dimension "N" and weights made by ConstantOfShape.
/// Throws UserError that lists the names (and the nearest) for an unknown one, and likewise for an
/// option that the model does not have or a value that it does not take.
onnx::ModelProto zooModel(std::string_view name, const ZooOptions& options = {});

/// Writes zooModel(name, options) atomically; throws UserError naming the file when that fails.
void exportZooModel(std::string_view name, const ZooOptions& options,
                    const std::filesystem::path& file);

} // namespace tilescope::sim
