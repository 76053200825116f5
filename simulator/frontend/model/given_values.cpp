// Inputs that decide shapes, with the values that a model's test data have for them.
#include <algorithm>
#include <fstream>
#include <unordered_map>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/prepare.h"
#include "simulator/frontend/onnx_types/constant.h"

namespace tilescope::sim {

namespace {

namespace fs = std::filesystem;

/// Operands that decide the shape of an operator's result or the form of its program.
bool isKnownWhileCompiling(const std::string& type, int operand) {
    static const std::unordered_map<std::string, std::vector<int>> operands{
        {"Reshape", {1}},
        {"Expand", {1}},
        {"Tile", {1, 2}},
        {"Slice", {1, 2, 3, 4}},
        {"Pad", {1, 2, 3}},
        {"Squeeze", {1}},
        {"Unsqueeze", {1}},
        {"Split", {1}},
        {"Resize", {1, 2, 3}},
        {"Upsample", {1}},
        {"Range", {0, 1, 2}},
        {"ConstantOfShape", {0}},
        {"TopK", {1}},
        {"OneHot", {1}},
        {"CumSum", {1}},
        {"HannWindow", {0}},
        {"HammingWindow", {0}},
        {"BlackmanWindow", {0}},
        {"DFT", {1}},
        {"STFT", {1, 3}},
        {"MelWeightMatrix", {0, 1, 2, 3, 4}},
        {"Compress", {1}},
        {"NonZero", {0}},
        {"Dropout", {1, 2}},
        {"Trilu", {1}}};
    if (type.starts_with("Reduce"))
        return operand == 1;
    const auto found = operands.find(type);
    return found != operands.end() &&
           std::find(found->second.begin(), found->second.end(), operand) != found->second.end();
}

/// Values that shapes depend on: those operands and all values that they are computed from. Values
/// of which only the shape is used are not needed.
NameSet decidingValues(const onnx::GraphProto& graph) {
    NameSet names;
    for (int n = graph.node_size(); n-- > 0;) {
        const auto& node = graph.node(n);
        const bool decides =
            node.op_type() != "Shape" && node.op_type() != "Size" &&
            std::any_of(node.output().begin(), node.output().end(),
                        [&](const std::string& output) { return names.contains(output); });
        for (int i = 0; i < node.input_size(); ++i)
            if (decides || isKnownWhileCompiling(node.op_type(), i))
                names.insert(node.input(i));
    }
    return names;
}

/// The tensor in a file of test data; none if there is no such file or it is too large to decide a
/// shape.
std::optional<onnx::TensorProto> testTensor(const fs::path& file) {
    constexpr std::uintmax_t largest = 1 << 16;
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > largest || error)
        return std::nullopt;
    std::ifstream stream(file, std::ios::binary);
    onnx::TensorProto tensor;
    if (!tensor.ParseFromIstream(&stream))
        throw UserError(fmt::format("{}: is not a tensor of ONNX's test data; remove it or copy it "
                                    "again",
                                    file.string()));
    return tensor;
}

bool fits(const onnx::TensorProto& tensor, const onnx::TypeProto& type) {
    const auto& wanted = type.tensor_type();
    if (!type.has_tensor_type() || tensor.data_type() != wanted.elem_type())
        return false;
    if (wanted.has_shape() && wanted.shape().dim_size() != tensor.dims_size())
        return false;
    for (int i = 0; wanted.has_shape() && i < tensor.dims_size(); ++i)
        if (wanted.shape().dim(i).has_dim_value() &&
            wanted.shape().dim(i).dim_value() != tensor.dims(i))
            return false;
    return true;
}

} // namespace

void takeGivenValues(onnx::ModelProto& model, const fs::path& file,
                     std::vector<GraphMessage>& messages) {
    auto& graph = *model.mutable_graph();
    const NameSet deciding = decidingValues(graph);
    NameSet known;
    for (const auto& initializer : graph.initializer())
        known.insert(initializer.name());
    const fs::path folder = file.parent_path() / "test_data_set_0";
    int kept = 0;
    for (int i = 0, number = 0; i < graph.input_size(); ++i) {
        const auto& input = graph.input(i);
        std::optional<onnx::TensorProto> tensor;
        if (!known.contains(input.name())) {
            if (deciding.contains(input.name()))
                tensor = testTensor(folder / fmt::format("input_{}.pb", number));
            ++number;
        }
        if (!tensor || !fits(*tensor, input.type())) {
            graph.mutable_input()->SwapElements(kept++, i);
            continue;
        }
        tensor->set_name(input.name());
        messages.push_back(
            {Severity::Info, fmt::format("input '{}' decides a shape and is taken as the constant "
                                         "of the test data beside the model (test_data_set_0)",
                                         input.name())});
        *graph.add_initializer() = *std::move(tensor);
    }
    graph.mutable_input()->DeleteSubrange(kept, graph.input_size() - kept);
}

} // namespace tilescope::sim
