// A model file without the data of its weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace google::protobuf::io {
class ZeroCopyInputStream;
}

namespace tilescope::sim {

/// Copies a serialised ModelProto but passes over the data of large tensors and over the recorded
/// shapes of intermediate values, both of which the importer ignores: a model of gigabytes costs
/// kilobytes. None if the bytes are not a protocol buffer of `size` bytes.
std::optional<std::string> slimModel(google::protobuf::io::ZeroCopyInputStream& input,
                                     std::int64_t size);

} // namespace tilescope::sim
