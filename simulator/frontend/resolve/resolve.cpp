#include "simulator/frontend/resolve/resolve.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "core/base/error.h"
#include "simulator/frontend/onnx_types/source_stacks.h"
#include "simulator/frontend/resolve/folding.h"
#include "simulator/frontend/resolve/index_rules.h"
#include "simulator/frontend/resolve/node_proto.h"
#include "simulator/frontend/resolve/operand_types.h"
#include "simulator/frontend/resolve/own_shapes.h"
#include "simulator/frontend/resolve/rebatch.h"
#include "simulator/frontend/resolve/schemas.h"

namespace tilescope::sim {

namespace {

constexpr std::int64_t maxElements = std::int64_t{1} << 40;

int opsetOf(const onnx::ModelProto& model) {
    for (const auto& set : model.opset_import()) {
        if (set.domain().empty() || set.domain() == "ai.onnx")
            return static_cast<int>(set.version());
    }
    return 1;
}

class Resolver {
public:
    Resolver(onnx::ModelProto& model, const std::string& origin, const NameSet& weights,
             std::optional<BatchChange> batch, const ImportOptions& options,
             const WeightValues* values)
        : model_(model)
        , values_(values)
        , custom_(options.customOperations)
        , weights_(weights)
        , opset_(opsetOf(model))
        , rebatch_(batch)
        , folding_(result_.values, options.parameters, values != nullptr) {
        result_.origin = origin;
        result_.name = model.graph().name();
    }

    ResolvedModel run() {
        folding_.see(model_.graph());
        addInitializers();
        addInputs();
        for (auto& proto : *model_.mutable_graph()->mutable_node())
            resolve(proto);
        for (const auto& output : model_.graph().output())
            addOutput(output.name());
        if (auto message = rebatch_.message())
            result_.messages.push_back(std::move(*message));
        result_.source = stacks_.take();
        return std::move(result_);
    }

private:
    [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& text) const {
        const std::string& name =
            node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
        throw UserError(fmt::format("{}: node '{}' ({}): {}{}", result_.origin, name,
                                    node.op_type(), text, rebatch_.remedy()));
    }

    void addInitializers() {
        for (const auto& tensor : model_.graph().initializer()) {
            try {
                Constant constant = constantFrom(tensor);
                const bool weight = folding_.isParameter(tensor.name()) ||
                                    (isReal(constant.type) && constant.size() > 1);
                define(tensor.name(), std::move(constant),
                       weight ? TensorRole::Weight : TensorRole::Constant);
            } catch (const std::invalid_argument& error) {
                throw UserError(fmt::format("{}: initialiser '{}' cannot be read: {}; export "
                                            "the model again",
                                            result_.origin, tensor.name(), error.what()));
            }
        }
    }

    void addInputs() {
        for (const auto& input : model_.graph().input()) {
            if (result_.values.contains(input.name()))
                continue;
            const auto shape = inputShape(input);
            if (!shape)
                throw UserError(
                    fmt::format("{}: input '{}' has no complete shape; export the model "
                                "with fixed sizes",
                                result_.origin, input.name()));
            const bool weight = weights_.contains(input.name());
            define(input.name(), elementType(input.type()), *shape,
                   weight ? TensorRole::Weight : TensorRole::Input);
            if (!weight)
                result_.inputs.push_back(input.name());
            else if (values_ != nullptr)
                if (const auto at = values_->find(input.name()); at != values_->end())
                    result_.values.at(input.name()).large = at->second;
        }
    }

    [[nodiscard]] std::optional<Shape> inputShape(const onnx::ValueInfoProto& input) const {
        try {
            return completeShape(input.type());
        } catch (const std::invalid_argument& error) {
            throw UserError(
                fmt::format("{}: input '{}': {}", result_.origin, input.name(), error.what()));
        }
    }

    void addOutput(const std::string& name) {
        const auto at = result_.values.find(name);
        if (at == result_.values.end())
            throw UserError(
                fmt::format("{}: output '{}' is made by no node; export the model again",
                            result_.origin, name));
        ++at->second.uses;
        result_.outputs.push_back(name);
    }

    static ElementType elementType(const onnx::TypeProto& type) {
        return static_cast<ElementType>(type.tensor_type().elem_type());
    }

