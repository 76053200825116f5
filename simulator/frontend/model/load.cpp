#include "simulator/frontend/model/prepare.h"

#include <array>
#include <climits>
#include <fstream>

#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/slim.h"

namespace tilescope::sim {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& text) {
    throw UserError(fmt::format("{}: {}", file.string(), text));
}

/// Returns the size.
std::int64_t requireReadableFile(const fs::path& file) {
    std::error_code error;
    const auto status = fs::status(file, error);
    if (!fs::exists(status))
        fail(file,
             "there is no such file; give the path of an .onnx file or the name of a built-in "
             "model (see 'tilescope models')");
    if (fs::is_directory(status))
        fail(file, "is a directory; give the path of the .onnx file in it");
    if (!fs::is_regular_file(status))
        fail(file, "is not a regular file; copy the model into one first");
    const auto size = fs::file_size(file, error);
    if (error)
        fail(file, fmt::format("cannot be read: {}", error.message()));
    if (size == 0)
        fail(file, "is empty; export the model again");
    if (size > INT_MAX)
        fail(file, "is larger than 2 GiB, which a protocol buffer cannot be; export the model with "
                   "its weights as external data");
    return static_cast<std::int64_t>(size);
}

/// A model starts with its IR version (field 1, a variable-length integer of one byte so far) when
/// a serializer wrote it, as all do, in the order of the fields.
bool looksLikeModel(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::array<char, 3> head{};
    stream.read(head.data(), head.size());
    const bool irVersion = stream.gcount() >= 2 && head[0] == 0x08 && head[1] > 0 && head[1] < 64;
    const bool nextField = stream.gcount() < 3 || (head[2] & 7) == 2;
    return irVersion && nextField;
}

} // namespace

onnx::ModelProto loadModel(const std::filesystem::path& file, bool withData) {
    const std::int64_t size = requireReadableFile(file);
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        fail(file, "cannot be opened for reading; check its permissions");
    google::protobuf::io::IstreamInputStream input(&stream);
    onnx::ModelProto model;
    bool parsed = false;
    if (withData) {
        parsed = model.ParseFromZeroCopyStream(&input);
    } else {
        const auto slim = slimModel(input, size);
        parsed = slim && model.ParseFromString(*slim);
    }
    // Any short text can parse as unknown fields of a protocol buffer.
    parsed = parsed && model.has_graph();
    if (!parsed && looksLikeModel(file))
        fail(file, "is a truncated or damaged ONNX model; copy or export it again");
    if (!parsed)
        fail(file, "is not an ONNX model; export one, for example with torch.onnx.export");
    return model;
}

} // namespace tilescope::sim
