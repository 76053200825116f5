// Weights lose their data as early as possible: only their shapes matter.
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/prepare.h"
#include "simulator/frontend/onnx_types/constant.h"

namespace tilescope::sim {

namespace {

/// Reals above this size never decide a shape or an attribute.
constexpr std::int64_t maxRealsWithData = 64;

/// More than any machine holds, and far from overflow.
constexpr std::int64_t maxElements = std::int64_t{1} << 40;

bool hasSmallSize(const onnx::TensorProto& tensor, std::int64_t elements) {
    const bool real = isReal(static_cast<ElementType>(tensor.data_type()));
    return elements <= (real ? maxRealsWithData : maxConstantElements);
}

std::int64_t checkedElements(const onnx::TensorProto& tensor, const std::string& origin) {
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.dims()) {
        if (size < 0 || __builtin_mul_overflow(elements, size, &elements) || elements > maxElements)
            throw UserError(
                fmt::format("{}: initialiser '{}' has the impossible shape {}; export the "
                            "model again",
                            origin, tensor.name(),
                            toString(Shape(tensor.dims().begin(), tensor.dims().end()))));
    }
    return elements;
}

bool hasData(const onnx::TensorProto& tensor) {
    return tensor.has_raw_data() || tensor.float_data_size() > 0 || tensor.double_data_size() > 0 ||
           tensor.int32_data_size() > 0 || tensor.int64_data_size() > 0 ||
           tensor.uint64_data_size() > 0 || tensor.string_data_size() > 0;
}

bool needsNoData(const onnx::TensorProto& tensor, const std::string& origin) {
    const std::int64_t elements = checkedElements(tensor, origin);
    const bool absent =
        tensor.data_location() == onnx::TensorProto::EXTERNAL || (elements > 0 && !hasData(tensor));
    return absent || !hasSmallSize(tensor, elements);
}

void addInput(onnx::GraphProto& graph, NameSet& inputs, const std::string& name,
              const onnx::TensorProto& tensor) {
    if (!inputs.insert(name).second)
        return;
    auto& input = *graph.add_input();
    input.set_name(name);
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor.data_type());
    type.mutable_shape();
    for (const std::int64_t size : tensor.dims())
        type.mutable_shape()->add_dim()->set_dim_value(size);
}

const onnx::TensorProto* constantTensor(const onnx::NodeProto& node) {
    if (node.op_type() != "Constant" || node.output_size() != 1)
        return nullptr;
    for (const auto& attribute : node.attribute()) {
        if (attribute.name() == "value" && attribute.has_t())
            return &attribute.t();
    }
    return nullptr;
}

/// Calls `visit` with each initialiser and the tensor of each Constant.
template <class Visit> void visitTensors(onnx::GraphProto& graph, Visit visit) {
    for (auto& tensor : *graph.mutable_initializer())
        visit(tensor);
    for (auto& node : *graph.mutable_node())
        if (node.op_type() == "Constant")
            for (auto& attribute : *node.mutable_attribute())
                if (attribute.has_t())
                    visit(*attribute.mutable_t());
}

/// Removes the elements that `detach` takes; the others keep their order.
template <class List, class Detach> void detachFrom(List& list, Detach detach) {
    int kept = 0;
    for (int i = 0; i < list.size(); ++i) {
        if (!detach(list.Get(i)))
            list.SwapElements(kept++, i);
    }
    list.DeleteSubrange(kept, list.size() - kept);
}

void keepValues(const std::string& name, const onnx::TensorProto& tensor, const std::string& origin,
                const std::filesystem::path& folder, WeightValues& values) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL && !hasData(tensor))
        return;
    try {
        values[name] = std::make_shared<const TensorData>(readTensor(tensor, folder));
    } catch (const std::invalid_argument& error) {
        throw UserError(fmt::format("{}: initialiser '{}': {}; copy the model with all of its "
                                    "files, or leave --compute out",
                                    origin, name, error.what()));
    }
}

} // namespace

std::string takeSmallExternalData(onnx::ModelProto& model, const std::string& origin,
                                  const std::filesystem::path& folder) {
    std::string taken;
    visitTensors(*model.mutable_graph(), [&](onnx::TensorProto& tensor) {
        if (tensor.data_location() != onnx::TensorProto::EXTERNAL ||
            !hasSmallSize(tensor, checkedElements(tensor, origin)))
            return;
        try {
            tensor.set_raw_data(externalBytes(tensor, folder));
        } catch (const std::invalid_argument&) {
            return; // probably a weight, whose file is often missing
        }
        taken += tensor.raw_data();
        tensor.clear_external_data();
        tensor.clear_data_location();
    });
    return taken;
}

NameSet detachWeights(onnx::ModelProto& model, const std::string& origin, WeightValues* values,
                      const std::filesystem::path& folder) {
    auto& graph = *model.mutable_graph();
    if (graph.sparse_initializer_size() > 0)
        throw UserError(fmt::format("{}: sparse initialisers are not supported; export the model "
                                    "with dense weights",
                                    origin));
    NameSet weights;
    NameSet inputs;
    for (const auto& input : graph.input())
        inputs.insert(input.name());
    const auto take = [&](const std::string& name, const onnx::TensorProto& tensor) {
        if (!needsNoData(tensor, origin))
            return false;
        weights.insert(name);
        addInput(graph, inputs, name, tensor);
        if (values != nullptr)
            keepValues(name, tensor, origin, folder, *values);
        return true;
    };
    detachFrom(*graph.mutable_initializer(),
               [&](const onnx::TensorProto& tensor) { return take(tensor.name(), tensor); });
    detachFrom(*graph.mutable_node(), [&](const onnx::NodeProto& node) {
        const auto* tensor = constantTensor(node);
        return tensor != nullptr && take(node.output(0), *tensor);
    });
    return weights;
}

void checkModel(const onnx::ModelProto& model, const std::string& origin) {
    try {
        onnx::checker::check_model(model);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) { // of the library
        throw UserError(fmt::format("{}: the model breaks the rules of ONNX: {}; export it again",
                                    origin, error.what()));
    }
}

} // namespace tilescope::sim