    static std::optional<Shape> completeShape(const onnx::TypeProto& type) {
        if (!type.has_tensor_type() || !type.tensor_type().has_shape())
            return std::nullopt;
        Shape shape;
        for (const auto& dim : type.tensor_type().shape().dim()) {
            if (!dim.has_dim_value() || dim.dim_value() < 0)
                return std::nullopt;
            shape.push_back(dim.dim_value());
        }
        checkElements(shape);
        return shape;
    }

    static void checkElements(const Shape& shape) {
        std::int64_t elements = 1;
        for (const std::int64_t size : shape)
            if (__builtin_mul_overflow(elements, size, &elements) || elements > maxElements)
                throw std::invalid_argument(
                    fmt::format("a tensor of shape {} is too large", toString(shape)));
    }

    void define(const std::string& name, ElementType type, const Shape& shape, TensorRole role) {
        result_.values[name] = Value{type, shape, role, std::nullopt, {}, maker_, 0};
        auto& proto = types_[name];
        proto.mutable_tensor_type()->set_elem_type(static_cast<int>(type));
        proto.mutable_tensor_type()->clear_shape();
        auto& dims = *proto.mutable_tensor_type()->mutable_shape();
        for (const std::int64_t size : shape)
            dims.add_dim()->set_dim_value(size);
        typePointers_[name] = &proto;
    }

    void define(const std::string& name, Constant constant, TensorRole role) {
        define(name, constant.type, constant.shape, role);
        auto& proto = data_[name] = toTensorProto(constant);
        dataPointers_[name] = &proto;
        result_.values[name].data = std::move(constant);
    }

    void resolve(onnx::NodeProto& proto) {
        try {
            Node node = nodeFrom(proto, opset_);
            node.source = stacks_.add(proto.doc_string());
            maker_ = fmt::format("node '{}' ({})", node.name, node.key());
            if (!node.domain.empty()) {
                infer(proto, node);
                return keep(std::move(node));
            }
            if (foldShape(node))
                return;
            if (auto target = rebatch_.target(node, result_.values))
                replaceTarget(proto, node, std::move(*target));
            if (!foldData(node)) {
                infer(proto, node);
                if (const auto role = folding_.roleWithoutData(node))
                    result_.values.at(node.outputs[0]).role = *role;
                else
                    keep(std::move(node));
            }
        } catch (const std::invalid_argument& error) {
            fail(proto, error.what());
        } catch (const std::bad_variant_access&) {
            fail(proto, "an attribute has the wrong type");
        }
    }

    void replaceTarget(onnx::NodeProto& proto, Node& node, std::vector<std::int64_t> target) {
        if (node.inputs.size() < 2) {
            for (auto& attribute : *proto.mutable_attribute()) {
                if (attribute.name() == "shape")
                    attribute.mutable_ints()->Assign(target.begin(), target.end());
            }
            node.attributes["shape"] = std::move(target);
            return;
        }
        std::string name = node.outputs.at(0) + "/shape";
        while (folding_.isRead(name) || result_.values.contains(name))
            name += '_'; // the model has one of that name
        define(name, intConstant(std::move(target)), TensorRole::Constant);
        proto.set_input(1, name);
        node.inputs[1] = name;
    }

    /// Shape and Size read only the shape, which is known of every value.
    bool foldShape(const Node& node) {
        if ((node.type != "Shape" && node.type != "Size") || node.inputs.empty())
            return false;
        const Shape& shape = result_.values.at(node.inputs[0]).shape;
        if (node.type == "Size") {
            define(node.outputs.at(0), Constant{ElementType::Int64, {}, {elementsOf(shape)}, {}},
                   TensorRole::Constant);
            return true;
        }
        const auto rank = static_cast<std::int64_t>(shape.size());
        const SliceRange range =
            sliceRange(rank, node.integer("start", 0), node.integer("end", rank), 1);
        const auto begin = shape.begin() + range.start;
        define(node.outputs.at(0), intConstant({begin, begin + range.count}), TensorRole::Constant);
        return true;
    }

    bool foldData(const Node& node) {
        auto results = folding_.results(node);
        if (!results)
            return false;
        for (std::size_t i = 0; i < results->size(); ++i)
            defineFolded(node.outputs[i], std::move((*results)[i].constant), (*results)[i].role);
        return true;
    }

    void defineFolded(const std::string& name, Constant constant, TensorRole role) {
        if (static_cast<std::int64_t>(constant.size()) <= maxConstantElements) {
            define(name, std::move(constant), role);
            return;
        }
        define(name, constant.type, constant.shape, role);
        result_.values[name].large =
            std::make_shared<const TensorData>(dataOf(constant, holdingType(constant.type)));
    }

