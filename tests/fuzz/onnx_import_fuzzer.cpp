// An ONNX model: parsed, shapes inferred, expressed in our operations. Mutations change the
// message, so that most of them are models still.
#include <fuzzer/FuzzedDataProvider.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/import.h"
#include "simulator/frontend/model/slim.h"
#include "tests/fuzz/message_mutator.h"

using namespace tilescope;

namespace {

// The last byte of an input says how the model is imported.
sim::ImportOptions optionsFrom(std::uint8_t choice) {
    sim::ImportOptions options;
    options.batchSize = (choice & 1) != 0 ? 4 : 1;
    options.forceBatch = (choice & 2) != 0;
    options.half = (choice & 4) != 0;
    options.training = (choice & 8) != 0;
    return options;
}

bool parse(onnx::ModelProto& model, const std::uint8_t* data, std::size_t size) {
    google::protobuf::io::ArrayInputStream input(data, static_cast<int>(size));
    const auto slim = sim::slimModel(input, static_cast<std::int64_t>(size));
    return slim && model.ParseFromString(*slim) && model.has_graph();
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    google::protobuf::SetLogHandler(nullptr);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    onnx::ModelProto model;
    if (size < 2 || !parse(model, data, size - 1))
        return 0;
    try {
        sim::checkGraph(
            sim::importOnnx(std::move(model), "fuzzed.onnx", optionsFrom(data[size - 1])));
    } catch (const UserError&) {
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
    onnx::ModelProto model;
    constexpr unsigned plainMutations = 8; // one of so many
    if (size < 2 || seed % plainMutations == 0 ||
        !model.ParseFromArray(data, static_cast<int>(size - 1)))
        return LLVMFuzzerMutate(data, size, most);
    const std::uint8_t choice = data[size - 1];
    fuzz::mutateMessage(model, seed);
    const std::string text = model.SerializeAsString();
    if (text.size() + 1 > most)
        return LLVMFuzzerMutate(data, size, most);
    std::copy(text.begin(), text.end(), data);
    data[text.size()] = seed % 16 == 1 ? static_cast<std::uint8_t>(seed >> 8) : choice;
    return text.size() + 1;
}