    [[nodiscard]] OperandValues operandsOf(const Node& node) const {
        OperandValues operands;
        for (const auto& name : node.inputs)
            operands.push_back(name.empty() ? nullptr : &result_.values.at(name));
        return operands;
    }

    bool inferOurselves(const Node& node) {
        const auto results = ownResults(node, operandsOf(node), custom_);
        if (!results)
            return false;
        for (std::size_t i = 0; i < node.outputs.size() && i < results->size(); ++i)
            if (!node.outputs[i].empty()) {
                checkElements((*results)[i].shape);
                define(node.outputs[i], (*results)[i].type, (*results)[i].shape,
                       TensorRole::Activation);
            }
        return true;
    }

    void infer(onnx::NodeProto& proto, const Node& node) {
        if (inferOurselves(node))
            return;
        const auto* schema = schemas_.of(node.type, opset_);
        if (schema == nullptr)
            throw std::invalid_argument(
                fmt::format("operator set {} has no such operator", opset_));
        guardInference(node, operandsOf(node));
        static const std::unordered_map<std::string, const onnx::SparseTensorProto*> noSparseData;
        onnx::shape_inference::InferenceContextImpl context(proto, typePointers_, dataPointers_,
                                                            noSparseData);
        inferByOnnx(*schema, context);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!node.outputs[i].empty())
                defineOutput(node, node.outputs[i], context.allOutputTypes_.at(i));
        }
    }

    // All exceptions of the library concern the model; where it lacks a check, it ends with an
    // index out of range.
    static void inferByOnnx(const onnx::OpSchema& schema, onnx::InferenceContext& context) {
        try {
            schema.GetTypeAndShapeInferenceFunction()(context);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            throw std::invalid_argument(error.what());
        }
    }

    void defineOutput(const Node& node, const std::string& name, const onnx::TypeProto& type) {
        const auto shape = completeShape(type);
        if (shape) {
            define(name, elementType(type), *shape, TensorRole::Activation);
            return;
        }
        if (!folding_.isRead(name))
            return;
        throw std::invalid_argument(
            fmt::format("the shape of its output '{}' does not follow from its inputs{}", name,
                        unknownOperands(node)));
    }

    /// Shapes of the operands, and which of their values are only known at run time.
    [[nodiscard]] std::string unknownOperands(const Node& node) const {
        std::string shapes;
        std::string unknown;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const std::string& input = node.inputs[i];
            if (input.empty())
                continue;
            const Value& value = result_.values.at(input);
            shapes +=
                fmt::format("{}'{}' {}", shapes.empty() ? "" : ", ", input, toString(value.shape));
            if (!value.data && (i > 0 || node.inputs.size() == 1))
                unknown += fmt::format("{}'{}'", unknown.empty() ? "" : ", ", input);
        }
        return fmt::format(" ({}){}; export the model with fixed sizes", shapes,
                           unknown.empty() ? ""
                                           : fmt::format(", and the values of {} are only known at "
                                                         "run time",
                                                         unknown));
    }

    void keep(Node node) {
        if (values_ != nullptr)
            checkOperandTypes(node, operandsOf(node));
        for (const auto& name : node.inputs) {
            if (!name.empty())
                ++result_.values.at(name).uses;
        }
        result_.nodes.push_back(std::move(node));
    }

    onnx::ModelProto& model_;
    const WeightValues* values_;
    const CustomOperations& custom_;
    const NameSet& weights_;
    int opset_;
    std::string maker_; ///< of the values being defined
    Rebatch rebatch_;
    ResolvedModel result_;
    SourceStacks stacks_;
    Schemas schemas_;
    Folding folding_; ///< reads the values of the result
    std::unordered_map<std::string, onnx::TypeProto> types_;
    std::unordered_map<std::string, onnx::TypeProto*> typePointers_;
    std::unordered_map<std::string, onnx::TensorProto> data_;
    std::unordered_map<std::string, const onnx::TensorProto*> dataPointers_;
};

} // namespace

ResolvedModel resolveModel(onnx::ModelProto& model, const std::string& origin,
                           const NameSet& weights, std::optional<BatchChange> batch,
                           const ImportOptions& options, const WeightValues* values) {
    return Resolver(model, origin, weights, batch, options, values).run();
}

} // namespace tilescope::sim
